//! The servers: connecting to them, asking them, and ending them whatever happens.
//!
//! [`Server`] speaks both lifecycles (the `initialize` handshake and the stateless revision with
//! server/discover) over stdio and Streamable HTTP. Bytes are tapped before anything is made of
//! them: [`frame`] checks each message and names what is wrong ([`violation`]), and results are kept
//! as received.

pub mod catalog;
pub mod error;
pub mod frame;
mod http;
mod inbox;
pub mod isolation;
pub mod process;
mod server;
mod sse;
mod stdio;
pub mod violation;

pub use catalog::Tool;
pub use error::{CallError, StartError};
pub use inbox::Notice;
pub use server::{
    About, Address, HANDSHAKE_VERSION, Lifecycle, Patience, STATELESS_VERSION, Server, Step,
    ToolAnswer,
};
pub use violation::{Violation, ViolationKind};
