//! What to test: the suite language with positions, its checks and its JSON Schema.
//!
//! [`load`] reads a YAML text into a tree that knows its places ([`tree`]), checks the whole of it
//! ([`check`]) so that every mistake is reported at once, and only then builds the types
//! ([`model`]). Nothing here runs anything or reads a file.

pub mod check;
pub mod diagnostic;
pub mod distractors;
pub mod model;
pub mod models;
pub mod path;
mod plan;
pub mod schema;
pub mod suggest;
pub mod targets;
pub mod tree;

use check::{EnvReference, Strictness};
use diagnostic::{Diagnostic, Source};
use model::Suite;
pub use plan::AgentTest;
use tree::Node;

/// A suite without errors.
#[derive(Debug)]
pub struct Loaded {
    /// The suite.
    pub suite: Suite,
    /// What is odd about it.
    pub warnings: Vec<Diagnostic>,
    /// Environment variables it refers to.
    pub env: Vec<EnvReference>,
}

/// Largest suite file that is read.
pub const MAX_BYTES: usize = 16 << 20;

/// Reads and checks a suite; on failure returns every error and warning of the file.
pub fn load(source: &Source, strictness: Strictness) -> Result<Loaded, Vec<Diagnostic>> {
    if source.text.len() > MAX_BYTES {
        let span = diagnostic::Span::new(0, 0);
        let message = format!("the suite is larger than {} MiB", MAX_BYTES >> 20);
        return Err(vec![Diagnostic::error("too-large", source, span, message)]);
    }
    let root = Node::parse(source).map_err(|error| vec![*error])?;
    let findings = check::check(source, &root, strictness);
    if findings.diagnostics.iter().any(Diagnostic::is_error) {
        return Err(findings.diagnostics);
    }
    match serde_json::from_value(root.to_json()) {
        Ok(suite) => Ok(Loaded { suite, warnings: findings.diagnostics, env: findings.env }),
        // The checks follow the same schema as the types, so this is a gap in them: still a
        // message with a place, never a panic.
        Err(error) => Err(vec![
            Diagnostic::error(
                "unreadable",
                source,
                root.span,
                format!("the suite cannot be read: {error}"),
            )
            .help("please report this file: a check is missing"),
        ]),
    }
}
