//! Turning bytes into traces.

mod count;
mod depth;
mod elements;
mod error;
mod forms;
mod incoming;
mod inputs;
mod lines;
mod object;
mod reader;
mod record;
mod sniff;
mod source;

pub use error::{Position, ReadError};
pub use inputs::find_inputs;
pub use reader::{Chunk, Piece, Reader, open};
pub use record::{Origin, Record, parse_record};

pub(crate) use depth::too_deep;
pub(crate) use source::{Source, kind_of};

/// The largest record that is read: one line of JSONL, one conversation.
pub const MAX_RECORD_BYTES: usize = 64 << 20;

/// The largest file that is read as one JSON value; a JSONL file may have any size.
pub const MAX_FILE_BYTES: usize = 1 << 30;

/// How deep arrays and objects may be nested in a record: what `serde_json` can read again, so
/// that nothing kept raw (arguments, results) fails later for its depth.
pub const MAX_DEPTH: usize = 127;
