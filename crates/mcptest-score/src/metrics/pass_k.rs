//! Pass^k: how often the expected tool is selected, and within which budget.
//!
//! A run selects when any call matches `expected_tool`. selection_rate = selected / runs; pass_k =
//! runs that selected AND kept within `max_total_tokens`, over runs. The floor passes when
//! selected/runs >= min_selection_rate, the decimal taken exactly as written, AND every run kept the
//! budget. Absent tokens: the budget cannot be checked, and the floor fails saying so. Reported,
//! never gated: pass^j = C(c,j)/C(n,j) and pass@j = 1 − C(n−c,j)/C(n,j) for j = 1..min(n,100).

use indexmap::IndexSet;
use mcptest_suite::model::ToolSelection;
use serde_json::Number;

use crate::figures::{Figure, Figures, decimal, int, percent_floor};
use crate::ids::Call;
use crate::result::{Curves, Detail, FloorRun};

/// What one run selected and spent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunPick {
    /// Whether the expected tool was called.
    pub selected: bool,
    /// Tokens of the conversation.
    pub tokens: Option<u64>,
    /// What was called instead, each once, where it was not.
    pub called: Vec<String>,
}

/// Judges one run.
pub fn observe(block: &ToolSelection, calls: &[Call<'_>], tokens: Option<u64>) -> RunPick {
    let selected = calls.iter().any(|call| call.matches(&block.expected_tool));
    let called = if selected {
        IndexSet::new()
    } else {
        calls.iter().map(|call| call.name).collect::<IndexSet<_>>()
    };
    let called = called.into_iter().map(str::to_owned).collect();
    RunPick { selected, tokens, called }
}

/// The floor of one cell.
#[derive(Debug, Clone)]
pub struct FloorVerdict {
    /// Figures and curves.
    pub figures: Figures,
    /// Whether enough runs selected the tool.
    pub rate_met: bool,
    /// Whether every run kept the budget; none where that cannot be told.
    pub budget_kept: Option<bool>,
    /// Runs that selected.
    pub selected: u64,
    /// Each run.
    pub per_run: Vec<FloorRun>,
    /// The lines for stderr.
    pub lines: Vec<String>,
}

impl FloorVerdict {
    /// Whether the floor holds.
    pub fn passed(&self) -> bool {
        self.rate_met && self.budget_kept == Some(true)
    }
}

/// Folds the runs; `name` is the cell's label.
pub fn fold(block: &ToolSelection, name: &str, runs: &[(u32, &RunPick)]) -> FloorVerdict {
    let total = runs.len() as u64;
    let over = |run: &RunPick| {
        block.max_total_tokens.map_or(Some(false), |cap| run.tokens.map(|tokens| tokens > cap))
    };
    let selected = runs.iter().filter(|(_, run)| run.selected).count() as u64;
    let good =
        runs.iter().filter(|(_, run)| run.selected && over(run) == Some(false)).count() as u64;
    let unknown = runs.iter().filter(|(_, run)| over(run).is_none()).count() as u64;
    let exceeded = runs.iter().filter(|(_, run)| over(run) == Some(true)).count() as u64;
    let mut tokens = runs.iter().filter_map(|(_, run)| run.tokens).collect::<Vec<_>>();
    tokens.sort_unstable();
    let share = |part: u64| {
        if total == 0 {
            Err("no run was scored".to_owned())
        } else {
            decimal(part as f64 / total as f64)
        }
    };
    let without = total - tokens.len() as u64;
    let token_figure = |value: Option<u64>| match value {
        Some(value) if without == 0 => int(value),
        _ => Err(format!("{without} of {total} runs carry no token count")),
    };
    let pass_k = if unknown == 0 {
        share(good)
    } else {
        Err(format!(
            "{unknown} of {total} runs carry no token count, so the budget cannot be checked"
        ))
    };
    let per_run = runs.iter().map(|(number, run)| FloorRun {
        run: *number,
        selected: run.selected,
        tokens: run.tokens,
        over_budget: over(run),
        called: run.called.clone(),
    });
    let curves = (unknown == 0).then(|| curves(total, good));
    let verdict = FloorVerdict {
        rate_met: total > 0 && block.min_selection_rate.is_met_by(selected, total),
        budget_kept: if unknown > 0 { None } else { Some(exceeded == 0) },
        selected,
        per_run: per_run.collect(),
        lines: Vec::new(),
        figures: Figures {
            figures: vec![
                ("tool_selection.selection_rate", share(selected)),
                ("tool_selection.pass_k", pass_k),
                ("tool_selection.tokens_median", token_figure(median(&tokens))),
                ("tool_selection.tokens_max", token_figure(tokens.last().copied())),
            ],
            detail: Detail { curves, ..Detail::default() },
            ..Figures::default()
        },
    };
    let lines = lines(block, name, &verdict, good, exceeded, unknown);
    FloorVerdict { lines, ..verdict }
}

/// The middle value; of an even count the floor of the mean of the middle two.
fn median(sorted: &[u64]) -> Option<u64> {
    let last = sorted.len().checked_sub(1)?;
    let (low, high) = (sorted[last / 2], sorted[last.div_ceil(2)]);
    Some(low + (high - low) / 2)
}

/// pass^j and pass@j for j = 1..min(n, 100).
pub fn curves(total: u64, good: u64) -> Curves {
    let number = |value: f64| decimal(value).unwrap_or_else(|_| Number::from(0));
    let steps = 1..=total.min(100);
    Curves {
        pass_pow: steps.clone().map(|j| number(all_drawn_from(good, total, j))).collect(),
        pass_at: steps.map(|j| number(1.0 - all_drawn_from(total - good, total, j))).collect(),
    }
}

/// C(part, j) / C(whole, j): the chance that j draws without replacement all come from the part.
fn all_drawn_from(part: u64, whole: u64, j: u64) -> f64 {
    if j > part {
        return 0.0;
    }
    (0..j).map(|i| (part - i) as f64 / (whole - i) as f64).product()
}

/// The lines that go to stderr; scripts read them, so every letter counts.
fn lines(
    block: &ToolSelection,
    name: &str,
    verdict: &FloorVerdict,
    good: u64,
    exceeded: u64,
    unknown: u64,
) -> Vec<String> {
    let total = verdict.per_run.len() as u64;
    let selected = verdict.selected;
    let tool = &block.expected_tool;
    let word = if verdict.passed() { "PASS" } else { "FAIL" };
    let pass_k = if unknown == 0 {
        format!("{}%", percent_floor(good, total))
    } else {
        "unknown".to_owned()
    };
    let figure =
        |target: &str| verdict.figures.get(target).and_then(|figure: &Figure| figure.as_ref().ok());
    let tokens = match (figure("tool_selection.tokens_median"), figure("tool_selection.tokens_max"))
    {
        (Some(median), Some(max)) => format!("{median} median / {max} max"),
        _ => "unknown".to_owned(),
    };
    let mut lines = vec![format!(
        "tool-selection floor [{word}] {name}: selection {selected}/{total} ({}%), pass^k {pass_k}, tokens {tokens}",
        percent_floor(selected, total)
    )];
    if verdict.passed() {
        return lines;
    }
    if !verdict.rate_met {
        lines.push(format!(
            "FLOOR {name}: selection rate {}% is below the {}% floor ({selected} of {total} runs selected `{tool}`)",
            percent_floor(selected, total),
            block.min_selection_rate.percent(),
        ));
    }
    if let (true, Some(cap)) = (exceeded > 0, block.max_total_tokens) {
        let worst = verdict.per_run.iter().filter_map(|run| run.tokens).max().unwrap_or_default();
        lines.push(format!("FLOOR {name}: {exceeded} of {total} runs exceeded the {cap}-token budget (worst run {worst} tokens)"));
    }
    if let (true, Some(cap)) = (unknown > 0, block.max_total_tokens) {
        lines.push(format!(
            "FLOOR {name}: the {cap}-token budget cannot be checked ({unknown} of {total} runs carry no token count)"
        ));
    }
    lines.extend(verdict.per_run.iter().filter_map(|run| missed_line(tool, run)));
    lines
}

/// `  run 4: 2400 tokens, over budget; did not select `x`, called a, b`.
fn missed_line(tool: &str, run: &FloorRun) -> Option<String> {
    let mut reasons = Vec::new();
    if let (Some(true), Some(tokens)) = (run.over_budget, run.tokens) {
        reasons.push(format!("{tokens} tokens, over budget"));
    }
    if !run.selected {
        let called =
            if run.called.is_empty() { "nothing".to_owned() } else { run.called.join(", ") };
        reasons.push(format!("did not select `{tool}`, called {called}"));
    }
    if reasons.is_empty() {
        return None;
    }
    Some(format!("  run {}: {}", run.run, reasons.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::calls;
    use proptest::prelude::*;

    fn block(rate: f64, cap: Option<u64>) -> ToolSelection {
        serde_json::from_value(serde_json::json!({
            "expected_tool": "get_weather", "min_selection_rate": rate, "max_total_tokens": cap,
        }))
        .unwrap()
    }

    fn run(called: &[&str], tokens: Option<u64>) -> RunPick {
        calls(called, |calls| observe(&block(0.8, None), calls, tokens))
    }

    fn folded(block: &ToolSelection, runs: &[RunPick]) -> FloorVerdict {
        let numbered = (1..).zip(runs).collect::<Vec<_>>();
        fold(block, "weather selection", &numbered)
    }

    #[test]
    fn the_pass_line() {
        let tokens = [1200, 1300, 1400, 1500, 1510, 1530, 1600, 1700, 1800, 1840];
        let mut runs =
            tokens.iter().map(|tokens| run(&["get_weather"], Some(*tokens))).collect::<Vec<_>>();
        runs[3] = run(&["search"], Some(1500));
        let verdict = folded(&block(0.8, Some(2000)), &runs);
        assert!(verdict.passed());
        assert_eq!(
            verdict.lines,
            [
                "tool-selection floor [PASS] weather selection: selection 9/10 (90%), pass^k 90%, tokens 1520 median / 1840 max"
            ]
        );
    }

    #[test]
    fn the_floor_lines() {
        let hit = |tokens| run(&["get_weather"], Some(tokens));
        let runs = [
            hit(1000),
            hit(1000),
            hit(1000),
            hit(2400),
            hit(2500),
            hit(3120),
            run(&["search"], Some(900)),
            run(&["search", "fetch", "search"], Some(900)),
            run(&[], Some(900)),
            run(&["search"], Some(900)),
        ];
        let verdict = folded(&block(0.8, Some(2000)), &runs);
        assert!(!verdict.passed());
        assert_eq!(
            verdict.lines[1..],
            [
                "FLOOR weather selection: selection rate 60% is below the 80% floor (6 of 10 runs selected `get_weather`)",
                "FLOOR weather selection: 3 of 10 runs exceeded the 2000-token budget (worst run 3120 tokens)",
                "  run 4: 2400 tokens, over budget",
                "  run 5: 2500 tokens, over budget",
                "  run 6: 3120 tokens, over budget",
                "  run 7: did not select `get_weather`, called search",
                "  run 8: did not select `get_weather`, called search, fetch",
                "  run 9: did not select `get_weather`, called nothing",
                "  run 10: did not select `get_weather`, called search",
            ]
        );
    }

    #[test]
    fn both_misses_of_a_run_stand_in_one_line() {
        let verdict = folded(&block(0.5, Some(2000)), &[run(&["search"], Some(2400))]);
        assert_eq!(
            verdict.lines.last().unwrap(),
            "  run 1: 2400 tokens, over budget; did not select `get_weather`, called search"
        );
    }

    #[test]
    fn the_budget_is_all_or_nothing() {
        let mut runs = vec![run(&["get_weather"], Some(10)); 9];
        runs.push(run(&["get_weather"], Some(2001)));
        let verdict = folded(&block(0.5, Some(2000)), &runs);
        assert!(verdict.rate_met && !verdict.passed());
        assert_eq!(
            verdict.figures.get("tool_selection.pass_k").unwrap().as_ref().unwrap().to_string(),
            "0.9"
        );
    }

    #[test]
    fn absent_tokens_fail_a_budget_and_say_so() {
        let runs = [run(&["get_weather"], Some(10)), run(&["get_weather"], None)];
        let with_budget = folded(&block(0.5, Some(2000)), &runs);
        assert!(!with_budget.passed());
        assert!(
            with_budget.lines[1].contains("cannot be checked (1 of 2 runs carry no token count)")
        );
        assert!(with_budget.figures.get("tool_selection.pass_k").unwrap().is_err());
        let without_budget = folded(&block(0.5, None), &runs);
        assert!(without_budget.passed());
        assert!(without_budget.lines[0].ends_with("pass^k 100%, tokens unknown"));
    }

    #[test]
    fn the_median_of_an_even_count_is_floored() {
        assert_eq!(median(&[1, 2]), Some(1));
        assert_eq!(median(&[1, 2, 10]), Some(2));
        assert_eq!(median(&[5]), Some(5));
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[u64::MAX - 1, u64::MAX]), Some(u64::MAX - 1));
    }

    proptest! {
        #[test]
        fn curves_equal_the_enumeration_of_all_subsets(outcomes in prop::collection::vec(any::<bool>(), 1..11)) {
            let total = outcomes.len();
            let good = outcomes.iter().filter(|good| **good).count();
            let curves = curves(total as u64, good as u64);
            for j in 1..=total {
                let (mut subsets, mut all, mut any) = (0u32, 0u32, 0u32);
                for mask in 0u32..1 << total {
                    if mask.count_ones() as usize != j { continue }
                    subsets += 1;
                    let drawn = (0..total).filter(|i| mask >> i & 1 == 1).map(|i| outcomes[i]).collect::<Vec<_>>();
                    all += u32::from(drawn.iter().all(|good| *good));
                    any += u32::from(drawn.iter().any(|good| *good));
                }
                let close = |number: &Number, count: u32| (number.as_f64().unwrap() - f64::from(count) / f64::from(subsets)).abs() <= 0.5e-4 + 1e-12;
                prop_assert!(close(&curves.pass_pow[j - 1], all), "pass^{}", j);
                prop_assert!(close(&curves.pass_at[j - 1], any), "pass@{}", j);
            }
        }
    }
}
