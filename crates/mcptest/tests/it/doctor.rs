//! `mcptest doctor`: a server as an agent sees it.

use std::io::{BufRead as _, BufReader};
use std::process::Child;

use serde_json::{Value, json};

use crate::util::{BINARY, Folder, Output, command};

const TINY: &str = r#"
mock_server:
  name: tiny
  version: 2.1.0
  instructions: Add first, then ask.
  tools:
    - name: add
      description: Adds two numbers.
      input_schema: { type: object }
      annotations: { readOnlyHint: true, openWorldHint: false }
    - name: search_products
      description: Finds products whose name contains the query.
      input_schema:
        type: object
        properties: { query: { type: string }, limit: { type: integer } }
        required: [query]
  resources: [{ uri: "file:///a", name: a, text: x }]
"#;

fn tiny() -> Folder {
    let folder = Folder::new();
    folder.file("tiny.yml", TINY);
    folder
}

fn json_and(output: &Output, code: i32) -> Value {
    assert_eq!(output.code, Some(code), "{output:#?}");
    serde_json::from_str(&output.stdout)
        .unwrap_or_else(|error| panic!("stdout is no JSON document: {error}\n{output:#?}"))
}

/// A mock over HTTP that ends with the test.
struct Http {
    child: Child,
    url: String,
}

impl Http {
    fn start(folder: &Folder) -> Self {
        let args = ["mock", "--tools-from", "tiny.yml", "--http", "127.0.0.1:0"];
        let mut child = command(folder.path(), &args).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("serving tiny at ").unwrap_or_else(|| panic!("{line}"));
        Self { child, url: url.to_owned() }
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_command() {
    let folder = tiny();
    let output =
        folder.run(&["doctor", "--json", "--", BINARY, "mock", "--tools-from", "tiny.yml"]);
    let document = json_and(&output, 0);
    assert_eq!(document["server"]["name"], "tiny");
    assert_eq!(document["server"]["version"], "2.1.0");
    assert_eq!(document["server"]["instructions"], "Add first, then ask.");
    assert_eq!(document["protocol"]["version"], "2026-07-28");
    assert_eq!(document["protocol"]["lifecycle"], "stateless");
    assert!(document["protocol"]["capabilities"]["resources"].is_object(), "{document:#}");
    assert_eq!(document["violations"], json!([]));
    let steps = document["steps"].as_array().unwrap();
    let names = steps.iter().map(|step| step["step"].as_str().unwrap()).collect::<Vec<_>>();
    assert_eq!(names, ["start the process", "server/discover", "tools/list"]);
    assert!(steps.iter().all(|step| step["duration_ms"].as_f64().is_some()), "{steps:?}");
    assert_eq!(
        document["tools"],
        json!([
            { "name": "add", "tokens": 10, "parameters": 0, "required": 0, "annotations": ["read-only", "closed world"] },
            { "name": "search_products", "tokens": 35, "parameters": 2, "required": 1, "annotations": [] },
        ])
    );
    assert_eq!(document["totals"], json!({ "tools": 2, "tokens": 45, "context_percent": 0.02 }));
    assert!(output.stderr.contains("connecting to "), "{}", output.stderr);
    let quiet = folder.run(&[
        "doctor",
        "--quiet",
        "--json",
        "--",
        BINARY,
        "mock",
        "--tools-from",
        "tiny.yml",
    ]);
    assert_eq!(quiet.stderr, "");
}

/// Counted by hand: `add` is 1 token; `Adds| two| numbers|.` are 4; `{"|type|":"|object|"}` are 5.
#[test]
fn the_price_is_the_cl100k_tokens_of_name_description_and_compact_schema() {
    let folder = Folder::new();
    let tool = json!({ "name": "add", "description": "Adds two numbers.", "inputSchema": { "type": "object" } });
    folder.file("tools.json", json!({ "tools": [tool] }).to_string());
    let document = json_and(&folder.run(&["doctor", "--json", "--catalog", "tools.json"]), 0);
    assert_eq!(document["tools"][0]["tokens"], 1 + 4 + 5);
    assert_eq!(document["totals"]["tokens"], 10);
    assert_eq!(document["protocol"], Value::Null);
    assert_eq!(document["server"]["address"], "tools.json");
}

#[test]
fn a_url() {
    let folder = tiny();
    let http = Http::start(&folder);
    let over_http = json_and(&folder.run(&["doctor", "--json", "--url", &http.url]), 0);
    assert_eq!(over_http["server"]["address"], http.url.as_str());
    assert_eq!(over_http["violations"], json!([]));
    let stdio = folder.run(&["doctor", "--json", "--", BINARY, "mock", "--tools-from", "tiny.yml"]);
    let stdio = json_and(&stdio, 0);
    for part in ["tools", "totals", "protocol"] {
        assert_eq!(over_http[part], stdio[part], "{part}");
    }
}

#[test]
fn a_suite_with_two_servers() {
    let folder = tiny();
    let suite = r#"
servers:
  first: { command: [mcptest, mock, --tools-from, ./tiny.yml] }
  second: { command: [mcptest, mock, --tools-from, ./tiny.yml] }
"#;
    folder.file("suite.yml", suite);
    let document = json_and(&folder.run(&["doctor", "suite.yml", "--json"]), 0);
    let servers = document["servers"].as_array().unwrap();
    let names = servers.iter().map(|one| one["server"]["address"].as_str().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["first", "second"]);
    assert_eq!(document["errors"], json!([]));
    let pretty = folder.run(&["doctor", "suite.yml"]);
    assert_eq!(pretty.stdout.matches("search_products").count(), 2, "{}", pretty.stdout);
    // --save could not say which.
    let output = folder.run(&["doctor", "suite.yml", "--save", "x.json"]);
    assert_eq!(output.code, Some(2), "{output:?}");
    // One that does not start does not hide the other.
    folder.file(
        "suite.yml",
        suite.replace("second: { command: [mcptest", "second: { command: [no-such-7f3a"),
    );
    let output = folder.run(&["doctor", "suite.yml", "--json"]);
    let document = json_and(&output, 3);
    assert_eq!(document["servers"].as_array().unwrap().len(), 1);
    assert_eq!(document["errors"][0]["server"], "second");
    assert!(output.stderr.contains("cannot start `no-such-7f3a`"), "{}", output.stderr);
}

#[test]
fn a_saved_catalog_is_served_again() {
    let folder = tiny();
    let args = ["doctor", "--json", "--save", "saved.json", "--", BINARY, "mock", "--tools-from"];
    let output = folder.run(&[&args[..], &["tiny.yml"]].concat());
    let first = json_and(&output, 0);
    assert!(output.stderr.contains("saved 2 tools to saved.json"), "{}", output.stderr);
    let again =
        folder.run(&["doctor", "--json", "--", BINARY, "mock", "--tools-from", "saved.json"]);
    let again = json_and(&again, 0);
    for part in ["tools", "totals", "violations"] {
        assert_eq!(first[part], again[part], "{part}");
    }
    assert_eq!(first["server"]["name"], again["server"]["name"]);
    assert_eq!(first["server"]["version"], again["server"]["version"]);
    let catalog = json_and(&folder.run(&["doctor", "--json", "--catalog", "saved.json"]), 0);
    assert_eq!(catalog["tools"], first["tools"]);
    assert_eq!(catalog["totals"], first["totals"]);
    // The copy of a copy is the same file.
    folder.run(&[&args[..3], &["copy.json"], &args[4..], &["saved.json"]].concat());
    let tools = |name| serde_json::from_str::<Value>(&folder.read(name)).unwrap()["tools"].take();
    assert_eq!(tools("saved.json"), tools("copy.json"));
}

#[test]
fn a_command_that_does_not_exist() {
    let folder = Folder::new();
    let output = folder.run(&["doctor", "--", "no-such-program-7f3a", "--flag"]);
    assert_eq!(output.code, Some(3), "{output:?}");
    assert_eq!(output.stdout, "");
    assert!(output.stderr.contains("cannot start `no-such-program-7f3a`"), "{}", output.stderr);
    assert!(
        output.stderr.contains("help: is `no-such-program-7f3a` installed"),
        "{}",
        output.stderr
    );
    let document = json_and(&folder.run(&["doctor", "--json", "--", "no-such-program-7f3a"]), 3);
    assert_eq!(document["servers"], json!([]));
    assert!(document["errors"][0]["help"].is_string(), "{document:#}");
}

#[test]
fn a_url_where_nobody_listens() {
    let output = Folder::new().run(&["doctor", "--json", "--url", "http://127.0.0.1:1/mcp"]);
    let document = json_and(&output, 3);
    assert_eq!(document["errors"][0]["server"], "http://127.0.0.1:1/mcp");
}

/// What it printed and what it said on stderr; nothing of it steers the terminal.
#[test]
fn a_server_that_prints_garbage_and_dies() {
    let script = r"echo 'Listening on 8080'; printf 'boom: \033[31mno config\033[0m\n' >&2; exit 3";
    let output = Folder::new().run(&["doctor", "--", "sh", "-c", script]);
    assert_eq!(output.code, Some(3), "{output:?}");
    for part in [
        "the server ended (exit status: 3)",
        "the last lines of its stderr:",
        "    boom: no config\n",
        "Listening on 8080",
        "help: ",
    ] {
        assert!(output.stderr.contains(part), "{part}: {}", output.stderr);
    }
    assert!(!output.stderr.contains('\u{1b}'), "{}", output.stderr);
}

/// The JSON document is one, whatever happens.
#[test]
fn wrong_input_is_one_document_too() {
    let folder = Folder::new();
    folder
        .file("broken.yml", "servres: {}\n")
        .file("broken.json", "{\"tools\": [\n")
        .file("none.yml", "agents: [{ name: a, prompt: x, model: builtin/lexical }]");
    folder.file("env.yml", "servers: { s: { command: [x, \"${env.MCPTEST_IT_NOT_SET}\"] } }\n");
    for (args, what) in [
        (&["broken.yml"][..], "servres"),
        (&["nowhere.yml"], "nowhere.yml"),
        (&["none.yml"], "no servers"),
        (&["env.yml"], "MCPTEST_IT_NOT_SET"),
        (&["--catalog", "broken.json"], "broken.json:"),
        (&["--catalog", "nowhere.json"], "nowhere.json"),
        (&["--url", "http://127.0.0.1:1", "--header", "x"], "NAME:VALUE"),
    ] {
        let output = folder.run(&[&["doctor", "--json"], args].concat());
        let document = json_and(&output, 2);
        assert!(document["errors"].to_string().contains(what), "{args:?}: {document:#}");
        assert!(output.stderr.contains(what), "{args:?}: {}", output.stderr);
        let plain = folder.run(&[&["doctor"], args].concat());
        assert_eq!((plain.code, plain.stdout.as_str()), (Some(2), ""), "{args:?}");
    }
}

#[test]
fn the_page_for_a_person() {
    let output = tiny().run(&["doctor", "--", BINARY, "mock", "--tools-from", "tiny.yml"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    insta::assert_snapshot!(
        "doctor_pretty",
        without_times(&output.stdout.replace(BINARY, "mcptest"))
    );
}

/// Times, and the room that the table leaves for them.
fn without_times(page: &str) -> String {
    let times = regex::Regex::new(r" +\d+\.\d ms").unwrap();
    times.replace_all(page, "  [time]").into_owned()
}
