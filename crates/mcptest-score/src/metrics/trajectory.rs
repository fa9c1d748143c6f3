//! Trajectory: the recorded calls against the expected ones.
//!
//! passed is 1 when every run passes. mismatch_count = expected calls without a partner + recorded
//! calls without one where the mode forbids extras, summed over runs. strict (same calls, order,
//! length) and subsequence (expected in order, extras allowed) pair along a longest common
//! subsequence; superset (every expected call present), unordered (the same calls) and subset
//! (nothing outside the expected calls) by a maximum matching.

use jsonschema::Validator;
use mcptest_suite::model::{Assertion, Trajectory, TrajectoryMode};
use serde_json::Value;

use super::Tally;
use crate::align::{common_subsequence, maximum_matching};
use crate::figures::{Figures, int};
use crate::ids::Call;
use crate::matcher::{contains_all, json_equal};
use crate::result::{Detail, RunDetail};

/// The block, with its schemas compiled.
#[derive(Debug)]
pub struct Expected {
    calls: Vec<ExpectedCall>,
    mode: TrajectoryMode,
}

#[derive(Debug)]
struct ExpectedCall {
    name: String,
    args: ArgsTest,
}

#[derive(Debug)]
enum ArgsTest {
    Any,
    Exact(Value),
    Subset(Value),
    Schema(Box<Validator>),
    /// A schema that does not compile fits nothing; the loader reports it first.
    Nothing,
}

impl Expected {
    /// Compiles the block.
    pub fn new(block: &Trajectory) -> Self {
        let calls = block.calls.iter().map(|call| {
            let args = match &call.args {
                None => ArgsTest::Any,
                Some(rule) => match (&rule.exact, &rule.subset, &rule.schema) {
                    (Some(value), ..) => ArgsTest::Exact(value.clone()),
                    (_, Some(subset), _) => ArgsTest::Subset(Value::Object(subset.clone())),
                    (_, _, Some(schema)) => jsonschema::validator_for(schema)
                        .map_or(ArgsTest::Nothing, |compiled| ArgsTest::Schema(Box::new(compiled))),
                    _ => ArgsTest::Any,
                },
            };
            ExpectedCall { name: call.name.clone(), args }
        });
        Self { calls: calls.collect(), mode: block.mode }
    }
}

impl ExpectedCall {
    fn fits(&self, call: &Call<'_>, args: &Value) -> bool {
        call.matches(&self.name)
            && match &self.args {
                ArgsTest::Any => true,
                ArgsTest::Exact(value) => json_equal(value, args),
                ArgsTest::Subset(value) => contains_all(args, value),
                ArgsTest::Schema(validator) => validator.is_valid(args),
                ArgsTest::Nothing => false,
            }
    }
}

/// How one run differs from what was expected.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct RunTrajectory {
    /// Expected calls without a partner.
    pub missing: Tally,
    /// Recorded calls without one, where the mode forbids extras.
    pub extra: Tally,
}

impl RunTrajectory {
    fn mismatches(&self) -> u64 {
        self.missing.total() + self.extra.total()
    }
}

/// Judges one run.
pub fn observe(expected: &Expected, calls: &[Call<'_>]) -> RunTrajectory {
    use TrajectoryMode::{Strict, Subsequence, Subset, Superset, Unordered};
    // Each call with its arguments parsed once, and only where a rule looks at them; a call without
    // any has an empty object.
    let looked_at = expected.calls.iter().any(|call| !matches!(call.args, ArgsTest::Any));
    let args = |call: &Call<'_>| if looked_at { call.arguments_or_empty() } else { Value::Null };
    let recorded = calls.iter().map(|call| (call, args(call))).collect::<Vec<_>>();
    let fits = |wanted: &ExpectedCall, (call, args): &(&Call<'_>, Value)| wanted.fits(call, args);
    let pairs = match expected.mode {
        Strict | Subsequence => common_subsequence(&expected.calls, &recorded, fits),
        Superset | Unordered | Subset => maximum_matching(&expected.calls, &recorded, fits),
    };
    let mut run = RunTrajectory::default();
    if expected.mode != Subset {
        for (at, wanted) in expected.calls.iter().enumerate() {
            if !pairs.iter().any(|(i, _)| *i == at) {
                run.missing.add(wanted.name.clone());
            }
        }
    }
    if matches!(expected.mode, Strict | Unordered | Subset) {
        let mut paired = vec![false; calls.len()];
        pairs.iter().for_each(|(_, j)| paired[*j] = true);
        for (call, _) in calls.iter().zip(paired).filter(|(_, paired)| !paired) {
            run.extra.add(call.id());
        }
    }
    run
}

/// Folds the runs.
pub fn fold(runs: &[(u32, &RunTrajectory)]) -> Figures {
    let mut missing = Tally::default();
    let mut extra = Tally::default();
    for (_, run) in runs {
        missing.merge(&run.missing);
        extra.merge(&run.extra);
    }
    let mismatches = missing.total() + extra.total();
    let per_run =
        runs.iter().filter(|(_, run)| run.mismatches() > 0).map(|(number, run)| RunDetail {
            run: *number,
            missed_classes: Vec::new(),
            unexpected_calls: Vec::new(),
            messages: [words("missing", &run.missing), words("not expected", &run.extra)]
                .into_iter()
                .flatten()
                .collect(),
        });
    Figures {
        figures: vec![
            ("trajectory.passed", int(u64::from(mismatches == 0))),
            ("trajectory.mismatch_count", int(mismatches)),
        ],
        detail: Detail {
            per_run: Some(per_run.collect()),
            missing_calls: Some(missing.list()),
            extra_calls: Some(extra.list()),
            ..Detail::default()
        },
        ..Figures::default()
    }
}

fn words(what: &str, tally: &Tally) -> Option<String> {
    let list = tally.list();
    let ids = list.iter().map(|found| found.id.as_str()).collect::<Vec<_>>();
    (!ids.is_empty()).then(|| format!("{what}: {}", ids.join(", ")))
}

/// Every run passes.
pub fn default_gate() -> Vec<Assertion> {
    vec![Assertion::equal("trajectory.passed", 1)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{call_with, calls, resolved};
    use proptest::prelude::*;

    fn mismatches(mode: &str, expected: &[&str], recorded: &[&str]) -> u64 {
        let block: Trajectory = serde_json::from_value(serde_json::json!({
            "mode": mode, "calls": expected.iter().map(|name| serde_json::json!({"name": name})).collect::<Vec<_>>(),
        }))
        .unwrap();
        calls(recorded, |calls| observe(&Expected::new(&block), calls).mismatches())
    }

    #[test]
    fn the_five_modes() {
        for (mode, expected, recorded, count) in [
            ("strict", &["a", "b"][..], &["a", "b"][..], 0),
            ("strict", &["a", "b"], &["b", "a"], 2),
            ("strict", &["a", "b"], &["a", "b", "c"], 1),
            ("strict", &["a", "b", "c"], &["b", "c"], 1),
            ("strict", &["a", "b"], &["a", "x"], 2),
            ("strict", &[], &[], 0),
            ("subsequence", &["a", "c"], &["a", "b", "c"], 0),
            ("subsequence", &["a", "c"], &["c", "b", "a"], 1),
            ("superset", &["a", "c"], &["c", "b", "a"], 0),
            ("superset", &["a", "a"], &["a"], 1),
            ("unordered", &["a", "b"], &["b", "a"], 0),
            ("unordered", &["a", "b"], &["b", "a", "a"], 1),
            ("unordered", &["a", "b"], &["c"], 3),
            ("subset", &["a", "b"], &["b"], 0),
            ("subset", &["a", "b"], &[], 0),
            ("subset", &["a", "b"], &["b", "b"], 1),
            ("subset", &["a"], &["x", "a"], 1),
        ] {
            assert_eq!(
                mismatches(mode, expected, recorded),
                count,
                "{mode} {expected:?} {recorded:?}"
            );
        }
    }

    #[test]
    fn arguments_may_be_exact_a_subset_or_a_schema() {
        let fits = |rule: &str, args: &str| {
            let block: Trajectory =
                serde_json::from_str(&format!(r#"{{"calls":[{{"name":"a","args":{rule}}}]}}"#))
                    .unwrap();
            resolved(&[call_with("s.a", args)], |calls| {
                observe(&Expected::new(&block), calls).mismatches() == 0
            })
        };
        assert!(fits(r#"{"exact":{"x":1,"y":[2]}}"#, r#"{"y":[2.0],"x":1}"#));
        assert!(!fits(r#"{"exact":{"x":1}}"#, r#"{"x":1,"y":2}"#));
        assert!(fits(r#"{"subset":{"x":{"z":1}}}"#, r#"{"x":{"z":1,"w":2},"y":2}"#));
        assert!(!fits(r#"{"subset":{"x":2}}"#, r#"{"x":1}"#));
        assert!(fits(r#"{"schema":{"required":["x"]}}"#, r#"{"x":1}"#));
        assert!(!fits(r#"{"schema":{"required":["x"]}}"#, "{}"));
    }

    #[test]
    fn the_matching_is_maximum_where_greedy_pairing_fails() {
        // The loose first rule must leave the call with x = 1 to the strict second one.
        let block: Trajectory = serde_json::from_str(
            r#"{"mode":"unordered","calls":[{"name":"a"},{"name":"a","args":{"exact":{"x":1}}}]}"#,
        )
        .unwrap();
        let recorded = [call_with("a", r#"{"x":1}"#), call_with("a", r#"{"x":2}"#)];
        assert_eq!(
            resolved(&recorded, |calls| observe(&Expected::new(&block), calls).mismatches()),
            0
        );
    }

    proptest! {
        #[test]
        fn unordered_modes_equal_multiset_arithmetic(expected in prop::collection::vec("[abc]", 0..6), recorded in prop::collection::vec("[abcd]", 0..6)) {
            // Without argument rules a maximum matching pairs min(count, count) of each name.
            let count = |list: &[String], name: &str| list.iter().filter(|other| *other == name).count() as u64;
            let paired = ["a", "b", "c"].iter().map(|name| count(&expected, name).min(count(&recorded, name))).sum::<u64>();
            let (missing, extra) = (expected.len() as u64 - paired, recorded.len() as u64 - paired);
            let expected = expected.iter().map(String::as_str).collect::<Vec<_>>();
            let recorded = recorded.iter().map(String::as_str).collect::<Vec<_>>();
            prop_assert_eq!(mismatches("unordered", &expected, &recorded), missing + extra);
            prop_assert_eq!(mismatches("superset", &expected, &recorded), missing);
            prop_assert_eq!(mismatches("subset", &expected, &recorded), extra);
            prop_assert_eq!(mismatches("strict", &expected, &recorded) == 0, expected == recorded);
        }
    }
}
