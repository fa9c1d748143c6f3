//! Resources and templates of resources: listing and reading.

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use crate::manifest::{ResourceSpec, TemplateSpec};
use crate::template;

/// What a server offers for reading.
#[derive(Debug, Default)]
pub struct Resources {
    /// Entries of `resources/list`.
    pub entries: Vec<Value>,
    /// Entries of `resources/templates/list`.
    pub template_entries: Vec<Value>,
    contents: IndexMap<String, Map<String, Value>>,
    templates: Vec<Template>,
}

#[derive(Debug)]
struct Template {
    parts: Vec<Part>,
    contents: Map<String, Value>,
}

/// A part of a URI template.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(String),
    /// `{x}`: anything up to the next slash.
    Segment(String),
    /// `{+x}`: anything.
    Path(String),
}

impl Resources {
    /// Whether there is nothing to list.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.template_entries.is_empty()
    }

    /// Adds a resource; `entry` is what the manifest says of it.
    pub fn add(&mut self, spec: &ResourceSpec, entry: &Value) {
        self.entries.push(without_contents(entry));
        let contents = contents(spec.mime_type.as_ref(), spec.text.as_ref(), spec.blob.as_ref());
        self.contents.entry(spec.uri.clone()).or_insert(contents);
    }

    /// Adds a template; `entry` is what the manifest says of it.
    pub fn add_template(&mut self, spec: &TemplateSpec, entry: &Value) {
        self.template_entries.push(without_contents(entry));
        if let Some(parts) = parts(&spec.uri_template)
            && (spec.text.is_some() || spec.blob.is_some())
        {
            let contents =
                contents(spec.mime_type.as_ref(), spec.text.as_ref(), spec.blob.as_ref());
            self.templates.push(Template { parts, contents });
        }
    }

    /// The result of `resources/read`; nothing where no such resource is.
    pub fn read(&self, uri: &str) -> Option<Map<String, Value>> {
        let rest = match self.contents.get(uri) {
            Some(contents) => contents.clone(),
            None => self.templates.iter().find_map(|template| {
                let variables = variables(&template.parts, uri)?;
                Some(template::render_map(&template.contents, &Value::Object(variables)))
            })?,
        };
        let mut contents = Map::new();
        contents.insert("uri".to_owned(), uri.into());
        contents.extend(rest);
        let mut result = Map::new();
        result.insert("contents".to_owned(), json!([contents]));
        Some(result)
    }
}

fn contents(
    mime_type: Option<&String>,
    text: Option<&String>,
    blob: Option<&String>,
) -> Map<String, Value> {
    let mut contents = Map::new();
    if let Some(mime_type) = mime_type {
        contents.insert("mimeType".to_owned(), mime_type.as_str().into());
    }
    match (text, blob) {
        (_, Some(blob)) => contents.insert("blob".to_owned(), blob.as_str().into()),
        (text, None) => contents.insert("text".to_owned(), text.map_or("", String::as_str).into()),
    };
    contents
}

fn without_contents(entry: &Value) -> Value {
    let mut entry = entry.clone();
    if let Value::Object(map) = &mut entry {
        map.retain(|key, _| key != "text" && key != "blob");
    }
    entry
}

/// Reads a URI template; nothing where it uses more than `{x}` and `{+x}`.
fn parts(template: &str) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some((literal, after)) = rest.split_once('{') {
        if !literal.is_empty() {
            parts.push(Part::Literal(literal.to_owned()));
        }
        let (name, after) = after.split_once('}')?;
        let (name, whole) = name.strip_prefix('+').map_or((name, false), |name| (name, true));
        let plain = !name.is_empty()
            && name.chars().all(|letter| letter.is_alphanumeric() || "_.-".contains(letter));
        if !plain {
            return None;
        }
        let name = name.to_owned();
        parts.push(if whole { Part::Path(name) } else { Part::Segment(name) });
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(Part::Literal(rest.to_owned()));
    }
    Some(parts)
}

/// The template's variables in a URI that follows it; each takes as little as it can.
fn variables(parts: &[Part], uri: &str) -> Option<Map<String, Value>> {
    match parts {
        [] => uri.is_empty().then(Map::new),
        [Part::Literal(literal), rest @ ..] => variables(rest, uri.strip_prefix(literal.as_str())?),
        [Part::Segment(name) | Part::Path(name), rest @ ..] => {
            let whole = matches!(parts[0], Part::Path(_));
            let ends = uri.char_indices().map(|(at, letter)| (at + letter.len_utf8(), letter));
            for (end, letter) in ends {
                if letter == '/' && !whole {
                    return None;
                }
                // Without a literal to stop at, the last variable takes the rest.
                if let Some(found) = variables(rest, &uri[end..]) {
                    let mut all = Map::new();
                    all.insert(name.clone(), uri[..end].into());
                    all.extend(found);
                    return Some(all);
                }
            }
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(template: &str, uri: &str) -> Option<Value> {
        variables(&parts(template)?, uri).map(Value::Object)
    }

    #[test]
    fn a_template_is_matched() {
        assert_eq!(found("test://{id}/data", "test://123/data"), Some(json!({"id": "123"})));
        assert_eq!(found("test://{id}/data", "test://1/2/data"), None);
        assert_eq!(found("f:///{+path}", "f:///a/b.txt"), Some(json!({"path": "a/b.txt"})));
        assert_eq!(found("x:{a}-{b}", "x:1-2-3"), Some(json!({"a": "1", "b": "2-3"})));
        assert_eq!(found("x:{a}", "x:"), None);
        assert_eq!(found("x:{?q}", "x:?q=1"), None);
        assert_eq!(found("x:{a", "x:1"), None);
    }
}
