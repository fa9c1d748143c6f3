//! Which test a trace belongs to, and the forms and places traces come in.

use serde_json::{Value, json};

use crate::util::{Folder, folder, lines, mcptest, trace, trace_with};

const TWO: &str = "\
agents:
  - { name: finds, prompt: x, tool_selection: { expected_tool: find, min_selection_rate: 1 } }
  - { name: writes, prompt: x, tool_selection: { expected_tool: write, min_selection_rate: 1 } }
tests:
  - { name: a tool, type: tool, server: s, tool: find }
";
const ONE: &str = "agents: [{ name: finds, prompt: x, tool_selection: { expected_tool: find, min_selection_rate: 1 } }]";

fn of(test: &str, calls: &[&str]) -> Value {
    trace_with(calls, &json!({ "test": test }))
}

fn tests_of(document: &Value) -> Vec<&str> {
    let runs = document["rows"].as_array().unwrap().iter().filter(|row| !row["run"].is_null());
    runs.map(|row| row["test"].as_str().unwrap()).collect()
}

const ARGS: [&str; 6] = ["score", "traces.jsonl", "--suite", "suite.yml", "--reporter", "json"];

#[test]
fn traces_name_their_test() {
    let folder = folder(TWO, &[of("writes", &["write"]), of("finds", &["find"])]);
    let document = folder.run(&ARGS).json_and(0);
    assert_eq!(tests_of(&document), ["finds", "writes"]);
    // Tool tests are skipped, and said so.
    let rows = document["rows"].as_array().unwrap();
    let tool = rows.iter().find(|row| row["test"] == "a tool").unwrap();
    assert_eq!(tool["status"], "skipped");
    assert_eq!(tool["messages"], json!(["tool tests are not scored from traces"]));
}

#[test]
fn a_test_without_traces_is_skipped_and_said_so() {
    let document = folder(TWO, &[of("writes", &["write"])]).run(&ARGS).json_and(0);
    let skipped = &document["rows"][0];
    assert_eq!((&skipped["test"], &skipped["status"]), (&json!("finds"), &json!("skipped")));
    assert_eq!(skipped["messages"], json!(["no trace of this test was given"]));
}

/// `--test` comes before what the trace says of itself.
#[test]
fn the_flag_wins_over_the_trace() {
    let folder = folder(TWO, &[trace(&["write"]), of("finds", &["write"])]);
    let args = [&ARGS[..], &["--test", "writes"]].concat();
    let document = folder.run(&args).json_and(0);
    assert_eq!(tests_of(&document), ["writes", "writes"]);
    assert_eq!(document["rows"].as_array().unwrap().len(), 2, "the others were not asked for");
}

#[test]
fn the_only_agent_test_takes_all() {
    let document = folder(ONE, &[trace(&["find"])]).run(&ARGS).json_and(0);
    assert_eq!(tests_of(&document), ["finds"]);
}

#[test]
fn else_the_names_are_listed() {
    let output = folder(TWO, &[of("finds", &["find"]), trace(&["find"])]).run(&ARGS);
    let document = output.json_and(2);
    assert_eq!(document["errors"][0]["code"], "no-test-named");
    assert_eq!(
        output.stderr,
        "error[no-test-named]: traces.jsonl:2:1: the trace names no test, and the suite has 2\n  help: say which with --test NAME: `finds`, `writes`\n"
    );
}

#[test]
fn an_unknown_test_is_named_with_the_nearest() {
    let output = folder(TWO, &[of("write", &["write"])]).run(&ARGS);
    assert_eq!(output.json_and(2)["errors"][0]["code"], "unknown-test");
    assert_eq!(
        output.stderr,
        "error[unknown-test]: traces.jsonl:1:1: there is no agent test named `write`\n  help: did you mean `writes`?\n"
    );
    let args = [&ARGS[..], &["--test", "elsewhere"]].concat();
    let output = folder(TWO, &[trace(&["write"])]).run(&args);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("`finds`, `writes`"), "{}", output.stderr);
    // A tool test is none for traces.
    let args = [&ARGS[..], &["--test", "a tool"]].concat();
    assert_eq!(folder(TWO, &[trace(&["write"])]).run(&args).code, Some(2));
}

fn selected(document: &Value) -> (u64, u64) {
    let floor = &document["tool_selection"][0];
    (floor["selected"].as_u64().unwrap(), floor["runs"].as_u64().unwrap())
}

#[test]
fn folders_are_read_in_the_order_of_names() {
    let folder = Folder::new();
    folder
        .file("suite.yml", ONE)
        .file("traces/b.json", trace(&["b"]).to_string())
        .file("traces/a/2.jsonl", lines(&[trace(&["a2"]), trace(&["a3"])]))
        .file("traces/a/1.ndjson", lines(&[trace(&["a1"])]))
        .file("traces/notes.txt", "no trace")
        .file("traces/.hidden.json", "no trace");
    let document = folder.run(&["score", "traces", "-s", "suite.yml", "-r", "json"]).json_and(1);
    let called = document["tool_selection"][0]["per_run"].as_array().unwrap().iter();
    let called = called.map(|run| run["called"][0].as_str().unwrap()).collect::<Vec<_>>();
    assert_eq!(called, ["a1", "a2", "a3", "b"]);
    // An empty folder is a mistake.
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    let output = folder.run(&["score", "empty", "-s", "suite.yml", "-r", "json"]);
    assert_eq!(output.json_and(2)["errors"][0]["code"], "unreadable-trace");
}

/// The messages of an OpenAI conversation that calls `find`.
fn chat() -> Value {
    json!([
        { "role": "user", "content": "Where is it?" },
        { "role": "assistant", "content": null, "tool_calls": [
            { "id": "1", "type": "function", "function": { "name": "find", "arguments": "{\"q\": \"it\"}" } },
        ] },
        { "role": "tool", "tool_call_id": "1", "content": "Error: not found" },
        { "role": "assistant", "content": "Nowhere." },
    ])
}

#[test]
fn every_form_is_read() {
    let one = trace(&["find"]);
    let indented = serde_json::to_string_pretty(&one).unwrap();
    let array = json!([one, trace(&["other"]), one]).to_string();
    let with_messages = json!({ "messages": chat() }).to_string();
    let several = json!([{ "messages": chat() }, { "messages": chat() }]).to_string();
    for (what, name, content, expected) in [
        ("one object", "t.json", indented, (1, 1)),
        ("an array", "t.json", array, (2, 3)),
        ("JSONL", "t.jsonl", lines(&[one.clone(), trace(&["other"])]), (1, 2)),
        ("JSONL by another name", "t.log", lines(&[one.clone(), one.clone()]), (2, 2)),
        ("a bare conversation", "t.json", chat().to_string(), (1, 1)),
        ("a conversation", "t.json", with_messages, (1, 1)),
        ("several conversations", "t.json", several, (2, 2)),
        ("with a byte order mark", "t.json", format!("\u{feff}{one}"), (1, 1)),
        ("with CRLF", "t.jsonl", format!("{one}\r\n{one}\r\n"), (2, 2)),
    ] {
        let folder = Folder::new();
        folder.file("suite.yml", ONE).file(name, content);
        let document = folder.run(&["score", name, "-s", "suite.yml", "-r", "json"]).json();
        assert_eq!(selected(&document), expected, "{what}");
    }
}

#[test]
fn a_conversation_tells_arguments_errors_turns_and_the_answer() {
    let suite = "\
agents:
  - name: chat
    prompt: x
    expect:
      - tool_calls[0].args.q: { equals: it }
      - tool_calls[0].is_error: { equals: true }
      - tool_calls[0].result: { contains: not found }
      - conversation.turns: { equals: 2 }
      - final_response: { equals: Nowhere. }
    golden_path: { calls: [find] }
";
    let folder = Folder::new();
    folder.file("suite.yml", suite).file("t.json", chat().to_string());
    folder.run(&["score", "t.json", "-s", "suite.yml", "-r", "json"]).json_and(0);
}

#[test]
fn traces_come_from_stdin() {
    let folder = Folder::new();
    folder.file("suite.yml", ONE);
    let args = ["score", "-", "-s", "suite.yml", "-r", "json"];
    let stdin = lines(&[trace(&["find"]), trace(&["other"])]);
    let document = mcptest(folder.path(), &args, &stdin).json_and(1);
    assert_eq!(selected(&document), (1, 2));
    let output = mcptest(folder.path(), &args, "{\"tool_calls\": [{]}");
    output.json_and(2);
    assert!(output.stderr.contains("<stdin>:1:18: "), "{}", output.stderr);
}

/// `score` needs only the gates.
#[test]
fn servers_models_and_agents_may_be_missing() {
    let suite = "tests: [{ name: t, type: agent, agent: nobody, servers: [nowhere], golden_path: { calls: [find] } }]";
    let folder = folder(suite, &[trace(&["find"])]);
    folder.run(&ARGS).json_and(0);
    assert_eq!(folder.run(&["validate", "suite.yml"]).code, Some(2));
}
