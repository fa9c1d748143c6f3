//! The tools of an OpenAI request as a surface.

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::read::{ReadError, Source, kind_of};

/// An entry of `tools`.
#[derive(Deserialize)]
struct Tool<'a> {
    #[serde(borrow)]
    function: Option<&'a RawValue>,
}

/// A function as the request has it.
#[derive(Deserialize)]
struct Function<'a> {
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    description: Option<&'a RawValue>,
    #[serde(borrow, alias = "inputSchema")]
    parameters: Option<&'a RawValue>,
}

/// A function as tools/list has it.
#[derive(Serialize)]
struct Entry<'a> {
    name: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a RawValue>,
    #[serde(rename = "inputSchema", skip_serializing_if = "Option::is_none")]
    input_schema: Option<&'a RawValue>,
}

/// Reads `tools` (or the older `functions`), a slice of the source. Entries that are no functions
/// and have no name, such as a provider's own web search, are left out: no call can name them.
pub(crate) fn read_tools<'a>(
    source: &Source<'a>,
    tools: &'a str,
) -> Result<Box<RawValue>, ReadError> {
    if !tools.starts_with('[') {
        let message = format!("expected an array of tools, found {}", kind_of(tools));
        return Err(source.error(tools, message));
    }
    let mut entries = Vec::new();
    for tool in source.json::<Vec<&'a RawValue>>(tools)? {
        let text = tool.get();
        if !text.starts_with('{') {
            let message = format!("expected a tool (an object), found {}", kind_of(text));
            return Err(source.error(text, message));
        }
        let function = source.json::<Tool<'a>>(text)?.function.map_or(text, RawValue::get);
        if !function.starts_with('{') {
            let message = format!("expected a function (an object), found {}", kind_of(function));
            return Err(source.error(function, message));
        }
        let function: Function<'a> = source.json(function)?;
        if let Some(name) = function.name {
            let (description, input_schema) = (function.description, function.parameters);
            entries.push(Entry { name, description, input_schema });
        }
    }
    to_raw_value(&entries).map_err(|error| source.json_error(tools, &error))
}
