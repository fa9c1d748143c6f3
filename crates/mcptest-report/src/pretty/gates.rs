//! Gates on a terminal.

use anstyle::Style;
use mcptest_score::result::{Gate, ResultDocument, Status};

use super::{Options, WIDEST_NAME, curve, page::Page};
use crate::findings::{self, Comparison, Fact, name};
use crate::text::{columns, message};
use crate::words;

/// A gate that failed or gave no verdict: assertions, facts, runs.
pub fn in_detail(page: &mut Page, doc: &ResultDocument, gate: &Gate) {
    let found = findings::of(doc, gate);
    let (mark, style) = match gate.status() {
        Status::Failed => ("✗", page.palette.bad),
        _ => ("?", page.palette.open),
    };
    page.wrapped(2, &format!("{mark} {}", message(&gate.name)), style);
    if gate.vacuous {
        page.wrapped(6, "vacuous: scored by rule, without evidence", page.palette.open);
    }
    comparisons(page, &found.comparisons);
    facts(page, &found.facts);
    curve::draw(page, gate);
    let dim = page.palette.dim;
    for run in &found.runs {
        page.wrapped(6, run, dim);
    }
}

/// Actual beside expected, in columns.
fn comparisons(page: &mut Page, comparisons: &[Comparison]) {
    let widest = |texts: fn(&Comparison) -> &str, most: usize| {
        comparisons
            .iter()
            .map(|made| columns(texts(made)))
            .filter(|wide| *wide <= most)
            .max()
            .unwrap_or(0)
    };
    let targets = widest(|made| &made.target, WIDEST_NAME);
    let actuals = widest(|made| &made.actual, 16);
    let (bad, dim) = (page.palette.bad, page.palette.dim);
    for made in comparisons {
        let pad = " ".repeat(actuals.saturating_sub(columns(&made.actual)));
        let text = format!("{pad}{}   expected {}", made.actual, made.expected);
        if columns(&text) + targets + 9 > page.width() || columns(&made.target) > targets {
            page.wrapped(6, &made.target, Style::new());
            page.wrapped(10, &format!("found {}", made.actual), bad);
            page.wrapped(10, &format!("expected {}", made.expected), Style::new());
        } else {
            let gap = " ".repeat(targets - columns(&made.target));
            let (target, actual, expected) = (&made.target, &made.actual, &made.expected);
            let text = format!("{target}{gap}   {pad}{bad}{actual}{bad:#}   expected {expected}");
            page.line(6, &text);
        }
        if let Some(reason) = &made.reason {
            page.wrapped(10, reason, dim);
        }
    }
}

/// Facts under each other, their words in one column.
fn facts(page: &mut Page, facts: &[Fact]) {
    let column = facts.iter().map(|fact| columns(fact.label)).max().unwrap_or(0) + 3;
    let dim = page.palette.dim;
    for fact in facts {
        page.beside(6, (fact.label, dim), column, (&fact.text, Style::new()));
    }
}

/// One line per gate that passed: its name and its figures.
pub fn in_brief(page: &mut Page, doc: &ResultDocument, column: usize, options: &Options) {
    let (good, dim) = (page.palette.good, page.palette.dim);
    for gate in doc.gates.iter().filter(|gate| gate.passed) {
        let title = format!("✓ {}", message(&gate.name));
        page.beside(2, (&title, good), column, (&brief(gate, options), Style::new()));
        curve::draw(page, gate);
        if options.verbose {
            for (target, reason) in &gate.absent {
                let reason = message(reason);
                page.wrapped(6, &format!("{} absent: {reason}", name(target)), dim);
            }
        }
    }
}

/// `f1 100, recall 100 · vacuous: … · 2 runs left out`
fn brief(gate: &Gate, options: &Options) -> String {
    let mut parts = vec![words::figures(gate, options.verbose)];
    parts.extend(gate.detail.grade.as_deref().map(|grade| format!("grade {}", name(grade))));
    if gate.vacuous {
        parts.push("vacuous: passed by rule, without evidence".to_owned());
    }
    if gate.runs_excluded > 0 {
        parts.push(format!("{} left out", words::count(u64::from(gate.runs_excluded), "run")));
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}
