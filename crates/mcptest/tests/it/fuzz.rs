//! Ten thousand malformed suites: never a panic, always an error within the text.
//!
//! 2,000 of them by default, all with `MCPTEST_PROFILE=full`.

use std::panic::catch_unwind;

use mcptest_suite::check::Strictness;
use mcptest_suite::diagnostic::{Diagnostic, Source};

use crate::mutate::{self, Random};

fn rounds() -> usize {
    if std::env::var("MCPTEST_PROFILE").is_ok_and(|profile| profile == "full") {
        10_000
    } else {
        2_000
    }
}

/// Asserts that a diagnostic points into the text.
fn inside(source: &Source, found: &Diagnostic) {
    let (start, end) = (found.span.start, found.span.end);
    assert!(start <= end && end <= source.text.len(), "{start}..{end}: {}", found.message);
    assert!(source.text.is_char_boundary(start), "inside a character: {}", found.message);
    assert!(source.text.is_char_boundary(end), "inside a character: {}", found.message);
    let at = found.position();
    let line = source.text.split('\n').nth(at.line - 1);
    let line = line.unwrap_or_else(|| panic!("no line {}: {}", at.line, found.message));
    assert!(
        (1..=line.chars().count() + 1).contains(&at.column),
        "{}: {}",
        at.column,
        found.message
    );
    assert!(!found.message.is_empty() && !found.code.is_empty());
}

/// Loads one text; whether it was refused.
fn check(text: &str, strictness: Strictness) -> bool {
    let source = Source::new("suite.yml", text);
    let (found, refused) = match mcptest_suite::load(&source, strictness) {
        Ok(loaded) => {
            assert!(loaded.warnings.iter().all(|found| !found.is_error()));
            (loaded.warnings, false)
        }
        Err(found) => {
            assert!(found.iter().any(Diagnostic::is_error), "refused without an error");
            (found, true)
        }
    };
    assert!(!found.iter().any(|one| one.code == "unreadable"), "a check is missing");
    found.iter().for_each(|found| inside(&source, found));
    if !found.is_empty() {
        for colour in [false, true] {
            let rendered = mcptest_report::diagnostics::render(&found, colour);
            assert!(rendered.contains("suite.yml"), "{rendered}");
        }
        let data = mcptest_report::diagnostics::to_json(&found);
        assert_eq!(data.as_array().unwrap().len(), found.len());
    }
    refused
}

#[test]
fn malformed_suites_are_errors_within_the_text() {
    let bases = crate::golden::ok();
    let rounds = rounds();
    let mut refused = 0;
    for round in 0..rounds {
        let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ ((round as u64 + 1) << 17));
        let base = &random.pick(&bases).1;
        let text = mutate::suite(&mut random, base);
        for strictness in [Strictness::Whole, Strictness::GatesOnly] {
            let outcome = catch_unwind(|| check(&text, strictness));
            let outcome = outcome.unwrap_or_else(|_| {
                panic!("round {round}, {strictness:?}, see above:\n{text}\n{text:?}")
            });
            refused += usize::from(outcome && strictness == Strictness::Whole);
        }
    }
    println!("{refused} of {rounds} were refused");
    assert!(refused > rounds / 2 && refused < rounds, "{refused} of {rounds} were refused");
}

#[test]
fn every_beginning_of_every_suite() {
    for (name, text) in crate::golden::ok() {
        let step = if rounds() == 10_000 { 1 } else { 7 };
        for end in (0..text.len()).step_by(step).filter(|end| text.is_char_boundary(*end)) {
            let outcome = catch_unwind(|| check(&text[..end], Strictness::Whole));
            assert!(outcome.is_ok(), "{name}, the first {end} bytes");
        }
    }
}
