//! Looking at a server as an agent sees it.

use mcptest_mcp::{Address, Lifecycle, Patience, Server, StartError, Tool};
use mcptest_score::checkup::{self, Checkup, ProtocolLine, ServerLine, StepLine, ViolationLine};
use mcptest_score::tokens::Cl100k;
use serde_json::{Value, json};

/// A checkup and the tools/list entries it saw, for `--save`.
#[derive(Debug)]
pub struct Seen {
    /// What was found.
    pub checkup: Checkup,
    /// The entries as received.
    pub tools: Vec<Value>,
    /// Why the tools could not be listed; there is no catalog then.
    pub list_error: Option<String>,
    /// The snapshot's `capabilities` and `protocolVersion`.
    capabilities: Value,
}

impl Seen {
    /// A snapshot that `mock --tools-from` serves.
    pub fn snapshot(&self) -> Value {
        let server = &self.checkup.server;
        json!({
            "protocolVersion": self.checkup.protocol.as_ref().map(|protocol| protocol.version.as_str()),
            "serverInfo": {
                "name": server.name.as_deref().unwrap_or(&server.address),
                "version": server.version.as_deref().unwrap_or("unknown"),
            },
            "capabilities": self.capabilities,
            "tools": self.tools,
        })
    }
}

/// Connects, lists every tool, disconnects. Violations are part of the report, not errors.
pub async fn examine(
    name: &str,
    address: &Address,
    patience: Patience,
) -> Result<Seen, StartError> {
    let server = Server::connect(address, Lifecycle::Auto, patience).await?;
    let started = std::time::Instant::now();
    let listed = server.tools().await;
    let took = started.elapsed();
    let mut steps = server
        .steps()
        .iter()
        .map(|step| line(step.name, &step.outcome, step.took))
        .collect::<Vec<_>>();
    let list_error = listed.as_ref().err().map(ToString::to_string);
    let outcome = match &listed {
        Ok(tools) => format!("{} tools", tools.len()),
        Err(error) => format!("failed: {error}"),
    };
    let tools = listed.unwrap_or_default();
    steps.push(line("tools/list", &outcome, took));
    let about = server.about().clone();
    let violations = server.violations();
    server.close().await;
    let entries = tools.iter().map(Tool::value).collect::<Vec<_>>();
    let (tools, totals) = checkup::price(&entries, &Cl100k);
    let checkup = Checkup {
        server: ServerLine {
            address: name.to_owned(),
            name: about.name,
            version: about.version,
            instructions: about.instructions,
        },
        protocol: Some(ProtocolLine {
            version: about.protocol,
            lifecycle: if about.stateless { "stateless" } else { "handshake" }.to_owned(),
            capabilities: about.capabilities.clone(),
        }),
        steps,
        violations: violations
            .iter()
            .map(|violation| ViolationLine {
                kind: serde_json::to_value(violation.kind)
                    .ok()
                    .and_then(|kind| kind.as_str().map(str::to_owned))
                    .unwrap_or_default(),
                message: violation.to_string(),
            })
            .collect(),
        tools,
        totals,
    };
    Ok(Seen { checkup, tools: entries, list_error, capabilities: about.capabilities })
}

fn line(step: &str, outcome: &str, took: std::time::Duration) -> StepLine {
    let duration_ms = (took.as_secs_f64() * 1e4).round() / 10.0;
    StepLine { step: step.to_owned(), outcome: outcome.to_owned(), duration_ms }
}

/// Looks at a saved snapshot; the error says why it is none.
pub fn examine_snapshot(name: &str, text: &str) -> Result<Seen, String> {
    let document: Value = serde_json::from_str(text)
        .map_err(|error| format!("{name}:{}:{}: {error}", error.line(), error.column()))?;
    let tools = document.get("tools").unwrap_or(&document).as_array();
    let entries = tools
        .ok_or_else(|| format!("{name}: expected an object with `tools`, or a list of tools"))?
        .clone();
    let info = document.get("serverInfo");
    let field =
        |key: &str| info.and_then(|info| info.get(key)).and_then(Value::as_str).map(str::to_owned);
    let (lines, totals) = checkup::price(&entries, &Cl100k);
    let checkup = Checkup {
        server: ServerLine {
            address: name.to_owned(),
            name: field("name"),
            version: field("version"),
            instructions: None,
        },
        protocol: None,
        steps: Vec::new(),
        violations: Vec::new(),
        tools: lines,
        totals,
    };
    let capabilities = document.get("capabilities").cloned().unwrap_or_default();
    Ok(Seen { checkup, tools: entries, list_error: None, capabilities })
}
