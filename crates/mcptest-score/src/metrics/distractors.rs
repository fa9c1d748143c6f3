//! Distractor accuracy with an exact certified bound.
//!
//! Per call: matches `correct` → correct; else it is an injected distractor → distractor; else out
//! of scope. accuracy = floor(100·correct/(correct+distractor)), pooled over runs and calls; nothing
//! in scope → 0, except no declared correct ids → 100 (vacuous). A run succeeds when its own accuracy
//! is 100. certified_lower = the one-sided exact lower bound on the success rate at 95 %. The
//! injected set comes from the run's surface; without one, from the block itself; where neither
//! tells, the figures are absent.

use mcptest_suite::model::Assertion;

use super::Tally;
use crate::figures::{Figure, Figures, int, percent_floor};
use crate::ids::Call;
use crate::result::{Detail, RunDetail};
use crate::stats::certified_percent;
use crate::surface::Surface;

/// Which tools are bait in a run.
#[derive(Debug, Clone, Copy)]
pub enum Injected<'a> {
    /// Those flagged on the surface.
    OnSurface(&'a Surface),
    /// Those the block stands for.
    FromBlock(&'a [String]),
    /// Neither tells, and why.
    Unknown(&'a str),
}

/// What one run chose.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct RunChoice {
    /// Calls that match a correct id.
    pub correct: u64,
    /// Calls to injected distractors.
    pub distractors: Tally,
    /// Calls to anything else.
    pub out_of_scope: Tally,
    /// Calls that may be bait or not: tools of that name disagree, and the server is unknown.
    pub undecided: Tally,
    /// How many distractors were presented.
    pub presented: u32,
    /// Why nothing can be said.
    pub unknown: Option<String>,
}

impl RunChoice {
    /// Accuracy of these counts.
    fn accuracy(correct: u64, distractors: u64, declared: usize) -> u64 {
        if correct + distractors == 0 && declared == 0 {
            100
        } else {
            percent_floor(correct, correct + distractors)
        }
    }

    fn succeeded(&self, declared: usize) -> bool {
        Self::accuracy(self.correct, self.distractors.total(), declared) == 100
    }
}

/// Judges one run.
pub fn observe(correct: &[String], injected: Injected<'_>, calls: &[Call<'_>]) -> RunChoice {
    let mut choice = RunChoice::default();
    let is_bait = |call: &Call<'_>| match injected {
        Injected::OnSurface(surface) => on_surface(surface, call),
        Injected::FromBlock(ids) => Some(call.matches_any(ids)),
        Injected::Unknown(_) => Some(false),
    };
    for call in calls {
        if call.matches_any(correct) {
            choice.correct += 1;
        } else {
            match is_bait(call) {
                Some(true) => choice.distractors.add(call.id()),
                Some(false) => choice.out_of_scope.add(call.id()),
                None => choice.undecided.add(call.id()),
            }
        }
    }
    match injected {
        Injected::OnSurface(surface) => choice.presented = surface.distractor_count(),
        Injected::FromBlock(ids) => choice.presented = ids.len() as u32,
        Injected::Unknown(reason) => choice.unknown = Some(reason.to_owned()),
    }
    choice
}

/// Whether the call went to a flagged tool, under its own name or the one the model was shown.
fn on_surface(surface: &Surface, call: &Call<'_>) -> Option<bool> {
    if call.recorded.server.is_none() && !surface.contains(call.server, call.name) {
        return surface.is_distractor(None, &call.recorded.name);
    }
    surface.is_distractor(call.server, call.name)
}

/// Folds the runs of one cell; `asked` is the block's count for it.
pub fn fold(correct: &[String], asked: Option<u32>, runs: &[(u32, &RunChoice)]) -> Figures {
    if let Some(reason) = runs.iter().find_map(|(_, run)| run.unknown.as_ref()) {
        return absent(reason);
    }
    let undecided =
        runs.iter().flat_map(|(_, run)| run.undecided.list()).map(|one| one.id).collect::<Vec<_>>();
    if let Some(id) = undecided.first() {
        return absent(&format!(
            "`{id}` is offered as a real tool and as a distractor, and the trace names no server"
        ));
    }
    let declared = correct.len();
    let chose_correct = runs.iter().map(|(_, run)| run.correct).sum::<u64>();
    let mut chosen = Tally::default();
    let mut out_of_scope = Tally::default();
    for (_, run) in runs {
        chosen.merge(&run.distractors);
        out_of_scope.merge(&run.out_of_scope);
    }
    let succeeded = runs.iter().filter(|(_, run)| run.succeeded(declared)).count() as u64;
    let presented = runs.iter().map(|(_, run)| run.presented).min().unwrap_or_default();
    let accuracy = RunChoice::accuracy(chose_correct, chosen.total(), declared);
    Figures {
        figures: vec![
            ("distractors.accuracy", int(accuracy)),
            ("distractors.chose_correct", int(chose_correct)),
            ("distractors.chose_distractor", int(chosen.total())),
            ("distractors.distractor_count", int(u64::from(presented))),
            ("distractors.certified_lower", int(certified_percent(succeeded, runs.len() as u64))),
        ],
        vacuous: declared == 0 && chose_correct + chosen.total() == 0,
        by_rule: Vec::new(),
        notes: notes(asked, runs),
        detail: Detail {
            chosen_distractors: Some(chosen.list()),
            out_of_scope_calls: Some(out_of_scope.list()),
            runs_succeeded: Some(succeeded as u32),
            per_run: Some(
                runs.iter()
                    .filter_map(|(number, run)| run_detail(*number, run, declared))
                    .collect(),
            ),
            ..Detail::default()
        },
    }
}

fn absent(reason: &str) -> Figures {
    let missing = || -> Figure { Err(reason.to_owned()) };
    Figures {
        figures: vec![
            ("distractors.accuracy", missing()),
            ("distractors.chose_correct", missing()),
            ("distractors.chose_distractor", missing()),
            ("distractors.distractor_count", missing()),
            ("distractors.certified_lower", missing()),
        ],
        ..Figures::default()
    }
}

/// Says when the runs did not see as many distractors as the block asks for.
fn notes(asked: Option<u32>, runs: &[(u32, &RunChoice)]) -> Vec<String> {
    let Some(asked) = asked else { return Vec::new() };
    let other = runs
        .iter()
        .filter(|(_, run)| run.presented != asked)
        .map(|(number, run)| (number, run.presented));
    let mut other = other.collect::<Vec<_>>();
    other.dedup_by_key(|(_, presented)| *presented);
    other
        .first()
        .map(|(run, presented)| {
            format!("the block asks for {asked} distractors, but run {run} was shown {presented}")
        })
        .into_iter()
        .collect()
}

fn run_detail(number: u32, run: &RunChoice, declared: usize) -> Option<RunDetail> {
    if run.succeeded(declared) {
        return None;
    }
    let chosen = run.distractors.list();
    let message = if chosen.is_empty() {
        "chose nothing in scope".to_owned()
    } else {
        let ids = chosen.iter().map(|found| found.id.as_str()).collect::<Vec<_>>();
        format!("chose distractor {}", ids.join(", "))
    };
    Some(RunDetail {
        run: number,
        missed_classes: Vec::new(),
        unexpected_calls: Vec::new(),
        messages: vec![message],
    })
}

/// A selection under half is more wrong than right.
pub fn default_gate() -> Vec<Assertion> {
    vec![Assertion::at_least("distractors.accuracy", 50)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::calls;
    use proptest::prelude::*;

    fn ids(list: &[&str]) -> Vec<String> {
        list.iter().map(|id| (*id).to_owned()).collect()
    }

    fn figures(correct: &[&str], bait: &[&str], runs: &[&[&str]]) -> Figures {
        let (correct, bait) = (ids(correct), ids(bait));
        let observed = runs
            .iter()
            .map(|run| calls(run, |calls| observe(&correct, Injected::FromBlock(&bait), calls)))
            .collect::<Vec<_>>();
        fold(&correct, Some(bait.len() as u32), &(1..).zip(&observed).collect::<Vec<_>>())
    }

    fn number(figures: &Figures, target: &str) -> u64 {
        figures.get(target).unwrap().as_ref().unwrap().as_u64().unwrap()
    }

    #[test]
    fn one_perfect_run_certifies_five() {
        let found = figures(&["c.search"], &["c.search_v2"], &[&["c.search"]]);
        assert_eq!(number(&found, "distractors.accuracy"), 100);
        assert_eq!(number(&found, "distractors.certified_lower"), 5);
    }

    #[test]
    fn calls_out_of_scope_are_counted_and_spoil_nothing() {
        let found = figures(
            &["c.search"],
            &["c.search_v2"],
            &[&["x.other", "c.search"], &["c.search_v2", "c.search", "c.search"]],
        );
        assert_eq!(number(&found, "distractors.accuracy"), 75);
        assert_eq!(number(&found, "distractors.chose_correct"), 3);
        assert_eq!(number(&found, "distractors.chose_distractor"), 1);
        assert_eq!(found.detail.runs_succeeded, Some(1));
        assert_eq!(found.detail.out_of_scope_calls.unwrap()[0].id, "x.other");
        assert_eq!(found.detail.chosen_distractors.unwrap()[0].id, "c.search_v2");
    }

    #[test]
    fn an_id_in_both_sets_is_correct() {
        let found = figures(&["c.search"], &["search"], &[&["c.search"]]);
        assert_eq!(number(&found, "distractors.accuracy"), 100);
    }

    #[test]
    fn nothing_in_scope_is_zero_unless_nothing_is_declared() {
        assert_eq!(number(&figures(&["c.search"], &["b"], &[&[]]), "distractors.accuracy"), 0);
        assert_eq!(number(&figures(&["c.search"], &["b"], &[&["x"]]), "distractors.accuracy"), 0);
        let vacuous = figures(&[], &["b"], &[&["x"]]);
        assert!(vacuous.vacuous);
        assert_eq!(number(&vacuous, "distractors.accuracy"), 100);
        let chosen = figures(&[], &["b"], &[&["b"]]);
        assert!(!chosen.vacuous);
        assert_eq!(number(&chosen, "distractors.accuracy"), 0);
    }

    #[test]
    fn where_nothing_tells_the_injected_set_the_figures_are_absent() {
        let correct = ids(&["a"]);
        let run = calls(&["a"], |calls| observe(&correct, Injected::Unknown("no surface"), calls));
        let found = fold(&correct, None, &[(1, &run)]);
        assert_eq!(found.get("distractors.accuracy"), Some(&Err("no surface".to_owned())));
    }

    proptest! {
        #[test]
        fn counts_equal_a_naive_second_implementation(
            correct in prop::collection::vec("[ab]\\.[wxyz]|[wxyz]", 1..4),
            bait in prop::collection::vec("[ab]\\.[wxyz]|[wxyz]", 0..4),
            runs in prop::collection::vec(prop::collection::vec(("[ab]", "[wxyz]"), 0..6), 1..6),
        ) {
            let means = |ids: &[String], server: &str, name: &str| {
                ids.iter().any(|id| id == name || *id == format!("{server}.{name}"))
            };
            let (mut right, mut wrong, mut perfect) = (0u64, 0u64, 0u64);
            for run in &runs {
                let good = run.iter().filter(|(s, t)| means(&correct, s, t)).count() as u64;
                let bad = run.iter().filter(|(s, t)| !means(&correct, s, t) && means(&bait, s, t)).count() as u64;
                right += good;
                wrong += bad;
                perfect += u64::from(good > 0 && bad == 0);
            }
            let owned = runs.iter().map(|run| run.iter().map(|(s, t)| format!("{s}.{t}")).collect::<Vec<_>>()).collect::<Vec<_>>();
            let borrowed = owned.iter().map(|run| run.iter().map(String::as_str).collect::<Vec<_>>()).collect::<Vec<_>>();
            let found = figures(
                &correct.iter().map(String::as_str).collect::<Vec<_>>(),
                &bait.iter().map(String::as_str).collect::<Vec<_>>(),
                &borrowed.iter().map(Vec::as_slice).collect::<Vec<_>>(),
            );
            prop_assert_eq!(number(&found, "distractors.chose_correct"), right);
            prop_assert_eq!(number(&found, "distractors.chose_distractor"), wrong);
            let accuracy = (right * 100).checked_div(right + wrong).unwrap_or(0);
            prop_assert_eq!(number(&found, "distractors.accuracy"), accuracy);
            prop_assert_eq!(u64::from(found.detail.runs_succeeded.unwrap()), perfect);
        }
    }
}
