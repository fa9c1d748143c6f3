//! The `distractors:` block.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Assertion, Count};

/// Pads the surface with tools that are not needed, and gates on what the agent still picks.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-mcptest-status" = "stable"))]
pub struct Distractors {
    /// How many, or a sweep of counts.
    pub count: Count,
    /// Where they come from.
    pub source: DistractorSource,
    /// The tools that are right.
    #[schemars(inner(length(min = 1)))]
    #[serde(default)]
    pub correct: Vec<String>,
    /// Groups the curves in reports; changes no figure.
    #[serde(default)]
    pub complexity: Option<Complexity>,
    /// Which distractors, and in which order tools are presented.
    #[serde(default)]
    pub seed: u64,
    /// Whether the presented order changes from run to run.
    #[serde(default = "yes")]
    pub shuffle: bool,
    /// Empty or omitted: distractors.accuracy >= 50.
    #[serde(default)]
    pub expect: Option<Vec<Assertion>>,
}

const fn yes() -> bool {
    true
}

/// Where distractors come from; `from` says which of the other keys apply.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-mcptest-status" = "stable"))]
pub struct DistractorSource {
    /// The kind of source.
    pub from: SourceKind,
    /// near_duplicate: the tools to imitate.
    #[serde(default)]
    pub of: Option<Vec<String>>,
    /// file: a tools/list snapshot or a mock manifest.
    #[serde(default)]
    pub path: Option<String>,
    /// server: take tools without readOnlyHint too.
    #[serde(default)]
    pub allow_mutating: Option<bool>,
}

/// Kinds of distractor sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// The bundled catalog of plausible tools.
    Catalog,
    /// Variations of the real tools' names.
    NearDuplicate,
    /// Other tools of the servers under test.
    Server,
    /// A file.
    File,
}

/// Invocation complexity, for grouping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Complexity {
    /// One call after another.
    Serial,
    /// Several calls at once.
    Parallel,
}

impl Complexity {
    /// The word as written in suites.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Serial => "serial",
            Self::Parallel => "parallel",
        }
    }
}
