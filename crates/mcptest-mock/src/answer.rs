//! The answers of a tool: which one a call gets, and what it says.

use serde_json::{Map, Value, json};

use crate::manifest::Response;
use crate::template;

/// A result with placeholders.
#[derive(Debug, Clone)]
pub struct Answer {
    result: Map<String, Value>,
    dynamic: bool,
}

impl Answer {
    /// From a manifest's `response` or `error`; the checks see to it that one is there.
    pub fn new(response: Option<&Response>, error: Option<&str>) -> Self {
        let result = match (response, error) {
            (_, Some(text)) => text_result(text, true),
            (Some(Response::Text(text)), None) => text_result(text, false),
            (Some(Response::Result(spec)), None) => {
                let mut result = Map::new();
                if let Some(content) = &spec.content {
                    result.insert("content".to_owned(), json!(content));
                }
                if let Some(structured) = &spec.structured_content {
                    result.insert("structuredContent".to_owned(), structured.clone());
                }
                if let Some(is_error) = spec.is_error {
                    result.insert("isError".to_owned(), is_error.into());
                }
                result.extend(spec.rest.clone());
                result
            }
            (None, None) => Map::new(),
        };
        let dynamic = result.values().any(template::is_dynamic);
        Self { result, dynamic }
    }

    /// Whether the answer depends on the call's arguments.
    pub fn is_dynamic(&self) -> bool {
        self.dynamic
    }

    /// The answer's structured content, placeholders and all.
    pub fn structured(&self) -> Option<&Value> {
        self.result.get("structuredContent")
    }

    /// Whether it is a tool error.
    pub fn is_error(&self) -> bool {
        self.result.get("isError").is_some_and(|flag| flag == true)
    }

    /// The result for these arguments, with a content.
    pub fn render(&self, arguments: &Value) -> Map<String, Value> {
        let result = if self.dynamic {
            template::render_map(&self.result, arguments)
        } else {
            self.result.clone()
        };
        with_content(result)
    }
}

/// Adds the content where it is missing: the text of the structured content, as the specification
/// advises for clients that know no structured content, else none. A result that asks for more
/// input is no content yet.
fn with_content(result: Map<String, Value>) -> Map<String, Value> {
    let incomplete = result.get("resultType").is_some_and(|kind| kind != "complete");
    if result.contains_key("content") || incomplete {
        return result;
    }
    let content = match result.get("structuredContent") {
        Some(structured) => json!([{ "type": "text", "text": structured.to_string() }]),
        None => json!([]),
    };
    let mut whole = Map::new();
    whole.insert("content".to_owned(), content);
    whole.extend(result);
    whole
}

/// A result that is one text.
pub fn text_result(text: &str, is_error: bool) -> Map<String, Value> {
    let mut result = Map::new();
    result.insert("content".to_owned(), json!([{ "type": "text", "text": text }]));
    if is_error {
        result.insert("isError".to_owned(), true.into());
    }
    result
}

/// Whether `value` holds everything of `pattern`: mappings may hold more, lists and scalars are
/// compared whole, numbers by value.
pub fn matches(pattern: &Value, value: &Value) -> bool {
    match (pattern, value) {
        (Value::Object(pattern), Value::Object(value)) => pattern
            .iter()
            .all(|(key, pattern)| value.get(key).is_some_and(|value| matches(pattern, value))),
        (Value::Array(pattern), Value::Array(value)) => {
            pattern.len() == value.len()
                && pattern.iter().zip(value).all(|(pattern, value)| matches(pattern, value))
        }
        (Value::Number(pattern), Value::Number(value)) => {
            pattern == value || pattern.as_f64() == value.as_f64()
        }
        _ => pattern == value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_arguments_is_enough() {
        let value = json!({"a": 1, "b": {"c": [1, {"d": 2, "e": 3}]}, "f": null});
        for part in [
            json!({}),
            json!({"a": 1.0}),
            json!({"b": {}}),
            json!({"b": {"c": [1, {"d": 2}]}}),
            json!({"f": null}),
        ] {
            assert!(matches(&part, &value), "{part}");
        }
        for other in [
            json!({"a": "1"}),
            json!({"x": null}),
            json!({"b": {"c": [1]}}),
            json!({"b": {"c": [{"d": 2}, 1]}}),
        ] {
            assert!(!matches(&other, &value), "{other}");
        }
    }

    #[test]
    fn structured_content_is_told_as_text_too() {
        let spec = serde_json::from_value(json!({"structuredContent": {"n": "${args.n}"}}));
        let answer = Answer::new(Some(&Response::Result(spec.unwrap())), None);
        assert_eq!(
            json!(answer.render(&json!({"n": 3}))).to_string(),
            r#"{"content":[{"type":"text","text":"{\"n\":3}"}],"structuredContent":{"n":3}}"#
        );
    }
}
