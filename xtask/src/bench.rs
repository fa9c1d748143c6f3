//! Benchmarks report ratios to a baseline measured in the same run, never bare times alone.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use mcptest_trace::Trace;

use crate::{cargo, print, root, tell};

const ROUNDS: usize = 5;

/// Scores `count` small JSONL traces in one call, beside a bare typed parse of the same bytes.
pub fn score(count: usize) -> anyhow::Result<()> {
    tell("building in release mode");
    let build = cargo()
        .args(["build", "--release", "--quiet", "--locked", "-p", "mcptest", "-p", "xtask"])
        .status()?;
    if !build.success() {
        bail!("the build failed");
    }
    let folder = root().join("target/bench");
    std::fs::create_dir_all(&folder)?;
    let (traces, suite) = (folder.join("traces.jsonl"), folder.join("suite.yml"));
    write_traces(&traces, count)?;
    std::fs::write(&suite, SUITE)?;
    let bytes = std::fs::metadata(&traces)?.len();
    let binary = root().join("target/release/mcptest");
    let own = root().join("target/release/xtask");
    let mut best: [Measured; 2] = [Measured::WORST; 2];
    for _ in 0..ROUNDS {
        let mut scored = Command::new(&binary);
        scored.arg("score").arg(&traces).arg("--suite").arg(&suite).args([
            "--quiet",
            "--reporter",
            "json",
        ]);
        best[0] = best[0].better(measure(&mut scored)?);
        best[1] = best[1].better(measure(Command::new(&own).arg("bench-parse").arg(&traces))?);
    }
    print(&table(count, bytes, &best));
    Ok(())
}

/// The baseline: every line into the typed trace, one thread, nothing else.
pub fn bare_parse(file: &str) -> anyhow::Result<()> {
    let mut calls = 0;
    for line in BufReader::with_capacity(1 << 20, File::open(file)?).lines() {
        calls += serde_json::from_str::<Trace>(&line?)?.tool_calls.len();
    }
    print(&format!("{calls} calls"));
    Ok(())
}

/// What a process took.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    /// From start to end.
    pub wall: Duration,
    /// The most memory it held at once.
    pub peak_kib: u64,
}

impl Measured {
    const WORST: Self = Self { wall: Duration::MAX, peak_kib: u64::MAX };

    fn better(self, other: Self) -> Self {
        Self { wall: self.wall.min(other.wall), peak_kib: self.peak_kib.min(other.peak_kib) }
    }
}

/// Runs a command and watches its peak memory through /proc.
pub fn measure(command: &mut Command) -> anyhow::Result<Measured> {
    let started = Instant::now();
    let mut child =
        command.stdout(Stdio::null()).stderr(Stdio::inherit()).spawn().context("cannot start")?;
    let status_file = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut peak_kib = 0;
    loop {
        peak_kib = peak_kib.max(high_water(&status_file).unwrap_or_default());
        match child.try_wait()? {
            // A gate may fail (1) in this suite; anything else is a broken benchmark.
            Some(status) if matches!(status.code(), Some(0 | 1)) => break,
            Some(status) => bail!("{command:?} ended with {status}"),
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    }
    Ok(Measured { wall: started.elapsed(), peak_kib })
}

fn high_water(status: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn table(count: usize, bytes: u64, [scored, parsed]: &[Measured; 2]) -> String {
    let mut text = format!(
        "score {count} traces, {:.1} MB of JSONL, best of {ROUNDS}\n\n",
        bytes as f64 / 1e6
    );
    let mut row = |name: &str, one: &Measured| {
        let seconds = one.wall.as_secs_f64();
        let ratio = seconds / parsed.wall.as_secs_f64();
        let _ = writeln!(
            text,
            "{name:<26} {seconds:>7.3} s   {ratio:>5.2}x   {:>7.1} MB peak",
            one.peak_kib as f64 / 1024.0
        );
    };
    row("bare typed parse, 1 thread", parsed);
    row("mcptest score, all gates", scored);
    text
}

/// Small traces of varied outcome: a generator of its own, so that the bytes never change.
fn write_traces(path: &Path, count: usize) -> anyhow::Result<()> {
    const TOOLS: [(&str, &str); 5] = [
        ("brave", "web_search"),
        ("google", "search"),
        ("http", "get"),
        ("shell", "exec"),
        ("http", "post"),
    ];
    let mut out = BufWriter::new(File::create(path)?);
    let mut state = 1u64;
    let mut draw = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for run in 1..=count {
        let mut calls = Vec::new();
        for _ in 0..=draw(4) {
            let (server, name) = TOOLS[draw(5) as usize];
            let error = draw(10) == 0;
            calls.push(format!(
                r#"{{"server":"{server}","name":"{name}","args":{{"query":"item {}","limit":{}}},"result":{{"content":[{{"type":"text","text":"found {} things"}}]}},"is_error":{error},"turn":1,"duration_ms":12.5}}"#,
                draw(1000), draw(50), draw(9)
            ));
        }
        let tokens = 500 + draw(2000);
        writeln!(
            out,
            r#"{{"test":"research","model":"builtin/lexical","run":{run},"tool_calls":[{}],"conversation":{{"tokens":{{"prompt":{tokens},"completion":100,"total":{}}},"turns":2,"cost_usd":0.001}},"final_response":"Done.","status":"ok"}}"#,
            calls.join(","),
            tokens + 100
        )?;
    }
    Ok(out.flush()?)
}

const SUITE: &str = "\
agents:
  - name: research
    model: builtin/lexical
    runs: 100000
    prompt: Find it and fetch it.
    expect:
      - tool_calls.length: { '<=': 4 }
    equal_function_sets:
      classes:
        - { name: search, members: [brave.web_search, google.search] }
        - { name: fetch, members: [http.get] }
    tool_selection: { expected_tool: http.get, min_selection_rate: 0.5, max_total_tokens: 3000 }
    orchestration:
      expect: [{ orchestration.syntax: { '>=': 100 } }]
    trajectory: { mode: superset, calls: [{ name: http.get }] }
    golden_path: { calls: [google.search, http.get] }
    tool_edges: { restricted: [shell.exec] }
";
