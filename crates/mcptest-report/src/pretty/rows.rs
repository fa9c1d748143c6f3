//! Rows on a terminal.

use anstyle::Style;
use indexmap::IndexMap;
use mcptest_score::result::{ResultDocument, Row, Status};

use super::{Options, page::Page};
use crate::text::{columns, message};
use crate::words;

/// Most rows of one status told in detail, unless all are asked for.
const MOST_ROWS: usize = 20;
/// Most messages of one row.
const MOST_MESSAGES: usize = 20;

/// The rows of one status, each with its messages.
pub fn in_detail(page: &mut Page, doc: &ResultDocument, status: Status, options: &Options) {
    let most = if options.verbose { usize::MAX } else { MOST_ROWS };
    let mut left_out = 0;
    for (at, row) in doc.rows.iter().filter(|row| row.status == status).enumerate() {
        if at < most {
            self::row(page, row);
        } else {
            left_out += 1;
        }
    }
    if left_out > 0 {
        let noun = words::row_noun(doc);
        let text =
            format!("… and {} {}", words::count(left_out, &format!("more {noun}")), status.word());
        page.wrapped(2, &text, page.palette.dim);
    }
}

/// One row and its messages.
fn row(page: &mut Page, row: &Row) {
    let (mark, style) = match row.status {
        Status::Passed => ("✓", page.palette.good),
        Status::Failed => ("✗", page.palette.bad),
        Status::Error => ("!", page.palette.bad),
        Status::Inconclusive => ("?", page.palette.open),
        Status::Skipped => ("-", page.palette.dim),
    };
    let title = format!("{mark} {}", message(&row.name));
    let word =
        if matches!(row.status, Status::Passed | Status::Failed) { "" } else { row.status.word() };
    page.beside(2, (&title, style), columns(&title) + 2, (word, page.palette.dim));
    for text in row.messages.iter().take(MOST_MESSAGES) {
        page.wrapped(6, &message(text), Style::new());
    }
    if let Some(rest) = row.messages.len().checked_sub(MOST_MESSAGES + 1) {
        let text = format!("… and {}", words::count(rest as u64 + 1, "more message"));
        page.wrapped(6, &text, page.palette.dim);
    }
}

/// How many rows of each test passed, or each of them where asked for.
pub fn in_brief(page: &mut Page, doc: &ResultDocument, column: usize, options: &Options) {
    if options.verbose {
        for row in doc.rows.iter().filter(|row| row.status == Status::Passed) {
            self::row(page, row);
        }
        return;
    }
    let mut tests: IndexMap<&str, (u64, u64)> = IndexMap::new();
    for row in &doc.rows {
        let (passed, all) = tests.entry(&row.test).or_default();
        *passed += u64::from(row.status == Status::Passed);
        *all += 1;
    }
    let noun = words::row_noun(doc);
    for (test, (passed, all)) in tests {
        let text = match passed {
            0 => continue,
            _ if passed == all => format!("{} passed", words::count(all, noun)),
            _ => format!("{passed} of {} passed", words::count(all, noun)),
        };
        let (mark, style) = match passed == all {
            true => ("✓", page.palette.good),
            false => ("•", page.palette.dim),
        };
        let title = format!("{mark} {}", message(test));
        page.beside(2, (&title, style), column, (&text, Style::new()));
    }
}
