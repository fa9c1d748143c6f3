//! What can go wrong with a server, each with what to do next.

use std::time::Duration;

use crate::violation::Violation;

/// Why a server is not there.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StartError {
    /// The program cannot be run.
    #[error("cannot start `{program}`: {reason}")]
    Spawn {
        /// The program.
        program: String,
        /// What the system said.
        reason: String,
    },
    /// The sandbox program is not installed.
    #[error("isolation needs `{program}`, which is not installed")]
    NoSandbox {
        /// bwrap, docker or podman.
        program: String,
    },
    /// The workspace cannot be copied.
    #[error("cannot prepare the workspace from {path}: {reason}")]
    Workspace {
        /// The folder.
        path: String,
        /// Why.
        reason: String,
    },
    /// It runs, but does not shake hands.
    #[error("{step} failed: {reason}")]
    Handshake {
        /// The step that failed.
        step: &'static str,
        /// Why.
        reason: Box<CallError>,
        /// The last lines of its stderr.
        stderr: Vec<String>,
        /// What it did wrong before.
        violations: Vec<Violation>,
    },
    /// The address or a header is not usable.
    #[error("cannot connect: {0}")]
    Address(String),
}

impl StartError {
    /// What to do next.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Spawn { program, .. } => {
                Some(format!("is `{program}` installed and on PATH? try it by hand"))
            }
            Self::NoSandbox { program } => {
                let package = if program == "bwrap" { "bubblewrap" } else { program };
                Some(format!(
                    "install the package {package}, or remove `isolation:` from the server"
                ))
            }
            Self::Handshake { reason, .. } => match **reason {
                CallError::Died { .. } => Some(
                    "see its stderr; run the command by hand to find out why it ends".to_owned(),
                ),
                CallError::Timeout { .. } => {
                    Some("a slow start can be given more time with --handshake-timeout".to_owned())
                }
                CallError::Connection(_) => {
                    Some("is the server running, and is this its address?".to_owned())
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// Why a request got no usable answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CallError {
    /// The server refused.
    #[error("the server answered with error {}: {message}", .code.map_or_else(|| "without code".to_owned(), |code| code.to_string()))]
    Refused {
        /// The JSON-RPC code.
        code: Option<i64>,
        /// The server's words.
        message: String,
        /// The error's `data`.
        data: Option<serde_json::Value>,
    },
    /// No answer in time.
    #[error("no answer to {method} within {after:?}{}", meanwhile(*notices, *violations))]
    Timeout {
        /// What was asked.
        method: String,
        /// How long was waited.
        after: Duration,
        /// Notifications that came instead.
        notices: u64,
        /// Violations that came instead.
        violations: u64,
    },
    /// The answer breaks the protocol.
    #[error("protocol violation: {0}")]
    Violation(Violation),
    /// The server ended.
    #[error("the server ended ({how})")]
    Died {
        /// Exit status, or what the connection said.
        how: String,
    },
    /// The bytes could not be sent or received.
    #[error("the connection failed: {0}")]
    Connection(String),
}

fn meanwhile(notices: u64, violations: u64) -> String {
    let count =
        |number: u64, word: &str| format!("{number} {word}{}", if number == 1 { "" } else { "s" });
    match (notices, violations) {
        (0, 0) => String::new(),
        (notices, 0) => format!("; meanwhile it sent {}", count(notices, "notification")),
        (0, violations) => {
            format!("; meanwhile it broke the protocol in {}", count(violations, "message"))
        }
        (notices, violations) => {
            format!(
                "; meanwhile it sent {} and {} that break the protocol",
                count(notices, "notification"),
                count(violations, "message")
            )
        }
    }
}
