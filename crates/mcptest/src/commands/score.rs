//! `mcptest score`

use std::process::ExitCode;
use std::time::{Duration, Instant};

use indexmap::IndexMap;
use indicatif::{ProgressBar, ProgressStyle};
use mcptest_report::Reporter;
use mcptest_run::Request;
use mcptest_score::result::{Problem, ResultDocument, Timing};
use mcptest_suite::check::Strictness;
use mcptest_suite::diagnostic::Diagnostic;
use mcptest_suite::load;

use crate::args::{ReportArgs, ScoreArgs};
use crate::output;

pub fn run(args: &ScoreArgs, quiet: bool) -> anyhow::Result<ExitCode> {
    output::check_reporters(&args.report)?;
    let started = Instant::now();
    let source = match output::read_source(&args.suite) {
        Ok(source) => source,
        Err(error) => {
            return stop(&args.report, &[unreadable(&format!("{error:#}"))], || {
                output::say(&format!("error: {error:#}"))
            });
        }
    };
    let loaded = match load(&source, Strictness::GatesOnly) {
        Ok(loaded) => loaded,
        Err(mistakes) => {
            let problems =
                mistakes.iter().filter(|found| found.is_error()).map(problem).collect::<Vec<_>>();
            return stop(&args.report, &problems, || output::diagnostics(&mistakes));
        }
    };
    if !quiet {
        output::diagnostics(&loaded.warnings);
    }
    let request = Request {
        suite: &loaded.suite,
        suite_name: &source.name,
        traces: &args.traces,
        test: args.test.as_deref(),
    };
    let bar = progress_bar(quiet);
    let scored = mcptest_run::score(&request, &|read| bar.set_position(read));
    bar.finish_and_clear();
    let mut document = match scored {
        Ok(document) => document,
        Err(error) => {
            let help = error.help().map_or_else(String::new, |help| format!("\n  help: {help}"));
            let text = format!("error[{}]: {error}{help}", error.code());
            return stop(&args.report, &[error.problem()], || output::say(&text));
        }
    };
    document.timing = Some(timing(started));
    if !quiet {
        for line in document.tool_selection.iter().flat_map(|floor| &floor.lines) {
            output::say(&mcptest_report::text::clean(line));
        }
    }
    output::report(&document, &args.report)?;
    Ok(ExitCode::from(document.exit_code()))
}

/// Ends with exit code 2; machine-readable reports are valid documents all the same.
fn stop(report: &ReportArgs, problems: &[Problem], say: impl FnOnce()) -> anyhow::Result<ExitCode> {
    say();
    let mut document = ResultDocument::new("score");
    document.errors = problems.to_vec();
    let machines = report
        .reporter
        .iter()
        .filter(|reporter| reporter.kind != Reporter::Pretty)
        .cloned()
        .collect();
    output::report(&document, &ReportArgs { reporter: machines, verbose: report.verbose })?;
    Ok(ExitCode::from(output::WRONG_INPUT))
}

fn problem(found: &Diagnostic) -> Problem {
    let at = found.position();
    Problem {
        code: found.code.to_owned(),
        message: found.message.clone(),
        test: None,
        file: Some(found.source.name.to_string()),
        line: Some(at.line),
        column: Some(at.column),
        help: found.help.clone().or_else(|| found.label.clone()),
    }
}

fn unreadable(message: &str) -> Problem {
    Problem {
        code: "unreadable-suite".to_owned(),
        message: message.to_owned(),
        test: None,
        file: None,
        line: None,
        column: None,
        help: None,
    }
}

/// Shown on a terminal only, and only when it takes longer than a moment.
fn progress_bar(quiet: bool) -> ProgressBar {
    if quiet || std::env::var_os("CI").is_some() {
        return ProgressBar::hidden();
    }
    let style =
        ProgressStyle::with_template("{spinner} scoring: {human_pos} traces, {per_sec}, {elapsed}");
    let bar = ProgressBar::no_length()
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}

fn timing(started: Instant) -> Timing {
    let environment = [
        ("mcptest", env!("CARGO_PKG_VERSION")),
        ("os", std::env::consts::OS),
        ("arch", std::env::consts::ARCH),
    ];
    Timing {
        source: "replay".to_owned(),
        duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        environment: environment
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect::<IndexMap<_, _>>(),
    }
}
