//! `mcptest score`

use std::process::ExitCode;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use mcptest_run::Request;
use mcptest_suite::check::Strictness;
use mcptest_suite::load;

use crate::args::ScoreArgs;
use crate::output::{self, Stop};

pub fn run(args: &ScoreArgs, quiet: bool) -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    let stop = |why: Stop| output::stop("score", &args.report, &why);
    if let Err(why) = output::check_reporters(&args.report) {
        return stop(why);
    }
    let source = match output::read_source(&args.suite) {
        Ok(source) => source,
        Err(error) => return stop(Stop::Message("unreadable-suite", format!("{error:#}"))),
    };
    let loaded = match load(&source, Strictness::GatesOnly) {
        Ok(loaded) => loaded,
        Err(mistakes) => return stop(Stop::Diagnostics(mistakes)),
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
        Err(error) => return stop(Stop::Problem(Box::new(error.problem()))),
    };
    document.timing = Some(output::timing(started, "replay"));
    if !quiet {
        for line in document.tool_selection.iter().flat_map(|floor| &floor.lines) {
            output::say(&mcptest_report::text::clean(line));
        }
    }
    output::report(&document, &args.report)?;
    Ok(ExitCode::from(document.exit_code()))
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
