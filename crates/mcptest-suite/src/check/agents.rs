//! Agents and tests: references, models, runs, and which keys go together.

use super::servers::{forbid, reference, server_reference, unique_names};
use super::{Check, assertions, gates, name_free};
use crate::diagnostic::Diagnostic;
use crate::models::{self, Resolved};
use crate::tree::{Kind, Node};

/// Checks `agents:` and `tests:`.
pub fn check(check: &mut Check<'_>) {
    let root = check.root;
    let both =
        root.list("agents").iter().chain(root.list("tests")).chain(root.list("tool_quality"));
    let named = both.cloned().collect::<Vec<_>>();
    unique_names(check, &named, "test");
    let broken = check.findings.diagnostics.iter().any(Diagnostic::is_error);
    let empty = named.is_empty() && check.names_of("servers").is_empty();
    if empty && check.whole() && !broken {
        check
            .warning(
                "nothing-to-run",
                root.span,
                "the suite has no agents, tests or tool_quality checks",
            )
            .help = Some("add `agents:`, `tests:` or `tool_quality:`".to_owned());
    }
    for agent in root.list("agents") {
        setup(check, agent);
        agent_alone(check, agent);
        gates::check(check, agent, None);
        assertions::of_runs(check, agent);
        name_free::check(check, agent, None);
    }
    for test in root.list("tests") {
        match test.text_at("type") {
            Some("tool") => tool_test(check, test),
            Some("agent") => agent_test(check, test),
            _ => {}
        }
    }
}

/// What an `agents:` entry must have by itself.
fn agent_alone(check: &mut Check<'_>, agent: &Node) {
    let Some(name) = agent.get("name") else { return };
    if !check.whole() {
        return;
    }
    if agent.get("prompt").is_none() {
        if let Some(entry) =
            agent.entries().iter().find(|entry| gates::is_gate(&entry.key) || entry.key == "expect")
        {
            let message = format!("`{}` is never evaluated: this agent has no prompt", entry.key);
            check.error("missing-key", entry.key_span, message).help =
                Some("give the agent a `prompt`, or move the block to the test that uses it: gates are not inherited".to_owned());
        }
        return;
    }
    needs_model(check, agent, None, name);
    asserts_something(check, agent, name);
}

/// A test that checks nothing can only pass without evidence.
fn asserts_something(check: &mut Check<'_>, test: &Node, name: &Node) {
    let asserts = test.entries().iter().any(|entry| {
        gates::is_gate(&entry.key) || (entry.key == "expect" && !entry.value.items().is_empty())
    });
    if !asserts {
        check
            .warning(
                "asserts-nothing",
                name.span,
                "this test has no gates and no `expect`: its runs are shown, not judged",
            )
            .help = Some("add a gate such as `equal_function_sets`, or `expect`".to_owned());
    }
}

fn needs_model(check: &mut Check<'_>, node: &Node, base: Option<&Node>, name: &Node) {
    let has =
        |key: &str| node.get(key).is_some() || base.is_some_and(|base| base.get(key).is_some());
    if !(has("model") || has("models") || has("command")) {
        check
            .error("missing-key", name.span, "this agent has no `model`, `models` or `command`")
            .help = Some("for a free, offline baseline write `model: builtin/lexical`".to_owned());
    }
    if !has("servers") {
        check
            .warning("no-servers", name.span, "this agent has no `servers`: it will see no tools")
            .help = Some("add `servers: [NAME]`".to_owned());
    }
}

/// Keys shared by agents and agent tests.
fn setup(check: &mut Check<'_>, node: &Node) {
    if let (Some(_), Some(models)) = (node.entry("model"), node.entry("models")) {
        check
            .error("impossible-value", models.key_span, "`model` and `models` stand side by side")
            .help = Some("keep `models` for a matrix, `model` for one".to_owned());
    }
    if let (Some(models), Some(command)) = (node.entry("model"), node.entry("command")) {
        let at = models.key_span.max(command.key_span);
        check.error("impossible-value", at, "`model` and `command` stand side by side").help = Some(
            "an agent is either a model that mcptest drives or a program of its own".to_owned(),
        );
    }
    for model in node.get("model").into_iter().chain(node.list("models")) {
        model_reference(check, model);
    }
    if let Some(models) = node.entry("models")
        && models.value.items().is_empty()
    {
        check.error("impossible-value", models.key_span, "`models` is empty").label =
            Some("name at least one model".to_owned());
    }
    for server in node.list("servers") {
        server_reference(check, server);
    }
    let faults = check.named_items("faults");
    for fault in node.list("inject") {
        reference(check, fault, "fault", "faults", &faults);
    }
    if let Some(runs) = node.get("runs")
        && matches!(runs.kind, Kind::Number(_))
        && runs.number().is_some_and(|runs| runs < 1.0)
    {
        check
            .warning(
                "runs-below-one",
                runs.span,
                format!("`runs: {}` is taken as 1", runs.to_json()),
            )
            .label = Some("a test runs at least once".to_owned());
    }
}

fn model_reference(check: &mut Check<'_>, model: &Node) {
    let Some(name) = model.text().filter(|_| check.whole()) else { return };
    let providers = check.names_of("providers");
    if let Resolved::Unknown { help } = models::resolve(name, &providers) {
        let found = check.error(
            "dangling-reference",
            model.span,
            format!("`{name}` belongs to no known provider"),
        );
        found.label = Some("cannot tell which API serves this model".to_owned());
        found.help = Some(help);
    }
}

fn agent_test(check: &mut Check<'_>, test: &Node) {
    forbid(
        check,
        test,
        &["server", "tool", "args"],
        "goes with `type: tool`, and this is an agent test",
    );
    let agents = check.named_items("agents");
    if let Some(agent) = test.get("agent") {
        reference(check, agent, "agent", "agents", &agents);
    }
    let root = check.root;
    let base = test.text_at("agent").and_then(|name| {
        root.list("agents").iter().find(|agent| agent.text_at("name") == Some(name))
    });
    setup(check, test);
    gates::check(check, test, base);
    assertions::of_runs(check, test);
    name_free::check(check, test, base);
    let Some(name) = test.get("name").filter(|_| check.whole()) else { return };
    let dangling = test.get("agent").is_some() && base.is_none();
    if dangling {
        return;
    }
    if test.get("prompt").is_none() && base.is_none_or(|base| base.get("prompt").is_none()) {
        check.error("missing-key", name.span, "this test has no prompt").help =
            Some("add `prompt:` to the test or to its agent".to_owned());
    }
    needs_model(check, test, base, name);
    asserts_something(check, test, name);
}

/// Keys that only an agent test has.
const AGENT_KEYS: &[&str] = &[
    "agent",
    "model",
    "models",
    "command",
    "servers",
    "runs",
    "prompt",
    "system_prompt",
    "params",
    "max_turns",
    "max_tool_calls",
    "token_budget",
    "time_budget",
    "inject",
    "discovery",
];

fn tool_test(check: &mut Check<'_>, test: &Node) {
    let because = "goes with `type: agent`, and this is a tool test";
    forbid(check, test, AGENT_KEYS, because);
    for entry in test.entries() {
        if gates::is_gate(&entry.key) {
            check.misplaced(entry, because);
        }
    }
    let at = test.get("name").map_or(test.span, |name| name.span);
    for key in ["server", "tool"] {
        if test.get(key).is_none() {
            check.error("missing-key", at, format!("a tool test needs `{key}`")).help =
                Some(format!("add `{key}: NAME`"));
        }
    }
    if let Some(server) = test.get("server") {
        server_reference(check, server);
    }
    assertions::of_tool_test(check, test);
}
