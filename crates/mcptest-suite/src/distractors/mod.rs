//! Which distractors a `distractors:` block stands for: the same on every machine.

mod bundled;
mod draw;
mod near_duplicate;

pub use bundled::{BundledTool, bundled};
pub use draw::{draw, split_mix};
pub use near_duplicate::{NearDuplicate, near_duplicates};
