//! Token efficiency: what each correct selection costs.
//!
//! f1 as in the F1 section. tool_surface_tokens: cl100k_base tokens of each tool's name, description
//! and compact input schema, summed over the surface (of runs that differ, the largest).
//! tokens_per_correct = surface tokens summed over runs / TP summed over runs, 2 decimals;
//! cost_per_correct = total cost / TP, 6 decimals. Absent when TP = 0, the latter also when cost is 0
//! or unknown. Grade by f1: A ≥ 90, B ≥ 80, C ≥ 70, D ≥ 60, else F.

use mcptest_suite::model::{Assertion, EqualFunctionClass};

use super::selection::{self, Counts, RunSelection};
use crate::figures::{Figure, Figures, decimal, int, rounded};
use crate::ids::{Call, IdIndex};
use crate::result::Detail;

/// What one run selected and cost.
#[derive(Debug, Clone, PartialEq)]
pub struct RunCost {
    selection: RunSelection,
    surface_tokens: Option<u64>,
    cost_usd: Option<f64>,
}

/// Judges one run.
pub fn observe(
    index: &IdIndex,
    count: usize,
    calls: &[Call<'_>],
    surface_tokens: Option<u64>,
    cost_usd: Option<f64>,
) -> RunCost {
    RunCost { selection: selection::observe(index, count, calls), surface_tokens, cost_usd }
}

/// Folds the runs.
pub fn fold(classes: &[EqualFunctionClass], runs: &[(u32, &RunCost)]) -> Figures {
    let counts = Counts::of(classes, runs.iter().map(|(_, run)| &run.selection));
    let surfaces = all(runs, |run| run.surface_tokens, "surface");
    let costs = all(runs, |run| run.cost_usd, "cost");
    let cost = costs.as_ref().map(|costs| costs.iter().sum::<f64>()).map_err(Clone::clone);
    let selections = runs.iter().map(|(number, run)| (*number, &run.selection)).collect::<Vec<_>>();
    Figures {
        figures: vec![
            ("token_efficiency.f1", int(counts.f1())),
            (
                "token_efficiency.tool_surface_tokens",
                surfaces
                    .clone()
                    .and_then(|tokens| int(tokens.into_iter().max().unwrap_or_default())),
            ),
            ("token_efficiency.correct_selections", int(counts.tp)),
            ("token_efficiency.cost", cost.clone().and_then(decimal)),
            ("token_efficiency.tokens_per_correct", tokens_per_correct(counts.tp, surfaces)),
            ("token_efficiency.cost_per_correct", cost_per_correct(counts.tp, cost)),
        ],
        vacuous: counts.vacuous,
        by_rule: Vec::new(),
        notes: Vec::new(),
        detail: Detail {
            grade: Some(grade(counts.f1()).to_owned()),
            ..selection::detail(classes, &selections)
        },
    }
}

/// The value of every run, or which run lacks it.
fn all<T>(
    runs: &[(u32, &RunCost)],
    field: impl Fn(&RunCost) -> Option<T>,
    word: &str,
) -> Result<Vec<T>, String> {
    runs.iter()
        .map(|(number, run)| field(run).ok_or_else(|| format!("run {number} carries no {word}")))
        .collect()
}

const NOTHING_CORRECT: &str = "nothing was selected correctly";

fn tokens_per_correct(correct: u64, surfaces: Result<Vec<u64>, String>) -> Figure {
    let tokens = surfaces?.iter().sum::<u64>();
    if correct == 0 {
        Err(NOTHING_CORRECT.to_owned())
    } else {
        rounded(tokens as f64 / correct as f64, 2)
    }
}

fn cost_per_correct(correct: u64, cost: Result<f64, String>) -> Figure {
    let cost = cost?;
    if correct == 0 {
        Err(NOTHING_CORRECT.to_owned())
    } else if cost == 0.0 {
        Err("the runs cost nothing".to_owned())
    } else {
        rounded(cost / correct as f64, 6)
    }
}

const fn grade(f1: u64) -> &'static str {
    match f1 {
        90.. => "A",
        80..90 => "B",
        70..80 => "C",
        60..70 => "D",
        _ => "F",
    }
}

/// A selection under half is more wrong than right.
pub fn default_gate() -> Vec<Assertion> {
    vec![Assertion::at_least("token_efficiency.f1", 50)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{calls, classes};

    fn figures(runs: &[(&[&str], Option<u64>, Option<f64>)]) -> Figures {
        let classes = classes(&[("search", &["search"]), ("fetch", &["fetch"])]);
        let observed = runs
            .iter()
            .map(|(ids, tokens, cost)| {
                calls(ids, |calls| observe(&selection::index(&classes), 2, calls, *tokens, *cost))
            })
            .collect::<Vec<_>>();
        fold(&classes, &(1..).zip(&observed).collect::<Vec<_>>())
    }

    fn text(figures: &Figures, word: &str) -> Result<String, String> {
        figures
            .get(&format!("token_efficiency.{word}"))
            .unwrap()
            .as_ref()
            .map(ToString::to_string)
            .map_err(Clone::clone)
    }

    #[test]
    fn the_price_of_a_selection_does_not_depend_on_the_number_of_runs() {
        let run: (&[&str], _, _) = (&["search", "fetch"], Some(1500), Some(0.01));
        for runs in [1, 4] {
            let found = figures(&vec![run; runs]);
            assert_eq!(text(&found, "tokens_per_correct"), Ok("750.0".to_owned()));
            assert_eq!(text(&found, "cost_per_correct"), Ok("0.005".to_owned()));
            assert_eq!(text(&found, "tool_surface_tokens"), Ok("1500".to_owned()));
        }
    }

    #[test]
    fn figures_are_rounded_as_pinned() {
        let found = figures(&[
            (&["search"], Some(100), Some(0.000_123_456_7)),
            (&["search", "fetch"], Some(100), Some(0.0)),
        ]);
        assert_eq!(text(&found, "tokens_per_correct"), Ok("66.67".to_owned()));
        assert_eq!(text(&found, "cost_per_correct"), Ok("0.000041".to_owned()));
        assert_eq!(text(&found, "cost"), Ok("0.0001".to_owned()));
    }

    #[test]
    fn undefined_figures_are_absent_with_the_reason() {
        let found = figures(&[(&["other"], Some(100), Some(0.5))]);
        assert_eq!(text(&found, "tokens_per_correct"), Err(NOTHING_CORRECT.to_owned()));
        let free = figures(&[(&["search"], None, Some(0.0))]);
        assert_eq!(text(&free, "cost_per_correct"), Err("the runs cost nothing".to_owned()));
        assert_eq!(text(&free, "tool_surface_tokens"), Err("run 1 carries no surface".to_owned()));
        let unknown = figures(&[(&["search"], Some(1), None)]);
        assert_eq!(text(&unknown, "cost"), Err("run 1 carries no cost".to_owned()));
    }

    #[test]
    fn grades_ride_on_the_f1() {
        for (f1, letter) in [
            (100, "A"),
            (90, "A"),
            (89, "B"),
            (80, "B"),
            (79, "C"),
            (70, "C"),
            (69, "D"),
            (60, "D"),
            (59, "F"),
            (0, "F"),
        ] {
            assert_eq!(grade(f1), letter);
        }
    }
}
