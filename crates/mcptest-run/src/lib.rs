//! Doing it: from files and suites to a result document.
//!
//! [`score()`] applies a suite's gates to recorded traces, streaming and on all cores.
//! [`tool_tests`] runs tool tests against real servers and emits [`events`]; [`doctor`] looks at one
//! server as an agent sees it.

mod cells;
pub mod doctor;
mod error;
pub mod events;
pub mod launch;
pub mod redact;
mod rows;
mod score;
mod snapshot;
pub mod tool_tests;

pub use error::ScoreError;
pub use score::{Request, score};
