//! Golden path: the distance from the one best path.
//!
//! edit_distance is the Levenshtein distance between the recorded and the golden sequence of names,
//! worst over runs; penalty = 1/(1 + 0.5·edit_distance); passed when it is 0. The others explain the
//! worst run: extra_steps, recorded calls that are no step of the path (beyond its longest common
//! subsequence); repeated_tools, calls of a tool more often than the path has it; backtracks,
//! returns to a tool after another was called in between.

use std::collections::{HashMap, HashSet};

use mcptest_suite::model::{Assertion, GoldenPath};

use crate::align::{common_subsequence, edit_distance};
use crate::figures::{Figures, decimal, int};
use crate::ids::Call;
use crate::result::Detail;

/// How one run strayed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct RunPath {
    edit_distance: u64,
    extra_steps: u64,
    repeated_tools: u64,
    backtracks: u64,
    /// The recorded path, kept only where it strays.
    path: Box<[Box<str>]>,
}

/// Longest recorded path that is kept for the report.
const MAX_PATH: usize = 50;

/// Judges one run.
pub fn observe(block: &GoldenPath, calls: &[Call<'_>]) -> RunPath {
    let golden = &block.calls;
    let same = |call: &Call<'_>, id: &String| call.matches(id);
    let distance = edit_distance(calls, golden, same) as u64;
    if distance == 0 {
        return RunPath::default();
    }
    let on_path = common_subsequence(calls, golden, same).len();
    RunPath {
        edit_distance: distance,
        extra_steps: (calls.len() - on_path) as u64,
        repeated_tools: repeated(golden, calls),
        backtracks: backtracks(calls),
        path: calls.iter().take(MAX_PATH).map(|call| call.id().into_boxed_str()).collect(),
    }
}

/// Calls of a tool beyond the number of times the path has it (a tool off the path may be called once).
fn repeated(golden: &[String], calls: &[Call<'_>]) -> u64 {
    let mut seen = HashMap::<(Option<&str>, &str), (u64, u64)>::new();
    for call in calls {
        let allowed = || golden.iter().filter(|id| call.matches(id)).count().max(1) as u64;
        seen.entry((call.server, call.name)).or_insert_with(|| (0, allowed())).0 += 1;
    }
    // A sum, so that the order of the map does not matter.
    seen.into_values().map(|(times, allowed)| times.saturating_sub(allowed)).sum()
}

/// Calls of a tool that was called before, but not just before.
fn backtracks(calls: &[Call<'_>]) -> u64 {
    let mut seen = HashSet::new();
    let mut count = 0;
    for (at, call) in calls.iter().enumerate() {
        let again = !seen.insert((call.server, call.name));
        count += u64::from(again && !calls[at - 1].same_tool(call));
    }
    count
}

/// Folds the runs: the worst one counts.
pub fn fold(runs: &[(u32, &RunPath)]) -> Figures {
    // Of equally bad runs the first.
    let worst = runs.iter().rev().max_by_key(|(_, run)| run.edit_distance);
    let (number, run) =
        worst.map_or((0, RunPath::default()), |(number, run)| (*number, (*run).clone()));
    let strayed = run.edit_distance > 0;
    Figures {
        figures: vec![
            ("golden_path.passed", int(u64::from(!strayed))),
            ("golden_path.penalty", decimal(1.0 / (1.0 + 0.5 * run.edit_distance as f64))),
            ("golden_path.edit_distance", int(run.edit_distance)),
            ("golden_path.extra_steps", int(run.extra_steps)),
            ("golden_path.repeated_tools", int(run.repeated_tools)),
            ("golden_path.backtracks", int(run.backtracks)),
        ],
        detail: Detail {
            worst_run: strayed.then_some(number),
            worst_path: strayed.then(|| run.path.iter().map(ToString::to_string).collect()),
            ..Detail::default()
        },
        ..Figures::default()
    }
}

/// No run strays.
pub fn default_gate() -> Vec<Assertion> {
    vec![Assertion::equal("golden_path.passed", 1)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::calls;

    fn figures(golden: &[&str], runs: &[&[&str]]) -> Vec<String> {
        let block =
            GoldenPath { calls: golden.iter().map(|id| (*id).to_owned()).collect(), expect: None };
        let observed =
            runs.iter().map(|run| calls(run, |calls| observe(&block, calls))).collect::<Vec<_>>();
        let found = fold(&(1..).zip(&observed).collect::<Vec<_>>());
        found.figures.iter().map(|(_, figure)| figure.as_ref().unwrap().to_string()).collect()
    }

    #[test]
    fn the_path_itself_passes() {
        assert_eq!(figures(&["s.a", "b"], &[&["s.a", "t.b"]]), ["1", "1.0", "0", "0", "0", "0"]);
    }

    #[test]
    fn the_worst_run_counts() {
        // a b a c against a b c: one insertion, a twice, and back to it after b.
        assert_eq!(
            figures(&["a", "b", "c"], &[&["a", "b", "c"], &["a", "b", "a", "c"]]),
            ["0", "0.6667", "1", "1", "1", "1"]
        );
        // Nothing called: three deletions.
        assert_eq!(figures(&["a", "b", "c"], &[&[]]), ["0", "0.4", "3", "0", "0", "0"]);
        // One substitution.
        assert_eq!(figures(&["a", "b"], &[&["a", "x"]]), ["0", "0.6667", "1", "1", "0", "0"]);
        // Calling twice in a row repeats but does not go back.
        assert_eq!(figures(&["a", "b"], &[&["a", "a", "b"]]), ["0", "0.6667", "1", "1", "1", "0"]);
    }
}
