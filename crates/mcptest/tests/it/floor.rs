//! Pass^k: the lines on stderr, character for character, and their figures.

use serde_json::{Value, json};

use crate::util::{Folder, figures, folder, gate, golden, lines, score, trace_with};

fn run(calls: &[&str], tokens: u64) -> Value {
    trace_with(calls, &json!({ "conversation": { "tokens": { "total": tokens } } }))
}

/// The runs behind the documented line: nine of ten select, the middle two spend 1510 and 1530.
fn nine_of_ten() -> Vec<Value> {
    let tokens = [1510, 1200, 1840, 1400, 1530, 1300, 1600, 1500, 1800, 1700];
    let mut runs =
        tokens.iter().map(|tokens| run(&["weather.get_weather"], *tokens)).collect::<Vec<_>>();
    runs[3] = run(&["search"], 1400);
    runs
}

#[test]
fn the_pass_line() {
    let output = score(&golden("tool-selection.yml"), &nine_of_ten());
    assert_eq!(
        output.stderr,
        "tool-selection floor [PASS] weather selection: selection 9/10 (90%), pass^k 90%, tokens 1520 median / 1840 max\n"
    );
    let document = output.json_and(0);
    assert_eq!(
        figures(&document, "tool_selection"),
        json!({ "selection_rate": 0.9, "pass_k": 0.9, "tokens_median": 1520, "tokens_max": 1840 })
    );
    let names = document["rows"].as_array().unwrap().iter().map(|row| &row["name"]);
    assert_eq!(
        names.cloned().collect::<Vec<_>>(),
        (1..=10).map(|run| json!(format!("weather selection #{run}"))).collect::<Vec<_>>()
    );
}

#[test]
fn the_floor_lines() {
    let good = &["get_weather"][..];
    let runs = [
        run(good, 1000),
        run(good, 1100),
        run(good, 1200),
        run(good, 2400),
        run(good, 2100),
        run(good, 1300),
        run(&["search"], 1400),
        run(&["search", "fetch"], 3120),
        run(&[], 900),
        run(&["search", "search"], 1500),
    ];
    let output = score(&golden("tool-selection.yml"), &runs);
    // Sorted: 900 1000 1100 1200 1300 | 1400 1500 2100 2400 3120. Runs 1, 2, 3 and 6 count.
    assert_eq!(
        output.stderr,
        "\
tool-selection floor [FAIL] weather selection: selection 6/10 (60%), pass^k 40%, tokens 1350 median / 3120 max
FLOOR weather selection: selection rate 60% is below the 80% floor (6 of 10 runs selected `get_weather`)
FLOOR weather selection: 3 of 10 runs exceeded the 2000-token budget (worst run 3120 tokens)
  run 4: 2400 tokens, over budget
  run 5: 2100 tokens, over budget
  run 7: did not select `get_weather`, called search
  run 8: 3120 tokens, over budget; did not select `get_weather`, called search, fetch
  run 9: did not select `get_weather`, called nothing
  run 10: did not select `get_weather`, called search
"
    );
    let document = output.json_and(1);
    let floor = &document["tool_selection"][0];
    assert_eq!((&floor["runs"], &floor["selected"]), (&json!(10), &json!(6)));
    assert_eq!((&floor["selection_rate"], &floor["pass_k"]), (&json!(0.6), &json!(0.4)));
    assert_eq!(floor["lines"].as_array().unwrap().len(), 9);
    assert_eq!(
        floor["per_run"][7],
        json!({ "run": 8, "selected": false, "tokens": 3120, "over_budget": true, "called": ["search", "fetch"] })
    );
    // c = 4 of n = 10: C(4,j)/C(10,j) and 1 - C(6,j)/C(10,j).
    let curves = &gate(&document, "tool_selection")["curves"];
    assert_eq!(curves["pass_pow"].as_array().unwrap().len(), 10);
    assert_eq!(
        curves["pass_pow"].as_array().unwrap()[..5],
        [0.4, 0.1333, 0.0333, 0.0048, 0.0].map(|value| json!(value))
    );
    assert_eq!(
        curves["pass_at"].as_array().unwrap()[..4],
        [0.4, 0.6667, 0.8333, 0.9286].map(|value| json!(value))
    );
}

/// 0.8 has no exact double; 8 of 10 meets it all the same, 7 of 10 does not.
#[test]
fn eight_of_ten_meets_zero_point_eight() {
    let suite = golden("tool-selection.yml");
    for (selected, code) in [(8, 0), (7, 1)] {
        let runs = (0..10)
            .map(|at| run(if at < selected { &["get_weather"] } else { &["search"] }, 1000))
            .collect::<Vec<_>>();
        let output = score(&suite, &runs);
        assert_eq!(output.code, Some(code), "{selected}: {}", output.stderr);
    }
}

/// One run over the cap fails the floor even when every run selects; the cap itself is allowed.
#[test]
fn the_budget_is_all_or_nothing() {
    let suite = golden("tool-selection.yml");
    let mut runs = (0..10).map(|_| run(&["get_weather"], 2000)).collect::<Vec<_>>();
    score(&suite, &runs).json_and(0);
    runs[9] = run(&["get_weather"], 2001);
    let output = score(&suite, &runs);
    assert_eq!(output.code, Some(1));
    assert_eq!(
        output.stderr,
        "\
tool-selection floor [FAIL] weather selection: selection 10/10 (100%), pass^k 90%, tokens 2000 median / 2001 max
FLOOR weather selection: 1 of 10 runs exceeded the 2000-token budget (worst run 2001 tokens)
  run 10: 2001 tokens, over budget
"
    );
}

#[test]
fn a_budget_without_tokens_cannot_be_kept() {
    let suite = golden("tool-selection.yml");
    let output = score(&suite, &[trace_with(&["get_weather"], &json!({}))]);
    let document = output.json_and(1);
    assert!(output.stderr.contains("the 2000-token budget cannot be checked"), "{output:?}");
    let gate = gate(&document, "tool_selection");
    assert_eq!(gate["figures"]["tool_selection.tokens_max"], json!(null));
    assert!(gate["absent"]["tool_selection.tokens_max"].is_string());
    // Without a budget nothing needs them.
    score(
        &suite.replace("      max_total_tokens: 2000\n", ""),
        &[trace_with(&["get_weather"], &json!({}))],
    )
    .json_and(0);
}

#[test]
fn a_matrix_has_a_floor_for_each_model() {
    let suite = golden("tool-selection.yml")
        .replace("model: claude-sonnet-4-5", "models: [claude-sonnet-4-5, gpt-5]");
    let with = |model: &str, calls: &[&str]| {
        trace_with(calls, &json!({ "model": model, "conversation": { "tokens": { "total": 10 } } }))
    };
    let traces = [
        with("gpt-5", &["search"]),
        with("gpt-5", &["get_weather"]),
        with("claude-sonnet-4-5", &["get_weather"]),
    ];
    let output = score(&suite, &traces);
    let document = output.json_and(1);
    // In the suite's order, whatever the order of the traces.
    assert_eq!(
        output.stderr,
        "\
tool-selection floor [PASS] weather selection [claude-sonnet-4-5]: selection 1/1 (100%), pass^k 100%, tokens 10 median / 10 max
tool-selection floor [FAIL] weather selection [gpt-5]: selection 1/2 (50%), pass^k 50%, tokens 10 median / 10 max
FLOOR weather selection [gpt-5]: selection rate 50% is below the 80% floor (1 of 2 runs selected `get_weather`)
  run 1: did not select `get_weather`, called search
"
    );
    let names = document["rows"].as_array().unwrap().iter().map(|row| row["name"].clone());
    assert_eq!(
        names.collect::<Vec<_>>(),
        [
            "weather selection [claude-sonnet-4-5]",
            "weather selection [gpt-5] #1",
            "weather selection [gpt-5] #2"
        ]
    );
}

/// The lines come from names, which come from elsewhere: no control character reaches a terminal.
#[test]
fn control_characters_do_not_reach_stderr() {
    let suite = golden("tool-selection.yml");
    let output = score(&suite, &[run(&["\u{1b}[31mred\u{7}\nFLOOR forged"], 10)]);
    assert!(!output.stderr.contains(['\u{1b}', '\u{7}']), "{:?}", output.stderr);
    assert_eq!(output.stderr.lines().count(), 3, "{}", output.stderr);
}

#[test]
fn quiet_says_nothing_about_floors() {
    let folder: Folder = folder(&golden("tool-selection.yml"), &[]);
    folder.file("traces.jsonl", lines(&nine_of_ten()));
    let output =
        folder.run(&["score", "traces.jsonl", "-s", "suite.yml", "--quiet", "--reporter", "json"]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
}
