//! One file per command: flags in, library calls, exit code out.

pub mod doctor;
pub mod mock;
pub mod run;
pub mod schema;
pub mod score;
pub mod validate;
