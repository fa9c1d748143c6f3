//! Shape: unknown and repeated keys, missing keys, wrong types, impossible values.
//!
//! The JSON Schema that is generated from the types is walked beside the tree, so types, schema and
//! checks cannot drift apart. Only the keywords that the generator emits are understood.

use std::collections::HashMap;

use regex::Regex;
use serde_json::{Map, Value};

use super::Check;
use crate::diagnostic::Span;
use crate::schema;
use crate::suggest;
use crate::tree::{Kind, Node};

/// Walks the whole file.
pub fn check(check: &mut Check<'_>) {
    let root = check.root;
    if matches!(root.kind, Kind::Null) {
        let end = check.source.text.len();
        check.error("empty-file", Span::new(end, end), "the suite is empty").help =
            Some("start with `servers:` and `agents:`".to_owned());
        return;
    }
    walk(check, schema::suite(), "a suite");
}

/// Walks the tree beside `schema`; messages about the whole of it call it `name`.
pub fn walk(check: &mut Check<'_>, schema: &'static Value, name: &'static str) {
    let root = check.root;
    let mut walk = Walk { check, schema, name, path: String::new() };
    walk.node(root, schema, root.span);
}

struct Walk<'c, 'a> {
    check: &'c mut Check<'a>,
    schema: &'static Value,
    name: &'static str,
    path: String,
}

impl Walk<'_, '_> {
    /// Checks a node; `at` is where a missing or empty value is reported.
    fn node(&mut self, node: &Node, schema: &'static Value, at: Span) {
        let Some(schema) = self.resolve(schema) else { return };
        if enumeration(schema).is_none()
            && let Some(branches) = branches(schema)
        {
            self.union(node, branches, at);
            return;
        }
        let span = if node.span.end > node.span.start { node.span } else { at };
        if !self.kind_fits(node, schema) {
            self.wrong_kind(node, schema, span);
            return;
        }
        self.value(node, schema, span);
        match &node.kind {
            Kind::List(items) => self.list(items, schema, span),
            Kind::Map(_) => self.map(node, schema, span),
            _ => {}
        }
    }

    /// Follows a reference; nothing for a schema that allows anything.
    fn resolve(&self, schema: &'static Value) -> Option<&'static Map<String, Value>> {
        let schema = schema.as_object()?;
        match schema.get("$ref").and_then(Value::as_str) {
            Some(pointer) => self.resolve(self.schema.pointer(pointer.strip_prefix('#')?)?),
            None => Some(schema),
        }
    }

    /// Takes the branch that fits: by kind, then by the required keys that are there.
    fn union(&mut self, node: &Node, branches: &'static [Value], at: Span) {
        let score = |branch: &'static Value| {
            let schema = self.resolve(branch)?;
            let fits = self.kind_fits(node, schema);
            let required = required(schema).filter(|key| node.get(key).is_some()).count();
            fits.then_some(required)
        };
        let mut best: Option<(&'static Value, usize)> = None;
        for branch in branches {
            if let Some(score) = score(branch)
                && best.is_none_or(|(_, other)| score > other)
            {
                best = Some((branch, score));
            }
        }
        match best {
            Some((branch, _)) => self.node(node, branch, at),
            None => self.no_branch(node, branches, at),
        }
    }

    fn no_branch(&mut self, node: &Node, branches: &'static [Value], at: Span) {
        let mut kinds = branches
            .iter()
            .filter_map(|branch| self.resolve(branch))
            .map(expected_kind)
            .collect::<Vec<_>>();
        kinds.dedup();
        let span = if node.span.end > node.span.start { node.span } else { at };
        self.report_kind(node, &kinds.join(" or "), span);
    }

    fn kind_fits(&self, node: &Node, schema: &Map<String, Value>) -> bool {
        let names = match schema.get("type") {
            Some(Value::String(name)) => vec![name.as_str()],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ if enumeration(schema).is_some() => vec!["string"],
            _ => return true,
        };
        names.into_iter().any(|name| match (&node.kind, name) {
            (Kind::Null, "null")
            | (Kind::Bool(_), "boolean")
            | (Kind::Number(_), "number")
            | (Kind::Text(_), "string")
            | (Kind::List(_), "array")
            | (Kind::Map(_), "object") => true,
            (Kind::Number(number), "integer") => number.is_i64() || number.is_u64(),
            _ => false,
        })
    }

    fn wrong_kind(&mut self, node: &Node, schema: &Map<String, Value>, span: Span) {
        let expected = expected_kind(schema);
        self.report_kind(node, &expected, span);
    }

    fn report_kind(&mut self, node: &Node, expected: &str, span: Span) {
        let help = match (&node.kind, expected) {
            (Kind::Number(_) | Kind::Bool(_), "a text") => Some("put it in quotes".to_owned()),
            (Kind::Text(text), "a list") => {
                Some(format!("write it as a list: [\"{}\"]", crate::tree::shorten(text)))
            }
            (Kind::Text(text), "a mapping") => comparison_as_text(text),
            (Kind::Null, _) => Some("give it a value, or remove the key".to_owned()),
            _ => None,
        };
        let message = format!("{} must be {expected}, found {}", self.here(), node.describe());
        let found = self.check.error("wrong-type", span, message);
        found.label = Some(format!("expected {expected}"));
        found.help = help;
    }

    /// Enumerations, bounds and patterns.
    fn value(&mut self, node: &Node, schema: &Map<String, Value>, span: Span) {
        if let (Some(allowed), Some(text)) = (enumeration(schema), node.text())
            && !allowed.contains(&text)
        {
            let message = format!("`{text}` is not a value of {}", self.here());
            let found = self.check.error("unknown-value", span, message);
            found.label = Some(format!("expected {}", suggest::list(&allowed)));
            found.help = suggest::nearest(text, allowed.iter().copied())
                .map(|near| format!("did you mean `{near}`?"));
        }
        let least = schema.get("minLength").and_then(Value::as_u64).unwrap_or_default();
        if node.text().is_some_and(|text| (text.trim().chars().count() as u64) < least) {
            let message = format!("{} is empty", self.here());
            self.check.error("impossible-value", span, message).label =
                Some("expected a name".to_owned());
        }
        if let Some(number) = node.number() {
            let low = schema.get("minimum").and_then(Value::as_f64);
            let high = schema.get("maximum").and_then(Value::as_f64).or_else(|| widest(schema));
            if low.is_some_and(|low| number < low) || high.is_some_and(|high| number > high) {
                let message = format!("{} cannot be {}", self.here(), node.to_json());
                let percent = high == Some(1.0) && number > 1.0 && number <= 100.0;
                let found = self.check.error("impossible-value", span, message);
                found.label = Some(match (low, high) {
                    (Some(low), Some(high)) if high < 1e9 => format!("expected {low} to {high}"),
                    (Some(low), _) => format!("expected {low} or more"),
                    (None, high) => format!("expected {} or less", high.unwrap_or_default()),
                });
                found.help = percent.then(|| format!("write {} for {number} %", number / 100.0));
            }
        }
        if let (Some(pattern), Some(text)) =
            (schema.get("pattern").and_then(Value::as_str), node.text())
            && Regex::new(pattern).is_ok_and(|pattern| !pattern.is_match(text))
        {
            let message = format!("`{text}` is not a value of {}", self.here());
            let example =
                schema.get("examples").and_then(|examples| examples.get(0)).and_then(Value::as_str);
            self.check.error("impossible-value", span, message).label =
                Some(format!("expected something like `{}`", example.unwrap_or(pattern)));
        }
    }

    fn list(&mut self, items: &[Node], schema: &'static Map<String, Value>, span: Span) {
        let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or_default();
        if (items.len() as u64) < least {
            let message = format!("{} needs at least {least} item", self.here());
            self.check.error("impossible-value", span, message).label =
                Some("nothing is in this list".to_owned());
        }
        let Some(item_schema) = schema.get("items") else { return };
        for (at, item) in items.iter().enumerate() {
            self.below(&format!("[{at}]"), |walk| walk.node(item, item_schema, item.span));
        }
    }

    fn map(&mut self, node: &Node, schema: &'static Map<String, Value>, span: Span) {
        let properties = schema.get("properties").and_then(Value::as_object);
        let rest = schema.get("additionalProperties");
        let closed = rest == Some(&Value::Bool(false));
        let mut seen = HashMap::<&str, Span>::new();
        for entry in node.entries() {
            if let Some(first) = seen.insert(&entry.key, entry.key_span) {
                self.repeated(&entry.key, first, entry.key_span);
            }
            let known = properties.and_then(|properties| properties.get(&entry.key));
            if known.is_none() && closed {
                self.unknown_key(&entry.key, entry.key_span, properties);
                continue;
            }
            if let Some(schema) = known.or(rest) {
                let segment = if self.path.is_empty() {
                    entry.key.clone()
                } else {
                    format!(".{}", entry.key)
                };
                self.below(&segment, |walk| walk.node(&entry.value, schema, entry.key_span));
            }
        }
        for key in required(schema) {
            // A misspelt key was reported already, with this one as the likely word.
            let misspelt = closed
                && node.entries().iter().any(|entry| suggest::nearest(&entry.key, [key]).is_some());
            if node.get(key).is_none() && !misspelt {
                self.missing_key(node, key, span);
            }
        }
        self.number_of_keys(node, schema, span);
    }

    fn repeated(&mut self, key: &str, first: Span, again: Span) {
        let line = self.check.source.position(first.start).line;
        let found = self.check.error(
            "duplicate-key",
            again,
            format!("the key `{key}` stands twice in one mapping"),
        );
        found.label = Some(format!("it was given on line {line} already"));
        found.help = Some("keep one of them".to_owned());
    }

    fn unknown_key(
        &mut self,
        key: &str,
        span: Span,
        properties: Option<&'static Map<String, Value>>,
    ) {
        let known =
            properties.map_or_else(Vec::new, |all| all.keys().map(String::as_str).collect());
        let message = format!("unknown key `{key}` in {}", self.here());
        let found = self.check.error("unknown-key", span, message);
        found.label = Some("this key is not known here".to_owned());
        let keyword = known.contains(&"schema") && SCHEMA_WORDS.contains(&key);
        found.help = Some(if keyword {
            format!("a JSON Schema keyword stands in `schema`: {{ schema: {{ {key}: … }} }}")
        } else {
            suggest::did_you_mean(key, &known)
        });
    }

    fn missing_key(&mut self, node: &Node, key: &str, span: Span) {
        // A block mapping has no text of its own: point at its first key.
        let at = node
            .entries()
            .first()
            .map_or(span, |entry| if span.end > span.start { span } else { entry.key_span });
        let message = format!("{} lacks the key `{key}`", self.here());
        self.check.error("missing-key", at, message).label = Some(format!("add `{key}:` here"));
    }

    fn number_of_keys(&mut self, node: &Node, schema: &Map<String, Value>, span: Span) {
        let at = node.entries().first().map_or(span, |entry| entry.key_span);
        let keys = node.entries().len() as u64;
        if schema.get("minProperties").and_then(Value::as_u64).is_some_and(|least| keys < least) {
            let message = format!("{} is empty", self.here());
            self.check.error("missing-key", at, message).label =
                Some("expected at least one key".to_owned());
        }
        if schema.get("maxProperties").and_then(Value::as_u64).is_some_and(|most| keys > most) {
            let message = format!("{} takes exactly one key, found {keys}", self.here());
            self.check.error("impossible-value", at, message).label =
                Some("keep one of the keys".to_owned());
        }
    }

    fn below(&mut self, segment: &str, inner: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        self.path.push_str(segment);
        inner(self);
        self.path.truncate(length);
    }

    fn here(&self) -> String {
        if self.path.is_empty() { self.name.to_owned() } else { format!("`{}`", self.path) }
    }
}

/// `">= 80"` was meant as `{ ">=": 80 }`.
fn comparison_as_text(text: &str) -> Option<String> {
    let operator = [">=", "<=", "==", "!=", ">", "<"]
        .into_iter()
        .find(|operator| text.starts_with(operator))?;
    let value = text[operator.len()..].trim();
    value.parse::<f64>().ok().map(|_| format!("write {{ \"{operator}\": {value} }}"))
}

/// The largest value of the type behind an integer.
fn widest(schema: &Map<String, Value>) -> Option<f64> {
    match schema.get("format").and_then(Value::as_str) {
        Some("uint32") => Some(f64::from(u32::MAX)),
        _ => None,
    }
}

/// Words of JSON Schema that people write where a matcher's key belongs.
const SCHEMA_WORDS: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "type",
    "enum",
    "const",
    "pattern",
    "minLength",
    "maxLength",
    "items",
    "required",
    "properties",
];

fn required(schema: &Map<String, Value>) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn branches(schema: &Map<String, Value>) -> Option<&Vec<Value>> {
    schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array)
}

/// The words of an enumeration, whichever way the generator wrote it.
fn enumeration(schema: &Map<String, Value>) -> Option<Vec<&str>> {
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return Some(words.iter().filter_map(Value::as_str).collect());
    }
    if let Some(word) = schema.get("const") {
        return word.as_str().map(|word| vec![word]);
    }
    let words = branches(schema)?
        .iter()
        .map(|branch| enumeration(branch.as_object()?))
        .collect::<Option<Vec<_>>>()?;
    Some(words.concat())
}

fn expected_kind(schema: &Map<String, Value>) -> String {
    let name = match schema.get("type") {
        Some(Value::String(name)) => name.as_str(),
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).find(|name| *name != "null").unwrap_or("null")
        }
        _ => "string",
    };
    match name {
        "string" => "a text".to_owned(),
        "integer" => "a whole number".to_owned(),
        "number" => "a number".to_owned(),
        "boolean" => "true or false".to_owned(),
        "array" => "a list".to_owned(),
        "object" => "a mapping".to_owned(),
        other => other.to_owned(),
    }
}
