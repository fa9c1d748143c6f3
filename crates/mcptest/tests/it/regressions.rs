//! What once gave a wrong number or verdict, each with its name.

use serde_json::json;

use crate::util::{Folder, gate};

/// Scores one trace against one agent test with these gates (YAML, indented by four).
fn score(gates: &str, trace: &serde_json::Value) -> (Option<i32>, serde_json::Value) {
    let folder = Folder::new();
    folder
        .file("suite.yml", format!("servers: {{ weather: {{ command: [x] }}, catalog: {{ command: [x] }} }}\nagents:\n  - name: t\n    model: gpt-5\n    servers: [weather, catalog]\n    prompt: p\n{gates}"))
        .file("trace.json", trace.to_string());
    let output = folder.run(&["score", "trace.json", "-s", "suite.yml", "-r", "json"]);
    (output.code, serde_json::from_str(&output.stdout).unwrap())
}

#[test]
fn bait_of_the_block_does_not_change_whose_tool_a_call_is() {
    for count in [2, 40] {
        let gates = format!(
            "    equal_function_sets: {{ classes: [{{ name: c, members: [forecasts.weather_report] }}] }}\n    distractors: {{ count: {count}, source: {{ from: catalog }}, correct: [forecasts.weather_report] }}\n"
        );
        let folder = Folder::new();
        folder
            .file("suite.yml", format!("agents:\n  - name: t\n    prompt: p\n{gates}"))
            .file("trace.json", r#"{"tool_calls":[{"name":"weather_report"}]}"#);
        let output = folder.run(&["score", "trace.json", "-s", "suite.yml", "-r", "json"]);
        assert_eq!(output.code, Some(0), "count {count}: {output:?}");
    }
}

#[test]
fn a_surface_that_marks_no_bait_does_not_clear_the_agent() {
    let gates = "    distractors: { count: 2, source: { from: near_duplicate, of: [catalog.search] }, correct: [catalog.search], expect: [{ distractors.chose_distractor: { '<=': 0 } }] }\n";
    let trace = json!({
        "tool_calls": [{"server": "catalog", "name": "search_v2"}],
        "surface": [{"server": "catalog", "name": "search"}, {"server": "catalog", "name": "search_v2"}],
    });
    let (code, document) = score(gates, &trace);
    assert_eq!(code, Some(1));
    assert_eq!(gate(&document, "distractors")["figures"]["distractors.chose_distractor"], 1);
    let server =
        "    distractors: { count: 2, source: { from: server }, correct: [catalog.search] }\n";
    let (code, document) = score(server, &trace);
    assert_eq!(code, Some(1));
    assert!(gate(&document, "distractors")["figures"]["distractors.accuracy"].is_null());
}

#[test]
fn bait_is_recognised_under_its_wire_name() {
    let gates =
        "    distractors: { count: 1, source: { from: catalog }, correct: [catalog.search] }\n";
    let trace = json!({
        "tool_calls": [{"name": "weather__get"}],
        "surface": [{"name": "catalog__search"}, {"name": "weather__get", "distractor": true}],
    });
    let (code, document) = score(gates, &trace);
    assert_eq!(code, Some(1));
    assert_eq!(gate(&document, "distractors")["figures"]["distractors.chose_distractor"], 1);
}

#[test]
fn the_presented_order_changes_no_figure() {
    let gates = "    distractors: { count: 1, source: { from: catalog }, correct: [a.search] }\n";
    let tools = [
        json!({"server": "a", "name": "search"}),
        json!({"server": "b", "name": "search", "distractor": true}),
    ];
    let documents = [[0, 1], [1, 0]].map(|[first, second]| {
        let trace =
            json!({"tool_calls": [{"name": "search"}], "surface": [tools[first], tools[second]]});
        score(gates, &trace).1["gates"].clone()
    });
    assert_eq!(documents[0], documents[1]);
}

#[test]
fn an_inconclusive_cell_of_a_sweep_is_nobodys_failure() {
    let folder = Folder::new();
    folder
        .file("suite.yml", "agents:\n  - name: t\n    prompt: p\n    distractors: { count: [0, 2], source: { from: near_duplicate, of: [a.x] }, correct: [a.x] }\n")
        .file("traces.jsonl", "{\"tool_calls\":[],\"status\":\"inconclusive\",\"cause\":\"429\",\"distractor_count\":0}\n{\"tool_calls\":[{\"server\":\"a\",\"name\":\"x\"}],\"distractor_count\":2}\n");
    let output = folder.run(&["score", "traces.jsonl", "-s", "suite.yml", "-r", "json"]);
    assert_eq!(output.code, Some(3), "{output:?}");
}

#[test]
fn a_sweep_trace_without_count_has_a_cell_of_its_own_name() {
    let folder = Folder::new();
    folder
        .file("suite.yml", "agents:\n  - name: t\n    prompt: p\n    distractors: { count: [0, 2], source: { from: near_duplicate, of: [a.x] }, correct: [a.x] }\n")
        .file("traces.jsonl", "{\"tool_calls\":[{\"name\":\"x\"}]}\n");
    let output = folder.run(&["score", "traces.jsonl", "-s", "suite.yml", "-r", "json"]);
    let document: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    let names = document["gates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|gate| gate["name"].as_str().unwrap())
        .collect::<Vec<_>>();
    assert_eq!(names, ["t +? · distractors", "t · distractors"]);
}

#[test]
fn the_floors_message_says_what_its_verdict_says() {
    let folder = Folder::new();
    folder
        .file("suite.yml", "agents:\n  - name: t\n    prompt: p\n    tool_selection: { expected_tool: x, min_selection_rate: 0.6667 }\n")
        .file("traces.jsonl", "{\"tool_calls\":[{\"name\":\"x\"}]}\n{\"tool_calls\":[{\"name\":\"x\"}]}\n{\"tool_calls\":[]}\n");
    let output = folder.run(&["score", "traces.jsonl", "-s", "suite.yml", "-r", "json"]);
    let document: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    let assertion = &gate(&document, "tool_selection")["assertions"][0];
    assert_eq!(assertion["passed"], false);
    assert_eq!(
        assertion["message"],
        "`tool_selection.selection_rate`: 2 of 3 runs is below 0.6667"
    );
}

#[test]
fn no_floor_is_breached_by_runs_that_were_not_scored() {
    let folder = Folder::new();
    folder
        .file("suite.yml", "agents:\n  - name: t\n    prompt: p\n    tool_selection: { expected_tool: x, min_selection_rate: 0.5 }\n")
        .file("trace.json", "{\"tool_calls\":[],\"status\":\"inconclusive\"}");
    let output = folder.run(&["score", "trace.json", "-s", "suite.yml", "-r", "json"]);
    assert_eq!(output.code, Some(3));
    assert!(
        !output.stderr.contains("FLOOR") && !output.stderr.contains("FAIL"),
        "{}",
        output.stderr
    );
}

#[test]
fn a_file_with_too_few_distractors_is_an_error_only_where_it_is_needed() {
    let suite = "agents:\n  - name: t\n    prompt: p\n    distractors: { count: 5, source: { from: file, path: pool.json }, correct: [a.x] }\n";
    let folder = Folder::new();
    folder
        .file("suite.yml", suite)
        .file("pool.json", r#"{"tools":[{"name":"b1"},{"name":"b2"}]}"#)
        .file("bare.json", r#"{"tool_calls":[{"server":"a","name":"x"}]}"#)
        .file("shown.json", r#"{"tool_calls":[{"server":"a","name":"x"}],"surface":[{"server":"a","name":"x"},{"name":"b1","distractor":true}]}"#);
    let bare = folder.run(&["score", "bare.json", "-s", "suite.yml"]);
    assert_eq!(bare.code, Some(2));
    assert!(
        bare.stderr.contains("5 distractors are asked for, but the file holds 2"),
        "{}",
        bare.stderr
    );
    assert_eq!(folder.run(&["score", "shown.json", "-s", "suite.yml"]).code, Some(0));
}

#[test]
fn hostile_names_do_not_reach_the_terminal_in_errors() {
    let folder = Folder::new();
    folder
        .file("suite.yml", "agents:\n  - name: t\n    prompt: p\n    golden_path: { calls: [x] }\n")
        .file("trace.json", "{\"test\":\"\\u001b[31mX\\u009b\\u0007\",\"tool_calls\":[]}");
    let output = folder.run(&["score", "trace.json", "-s", "suite.yml"]);
    assert_eq!(output.code, Some(2));
    assert!(!output.stderr.contains(|c: char| c.is_control() && c != '\n'), "{:?}", output.stderr);
}

#[test]
fn a_report_that_cannot_be_written_does_not_lose_the_others() {
    let folder = Folder::new();
    folder
        .file("suite.yml", "agents:\n  - name: t\n    prompt: p\n    golden_path: { calls: [x] }\n")
        .file("trace.json", r#"{"tool_calls":[{"name":"x"}]}"#);
    let output = folder.run(&[
        "score",
        "trace.json",
        "-s",
        "suite.yml",
        "-r",
        "json=no/such/folder.json",
        "-r",
        "pretty",
    ]);
    assert_eq!(output.code, Some(2));
    assert!(output.stdout.contains("PASSED"), "{output:?}");
}

#[test]
fn a_definition_that_a_test_refers_to_is_no_test() {
    let folder = Folder::new();
    folder
        .file("suite.yml", "agents:\n  - name: r\n    golden_path: { calls: [y] }\ntests:\n  - { name: t, type: agent, agent: r, prompt: p, golden_path: { calls: [x] } }\n")
        .file("trace.json", r#"{"tool_calls":[{"name":"x"}]}"#);
    assert_eq!(folder.run(&["score", "trace.json", "-s", "suite.yml"]).code, Some(0));
}
