//! One file per command: flags in, library calls, exit code out.

pub mod schema;
pub mod score;
pub mod validate;
