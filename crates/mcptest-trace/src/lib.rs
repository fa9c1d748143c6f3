//! What happened: the traces that runs leave, and reading them from files.
//!
//! [`find_inputs`] names the files, [`open`] streams one as [`Chunk`]s of whole records and
//! [`Chunk::parse`] turns a record into [`Trace`]s, whichever of the known forms it is in. Reading
//! is bounded and never panics: what is malformed is a [`ReadError`] with its position.

mod chat;
mod read;
mod surface;
mod trace;

pub use read::{
    Chunk, MAX_DEPTH, MAX_FILE_BYTES, MAX_RECORD_BYTES, Origin, Piece, Position, ReadError, Reader,
    Record, find_inputs, open, parse_record,
};
pub use surface::{SurfaceTool, parse_surface};
pub use trace::{Conversation, Delegation, RunStatus, Tokens, ToolCall, Trace};

/// The JSON Schema of a [`Trace`].
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(Trace)
}
