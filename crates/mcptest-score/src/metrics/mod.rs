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

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use crate::result::CountedId;

/// Counts ids, in the order of their first occurrence.
///
/// Most runs count none or a few, and there may be a hundred thousand runs: a short list is searched,
/// and only a long one gets an index.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    counts: Vec<(Box<str>, u64)>,
    index: Option<HashMap<Box<str>, usize>>,
}

/// From here on an index pays.
const LONG: usize = 16;

impl Tally {
    /// Counts one more of `id`.
    pub fn add(&mut self, id: String) {
        self.add_many(&id, 1);
    }

    /// Counts `count` more of `id`.
    pub fn add_many(&mut self, id: &str, count: u64) {
        let found = match &self.index {
            Some(index) => index.get(id).copied(),
            None => self.counts.iter().position(|(known, _)| **known == *id),
        };
        if let Some(at) = found {
            self.counts[at].1 += count;
            return;
        }
        if let Some(index) = &mut self.index {
            index.insert(id.into(), self.counts.len());
        }
        self.counts.push((id.into(), count));
        if self.index.is_none() && self.counts.len() > LONG {
            let positions = self.counts.iter().enumerate().map(|(at, (id, _))| (id.clone(), at));
            self.index = Some(positions.collect());
        }
    }

    /// The sum of all counts.
    pub fn total(&self) -> u64 {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    /// Whether nothing was counted.
    pub const fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Adds every count of another tally.
    pub fn merge(&mut self, other: &Self) {
        for (id, count) in &other.counts {
            self.add_many(id, *count);
        }
    }

    /// The ids with their counts.
    pub fn list(&self) -> Vec<CountedId> {
        self.counts
            .iter()
            .map(|(id, count)| CountedId { id: id.to_string(), count: *count })
            .collect()
    }
}

impl PartialEq for Tally {
    fn eq(&self, other: &Self) -> bool {
        self.counts == other.counts
    }
}

impl Eq for Tally {}

impl Hash for Tally {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.counts.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;

    #[test]
    fn long_and_short_tallies_count_alike() {
        let mut tally = Tally::default();
        for round in 0..3 {
            for id in 0..40 {
                tally.add(format!("t{id}"));
                assert_eq!(tally.total(), round * 40 + id + 1);
            }
        }
        let list = tally.list();
        assert_eq!((list.len(), list[7].id.as_str(), list[39].count), (40, "t7", 3));
    }
}
