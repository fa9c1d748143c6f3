//! One file per metric: its rule on top, what one run gives, how runs fold into figures.

pub mod distractors;
pub mod golden_path;
pub mod orchestration;
pub mod pass_k;
pub mod selection;
pub mod token_efficiency;
pub mod tool_edges;
pub mod trajectory;
pub mod trajectory_axes;

use indexmap::IndexMap;

use crate::result::CountedId;

/// Counts ids, in the order of their first occurrence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally(IndexMap<String, u64>);

impl Tally {
    /// Counts one more of `id`.
    pub fn add(&mut self, id: String) {
        self.add_many(id, 1);
    }

    /// Counts `count` more of `id`.
    pub fn add_many(&mut self, id: String, count: u64) {
        *self.0.entry(id).or_default() += count;
    }

    /// The sum of all counts.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds every count of another tally.
    pub fn merge(&mut self, other: &Self) {
        for (id, count) in &other.0 {
            self.add_many(id.clone(), *count);
        }
    }

    /// The ids with their counts.
    pub fn list(&self) -> Vec<CountedId> {
        self.0.iter().map(|(id, count)| CountedId { id: id.clone(), count: *count }).collect()
    }
}
