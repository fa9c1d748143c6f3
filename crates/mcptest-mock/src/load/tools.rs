//! The tools of a manifest: their meaning, their entries, their answers.

use std::time::Duration;

use mcptest_suite::suggest;
use mcptest_suite::tree::Node;
use serde_json::{Map, Value, json};

use super::{Findings, MANIFEST_KEYS, place, texts};
use crate::answer::Answer;
use crate::fault::Fault;
use crate::manifest::{Response, ToolSpec};
use crate::tool::{Fallback, Tool};
use crate::validate::Schema;

const KEYS: [&str; 14] = [
    "name",
    "title",
    "description",
    "input_schema",
    "output_schema",
    "annotations",
    "response",
    "error",
    "responses",
    "sequence",
    "notifications",
    "requires",
    "latency_ms",
    "fault",
];
/// Keys that tools have in `tools/list`: no slips of ours.
const WIRE_KEYS: [&str; 5] = ["inputSchema", "outputSchema", "_meta", "icons", "execution"];
const RESULT_KEYS: [&str; 4] = ["content", "structuredContent", "isError", "_meta"];

/// Checks a tool and builds its entry in `tools/list` and what answers its calls.
pub fn build(found: &mut Findings<'_>, node: &Node, raw: &Value, spec: &ToolSpec) -> (Value, Tool) {
    let known = [&KEYS[..], &WIRE_KEYS[..]].concat();
    found.slips(node, &known);
    let entry = entry(raw);
    let input = schema(found, node, &entry, ["input_schema", "inputSchema"]);
    let output = schema(found, node, &entry, ["output_schema", "outputSchema"]);
    let properties = properties(&entry);
    for key in ["response", "error", "responses", "sequence", "notifications"] {
        if let Some(answers) = node.get(key) {
            texts::placeholders(found, answers, properties.as_deref());
        }
    }
    exclusive(found, node, &["response", "error", "sequence"]);
    let mut check = Answers { found, output: output.as_ref() };
    let cases = node.list("responses").iter().zip(&spec.responses);
    let cases = cases
        .map(|(node, case)| {
            check.one_of(node);
            when(check.found, node, properties.as_deref());
            let answer = check.answer(node, case.response.as_ref(), case.error.as_deref());
            (Value::Object(case.when.clone()), answer)
        })
        .collect::<Vec<_>>();
    let fallback = fallback(&mut check, node, spec, cases.is_empty());
    let tool = Tool {
        name: spec.name.clone(),
        input,
        output,
        cases,
        fallback,
        notifications: spec.notifications.clone(),
        requires: spec.requires.clone().unwrap_or_default(),
        latency: Duration::from_millis(spec.latency_ms.unwrap_or_default()),
        fault: spec.fault.as_ref().map(Fault::new),
        ..Tool::default()
    };
    (entry, tool)
}

fn fallback(check: &mut Answers<'_, '_>, node: &Node, spec: &ToolSpec, no_cases: bool) -> Fallback {
    if let Some(steps) = &spec.sequence {
        let answers = node.list("sequence").iter().zip(steps).map(|(node, step)| {
            check.one_of(node);
            check.answer(node, step.response.as_ref(), step.error.as_deref())
        });
        return Fallback::Sequence(answers.collect());
    }
    if spec.response.is_some() || spec.error.is_some() {
        let answer = check.answer(node, spec.response.as_ref(), spec.error.as_deref());
        return Fallback::Sequence(vec![answer]);
    }
    if no_cases { Fallback::Echo } else { Fallback::NoMatch }
}

/// The tool as `tools/list` tells it: the manifest's keys in their order, without those that only
/// steer the mock.
fn entry(raw: &Value) -> Value {
    let mut entry = Map::new();
    for (key, value) in raw.as_object().into_iter().flatten() {
        let key = match key.as_str() {
            "input_schema" => "inputSchema",
            "output_schema" => "outputSchema",
            key if MANIFEST_KEYS.contains(&key) => continue,
            key => key,
        };
        entry.insert(key.to_owned(), value.clone());
    }
    entry.entry("inputSchema").or_insert_with(|| json!({"type": "object"}));
    Value::Object(entry)
}

fn schema(
    found: &mut Findings<'_>,
    node: &Node,
    entry: &Value,
    [key, wire]: [&str; 2],
) -> Option<Schema> {
    let value = entry.get(wire)?;
    let key = if node.get(key).is_some() { key } else { wire };
    if let Some(kind) = value.get("type")
        && kind != "object"
    {
        let message = format!("`{key}` must describe an object, found the type {kind}");
        found.warning("invalid-schema", place(node, key), message).label =
            Some("MCP wants `type: object` here".to_owned());
    }
    match Schema::new(value) {
        Ok(schema) => Some(schema),
        Err(why) => {
            let message = format!("`{key}` is no JSON Schema: {why}");
            found.error("invalid-schema", place(node, key), message).help =
                Some("to serve a broken catalog on purpose, save it as a tools/list".to_owned());
            None
        }
    }
}

/// The names of the arguments, where the schema lists all of them.
fn properties(entry: &Value) -> Option<Vec<&str>> {
    let schema = entry.get("inputSchema")?.as_object()?;
    let open = ["$ref", "allOf", "anyOf", "oneOf", "patternProperties"];
    let closed = schema.get("additionalProperties").is_none_or(|rest| rest == false)
        && open.iter().all(|key| !schema.contains_key(*key));
    let names = schema.get("properties")?.as_object()?.keys().map(String::as_str).collect();
    closed.then_some(names)
}

fn exclusive(found: &mut Findings<'_>, node: &Node, keys: &[&str]) {
    let mut given = node.entries().iter().filter(|entry| keys.contains(&entry.key.as_str()));
    let Some(first) = given.next() else { return };
    for entry in given {
        let message = format!("`{}` and `{}` exclude each other", first.key, entry.key);
        found.error("conflicting-keys", entry.key_span, message).help =
            Some("keep one of them".to_owned());
    }
}

/// The arguments of a case should be arguments of the tool.
fn when(found: &mut Findings<'_>, node: &Node, properties: Option<&[&str]>) {
    let (Some(when), Some(known)) = (node.get("when"), properties) else { return };
    for entry in when.entries() {
        if !known.contains(&entry.key.as_str()) {
            let message = format!("no argument is called `{}`", entry.key);
            found.warning("unknown-argument", entry.key_span, message).help =
                Some(suggest::did_you_mean(&entry.key, known));
        }
    }
}

/// Checks of single answers.
struct Answers<'f, 'a> {
    found: &'f mut Findings<'a>,
    output: Option<&'f Schema>,
}

impl Answers<'_, '_> {
    /// A case or a step says one thing.
    fn one_of(&mut self, node: &Node) {
        exclusive(self.found, node, &["response", "error"]);
        if node.get("response").is_none() && node.get("error").is_none() {
            let at = place(node, "when");
            let message = "an answer needs `response` or `error`";
            self.found.error("missing-key", at, message).label =
                Some("nothing is answered here".to_owned());
        }
    }

    fn answer(&mut self, node: &Node, response: Option<&Response>, error: Option<&str>) -> Answer {
        let answer = Answer::new(response, error);
        if let Some(response) = node.get("response") {
            self.found.slips(response, &RESULT_KEYS);
            self.structured(node, response, &answer);
        }
        answer
    }

    /// Structured content without placeholders is checked once, here.
    fn structured(&mut self, node: &Node, response: &Node, answer: &Answer) {
        let Some(output) = self.output else { return };
        let Some(structured) = answer.structured() else {
            if !answer.is_error() {
                let message =
                    "the response has no `structuredContent`, which `output_schema` asks for";
                self.found.warning("missing-key", place(node, "response"), message).label =
                    Some("clients may refuse this answer".to_owned());
            }
            return;
        };
        if crate::template::is_dynamic(structured) || answer.is_error() {
            return;
        }
        if let Some(why) = output.violations(structured) {
            let message = format!("`structuredContent` violates `output_schema`: {why}");
            self.found.error("invalid-output", place(response, "structuredContent"), message);
        }
    }
}
