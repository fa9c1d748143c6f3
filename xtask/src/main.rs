//! The project's own commands: `cargo xtask test`, `generate`, `peers`, `bench`.

mod bench;
mod bench_servers;
mod generate;
mod peers;
mod raw_client;
mod test;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, bail};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  test [--full]       rustfmt, clippy, every test, generated files, licences; --full: all cases of slow suites
  generate [--check]  rewrite schema/ from the types; --check only says what is stale
  peers               install the real servers and official clients of the peer tests into target/peers
  bench score [N]     score N (100,000) traces: time as a ratio to a bare typed parse, and peak memory
  bench servers       starts, calls and tool tests: ratios to a minimal raw client, and peak memory";

fn main() -> ExitCode {
    let words = std::env::args().skip(1).collect::<Vec<_>>();
    let words = words.iter().map(String::as_str).collect::<Vec<_>>();
    let outcome = match words.as_slice() {
        ["test"] => test::run(false),
        ["test", "--full"] => test::run(true),
        ["generate"] => generate::run(false),
        ["generate", "--check"] => generate::run(true),
        ["peers"] => peers::install(),
        ["bench", "score"] => bench::score(100_000),
        ["bench", "score", count] => match count.parse() {
            Ok(count) => bench::score(count),
            Err(_) => Err(anyhow::anyhow!("`{count}` is no number of traces")),
        },
        ["bench", "servers"] => bench_servers::run(),
        // What the benchmarks start of themselves, in release mode.
        ["bench-servers"] => bench_servers::measure_all(),
        ["bench-raw-echo", count, server] => bench_servers::raw_echo(count, server),
        ["bench-parse", file] => bench::bare_parse(file),
        _ => Err(anyhow::anyhow!("{USAGE}")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(&format!("xtask: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// The workspace's folder.
fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map(PathBuf::from).unwrap_or(here)
}

/// The cargo that runs this.
fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Runs a step and shows its name first.
fn step(name: &str, command: &mut Command) -> anyhow::Result<()> {
    tell(&format!("==> {name}"));
    let status = command.status().with_context(|| format!("{name} could not be started"))?;
    if !status.success() {
        bail!("{name} failed");
    }
    Ok(())
}

#[expect(clippy::print_stderr, reason = "this is where xtask talks")]
fn tell(text: &str) {
    eprintln!("{text}");
}

#[expect(clippy::print_stdout, reason = "this is where xtask prints results")]
fn print(text: &str) {
    println!("{text}");
}
