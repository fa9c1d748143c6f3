//! Writing: results to stdout or a file, talk to stderr. A broken pipe is success.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use mcptest_score::result::ResultDocument;
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
    say(&format!("error: {error:#}"));
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

/// Refuses two reporters that would write into each other.
pub fn check_reporters(args: &ReportArgs) -> anyhow::Result<()> {
    let on_stdout =
        args.reporter.iter().filter(|reporter| reporter.file.is_none()).collect::<Vec<_>>();
    if let [first, second, ..] = on_stdout.as_slice() {
        let (first, second) = (first.kind.name(), second.kind.name());
        anyhow::bail!(
            "--reporter {first} and --reporter {second} both write to stdout; give one a file: --reporter {second}=FILE"
        );
    }
    Ok(())
}

/// Renders the document with every reporter asked for.
pub fn report(document: &ResultDocument, args: &ReportArgs) -> anyhow::Result<()> {
    for ReporterArg { kind, file } in &args.reporter {
        let terminal = file.is_none() && io::stdout().is_terminal();
        let options = mcptest_report::pretty::Options {
            colour: file.is_none() && colour(&io::stdout()),
            width: if terminal { terminal_width() } else { 100 },
            verbose: args.verbose,
        };
        let text = kind.render(document, &options);
        match file {
            Some(path) => write_file(path, &text)?,
            None => result(&text)?,
        }
    }
    Ok(())
}

fn terminal_width() -> usize {
    terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0).clamp(40, 120))
}

/// Writes to a temporary name, syncs, renames: a reader never sees half a report.
fn write_file(path: &Path, text: &str) -> anyhow::Result<()> {
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
