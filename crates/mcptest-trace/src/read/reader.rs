//! A file as a stream of chunks, so that memory stays flat however large the file is.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::elements::Elements;
use super::inputs::{is_lines_file, unreadable};
use super::lines::Lines;
use super::record::parse_at;
use super::sniff::sniff;
use super::{MAX_FILE_BYTES, Position, ReadError, Record};

/// About how much of a file a chunk holds.
pub(super) const CHUNK_BYTES: usize = 4 << 20;

/// The mark of UTF-8 that some editors put before the text.
pub(super) const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Where one record of a chunk is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Its bytes within the chunk.
    pub range: Range<usize>,
    /// Where they begin in the file.
    pub at: Position,
}

/// Some whole records of a file. They can be parsed in any order, and in parallel.
#[derive(Debug, Clone)]
pub struct Chunk {
    pub(super) file: Arc<str>,
    pub(super) data: Arc<Vec<u8>>,
    pub(super) pieces: Vec<Piece>,
}

impl Chunk {
    /// The records, in the order of the file.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The bytes of one of this chunk's pieces.
    pub fn bytes(&self, piece: &Piece) -> &[u8] {
        self.data.get(piece.range.clone()).unwrap_or_default()
    }

    /// Reads one of this chunk's pieces, which may hold several traces.
    pub fn parse(&self, piece: &Piece) -> Result<Vec<Record>, ReadError> {
        parse_at(self.bytes(piece), &self.file, piece.at)
    }
}

/// A file that is being read.
pub struct Reader {
    file: Arc<str>,
    state: State,
    /// Whether any record was found.
    found: bool,
}

/// How far the reading is.
enum State {
    /// Nothing is read yet; whether the file is JSONL by its name.
    Start { source: Box<dyn Read + Send>, lines: bool },
    /// One record per line.
    Lines(Lines),
    /// One value, all of it in memory.
    Whole(Elements),
    /// At the end, or after an error.
    Done,
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("file", &self.file).finish_non_exhaustive()
    }
}

/// Opens a file of traces, or standard input for `-`.
///
/// Every line of a `.jsonl` or `.ndjson` file is a record. Any other input is JSONL if its first
/// line is a JSON value and more lines follow; else it is one value as a whole.
pub fn open(path: &Path) -> Result<Reader, ReadError> {
    if path.as_os_str() == "-" {
        return Ok(Reader::new("<stdin>".into(), Box::new(io::stdin()), false));
    }
    let metadata = fs::metadata(path).map_err(|error| unreadable(path, &error))?;
    if metadata.is_dir() {
        return Err(ReadError::of_path(path, "expected a file, found a folder"));
    }
    let source = File::open(path).map_err(|error| unreadable(path, &error))?;
    Ok(Reader::new(path.to_string_lossy().into(), Box::new(source), is_lines_file(path)))
}

impl Reader {
    fn new(file: Arc<str>, source: Box<dyn Read + Send>, lines: bool) -> Self {
        Self { file, state: State::Start { source, lines }, found: false }
    }

    /// The next records, in the order of the file; after an error there are none.
    ///
    /// An error here is one of the file: it cannot be read, holds no record at all, has a line
    /// beyond the limit or is an array that is broken between its elements. What is wrong within a
    /// record, [`Chunk::parse`] says.
    pub fn next_chunk(&mut self) -> Option<Result<Chunk, ReadError>> {
        if let State::Start { .. } = self.state
            && let Err(error) = self.start()
        {
            return Some(Err(error));
        }
        let next = match &mut self.state {
            State::Lines(lines) => lines.next_chunk(&self.file),
            State::Whole(elements) => elements.next_chunk(&self.file),
            State::Start { .. } | State::Done => return None,
        };
        match next {
            Ok(Some(chunk)) => {
                self.found = true;
                Some(Ok(chunk))
            }
            Ok(None) => {
                self.state = State::Done;
                (!self.found).then(|| Err(self.empty()))
            }
            Err(error) => {
                self.state = State::Done;
                Some(Err(error))
            }
        }
    }

    /// Reads the beginning and decides how to go on.
    fn start(&mut self) -> Result<(), ReadError> {
        let State::Start { mut source, lines } = std::mem::replace(&mut self.state, State::Done)
        else {
            return Ok(());
        };
        let mut begin = Vec::new();
        if lines || sniff(&mut source, &mut begin).map_err(|error| io_error(&self.file, &error))? {
            self.state = State::Lines(Lines::new(source, begin));
            return Ok(());
        }
        read_up_to(&mut source, &mut begin, MAX_FILE_BYTES + 1)
            .map_err(|error| io_error(&self.file, &error))?;
        if begin.len() > MAX_FILE_BYTES {
            let limit = MAX_FILE_BYTES >> 20;
            let message = format!("expected one JSON value of at most {limit} MiB, found more");
            return Err(ReadError::at(&self.file, Position::START, message)
                .help("put one trace on each line of a .jsonl file: that may have any size"));
        }
        self.state = State::Whole(Elements::new(begin));
        Ok(())
    }

    fn empty(&self) -> ReadError {
        ReadError::at(&self.file, Position::START, "expected traces, found an empty file")
    }
}

/// Reads until `buffer` is `length` long or the input ends, which is when it stays shorter.
pub(super) fn read_up_to(
    source: &mut Box<dyn Read + Send>,
    buffer: &mut Vec<u8>,
    length: usize,
) -> io::Result<()> {
    let missing = length.saturating_sub(buffer.len());
    source.take(missing as u64).read_to_end(buffer).map(drop)
}

/// The error for an input that breaks off.
pub(super) fn io_error(file: &Arc<str>, error: &io::Error) -> ReadError {
    ReadError::of_file(file, format!("cannot be read: {error}"))
}
