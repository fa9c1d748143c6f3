//! JUnit XML for CI servers.

use indexmap::IndexMap;
use mcptest_score::result::{Gate, Problem, ResultDocument, Row, Status};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::findings::{self, place};
use crate::text::{clean, message};
use crate::words;

/// The suite for problems that belong to no test.
const NO_TEST: &str = "mcptest";

/// One testsuite per test, one testcase per row, gate and problem; no time, no ids.
pub fn render(doc: &ResultDocument) -> String {
    let mut suites: IndexMap<&str, TestSuite> = IndexMap::new();
    let mut add = |test, case| {
        let suite = suites.entry(test).or_insert_with(|| TestSuite::new(message(test)));
        suite.add_test_case(case);
    };
    for row in &doc.rows {
        add(&*row.test, row_case(row));
    }
    for gate in &doc.gates {
        add(&*gate.test, gate_case(doc, gate));
    }
    for problem in &doc.errors {
        add(problem.test.as_deref().unwrap_or(NO_TEST), problem_case(problem));
    }
    let mut report = Report::new(message(doc.suite.as_deref().unwrap_or("mcptest")));
    report.add_test_suites(suites.into_values());
    report.to_string().expect("writing to memory succeeds, and quick-junit writes UTF-8")
}

/// A run, a tool test or a tool_quality check.
fn row_case(row: &Row) -> TestCase {
    let messages: Vec<String> = row.messages.iter().map(|text| clean(text).into_owned()).collect();
    let status = match row.status {
        Status::Passed => TestCaseStatus::success(),
        Status::Failed => trouble(NonSuccessKind::Failure, row.status, &messages),
        Status::Error => trouble(NonSuccessKind::Error, row.status, &messages),
        // An inconclusive run is left out of every metric and does not fail the command. CI
        // servers turn red on <error>, so it is reported as skipped, and says why.
        Status::Inconclusive | Status::Skipped => {
            let mut skipped = TestCaseStatus::skipped();
            let why = messages.first().map(|why| format!(": {}", message(why))).unwrap_or_default();
            skipped.set_message(format!("{}{why}", row.status.word()));
            if messages.len() > 1 {
                skipped.set_description(messages.join("\n"));
            }
            skipped
        }
    };
    case(&row.name, &row.test, status)
}

/// A gate, with everything there is to say about it.
fn gate_case(doc: &ResultDocument, gate: &Gate) -> TestCase {
    let status = match gate.status() {
        Status::Passed => TestCaseStatus::success(),
        // Unlike a single run, a gate nobody could judge leaves a question open that the suite
        // asked: an error, which turns CI red, not a failure, which would blame the agent.
        Status::Inconclusive | Status::Error | Status::Skipped => {
            trouble(NonSuccessKind::Error, Status::Inconclusive, &gate_lines(doc, gate))
        }
        Status::Failed => trouble(NonSuccessKind::Failure, Status::Failed, &gate_lines(doc, gate)),
    };
    let mut case = case(&gate.name, &gate.test, status);
    case.set_assertions(gate.assertions.len());
    let figures = words::figures(gate, true);
    if gate.passed && !figures.is_empty() {
        let vacuous =
            if gate.vacuous { " (vacuous: passed by rule, without evidence)" } else { "" };
        case.set_system_out(format!("{figures}{vacuous}"));
    }
    case
}

/// The findings as lines: first the assertions, one of which becomes the message.
fn gate_lines(doc: &ResultDocument, gate: &Gate) -> Vec<String> {
    let found = findings::of(doc, gate);
    let mut lines = Vec::new();
    for made in found.comparisons {
        let reason = made.reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
        lines.push(format!("{}: {}, expected {}{reason}", made.target, made.actual, made.expected));
    }
    lines.extend(found.facts.iter().map(|fact| format!("{}: {}", fact.label, fact.text)));
    lines.extend(found.runs);
    lines
}

/// Something that stopped the measuring.
fn problem_case(problem: &Problem) -> TestCase {
    let mut lines = vec![message(&problem.message)];
    lines.extend(place(problem).map(|place| format!("at {place}")));
    lines.extend(problem.help.as_deref().map(|help| format!("help: {}", message(help))));
    let mut status = trouble(NonSuccessKind::Error, Status::Error, &lines);
    status.set_type(message(&problem.code));
    case(&problem.code, problem.test.as_deref().unwrap_or(NO_TEST), status)
}

/// A failure or an error: the first line as its message, all of them as its text.
fn trouble(kind: NonSuccessKind, word: Status, lines: &[String]) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(word.word());
    status.set_message(lines.first().map_or_else(|| word.word().to_owned(), |line| message(line)));
    if !lines.is_empty() {
        status.set_description(lines.join("\n"));
    }
    status
}

/// A testcase of a test.
fn case(title: &str, test: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(message(title), status);
    case.set_classname(message(test));
    case
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
    fn no_verdict() {
        insta::assert_snapshot!(render(&samples::no_verdict()));
    }

    #[test]
    fn nothing_selected() {
        insta::assert_snapshot!(render(&samples::nothing_selected()));
    }

    #[test]
    fn counts_are_those_of_the_document() {
        for doc in samples::all() {
            let report = Report::deserialize_from_str(&render(&doc)).unwrap();
            let all = doc.totals.all;
            assert_eq!(report.tests as u64, all.total + doc.errors.len() as u64);
            assert_eq!(report.failures as u64, all.failed);
        }
    }

    #[test]
    fn hostile_text_gives_valid_xml() {
        let text = render(&samples::hostile());
        let report = Report::deserialize_from_str(&text).unwrap();
        assert!(report.tests > 0);
        assert!(!text.contains("<script") && !text.contains("]]>"), "{text}");
        insta::assert_snapshot!(text);
    }
}
