//! Trajectory axes: dependencies and order between tools.
//!
//! A dependency holds when the consumer is called and every consumer call has an earlier successful
//! producer call. An order holds when the first call of `first` comes before the first of `second`.
//! Both are floored percents of held over declared, over all runs; an empty list is 100.

use mcptest_suite::model::{Assertion, Dependency, OrderRule, TrajectoryAxes};

use super::Tally;
use crate::figures::{Figures, int, percent_floor};
use crate::ids::Call;
use crate::result::{Detail, RunDetail};

/// Which pairs did not hold in one run, by position.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct RunAxes {
    broken_dependencies: Vec<usize>,
    broken_orders: Vec<usize>,
}

/// Judges one run.
pub fn observe(block: &TrajectoryAxes, calls: &[Call<'_>]) -> RunAxes {
    let dependencies = block.dependencies.as_deref().unwrap_or_default();
    let orders = block.order.as_deref().unwrap_or_default();
    let broken = |held: Vec<bool>| {
        held.iter().enumerate().filter(|(_, held)| !**held).map(|(at, _)| at).collect()
    };
    RunAxes {
        broken_dependencies: broken(dependencies.iter().map(|pair| depends(pair, calls)).collect()),
        broken_orders: broken(orders.iter().map(|pair| ordered(pair, calls)).collect()),
    }
}

fn depends(pair: &Dependency, calls: &[Call<'_>]) -> bool {
    // The first successful producer call serves every consumer call after it.
    let produced = calls.iter().position(|call| !call.is_error() && call.matches(&pair.producer));
    let consumed = calls.iter().position(|call| call.matches(&pair.consumer));
    matches!((produced, consumed), (Some(produced), Some(consumed)) if produced < consumed)
}

fn ordered(pair: &OrderRule, calls: &[Call<'_>]) -> bool {
    let first = calls.iter().position(|call| call.matches(&pair.first));
    let second = calls.iter().position(|call| call.matches(&pair.second));
    matches!((first, second), (Some(first), Some(second)) if first < second)
}

/// Folds the runs.
pub fn fold(block: &TrajectoryAxes, runs: &[(u32, &RunAxes)]) -> Figures {
    let dependencies = block.dependencies.as_deref().unwrap_or_default();
    let orders = block.order.as_deref().unwrap_or_default();
    let satisfaction = |declared: usize, broken: usize| {
        let all = (declared * runs.len()) as u64;
        int(if declared == 0 { 100 } else { percent_floor(all - broken as u64, all) })
    };
    let name_dependency =
        |at: &usize| format!("{} → {}", dependencies[*at].producer, dependencies[*at].consumer);
    let name_order = |at: &usize| format!("{} before {}", orders[*at].first, orders[*at].second);
    let mut broken = Tally::default();
    let mut per_run = Vec::new();
    for (number, run) in runs {
        let names = run
            .broken_dependencies
            .iter()
            .map(name_dependency)
            .chain(run.broken_orders.iter().map(name_order));
        let names = names.collect::<Vec<_>>();
        names.iter().for_each(|name| broken.add(name.clone()));
        if !names.is_empty() {
            let messages = vec![format!("did not hold: {}", names.join(", "))];
            per_run.push(RunDetail {
                run: *number,
                missed_classes: Vec::new(),
                unexpected_calls: Vec::new(),
                messages,
            });
        }
    }
    let sum = |field: fn(&RunAxes) -> usize| runs.iter().map(|(_, run)| field(run)).sum::<usize>();
    Figures {
        figures: vec![
            (
                "trajectory.dependency_satisfaction",
                satisfaction(dependencies.len(), sum(|run| run.broken_dependencies.len())),
            ),
            (
                "trajectory.order_satisfaction",
                satisfaction(orders.len(), sum(|run| run.broken_orders.len())),
            ),
        ],
        by_rule: [
            ("trajectory.dependency_satisfaction", dependencies.is_empty()),
            ("trajectory.order_satisfaction", orders.is_empty()),
        ]
        .into_iter()
        .filter_map(|(target, empty)| empty.then_some(target))
        .collect(),
        detail: Detail {
            broken_pairs: Some(broken.list()),
            per_run: Some(per_run),
            ..Detail::default()
        },
        ..Figures::default()
    }
}

/// Everything declared holds.
pub fn default_gate(block: &TrajectoryAxes) -> Vec<Assertion> {
    let mut gate = Vec::new();
    if block.dependencies.as_ref().is_some_and(|list| !list.is_empty()) {
        gate.push(Assertion::at_least("trajectory.dependency_satisfaction", 100));
    }
    if block.order.as_ref().is_some_and(|list| !list.is_empty()) {
        gate.push(Assertion::at_least("trajectory.order_satisfaction", 100));
    }
    gate
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{call_of, failed, resolved};
    use mcptest_trace::ToolCall;
    use proptest::prelude::*;

    fn block(json: &str) -> TrajectoryAxes {
        serde_json::from_str(json).unwrap()
    }

    fn satisfied(block: &TrajectoryAxes, runs: &[Vec<ToolCall>]) -> (u64, u64) {
        let observed =
            runs.iter().map(|run| resolved(run, |calls| observe(block, calls))).collect::<Vec<_>>();
        let figures = fold(block, &(1..).zip(&observed).collect::<Vec<_>>());
        let number =
            |target: &str| figures.get(target).unwrap().as_ref().unwrap().as_u64().unwrap();
        (number("trajectory.dependency_satisfaction"), number("trajectory.order_satisfaction"))
    }

    #[test]
    fn a_consumer_needs_a_successful_producer_before_it() {
        let axes = block(r#"{"dependencies":[{"producer":"login","consumer":"send"}]}"#);
        let held = |run: &[ToolCall]| satisfied(&axes, &[run.to_vec()]).0;
        assert_eq!(held(&[call_of("login"), call_of("send"), call_of("send")]), 100);
        assert_eq!(held(&[failed("login"), call_of("send")]), 0);
        assert_eq!(held(&[failed("login"), call_of("login"), call_of("send")]), 100);
        assert_eq!(held(&[call_of("send"), call_of("login"), call_of("send")]), 0);
        assert_eq!(held(&[call_of("login")]), 0);
        assert_eq!(held(&[]), 0);
    }

    #[test]
    fn order_looks_at_first_calls_and_percents_are_floored_over_runs() {
        let axes = block(r#"{"order":[{"first":"a","second":"b"}]}"#);
        let good = vec![call_of("a"), call_of("b"), call_of("a")];
        let bad = vec![call_of("b"), call_of("a")];
        assert_eq!(satisfied(&axes, &[good.clone(), good, bad]), (100, 66));
    }

    proptest! {
        #[test]
        fn dependencies_equal_the_words_of_the_contract(run in prop::collection::vec((0usize..3, any::<bool>()), 0..7)) {
            const IDS: [&str; 3] = ["p", "c", "x"];
            let calls = run.iter().map(|(tool, bad)| if *bad { failed(IDS[*tool]) } else { call_of(IDS[*tool]) }).collect::<Vec<_>>();
            let consumers = (0..run.len()).filter(|at| run[*at].0 == 1).collect::<Vec<_>>();
            let holds = !consumers.is_empty()
                && consumers.iter().all(|at| run[..*at].iter().any(|(tool, bad)| *tool == 0 && !bad));
            let axes = block(r#"{"dependencies":[{"producer":"p","consumer":"c"}]}"#);
            prop_assert_eq!(satisfied(&axes, &[calls]).0, if holds { 100 } else { 0 });
        }
    }
}
