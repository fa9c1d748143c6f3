//! Selection F1: the worked examples, the default gate and both spellings of an assertion.

use serde_json::json;

use crate::util::{figures, gate, golden, score, trace};

const FIRST: &[&str] = &["brave.web_search", "http.get"];
const SECOND: &[&str] = &["google.search", "shell.exec"];

#[test]
fn the_first_worked_example() {
    let document = score(&golden("equal-function-sets.yml"), &[trace(FIRST)]).json_and(0);
    assert_eq!(
        figures(&document, "equal_function_sets"),
        json!({ "f1": 100, "precision": 100, "recall": 100 })
    );
    let gate = gate(&document, "equal_function_sets");
    assert_eq!(gate["name"], "research-agent picks search then fetch · equal_function_sets");
    assert_eq!(gate["passed"], true);
    assert_eq!(gate["missed_classes"], json!([]));
    assert_eq!(gate["unexpected_calls"], json!([]));
    assert_eq!(gate["vacuous"], json!(null), "two classes were reached");
    // A single run has no suffix.
    assert_eq!(document["rows"][0]["name"], "research-agent picks search then fetch");
}

#[test]
fn the_second_worked_example() {
    let document = score(&golden("equal-function-sets.yml"), &[trace(SECOND)]).json_and(1);
    assert_eq!(
        figures(&document, "equal_function_sets"),
        json!({ "f1": 50, "precision": 50, "recall": 50 })
    );
    let gate = gate(&document, "equal_function_sets");
    assert_eq!(gate["passed"], false);
    assert_eq!(gate["missed_classes"], json!(["fetch"]));
    assert_eq!(gate["unexpected_calls"], json!([{ "id": "shell.exec", "count": 1 }]));
    let assertion = &gate["assertions"][0];
    assert_eq!(assertion["target"], "tool_selection.f1");
    assert_eq!(assertion["matcher"], json!({ ">=": 80 }));
    assert_eq!((&assertion["actual"], &assertion["passed"]), (&json!(50), &json!(false)));
}

/// TP 2 + 1, FP 0 + 1, FN 0 + 1: 3/4, 3/4 and 6/8, not the mean of the percents.
#[test]
fn both_examples_as_two_runs_are_micro_averaged() {
    let suite = golden("equal-function-sets.yml");
    let document = score(&suite, &[trace(FIRST), trace(SECOND)]).json_and(1);
    assert_eq!(
        figures(&document, "equal_function_sets"),
        json!({ "f1": 75, "precision": 75, "recall": 75 })
    );
    let gate = gate(&document, "equal_function_sets");
    assert_eq!(gate["runs_scored"], 2);
    assert_eq!(
        gate["per_run"],
        json!([{
            "run": 2,
            "missed_classes": ["fetch"],
            "unexpected_calls": [{ "id": "shell.exec", "count": 1 }],
        }])
    );
    assert_eq!(document["rows"][1]["name"], "research-agent picks search then fetch #2");
    assert_eq!(
        document["notes"],
        json!([
            "research-agent picks search then fetch: the suite asks for 1 run, 2 traces were given"
        ])
    );
    // The order of the runs changes nothing.
    let swapped = score(&suite, &[trace(SECOND), trace(FIRST)]).json_and(1);
    assert_eq!(figures(&swapped, "equal_function_sets"), figures(&document, "equal_function_sets"));
}

/// Floors on sums: 2 of 3 runs hit one class and miss the other, with 1 and 2 wrong calls.
#[test]
fn percents_are_floored_from_the_counts() {
    let traces = [
        trace(&["google.search", "a", "a"]),
        trace(&["brave.web_search", "b"]),
        trace(&["http.get", "brave.web_search", "google.search"]),
    ];
    let document = score(&golden("equal-function-sets.yml"), &traces).json_and(1);
    // TP 4, FP 3, FN 2: 400/7 = 57.1, 400/6 = 66.7, 800/13 = 61.5.
    assert_eq!(
        figures(&document, "equal_function_sets"),
        json!({ "f1": 61, "precision": 57, "recall": 66 })
    );
    assert_eq!(
        gate(&document, "equal_function_sets")["unexpected_calls"],
        json!([{ "id": "a", "count": 2 }, { "id": "b", "count": 1 }])
    );
}

#[test]
fn the_default_gate_is_fifty() {
    let suite = golden("equal-function-sets-default.yml");
    // TP 1, FP 2: 200/4 = 50. TP 1, FP 3: 200/5 = 40.
    let passing = score(&suite, &[trace(&["google.search", "x", "y"])]).json_and(0);
    let failing = score(&suite, &[trace(&["google.search", "x", "y", "z"])]).json_and(1);
    for (document, f1) in [(passing, 50), (failing, 40)] {
        let assertions = &gate(&document, "equal_function_sets")["assertions"];
        assert_eq!(assertions.as_array().unwrap().len(), 1);
        assert_eq!(assertions[0]["target"], "tool_selection.f1");
        assert_eq!(assertions[0]["matcher"], json!({ ">=": 50 }));
        assert_eq!(assertions[0]["actual"], f1);
    }
    // An empty list means the same.
    let empty =
        suite.replace("    equal_function_sets:\n", "    equal_function_sets:\n      expect: []\n");
    assert_ne!(empty, suite);
    score(&empty, &[trace(&["google.search", "x", "y", "z"])]).json_and(1);
}

#[test]
fn every_floor_of_the_list_must_hold() {
    let suite = golden("equal-function-sets-floors.yml");
    // TP 2, FP 1: precision 66 is below 90, f1 400/5 = 80 is above 70.
    let document = score(&suite, &[trace(&["brave.web_search", "http.get", "x"])]).json_and(1);
    let assertions = &gate(&document, "equal_function_sets")["assertions"];
    assert_eq!((&assertions[0]["actual"], &assertions[0]["passed"]), (&json!(66), &json!(false)));
    assert_eq!((&assertions[1]["actual"], &assertions[1]["passed"]), (&json!(80), &json!(true)));
    score(&suite, &[trace(&["brave.web_search", "http.get"])]).json_and(0);
}

#[test]
fn both_spellings_of_an_assertion_mean_the_same() {
    let suite = golden("equal-function-sets.yml");
    let short = "- tool_selection.f1: { \">=\": 80 }";
    let spellings = [
        short,
        "- { target: tool_selection.f1, matcher: { \">=\": 80 } }",
        "- { target: tool_selection.f1, matcher: { schema: { minimum: 80 } } }",
        "- tool_selection.f1: { schema: { minimum: 80 } }",
        "- tool_selection.f1: { not: { \"<\": 80 } }",
    ];
    for spelling in spellings {
        let suite = suite.replace(short, spelling);
        // TP 2, FP 1: 400/5 = 80, just enough. TP 2, FP 2: 400/6 = 66.
        for (calls, code) in [
            (&["google.search", "http.get", "x"][..], 0),
            (&["google.search", "http.get", "x", "y"], 1),
        ] {
            let document = score(&suite, &[trace(calls)]).json_and(code);
            let assertion = &gate(&document, "equal_function_sets")["assertions"][0];
            assert_eq!(assertion["target"], "tool_selection.f1", "{spelling}");
            assert_eq!(assertion["passed"], code == 0, "{spelling}");
        }
    }
}

#[test]
fn no_classes_and_no_calls_is_vacuously_perfect_and_says_so() {
    let suite = "agents: [{ name: t, equal_function_sets: { classes: [] }, prompt: x }]";
    let output = score(suite, &[trace(&[])]);
    let document = output.json_and(0);
    assert_eq!(
        figures(&document, "equal_function_sets"),
        json!({ "f1": 100, "precision": 100, "recall": 100 })
    );
    assert_eq!(gate(&document, "equal_function_sets")["vacuous"], true);
    assert!(output.stderr.contains("warning[vacuous-gate]"), "{}", output.stderr);
    // One call is evidence, and wrong.
    let document = score(suite, &[trace(&["x"])]).json_and(1);
    assert_eq!(
        figures(&document, "equal_function_sets"),
        json!({ "f1": 0, "precision": 0, "recall": 0 })
    );
    assert_eq!(gate(&document, "equal_function_sets")["vacuous"], json!(null));
}

/// `server.tool` matches that server's only, a bare id any server's; a wire prefix is understood.
#[test]
fn ids_match_whole_or_bare_and_nothing_else() {
    let suite = "servers: { brave: { command: [b] } }\nagents: [{ name: t, prompt: x, equal_function_sets: { classes: [{ name: s, members: [brave.search, fetch] }] } }]";
    for (id, code) in [
        ("brave.search", 0),
        ("google.search", 1),
        ("google.fetch", 0),
        ("fetch", 0),
        ("Fetch", 1),
        ("mcp__brave__search", 0),
        ("brave_search", 0),
    ] {
        let output = score(suite, &[trace(&[id])]);
        assert_eq!(output.code, Some(code), "{id}: {}", output.stdout);
    }
}
