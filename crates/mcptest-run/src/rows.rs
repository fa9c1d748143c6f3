//! Rows of the result document: runs, and what was skipped and why.

use std::sync::Arc;

use mcptest_score::gate::Cell;
use mcptest_score::result::{Row, Status};
use mcptest_score::scorer::RunObservation;
use mcptest_suite::model::Suite;
use mcptest_trace::RunStatus;

/// One row per run of a cell.
///
/// Without gates and expectations a run is shown, not judged: nothing passes without evidence.
pub fn of_runs<'a>(
    cell: &'a Cell,
    runs: &'a [(u32, RunObservation)],
    judged: bool,
) -> impl Iterator<Item = Row> + 'a {
    let name = cell.name();
    runs.iter().map(move |(number, run)| Row {
        // A single run has no suffix.
        name: if runs.len() == 1 { name.clone() } else { format!("{name} #{number}") },
        test: Arc::clone(&cell.test),
        model: cell.model.clone(),
        run: Some(*number),
        distractor_count: cell.count,
        status: match run.status {
            RunStatus::Inconclusive => Status::Inconclusive,
            _ if !judged => Status::Skipped,
            _ if run.failures.is_empty() => Status::Passed,
            _ => Status::Failed,
        },
        messages: messages(run, judged),
        tool_calls: Some(run.tool_calls),
        tokens: run.tokens,
    })
}

fn messages(run: &RunObservation, judged: bool) -> Vec<String> {
    let cause = run.cause.as_deref().unwrap_or("the trace gives no cause");
    let mut messages = match run.status {
        RunStatus::Ok => Vec::new(),
        RunStatus::BudgetExceeded => vec![format!("stopped by a budget: {cause}")],
        RunStatus::Inconclusive => vec![format!("inconclusive: {cause}")],
    };
    if !judged {
        messages
            .push("the test has no gates and no `expect`, so there is nothing to judge".to_owned());
    }
    messages.extend(run.failures.iter().cloned());
    messages
}

/// A row that was not measured.
pub fn skipped(name: &str, cell: Option<&Cell>, why: &str) -> Row {
    Row {
        name: cell.map_or_else(|| name.to_owned(), Cell::name),
        test: Arc::from(name),
        model: cell.and_then(|cell| cell.model.clone()),
        run: None,
        distractor_count: cell.and_then(|cell| cell.count),
        status: Status::Skipped,
        messages: vec![why.to_owned()],
        tool_calls: None,
        tokens: None,
    }
}

/// What a recorded trace says nothing about.
pub fn not_in_traces(suite: &Suite) -> Vec<Row> {
    let tools = suite
        .tool_tests()
        .map(|test| skipped(&test.name, None, "tool tests are not scored from traces"));
    let quality = suite.tool_quality.iter();
    let quality = quality
        .map(|check| skipped(&check.name, None, "tool_quality checks are not scored from traces"));
    tools.chain(quality).collect()
}
