//! Servers of ours: a deterministic mock MCP server from a manifest, over stdio and HTTP.
//!
//! [`Mock::load`] reads a manifest ([`manifest`]) or a saved `tools/list` and reports every mistake
//! with its place. [`Mock::handle`] turns a message into a [`Reply`] without doing any I/O; the two
//! transports, [`serve_stdio`] and [`serve_http`], carry replies out, faults included. Messages are
//! plain JSON values, not an SDK's types: a mock must be able to answer wrongly, and the same bytes
//! every time.

mod answer;
mod dispatch;
mod fault;
mod http;
mod lifecycle;
mod load;
pub mod manifest;
mod mock;
mod prompts;
mod resources;
mod rpc;
mod stdio;
mod template;
mod tool;
mod validate;

pub use dispatch::{Body, Reply};
pub use http::serve_http;
pub use lifecycle::Session;
pub use mock::Mock;
pub use stdio::serve_stdio;

/// A fault of the manifest wants the server's process to end: the transports stop with this error,
/// and the caller leaves the process.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the manifest's fault ended the server")]
pub struct Crash;

impl From<Crash> for std::io::Error {
    fn from(crash: Crash) -> Self {
        Self::other(crash)
    }
}

/// Largest message that is read.
const MAX_MESSAGE: usize = 64 << 20;
