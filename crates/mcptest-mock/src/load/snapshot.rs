//! Reading a saved `tools/list`, whose entries are served exactly as they are.

use mcptest_suite::tree::Node;
use serde_json::{Value, json};

use super::{File, Findings};
use crate::lifecycle::Identity;
use crate::mock::Parts;
use crate::tool::Tool;
use crate::validate::Schema;

/// Builds a server whose tools answer with their name and arguments. What is odd about an entry is
/// a warning: the saved server may have been wrong, and is to be served as it was.
pub fn build(found: &mut Findings<'_>, file: &File, (list, values): (&Node, &Value)) -> Parts {
    let mut parts = Parts { identity: identity(&file.value), ..Parts::default() };
    for (at, (node, entry)) in
        list.items().iter().zip(values.as_array().into_iter().flatten()).enumerate()
    {
        if let Some(tool) = tool(found, node, entry, at) {
            parts.tools.entry(tool.name.clone()).or_insert(tool);
        }
        parts.entries.push(entry.clone());
    }
    parts
}

fn identity(value: &Value) -> Identity {
    let place = |key: &str| value.get(key).or_else(|| value.get("result")?.get(key));
    let mut info =
        place("serverInfo").filter(|info| info.is_object()).cloned().unwrap_or_else(|| json!({}));
    if !info["name"].is_string() {
        info["name"] = "mock".into();
    }
    if !info["version"].is_string() {
        info["version"] = "1.0.0".into();
    }
    let instructions = place("instructions").and_then(Value::as_str).map(str::to_owned);
    Identity { info, instructions }
}

fn tool(found: &mut Findings<'_>, node: &Node, entry: &Value, at: usize) -> Option<Tool> {
    if !entry.is_object() {
        let message = format!("tool {} must be a mapping, found {}", at + 1, node.describe());
        found.error("wrong-type", node.span, message);
        return None;
    }
    let Some(name) = entry.get("name").and_then(Value::as_str) else {
        let message = format!("tool {} has no name and cannot be called", at + 1);
        found.warning("missing-key", super::place(node, "name"), message);
        return None;
    };
    let mut tool = Tool { name: name.to_owned(), ..Tool::default() };
    match entry.get("inputSchema") {
        None => {
            let message = format!("`{name}` has no inputSchema: its arguments are not checked");
            found.warning("missing-key", super::place(node, "name"), message);
        }
        Some(schema) => match Schema::new(schema) {
            Ok(schema) => tool.input = Some(schema),
            Err(why) => {
                let message = format!("the inputSchema of `{name}` is no JSON Schema: {why}");
                found.warning("invalid-schema", super::place(node, "inputSchema"), message).help =
                    Some("its arguments are not checked".to_owned());
            }
        },
    }
    Some(tool)
}
