//! Tool edges: which tools and hand-overs are allowed, required and forbidden.
//!
//! allowed_pct: declared allowed ids called at least once in any run / declared, floored; none
//! declared: 100. restricted_attempts: calls to restricted ids, over all runs (a call whose server is
//! unknown counts if every id it can mean is restricted; if only some are, the figure is absent). delegation_pct:
//! declared hand-overs seen in any run's `delegations` / declared, floored; absent where a run
//! records none at all.

use mcptest_suite::model::{Assertion, DelegationRule, ToolEdges};
use mcptest_trace::Delegation;

use super::Tally;
use crate::figures::{Figure, Figures, int, percent_floor};
use crate::ids::{Call, IdIndex, refs};
use crate::result::{Detail, RunDetail};

/// The block with its ids indexed.
#[derive(Debug)]
pub struct Edges {
    allowed: IdIndex,
    restricted: IdIndex,
}

impl Edges {
    /// Indexes the block's ids.
    pub fn new(block: &ToolEdges) -> Self {
        Self {
            allowed: IdIndex::new(block.allowed.iter().map(std::slice::from_ref)),
            restricted: IdIndex::new([block.restricted.as_slice()]),
        }
    }
}

/// Which edges one run used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct RunEdges {
    /// Positions of the allowed ids that were called.
    allowed: Box<[usize]>,
    /// Restricted calls.
    restricted: Tally,
    /// Names that may be restricted or allowed.
    undecided: Vec<String>,
    /// Positions of the hand-overs that were seen; none where the trace records no delegations.
    delegated: Option<Vec<usize>>,
}

/// Judges one run.
pub fn observe(
    block: &ToolEdges,
    edges: &Edges,
    calls: &[Call<'_>],
    delegations: Option<&[Delegation]>,
) -> RunEdges {
    let mut run = RunEdges {
        delegated: delegations.map(|seen| delegated(block, seen)),
        ..RunEdges::default()
    };
    let mut called = vec![false; block.allowed.len()];
    let mut buffer = String::new();
    for call in calls {
        let mut restricted = false;
        edges.restricted.each(call, &mut buffer, |_| restricted = true);
        edges.allowed.each(call, &mut buffer, |at| called[at] = true);
        if restricted || is_surely_restricted(block, call) {
            run.restricted.add(call.id());
        } else if call.is_undecided(&refs(&block.restricted)) {
            run.undecided.push(call.name.to_owned());
        }
    }
    run.allowed = (0..called.len()).filter(|at| called[*at]).collect();
    run
}

/// A call without server whose every declared meaning is restricted.
fn is_surely_restricted(block: &ToolEdges, call: &Call<'_>) -> bool {
    call.server.is_none()
        && call.is_undecided(&refs(&block.restricted))
        && !call.is_undecided(&refs(&block.allowed))
}

fn delegated(block: &ToolEdges, seen: &[Delegation]) -> Vec<usize> {
    let happened = |rule: &DelegationRule| {
        seen.iter().any(|edge| edge.from == rule.from && edge.to == rule.to)
    };
    (0..block.delegation.len()).filter(|at| happened(&block.delegation[*at])).collect()
}

/// Folds the runs.
pub fn fold(block: &ToolEdges, runs: &[(u32, &RunEdges)]) -> Figures {
    let covered = |at: usize| runs.iter().any(|(_, run)| run.allowed.contains(&at));
    let allowed = (0..block.allowed.len()).filter(|at| covered(*at)).count();
    let mut restricted = Tally::default();
    runs.iter().for_each(|(_, run)| restricted.merge(&run.restricted));
    let mut uncovered = (0..block.allowed.len())
        .filter(|at| !covered(*at))
        .map(|at| block.allowed[at].clone())
        .collect::<Vec<_>>();
    let delegation = delegation(block, runs, &mut uncovered);
    let undecided = runs.iter().find_map(|(number, run)| Some((number, run.undecided.first()?)));
    let attempts = match undecided {
        Some((number, name)) => Err(format!(
            "run {number} calls `{name}`, which may be restricted: the trace names no server"
        )),
        None => int(restricted.total()),
    };
    let per_run =
        runs.iter().filter(|(_, run)| !run.restricted.is_empty()).map(|(number, run)| RunDetail {
            run: *number,
            missed_classes: Vec::new(),
            unexpected_calls: run.restricted.list(),
            messages: Vec::new(),
        });
    Figures {
        figures: vec![
            ("edges.allowed_pct", int(share(allowed, block.allowed.len()))),
            ("edges.restricted_attempts", attempts),
            ("edges.delegation_pct", delegation),
        ],
        vacuous: false,
        by_rule: [
            ("edges.allowed_pct", block.allowed.is_empty()),
            // Without a restricted list the default gate cannot fail.
            ("edges.restricted_attempts", block.restricted.is_empty()),
            ("edges.delegation_pct", block.delegation.is_empty()),
        ]
        .into_iter()
        .filter_map(|(target, empty)| empty.then_some(target))
        .collect(),
        notes: Vec::new(),
        detail: Detail {
            restricted_calls: Some(restricted.list()),
            uncovered: Some(uncovered),
            per_run: Some(per_run.collect()),
            ..Detail::default()
        },
    }
}

fn share(part: usize, whole: usize) -> u64 {
    if whole == 0 { 100 } else { percent_floor(part as u64, whole as u64) }
}

fn delegation(block: &ToolEdges, runs: &[(u32, &RunEdges)], uncovered: &mut Vec<String>) -> Figure {
    if let (false, Some((number, _))) =
        (block.delegation.is_empty(), runs.iter().find(|(_, run)| run.delegated.is_none()))
    {
        return Err(format!("run {number} records no delegations"));
    }
    let seen = |at: usize| {
        runs.iter().any(|(_, run)| run.delegated.as_ref().is_some_and(|list| list.contains(&at)))
    };
    let (mut found, declared) = (0, &block.delegation);
    for (at, rule) in declared.iter().enumerate() {
        if seen(at) {
            found += 1;
        } else {
            uncovered.push(format!("{} → {}", rule.from, rule.to));
        }
    }
    int(share(found, declared.len()))
}

/// Nothing forbidden is tried.
pub fn default_gate() -> Vec<Assertion> {
    vec![Assertion::at_most("edges.restricted_attempts", 0)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::calls;

    fn figures(json: &str, runs: &[&[&str]], delegations: Option<&[Delegation]>) -> Figures {
        let block: ToolEdges = serde_json::from_str(json).unwrap();
        let observed = runs
            .iter()
            .map(|run| calls(run, |calls| observe(&block, &Edges::new(&block), calls, delegations)))
            .collect::<Vec<_>>();
        fold(&block, &(1..).zip(&observed).collect::<Vec<_>>())
    }

    fn number(figures: &Figures, word: &str) -> u64 {
        figures.get(&format!("edges.{word}")).unwrap().as_ref().unwrap().as_u64().unwrap()
    }

    #[test]
    fn coverage_is_over_all_runs_and_attempts_are_calls() {
        let json = r#"{"allowed":["a","b","c"],"restricted":["s.rm"]}"#;
        let found = figures(json, &[&["a", "s.rm", "s.rm"], &["b", "t.rm"]], None);
        assert_eq!(number(&found, "allowed_pct"), 66);
        assert_eq!(number(&found, "restricted_attempts"), 2);
        assert_eq!(found.detail.uncovered.unwrap(), ["c"]);
    }

    #[test]
    fn delegations_come_from_the_trace() {
        let json = r#"{"delegation":[{"from":"lead","to":"coder"},{"from":"lead","to":"tester"}]}"#;
        let edge = |from: &str, to: &str| Delegation { from: from.to_owned(), to: to.to_owned() };
        let seen = figures(json, &[&[]], Some(&[edge("lead", "coder"), edge("coder", "tester")]));
        assert_eq!(number(&seen, "delegation_pct"), 50);
        assert!(figures(json, &[&[]], None).get("edges.delegation_pct").unwrap().is_err());
        assert_eq!(
            number(&figures(r#"{"restricted":["x"]}"#, &[&[]], None), "delegation_pct"),
            100
        );
    }

    #[test]
    fn a_default_gate_that_cannot_fail_says_so() {
        let found = figures(r#"{"allowed":["a"]}"#, &[&["a"]], None);
        assert_eq!(found.by_rule, ["edges.restricted_attempts", "edges.delegation_pct"]);
    }

    #[test]
    fn a_call_of_unknown_server_is_an_attempt_if_every_meaning_is_restricted() {
        let both =
            figures(r#"{"restricted":["prod.delete","staging.delete"]}"#, &[&["delete"]], None);
        assert_eq!(number(&both, "restricted_attempts"), 1);
        let one = figures(
            r#"{"allowed":["dev.delete"],"restricted":["prod.delete"]}"#,
            &[&["delete"]],
            None,
        );
        assert!(one.get("edges.restricted_attempts").unwrap().is_err());
    }
}
