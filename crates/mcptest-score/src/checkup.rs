//! What `mcptest doctor` finds out about one server: a value, rendered elsewhere.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::tokens::TokenCounter;

/// A context window to compare the catalog's price with.
pub const CONTEXT_TOKENS: u64 = 200_000;

/// One server, looked at.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Checkup {
    /// What it calls itself, or what the user calls it.
    pub server: ServerLine,
    /// The protocol that is spoken; null for a snapshot.
    pub protocol: Option<ProtocolLine>,
    /// How connecting went.
    pub steps: Vec<StepLine>,
    /// What it did wrong on the wire.
    pub violations: Vec<ViolationLine>,
    /// Its tools, with their price.
    pub tools: Vec<ToolLine>,
    /// The sums.
    pub totals: CheckupTotals,
}

/// Who it is.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ServerLine {
    /// The name in the suite, the command, the URL or the file.
    pub address: String,
    /// The name it gives itself.
    pub name: Option<String>,
    /// The version it gives itself.
    pub version: Option<String>,
    /// How it wants to be used.
    pub instructions: Option<String>,
}

/// What is spoken.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ProtocolLine {
    /// The revision.
    pub version: String,
    /// `handshake` or `stateless`.
    pub lifecycle: String,
    /// The capabilities as the server gave them.
    pub capabilities: Value,
}

/// A step of connecting.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct StepLine {
    /// What was done.
    pub step: String,
    /// What came of it.
    pub outcome: String,
    /// How long it took.
    pub duration_ms: f64,
}

/// A breach of the protocol.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ViolationLine {
    /// Stable word for the rule.
    pub kind: String,
    /// The rule and what was seen.
    pub message: String,
}

/// A tool and its price.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ToolLine {
    /// Its name.
    pub name: String,
    /// cl100k_base tokens of name, description and compact input schema.
    pub tokens: u64,
    /// Number of parameters.
    pub parameters: usize,
    /// How many of them are required.
    pub required: usize,
    /// The hints that are set, such as `read-only`.
    pub annotations: Vec<String>,
}

/// The sums of a catalog.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CheckupTotals {
    /// Number of tools.
    pub tools: usize,
    /// Their tokens.
    pub tokens: u64,
    /// Share of a 200k context, percent with two decimals.
    pub context_percent: f64,
}

/// The price list of a catalog, from its tools/list entries.
pub fn price(entries: &[Value], counter: &dyn TokenCounter) -> (Vec<ToolLine>, CheckupTotals) {
    let tools = entries.iter().map(|entry| tool_line(entry, counter)).collect::<Vec<_>>();
    let tokens = tools.iter().map(|tool| tool.tokens).sum::<u64>();
    let percent = (tokens as f64 * 1e4 / CONTEXT_TOKENS as f64).round() / 1e2;
    let totals = CheckupTotals { tools: tools.len(), tokens, context_percent: percent };
    (tools, totals)
}

fn tool_line(entry: &Value, counter: &dyn TokenCounter) -> ToolLine {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    let schema = entry.get("inputSchema");
    let compact = schema.map(Value::to_string);
    let parts = [text("name"), text("description"), compact.as_deref()];
    let size = |key: &str| {
        let part = schema.and_then(|schema| schema.get(key));
        part.map_or(0, |part| {
            part.as_object()
                .map_or_else(|| part.as_array().map_or(0, Vec::len), serde_json::Map::len)
        })
    };
    ToolLine {
        name: text("name").unwrap_or_default().to_owned(),
        tokens: parts.into_iter().flatten().map(|part| counter.count(part)).sum(),
        parameters: size("properties"),
        required: size("required"),
        annotations: annotations(entry),
    }
}

fn annotations(entry: &Value) -> Vec<String> {
    const HINTS: [(&str, &str, &str); 4] = [
        ("readOnlyHint", "read-only", "writes"),
        ("destructiveHint", "destructive", "not destructive"),
        ("idempotentHint", "idempotent", "not idempotent"),
        ("openWorldHint", "open world", "closed world"),
    ];
    let hint = |key: &str| entry.get("annotations")?.get(key)?.as_bool();
    HINTS
        .iter()
        .filter_map(|(key, yes, no)| Some(if hint(key)? { *yes } else { *no }.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    struct Letters;

    impl TokenCounter for Letters {
        fn count(&self, text: &str) -> u64 {
            text.len() as u64
        }
    }

    #[test]
    fn a_tool_costs_its_name_description_and_compact_schema() {
        let entry = json!({
            "name": "abc", "description": "defg", "inputSchema": {"properties": {"x": {}}, "required": ["x"]},
            "annotations": {"readOnlyHint": true, "openWorldHint": false, "title": "T"},
        });
        let (tools, totals) = price(&[entry], &Letters);
        // 3 + 4 + the 41 bytes of {"properties":{"x":{}},"required":["x"]}
        assert_eq!(tools[0].tokens, 3 + 4 + 40);
        assert_eq!((tools[0].parameters, tools[0].required), (1, 1));
        assert_eq!(tools[0].annotations, ["read-only", "closed world"]);
        assert_eq!(totals.context_percent, 0.02);
    }
}
