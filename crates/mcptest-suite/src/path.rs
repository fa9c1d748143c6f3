//! Paths into JSON: `content[0].text`, `a["odd key"].b`.

use std::fmt;

use serde_json::Value;

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// An entry of an object.
    Key(String),
    /// An item of a list.
    Index(usize),
}

/// Why a path cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathError(String);

impl fmt::Display for PathError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for PathError {}

/// Reads a path; keys with dots or brackets stand in `["…"]`.
pub fn parse(path: &str) -> Result<Vec<Step>, PathError> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let (step, after) = bracket(inner, path)?;
            steps.push(step);
            rest = after;
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            if end == 0 {
                return Err(PathError(format!("`{path}` has an empty step")));
            }
            steps.push(Step::Key(rest[..end].to_owned()));
            rest = &rest[end..];
        }
        if let Some(after) = rest.strip_prefix('.') {
            if after.is_empty() || after.starts_with(['.', '[']) {
                return Err(PathError(format!("`{path}` has an empty step")));
            }
            rest = after;
        }
    }
    if steps.is_empty() {
        return Err(PathError("the path is empty".to_owned()));
    }
    Ok(steps)
}

/// What follows a `[`: a number, or a key in double quotes.
fn bracket<'a>(inner: &'a str, path: &str) -> Result<(Step, &'a str), PathError> {
    if let Some(quoted) = inner.strip_prefix('"') {
        let (key, after) = quoted
            .split_once("\"]")
            .ok_or_else(|| PathError(format!("`{path}` lacks a closing `\"]`")))?;
        return Ok((Step::Key(key.to_owned()), after));
    }
    let (index, after) =
        inner.split_once(']').ok_or_else(|| PathError(format!("`{path}` lacks a closing `]`")))?;
    let index = index
        .parse()
        .map_err(|_| PathError(format!("`{index}` in `{path}` is no list position")))?;
    Ok((Step::Index(index), after))
}

/// Follows the steps; the error says how far they lead.
pub fn follow<'a>(value: &'a Value, steps: &[Step]) -> Result<&'a Value, String> {
    let mut here = value;
    for step in steps {
        here = match step {
            Step::Key(key) => here.get(key).ok_or_else(|| match here {
                Value::Object(_) => format!("there is no `{key}`"),
                other => format!("`{key}` was looked up in {}", kind(other)),
            })?,
            Step::Index(index) => here.get(index).ok_or_else(|| match here {
                Value::Array(items) => {
                    format!("there is no item {index}: the list has {}", items.len())
                }
                other => format!("item {index} was looked up in {}", kind(other)),
            })?,
        };
    }
    Ok(here)
}

/// The kind of a JSON value, in words.
pub const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_lead_through_objects_and_lists() {
        let value = json!({"content": [{"text": "hi"}], "a.b": {"c": 1}});
        let at = |path: &str| follow(&value, &parse(path).unwrap()).cloned();
        assert_eq!(at("content[0].text"), Ok(json!("hi")));
        assert_eq!(at("[\"a.b\"].c"), Ok(json!(1)));
        assert_eq!(at("content[2].text").unwrap_err(), "there is no item 2: the list has 1");
        assert_eq!(at("content.text").unwrap_err(), "`text` was looked up in a list");
        assert_eq!(at("nope").unwrap_err(), "there is no `nope`");
    }

    #[test]
    fn broken_paths_are_refused() {
        for bad in ["", ".", "a..b", "a.", ".a", "a[", "a[x]", "a[\"b]", "a.[0]"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
