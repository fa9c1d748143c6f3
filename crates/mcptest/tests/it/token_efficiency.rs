//! Token efficiency: what the surface costs for each correct selection.

use serde_json::{Value, json};

use crate::util::{figures, gate, golden, score, trace, trace_with};

/// cl100k_base: `search` 1, `tiktoken is great!` 6, `{"type":"object"}` 5; `fetch` 1.
fn surface() -> Value {
    json!([
        { "name": "search", "description": "tiktoken is great!", "inputSchema": { "type": "object" } },
        { "name": "fetch", "distractor": true },
    ])
}

/// Tokens of the surface above.
const TOKENS: u64 = 1 + 6 + 5 + 1;

fn run(calls: &[&str], cost: f64) -> Value {
    trace_with(calls, &json!({ "surface": surface(), "conversation": { "cost_usd": cost } }))
}

#[test]
fn the_surface_is_priced_per_correct_selection() {
    let document =
        score(&golden("token-efficiency.yml"), &[run(&["search", "fetch"], 0.01)]).json_and(0);
    assert_eq!(
        figures(&document, "token_efficiency"),
        json!({
            "f1": 100,
            "tool_surface_tokens": TOKENS,
            "correct_selections": 2,
            "cost": 0.01,
            "tokens_per_correct": 6.5,
            "cost_per_correct": 0.005,
        })
    );
    assert_eq!(gate(&document, "token_efficiency")["grade"], "A");
}

/// TP 2 + 1 + 2, FP 0 + 1 + 0, FN 0 + 1 + 0: f1 1000/12; 39 tokens and 0.04 $ over 5.
#[test]
fn several_runs_are_summed_first() {
    let traces = [
        run(&["search", "fetch"], 0.01),
        run(&["fetch", "other"], 0.02),
        run(&["fetch", "search"], 0.01),
    ];
    let document = score(&golden("token-efficiency.yml"), &traces).json_and(0);
    assert_eq!(
        figures(&document, "token_efficiency"),
        json!({
            "f1": 83,
            "tool_surface_tokens": TOKENS,
            "correct_selections": 5,
            "cost": 0.04,
            "tokens_per_correct": 7.8,
            "cost_per_correct": 0.008,
        })
    );
    assert_eq!(gate(&document, "token_efficiency")["grade"], "B");
}

#[test]
fn the_same_runs_twice_cost_the_same_per_selection() {
    let suite = golden("token-efficiency.yml");
    let one = score(&suite, &[run(&["search", "fetch", "x"], 0.5)]).json_and(0);
    let four = score(&suite, &vec![run(&["search", "fetch", "x"], 0.5); 4]).json_and(0);
    for target in ["f1", "tokens_per_correct", "cost_per_correct", "tool_surface_tokens"] {
        assert_eq!(
            figures(&one, "token_efficiency")[target],
            figures(&four, "token_efficiency")[target],
            "{target}"
        );
    }
}

#[test]
fn what_cannot_be_divided_is_absent_with_its_reason() {
    let suite = golden("token-efficiency.yml");
    // Without a surface: the assertion on tokens_per_correct fails and says why.
    let document = score(&suite, &[trace(&["search", "fetch"])]).json_and(1);
    let found = gate(&document, "token_efficiency");
    assert_eq!(found["figures"]["token_efficiency.tokens_per_correct"], json!(null));
    assert_eq!(found["absent"]["token_efficiency.tokens_per_correct"], "run 1 carries no surface");
    let assertion = &found["assertions"][1];
    assert_eq!((&assertion["passed"], &assertion["actual"]), (&json!(false), &json!(null)));
    assert!(assertion["message"].as_str().unwrap().contains("run 1 carries no surface"));
    // Nothing selected.
    let document = score(&suite, &[run(&["other"], 0.5)]).json_and(1);
    let found = gate(&document, "token_efficiency");
    assert_eq!(
        found["absent"]["token_efficiency.tokens_per_correct"],
        "nothing was selected correctly"
    );
    assert_eq!(found["grade"], "F");
    // Free.
    let document = score(&suite, &[run(&["search", "fetch"], 0.0)]).json_and(0);
    let found = gate(&document, "token_efficiency");
    assert_eq!(found["figures"]["token_efficiency.cost_per_correct"], json!(null));
    assert_eq!(found["absent"]["token_efficiency.cost_per_correct"], "the runs cost nothing");
}

#[test]
fn the_default_gate_is_fifty() {
    let suite = golden("token-efficiency.yml");
    let suite = &suite[..suite.find("      expect:").unwrap()];
    // TP 1, FP 1, FN 1: 200/4 = 50. TP 1, FP 2, FN 1: 200/5 = 40.
    let document = score(suite, &[trace(&["search", "x"])]).json_and(0);
    assert_eq!(
        gate(&document, "token_efficiency")["assertions"][0]["matcher"],
        json!({ ">=": 50 })
    );
    score(suite, &[trace(&["search", "x", "x"])]).json_and(1);
}

#[test]
fn grades_follow_the_f1() {
    let suite = golden("token-efficiency.yml");
    // TP 2 and n wrong calls: 400/(4+n) = 100, 80, 66, 57.
    for (wrong, f1, grade) in [(0, 100, "A"), (1, 80, "B"), (2, 66, "D"), (3, 57, "F")] {
        let mut calls = vec!["search", "fetch"];
        calls.extend(vec!["x"; wrong]);
        let document = score(&suite, &[run(&calls, 0.1)]).json_and(i32::from(f1 < 60));
        assert_eq!(figures(&document, "token_efficiency")["f1"], f1);
        assert_eq!(gate(&document, "token_efficiency")["grade"], grade);
    }
}
