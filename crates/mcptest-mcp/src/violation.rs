//! What a server does wrong on the wire, by name.
//!
//! A stock client turns most of these into a time-out or hides them; a tester must name them.

use std::fmt;

use serde::Serialize;

/// A breach of the protocol, with what was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// Which rule was broken.
    pub kind: ViolationKind,
    /// What was seen, in one line.
    pub detail: String,
}

/// The rules a server can break.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ViolationKind {
    /// A line on stdout that is no JSON: most often a log line.
    NotJson,
    /// JSON that breaks off or does not parse.
    BrokenJson,
    /// Bytes that are no UTF-8.
    InvalidUtf8,
    /// A message longer than the limit.
    Oversized,
    /// JSON that is no JSON-RPC message.
    NotAMessage,
    /// No `"jsonrpc": "2.0"`.
    MissingJsonrpc,
    /// `result` and `error` in one answer.
    ResultAndError,
    /// An error without a numeric `code` or a text `message`.
    ErrorWithoutCode,
    /// An answer to an id that nobody asked.
    WrongId,
    /// A second answer to the same id.
    SecondAnswer,
    /// A result that lacks what its method promises.
    BadResult,
    /// A tool without an `inputSchema`, or with one that is no object.
    ToolWithoutSchema,
    /// A tool without a name.
    ToolWithoutName,
    /// Two tools with one name.
    DuplicateTool,
    /// tools/list never comes to an end.
    EndlessPages,
    /// An HTTP answer that the transport does not allow.
    BadHttp,
}

impl ViolationKind {
    /// The rule, in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::NotJson => "stdout carries something that is no JSON-RPC message",
            Self::BrokenJson => "a message is broken JSON",
            Self::InvalidUtf8 => "a message is not UTF-8",
            Self::Oversized => "a message is too long",
            Self::NotAMessage => "a message is neither request, notification nor answer",
            Self::MissingJsonrpc => "a message lacks \"jsonrpc\": \"2.0\"",
            Self::ResultAndError => "an answer has both a result and an error",
            Self::ErrorWithoutCode => "an error lacks its numeric code or its message",
            Self::WrongId => "an answer bears an id that was never asked",
            Self::SecondAnswer => "a request was answered twice",
            Self::BadResult => "a result lacks what its method promises",
            Self::ToolWithoutSchema => "a tool has no inputSchema object",
            Self::ToolWithoutName => "a tool has no name",
            Self::DuplicateTool => "two tools bear the same name",
            Self::EndlessPages => "tools/list never comes to an end",
            Self::BadHttp => "an HTTP answer breaks the transport's rules",
        }
    }

    /// Whether the bytes lost may have been the answer that a request waits for.
    pub(crate) const fn may_have_been_the_answer(self) -> bool {
        matches!(
            self,
            Self::BrokenJson
                | Self::InvalidUtf8
                | Self::Oversized
                | Self::NotAMessage
                | Self::WrongId
        )
    }
}

impl Violation {
    /// A violation with what was seen.
    pub fn new(kind: ViolationKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.kind.words(), self.detail)
    }
}
