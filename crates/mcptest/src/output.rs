//! Writing: results to stdout or a file, talk to stderr. A broken pipe is success.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context as _;
use mcptest_report::Reporter;
use mcptest_report::text::clean;
use mcptest_score::result::{Problem, ResultDocument, Timing};
use mcptest_suite::diagnostic::{Diagnostic, Source};

use crate::args::{ReportArgs, ReporterArg};

/// Exit code for a wrong command line or file.
pub const WRONG_INPUT: u8 = 2;

/// Prints a result to stdout.
pub fn result(text: &str) -> anyhow::Result<()> {
    let mut out = anstream::AutoStream::auto(io::stdout().lock());
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("failed to write to stdout"),
    }
}

/// Streams the document to stdout.
fn json_to_stdout(document: &ResultDocument) -> anyhow::Result<()> {
    let mut out = io::BufWriter::with_capacity(64 << 10, io::stdout().lock());
    let written = mcptest_report::json::write(document, &mut out).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("failed to write to stdout"),
    }
}

/// Says something to the person, on stderr; if nobody listens, that is fine.
pub fn say(text: &str) {
    let mut out = anstream::AutoStream::auto(io::stderr().lock());
    let _ = writeln!(out, "{}", text.trim_end_matches('\n'));
}

/// Whether a stream wants colour.
pub fn colour(stream: &impl anstream::stream::RawStream) -> bool {
    anstream::AutoStream::choice(stream) != anstream::ColorChoice::Never
}

/// Shows diagnostics on stderr.
pub fn diagnostics(found: &[Diagnostic]) {
    if !found.is_empty() {
        say(&mcptest_report::diagnostics::render(found, colour(&io::stderr())));
    }
}

/// The last word when something unforeseen went wrong.
pub fn give_up(error: &anyhow::Error) -> ExitCode {
    say(&format!("error: {}", clean(&format!("{error:#}"))));
    ExitCode::from(WRONG_INPUT)
}

/// Reads a suite file as text.
pub fn read_source(path: &Path) -> anyhow::Result<Source> {
    let name = path.display().to_string();
    let limit = mcptest_suite::MAX_BYTES as u64;
    let size = std::fs::metadata(path).with_context(|| format!("cannot read {name}"))?.len();
    anyhow::ensure!(
        size <= limit,
        "{name} is larger than {} MiB, too large for a suite",
        limit >> 20
    );
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source::new(name, text)),
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
            let at = Source::new(name.as_str(), text).position(valid);
            anyhow::bail!(
                "{name}:{}:{}: this is not UTF-8 text; save the file as UTF-8",
                at.line,
                at.column
            )
        }
    }
}

/// Why a command ends before it measured anything: exit code 2.
#[derive(Debug)]
pub enum Stop {
    /// Mistakes in a suite.
    Diagnostics(Vec<Diagnostic>),
    /// A stable word and a sentence.
    Message(&'static str, String),
    /// Anything with a place and a next step.
    Problem(Box<Problem>),
}

impl Stop {
    fn problems(&self) -> Vec<Problem> {
        match self {
            Self::Diagnostics(found) => {
                found.iter().filter(|one| one.is_error()).map(problem).collect()
            }
            Self::Message(code, message) => vec![Problem::new(code, message.as_str())],
            Self::Problem(problem) => vec![Problem::clone(problem)],
        }
    }

    fn say(&self) {
        match self {
            Self::Diagnostics(found) => diagnostics(found),
            Self::Message(_, message) => say(&format!("error: {}", clean(message))),
            Self::Problem(problem) => {
                let place = [
                    problem.file.clone(),
                    problem.line.map(|at| at.to_string()),
                    problem.column.map(|at| at.to_string()),
                ];
                let place =
                    place.into_iter().flatten().map(|part| format!("{part}:")).collect::<String>();
                let space = if place.is_empty() { "" } else { " " };
                let help = problem
                    .help
                    .as_ref()
                    .map_or_else(String::new, |help| format!("\n  help: {}", clean(help)));
                say(&format!(
                    "error[{}]: {}{space}{}{help}",
                    problem.code,
                    clean(&place),
                    clean(&problem.message)
                ));
            }
        }
    }
}

/// Says why, and ends with exit code 2; machine-readable reports are valid documents all the same.
pub fn stop(command: &str, report: &ReportArgs, why: &Stop) -> anyhow::Result<ExitCode> {
    why.say();
    let mut document = ResultDocument::new(command);
    document.errors = why.problems();
    let mut machines = report.reporter.clone();
    machines.retain(|reporter| reporter.kind != Reporter::Pretty);
    // One document on stdout, even where two were asked for.
    let on_stdout = machines.iter().filter(|one| one.file.is_none()).map(|one| one.kind);
    let chosen =
        on_stdout.clone().find(|kind| *kind == Reporter::Json).or_else(|| on_stdout.clone().next());
    machines.retain(|one| one.file.is_some() || Some(one.kind) == chosen);
    self::report(&document, &ReportArgs { reporter: machines, verbose: report.verbose })?;
    Ok(ExitCode::from(WRONG_INPUT))
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

/// The part of a document that may differ between two runs over the same input.
pub fn timing(started: Instant, source: &str) -> Timing {
    let environment = [
        ("mcptest", env!("CARGO_PKG_VERSION")),
        ("os", std::env::consts::OS),
        ("arch", std::env::consts::ARCH),
    ];
    Timing {
        source: source.to_owned(),
        duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        environment: environment
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect(),
    }
}

/// Refuses two reporters that would write into each other.
pub fn check_reporters(args: &ReportArgs) -> Result<(), Stop> {
    let on_stdout =
        args.reporter.iter().filter(|reporter| reporter.file.is_none()).collect::<Vec<_>>();
    if let [first, second, ..] = on_stdout.as_slice() {
        let (first, second) = (first.kind.name(), second.kind.name());
        let message = format!(
            "--reporter {first} and --reporter {second} both write to stdout; give one a file: --reporter {second}=FILE"
        );
        return Err(Stop::Message("two-reporters-on-stdout", message));
    }
    Ok(())
}

/// Renders the document with every reporter asked for; one that fails does not stop the others.
pub fn report(document: &ResultDocument, args: &ReportArgs) -> anyhow::Result<()> {
    let mut outcome = Ok(());
    for ReporterArg { kind, file } in &args.reporter {
        let options = mcptest_report::pretty::Options {
            colour: file.is_none() && colour(&io::stdout()),
            width: if file.is_none() { stdout_width() } else { 100 },
            verbose: args.verbose,
        };
        let written = match (file, kind) {
            (Some(path), _) => write_file(path, &kind.render(document, &options)),
            (None, Reporter::Json) => json_to_stdout(document),
            (None, _) => result(&kind.render(document, &options)),
        };
        outcome = outcome.and(written);
    }
    outcome
}

/// Columns of the terminal behind stdout; 100 where there is none.
pub fn stdout_width() -> usize {
    let terminal = io::stdout().is_terminal().then(terminal_size::terminal_size).flatten();
    terminal.map_or(100, |(width, _)| usize::from(width.0).clamp(40, 120))
}

/// Writes to a temporary name, syncs, renames: a reader never sees half a report.
pub fn write_file(path: &Path, text: &str) -> anyhow::Result<()> {
    let name = path.display();
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}.tmp", std::process::id()));
    let write = || -> io::Result<()> {
        let mut file = std::fs::File::create(&temporary)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&temporary, path)
    };
    write().or_else(|error| {
        let _ = std::fs::remove_file(&temporary);
        Err(error).with_context(|| format!("cannot write {name}"))
    })
}
