//! Where reading stopped, and why.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::count::count;

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column within the line, from 1, in characters (Unicode scalar values), not bytes.
    pub column: usize,
}

impl Position {
    /// The first character of a file.
    pub const START: Self = Self { line: 1, column: 1 };

    /// The position after `bytes`, which begin here.
    ///
    /// A character is counted by its first byte, so bytes that are not UTF-8 are no obstacle.
    pub(crate) fn after(self, bytes: &[u8]) -> Self {
        let characters = |part| count(part, |byte| byte & 0xC0 != 0x80);
        let lines = count(bytes, |byte| byte == b'\n');
        if lines == 0 {
            return Self { column: self.column + characters(bytes), ..self };
        }
        let last = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        Self { line: self.line + lines, column: 1 + characters(&bytes[last..]) }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Why an input could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {message}", .at.map(|at| format!(":{at}")).unwrap_or_default())]
pub struct ReadError {
    /// The file, as it was named; `<stdin>` for standard input.
    pub file: Arc<str>,
    /// Where in the file; absent where the file could not be read at all.
    pub at: Option<Position>,
    /// What was expected and what was found.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl ReadError {
    /// The line, from 1, where the error has a place in the file.
    pub fn line(&self) -> Option<usize> {
        self.at.map(|at| at.line)
    }

    /// The column, from 1 and in characters, where the error has a place in the file.
    pub fn column(&self) -> Option<usize> {
        self.at.map(|at| at.column)
    }

    pub(crate) fn at(file: &Arc<str>, at: Position, message: impl Into<String>) -> Self {
        Self { file: Arc::clone(file), at: Some(at), message: message.into(), help: None }
    }

    pub(crate) fn of_file(file: &Arc<str>, message: impl Into<String>) -> Self {
        Self { file: Arc::clone(file), at: None, message: message.into(), help: None }
    }

    pub(crate) fn of_path(path: &Path, message: impl Into<String>) -> Self {
        Self::of_file(&path.to_string_lossy().into(), message)
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
