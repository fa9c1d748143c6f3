//! One JSON value of a file as the traces it holds.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::{MAX_RECORD_BYTES, Position, ReadError, Source, forms, kind_of};
use crate::trace::Trace;

/// Where a trace was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The file, as it was named; `<stdin>` for standard input.
    pub file: Arc<str>,
    /// The line of the record's first byte, from 1.
    pub line: usize,
}

/// A trace and where it was read.
#[derive(Debug, Clone)]
pub struct Record {
    /// Where it was read.
    pub origin: Origin,
    /// What was read.
    pub trace: Trace,
}

/// Reads one JSON value, which may hold several traces: an object is one trace, an array of chat
/// messages is one, any other array holds as many as its elements do.
///
/// `bytes` begin in the first column of `first_line` of the file; more than [`MAX_RECORD_BYTES`] of
/// them are an error.
pub fn parse_record(
    bytes: &[u8],
    file: &Arc<str>,
    first_line: usize,
) -> Result<Vec<Record>, ReadError> {
    parse_at(bytes, file, Position { line: first_line, column: 1 })
}

/// [`parse_record`] for bytes that begin anywhere in a line.
pub(super) fn parse_at(
    bytes: &[u8],
    file: &Arc<str>,
    start: Position,
) -> Result<Vec<Record>, ReadError> {
    let source = Source::new(bytes, file, start)?;
    let (length, limit) = (source.text.len(), MAX_RECORD_BYTES);
    if length > limit {
        let message = format!("expected a record of at most {limit} bytes, found {length}");
        return Err(source.error_at(0, message));
    }
    source.check_depth()?;
    let mut records = Vec::new();
    let mut place = Place { offset: 0, at: start };
    read_value(&source, source.text, &mut place, &mut records)?;
    Ok(records)
}

/// A place in the text that only moves forward, so that finding the line of every one of many
/// records takes one pass over the text.
struct Place {
    offset: usize,
    at: Position,
}

impl Place {
    fn move_to(&mut self, source: &Source<'_>, offset: usize) -> Position {
        if let Some(between) = source.text.as_bytes().get(self.offset..offset) {
            self.at = self.at.after(between);
            self.offset = offset;
        }
        self.at
    }
}

/// Reads the value `part` of the source. The recursion ends at the limit on nesting.
fn read_value<'a>(
    source: &Source<'a>,
    part: &'a str,
    place: &mut Place,
    records: &mut Vec<Record>,
) -> Result<(), ReadError> {
    let value = part.trim_start_matches(JSON_SPACE);
    if value.starts_with('[') && !forms::is_conversation(value.as_bytes()) {
        let elements: Vec<&RawValue> = source.json(value)?;
        if elements.is_empty() {
            return Err(source.error(value, "expected traces, found an empty array"));
        }
        for element in elements {
            read_value(source, element.get(), place, records)?;
        }
        return Ok(());
    }
    let trace = match value.bytes().next() {
        Some(b'[') => forms::bare_conversation(source, value)?,
        Some(b'{') => forms::object(source, value)?,
        _ => return Err(not_a_trace(source, value)),
    };
    let at = place.move_to(source, source.offset_of(value));
    let origin = Origin { file: Arc::clone(source.file), line: at.line };
    records.push(Record { origin, trace });
    Ok(())
}

/// What JSON takes for space.
const JSON_SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

fn not_a_trace(source: &Source<'_>, value: &str) -> ReadError {
    let message = match value.chars().next() {
        Some(first) if kind_of(value).starts_with("something") => {
            format!("expected a JSON object or array, found {first:?}")
        }
        _ => {
            format!("expected a trace (an object) or an array of traces, found {}", kind_of(value))
        }
    };
    source.error(value, message)
}
