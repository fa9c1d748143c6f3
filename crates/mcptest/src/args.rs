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
    /// Run suites: call tools of real servers and check the results
    Run(RunArgs),
    /// Apply a suite's gates to recorded traces, from any framework
    Score(ScoreArgs),
    /// Serve a manifest or a tools/list snapshot as a real MCP server
    Mock(MockArgs),
    /// Connect to a server and show it as an agent sees it: protocol, tools, token price
    Doctor(DoctorArgs),
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
pub struct RunArgs {
    /// Suite files, or folders of them
    #[arg(value_name = "SUITE", default_value = "mcptest.yml")]
    pub suites: Vec<PathBuf>,
    /// Only tests whose name contains this, upper or lower case
    #[arg(long, short, value_name = "TEXT")]
    pub filter: Option<String>,
    /// How many servers are tested at the same time; the tests of one server run in order
    #[arg(long, short, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: u16,
    /// Stop at the first test that does not pass
    #[arg(long)]
    pub fail_fast: bool,
    #[command(flatten)]
    pub patience: PatienceArgs,
    #[command(flatten)]
    pub report: ReportArgs,
}

#[derive(Debug, Clone, Copy, clap::Args)]
pub struct PatienceArgs {
    /// Seconds a server may take to start and shake hands
    #[arg(long, value_name = "SECONDS", default_value_t = 30.0, value_parser = seconds)]
    pub handshake_timeout: f64,
    /// Seconds a call may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds)]
    pub call_timeout: f64,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value <= 86_400.0 => Ok(value),
        _ => Err("expected a number of seconds, more than 0 and at most 86400".to_owned()),
    }
}

#[derive(Debug, clap::Args)]
pub struct MockArgs {
    /// A mock_server manifest (YAML or JSON) or a tools/list snapshot
    #[arg(long, value_name = "FILE")]
    pub tools_from: PathBuf,
    /// Serve Streamable HTTP here instead of stdio, such as 127.0.0.1:8080 (port 0: any)
    #[arg(long, value_name = "ADDR")]
    pub http: Option<std::net::SocketAddr>,
}

#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("whom").required(true).args(["command", "url", "catalog", "suite"])))]
pub struct DoctorArgs {
    /// A suite: every server of it
    #[arg(value_name = "SUITE")]
    pub suite: Option<PathBuf>,
    /// A server behind a URL (Streamable HTTP)
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// An HTTP header for --url, as NAME:VALUE; repeatable
    #[arg(long, value_name = "NAME:VALUE", requires = "url")]
    pub header: Vec<String>,
    /// A saved tools/list snapshot
    #[arg(long, value_name = "FILE")]
    pub catalog: Option<PathBuf>,
    /// A command that starts a server (stdio)
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
    /// Save the catalog as a snapshot that `mock --tools-from` serves
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub patience: PatienceArgs,
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
    /// What `mcptest mock` serves
    Mock,
    /// What a run leaves
    Trace,
    /// What `--reporter json` prints
    Result,
}
