//! How runs end: inconclusive, over budget, or against the per-run `expect`.

use serde_json::json;

use crate::util::{figures, gate, golden, score, trace, trace_with};

const GOOD: &[&str] = &["brave.web_search", "http.get"];

#[test]
fn inconclusive_runs_are_shown_counted_and_left_out() {
    let suite = golden("equal-function-sets.yml");
    let lost = trace_with(
        &["shell.exec"],
        &json!({ "status": "inconclusive", "cause": "the provider answered 529 five times" }),
    );
    let document = score(&suite, &[trace(GOOD), lost]).json_and(0);
    assert_eq!(figures(&document, "equal_function_sets")["f1"], 100);
    let gate = gate(&document, "equal_function_sets");
    assert_eq!((&gate["runs_scored"], &gate["runs_excluded"]), (&json!(1), &json!(1)));
    assert_eq!(document["rows"][1]["status"], "inconclusive");
    assert_eq!(
        document["rows"][1]["messages"],
        json!(["inconclusive: the provider answered 529 five times"])
    );
    assert_eq!(document["totals"]["rows"]["inconclusive"], 1);
    assert_eq!(document["errors"], json!([]));
}

#[test]
fn a_test_whose_runs_are_all_inconclusive_is_an_error_of_its_own() {
    let suite = golden("equal-function-sets.yml");
    let lost = trace_with(GOOD, &json!({ "status": "inconclusive", "cause": "no network" }));
    let document = score(&suite, &[lost.clone(), lost]).json_and(3);
    assert_eq!(document["errors"][0]["code"], "all-inconclusive");
    assert_eq!(document["errors"][0]["test"], "research-agent picks search then fetch");
    assert_eq!(document["totals"]["failed"], 0, "nobody failed");
    assert_eq!(document["totals"]["passed"], 0, "and nobody passed");
}

/// 1 before 3: a real failure beside a test without a verdict.
#[test]
fn a_failure_outranks_a_missing_verdict() {
    let suite = "\
agents:
  - { name: a, prompt: x, equal_function_sets: { classes: [{ name: c, members: [t] }] } }
  - { name: b, prompt: x, equal_function_sets: { classes: [{ name: c, members: [t] }] } }
";
    let lost = trace_with(&[], &json!({ "test": "a", "status": "inconclusive" }));
    let bad = trace_with(&["u"], &json!({ "test": "b" }));
    let document = score(suite, &[lost.clone(), bad]).json_and(1);
    assert_eq!(document["errors"][0]["code"], "all-inconclusive");
    let good = trace_with(&["t"], &json!({ "test": "b" }));
    score(suite, &[lost, good]).json_and(3);
}

#[test]
fn a_run_stopped_by_a_budget_is_scored() {
    let suite = golden("equal-function-sets.yml");
    let stopped = trace_with(
        &["google.search", "shell.exec"],
        &json!({ "status": "budget_exceeded", "cause": "20 turns" }),
    );
    let document = score(&suite, &[stopped]).json_and(1);
    assert_eq!(figures(&document, "equal_function_sets")["f1"], 50);
    assert_eq!(gate(&document, "equal_function_sets")["runs_scored"], 1);
    assert_eq!(document["rows"][0]["messages"], json!(["stopped by a budget: 20 turns"]));
}

const EXPECT: &str = "\
agents:
  - name: per run
    prompt: x
    expect:
      - tool_calls[0].name: { equals: search }
      - target: tool_calls[0].args.query
        matcher: { regex: \"^note\" }
      - tool_calls.length: { \"<=\": 2 }
      - final_response: { not: { contains: sorry } }
    equal_function_sets: { classes: [{ name: s, members: [search] }] }
";

#[test]
fn a_failed_expectation_of_one_run_fails_its_row_and_the_exit_code() {
    let good = json!({
        "tool_calls": [{ "name": "search", "args": { "query": "notebook" } }],
        "final_response": "here",
    });
    let document = score(EXPECT, &[good.clone(), good.clone()]).json_and(0);
    assert_eq!(document["rows"][0]["status"], "passed");
    let mut bad = good.clone();
    bad["final_response"] = json!("sorry");
    bad["tool_calls"][0]["args"]["query"] = json!("a notebook");
    let document = score(EXPECT, &[good, bad]).json_and(1);
    assert_eq!(document["rows"][0]["status"], "passed");
    assert_eq!(document["rows"][1]["status"], "failed");
    let messages = document["rows"][1]["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(messages[0].as_str().unwrap().contains("`tool_calls[0].args.query` is \"a notebook\""));
    assert!(messages[1].as_str().unwrap().contains("`final_response` is \"sorry\""));
    // The gate over all runs is content.
    assert_eq!(gate(&document, "equal_function_sets")["passed"], true);
}

/// An absent target fails every matcher, `not` included, with the reason.
#[test]
fn an_absent_target_fails_even_not() {
    let document = score(EXPECT, &[trace(&["search"])]).json_and(1);
    let messages = document["rows"][0]["messages"].as_array().unwrap();
    let about = |target: &str| {
        let found = messages.iter().map(|one| one.as_str().unwrap());
        found.filter(|one| one.starts_with(&format!("`{target}` is absent: "))).count()
    };
    assert_eq!(about("tool_calls[0].args.query"), 1, "{messages:?}");
    assert_eq!(about("final_response"), 1, "{messages:?}");
    assert_eq!(messages.len(), 2);
}

#[test]
fn numbers_of_runs_come_from_the_traces_where_they_are_unambiguous() {
    let suite = golden("equal-function-sets.yml");
    let run = |run: u32| trace_with(GOOD, &json!({ "run": run }));
    let document = score(&suite, &[run(7), run(3)]).json_and(0);
    let runs = document["rows"].as_array().unwrap().iter().map(|row| &row["run"]);
    assert_eq!(runs.collect::<Vec<_>>(), [3, 7]);
    let document = score(&suite, &[run(3), run(3)]).json_and(0);
    let runs = document["rows"].as_array().unwrap().iter().map(|row| &row["run"]);
    assert_eq!(runs.collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn totals_are_sums_over_all_runs() {
    let suite = golden("equal-function-sets.yml");
    let run = |tokens: u64, cost: f64| {
        trace_with(
            GOOD,
            &json!({ "conversation": { "tokens": { "prompt": tokens, "completion": 1 }, "cost_usd": cost } }),
        )
    };
    let document = score(&suite, &[run(10, 0.1), run(20, 0.2), trace(GOOD)]).json_and(0);
    let totals = &document["totals"];
    assert_eq!((&totals["tool_calls"], &totals["tokens"]), (&json!(6), &json!(32)));
    assert_eq!(totals["cost_usd"], 0.3);
    assert_eq!((&totals["total"], &totals["passed"]), (&json!(4), &json!(4)));
}
