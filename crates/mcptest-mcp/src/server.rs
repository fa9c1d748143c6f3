//! A connected server: both lifecycles, requests with time-outs, tools, and a clean end.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::catalog::{Collector, Tool};
use crate::error::{CallError, StartError};
use crate::frame::RpcError;
use crate::http::{HttpLink, Routing};
use crate::inbox::{Inbox, Notice};
use crate::isolation::{Isolation, Sandboxed};
use crate::process::Program;
use crate::stdio::StdioLink;
use crate::violation::{Violation, ViolationKind};

/// The newest revision with the old handshake.
pub const HANDSHAKE_VERSION: &str = "2025-11-25";
/// The revision without a handshake.
pub const STATELESS_VERSION: &str = "2026-07-28";
/// Revisions of the old handshake that we understand.
const HANDSHAKE_VERSIONS: &[&str] = &["2024-11-05", "2025-03-26", "2025-06-18", HANDSHAKE_VERSION];

/// How to reach a server.
#[derive(Debug, Clone)]
pub enum Address {
    /// A program over stdio.
    Command {
        /// What to run.
        program: Program,
        /// In which sandbox.
        isolation: Option<Isolation>,
    },
    /// A URL over Streamable HTTP.
    Url {
        /// Where.
        url: String,
        /// With which headers.
        headers: BTreeMap<String, String>,
    },
}

/// Which lifecycle to speak.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Lifecycle {
    /// Ask with server/discover, fall back to the handshake.
    #[default]
    Auto,
    /// Only `initialize`.
    Handshake,
    /// Only server/discover and self-contained requests.
    Stateless,
}

/// How long to wait for what.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// For the whole handshake.
    pub handshake: Duration,
    /// For an answer to server/discover before the old handshake is tried.
    pub discover: Duration,
    /// For each call.
    pub call: Duration,
    /// For a polite end.
    pub end: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            handshake: Duration::from_secs(30),
            discover: Duration::from_secs(5),
            call: Duration::from_secs(60),
            end: Duration::from_secs(1),
        }
    }
}

/// A step of connecting and how long it took.
#[derive(Debug, Clone)]
pub struct Step {
    /// What was done.
    pub name: &'static str,
    /// How long it took.
    pub took: Duration,
    /// What came of it.
    pub outcome: String,
}

/// What a server says of itself.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// Its name.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// The protocol revision that is spoken.
    pub protocol: String,
    /// Whether without handshake.
    pub stateless: bool,
    /// Its capabilities.
    pub capabilities: Value,
    /// How it wants to be used.
    pub instructions: Option<String>,
}

/// A tool's answer.
#[derive(Debug, Clone)]
pub struct ToolAnswer {
    /// The result as received.
    pub raw: Box<RawValue>,
    /// Whether the tool reports an error.
    pub is_error: bool,
    /// How long it took.
    pub took: Duration,
}

#[derive(Debug)]
enum Link {
    Stdio(StdioLink),
    Http(HttpLink),
}

/// A connected server.
#[derive(Debug)]
pub struct Server {
    link: Link,
    inbox: Inbox,
    patience: Patience,
    about: About,
    steps: Vec<Step>,
    /// Keeps the copied workspace as long as the server runs.
    _sandbox: Option<Sandboxed>,
}

impl Server {
    /// Starts or reaches the server and agrees on a protocol.
    pub async fn connect(
        address: &Address,
        lifecycle: Lifecycle,
        patience: Patience,
    ) -> Result<Self, StartError> {
        let inbox = Inbox::default();
        let started = Instant::now();
        let mut sandbox = None;
        let (link, step) = match address {
            Address::Command { program, isolation } => {
                let program = match isolation {
                    Some(isolation) => {
                        let prepared = isolation.prepare(program)?;
                        let program = prepared.program.clone();
                        sandbox = Some(prepared);
                        program
                    }
                    None => program.clone(),
                };
                (Link::Stdio(StdioLink::start(&program, &inbox)?), "start the process")
            }
            Address::Url { url, headers } => {
                (Link::Http(HttpLink::new(url, headers, &inbox)?), "prepare the connection")
            }
        };
        let steps = vec![Step { name: step, took: started.elapsed(), outcome: "done".to_owned() }];
        let mut server =
            Self { link, inbox, patience, about: About::default(), steps, _sandbox: sandbox };
        match server.agree(lifecycle).await {
            Ok(()) => Ok(server),
            Err((step, reason)) => {
                let reason = server.explain(reason).await;
                let stderr = server.stderr().await;
                let violations = server.violations();
                server.close().await;
                Err(StartError::Handshake { step, reason: Box::new(reason), stderr, violations })
            }
        }
    }

    async fn agree(&mut self, lifecycle: Lifecycle) -> Result<(), (&'static str, CallError)> {
        let whole = self.patience.handshake;
        if lifecycle == Lifecycle::Stateless {
            return self.discover(whole).await.map_err(|error| ("server/discover", error));
        }
        let mut silent = false;
        if lifecycle == Lifecycle::Auto {
            match self.discover(self.patience.discover).await {
                Ok(()) => return Ok(()),
                Err(error) if is_final(&error) => return Err(("server/discover", error)),
                Err(error) => silent = matches!(error, CallError::Timeout { .. }),
            }
        }
        match self.initialize().await {
            // It was only slow to start, and knows no handshake.
            Err(CallError::Refused { .. }) if silent => {
                self.discover(whole).await.map_err(|error| ("server/discover", error))
            }
            outcome => outcome.map_err(|error| ("initialize", error)),
        }
    }

    /// The lifecycle without a handshake.
    async fn discover(&mut self, patience: Duration) -> Result<(), CallError> {
        let started = Instant::now();
        if let Link::Http(http) = &self.link {
            http.agree(STATELESS_VERSION, true);
        }
        let params = with_meta(json!({}), STATELESS_VERSION);
        let outcome = self
            .ask("server/discover", params, None, patience)
            .await
            .and_then(|raw| parse(&raw, "server/discover"));
        let (outcome, words) = match outcome {
            Ok(result) => match self.read_discovery(&result) {
                Ok(()) => (Ok(()), format!("{STATELESS_VERSION}, no handshake")),
                Err(error) => (Err(error.clone()), error.to_string()),
            },
            Err(error) => (Err(error.clone()), format!("not offered: {error}")),
        };
        self.steps.push(Step { name: "server/discover", took: started.elapsed(), outcome: words });
        outcome
    }

    fn read_discovery(&mut self, result: &Value) -> Result<(), CallError> {
        let versions = result.get("supportedVersions").and_then(Value::as_array);
        let supported =
            versions.is_some_and(|list| list.iter().any(|version| version == STATELESS_VERSION));
        if !supported {
            let detail = format!(
                "server/discover: supportedVersions is {}",
                result.get("supportedVersions").unwrap_or(&Value::Null)
            );
            return Err(CallError::Violation(Violation::new(ViolationKind::BadResult, detail)));
        }
        let info = result
            .get("serverInfo")
            .or_else(|| result.get("_meta")?.get("io.modelcontextprotocol/serverInfo"));
        self.about = about(result, info, STATELESS_VERSION, true);
        Ok(())
    }

    /// The old handshake.
    async fn initialize(&mut self) -> Result<(), CallError> {
        let started = Instant::now();
        if let Link::Http(http) = &self.link {
            http.agree(HANDSHAKE_VERSION, false);
        }
        let params = json!({ "protocolVersion": HANDSHAKE_VERSION, "capabilities": {}, "clientInfo": client_info() });
        let raw = self.ask("initialize", params, None, self.patience.handshake).await?;
        let result = parse(&raw, "initialize")?;
        let Some(version) = result.get("protocolVersion").and_then(Value::as_str) else {
            let detail = "initialize: no protocolVersion".to_owned();
            return Err(CallError::Violation(Violation::new(ViolationKind::BadResult, detail)));
        };
        if !HANDSHAKE_VERSIONS.contains(&version) {
            let detail =
                format!("initialize: protocolVersion `{version}` is no revision with a handshake");
            self.inbox.report(Violation::new(ViolationKind::BadResult, detail));
        }
        self.about = about(&result, result.get("serverInfo"), version, false);
        if let Link::Http(http) = &self.link {
            http.agree(version, false);
        }
        self.notify("notifications/initialized").await?;
        self.steps.push(Step {
            name: "initialize",
            took: started.elapsed(),
            outcome: format!("{version}, with handshake"),
        });
        Ok(())
    }

    async fn notify(&self, method: &str) -> Result<(), CallError> {
        let message = json!({ "jsonrpc": "2.0", "method": method }).to_string();
        let sending = async {
            match &self.link {
                Link::Stdio(stdio) => stdio.send(&message).await,
                Link::Http(http) => {
                    http.send_note(message.clone(), Routing { method, name: None }).await
                }
            }
        };
        let patience = self.patience.handshake;
        tokio::time::timeout(patience, sending).await.unwrap_or_else(|_| {
            Err(CallError::Timeout {
                method: method.to_owned(),
                after: patience,
                notices: 0,
                violations: 0,
            })
        })
    }

    /// Asks and waits for the result as received.
    async fn ask(
        &self,
        method: &str,
        params: Value,
        name: Option<&str>,
        patience: Duration,
    ) -> Result<Box<RawValue>, CallError> {
        let (notices, violations) = (self.inbox.notice_count(), self.inbox.violation_count());
        let (id, answer) = self.inbox.expect();
        let message =
            json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string();
        let gone = |_| Err(CallError::Connection("nobody answers any more".to_owned()));
        let exchange = async {
            match &self.link {
                Link::Stdio(stdio) => {
                    stdio.send(&message).await?;
                    answer.await.unwrap_or_else(gone)
                }
                // The answer may come long before the event stream that carries it ends.
                Link::Http(http) => {
                    let mut answer = answer;
                    tokio::select! {
                        biased;
                        found = &mut answer => found.unwrap_or_else(gone),
                        () = http.send_request(message, id, Routing { method, name }) => answer.await.unwrap_or_else(gone),
                    }
                }
            }
        };
        let outcome = tokio::time::timeout(patience, exchange).await;
        self.inbox.forget(id);
        match outcome {
            Ok(Ok(Ok(result))) => Ok(result),
            Ok(Ok(Err(RpcError { code, message, data }))) => {
                Err(CallError::Refused { code, message, data })
            }
            Ok(Err(error)) => Err(error),
            Err(_) => Err(CallError::Timeout {
                method: method.to_owned(),
                after: patience,
                notices: self.inbox.notice_count() - notices,
                violations: self.inbox.violation_count() - violations,
            }),
        }
    }

    /// Any request, with what the lifecycle adds; for a dead server the error says how it ended.
    pub async fn request(
        &self,
        method: &str,
        params: Value,
        name: Option<&str>,
    ) -> Result<Box<RawValue>, CallError> {
        let params =
            if self.about.stateless { with_meta(params, &self.about.protocol) } else { params };
        match self.ask(method, params, name, self.patience.call).await {
            Err(error) => Err(self.explain(error).await),
            good => good,
        }
    }

    /// Adds how the process ended to an error that only knows that it did.
    async fn explain(&self, error: CallError) -> CallError {
        match (&error, &self.link) {
            (CallError::Died { .. } | CallError::Connection(_), Link::Stdio(stdio)) => {
                CallError::Died { how: stdio.how_it_ended().await }
            }
            _ => error,
        }
    }

    /// Every page of tools/list. What is wrong with single tools is among the violations.
    pub async fn tools(&self) -> Result<Vec<Tool>, CallError> {
        // Each page has its own time-out; all of them together have this one.
        let patience = self.patience.call * 5;
        let endless = |_| {
            Err(CallError::Violation(Violation::new(
                ViolationKind::EndlessPages,
                format!("no last page within {patience:?}"),
            )))
        };
        tokio::time::timeout(patience, self.pages()).await.unwrap_or_else(endless)
    }

    async fn pages(&self) -> Result<Vec<Tool>, CallError> {
        let mut collector = Collector::default();
        let mut cursor = None;
        loop {
            let params =
                cursor.map_or_else(|| json!({}), |cursor: String| json!({ "cursor": cursor }));
            let page = self.request("tools/list", params, None).await?;
            let next = collector.page(&page);
            std::mem::take(&mut collector.violations)
                .into_iter()
                .for_each(|violation| self.inbox.report(violation));
            match next {
                Ok(None) => return Ok(collector.tools),
                Ok(next) => cursor = next,
                Err(violation) => {
                    self.inbox.report(violation.clone());
                    return Err(CallError::Violation(violation));
                }
            }
        }
    }

    /// Calls a tool.
    pub async fn call(
        &self,
        tool: &str,
        args: &Map<String, Value>,
    ) -> Result<ToolAnswer, CallError> {
        let started = Instant::now();
        let raw = self
            .request("tools/call", json!({ "name": tool, "arguments": args }), Some(tool))
            .await?;
        let took = started.elapsed();
        let value = parse(&raw, "tools/call")?;
        let answered = value.get("content").is_some_and(Value::is_array)
            || value.get("structuredContent").is_some();
        if !answered {
            self.inbox.report(Violation::new(
                ViolationKind::BadResult,
                format!("tools/call of `{tool}`: no content"),
            ));
        }
        let is_error = value.get("isError").and_then(Value::as_bool).unwrap_or_default();
        Ok(ToolAnswer { raw, is_error, took })
    }

    /// What the server says of itself.
    pub const fn about(&self) -> &About {
        &self.about
    }

    /// The steps of connecting.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The violations seen so far.
    pub fn violations(&self) -> Vec<Violation> {
        self.inbox.violations()
    }

    /// The last notifications: progress, logging, changed lists.
    pub fn notices(&self) -> Vec<Notice> {
        self.inbox.notices()
    }

    /// Whether the server said that its tools changed, since this was asked last.
    pub fn take_tools_changed(&self) -> bool {
        self.inbox.take_tools_changed()
    }

    /// The last lines of its stderr; nothing over HTTP.
    pub async fn stderr(&self) -> Vec<String> {
        match &self.link {
            Link::Stdio(stdio) => stdio.stderr().await,
            Link::Http(_) => Vec::new(),
        }
    }

    /// Ends the connection and, with it, the whole process group.
    pub async fn close(self) {
        match &self.link {
            Link::Stdio(stdio) => stdio.close(self.patience.end).await,
            Link::Http(http) => http.close().await,
        }
    }
}

/// Whether the old handshake would fail in the same way.
fn is_final(error: &CallError) -> bool {
    matches!(error, CallError::Died { .. } | CallError::Connection(_))
        || matches!(error, CallError::Refused { code: Some(401 | 403), .. })
}

fn parse(raw: &RawValue, method: &str) -> Result<Value, CallError> {
    let value: Value = serde_json::from_str(raw.get()).unwrap_or_default();
    if value.is_object() {
        return Ok(value);
    }
    let detail = format!("{method}: {}", crate::frame::excerpt(raw.get().as_bytes()));
    Err(CallError::Violation(Violation::new(ViolationKind::BadResult, detail)))
}

fn about(result: &Value, info: Option<&Value>, protocol: &str, stateless: bool) -> About {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    About {
        name: text(info.and_then(|info| info.get("name"))),
        version: text(info.and_then(|info| info.get("version"))),
        protocol: protocol.to_owned(),
        stateless,
        capabilities: result.get("capabilities").cloned().unwrap_or_default(),
        instructions: text(result.get("instructions")),
    }
}

fn client_info() -> Value {
    json!({ "name": "mcptest", "version": env!("CARGO_PKG_VERSION") })
}

/// Version and capabilities travel with every request of the stateless revision.
fn with_meta(mut params: Value, version: &str) -> Value {
    if let Value::Object(entries) = &mut params {
        let meta = entries.entry("_meta").or_insert_with(|| json!({}));
        meta["io.modelcontextprotocol/protocolVersion"] = json!(version);
        meta["io.modelcontextprotocol/clientInfo"] = client_info();
        meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
    }
    params
}
