//! From a file to a server, with every mistake and its place.

mod manifest;
mod snapshot;
mod texts;
mod tools;

use mcptest_suite::diagnostic::{Diagnostic, Severity, Source, Span};
use mcptest_suite::tree::{Kind, Node};
use serde_json::Value;

use crate::mock::Mock;

impl Mock {
    /// Reads a manifest or a saved `tools/list`, in YAML or JSON.
    ///
    /// A saved list is `{tools: […]}`, with or without `serverInfo` and `instructions`, the whole
    /// response of the server, or the bare list. On failure returns every error and warning.
    pub fn load(source: &Source) -> Result<(Self, Vec<Diagnostic>), Vec<Diagnostic>> {
        let file = File::read(source).map_err(|error| vec![*error])?;
        let mut found = Findings { source, diagnostics: Vec::new() };
        let parts = match file.tools() {
            Some(tools) => Some(snapshot::build(&mut found, &file, tools)),
            None => manifest::build(&mut found, &file),
        };
        let mut diagnostics = found.diagnostics;
        diagnostics.sort_by_key(|one| (one.span.start, one.severity == Severity::Warning));
        match parts {
            Some(parts) if !diagnostics.iter().any(Diagnostic::is_error) => {
                Ok((Self::from(parts), diagnostics))
            }
            _ => Err(diagnostics),
        }
    }
}

/// A file, as values and as a tree that knows its places.
struct File {
    value: Value,
    tree: Node,
}

/// Keys of a tool that only a manifest has.
const MANIFEST_KEYS: [&str; 10] = [
    "input_schema",
    "output_schema",
    "response",
    "responses",
    "sequence",
    "error",
    "notifications",
    "requires",
    "latency_ms",
    "fault",
];

impl File {
    fn read(source: &Source) -> Result<Self, Box<Diagnostic>> {
        if source.text.len() > mcptest_suite::MAX_BYTES {
            let message = format!("the file is larger than {} MiB", mcptest_suite::MAX_BYTES >> 20);
            let nowhere = Span::new(0, 0);
            return Err(Box::new(Diagnostic::error("too-large", source, nowhere, message)));
        }
        // JSON is read as JSON, so that numbers and escapes stay what they are; YAML knows no
        // surrogate pairs, so that for such a file only the places are lost.
        let json = serde_json::from_str::<Value>(&source.text)
            .ok()
            .filter(|value| value.is_object() || value.is_array());
        let tree = match (Node::parse(source), &json) {
            (Ok(tree), _) => tree,
            (Err(_), Some(value)) => placeless(value),
            (Err(error), None) => return Err(error),
        };
        Ok(Self { value: json.unwrap_or_else(|| tree.to_json()), tree })
    }

    /// The tools of a saved list; nothing where the file is to be read as a manifest.
    fn tools(&self) -> Option<(&Node, &Value)> {
        let both = |node: &'_ Node, value: &Value, key: &str| {
            node.get(key).is_some_and(|node| matches!(node.kind, Kind::List(_)))
                && value.get(key).is_some_and(Value::is_array)
        };
        let (tree, value) = (&self.tree, &self.value);
        let (list, values) = if value.is_array() {
            (tree, value)
        } else if both(tree, value, "tools") {
            (tree.get("tools")?, value.get("tools")?)
        } else {
            let (tree, value) = (tree.get("result")?, value.get("result")?);
            both(tree, value, "tools").then_some(())?;
            (tree.get("tools")?, value.get("tools")?)
        };
        let of_manifest = |tool: &Node| MANIFEST_KEYS.iter().any(|key| tool.get(key).is_some());
        let wrapped = tree.get("mock_server").is_some() || list.items().iter().any(of_manifest);
        (!wrapped).then_some((list, values))
    }
}

/// A tree without places.
fn placeless(value: &Value) -> Node {
    let kind = match value {
        Value::Null => Kind::Null,
        Value::Bool(value) => Kind::Bool(*value),
        Value::Number(value) => Kind::Number(value.clone()),
        Value::String(value) => Kind::Text(value.clone()),
        Value::Array(items) => Kind::List(items.iter().map(placeless).collect()),
        Value::Object(map) => Kind::Map(
            map.iter()
                .map(|(key, value)| mcptest_suite::tree::Entry {
                    key: key.clone(),
                    key_span: Span::new(0, 0),
                    value: placeless(value),
                })
                .collect(),
        ),
    };
    Node { span: Span::new(0, 0), kind }
}

/// What was found in a file so far.
struct Findings<'a> {
    source: &'a Source,
    diagnostics: Vec<Diagnostic>,
}

impl Findings<'_> {
    fn error(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.push(Diagnostic::error(code, self.source, span, message))
    }

    fn warning(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.push(Diagnostic::warning(code, self.source, span, message))
    }

    fn push(&mut self, diagnostic: Diagnostic) -> &mut Diagnostic {
        let all = &mut self.diagnostics;
        all.push(diagnostic);
        let last = all.len() - 1;
        &mut all[last]
    }

    /// Warns about a key that is passed on but looks like a slip of one that means something.
    fn slips(&mut self, node: &Node, known: &[&str]) {
        for entry in node.entries() {
            if known.contains(&entry.key.as_str()) {
                continue;
            }
            if let Some(near) = mcptest_suite::suggest::nearest(&entry.key, known.iter().copied()) {
                let message =
                    format!("the key `{}` means nothing here and is passed on", entry.key);
                self.warning("unknown-key", entry.key_span, message).help =
                    Some(format!("did you mean `{near}`?"));
            }
        }
    }

    /// Reports a name that was there before.
    fn repeated(&mut self, what: &str, key: &str, items: &[Node]) {
        let mut seen = std::collections::HashMap::new();
        for item in items {
            let Some(node) = item.get(key) else { continue };
            let Some(name) = node.text() else { continue };
            if let Some(first) = seen.insert(name, node.span) {
                let line = self.source.position(first.start).line;
                self.error(
                    "duplicate-name",
                    node.span,
                    format!("two {what} are called `{name}`"),
                )
                .label = Some(format!("the other one is on line {line}"));
            }
        }
    }
}

/// Where a value stands; where it has no text of its own, where its key or first key stands.
fn place(node: &Node, key: &str) -> Span {
    let Some(entry) = node.entry(key) else {
        return node.entries().first().map_or(node.span, |entry| entry.key_span);
    };
    if entry.value.span.end > entry.value.span.start { entry.value.span } else { entry.key_span }
}
