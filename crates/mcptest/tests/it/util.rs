//! What the tests share.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::{Value, json};

/// The folder of golden suites.
pub fn golden_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden")
}

/// The text of a golden suite that is valid.
pub fn golden(name: &str) -> String {
    fs::read_to_string(golden_folder().join("ok").join(name)).unwrap()
}

/// The shared corpora, where they are; says so where they are not.
pub fn data() -> Option<PathBuf> {
    let data = std::env::var_os("MCPTEST_DATA").map(PathBuf::from);
    if data.is_none() {
        println!("skipped: MCPTEST_DATA is not set");
    }
    data
}

/// What a process left.
#[derive(Debug)]
pub struct Output {
    /// The exit code; nothing for a signal.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Output {
    /// The result document, which must be the whole of stdout and fit its schema.
    pub fn json(&self) -> Value {
        static RESULT: LazyLock<Validator> = LazyLock::new(|| validator("result"));
        let document: Value = serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("stdout is no JSON document: {error}\n{self:?}"));
        if let Err(error) = RESULT.validate(&document) {
            panic!("not a result: {error} at {}\n{}", error.instance_path(), self.stdout);
        }
        document
    }

    /// The result document of a run that ended with `code`.
    pub fn json_and(&self, code: i32) -> Value {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self.json()
    }
}

/// A validator of one of our own schemas, as the binary prints it.
pub fn validator(kind: &str) -> Validator {
    let printed = mcptest(Path::new("."), &["schema", kind], "");
    assert_eq!(printed.code, Some(0), "{printed:?}");
    jsonschema::validator_for(&serde_json::from_str(&printed.stdout).unwrap()).unwrap()
}

/// The binary under test.
pub const BINARY: &str = env!("CARGO_BIN_EXE_mcptest");

/// The binary with its arguments, in a folder, all three streams piped.
pub fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command.args(args).current_dir(folder).env("NO_COLOR", "1").env_remove("CLICOLOR_FORCE");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the binary.
pub fn mcptest(folder: &Path, args: &[&str], stdin: &str) -> Output {
    let mut child = command(folder, args).spawn().unwrap();
    // A child that does not read its stdin closes it: no matter.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    output_of(child)
}

/// Waits for a process and collects what it left.
pub fn output_of(child: Child) -> Output {
    let output = child.wait_with_output().unwrap();
    Output {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Waits, generously, until something holds.
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = std::time::Instant::now();
    while !holds() {
        assert!(start.elapsed().as_secs() < 60, "waited a minute in vain: {what}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

/// The command lines of all processes that have `marker` in theirs.
pub fn processes_with(marker: &str) -> Vec<String> {
    let all = fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let line = fs::read(entry.ok()?.path().join("cmdline")).ok()?;
        Some(String::from_utf8_lossy(&line).replace('\0', " "))
    });
    all.filter(|line| line.contains(marker)).collect()
}

/// The rows of a result as name and status.
pub fn statuses(document: &Value) -> Vec<(&str, &str)> {
    let rows = document["rows"].as_array().unwrap().iter();
    rows.map(|row| (row["name"].as_str().unwrap(), row["status"].as_str().unwrap())).collect()
}

/// The messages of the row with this name, one line each.
pub fn messages(document: &Value, name: &str) -> String {
    let rows = document["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["name"] == name);
    let row = row.unwrap_or_else(|| panic!("no row {name}: {document:#}"));
    let messages = row["messages"].as_array().unwrap().iter();
    messages.map(|message| message.as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

/// A folder of the test's own.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Not below /tmp, which a sandbox hides.
    pub fn outside_tmp() -> Self {
        Self(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap())
    }

    /// A word that stands nowhere else on this machine.
    pub fn marker(&self) -> String {
        format!("marker-{}", self.path().file_name().unwrap().display())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file, and the folders above it.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    pub fn run(&self, args: &[&str]) -> Output {
        mcptest(self.path(), args, "")
    }
}

/// One trace per line.
pub fn lines(traces: &[Value]) -> String {
    traces.iter().map(|trace| format!("{trace}\n")).collect()
}

/// A folder with `suite.yml` and `traces.jsonl`.
pub fn folder(suite: &str, traces: &[Value]) -> Folder {
    let folder = Folder::new();
    folder.file("suite.yml", suite).file("traces.jsonl", lines(traces));
    folder
}

/// Scores traces with a suite: `mcptest score traces.jsonl --suite suite.yml --reporter json`.
pub fn score(suite: &str, traces: &[Value]) -> Output {
    folder(suite, traces).run(&[
        "score",
        "traces.jsonl",
        "--suite",
        "suite.yml",
        "--reporter",
        "json",
    ])
}

/// A call of `server.tool`, or of a tool without a server.
pub fn call(id: &str) -> Value {
    match id.split_once('.') {
        Some((server, name)) => json!({ "server": server, "name": name }),
        None => json!({ "name": id }),
    }
}

/// A trace that makes these calls.
pub fn trace(ids: &[&str]) -> Value {
    json!({ "tool_calls": ids.iter().map(|id| call(id)).collect::<Vec<_>>() })
}

/// A trace with more keys.
pub fn trace_with(ids: &[&str], more: &Value) -> Value {
    let mut trace = trace(ids);
    for (key, value) in more.as_object().unwrap() {
        trace[key] = value.clone();
    }
    trace
}

/// The only gate of a block.
pub fn gate<'a>(document: &'a Value, block: &str) -> &'a Value {
    let gates = document["gates"].as_array().unwrap();
    let mut found = gates.iter().filter(|gate| gate["block"] == block);
    let gate = found.next().unwrap_or_else(|| panic!("no gate {block}: {document:#}"));
    assert!(found.next().is_none(), "several gates {block}: {document:#}");
    gate
}

/// The figures of the only gate of a block, without the part before the last dot.
pub fn figures(document: &Value, block: &str) -> Value {
    short_figures(gate(document, block))
}

/// The figures of a gate, without the part before the last dot.
pub fn short_figures(gate: &Value) -> Value {
    let figures = gate["figures"].as_object().unwrap().iter();
    figures.map(|(target, value)| (short(target).to_owned(), value.clone())).collect()
}

fn short(target: &str) -> &str {
    target.rsplit_once('.').map_or(target, |(_, name)| name)
}
