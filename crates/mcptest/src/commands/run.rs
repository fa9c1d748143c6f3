//! `mcptest run`

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::Context as _;
use indicatif::{ProgressBar, ProgressStyle};
use mcptest_run::events::{Collector, Event};
use mcptest_run::redact::Redactor;
use mcptest_run::tool_tests::{self, Options, SuiteFile};
use mcptest_score::result::{Problem, Status};
use mcptest_suite::check::Strictness;
use mcptest_suite::diagnostic::{Diagnostic, Source};
use mcptest_suite::load;
use mcptest_suite::tree::Node;

use crate::args::RunArgs;
use crate::{output, servers};

pub fn run(args: &RunArgs, quiet: bool) -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    if let Err(why) = output::check_reporters(&args.report) {
        return output::stop("run", &args.report, &why);
    }
    let suites = match load_all(&args.suites, quiet) {
        Ok(suites) => suites,
        Err(problem) => return output::stop("run", &args.report, &problem),
    };
    let options = Options {
        filter: args.filter.clone(),
        jobs: usize::from(args.jobs),
        fail_fast: args.fail_fast,
        patience: servers::patience(args.patience),
    };
    let collector = Arc::new(Mutex::new(Collector::default()));
    let bar = progress_bar(quiet);
    let sink: tool_tests::Sink = {
        let (collector, bar) = (Arc::clone(&collector), bar.clone());
        Arc::new(move |event| {
            show(&bar, &event);
            collector.lock().unwrap_or_else(PoisonError::into_inner).take(event);
        })
    };
    let (suites, options) = (&suites, &options);
    let (ran, interrupted) = servers::block_on(|stop| async move {
        let ran = tool_tests::run(suites, options, sink, stop.clone()).await;
        (ran, *stop.borrow())
    })?;
    bar.finish_and_clear();
    if let Err(missing) = ran {
        let message = missing.to_string();
        return output::stop(
            "run",
            &args.report,
            &output::Stop::Message("missing-variable", message),
        );
    }
    let collected = std::mem::take(&mut *collector.lock().unwrap_or_else(PoisonError::into_inner));
    let (mut document, _) = collected.finish();
    document.suite = if let [one] = suites.as_slice() { Some(one.name.to_string()) } else { None };
    if interrupted {
        document.errors.push(Problem::new("interrupted", "interrupted before every test had run"));
    }
    document.timing = Some(output::timing(started, "live"));
    output::report(&document, &args.report)?;
    Ok(ExitCode::from(if interrupted { servers::INTERRUPTED } else { document.exit_code() }))
}

/// All suites, or everything that is wrong with them.
fn load_all(paths: &[PathBuf], quiet: bool) -> Result<Vec<SuiteFile>, output::Stop> {
    let unreadable =
        |error: anyhow::Error| output::Stop::Message("unreadable-suite", format!("{error:#}"));
    let files = find(paths).map_err(unreadable)?;
    let (mut suites, mut found) = (Vec::new(), Vec::new());
    for path in files {
        let source = output::read_source(&path).map_err(unreadable)?;
        match load(&source, Strictness::Whole) {
            Ok(loaded) => {
                found.extend(loaded.warnings);
                let surroundings = servers::surroundings(&path).map_err(unreadable)?;
                let names = loaded.env.iter().map(|variable| variable.name.as_str());
                let redactor = Redactor::of_variables(names, &surroundings.env);
                let (name, suite) = (source.name, loaded.suite);
                suites.push(SuiteFile { name, suite, surroundings, redactor });
            }
            Err(mistakes) => found.extend(mistakes),
        }
    }
    if found.iter().any(Diagnostic::is_error) {
        return Err(output::Stop::Diagnostics(found));
    }
    if !quiet {
        output::diagnostics(&found);
    }
    Ok(suites)
}

/// Files as given; of a folder every YAML file directly in it that looks like a suite.
fn find(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            let there = path.exists() || path != Path::new("mcptest.yml");
            anyhow::ensure!(there, "there is no mcptest.yml here; name a suite: mcptest run SUITE");
            files.push(path.clone());
            continue;
        }
        let folder =
            std::fs::read_dir(path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut inside = folder
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|file| is_suite(file))
            .collect::<Vec<_>>();
        inside.sort();
        anyhow::ensure!(
            !inside.is_empty(),
            "{}: the folder holds no suite (*.yml)",
            path.display()
        );
        files.extend(inside);
    }
    Ok(files)
}

/// Manifests of mock servers often lie beside the suites that use them.
fn is_suite(path: &Path) -> bool {
    let yaml = path.extension().is_some_and(|end| end == "yml" || end == "yaml");
    yaml && path.is_file() && output::read_source(path).map_or(true, |source| !is_manifest(&source))
}

fn is_manifest(source: &Source) -> bool {
    Node::parse(source).is_ok_and(|root| root.get("mock_server").is_some())
}

/// Shown on a terminal only.
fn progress_bar(quiet: bool) -> ProgressBar {
    if quiet || std::env::var_os("CI").is_some() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:24} {pos}/{len} {msg}");
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn show(bar: &ProgressBar, event: &Event) {
    match event {
        Event::Planned { tests } => bar.set_length(*tests as u64),
        Event::Started { name } => bar.set_message(mcptest_report::text::clean(name).into_owned()),
        Event::Finished { row, .. } => {
            if matches!(row.status, Status::Failed | Status::Error) {
                bar.println(format!(
                    "{}  {}",
                    row.status.word(),
                    mcptest_report::text::clean(&row.name)
                ));
            }
            bar.inc(1);
        }
        Event::Problem(_) | Event::Note(_) => {}
    }
}
