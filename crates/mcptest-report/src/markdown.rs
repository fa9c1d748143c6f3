//! A comment for a pull request.

mod escape;

use indexmap::IndexMap;
use mcptest_score::result::{Gate, ResultDocument, Row, Status};

use crate::findings::{self, place};
use crate::verdict::{Verdict, summary};
use crate::words;
use escape::{code, prose};

/// Bytes for the failures; GitHub takes comments of 65,536 characters.
const FAILURES: usize = 24_000;
/// Bytes for each of the five other lists.
const LIST: usize = 7_000;
/// From this many lines about runs on, they are folded away.
const MANY_RUNS: usize = 6;
/// From this many passed rows on, their list is folded away.
const MANY_ROWS: usize = 10;
/// Most messages of one row.
const MOST_MESSAGES: usize = 10;

/// The whole comment: verdict, gates, failures, the rest.
pub fn render(doc: &ResultDocument) -> String {
    let verdict = Verdict::of(doc);
    let mark = match verdict {
        Verdict::Passed => "✅",
        Verdict::Failed => "❌",
        Verdict::Open | Verdict::NothingSelected => "⚠️",
    };
    let mut out = format!("## {mark} mcptest: {}\n\n", verdict.words());
    let sums = summary(doc).join(" · ");
    let suite = doc.suite.as_deref().map(code);
    let line: Vec<String> =
        suite.into_iter().chain(Some(sums)).filter(|part| !part.is_empty()).collect();
    if !line.is_empty() {
        out += &format!("{}\n\n", line.join(" — "));
    }
    out += &gates(doc);
    out += &section("Failures", failures(doc), FAILURES);
    out += &section("Not measured", not_measured(doc), LIST);
    out += &passed(doc);
    out += &section("Notes", notes(doc), LIST);
    format!("{}\n", out.trim_end())
}

/// A heading and as many blocks as fit into `room`.
fn section(title: &str, blocks: Vec<String>, room: usize) -> String {
    if blocks.is_empty() {
        return String::new();
    }
    format!("### {title}\n\n{}\n\n", fitting(blocks, room).trim_end())
}

/// The blocks that fit into `room`, and how many are missing.
fn fitting(blocks: Vec<String>, room: usize) -> String {
    let (mut out, mut left_out) = (String::new(), 0);
    for block in blocks {
        if left_out == 0 && out.len() + block.len() <= room {
            out += &block;
        } else {
            left_out += 1;
        }
    }
    if left_out > 0 {
        out += &format!("\n… and {left_out} more, left out for length\n");
    }
    out
}

/// The table of all gates: failed ones first.
fn gates(doc: &ResultDocument) -> String {
    if doc.gates.is_empty() {
        return String::new();
    }
    let mut ordered: Vec<&Gate> = doc.gates.iter().collect();
    ordered.sort_by_key(|gate| gate.passed);
    let rows = ordered.into_iter().map(|gate| {
        let mut figures = prose(&words::figures(gate, false));
        if gate.vacuous {
            figures += " (vacuous: by rule, without evidence)";
        }
        if gate.runs_excluded > 0 {
            figures +=
                &format!(" ({} left out)", words::count(u64::from(gate.runs_excluded), "run"));
        }
        let mark = mark(gate.status());
        format!("| {mark} | {} | {} |\n", prose(&gate.name), figures.trim())
    });
    let table = fitting(rows.collect(), LIST);
    format!("| Verdict | Gate | Figures |\n|---|---|---|\n{table}\n{}", curves(doc))
}

/// The curve of each sweep.
fn curves(doc: &ResultDocument) -> String {
    let mut tables = Vec::new();
    for gate in &doc.gates {
        let Some(points) = gate.detail.curve.as_deref().filter(|points| !points.is_empty()) else {
            continue;
        };
        let number = |figure: Option<u32>| figure.map_or_else(|| "–".to_owned(), |n| n.to_string());
        let mut table = format!("**{}**\n\n", prose(&gate.name));
        table += "| Distractors | Accuracy | Certified | Runs |\n|---:|---:|---:|---:|\n";
        for point in points {
            let (accuracy, floor) = (number(point.accuracy), number(point.certified_lower));
            let (count, runs) = (point.distractor_count, point.runs);
            table += &format!("| {count} | {accuracy} | {floor} | {runs} |\n");
        }
        tables.push(table + "\n");
    }
    fitting(tables, LIST)
}

/// Failed gates with what is known about them, then failed rows.
fn failures(doc: &ResultDocument) -> Vec<String> {
    let gates = doc.gates.iter().filter(|gate| gate.status() == Status::Failed);
    let rows = doc.rows.iter().filter(|row| row.status == Status::Failed);
    gates.map(|gate| gate_block(doc, gate)).chain(rows.map(row_block)).collect()
}

/// One gate: assertions as a table, the rest as a list.
fn gate_block(doc: &ResultDocument, gate: &Gate) -> String {
    let found = findings::of(doc, gate);
    let mut out = format!("#### {} {}\n\n", symbol(gate.status()), prose(&gate.name));
    if !found.comparisons.is_empty() {
        out += "| Target | Actual | Expected |\n|---|---:|---|\n";
        for made in &found.comparisons {
            let reason = made.reason.as_deref().map(|why| format!(" ({})", prose(why)));
            let (target, actual) = (code(&made.target), code(&made.actual));
            let expected = code(&made.expected) + &reason.unwrap_or_default();
            out += &format!("| {target} | {actual} | {expected} |\n");
        }
        out.push('\n');
    }
    for fact in &found.facts {
        out += &format!("- **{}:** {}\n", fact.label, prose(&fact.text));
    }
    let runs: String = found.runs.iter().map(|run| format!("- {}\n", prose(run))).collect();
    if found.runs.len() < MANY_RUNS {
        return out + &runs + "\n";
    }
    out + "\n<details>\n<summary>runs</summary>\n\n" + &runs + "\n</details>\n\n"
}

/// One row and its messages.
fn row_block(row: &Row) -> String {
    let mut out = format!("- {} {}\n", symbol(row.status), prose(&row.name));
    for text in row.messages.iter().take(MOST_MESSAGES) {
        out += &format!("  - {}\n", prose(text));
    }
    if row.messages.len() > MOST_MESSAGES {
        out += &format!("  - … and {} more\n", row.messages.len() - MOST_MESSAGES);
    }
    out
}

/// Problems, gates without a verdict, and rows that were stopped, left out or skipped.
fn not_measured(doc: &ResultDocument) -> Vec<String> {
    let mut blocks = Vec::new();
    for problem in &doc.errors {
        let place = place(problem).map(|place| format!(" at {}", code(&place)));
        let help = problem.help.as_deref().map(|help| format!(" — {}", prose(help)));
        let (word, text) = (code(&problem.code), prose(&problem.message));
        let (place, help) = (place.unwrap_or_default(), help.unwrap_or_default());
        blocks.push(format!("- ❗ {word} {text}{place}{help}\n"));
    }
    for status in [Status::Error, Status::Inconclusive, Status::Skipped] {
        blocks.extend(doc.rows.iter().filter(|row| row.status == status).map(row_block));
    }
    let open = doc.gates.iter().filter(|gate| gate.status() == Status::Inconclusive);
    // A heading right after a list needs an empty line.
    blocks.extend(open.map(|gate| format!("\n{}", gate_block(doc, gate))));
    blocks
}

/// Passed rows: per test, folded away where there are many.
fn passed(doc: &ResultDocument) -> String {
    let mut tests: IndexMap<&str, u64> = IndexMap::new();
    for row in doc.rows.iter().filter(|row| row.status == Status::Passed) {
        *tests.entry(&row.test).or_default() += 1;
    }
    if tests.is_empty() {
        return String::new();
    }
    let (number, noun) = (doc.totals.rows.passed, words::row_noun(doc));
    let title = format!("{} passed", words::count(number, noun));
    if number < MANY_ROWS as u64 {
        let lines = tests.iter().map(|(test, number)| {
            format!("- {}: {} passed\n", prose(test), words::count(*number, noun))
        });
        return format!("### {title}\n\n{}\n", fitting(lines.collect(), LIST));
    }
    let rows = doc.rows.iter().filter(|row| row.status == Status::Passed);
    let lines = rows.map(|row| format!("- {}\n", prose(&row.name))).collect();
    let list = fitting(lines, LIST);
    format!("<details>\n<summary>{title}</summary>\n\n{list}\n</details>\n\n")
}

/// Remarks about the whole and about gates that passed.
fn notes(doc: &ResultDocument) -> Vec<String> {
    let whole = doc.notes.iter().map(|note| format!("- {}\n", prose(note)));
    let passed = doc.gates.iter().filter(|gate| gate.passed);
    let of_gates = passed.flat_map(|gate| {
        let notes = gate.notes.iter();
        notes.map(|note| format!("- {}: {}\n", prose(&gate.name), prose(note)))
    });
    whole.chain(of_gates).collect()
}

/// The sign for a status.
const fn symbol(status: Status) -> &'static str {
    match status {
        Status::Passed => "✅",
        Status::Failed => "❌",
        Status::Error => "❗",
        Status::Inconclusive => "❔",
        Status::Skipped => "⏭️",
    }
}

/// The sign and the word for a status.
fn mark(status: Status) -> String {
    format!("{} {}", symbol(status), status.word())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn passing() {
        insta::assert_snapshot!(render(&samples::passing()));
    }

    #[test]
    fn failing() {
        insta::assert_snapshot!(render(&samples::failing()));
    }

    #[test]
    fn sweep() {
        insta::assert_snapshot!(render(&samples::sweep()));
    }

    #[test]
    fn no_verdict() {
        insta::assert_snapshot!(render(&samples::no_verdict()));
    }

    #[test]
    fn nothing_selected() {
        insta::assert_snapshot!(render(&samples::nothing_selected()));
    }

    #[test]
    fn hostile_text_stays_text() {
        let text = render(&samples::hostile());
        for live in ["<script", "](javascript", "@all", "https://", "`c`", "a|b"] {
            assert!(!text.contains(live), "{live}: {text}");
        }
        let columns = |line: &str| line.matches('|').count();
        assert!(text.lines().filter(|line| line.starts_with('|')).all(|line| columns(line) == 4));
        insta::assert_snapshot!(text);
    }

    #[test]
    fn a_comment_stays_within_what_github_takes() {
        let mut doc = samples::failing();
        doc.rows = doc.rows.iter().cycle().take(20_000).cloned().collect();
        doc.gates = doc.gates.iter().cycle().take(2_000).cloned().collect();
        doc.notes = vec!["a note".repeat(20); 2_000];
        doc.tally();
        let text = render(&doc);
        assert!(text.chars().count() < 65_536, "{}", text.len());
        assert!(text.contains("left out for length"));
    }
}
