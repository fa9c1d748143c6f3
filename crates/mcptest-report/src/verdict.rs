//! The headline of a result: the verdict and the sums behind it.

use mcptest_score::result::{ResultDocument, Tally};

use crate::words::{count, money, row_noun, thousands};

/// What a result comes down to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Everything held, on evidence.
    Passed,
    /// A run or a gate failed.
    Failed,
    /// Something outside stopped the measuring.
    Open,
    /// Nothing was there to measure.
    NothingSelected,
}

impl Verdict {
    /// The verdict that goes with the exit code.
    ///
    /// A result in which nothing passed, or a gate had no run to judge, is never called passed.
    pub fn of(doc: &ResultDocument) -> Self {
        let totals = &doc.totals;
        match doc.exit_code() {
            0 if totals.gates.inconclusive > 0 || totals.all.passed == 0 => Self::Open,
            0 => Self::Passed,
            1 => Self::Failed,
            4 => Self::NothingSelected,
            _ => Self::Open,
        }
    }

    /// The words of the headline.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Passed => "PASSED",
            Self::Failed => "FAILED",
            Self::Open => "NO VERDICT",
            Self::NothingSelected => "NOTHING SELECTED",
        }
    }
}

/// `1 of 3 gates failed`, `7 of 8 runs passed, 1 inconclusive`, `1,520 tokens`, `$0.0123`.
pub fn summary(doc: &ResultDocument) -> Vec<String> {
    let totals = &doc.totals;
    let mut parts = Vec::new();
    if totals.gates.failed > 0 {
        let gates = Tally { failed: 0, ..totals.gates };
        let failed = format!("{} of {} failed", totals.gates.failed, count(gates.total, "gate"));
        parts.push(failed + &others(&gates));
    } else if totals.gates.total > 0 {
        parts.push(passed(&totals.gates, "gate"));
    }
    if totals.rows.total > 0 {
        parts.push(passed(&totals.rows, row_noun(doc)));
    }
    if !doc.errors.is_empty() {
        parts.push(count(doc.errors.len() as u64, "error"));
    }
    if totals.tokens > 0 {
        parts.push(format!("{} tokens", thousands(totals.tokens)));
    }
    parts.extend(totals.cost_usd.as_ref().map(money));
    parts
}

/// `8 runs passed` or `7 of 8 runs passed, 1 inconclusive`.
fn passed(tally: &Tally, noun: &str) -> String {
    if tally.passed == tally.total {
        return format!("{} passed", count(tally.total, noun));
    }
    let passed = format!("{} of {} passed", tally.passed, count(tally.total, noun));
    passed + &others(tally)
}

/// `, 1 failed, 2 skipped`: whatever did not pass.
fn others(tally: &Tally) -> String {
    let mut out = String::new();
    for (number, word) in [
        (tally.failed, "failed"),
        (tally.inconclusive, "inconclusive"),
        (tally.error, "stopped by an error"),
        (tally.skipped, "skipped"),
    ] {
        if number > 0 {
            out += &format!(", {number} {word}");
        }
    }
    out
}
