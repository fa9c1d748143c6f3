//! What stops scoring. All of it is the command line's or a file's fault: exit code 2.

use mcptest_score::result::Problem;
use mcptest_suite::suggest;
use mcptest_trace::ReadError;

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
    #[error("{place}there is no agent test named `{name}`")]
    UnknownTest {
        /// Where the name stands, with its colon.
        place: String,
        /// The name.
        name: String,
        /// The tests there are.
        known: Vec<String>,
    },
    /// A trace names no test and the suite has several.
    #[error("{place}the trace names no test, and the suite has {}", .known.len())]
    NoTest {
        /// Where the trace stands, with its colon.
        place: String,
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
        let read = if let Self::Read(error) = self { Some(error) } else { None };
        Problem {
            code: self.code().to_owned(),
            message: read.map_or_else(|| self.to_string(), |error| error.message.clone()),
            test: None,
            file: read.map(|error| error.file.to_string()),
            line: read.and_then(ReadError::line),
            column: read.and_then(ReadError::column),
            help: self.help(),
        }
    }
}
