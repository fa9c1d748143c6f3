//! The tools a model was shown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// One tool of the surface: the tools/list entry plus where it comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SurfaceTool {
    /// The tool's name.
    pub name: String,
    /// The tool's description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The tool's input schema, key order as received.
    #[serde(default, rename = "inputSchema", skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<Value>,
    /// The server that offers it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Whether it was injected as bait.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub distractor: bool,
    /// Everything else the server said of it.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Reads the surface of a trace.
///
/// Servers are odd, and their oddities are for the quality rules to judge: a description, a
/// server or a distractor mark of the wrong type counts as absent. A tool without a name cannot be
/// spoken of, so that is an error, which says which tool it is, counted from 0.
pub fn parse_surface(raw: &RawValue) -> Result<Vec<SurfaceTool>, String> {
    let value: Value = serde_json::from_str(raw.get()).map_err(|error| error.to_string())?;
    let Value::Array(tools) = value else {
        return Err("expected the surface to be an array of tools".to_owned());
    };
    tools.into_iter().enumerate().map(|(index, tool)| parse_tool(index, tool)).collect()
}

fn parse_tool(index: usize, tool: Value) -> Result<SurfaceTool, String> {
    let Value::Object(mut rest) = tool else {
        return Err(format!("expected tool {index} of the surface to be an object"));
    };
    // `shift_remove` keeps the order of the keys that are left.
    let Some(Value::String(name)) = rest.shift_remove("name") else {
        return Err(format!("expected tool {index} of the surface to have a string `name`"));
    };
    let mut text = |key: &str| match rest.shift_remove(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    let (description, server) = (text("description"), text("server"));
    let distractor = rest.shift_remove("distractor") == Some(Value::Bool(true));
    let input_schema = rest.shift_remove("inputSchema").filter(|schema| !schema.is_null());
    Ok(SurfaceTool { name, description, input_schema, server, distractor, rest })
}
