//! Orchestration and the companion gates: the documented numbers, what is vacuous and what is absent.

use serde_json::{Value, json};

use crate::util::{figures, gate, golden, score, trace, trace_with};

const SEARCH: &str = "catalog.web_search";
const FETCH: &str = "fulfillment.fetch";

/// A trace whose calls carry arguments.
fn with_args(calls: &[(&str, Value)]) -> Value {
    let calls = calls.iter().map(|(id, more)| {
        let mut call = crate::util::call(id);
        for (key, value) in more.as_object().unwrap() {
            call[key] = value.clone();
        }
        call
    });
    json!({ "tool_calls": calls.collect::<Vec<_>>() })
}

fn args() -> Value {
    json!({ "args": { "q": "Paris" } })
}

#[test]
fn reaching_both_classes_is_discovery_100_and_one_of_two_is_50() {
    let suite = golden("name-free-discovery.yml");
    let both = with_args(&[(SEARCH, args()), (FETCH, args())]);
    let document = score(&suite, &[both]).json_and(0);
    let found = figures(&document, "orchestration");
    assert_eq!((&found["discovery"], &found["efficiency"]), (&json!(100), &json!(100)));
    let one = with_args(&[(SEARCH, args())]);
    let document = score(&suite, &[one]).json_and(1);
    assert_eq!(figures(&document, "orchestration")["discovery"], 50);
    assert_eq!(figures(&document, "equal_function_sets")["recall"], 50);
}

#[test]
fn two_classes_over_three_calls_are_efficiency_67() {
    let suite = golden("name-free-discovery.yml");
    let three = with_args(&[(SEARCH, args()), ("catalog.search", args()), (FETCH, args())]);
    let document = score(&suite, &[three]).json_and(0);
    assert_eq!(figures(&document, "orchestration")["efficiency"], 67);
    assert_eq!(gate(&document, "orchestration")["passed"], true);
    // Classes once per run, calls summed: 4 over 3 + 5 is 50.
    let five = with_args(&[
        (SEARCH, args()),
        (SEARCH, args()),
        (FETCH, args()),
        (FETCH, args()),
        (FETCH, args()),
    ]);
    let three = with_args(&[(SEARCH, args()), (SEARCH, args()), (FETCH, args())]);
    let document = score(&suite, &[three, five]).json_and(0);
    assert_eq!(figures(&document, "orchestration")["efficiency"], 50);
}

#[test]
fn arguments_and_recovery_are_counted_per_call() {
    let suite = golden("name-free-discovery.yml");
    let calls = with_args(&[
        ("catalog.search", json!({ "args": { "q": 1 }, "is_error": true })), // recovered by its class
        (SEARCH, json!({ "args": {} })),
        (FETCH, json!({ "args": "no object", "is_error": true })),
        (FETCH, json!({ "is_error": true })),
        ("other", json!({ "args": { "q": 1 }, "is_error": true })), // recovered by itself
        ("other", json!({ "args": { "q": 1 } })),
        ("other", json!({ "args": { "q": 1 } })),
        ("other", json!({ "args": { "q": 1 } })),
    ]);
    let document = score(&suite, &[calls]).json_and(1);
    // 5 of 8 parameterized (62.5), 6 of 8 well formed, 2 of 4 errors recovered, 2 classes over 8.
    assert_eq!(
        figures(&document, "orchestration"),
        json!({
            "discovery": 100,
            "parameterization": 63,
            "syntax": 75,
            "error_recovery": 50,
            "efficiency": 25,
            "schema_validity": null,
            "hallucination": null,
        })
    );
}

#[test]
fn without_arguments_or_a_surface_the_figures_are_absent_and_say_why() {
    let suite = golden("name-free-discovery.yml");
    let document = score(&suite, &[trace(&[SEARCH, FETCH])]).json_and(1);
    let gate = gate(&document, "orchestration");
    assert_eq!(gate["figures"]["orchestration.syntax"], json!(null));
    assert_eq!(gate["absent"]["orchestration.syntax"], "no call of the trace carries args");
    assert!(gate["absent"]["orchestration.schema_validity"].is_string());
    assert!(gate["absent"]["orchestration.hallucination"].is_string());
    let failed = gate["assertions"].as_array().unwrap().iter().find(|one| one["passed"] == false);
    let failed = failed.unwrap();
    assert_eq!(failed["target"], "orchestration.syntax");
    assert_eq!(failed["actual"], json!(null));
    assert_eq!(
        failed["message"],
        "`orchestration.syntax` is absent: no call of the trace carries args; expected >= 100"
    );
}

#[test]
fn an_empty_trace_is_vacuous_and_says_so() {
    let suite = golden("name-free-discovery.yml");
    let document = score(&suite, &[trace(&[])]).json_and(1);
    let gate = gate(&document, "orchestration");
    assert_eq!(gate["vacuous"], true);
    let found = figures(&document, "orchestration");
    assert_eq!((&found["parameterization"], &found["syntax"]), (&json!(100), &json!(100)));
    assert_eq!((&found["discovery"], &found["efficiency"]), (&json!(0), &json!(0)));
}

#[test]
fn a_surface_shows_hallucinations_and_wrong_arguments() {
    let suite = golden("name-free-discovery.yml");
    let schema =
        json!({ "type": "object", "required": ["q"], "properties": { "q": { "type": "string" } } });
    let surface = json!([
        { "server": "catalog", "name": "web_search", "inputSchema": schema },
        { "server": "fulfillment", "name": "fetch", "inputSchema": schema },
    ]);
    let mut run = with_args(&[
        (SEARCH, args()),
        (FETCH, json!({ "args": { "q": 7 } })),
        (FETCH, args()),
        ("catalog.invented", args()),
    ]);
    run["surface"] = surface;
    let document = score(&suite, &[run]).json_and(0);
    // 2 of 3 calls to known tools are valid, 1 of 4 calls goes to none.
    let found = figures(&document, "orchestration");
    assert_eq!((&found["schema_validity"], &found["hallucination"]), (&json!(67), &json!(25)));
    let gate = gate(&document, "orchestration");
    assert_eq!(gate["hallucinated_calls"], json!([{ "id": "catalog.invented", "count": 1 }]));
    let violation = gate["schema_violations"][0].as_str().unwrap();
    assert!(violation.starts_with("fulfillment.fetch: "), "{violation}");
}

#[test]
fn the_companion_gates_judge_the_same_trace() {
    let suite = golden("companion-gates.yml");
    let read = ("files.read_file", json!({ "args": { "path": "notes.txt" } }));
    let write = ("files.write_file", json!({ "args": { "path": "notes.txt", "content": "x" } }));
    let mut good = with_args(&[read.clone(), write.clone()]);
    good["delegations"] = json!([{ "from": "planner", "to": "writer" }]);
    let document = score(&suite, &[good]).json_and(0);
    assert_eq!(document["gates"].as_array().unwrap().len(), 4);
    assert_eq!(
        figures(&document, "trajectory_axes"),
        json!({ "dependency_satisfaction": 100, "order_satisfaction": 100 })
    );
    // Written before read, and something deleted: every one of the four fails.
    let bad = with_args(&[write, ("files.delete_file", args()), read]);
    let document = score(&suite, &[bad]).json_and(1);
    let passed = document["gates"].as_array().unwrap().iter().map(|gate| &gate["passed"]);
    assert_eq!(passed.collect::<Vec<_>>(), [false, false, false, false]);
    assert_eq!(
        figures(&document, "trajectory_axes"),
        json!({ "dependency_satisfaction": 0, "order_satisfaction": 0 })
    );
    // read write → write delete read: substitute, insert, substitute.
    let path = figures(&document, "golden_path");
    assert_eq!((&path["edit_distance"], &path["penalty"]), (&json!(3), &json!(0.4)));
    let edges = figures(&document, "tool_edges");
    assert_eq!((&edges["restricted_attempts"], &edges["allowed_pct"]), (&json!(1), &json!(100)));
}

/// Gates that `score` cannot compute from a trace yet must not pass silently.
#[test]
fn a_gate_is_evaluated_or_said_not_to_be() {
    let suite = golden("whole-language.yml");
    let run = trace_with(
        &["catalog.search_products"],
        &json!({ "test": "overrides its agent", "model": "builtin/lexical" }),
    );
    let output = score(&suite, &[run.clone(), run]);
    let document = output.json();
    for block in ["stability", "narrative"] {
        let evaluated =
            document["gates"].as_array().unwrap().iter().any(|gate| gate["block"] == block);
        let said = output.stdout.contains(&format!("`{block}`"));
        assert!(evaluated || said, "nothing is said of {block}: {}", output.stdout);
    }
}
