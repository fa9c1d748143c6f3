//! The documented exit codes, and one valid document on stdout whatever happens.

use serde_json::{Value, json};

use crate::util::{Folder, folder, trace, trace_with};

const SUITE: &str = "agents: [{ name: finds, prompt: x, tool_selection: { expected_tool: find, min_selection_rate: 1 } }]";
const ARGS: [&str; 6] = ["score", "traces.jsonl", "--suite", "suite.yml", "--reporter", "json"];

#[test]
fn zero_all_passed() {
    let document = folder(SUITE, &[trace(&["find"])]).run(&ARGS).json_and(0);
    assert_eq!(document["schema_version"], 1);
    assert_eq!(document["command"], "score");
    assert_eq!(document["suite"], "suite.yml");
    assert_eq!(document["timing"]["source"], "replay");
}

#[test]
fn one_something_failed() {
    let document = folder(SUITE, &[trace(&["other"])]).run(&ARGS).json_and(1);
    assert_eq!(document["totals"]["gates"]["failed"], 1);
}

#[test]
fn two_the_suite_is_wrong() {
    let suite = SUITE.replace("expected_tool", "expected_tol");
    let output = folder(&suite, &[trace(&["find"])]).run(&ARGS);
    let document = output.json_and(2);
    let errors = document["errors"].as_array().unwrap();
    let unknown = errors.iter().find(|error| error["code"] == "unknown-key").unwrap();
    let column = suite.find("expected_tol").unwrap() + 1;
    assert_eq!(
        (&unknown["file"], &unknown["line"], &unknown["column"]),
        (&json!("suite.yml"), &json!(1), &json!(column))
    );
    assert_eq!(unknown["help"], "did you mean `expected_tool`?");
    assert!(output.stderr.contains(&format!("--> suite.yml:1:{column}")), "{}", output.stderr);
}

#[test]
fn two_the_suite_is_not_there_or_no_text() {
    let folder = folder(SUITE, &[trace(&["find"])]);
    let mut args = ARGS;
    args[3] = "nowhere.yml";
    let output = folder.run(&args);
    assert_eq!(output.json_and(2)["errors"][0]["code"], "unreadable-suite");
    assert!(output.stderr.contains("nowhere.yml"), "{}", output.stderr);
    folder.file("suite.yml", b"agents:\n  - name: \xff\n");
    let output = folder.run(&ARGS);
    output.json_and(2);
    assert!(output.stderr.contains("suite.yml:2:11: "), "{}", output.stderr);
}

#[test]
fn two_a_trace_is_broken() {
    let folder = folder(SUITE, &[]);
    for (content, line, column) in [
        ("{\"tool_calls\": [{\"name\": \"find\"}]}\n{\"tool_calls\": [{\"nam\": 1}]}\n", 2, 26),
        ("{\"tool_calls\": [\n", 1, 16),
        ("{\"calls\": []}\n", 1, 1),
        ("7\n", 1, 1),
        ("", 1, 1),
        ("\n\n", 1, 1),
    ] {
        folder.file("traces.jsonl", content);
        let output = folder.run(&ARGS);
        let document = output.json_and(2);
        let error = &document["errors"][0];
        assert_eq!(error["code"], "unreadable-trace", "{content:?}");
        assert_eq!(
            (&error["file"], &error["line"], &error["column"]),
            (&json!("traces.jsonl"), &json!(line), &json!(column)),
            "{content:?}: {}",
            output.stderr
        );
        let place = format!("traces.jsonl:{line}:{column}: ");
        assert!(output.stderr.contains(&place), "{content:?}: {}", output.stderr);
    }
    let mut args = ARGS;
    args[1] = "nowhere.jsonl";
    let output = folder.run(&args);
    assert_eq!(output.json_and(2)["errors"][0]["file"], "nowhere.jsonl");
}

#[test]
fn two_the_suite_has_nothing_to_score_with() {
    let suite = "tests: [{ name: t, type: tool, server: s, tool: find }]";
    let output = folder(suite, &[trace(&["find"])]).run(&ARGS);
    assert_eq!(output.json_and(2)["errors"][0]["code"], "no-agent-test");
}

#[test]
fn two_the_command_line_is_wrong() {
    let folder = Folder::new();
    for args in [&["scoer"][..], &["score"], &["score", "t.json"], &["schema", "suit"], &[]] {
        let output = folder.run(args);
        assert_eq!(output.code, Some(2), "{args:?}");
        assert!(output.stdout.is_empty(), "{args:?}: help for a mistake goes to stderr");
        assert!(!output.stderr.is_empty(), "{args:?}");
    }
    for args in [&["--help"][..], &["--version"], &["score", "--help"]] {
        let output = folder.run(args);
        assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn three_no_verdict_is_possible() {
    let lost = trace_with(&["find"], &json!({ "status": "inconclusive", "cause": "timeout" }));
    let document = folder(SUITE, &[lost]).run(&ARGS).json_and(3);
    assert_eq!(document["totals"]["inconclusive"], 2, "the run and its gate");
}

/// A test that asserts nothing judges nothing, and nothing passes without evidence.
#[test]
fn four_nothing_was_selected() {
    let document = folder("agents: [{ name: a, prompt: x }]", &[trace(&["find"])]).run(&ARGS);
    let document = document.json_and(4);
    assert_eq!(document["rows"][0]["status"], "skipped");
    assert_eq!(document["totals"]["total"], document["totals"]["skipped"]);
}

#[test]
fn help_documents_the_codes() {
    let help = Folder::new().run(&["--help"]).stdout;
    for line in ["0  all passed", "1  a test or gate failed", "4  nothing was selected"] {
        assert!(help.contains(line), "{help}");
    }
}

#[test]
fn validate_prints_one_document_too() {
    let folder = Folder::new();
    folder.file("good.yml", "servers: { s: { command: [s] } }").file("bad.yml", "server: {}\n");
    for (files, code, found) in [
        (&["good.yml"][..], 0, (0, 0)),
        (&["good.yml", "bad.yml"], 2, (1, 0)),
        (&["nowhere.yml", "bad.yml"], 2, (1, 1)),
    ] {
        let output = folder.run(&[&["validate", "--json"], files].concat());
        assert_eq!(output.code, Some(code), "{files:?}");
        let document: Value = serde_json::from_str(&output.stdout)
            .unwrap_or_else(|_| panic!("{files:?}: {output:?}"));
        assert_eq!(document["valid"], code == 0);
        let diagnostics = document["diagnostics"].as_array().unwrap().len();
        let unreadable = document["unreadable"].as_array().unwrap().len();
        assert_eq!((diagnostics, unreadable), found, "{files:?}");
    }
}
