//! JSONL: one record per line.

use std::io::{BufRead, Read};
use std::sync::Arc;

use super::reader::{BOM, CHUNK_BYTES, Chunk, Piece, io_error, read_up_to};
use super::{MAX_RECORD_BYTES, Position, ReadError};

/// The lines that are still to be read.
pub(super) struct Lines {
    source: Box<dyn Read + Send>,
    /// What is read but not yet given out; it begins at the beginning of a line.
    carry: Vec<u8>,
    /// The line it begins at, from 1.
    line: usize,
    ended: bool,
}

impl Lines {
    /// Goes on after `begin`, the beginning of the file.
    pub(super) fn new(source: Box<dyn Read + Send>, begin: Vec<u8>) -> Self {
        Self { source, carry: begin, line: 1, ended: false }
    }

    /// The next chunk that holds a record.
    pub(super) fn next_chunk(&mut self, file: &Arc<str>) -> Result<Option<Chunk>, ReadError> {
        while !(self.ended && self.carry.is_empty()) {
            let first_line = self.line;
            let data = self.read_lines(file)?;
            let pieces = self.split(&data, first_line == 1);
            if !pieces.is_empty() {
                return Ok(Some(Chunk { file: Arc::clone(file), data: Arc::new(data), pieces }));
            }
        }
        Ok(None)
    }

    /// Some whole lines; the last line of the file may lack its end.
    fn read_lines(&mut self, file: &Arc<str>) -> Result<Vec<u8>, ReadError> {
        let mut data = std::mem::take(&mut self.carry);
        let mut searched = 0;
        let mut wanted = CHUNK_BYTES.max(data.len());
        loop {
            data.reserve_exact(wanted - data.len());
            read_up_to(&mut self.source, &mut data, wanted)
                .map_err(|error| io_error(file, &error))?;
            if data.len() < wanted {
                self.ended = true;
                return Ok(data);
            }
            if let Some(last) = data[searched..].iter().rposition(|&byte| byte == b'\n') {
                self.carry = data.split_off(searched + last + 1);
                return Ok(data);
            }
            if data.len() > MAX_RECORD_BYTES {
                let limit = MAX_RECORD_BYTES >> 20;
                let message = format!("expected a line of at most {limit} MiB, found a longer one");
                let at = Position { line: self.line, column: 1 };
                return Err(ReadError::at(file, at, message));
            }
            searched = data.len();
            wanted = data.len().saturating_mul(2).min(MAX_RECORD_BYTES + 1);
        }
    }

    /// The lines of `data` that are not blank.
    fn split(&mut self, data: &[u8], at_start: bool) -> Vec<Piece> {
        let mut start = if at_start && data.starts_with(BOM) { BOM.len() } else { 0 };
        let mut pieces = Vec::new();
        while start < data.len() {
            let mut rest = &data[start..];
            // The fastest search for a byte that the standard library has; a slice never fails.
            let length = rest.skip_until(b'\n').unwrap_or(data.len() - start);
            let line = &data[start..start + length];
            let content = line.trim_ascii_end();
            if !content.is_empty() {
                let at = Position { line: self.line, column: 1 };
                pieces.push(Piece { range: start..start + content.len(), at });
            }
            self.line += usize::from(line.ends_with(b"\n"));
            start += length;
        }
        pieces
    }
}
