//! What can be typed. What it means is decided by the commands.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use mcptest_report::Reporter;

/// Does the agent pick the right tool, what does the tool surface cost, and why does it fail?
#[derive(Debug, Parser)]
#[command(name = "mcptest", version, arg_required_else_help = true, after_help = EXIT_CODES)]
pub struct Args {
    /// Say nothing on stderr but errors.
    #[arg(long, short, global = true)]
    pub quiet: bool,
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  all passed
  1  a test or gate failed
  2  the command line or a file is wrong
  3  something outside failed, so no verdict is possible
  4  nothing was selected
  130  interrupted";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Apply a suite's gates to recorded traces, from any framework
    Score(ScoreArgs),
    /// Check suite files: every mistake, with its place and what was probably meant
    Validate(ValidateArgs),
    /// Print the JSON Schema of a format
    Schema(SchemaArgs),
}

#[derive(Debug, clap::Args)]
pub struct ScoreArgs {
    /// Trace files (JSON, JSONL; this project's form or OpenAI chat messages), folders of them, or - for stdin
    #[arg(required = true, value_name = "TRACE")]
    pub traces: Vec<PathBuf>,
    /// The suite whose gates are applied
    #[arg(long, short, value_name = "FILE")]
    pub suite: PathBuf,
    /// The test all traces belong to, where they do not name it themselves
    #[arg(long, short, value_name = "NAME")]
    pub test: Option<String>,
    #[command(flatten)]
    pub report: ReportArgs,
}

#[derive(Debug, clap::Args)]
pub struct ReportArgs {
    /// pretty, json, junit or markdown, to stdout or, as json=FILE, to a file; repeatable
    #[arg(long, short, value_name = "KIND[=FILE]", value_parser = parse_reporter, default_value = "pretty")]
    pub reporter: Vec<ReporterArg>,
    /// Show every passed run, too
    #[arg(long, short)]
    pub verbose: bool,
}

/// A reporter and where it writes.
#[derive(Debug, Clone)]
pub struct ReporterArg {
    pub kind: Reporter,
    pub file: Option<PathBuf>,
}

fn parse_reporter(text: &str) -> Result<ReporterArg, String> {
    let (name, file) = text.split_once('=').map_or((text, None), |(name, file)| (name, Some(file)));
    let kind = Reporter::from_name(name).ok_or_else(|| {
        let names = Reporter::ALL.iter().map(|reporter| reporter.name()).collect::<Vec<_>>();
        mcptest_suite::suggest::did_you_mean(name, &names)
    })?;
    if file == Some("") {
        return Err(format!("`{name}=` needs a file name"));
    }
    Ok(ReporterArg { kind, file: file.map(PathBuf::from) })
}

#[derive(Debug, clap::Args)]
pub struct ValidateArgs {
    /// Suite files
    #[arg(required = true, value_name = "SUITE")]
    pub suites: Vec<PathBuf>,
    /// Print the findings as one JSON document
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
pub struct SchemaArgs {
    /// Which format
    #[arg(default_value = "suite")]
    pub kind: SchemaKind,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum SchemaKind {
    /// The suite language
    Suite,
    /// What a run leaves
    Trace,
    /// What `--reporter json` prints
    Result,
}
