//! Documents for the tests of all reporters, written as JSON, which checks the format as well.

use mcptest_score::result::{Gate, ResultDocument, Row, Status};
use serde_json::{Value, json};

/// A row named `TEST #RUN`.
pub fn row(test: &str, run: u32, status: Status, messages: &[&str]) -> Row {
    serde_json::from_value(json!({
        "name": format!("{test} #{run}"), "test": test, "model": null, "run": run,
        "status": status, "messages": messages, "tool_calls": 2, "tokens": 190,
    }))
    .unwrap()
}

/// A gate with the given figures and assertions; `more` overrides and adds keys.
pub fn gate(test: &str, block: &str, figures: Value, assertions: Value, more: Value) -> Gate {
    let mut gate = json!({
        "name": format!("{test} · {block}"), "test": test, "model": null, "block": block,
        "passed": true, "figures": figures, "assertions": assertions,
        "runs_scored": 4, "runs_excluded": 0,
    });
    let keys = more.as_object().unwrap().clone();
    gate.as_object_mut().unwrap().extend(keys);
    serde_json::from_value(gate).unwrap()
}

/// A document of these rows and gates, counted.
fn document(rows: Vec<Row>, gates: Vec<Gate>) -> ResultDocument {
    let mut doc = ResultDocument::new("score");
    doc.suite = Some("suite.yml".to_owned());
    (doc.rows, doc.gates) = (rows, gates);
    doc.tally();
    doc.totals.tokens = 1520;
    doc.totals.cost_usd = serde_json::Number::from_f64(0.0123);
    doc
}

/// `number` runs of `test` that passed.
fn passed(test: &str, number: u32) -> Vec<Row> {
    (1..=number).map(|run| row(test, run, Status::Passed, &[])).collect()
}

fn assertion(target: &str, matcher: Value, actual: Value, passed: bool, message: &str) -> Value {
    json!({"target": target, "matcher": matcher, "actual": actual, "passed": passed, "message": message})
}

/// Everything passed, one gate by rule only.
pub fn passing() -> ResultDocument {
    let f1 = json!({"tool_selection.f1": 100, "tool_selection.precision": 100, "tool_selection.recall": 100});
    let held = json!([assertion("tool_selection.f1", json!({">=": 80}), json!(100), true, "")]);
    let orchestration = json!({
        "orchestration.discovery": 100, "orchestration.parameterization": 100,
        "orchestration.syntax": 100, "orchestration.error_recovery": 100,
        "orchestration.efficiency": 67, "orchestration.schema_validity": null,
        "orchestration.hallucination": null,
    });
    let asserted = json!([
        assertion(
            "orchestration.syntax",
            json!({"schema": {"minimum": 100}}),
            json!(100),
            true,
            ""
        ),
        assertion(
            "orchestration.efficiency",
            json!({"schema": {"minimum": 50}}),
            json!(67),
            true,
            ""
        ),
    ]);
    let mut rows = passed("research", 4);
    rows.extend(passed("a quiet agent", 1));
    document(
        rows,
        vec![
            gate("research", "equal_function_sets", f1.clone(), held.clone(), json!({})),
            gate(
                "research",
                "orchestration",
                orchestration,
                asserted,
                json!({
                    "absent": {"orchestration.schema_validity": "the trace has no surface"},
                    "notes": ["2 calls had no arguments at all"],
                }),
            ),
            gate(
                "a quiet agent",
                "equal_function_sets",
                f1,
                held,
                json!({"vacuous": true, "runs_scored": 1}),
            ),
        ],
    )
}

/// Most kinds of detail at once.
pub fn failing() -> ResultDocument {
    let mut rows = passed("research", 6);
    rows.push(row("research", 7, Status::Failed, &[
        "tool_calls[0].name is \"shell.exec\", expected == \"brave.web_search\"",
        "final_answer does not contain \"Paris\": the agent wrote \"I am sorry, but I could not find the population of the city you asked for\"",
    ]));
    rows.push(row("research", 8, Status::Inconclusive, &["the provider answered 529 overloaded"]));
    let mut doc = document(
        rows,
        vec![f1_gate(), efficiency_gate(), floor_gate(), path_gate(), passing().gates.remove(0)],
    );
    doc.tool_selection = vec![serde_json::from_value(json!({
        "name": "weather selection", "test": "weather selection", "model": null,
        "expected_tool": "get_weather", "min_selection_rate": 0.8, "max_total_tokens": 2000,
        "passed": false, "runs": 10, "selected": 6, "selection_rate": 0.6, "pass_k": 0.5,
        "tokens_median": 1520, "tokens_max": 2400, "per_run": [],
        "lines": [
            "tool-selection floor [FAIL] weather selection: selection 6/10 (60%), pass^k 50%, tokens 1520 median / 2400 max",
            "FLOOR weather selection: selection rate 60% is below the 80% floor (6 of 10 runs selected `get_weather`)",
            "FLOOR weather selection: 1 of 10 runs exceeded the 2000-token budget (worst run 2400 tokens)",
            "  run 4: 2400 tokens, over budget",
            "  run 7: did not select `get_weather`, called search",
        ],
    })).unwrap()];
    doc.notes = vec!["tool `search` sits in two classes, `search` and `lookup`".to_owned()];
    doc
}

fn f1_gate() -> Gate {
    let figures = json!({"tool_selection.f1": 50, "tool_selection.precision": 50, "tool_selection.recall": 50});
    let assertions = json!([
        assertion("tool_selection.f1", json!({">=": 80}), json!(50), false, "50 is not >= 80"),
        assertion("tool_selection.precision", json!({">=": 50}), json!(50), true, "50 is >= 50"),
        assertion(
            "tool_selection.recall",
            json!({"schema": {"minimum": 100}}),
            json!(50),
            false,
            "50 is not >= 100"
        ),
    ]);
    let runs: Vec<Value> = (1..=57)
        .map(|run| json!({"run": run, "missed_classes": ["fetch"], "unexpected_calls": [{"id": "shell.exec", "count": 2}]}))
        .collect();
    gate(
        "research",
        "equal_function_sets",
        figures,
        assertions,
        json!({
            "passed": false, "runs_scored": 7, "runs_excluded": 1,
            "missed_classes": ["fetch"],
            "unexpected_calls": [{"id": "shell.exec", "count": 114}, {"id": "notes.list", "count": 1}],
            "undecided_ids": ["open_page"], "per_run": runs,
        }),
    )
}

fn efficiency_gate() -> Gate {
    let figures = json!({"token_efficiency.f1": 0, "token_efficiency.tool_surface_tokens": 4210,
        "token_efficiency.tokens_per_correct": null, "token_efficiency.cost_per_correct": null});
    let assertions = json!([
        assertion("token_efficiency.f1", json!({">=": 50}), json!(0), false, "0 is not >= 50"),
        assertion(
            "token_efficiency.tokens_per_correct",
            json!({"schema": {"maximum": 1500}}),
            Value::Null,
            false,
            "token_efficiency.tokens_per_correct is absent: nothing was selected correctly"
        ),
    ]);
    gate(
        "research",
        "token_efficiency",
        figures,
        assertions,
        json!({
            "passed": false, "grade": "F",
            "absent": {
                "token_efficiency.tokens_per_correct": "nothing was selected correctly",
                "token_efficiency.cost_per_correct": "the cost of the runs is unknown",
            },
            "hallucinated_calls": [{"id": "fetch_page", "count": 3}],
            "chosen_distractors": [{"id": "catalog.get_weather_v2", "count": 1}],
            "out_of_scope_calls": [{"id": "catalog.ping", "count": 2}],
        }),
    )
}

fn floor_gate() -> Gate {
    let figures = json!({"tool_selection.selection_rate": 0.6, "tool_selection.pass_k": 0.5,
        "tool_selection.tokens_median": 1520, "tool_selection.tokens_max": 2400});
    let assertions = json!([
        assertion(
            "tool_selection.selection_rate",
            json!({">=": 0.8}),
            json!(0.6),
            false,
            "0.6 is not >= 0.8"
        ),
        assertion(
            "tool_selection.tokens_max",
            json!({"<=": 2000}),
            json!(2400),
            false,
            "2400 is not <= 2000"
        ),
    ]);
    gate(
        "weather selection",
        "tool_selection",
        figures,
        assertions,
        json!({"passed": false, "runs_scored": 10}),
    )
}

fn path_gate() -> Gate {
    let figures = json!({"golden_path.passed": 0, "golden_path.edit_distance": 2});
    let assertions = json!([assertion(
        "golden_path.passed",
        json!({"==": 1}),
        json!(0),
        false,
        "0 is not == 1"
    )]);
    gate(
        "checkout",
        "golden_path",
        figures,
        assertions,
        json!({
            "passed": false, "worst_run": 3, "worst_path": ["search", "search", "add_to_cart", "search", "pay"],
            "missing_calls": [{"id": "confirm", "count": 4}], "extra_calls": [{"id": "search", "count": 2}],
            "broken_pairs": [{"id": "login → pay", "count": 1}],
            "notes": ["incomplete: 2 of 6 runs were skipped"],
        }),
    )
}

/// A sweep over three counts, passing.
pub fn sweep() -> ResultDocument {
    let cell = |count: u32, accuracy: u32, floor: u32| {
        gate(
            "resists",
            "distractors",
            json!({"distractors.accuracy": accuracy, "distractors.chose_correct": 4, "distractors.chose_distractor": 0,
                "distractors.distractor_count": count, "distractors.certified_lower": floor}),
            json!([assertion(
                "distractors.accuracy",
                json!({">=": 50}),
                json!(accuracy),
                true,
                ""
            )]),
            json!({"name": format!("resists [m-1] +{count} · distractors"), "model": "m-1", "distractor_count": count}),
        )
    };
    let whole = gate(
        "resists",
        "distractors",
        json!({"distractors.drop": 43}),
        json!([]),
        json!({
            "name": "resists [m-1] · distractors", "model": "m-1", "distractor_count": null, "complexity": "serial",
            "curve": [
                {"distractor_count": 0, "accuracy": 100, "certified_lower": 47, "runs": 4},
                {"distractor_count": 16, "accuracy": 57, "certified_lower": 9, "runs": 4},
                {"distractor_count": 128, "accuracy": null, "certified_lower": null, "runs": 0},
            ],
        }),
    );
    document(passed("resists", 12), vec![cell(0, 100, 47), cell(16, 57, 9), whole])
}

/// Runs that could not be judged, and problems.
pub fn no_verdict() -> ResultDocument {
    let mut rows = passed("weather", 2);
    rows.push(row("weather", 3, Status::Inconclusive, &["the provider answered 529 overloaded"]));
    rows.push(row("weather", 4, Status::Error, &["the trace ends in the middle of a call"]));
    rows.push(row("weather", 5, Status::Skipped, &["no money left: 0.02 of 0.02 USD spent"]));
    let open = gate(
        "mail",
        "trajectory",
        json!({"trajectory.passed": null}),
        json!([]),
        json!({
            "passed": false, "runs_scored": 0, "runs_excluded": 2,
            "absent": {"trajectory.passed": "no run could be scored"},
        }),
    );
    let mut doc = document(rows, vec![open]);
    doc.errors = vec![serde_json::from_value(json!({
        "code": "no-such-test", "message": "trace `b.json` names the test `wether`, which the suite does not have",
        "file": "b.json", "line": 3, "column": 11, "help": "did you mean `weather`?",
    })).unwrap()];
    doc
}

/// No row, no gate.
pub fn nothing_selected() -> ResultDocument {
    let mut doc = ResultDocument::new("score");
    doc.notes = vec!["the filter `wether` matches none of 3 tests".to_owned()];
    doc
}

/// Names and messages that try to steer a terminal, a browser, a table or an XML parser.
pub fn hostile() -> ResultDocument {
    let evil = "a|b`c`<script>alert(1)</script>&amp;]]>\u{1b}[31mred\u{1b}]0;t\u{7}\u{202e}\0\u{ffff}\n# h [x](javascript:1) @all https://evil.example";
    let mut bad = gate(
        evil,
        evil,
        json!({evil: 1}),
        json!([
            assertion(evil, json!({"==": evil}), json!(evil), false, evil),
            assertion(evil, json!({"schema": {"pattern": evil}}), Value::Null, false, evil),
        ]),
        json!({
            "passed": false, "missed_classes": [evil], "unexpected_calls": [{"id": evil, "count": 2}],
            "worst_path": [evil, evil], "absent": {"x.y": evil}, "notes": [evil], "grade": evil,
            "per_run": [{"run": 1, "missed_classes": [evil], "messages": [evil]}],
        }),
    );
    bad.model = Some(evil.into());
    let good = gate(evil, "distractors", json!({evil: 1}), json!([]), json!({"notes": [evil]}));
    let statuses =
        [Status::Passed, Status::Failed, Status::Inconclusive, Status::Error, Status::Skipped];
    let rows = statuses
        .iter()
        .zip(1..)
        .map(|(status, run)| row(evil, run, *status, &[evil, evil]))
        .collect();
    let mut doc = document(rows, vec![bad, good]);
    doc.suite = Some(evil.to_owned());
    doc.notes = vec![evil.to_owned()];
    doc.errors = vec![
        serde_json::from_value(json!({
            "code": evil, "message": evil, "test": evil, "file": evil, "line": 1, "help": evil,
        }))
        .unwrap(),
    ];
    doc
}

/// Every sample.
pub fn all() -> Vec<ResultDocument> {
    vec![passing(), failing(), sweep(), no_verdict(), nothing_selected(), hostile()]
}
