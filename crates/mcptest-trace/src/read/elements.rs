//! A file that is one JSON value: an array is split into its elements.

use std::sync::Arc;

use serde::de::IgnoredAny;

use super::forms::is_conversation;
use super::reader::{BOM, CHUNK_BYTES, Chunk, Piece};
use super::{Position, ReadError, Source};

/// The value, as far as its elements are given out.
pub(super) struct Elements {
    data: Arc<Vec<u8>>,
    /// What is given out ends here.
    offset: usize,
    /// The same as a position in the file.
    at: Position,
    next: Next,
}

/// What comes next in the text.
#[derive(Clone, Copy, PartialEq)]
enum Next {
    /// The value.
    Value,
    /// The first element, or the end of the array.
    First,
    /// A comma and an element, or the end of the array.
    Further,
    /// Nothing.
    End,
}

impl Elements {
    /// Takes all bytes of a file.
    pub(super) fn new(data: Vec<u8>) -> Self {
        let offset = if data.starts_with(BOM) { BOM.len() } else { 0 };
        Self { data: Arc::new(data), offset, at: Position::START, next: Next::Value }
    }

    /// The next chunk that holds a record.
    pub(super) fn next_chunk(&mut self, file: &Arc<str>) -> Result<Option<Chunk>, ReadError> {
        let (mut pieces, mut bytes) = (Vec::new(), 0);
        while bytes < CHUNK_BYTES {
            let Some(piece) = self.next_piece(file)? else {
                break;
            };
            bytes += piece.range.len();
            pieces.push(piece);
        }
        let chunk = Chunk { file: Arc::clone(file), data: Arc::clone(&self.data), pieces };
        Ok((!chunk.pieces.is_empty()).then_some(chunk))
    }

    fn next_piece(&mut self, file: &Arc<str>) -> Result<Option<Piece>, ReadError> {
        self.skip_space();
        let byte = self.rest().first().copied();
        match (self.next, byte) {
            (Next::Value, None) | (Next::End, _) => {
                self.next = Next::End;
                Ok(None)
            }
            (Next::Value, Some(b'[')) if !is_conversation(self.rest()) => {
                self.advance(1);
                self.next = Next::First;
                self.next_piece(file)
            }
            (Next::Value, Some(_)) => {
                self.next = Next::End;
                Ok(Some(self.take(self.rest().len())))
            }
            (Next::First, Some(b']')) => {
                Err(self.error(file, "expected traces, found an empty array"))
            }
            (Next::Further, Some(b']')) => self.end(file),
            (Next::First, _) => self.element(file).map(Some),
            (Next::Further, Some(b',')) => {
                self.advance(1);
                self.skip_space();
                self.element(file).map(Some)
            }
            (Next::Further, _) => Err(self.unexpected(file, "`,` or `]`")),
        }
    }

    /// The element that begins here.
    fn element(&mut self, file: &Arc<str>) -> Result<Piece, ReadError> {
        // Strings are not looked into here, only found: reading the piece checks them.
        let mut values =
            serde_json::Deserializer::from_slice(self.rest()).into_iter::<IgnoredAny>();
        match values.next() {
            Some(Ok(IgnoredAny)) => {
                let length = values.byte_offset();
                self.next = Next::Further;
                Ok(self.take(length))
            }
            Some(Err(error)) => {
                let source = Source::new(self.rest(), file, self.at)?;
                Err(source.json_error(source.text, &error))
            }
            None => Err(self.unexpected(file, "an element of the array")),
        }
    }

    /// The end of the array, which must be the end of the file.
    fn end(&mut self, file: &Arc<str>) -> Result<Option<Piece>, ReadError> {
        self.advance(1);
        self.skip_space();
        self.next = Next::End;
        if self.rest().is_empty() {
            return Ok(None);
        }
        Err(self.unexpected(file, "nothing after the array"))
    }

    fn rest(&self) -> &[u8] {
        self.data.get(self.offset..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        let is_space = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        let length = self.rest().iter().take_while(is_space).count();
        self.advance(length);
    }

    fn advance(&mut self, length: usize) {
        self.at = self.at.after(&self.rest()[..length]);
        self.offset += length;
    }

    fn take(&mut self, length: usize) -> Piece {
        let piece = Piece { range: self.offset..self.offset + length, at: self.at };
        self.advance(length);
        piece
    }

    fn error(&self, file: &Arc<str>, message: impl Into<String>) -> ReadError {
        ReadError::at(file, self.at, message)
    }

    fn unexpected(&self, file: &Arc<str>, expected: &str) -> ReadError {
        let found = match self.rest().first() {
            None => "the end of the file".to_owned(),
            Some(byte) if byte.is_ascii() => format!("{:?}", char::from(*byte)),
            Some(byte) => format!("the byte 0x{byte:02x}"),
        };
        self.error(file, format!("expected {expected}, found {found}"))
    }
}
