//! What stops scoring. All of it is the command line's or a file's fault: exit code 2.

use mcptest_score::result::Problem;
use mcptest_suite::suggest;
use mcptest_trace::{Origin, ReadError};

/// Why traces could not be scored.
#[derive(Debug, thiserror::Error)]
pub enum ScoreError {
    /// A trace file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The suite has nothing to score traces with.
    #[error("{suite}: the suite has no agent test, so there is nothing to score traces with")]
    NoAgentTest {
        /// The suite's name.
        suite: String,
    },
    /// `--test` or a trace names a test that the suite does not have.
    #[error("there is no agent test named `{name}`")]
    UnknownTest {
        /// The trace that names it; none for `--test`.
        place: Option<Origin>,
        /// The name.
        name: String,
        /// The tests there are.
        known: Vec<String>,
    },
    /// A trace names no test and the suite has several.
    #[error("the trace names no test, and the suite has {}", .known.len())]
    NoTest {
        /// The trace.
        place: Origin,
        /// The tests there are.
        known: Vec<String>,
    },
    /// The tools of a `from: file` source cannot be read.
    #[error("the distractors of test `{test}` cannot be read from {path}: {reason}")]
    DistractorFile {
        /// The test.
        test: String,
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
}

impl ScoreError {
    /// Stable word for the kind of problem.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Read(_) => "unreadable-trace",
            Self::NoAgentTest { .. } => "no-agent-test",
            Self::UnknownTest { .. } => "unknown-test",
            Self::NoTest { .. } => "no-test-named",
            Self::DistractorFile { .. } => "unreadable-distractors",
        }
    }

    /// What to do next.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Read(error) => error.help.clone(),
            Self::NoAgentTest { .. } => {
                Some("add an agent with a prompt, or a test of `type: agent`, and its gates".to_owned())
            }
            Self::UnknownTest { name, known, .. } => {
                let names = known.iter().map(String::as_str).collect::<Vec<_>>();
                Some(match suggest::nearest(name, names.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("the suite's agent tests are {}", suggest::list(&names)),
                })
            }
            Self::NoTest { known, .. } => {
                let names = known.iter().map(String::as_str).collect::<Vec<_>>();
                Some(format!("say which with --test NAME: {}", suggest::list(&names)))
            }
            Self::DistractorFile { .. } => {
                Some("give a tools/list snapshot (JSON) or a mock manifest (YAML), relative to the suite".to_owned())
            }
        }
    }

    /// The same as an entry of the result document.
    pub fn problem(&self) -> Problem {
        let (message, file, line, column) = match self {
            Self::Read(error) => {
                (error.message.clone(), Some(error.file.to_string()), error.line(), error.column())
            }
            Self::UnknownTest { place: Some(at), .. } | Self::NoTest { place: at, .. } => {
                (self.to_string(), Some(at.file.to_string()), Some(at.line), Some(1))
            }
            _ => (self.to_string(), None, None, None),
        };
        let code = self.code().to_owned();
        Problem { code, message, test: None, file, line, column, help: self.help() }
    }
}
