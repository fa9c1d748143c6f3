//! `bench servers`: the client and the mock beside the raw client, in the same run.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use mcptest_mcp::process::Program;
use mcptest_mcp::{Address, Lifecycle, Patience, Server};
use serde_json::{Map, json};
use tokio::runtime::Runtime;

use crate::bench::{Measured, measure};
use crate::raw_client::{Http, Pipe};
use crate::{cargo, peers, print, root, tell};

const STARTS: usize = 41;
const ROUNDS: usize = 7;
const STDIO_CALLS: usize = 10_000;
const HTTP_CALLS: usize = 4_000;

/// Builds in release mode and measures there.
pub fn run() -> anyhow::Result<()> {
    tell("building in release mode");
    let packages = ["build", "--release", "--quiet", "--locked", "-p", "mcptest", "-p", "xtask"];
    if !cargo().args(packages).status()?.success() {
        bail!("the build failed");
    }
    peers::install()?;
    let own = root().join("target/release/xtask");
    if !Command::new(own).arg("bench-servers").status()?.success() {
        bail!("the benchmark failed");
    }
    Ok(())
}

/// The measuring itself, in release mode.
pub fn measure_all() -> anyhow::Result<()> {
    let folder = root().join("target/bench");
    std::fs::create_dir_all(&folder)?;
    let manifest = folder.join("echo.yml");
    std::fs::write(&manifest, MANIFEST)?;
    let binary = root().join("target/release/mcptest").display().to_string();
    let mock =
        vec![binary, "mock".to_owned(), "--tools-from".to_owned(), manifest.display().to_string()];
    let runtime = Runtime::new()?;
    let mut table = format!("{:<44} {:>12} {:>12} {:>7}\n", "", "raw client", "mcptest", "ratio");
    starts(&runtime, &mock, &mut table)?;
    stdio_calls(&runtime, &mock, &mut table)?;
    http_calls(&runtime, &mock, &mut table)?;
    for count in [20, 1_000] {
        echo_tests(&folder, count, &mut table)?;
    }
    print(&table);
    Ok(())
}

/// The raw client's part of `echo_tests`, as a process of its own: start, calls, end.
pub fn raw_echo(count: &str, server: &str) -> anyhow::Result<()> {
    let mut server = Pipe::start(&[server.to_owned()], false)?;
    for number in 1..=count.parse::<usize>()? {
        server.echo(&format!("message {number}"))?;
    }
    server.end()
}

fn address(argv: &[String]) -> Address {
    let program = Program { argv: argv.to_vec(), ..Program::default() };
    Address::Command { program, isolation: None }
}

async fn connect(address: &Address) -> anyhow::Result<Server> {
    Ok(Server::connect(address, Lifecycle::Stateless, Patience::default()).await?)
}

fn starts(runtime: &Runtime, mock: &[String], table: &mut String) -> anyhow::Result<()> {
    let mut took = [Vec::new(), Vec::new()];
    for _ in 0..STARTS {
        let started = Instant::now();
        let raw = Pipe::start(mock, true)?;
        took[0].push(started.elapsed());
        raw.end()?;
        let (elapsed, server) = runtime.block_on(async {
            let started = Instant::now();
            let server = connect(&address(mock)).await?;
            anyhow::Ok((started.elapsed(), server))
        })?;
        took[1].push(elapsed);
        runtime.block_on(server.close());
    }
    let [raw, ours] = took.map(median);
    row(table, "mock: start to first answer, stdio", [raw, ours], |took| {
        format!("{:.2} ms", took.as_secs_f64() * 1e3)
    });
    Ok(())
}

fn stdio_calls(runtime: &Runtime, mock: &[String], table: &mut String) -> anyhow::Result<()> {
    let mut raw = Pipe::start(mock, true)?;
    let server = runtime.block_on(connect(&address(mock)))?;
    let both = calls(runtime, &server, STDIO_CALLS, |message| raw.echo(message))?;
    row(table, "mock: calls in sequence, stdio", both, |took| per_second(STDIO_CALLS, took));
    runtime.block_on(server.close());
    raw.end()
}

fn http_calls(runtime: &Runtime, mock: &[String], table: &mut String) -> anyhow::Result<()> {
    let (mut child, host) = serve_http(mock)?;
    let mut raw = Http::connect(&host)?;
    let url = Address::Url { url: format!("http://{host}/mcp"), headers: BTreeMap::new() };
    let server = runtime.block_on(connect(&url))?;
    let both = calls(runtime, &server, HTTP_CALLS, |message| raw.echo(message));
    runtime.block_on(server.close());
    child.kill()?;
    child.wait()?;
    row(table, "mock: calls in sequence, HTTP", both?, |took| per_second(HTTP_CALLS, took));
    Ok(())
}

/// The mock over HTTP; it says on stderr where it listens.
fn serve_http(mock: &[String]) -> anyhow::Result<(Child, String)> {
    let mut command = Command::new(&mock[0]);
    command.args(&mock[1..]).args(["--http", "127.0.0.1:0"]).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let mut line = String::new();
    BufReader::new(child.stderr.take().context("no stderr")?).read_line(&mut line)?;
    let host = line.split_once("http://").and_then(|(_, rest)| rest.split_once('/'));
    let host = host.with_context(|| format!("the mock said {line:?}"))?.0.to_owned();
    Ok((child, host))
}

/// Median time of so many calls, by the raw client and by ours, in turns.
fn calls(
    runtime: &Runtime,
    server: &Server,
    count: usize,
    mut raw: impl FnMut(&str) -> anyhow::Result<()>,
) -> anyhow::Result<[Duration; 2]> {
    let mut took = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        let started = Instant::now();
        for number in 0..count {
            raw(&format!("message {number}"))?;
        }
        took[0].push(started.elapsed());
        let started = Instant::now();
        runtime.block_on(async {
            for number in 0..count {
                let mut args = Map::new();
                args.insert("message".to_owned(), json!(format!("message {number}")));
                server.call("echo", &args).await?;
            }
            anyhow::Ok(())
        })?;
        took[1].push(started.elapsed());
    }
    Ok(took.map(median))
}

/// So many echo tests against server-everything: the whole process, start and end included.
fn echo_tests(folder: &Path, count: usize, table: &mut String) -> anyhow::Result<()> {
    let server = peers::folder().join("node_modules/.bin/mcp-server-everything");
    let suite = folder.join(format!("echo-{count}.yml"));
    let mut text = format!(
        "servers:\n  everything: {{ command: [{:?}] }}\ntests:\n",
        server.display().to_string()
    );
    for number in 1..=count {
        let _ = writeln!(
            text,
            "  - {{ name: echo {number}, type: tool, server: everything, tool: echo, \
             args: {{ message: message {number} }}, \
             expect: [{{ \"result.content[0].text\": {{ equals: \"Echo: message {number}\" }} }}] }}"
        );
    }
    std::fs::write(&suite, text)?;
    let mut all = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        let mut raw = Command::new(root().join("target/release/xtask"));
        all[0].push(measure(raw.arg("bench-raw-echo").arg(count.to_string()).arg(&server))?);
        let mut ours = Command::new(root().join("target/release/mcptest"));
        all[1].push(measure(ours.args(["run", "--quiet"]).arg(&suite))?);
    }
    let peak = |all: &[Measured]| all.iter().map(|one| one.peak_kib).max().unwrap_or_default();
    let peaks = [peak(&all[0]), peak(&all[1])];
    let walls = all.map(|all| median(all.into_iter().map(|one| one.wall).collect()));
    row(table, &format!("server-everything: {count} echo tests"), walls, |took| {
        format!("{:.0} ms", took.as_secs_f64() * 1e3)
    });
    let megabytes = peaks.map(|kib| format!("{:.1} MB", kib as f64 / 1024.0));
    let _ = writeln!(table, "{:<44} {:>12} {:>12}", "  peak memory", megabytes[0], megabytes[1]);
    Ok(())
}

fn median(mut all: Vec<Duration>) -> Duration {
    all.sort_unstable();
    all[all.len() / 2]
}

fn per_second(calls: usize, took: Duration) -> String {
    format!("{:.0}/s", calls as f64 / took.as_secs_f64())
}

fn row(
    table: &mut String,
    name: &str,
    [raw, ours]: [Duration; 2],
    show: impl Fn(Duration) -> String,
) {
    let ratio = ours.as_secs_f64() / raw.as_secs_f64();
    let _ = writeln!(table, "{name:<44} {:>12} {:>12} {ratio:>6.2}x", show(raw), show(ours));
}

const MANIFEST: &str = "\
mock_server:
  name: bench
  tools:
    - name: echo
      description: Says it again.
      input_schema:
        type: object
        properties: { message: { type: string } }
        required: [message]
      response:
        content: [{ type: text, text: 'Echo: ${args.message}' }]
";
