//! Tool tests: start a server, call its tools in the suite's order, check the results.
//!
//! The tests of one server run one after another, because servers keep state; several servers are
//! tested at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use mcptest_mcp::{Address, CallError, Lifecycle, Patience, Server, StartError, ToolAnswer};
use mcptest_score::gate::Check;
use mcptest_score::result::{AssertionResult, Problem, Row, Status};
use mcptest_suite::model::{Assertion, Suite, Test};
use mcptest_suite::path;
use serde_json::{Map, Value, json};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use crate::events::Event;
use crate::launch::Surroundings;
use crate::redact::Redactor;

/// A suite and where it lives.
#[derive(Debug)]
pub struct SuiteFile {
    /// The file as the user named it.
    pub name: Arc<str>,
    /// Its content.
    pub suite: Suite,
    /// What its servers are started with.
    pub surroundings: Surroundings,
    /// What must not reach a report.
    pub redactor: Redactor,
}

/// How to run.
#[derive(Debug, Clone)]
pub struct Options {
    /// Only tests whose name contains this, upper or lower case.
    pub filter: Option<String>,
    /// How many servers are tested at the same time.
    pub jobs: usize,
    /// Stop at the first test that does not pass.
    pub fail_fast: bool,
    /// How long to wait for servers.
    pub patience: Patience,
}

/// Where events go.
pub type Sink = Arc<dyn Fn(Event) + Send + Sync>;

/// The tests of one server, in order.
struct Group {
    address: Address,
    server: Arc<str>,
    tests: Vec<Planned>,
}

#[derive(Debug)]
struct Planned {
    at: usize,
    name: Arc<str>,
    tool: String,
    args: Map<String, Value>,
    checks: Vec<Check>,
}

/// What the suites ask for that cannot be started: variables that are not set, one line a server.
#[derive(Debug, Default, thiserror::Error)]
#[error("{}", .0.join("; "))]
pub struct MissingVariables(Vec<String>);

impl MissingVariables {
    fn add(&mut self, suite: &str, server: &str, variables: &[String]) {
        let plural = if variables.len() == 1 { "" } else { "s" };
        let variables = variables.join(", ");
        self.0.push(format!(
            "{suite}: server `{server}` needs the environment variable{plural} {variables}"
        ));
    }
}

/// Runs the tool tests of all suites. Everything that is needed is checked before anything starts.
pub async fn run(
    suites: &[SuiteFile],
    options: &Options,
    sink: Sink,
    stop: watch::Receiver<bool>,
) -> Result<(), MissingVariables> {
    let mut plan = Plan::default();
    for file in suites {
        plan.add(file, options);
    }
    if !plan.missing.0.is_empty() {
        return Err(plan.missing);
    }
    let redactor = suites.iter().fold(Redactor::default(), |all, file| all.and(&file.redactor));
    let sink: Sink = Arc::new(move |event| sink(redactor.event(event)));
    sink(Event::Planned { tests: plan.next });
    for (at, row) in plan.not_runnable {
        sink(Event::Finished { at, row, took_ms: 0.0 });
    }
    let halt =
        Halt { stop, failed: Arc::new(AtomicBool::new(false)), fail_fast: options.fail_fast };
    let room = Arc::new(Semaphore::new(options.jobs.max(1)));
    let mut groups = JoinSet::new();
    for group in plan.groups {
        let (sink, halt, room, patience) =
            (Arc::clone(&sink), halt.clone(), Arc::clone(&room), options.patience);
        groups.spawn(async move {
            let _turn = room.acquire_owned().await;
            group.run(patience, &sink, halt).await;
        });
    }
    while groups.join_next().await.is_some() {}
    Ok(())
}

#[derive(Default)]
struct Plan {
    groups: Vec<Group>,
    not_runnable: Vec<(usize, Row)>,
    missing: MissingVariables,
    next: usize,
}

impl Plan {
    fn add(&mut self, file: &SuiteFile, options: &Options) {
        let filter = options.filter.as_ref().map(|text| text.to_lowercase());
        let wanted =
            |name: &str| filter.as_ref().is_none_or(|text| name.to_lowercase().contains(text));
        let first = self.groups.len();
        let mut unset = Vec::new();
        for test in file.suite.tool_tests().filter(|test| wanted(&test.name)) {
            let (Some(server), Some(tool)) = (&test.server, &test.tool) else { continue };
            let known = self.groups[first..]
                .iter()
                .position(|group| *group.server == **server)
                .map(|at| at + first);
            let at = match known {
                Some(at) => at,
                None => {
                    let Some(entry) = file.suite.servers.get(server) else { continue };
                    if unset.contains(&server) {
                        continue;
                    }
                    let address = match file.surroundings.address(entry) {
                        Ok(address) => address,
                        Err(variables) => {
                            self.missing.add(&file.name, server, &variables);
                            unset.push(server);
                            continue;
                        }
                    };
                    self.groups.push(Group {
                        address,
                        server: Arc::from(server.as_str()),
                        tests: Vec::new(),
                    });
                    self.groups.len() - 1
                }
            };
            let planned = plan_test(self.next, test, tool);
            self.groups[at].tests.push(planned);
            self.next += 1;
        }
        let agents = file.suite.agent_tests();
        let later = agents.iter().map(|test| (test.name.as_str(), "agent tests"));
        let later = later.chain(
            file.suite
                .tool_quality
                .iter()
                .map(|check| (check.name.as_str(), "tool_quality checks")),
        );
        for (name, what) in later.filter(|(name, _)| wanted(name)) {
            let message = format!(
                "{what} cannot be run by this version of mcptest yet, so there is no verdict"
            );
            self.not_runnable
                .push((self.next, row(&Arc::from(name), Status::Error, vec![message])));
            self.next += 1;
        }
    }
}

fn plan_test(at: usize, test: &Test, tool: &str) -> Planned {
    // Without an expectation a tool test still expects that the tool does not fail.
    let expect = match test.expect.as_deref() {
        Some(list) if !list.is_empty() => list.to_vec(),
        _ => vec![Assertion::equal("is_error", false)],
    };
    Planned {
        at,
        name: Arc::from(test.name.as_str()),
        tool: tool.to_owned(),
        args: test.args.clone().unwrap_or_default(),
        checks: Check::compile(&expect),
    }
}

/// Whether to go on.
#[derive(Clone)]
struct Halt {
    stop: watch::Receiver<bool>,
    failed: Arc<AtomicBool>,
    fail_fast: bool,
}

impl Halt {
    fn reason(&self) -> Option<&'static str> {
        if *self.stop.borrow() {
            Some("not run: interrupted")
        } else if self.fail_fast && self.failed.load(Ordering::Relaxed) {
            Some("not run: an earlier test did not pass (--fail-fast)")
        } else {
            None
        }
    }

    /// Waits for an interrupt.
    async fn interrupted(&mut self) {
        if self.stop.wait_for(|stop| *stop).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Group {
    async fn run(self, patience: Patience, sink: &Sink, mut halt: Halt) {
        let mut server: Option<Server> = None;
        for (at, test) in self.tests.iter().enumerate() {
            if let Some(reason) = halt.reason() {
                finish(sink, test, Status::Skipped, vec![reason.to_owned()], 0.0);
                continue;
            }
            sink(Event::Started { name: Arc::clone(&test.name) });
            if server.is_none() {
                match self.connect(patience, &mut halt).await {
                    Ok(connected) => server = Some(connected),
                    Err(failure) => {
                        self.give_up(&self.tests[at..], sink, &halt, &failure);
                        return;
                    }
                }
            }
            let Some(connected) = &server else { return };
            let started = Instant::now();
            let outcome = tokio::select! {
                outcome = connected.call(&test.tool, &test.args) => outcome,
                () = halt.interrupted() => {
                    finish(sink, test, Status::Skipped, vec!["interrupted".to_owned()], 0.0);
                    continue;
                }
            };
            let took_ms = started.elapsed().as_secs_f64() * 1e3;
            let (status, mut messages) = judge(test, &outcome);
            if let Err(CallError::Died { .. }) = outcome {
                messages
                    .extend(connected.stderr().await.iter().map(|line| format!("stderr: {line}")));
                // The next test gets a new one.
                self.end(server.take(), sink).await;
            }
            if status != Status::Passed {
                halt.failed.store(true, Ordering::Relaxed);
            }
            finish(sink, test, status, messages, took_ms);
        }
        self.end(server, sink).await;
    }

    async fn connect(
        &self,
        patience: Patience,
        halt: &mut Halt,
    ) -> Result<Server, Option<StartError>> {
        tokio::select! {
            connected = Server::connect(&self.address, Lifecycle::Auto, patience) => connected.map_err(Some),
            () = halt.interrupted() => Err(None),
        }
    }

    /// The server would not start (again): the tests that are left have no verdict.
    fn give_up(&self, left: &[Planned], sink: &Sink, halt: &Halt, failure: &Option<StartError>) {
        let Some(failure) = failure else {
            for test in left {
                finish(sink, test, Status::Skipped, vec!["not run: interrupted".to_owned()], 0.0);
            }
            return;
        };
        halt.failed.store(true, Ordering::Relaxed);
        let message = format!("server `{}`: {failure}", self.server);
        let mut messages = vec![message.clone()];
        if let StartError::Handshake { stderr, violations, .. } = failure {
            messages.extend(
                violations.iter().map(|violation| format!("protocol violation: {violation}")),
            );
            messages.extend(stderr.iter().map(|line| format!("stderr: {line}")));
        }
        for test in left {
            finish(sink, test, Status::Error, messages.clone(), 0.0);
        }
        sink(Event::Problem(Problem {
            help: failure.help(),
            ..Problem::new("server-start", message)
        }));
    }

    /// Ends the server and says what it did wrong on the wire.
    async fn end(&self, server: Option<Server>, sink: &Sink) {
        let Some(server) = server else { return };
        for violation in server.violations() {
            sink(Event::Note(format!("server `{}`: {violation}", self.server)));
        }
        server.close().await;
    }
}

fn judge(test: &Planned, outcome: &Result<ToolAnswer, CallError>) -> (Status, Vec<String>) {
    let results = test.checks.iter().map(|check| match outcome {
        Ok(answer) => check.run(target(&check.target, answer)),
        Err(error) => check.run(Err(format!("calling `{}` failed: {error}", test.tool))),
    });
    let failed = results.filter(|result| !result.passed).collect::<Vec<AssertionResult>>();
    match (outcome, failed.is_empty()) {
        (Ok(_), true) => (Status::Passed, Vec::new()),
        // One line says it: every check failed for the same reason.
        (Err(error), _) => {
            (Status::Failed, vec![format!("calling `{}` failed: {error}", test.tool)])
        }
        (Ok(_), false) => {
            (Status::Failed, failed.into_iter().map(|result| result.message).collect())
        }
    }
}

/// `result…`, `is_error` and `duration_ms`.
fn target(target: &str, answer: &ToolAnswer) -> Result<Value, String> {
    let steps = path::parse(target).map_err(|error| error.to_string())?;
    let result: Value =
        serde_json::from_str(answer.raw.get()).map_err(|error| error.to_string())?;
    let all = json!({
        "result": result,
        "is_error": answer.is_error,
        "duration_ms": answer.took.as_secs_f64() * 1e3,
    });
    path::follow(&all, &steps).cloned()
}

fn row(name: &Arc<str>, status: Status, messages: Vec<String>) -> Row {
    Row {
        name: name.to_string(),
        test: Arc::clone(name),
        model: None,
        run: None,
        distractor_count: None,
        status,
        messages,
        tool_calls: None,
        tokens: None,
    }
}

fn finish(sink: &Sink, test: &Planned, status: Status, messages: Vec<String>, took_ms: f64) {
    sink(Event::Finished { at: test.at, row: row(&test.name, status, messages), took_ms });
}
