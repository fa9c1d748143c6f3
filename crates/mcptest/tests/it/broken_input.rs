//! Broken suites and traces through the real binary: an exit code that is documented, and a place.

use serde_json::json;

use crate::mutate::{self, Random};
use crate::util::{Folder, Output, golden, lines, trace_with};

const ROUNDS: u64 = 60;

/// Whether `text` has `file:line:column` in it.
fn has_place(text: &str, file: &str) -> bool {
    text.match_indices(&format!("{file}:")).any(|(at, found)| {
        let mut numbers = text[at + found.len()..].split(|c: char| !c.is_ascii_digit());
        let mut number = || numbers.next().is_some_and(|digits| digits.parse::<u32>().is_ok());
        number() && number()
    })
}

fn check(output: &Output, file: &str, input: &str) {
    assert!(matches!(output.code, Some(0..=4)), "{output:?}\n{input:?}");
    assert!(!output.stderr.contains("panicked"), "{output:?}\n{input:?}");
    let document = output.json();
    if output.code == Some(2) {
        assert!(has_place(&output.stderr, file), "{}\n{input:?}", output.stderr);
        assert!(!document["errors"].as_array().unwrap().is_empty());
    }
}

const ARGS: [&str; 6] = ["score", "traces.jsonl", "--suite", "suite.yml", "--reporter", "json"];

#[test]
fn broken_suites() {
    let bases = crate::golden::ok();
    let folder = Folder::new();
    folder.file("traces.jsonl", "{\"tool_calls\": [{\"name\": \"search\"}]}\n");
    let mut refused = 0;
    for round in 0..ROUNDS {
        let mut random = Random(0xC0FF_EE00 + (round << 20));
        let base = &random.pick(&bases).1;
        let text = mutate::suite(&mut random, base);
        folder.file("suite.yml", &text);
        let validated = folder.run(&["validate", "suite.yml"]);
        assert!(matches!(validated.code, Some(0 | 2)), "{validated:?}\n{text:?}");
        if validated.code == Some(2) {
            refused += 1;
            assert!(has_place(&validated.stderr, "suite.yml"), "{}", validated.stderr);
        }
        let output = folder.run(&ARGS);
        assert!(matches!(output.code, Some(0..=4)), "{output:?}\n{text:?}");
        let errors = output.json()["errors"].clone();
        // The trace names no test, so a suite that stayed valid may refuse it, without a column.
        let codes = ["no-test-named", "no-agent-test", "unreadable-distractors"];
        let assigned = errors
            .as_array()
            .unwrap()
            .iter()
            .any(|error| codes.contains(&error["code"].as_str().unwrap()));
        if !assigned {
            check(&output, "suite.yml", &text);
        }
    }
    assert!(refused > 30, "{refused} of {ROUNDS}");
}

#[test]
fn broken_traces() {
    let folder = Folder::new();
    folder.file("suite.yml", golden("name-free-discovery.yml"));
    let whole = trace_with(
        &["catalog.search_products", "weather.forecast"],
        &json!({
            "test": "intent-only discovery across two servers",
            "run": 1,
            "conversation": { "tokens": { "total": 10 } },
            "surface": [{ "name": "search_products", "server": "catalog", "inputSchema": { "type": "object" } }],
            "status": "ok",
        }),
    );
    let chat = json!({ "messages": [
        { "role": "assistant", "tool_calls": [{ "id": "1", "function": { "name": "é", "arguments": "{}" } }] },
        { "role": "tool", "tool_call_id": "1", "content": "x" },
    ] });
    let base = lines(&[whole, chat]);
    let mut refused = 0;
    for round in 0..ROUNDS {
        let text = mutate::trace(&mut Random(0xBAD_5EED + (round << 20)), &base);
        folder.file("traces.jsonl", &text);
        let output = folder.run(&ARGS);
        refused += u32::from(output.code == Some(2));
        let unknown = output.json()["errors"][0]["code"] == "unknown-test";
        if !unknown {
            check(&output, "traces.jsonl", &text);
        }
    }
    assert!(refused > 20, "{refused} of {ROUNDS}");
}

/// A trace of another kind than expected, at the one place where that matters.
#[test]
fn a_surface_that_is_none_is_said_with_its_line() {
    let folder = Folder::new();
    folder
        .file("suite.yml", golden("token-efficiency.yml"))
        .file("traces.jsonl", "\n{\"tool_calls\": [], \"surface\": [{\"title\": \"x\"}]}\n");
    let output = folder.run(&ARGS);
    check(&output, "traces.jsonl", "");
    assert_eq!(output.code, Some(2));
    assert!(
        output.stderr.contains("traces.jsonl:2:1: this trace cannot be scored: its surface"),
        "{output:?}"
    );
}

/// Small files that would become large in memory or on the stack.
#[test]
fn bombs_are_refused() {
    let mut aliases = "a: &a [x,x,x,x,x,x,x,x,x]\n".to_owned();
    for (before, name) in ('a'..='i').zip('b'..='j') {
        let nine = vec![format!("*{before}"); 9].join(",");
        aliases += &format!("{name}: &{name} [{nine}]\n");
    }
    let in_blocks = (0..2_000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    let folder = Folder::new();
    for bomb in
        [aliases, in_blocks, "[".repeat(100_000), "{a: ".repeat(100_000), "- ".repeat(100_000)]
    {
        let output = folder.file("suite.yml", &bomb).run(&["validate", "suite.yml"]);
        assert_eq!(output.code, Some(2), "{output:?}");
        assert!(has_place(&output.stderr, "suite.yml"), "{}", output.stderr);
    }
    folder.file("suite.yml", golden("tool-selection.yml"));
    for bomb in ["[".repeat(100_000), "{\"tool_calls\":".repeat(100_000)] {
        let output = folder.file("traces.jsonl", &bomb).run(&ARGS);
        check(&output, "traces.jsonl", "a bomb");
        assert_eq!(output.code, Some(2));
    }
}
