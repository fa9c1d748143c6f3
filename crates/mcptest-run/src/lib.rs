//! Doing it: from files and suites to a result document.
//!
//! [`score`] applies a suite's gates to recorded traces, streaming and on all cores.

mod cells;
mod error;
mod rows;
mod score;
mod snapshot;

pub use error::ScoreError;
pub use score::{Request, score};
