//! One JSON value of a file, and where its parts are.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::error::Category;

use super::{MAX_DEPTH, Position, ReadError, too_deep};

/// The text of one JSON value with its place in the file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) text: &'a str,
    pub(crate) file: &'a Arc<str>,
    /// The position of the text's first character.
    pub(crate) start: Position,
}

impl<'a> Source<'a> {
    /// Takes `bytes`, which begin at `start`, if they are UTF-8.
    pub(crate) fn new(
        bytes: &'a [u8],
        file: &'a Arc<str>,
        start: Position,
    ) -> Result<Self, ReadError> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Self { text, file, start }),
            Err(error) => {
                let valid = error.valid_up_to();
                let byte = bytes.get(valid).copied().unwrap_or_default();
                let message = format!("expected UTF-8 text, found the byte 0x{byte:02x}");
                Err(ReadError::at(file, start.after(&bytes[..valid]), message)
                    .help("save the file as UTF-8"))
            }
        }
    }

    /// Fails where the text nests deeper than [`MAX_DEPTH`].
    pub(crate) fn check_depth(&self) -> Result<(), ReadError> {
        match too_deep(self.text) {
            None => Ok(()),
            Some(offset) => Err(self.error_at(
                offset,
                format!("expected at most {MAX_DEPTH} levels of nesting, found more"),
            )),
        }
    }

    /// Reads `part`, a slice of the text, as one JSON value.
    pub(crate) fn json<T: Deserialize<'a>>(&self, part: &'a str) -> Result<T, ReadError> {
        serde_json::from_str(part).map_err(|error| self.json_error(part, &error))
    }

    /// An error at the first character of `part`, a slice of the text.
    pub(crate) fn error(&self, part: &str, message: impl Into<String>) -> ReadError {
        self.error_at(self.offset_of(part), message)
    }

    /// The error of `serde_json` over `part` as one with a place in the file.
    pub(crate) fn json_error(&self, part: &str, error: &serde_json::Error) -> ReadError {
        let offset = offset_of(part, error);
        let message = error.to_string();
        let suffix = format!(" at line {} column {}", error.line(), error.column());
        let message = message.strip_suffix(&suffix).unwrap_or(&message);
        let found = part.get(offset..).and_then(|rest| rest.chars().next());
        let at = self.offset_of(part) + offset;
        match (error.classify(), found) {
            (Category::Eof, _) => {
                let what = message.strip_prefix("EOF while parsing ").unwrap_or("a value");
                self.error_at(at, format!("expected the rest of {what}, found the end"))
                    .help("the value is cut off, or spread over several lines of a JSONL file")
            }
            (Category::Syntax, Some(found)) if message.starts_with("expected ") => {
                self.error_at(at, format!("{message}, found {found:?}"))
            }
            _ => self.error_at(at, message),
        }
    }

    /// An error at a byte offset of the text.
    pub(crate) fn error_at(&self, offset: usize, message: impl Into<String>) -> ReadError {
        let before = &self.text.as_bytes()[..offset.min(self.text.len())];
        ReadError::at(self.file, self.start.after(before), message)
    }

    /// Where `part`, a slice of the text, begins in it: raw values are borrowed from the text, so
    /// their addresses say where they are.
    pub(crate) fn offset_of(&self, part: &str) -> usize {
        (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize).min(self.text.len())
    }
}

/// Where in `part` an error of `serde_json` is.
///
/// Its column is the number of bytes consumed. That is right for syntax; a value of the wrong type
/// is consumed to its end if it is a scalar and not at all if it is not, and its beginning is
/// what a reader looks for.
fn offset_of(part: &str, error: &serde_json::Error) -> usize {
    let consumed = (offset_of_line(part, error.line()) + error.column()).min(part.len());
    let (bytes, last) = (part.as_bytes(), consumed.saturating_sub(1));
    if error.classify() != Category::Data {
        return last;
    }
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    match bytes.get(last) {
        Some(b'"') => opening_quote(&bytes[..last]).unwrap_or(last),
        Some(&byte) if is_word(byte) => {
            bytes[..last].iter().rposition(|&byte| !is_word(byte)).map_or(0, |before| before + 1)
        }
        _ if matches!(bytes.get(consumed), Some(b'[' | b'{')) => consumed,
        _ => last,
    }
}

/// The quote that opens the string whose content `before` ends with.
fn opening_quote(before: &[u8]) -> Option<usize> {
    let mut end = before.len();
    loop {
        let quote = before[..end].iter().rposition(|&byte| byte == b'"')?;
        let backslashes = before[..quote].iter().rev().take_while(|&&byte| byte == b'\\').count();
        if backslashes.is_multiple_of(2) {
            return Some(quote);
        }
        end = quote;
    }
}

/// The offset of a line, from 1, of `text`.
fn offset_of_line(text: &str, line: usize) -> usize {
    text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum()
}

/// What a JSON text is, in words, by its first character.
pub(crate) fn kind_of(json: &str) -> &'static str {
    match json.trim_start().bytes().next() {
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        Some(b'-' | b'0'..=b'9') => "a number",
        Some(_) => "something that is not JSON",
        None => "nothing",
    }
}
