//! The checks of a whole file: shape first, then meaning. Every mistake is reported at once.

mod agents;
mod assertions;
mod gates;
mod name_free;
mod placeholders;
mod servers;
mod shape;

use serde_json::Value;

use crate::diagnostic::{Diagnostic, Severity, Source, Span};
use crate::tree::{Entry, Node};

pub use placeholders::EnvReference;

/// How much of a suite must be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// `validate` and `run`: everything.
    Whole,
    /// `score`: the gates; servers, agents and models may be missing.
    GatesOnly,
}

/// What the checks found.
#[derive(Debug, Default)]
pub struct Findings {
    /// Errors and warnings, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
    /// Environment variables the suite refers to.
    pub env: Vec<EnvReference>,
}

/// Checks the whole tree.
pub fn check(source: &Source, root: &Node, strictness: Strictness) -> Findings {
    let mut check = Check { source, root, strictness, findings: Findings::default() };
    shape::check(&mut check);
    servers::check(&mut check);
    agents::check(&mut check);
    placeholders::check(&mut check);
    check
        .findings
        .diagnostics
        .sort_by_key(|found| (found.span.start, found.severity == Severity::Warning));
    check.findings
}

/// Checks the shape of another of this project's files against the JSON Schema generated from its
/// types ([`crate::schema::generate`]); `name` is what messages call the whole file, such as
/// "a manifest".
pub fn shape_of(
    source: &Source,
    root: &Node,
    schema: &'static Value,
    name: &'static str,
) -> Vec<Diagnostic> {
    let strictness = Strictness::Whole;
    let mut check = Check { source, root, strictness, findings: Findings::default() };
    shape::walk(&mut check, schema, name);
    check.findings.diagnostics
}

/// The state shared by all checks.
struct Check<'a> {
    source: &'a Source,
    root: &'a Node,
    strictness: Strictness,
    findings: Findings,
}

impl<'a> Check<'a> {
    fn whole(&self) -> bool {
        self.strictness == Strictness::Whole
    }

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
        let all = &mut self.findings.diagnostics;
        all.push(diagnostic);
        let last = all.len() - 1;
        &mut all[last]
    }

    /// The keys of a top-level mapping such as `servers`.
    fn names_of(&self, block: &str) -> Vec<&'a str> {
        let root = self.root;
        root.get(block)
            .map_or(&[][..], Node::entries)
            .iter()
            .map(|entry| entry.key.as_str())
            .collect()
    }

    /// The `name`s of a top-level list such as `agents`.
    fn named_items(&self, block: &str) -> Vec<&'a str> {
        let root = self.root;
        root.list(block).iter().filter_map(|item| item.text_at("name")).collect()
    }

    /// Reports an entry that has no business here.
    fn misplaced(&mut self, entry: &Entry, because: &str) {
        self.error("misplaced-key", entry.key_span, format!("`{}` {because}", entry.key))
            .label
            .get_or_insert_with(|| "remove this key".to_owned());
    }
}
