//! How good it was: metrics, matchers, statistics and gates, without I/O.
//!
//! [`scorer::TestScorer`] reads traces one by one into small observations and folds the
//! observations of a cell into gates. Each metric is a file of its own under [`metrics`]: its rule on
//! top, `observe` for one run, `fold` for all of them. [`result`] is the document that comes out.

pub mod align;
mod checks;
pub mod checkup;
pub mod figures;
pub mod fold;
pub mod gate;
pub mod ids;
pub mod injected;
pub mod matcher;
pub mod metrics;
pub mod result;
pub mod scorer;
pub mod stats;
pub mod surface;
pub mod target;
#[cfg(test)]
mod testing;
pub mod tokens;
