//! Eight servers from npm and PyPI, offline: what `doctor` sees of them, and their tool tests.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::util::{json, mcptest, names, outcome, peers, root};

/// A server, how it is started, and what it is known to do.
struct Known {
    name: &'static str,
    /// Below the peers' folder; `WORK` stands for a fresh folder.
    command: &'static [&'static str],
    version: &'static str,
    lifecycle: &'static str,
    /// Tools of the catalog that it offers only to clients that can do more than we say we can.
    withheld: &'static [&'static str],
}

const OLD: (&str, &str) = ("2025-11-25", "handshake");
const NEW: (&str, &str) = ("2026-07-28", "stateless");

const fn known(
    name: &'static str,
    command: &'static [&'static str],
    (version, lifecycle): (&'static str, &'static str),
) -> Known {
    Known { name, command, version, lifecycle, withheld: &[] }
}

const SERVERS: &[Known] = &[
    Known {
        // The tool asks the client for its roots.
        withheld: &["get-roots-list"],
        ..known("everything", &["node_modules/.bin/mcp-server-everything"], OLD)
    },
    known("filesystem", &["node_modules/.bin/mcp-server-filesystem", "WORK"], OLD),
    known("memory", &["node_modules/.bin/mcp-server-memory"], OLD),
    known("sequential-thinking", &["node_modules/.bin/mcp-server-sequential-thinking"], OLD),
    known("time", &["venv/bin/mcp-server-time", "--local-timezone=Etc/UTC"], NEW),
    known("git", &["venv/bin/mcp-server-git"], NEW),
    known("fetch", &["venv/bin/mcp-server-fetch"], NEW),
    known("sqlite", &["venv-sqlite/bin/mcp-server-sqlite", "--db-path", "WORK/shop.db"], OLD),
];

impl Known {
    fn command(&self, peers: &Path, work: &Path) -> Vec<String> {
        let work = work.display().to_string();
        let program = peers.join(self.command[0]).display().to_string();
        let arguments = self.command[1..].iter().map(|word| word.replace("WORK", &work));
        std::iter::once(program).chain(arguments).collect()
    }

    /// The shared catalog: the same version's tools/list, captured by another client.
    fn catalog(&self, data: &Path) -> Vec<Value> {
        let file = data.join(format!("catalogs/{}.json", self.name));
        let text = std::fs::read_to_string(&file).unwrap();
        let document: Value = serde_json::from_str(&text).unwrap();
        let tools = document["tools"].as_array().unwrap().iter();
        tools
            .filter(|tool| !self.withheld.contains(&tool["name"].as_str().unwrap()))
            .cloned()
            .collect()
    }
}

/// Fresh folders with what the suites work on.
fn work() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let repository = folder.path().join("repository");
    std::fs::create_dir(&repository).unwrap();
    let git = |words: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(&repository).args([
            "-c",
            "user.name=Ada",
            "-c",
            "user.email=ada@page.test",
        ]);
        let (code, _, stderr) = outcome(git.args(words));
        assert_eq!(code, Some(0), "git {words:?}: {stderr}");
    };
    git(&["init", "--quiet"]);
    std::fs::write(repository.join("kept.txt"), "kept\n").unwrap();
    git(&["add", "kept.txt"]);
    git(&["commit", "--quiet", "--message", "The first commit"]);
    std::fs::write(repository.join("untracked.txt"), "new\n").unwrap();
    folder
}

/// A proxy that answers every request with the same page; its URL.
fn proxy() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || listener.incoming().flatten().for_each(|stream| serve(&stream)));
    format!("http://{address}")
}

fn serve(mut stream: &TcpStream) {
    let lines = BufReader::new(stream).lines();
    lines.map_while(Result::ok).take_while(|line| !line.is_empty()).for_each(drop);
    let page = "A page about notebooks.\n";
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n";
    let _ = write!(stream, "{head}content-length: {}\r\n\r\n{page}", page.len());
}

#[test]
fn doctor_sees_each_server_as_it_is() {
    let Some(peers) = peers() else { return };
    let data = std::env::var_os("MCPTEST_DATA").map(PathBuf::from);
    if data.is_none() {
        println!("skipped: the comparison with the shared catalogs (MCPTEST_DATA is not set)");
    }
    for known in SERVERS {
        let work = work();
        let saved = work.path().join("snapshot.json");
        let mut doctor = mcptest();
        doctor.args(["doctor", "--json", "--save"]).arg(&saved).arg("--");
        let seen = json(doctor.args(known.command(&peers, work.path())));
        let name = known.name;
        assert_eq!(seen["protocol"]["version"], known.version, "{name}");
        assert_eq!(seen["protocol"]["lifecycle"], known.lifecycle, "{name}");
        assert_eq!(seen["violations"], Value::Array(Vec::new()), "{name}");
        let tools = seen["tools"].as_array().unwrap();
        let tokens = tools.iter().map(|tool| tool["tokens"].as_u64().unwrap());
        assert_eq!(seen["totals"]["tokens"], tokens.sum::<u64>(), "{name}");
        assert_eq!(seen["totals"]["tools"], tools.len(), "{name}");
        let snapshot: Value = serde_json::from_slice(&std::fs::read(&saved).unwrap()).unwrap();
        assert_eq!(names(&seen["tools"]), names(&snapshot["tools"]), "{name}");
        if let Some(data) = &data {
            let catalog = known.catalog(data);
            assert_eq!(snapshot["tools"].as_array().unwrap(), &catalog, "{name}");
        }
    }
}

#[test]
fn a_saved_server_is_served_by_the_mock() {
    let Some(peers) = peers() else { return };
    let work = work();
    let file = |name: &str| work.path().join(name);
    let examine = |into: &Path, command: &[String]| {
        let seen =
            json(mcptest().args(["doctor", "--json", "--save"]).arg(into).arg("--").args(command));
        let saved: Value = serde_json::from_slice(&std::fs::read(into).unwrap()).unwrap();
        (seen, saved)
    };
    for known in SERVERS.iter().filter(|known| ["everything", "git"].contains(&known.name)) {
        let (real, saved) = examine(&file("real.json"), &known.command(&peers, work.path()));
        let binary = crate::util::binary().display().to_string();
        let snapshot = file("real.json").display().to_string();
        let mock = [binary, "mock".to_owned(), "--tools-from".to_owned(), snapshot];
        let (mocked, again) = examine(&file("mock.json"), &mock);
        assert_eq!(saved["tools"], again["tools"], "{}", known.name);
        assert_eq!(saved["serverInfo"], again["serverInfo"], "{}", known.name);
        assert_eq!((&real["tools"], &real["totals"]), (&mocked["tools"], &mocked["totals"]));
        assert_eq!(mocked["violations"], Value::Array(Vec::new()));
    }
}

fn run(suite: &str, peers: &Path, work: &Path) -> Command {
    let mut run = mcptest();
    run.arg("run").arg(root().join("tests/suites").join(suite));
    run.env("MCPTEST_PEERS", peers).env("PEER_WORK", work).env("PEER_PROXY", proxy());
    run
}

#[test]
fn the_tool_tests_of_every_server_pass() {
    let Some(peers) = peers() else { return };
    let work = work();
    let result = json(run("real-servers", &peers, work.path()).args(["--reporter", "json"]));
    let rows = result["rows"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["status"] == "passed"), "{result:#}");
    for known in SERVERS {
        let own = |name: &&str| name.starts_with(&format!("{} ", known.name));
        assert!(names(&result["rows"]).iter().any(own), "{} has no test", known.name);
    }
    assert!(!result.to_string().contains("violat"), "{result:#}");
    let written = std::fs::read_to_string(work.path().join("notes.txt")).unwrap();
    assert_eq!(written, "first line\nsecond line\n");
}

#[test]
fn a_test_that_fails_says_why() {
    let Some(peers) = peers() else { return };
    let work = work();
    let (code, stdout, _) = outcome(&mut run("failing", &peers, work.path()));
    assert_eq!(code, Some(1), "{stdout}");
    let why = r#"`result.content[0].text` is "Echo: notebook", expected to contain "pencil""#;
    assert!(stdout.contains("✗ echoes something else") && stdout.contains(why), "{stdout}");
    assert!(stdout.contains("1 of 2 checks passed, 1 failed"), "{stdout}");
}
