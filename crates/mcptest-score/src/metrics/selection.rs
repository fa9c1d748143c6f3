//! Selection F1 over equal-function sets.
//!
//! Each class is judged on its own: a true positive at the first call that matches a member, else a
//! false negative. A call that matches no class is a false positive, every time. A repeat of a
//! matched class is nothing. Counts are summed over runs first; then precision =
//! floor(100·TP/(TP+FP)), recall = floor(100·TP/(TP+FN)), f1 = floor(200·TP/(2·TP+FP+FN)); a zero
//! denominator gives 0; no classes and no calls give 100 (vacuous).

use mcptest_suite::model::{Assertion, EqualFunctionClass};

use super::Tally;
use crate::figures::{Figures, int, percent_floor};
use crate::ids::{Call, IdIndex};
use crate::result::{Detail, RunDetail};

/// What one run selected.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct RunSelection {
    /// Classes that were satisfied.
    pub true_positives: u64,
    /// Positions of the classes that were not.
    pub missed: Box<[u32]>,
    /// Calls that match no class.
    pub unexpected: Tally,
}

impl RunSelection {
    fn is_clean(&self) -> bool {
        self.missed.is_empty() && self.unexpected.is_empty()
    }
}

/// An index over the members of the classes, built once per test.
pub fn index(classes: &[EqualFunctionClass]) -> IdIndex {
    IdIndex::new(classes.iter().map(|class| class.members.as_slice()))
}

/// Judges one run against `count` classes.
pub fn observe(index: &IdIndex, count: usize, calls: &[Call<'_>]) -> RunSelection {
    let mut satisfied = vec![false; count];
    let mut unexpected = Tally::default();
    let mut buffer = String::new();
    for call in calls {
        let mut expected = false;
        index.each(call, &mut buffer, |class| {
            satisfied[class] = true;
            expected = true;
        });
        if !expected {
            unexpected.add(call.id());
        }
    }
    let missed = (0..count).filter(|at| !satisfied[*at]).map(|at| at as u32).collect::<Box<_>>();
    RunSelection { true_positives: (count - missed.len()) as u64, missed, unexpected }
}

/// The sums over all runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// True positives.
    pub tp: u64,
    /// False positives.
    pub fp: u64,
    /// False negatives.
    pub fn_: u64,
    /// No classes are declared and nothing was called.
    pub vacuous: bool,
}

impl Counts {
    /// Sums the runs up.
    pub fn of<'a>(
        classes: &[EqualFunctionClass],
        runs: impl IntoIterator<Item = &'a RunSelection>,
    ) -> Self {
        let mut sum = Self::default();
        for run in runs {
            sum.tp += run.true_positives;
            sum.fp += run.unexpected.total();
            sum.fn_ += run.missed.len() as u64;
        }
        sum.vacuous = classes.is_empty() && sum.fp == 0;
        sum
    }

    fn percent(self, part: u64, whole: u64) -> u64 {
        if self.vacuous { 100 } else { percent_floor(part, whole) }
    }

    /// Of the tools chosen, how many were on target.
    pub fn precision(self) -> u64 {
        self.percent(self.tp, self.tp + self.fp)
    }

    /// Of the capabilities required, how many were reached.
    pub fn recall(self) -> u64 {
        self.percent(self.tp, self.tp + self.fn_)
    }

    /// Their harmonic mean, from the counts.
    pub fn f1(self) -> u64 {
        self.percent(2 * self.tp, 2 * self.tp + self.fp + self.fn_)
    }
}

/// Folds the runs into `tool_selection.{f1,precision,recall}`.
pub fn fold(classes: &[EqualFunctionClass], runs: &[(u32, &RunSelection)]) -> Figures {
    let counts = Counts::of(classes, runs.iter().map(|(_, run)| *run));
    Figures {
        figures: vec![
            ("tool_selection.f1", int(counts.f1())),
            ("tool_selection.precision", int(counts.precision())),
            ("tool_selection.recall", int(counts.recall())),
        ],
        vacuous: counts.vacuous,
        by_rule: Vec::new(),
        notes: Vec::new(),
        detail: detail(classes, runs),
    }
}

/// Missed classes and unexpected calls, in total and per run.
pub fn detail(classes: &[EqualFunctionClass], runs: &[(u32, &RunSelection)]) -> Detail {
    let names = |missed: &[u32]| {
        missed.iter().map(|at| classes[*at as usize].name.clone()).collect::<Vec<_>>()
    };
    let mut unexpected = Tally::default();
    let mut missed = Vec::new();
    for (_, run) in runs {
        unexpected.merge(&run.unexpected);
        missed.extend(run.missed.iter().copied());
    }
    missed.sort_unstable();
    missed.dedup();
    let per_run = runs.iter().filter(|(_, run)| !run.is_clean()).map(|(number, run)| RunDetail {
        run: *number,
        missed_classes: names(&run.missed),
        unexpected_calls: run.unexpected.list(),
        messages: Vec::new(),
    });
    Detail {
        missed_classes: Some(names(&missed)),
        unexpected_calls: Some(unexpected.list()),
        per_run: Some(per_run.collect()),
        ..Detail::default()
    }
}

/// A selection under half is more wrong than right.
pub fn default_gate() -> Vec<Assertion> {
    vec![Assertion::at_least("tool_selection.f1", 50)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{calls, class, classes};
    use proptest::prelude::*;

    fn score(classes: &[EqualFunctionClass], runs: &[&[&str]]) -> Counts {
        let observed = runs
            .iter()
            .map(|run| calls(run, |calls| observe(&index(classes), classes.len(), calls)))
            .collect::<Vec<_>>();
        Counts::of(classes, &observed)
    }

    fn research() -> Vec<EqualFunctionClass> {
        classes(&[("search", &["brave.web_search", "google.search"]), ("fetch", &["http.get"])])
    }

    #[test]
    fn the_first_worked_example_is_perfect() {
        let counts = score(&research(), &[&["brave.web_search", "http.get"]]);
        assert_eq!((counts.tp, counts.fp, counts.fn_), (2, 0, 0));
        assert_eq!((counts.precision(), counts.recall(), counts.f1()), (100, 100, 100));
    }

    #[test]
    fn the_second_worked_example_is_half_right_and_says_why() {
        let classes = research();
        let run = calls(&["google.search", "shell.exec"], |calls| {
            observe(&index(&classes), classes.len(), calls)
        });
        let counts = Counts::of(&classes, [&run]);
        assert_eq!((counts.tp, counts.fp, counts.fn_), (1, 1, 1));
        assert_eq!((counts.precision(), counts.recall(), counts.f1()), (50, 50, 50));
        let detail = fold(&classes, &[(1, &run)]).detail;
        assert_eq!(detail.missed_classes.unwrap(), ["fetch"]);
        assert_eq!(detail.unexpected_calls.unwrap()[0].id, "shell.exec");
    }

    #[test]
    fn runs_are_summed_before_percents_are_taken() {
        // 2+1 TP, 0+1 FP, 0+1 FN: 75, where the mean of 100 and 50 would be 75 too but 3 of 4 is why.
        let two = score(
            &research(),
            &[&["brave.web_search", "http.get"], &["google.search", "shell.exec"]],
        );
        assert_eq!((two.tp, two.fp, two.fn_), (3, 1, 1));
        assert_eq!((two.precision(), two.recall(), two.f1()), (75, 75, 75));
        // Here the micro-average (2 TP, 3 FP, 2 FN: 44) differs from the mean of 100 and 0.
        let uneven = score(&research(), &[&["brave.web_search", "http.get"], &["a", "b", "c"]]);
        assert_eq!(uneven.f1(), 44);
    }

    #[test]
    fn a_repeat_of_a_matched_class_is_nothing() {
        let counts = score(&research(), &[&["google.search", "brave.web_search", "google.search"]]);
        assert_eq!((counts.tp, counts.fp, counts.fn_), (1, 0, 1));
    }

    #[test]
    fn an_unexpected_call_counts_every_time() {
        let counts = score(&research(), &[&["shell.exec", "shell.exec"]]);
        assert_eq!((counts.tp, counts.fp, counts.fn_), (0, 2, 2));
        assert_eq!((counts.precision(), counts.recall(), counts.f1()), (0, 0, 0));
    }

    #[test]
    fn one_call_satisfies_every_class_it_is_in() {
        let both = classes(&[("a", &["x"]), ("b", &["x"])]);
        assert_eq!(score(&both, &[&["s.x"]]).tp, 2);
    }

    #[test]
    fn only_nothing_expected_and_nothing_called_is_vacuous() {
        assert!(score(&[], &[&[]]).vacuous);
        assert_eq!(score(&[], &[&[]]).f1(), 100);
        assert_eq!(score(&[], &[&["x"]]).f1(), 0);
        assert_eq!(score(&research(), &[&[]]).f1(), 0);
        assert!(!score(&research(), &[&[]]).vacuous);
    }

    /// The rule once more, class by class and call by call, from the words of the contract.
    fn naive(classes: &[(String, Vec<String>)], runs: &[Vec<(String, String)>]) -> (u64, u64, u64) {
        let (mut tp, mut fp, mut fn_) = (0, 0, 0);
        for run in runs {
            let means = |id: &String, (server, name): &(String, String)| {
                *id == format!("{server}.{name}") || id == name
            };
            for (_, members) in classes {
                if run.iter().any(|call| members.iter().any(|id| means(id, call))) {
                    tp += 1
                } else {
                    fn_ += 1
                }
            }
            fp += run
                .iter()
                .filter(|call| !classes.iter().any(|(_, ids)| ids.iter().any(|id| means(id, call))))
                .count() as u64;
        }
        (tp, fp, fn_)
    }

    proptest! {
        #[test]
        fn counts_equal_a_naive_second_implementation(
            declared in prop::collection::vec(prop::collection::vec("[ab](\\.[xyz])?|[xyz]", 1..4), 0..4),
            runs in prop::collection::vec(prop::collection::vec(("[ab]", "[xyz]"), 0..6), 1..4),
        ) {
            let named = declared.iter().enumerate().map(|(at, ids)| (format!("c{at}"), ids.clone())).collect::<Vec<_>>();
            let classes = named.iter().map(|(name, ids)| class(name, &ids.iter().map(String::as_str).collect::<Vec<_>>())).collect::<Vec<_>>();
            let ids = runs.iter().map(|run| run.iter().map(|(s, t)| format!("{s}.{t}")).collect::<Vec<_>>()).collect::<Vec<_>>();
            let observed = ids.iter().map(|run| {
                let run = run.iter().map(String::as_str).collect::<Vec<_>>();
                calls(&run, |calls| observe(&index(&classes), classes.len(), calls))
            }).collect::<Vec<_>>();
            let counts = Counts::of(&classes, &observed);
            let (tp, fp, fn_) = naive(&named, &runs);
            prop_assert_eq!((counts.tp, counts.fp, counts.fn_), (tp, fp, fn_));
            let exact = |part: u64, whole: u64| if whole == 0 { 0.0 } else { (100.0 * part as f64 / whole as f64 + 1e-9).floor() };
            if !counts.vacuous {
                prop_assert_eq!(counts.f1() as f64, exact(2 * tp, 2 * tp + fp + fn_));
                prop_assert_eq!(counts.precision() as f64, exact(tp, tp + fp));
                prop_assert_eq!(counts.recall() as f64, exact(tp, tp + fn_));
            }
        }
    }
}
