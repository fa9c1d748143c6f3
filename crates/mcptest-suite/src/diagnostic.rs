//! One mistake or remark about a file, as data. Renderers (terminal, JSON) live in `mcptest-report`.

use std::sync::Arc;

/// Byte range in a source text, half open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// A span from `start` up to, not including, `end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }
}

/// A named text that diagnostics point into.
#[derive(Debug, Clone)]
pub struct Source {
    /// The file name as the user gave it.
    pub name: Arc<str>,
    /// The whole text.
    pub text: Arc<str>,
}

impl Source {
    /// Wraps a text under the name the user knows it by.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), text: text.into() }
    }

    /// 1-based line and column of a byte offset; columns count characters.
    pub fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &self.text[..offset];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Position {
            line: before.bytes().filter(|byte| *byte == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

/// A place in a text, both numbers counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line number.
    pub line: usize,
    /// Column, in characters.
    pub column: usize,
}

/// How bad it is: an error stops the command, a warning is shown and the command goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The file cannot be used as it is.
    Error,
    /// Probably not what the author meant.
    Warning,
}

/// One mistake: where it is, what was found, what was expected, what to do next.
#[derive(Debug, Clone)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Stable word for the kind of mistake, such as `unknown-key`.
    pub code: &'static str,
    /// What is wrong, in one line.
    pub message: String,
    /// The text it is in.
    pub source: Source,
    /// The offending bytes.
    pub span: Span,
    /// Said right under the offending text: what was expected.
    pub label: Option<String>,
    /// The next step, such as the word that was probably meant.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(
        code: &'static str,
        source: &Source,
        span: Span,
        message: impl Into<String>,
    ) -> Self {
        let severity = Severity::Error;
        let (source, message) = (source.clone(), message.into());
        Self { severity, code, message, source, span, label: None, help: None }
    }

    /// A warning at `span`.
    pub fn warning(
        code: &'static str,
        source: &Source,
        span: Span,
        message: impl Into<String>,
    ) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, source, span, message) }
    }

    /// Adds the text that stands under the underlined place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Adds the next step.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds the next step, if there is one to offer.
    #[must_use]
    pub fn maybe_help(mut self, help: Option<String>) -> Self {
        self.help = help.or(self.help);
        self
    }

    /// Line and column of the offending text.
    pub fn position(&self) -> Position {
        self.source.position(self.span.start)
    }

    /// Whether this stops the command.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
