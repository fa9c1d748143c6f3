//! The report for a terminal: failures first, the verdict last.

mod curve;
mod gates;
mod page;
mod rows;

use anstyle::Style;
use mcptest_score::result::{Gate, Problem, ResultDocument, Status};

use crate::findings::place;
use crate::text::{columns, message};
use crate::verdict::{Verdict, summary};
use page::Page;

/// Widest name that others are aligned with.
const WIDEST_NAME: usize = 48;

/// How to write for this terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whether to use ANSI colours.
    pub colour: bool,
    /// Columns of the terminal.
    pub width: usize,
    /// Whether to list every row and figure.
    pub verbose: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { colour: false, width: 100, verbose: false }
    }
}

/// The whole report.
pub fn render(doc: &ResultDocument, options: &Options) -> String {
    let mut page = Page::new(options.width, options.colour);
    failures(&mut page, doc, options);
    not_measured(&mut page, doc, options);
    passed(&mut page, doc, options);
    notes(&mut page, doc);
    closing(&mut page, doc);
    page.finish()
}

/// Gates and rows that failed, with everything known about them.
fn failures(page: &mut Page, doc: &ResultDocument, options: &Options) {
    let gates: Vec<_> = with_status(doc, Status::Failed).collect();
    let rows = doc.rows.iter().any(|row| row.status == Status::Failed);
    if gates.is_empty() && !rows {
        return;
    }
    page.heading("Failures");
    for gate in gates {
        page.gap();
        gates::in_detail(page, doc, gate);
    }
    if rows {
        page.gap();
        rows::in_detail(page, doc, Status::Failed, options);
    }
}

/// The gates that ended like this.
fn with_status(doc: &ResultDocument, status: Status) -> impl Iterator<Item = &Gate> {
    doc.gates.iter().filter(move |gate| gate.status() == status)
}

/// What gave no verdict: gates without runs, rows that were stopped or left out, problems.
fn not_measured(page: &mut Page, doc: &ResultDocument, options: &Options) {
    let gates: Vec<_> = with_status(doc, Status::Inconclusive).collect();
    let statuses = [Status::Error, Status::Inconclusive, Status::Skipped];
    let rows = doc.rows.iter().any(|row| statuses.contains(&row.status));
    if gates.is_empty() && !rows && doc.errors.is_empty() {
        return;
    }
    page.heading("Not measured");
    page.gap();
    for problem in &doc.errors {
        self::problem(page, problem);
    }
    for gate in gates {
        gates::in_detail(page, doc, gate);
    }
    for status in statuses {
        rows::in_detail(page, doc, status, options);
    }
}

/// `! no-such-test: message`, where it stands and what to do.
fn problem(page: &mut Page, problem: &Problem) {
    let text = format!("! {}: {}", message(&problem.code), message(&problem.message));
    let (bad, dim) = (page.palette.bad, page.palette.dim);
    page.wrapped(2, &text, bad);
    if let Some(place) = place(problem) {
        page.wrapped(6, &format!("at {place}"), dim);
    }
    if let Some(test) = &problem.test {
        page.wrapped(6, &format!("in test {}", message(test)), dim);
    }
    if let Some(help) = &problem.help {
        page.wrapped(6, &format!("help: {}", message(help)), dim);
    }
}

/// One line per passing gate, one per test for its rows.
fn passed(page: &mut Page, doc: &ResultDocument, options: &Options) {
    let row_passed = doc.rows.iter().any(|row| row.status == Status::Passed);
    if !row_passed && !doc.gates.iter().any(|gate| gate.passed) {
        return;
    }
    page.heading("Passed");
    page.gap();
    let gates = doc.gates.iter().filter(|gate| gate.passed).map(|gate| &*gate.name);
    let tests = doc.rows.iter().map(|row| &*row.test);
    let column = column(gates.chain(tests));
    gates::in_brief(page, doc, column, options);
    rows::in_brief(page, doc, column, options);
}

/// Where the text beside these names begins: after the widest that is not excessive.
fn column<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    let mut widest = 0;
    let mut last = "";
    for name in names {
        // The rows of a test stand together, so most names repeat the one before.
        if name != last {
            last = name;
            let wide = columns(&message(name));
            widest = widest.max(if wide <= WIDEST_NAME { wide } else { 0 });
        }
    }
    widest + 2 + 2 // the mark before, the gap after
}

/// Remarks about the whole and about gates that passed; failed gates carry theirs.
fn notes(page: &mut Page, doc: &ResultDocument) {
    let of_gates = doc.gates.iter().filter(|gate| gate.passed).flat_map(|gate| {
        gate.notes.iter().map(|note| format!("{}: {}", message(&gate.name), message(note)))
    });
    let notes: Vec<String> = doc.notes.iter().map(|note| message(note)).chain(of_gates).collect();
    if notes.is_empty() {
        return;
    }
    page.heading("Notes");
    page.gap();
    let dim = page.palette.dim;
    for note in notes {
        page.wrapped(2, &format!("- {note}"), dim);
    }
}

/// The verdict and the sums.
fn closing(page: &mut Page, doc: &ResultDocument) {
    page.gap();
    let verdict = Verdict::of(doc);
    let style = match verdict {
        Verdict::Passed => page.palette.good,
        Verdict::Failed => page.palette.bad,
        Verdict::Open | Verdict::NothingSelected => page.palette.open,
    };
    let words = verdict.words();
    let sums = summary(doc).join(" · ");
    page.beside(0, (words, style), words.len() + 2, (&sums, Style::new()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn passing() {
        insta::assert_snapshot!(render(&samples::passing(), &Options::default()));
    }

    #[test]
    fn passing_verbose() {
        let options = Options { verbose: true, ..Options::default() };
        insta::assert_snapshot!(render(&samples::passing(), &options));
    }

    #[test]
    fn failing() {
        insta::assert_snapshot!(render(&samples::failing(), &Options::default()));
    }

    #[test]
    fn failing_on_a_narrow_terminal() {
        let options = Options { width: 50, ..Options::default() };
        insta::assert_snapshot!(render(&samples::failing(), &options));
    }

    #[test]
    fn sweep() {
        insta::assert_snapshot!(render(&samples::sweep(), &Options::default()));
    }

    #[test]
    fn no_verdict() {
        insta::assert_snapshot!(render(&samples::no_verdict(), &Options::default()));
    }

    #[test]
    fn nothing_selected() {
        insta::assert_snapshot!(render(&samples::nothing_selected(), &Options::default()));
    }

    #[test]
    fn hostile() {
        insta::assert_snapshot!(render(&samples::hostile(), &Options::default()));
    }

    #[test]
    fn colour_changes_nothing_but_the_colour() {
        for doc in samples::all() {
            let plain = render(&doc, &Options::default());
            let coloured = render(&doc, &Options { colour: true, ..Options::default() });
            assert_ne!(plain, coloured);
            let stripped: Vec<_> = coloured.lines().map(crate::text::clean).collect();
            assert_eq!(stripped.join("\n") + "\n", plain);
        }
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for doc in samples::all() {
            for width in [60, 80, 120] {
                for line in render(&doc, &Options { width, ..Options::default() }).lines() {
                    assert!(columns(line) <= width, "{width}: {line}");
                }
            }
        }
    }
}
