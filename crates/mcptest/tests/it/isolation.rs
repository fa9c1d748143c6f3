//! `isolation:`, with bwrap where it works, and what is said where a sandbox is not there.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::util::{BINARY, Folder, command, messages, output_of, statuses};

/// Whether bwrap is there and permitted; says so where it is not.
fn bwrap_works() -> bool {
    let works =
        Command::new("bwrap").args(["--ro-bind", "/", "/", "--unshare-net", "true"]).output();
    let works = works.is_ok_and(|output| output.status.success());
    if !works {
        println!("skipped: bwrap is not installed or not permitted here");
    }
    works
}

/// Looks around, writes into its folder and into /tmp, then serves what it saw as a tool.
const SERVER: &str = r#"
try() { if "$@" 2>/dev/null; then echo yes; else echo no; fi; }
echo changed >> notes.txt 2>/dev/null
touch "/tmp/inside-$MARKER"
cat > /tmp/facts.json <<END
{"mock_server": {"name": "facts", "tools": [
  {"name": "facts", "response": {"structuredContent": {
    "folder": "$(pwd)",
    "lines": $(wc -l < notes.txt),
    "network": "$(readlink /proc/self/ns/net)",
    "interfaces": "$(tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' ' | sort | tr '\n' ' ')",
    "system_writable": "$(try touch "/etc/mcptest-$MARKER")",
    "suite_writable": "$(try touch "$HERE/written-$MARKER")",
    "sees_outer_tmp": "$(try test -e "$OUTER")",
    "root": "$ROOT"
  }}},
  {"name": "crash", "fault": "crash"}
]}}
END
exec "$0" mock --tools-from /tmp/facts.json
"#;

/// A suite whose server is isolated like this: what it sees is asked for, before and after a crash.
fn suite(folder: &Folder, outer: &str, isolation: &Value, seen: &[(&str, Value)]) -> Value {
    let expect = seen.iter().map(|(fact, matcher)| {
        json!({ "target": format!("result.structuredContent.{fact}"), "matcher": matcher })
    });
    let expect = expect.collect::<Vec<_>>();
    let test = |name: &str, tool: &str| json!({ "name": name, "type": "tool", "server": "facts", "tool": tool });
    let mut tests = [test("one", "facts"), test("crash", "crash"), test("two", "facts")];
    tests[0]["expect"] = json!(expect);
    tests[2]["expect"] = json!(expect);
    let env = json!({
        "MARKER": folder.marker(), "OUTER": outer, "HERE": folder.path(), "ROOT": "${workspace}",
    });
    let command = json!(["sh", "-c", SERVER, BINARY]);
    json!({
        "servers": { "facts": { "command": command, "env": env, "isolation": isolation } },
        "tests": tests,
    })
}

/// Runs the suite in its own folder and from the one above; everything must be seen as expected.
fn sees(isolation: &Value, seen: &[(&str, Value)]) -> Folder {
    let folder = Folder::outside_tmp();
    let outer = tempfile::NamedTempFile::new_in("/tmp").unwrap();
    let suite = suite(&folder, outer.path().to_str().unwrap(), isolation, seen);
    folder.file("suite.yml", suite.to_string());
    folder.file("ws/notes.txt", "original\n").file("notes.txt", "original\n");
    let above = folder.path().parent().unwrap();
    let from_above = folder.path().strip_prefix(above).unwrap().join("suite.yml");
    for (from, suite) in [(folder.path(), "suite.yml"), (above, from_above.to_str().unwrap())] {
        let child = command(from, &["run", suite, "--reporter", "json"]).spawn().unwrap();
        let document = output_of(child).json_and(1);
        let expected = [("one", "passed"), ("crash", "failed"), ("two", "passed")];
        assert_eq!(statuses(&document), expected, "{document:#}");
    }
    assert_eq!(folder.read("ws/notes.txt"), "original\n", "the workspace is a copy");
    assert_eq!(folder.read("notes.txt"), "original\n");
    assert!(!fs::exists(format!("/tmp/inside-{}", folder.marker())).unwrap(), "/tmp is private");
    folder
}

fn host_network() -> String {
    fs::read_link("/proc/self/ns/net").unwrap().display().to_string()
}

/// Two lines at each start: the original and the one it adds itself.
#[test]
fn the_workspace_is_fresh_for_each_start_and_there_is_no_network() {
    if !bwrap_works() {
        return;
    }
    sees(
        &json!({ "kind": "bwrap", "network": "none", "workspace": "./ws" }),
        &[
            ("folder", json!({ "equals": "/tmp/workspace" })),
            ("root", json!({ "equals": "/tmp/workspace" })),
            ("lines", json!({ "==": 2 })),
            ("network", json!({ "regex": "^net:", "not": { "equals": host_network() } })),
            ("interfaces", json!({ "equals": "lo " })),
            ("system_writable", json!({ "equals": "no" })),
            ("suite_writable", json!({ "equals": "no" })),
            ("sees_outer_tmp", json!({ "equals": "no" })),
        ],
    );
}

#[test]
fn without_a_workspace_it_starts_beside_the_suite_read_only() {
    if !bwrap_works() {
        return;
    }
    let folder = sees(
        &json!({ "kind": "bwrap", "network": "host" }),
        &[
            ("folder", json!({ "contains": env!("CARGO_TARGET_TMPDIR") })),
            ("lines", json!({ "==": 1 })),
            ("network", json!({ "equals": host_network() })),
            ("system_writable", json!({ "equals": "no" })),
            ("suite_writable", json!({ "equals": "no" })),
            ("sees_outer_tmp", json!({ "equals": "no" })),
        ],
    );
    assert!(!folder.path().join(format!("written-{}", folder.marker())).exists());
}

#[test]
fn a_workspace_that_is_not_there() {
    if !bwrap_works() {
        return;
    }
    let folder = Folder::new();
    let suite = suite(&folder, "", &json!({ "kind": "bwrap", "workspace": "nowhere" }), &[]);
    folder.file("suite.yml", suite.to_string());
    let document = folder.run(&["run", "suite.yml", "-r", "json"]).json_and(3);
    let message = messages(&document, "one");
    assert!(message.contains("nowhere: there is no such folder"), "{message}");
}

/// Runs with a PATH that holds only `programs`.
fn with_path(folder: &Folder, isolation: &Value) -> Value {
    let suite = suite(folder, "", isolation, &[]);
    folder.file("suite.yml", suite.to_string()).file("programs/x", "");
    let mut command = command(folder.path(), &["run", "suite.yml", "-r", "json"]);
    command.env("PATH", folder.path().join("programs"));
    output_of(command.spawn().unwrap()).json_and(3)
}

#[test]
fn a_sandbox_that_is_not_installed_is_named() {
    for (kind, package) in [("bwrap", "bubblewrap"), ("docker", "docker"), ("podman", "podman")] {
        let folder = Folder::new();
        let mut isolation = json!({ "kind": kind });
        if kind != "bwrap" {
            isolation["image"] = json!("img:1");
        }
        let document = with_path(&folder, &isolation);
        assert_eq!(
            messages(&document, "one"),
            format!("server `facts`: isolation needs `{kind}`, which is not installed")
        );
        let help = document["errors"][0]["help"].as_str().unwrap();
        assert!(help.contains(&format!("install the package {package}")), "{help}");
    }
}

/// The client is there, its engine is not: its own words are shown. Values of variables do not
/// stand on the command line.
#[test]
fn a_container_engine_that_does_not_run() {
    let folder = Folder::new();
    let script = format!(
        "#!/bin/sh\nfor word; do echo \"$word\"; done > {}\necho 'Cannot connect to the Docker daemon' >&2\nexit 125\n",
        folder.path().join("asked").display()
    );
    folder.file("programs/docker", script).file("ws/notes.txt", "original\n");
    let program = folder.path().join("programs/docker");
    fs::set_permissions(program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let isolation = json!({ "kind": "docker", "image": "img:1", "workspace": "ws" });
    let document = with_path(&folder, &isolation);
    let message = messages(&document, "one");
    assert!(message.contains("exit status: 125"), "{message}");
    assert!(message.contains("stderr: Cannot connect to the Docker daemon"), "{message}");
    let asked = folder.read("asked");
    let words = asked.lines().collect::<Vec<_>>();
    assert_eq!(words[..2], ["run", "--rm"]);
    let network = words.iter().position(|word| *word == "--network").unwrap();
    assert_eq!(words[network + 1], "none", "unless the suite says otherwise");
    assert!(words.contains(&"MARKER") && words.contains(&"img:1"), "{words:?}");
    assert!(!asked.contains(&folder.marker()), "{words:?}");
}
