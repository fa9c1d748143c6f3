//! Distractors: what is bait with and without a surface, the certified floor, sweeps.

use serde_json::{Value, json};

use crate::util::{figures, gate, golden, score, short_figures, trace, trace_with};

/// The four that seed 0 draws from the bundled catalog; pinned, computed apart from this code.
const DRAWN: [&str; 4] = [
    "surveys.groupTextAnswers",
    "image-tools.compare_images",
    "calendar.update_event",
    "weather.get_air_quality",
];
/// The fifth, which a count of 4 does not inject.
const NOT_DRAWN: &str = "containers.container.stats";
const CORRECT: &str = "catalog.search_products";

/// Clopper–Pearson at 95 %, to the percent: the reference values of the contract.
#[test]
fn one_perfect_run_certifies_five_percent() {
    let suite = golden("certified-floor.yml");
    for (good, all, floor) in
        [(1, 1, 5), (4, 4, 47), (4, 5, 34), (10, 10, 74), (9, 10, 60), (20, 20, 86), (59, 59, 95)]
    {
        let traces = (0..all)
            .map(|at| trace(&[if at < good { "google.search" } else { DRAWN[0] }]))
            .collect::<Vec<_>>();
        let document = score(&suite, &traces).json_and(i32::from(floor < 20));
        let figures = figures(&document, "distractors");
        assert_eq!(figures["certified_lower"], floor, "{good} of {all}");
        assert_eq!(figures["accuracy"], 100 * good / all);
        assert_eq!(gate(&document, "distractors")["runs_succeeded"], good);
    }
}

#[test]
fn the_catalog_is_known_without_a_surface() {
    let suite = golden("distractor-tools.yml");
    let traces = [
        trace(&[CORRECT]),
        trace(&[CORRECT, DRAWN[1]]),
        trace(&[DRAWN[3], DRAWN[3]]),
        trace(&[CORRECT, NOT_DRAWN, "other"]),
    ];
    let document = score(&suite, &traces).json_and(1);
    // 3 correct, 3 bait: 50. Runs 1 and 4 succeed: 2 of 4 certify 9.
    assert_eq!(
        figures(&document, "distractors"),
        json!({
            "accuracy": 50,
            "chose_correct": 3,
            "chose_distractor": 3,
            "distractor_count": 4,
            "certified_lower": 9,
        })
    );
    let gate = gate(&document, "distractors");
    assert_eq!(gate["complexity"], "serial");
    assert_eq!(
        gate["chosen_distractors"],
        json!([{ "id": DRAWN[1], "count": 1 }, { "id": DRAWN[3], "count": 2 }])
    );
    assert_eq!(
        gate["out_of_scope_calls"],
        json!([{ "id": NOT_DRAWN, "count": 1 }, { "id": "other", "count": 1 }])
    );
    let verdicts = gate["assertions"].as_array().unwrap().iter().map(|one| &one["passed"]);
    assert_eq!(verdicts.collect::<Vec<_>>(), [false, false]);
    // Each of the four is bait, the fifth is not.
    for id in DRAWN {
        let document = score(&suite, &[trace(&[id])]).json_and(1);
        assert_eq!(figures(&document, "distractors")["chose_distractor"], 1, "{id}");
    }
}

#[test]
fn look_alikes_come_in_the_documented_order() {
    let suite = golden("near-duplicates.yml");
    // Three of two tools: _v2 of both, then _internal of the first.
    for (id, bait) in [
        ("catalog.search_products_v2", 1),
        ("get_product_v2", 1),
        ("search_products_internal", 1),
        ("get_product_internal", 0),
        ("search_products_legacy", 0),
    ] {
        let document = score(&suite, &[trace(&[CORRECT, id])]).json_and(0);
        let figures = figures(&document, "distractors");
        assert_eq!(figures["chose_distractor"], bait, "{id}");
        assert_eq!(figures["accuracy"], if bait == 1 { 50 } else { 100 }, "{id}");
        let gate = gate(&document, "distractors");
        assert_eq!(gate["complexity"], "parallel");
        // The default gate.
        assert_eq!(gate["assertions"][0]["target"], "distractors.accuracy");
        assert_eq!(gate["assertions"][0]["matcher"], json!({ ">=": 50 }));
    }
    score(&suite, &[trace(&[CORRECT, "get_product_v2", "get_product_v2"])]).json_and(1);
}

/// What was really shown counts, not what the block would have injected.
#[test]
fn a_surface_tells_what_was_bait() {
    let surface = json!([
        { "server": "catalog", "name": "search_products" },
        { "server": "bait", "name": "lure", "distractor": true },
    ]);
    let suite = golden("distractor-tools.yml");
    let run = |calls: &[&str]| trace_with(calls, &json!({ "surface": surface }));
    let document = score(&suite, &[run(&["bait.lure", DRAWN[0], CORRECT])]).json_and(1);
    assert_eq!(
        figures(&document, "distractors"),
        json!({
            "accuracy": 50,
            "chose_correct": 1,
            "chose_distractor": 1,
            "distractor_count": 1,
            "certified_lower": 0,
        })
    );
    assert_eq!(
        gate(&document, "distractors")["notes"],
        json!(["the block asks for 4 distractors, but run 1 was shown 1"])
    );
}

#[test]
fn nothing_in_scope_scores_nothing_unless_nothing_is_declared() {
    let suite = golden("distractor-tools.yml");
    let document = score(&suite, &[trace(&["other"])]).json_and(1);
    assert_eq!(figures(&document, "distractors")["accuracy"], 0);
    assert_eq!(gate(&document, "distractors")["vacuous"], json!(null));
    let none = suite.replace("correct: [catalog.search_products]", "correct: []");
    let document = score(&none, &[trace(&["other"])]).json_and(0);
    assert_eq!(figures(&document, "distractors")["accuracy"], 100);
    assert_eq!(gate(&document, "distractors")["vacuous"], true);
    let document = score(&none, &[trace(&[DRAWN[2]])]).json_and(1);
    assert_eq!(figures(&document, "distractors")["accuracy"], 0);
}

const SWEEP: &str = "\
agents:
  - name: sweep
    model: gpt-5
    prompt: Find a notebook.
    runs: 2
    distractors:
      count: [4, 0, 2]
      source: { from: near_duplicate, of: [search] }
      correct: [shop.search]
      complexity: serial
      expect:
        - distractors.accuracy: { \">=\": 60 }
        - distractors.drop: { \"<=\": 30 }
    equal_function_sets:
      classes: [{ name: search, members: [shop.search] }]
";

fn at(count: u32, calls: &[&str]) -> Value {
    trace_with(calls, &json!({ "distractor_count": count }))
}

/// Look-alikes in order: search_v2, search_internal, searches, SEARCH.
#[test]
fn a_sweep_has_a_gate_for_each_count_and_one_more() {
    let traces = [
        at(4, &["shop.search", "SEARCH"]),
        at(4, &["shop.search"]),
        at(0, &["shop.search", "search_v2"]),
        at(0, &["shop.search"]),
        at(2, &["shop.search", "searches"]),
        at(2, &["shop.search"]),
    ];
    let document = score(SWEEP, &traces).json_and(1);
    let gates = document["gates"].as_array().unwrap();
    let of_block = |block: &str| {
        let gates = gates.iter().filter(|gate| gate["block"] == block);
        gates.map(|gate| gate["name"].as_str().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(
        of_block("distractors"),
        [
            "sweep +0 · distractors",
            "sweep +2 · distractors",
            "sweep +4 · distractors",
            "sweep · distractors"
        ]
    );
    // Every gate is evaluated per cell, not only this one.
    assert_eq!(of_block("equal_function_sets").len(), 3);
    let cells = gates.iter().filter(|gate| gate["block"] == "distractors").collect::<Vec<_>>();
    let column = |key: &str| cells.iter().map(|gate| gate[key].clone()).collect::<Vec<_>>();
    assert_eq!(column("distractor_count"), [json!(0), json!(2), json!(4), json!(null)]);
    assert!(cells[3].as_object().unwrap().contains_key("distractor_count"), "null, not absent");
    // At 0 and 2 the look-alikes were not shown, so nothing in scope was wrong: 2/2, 2/2, 2/3.
    let accuracy = cells[..3].iter().map(|gate| short_figures(gate)["accuracy"].clone());
    assert_eq!(accuracy.collect::<Vec<_>>(), [100, 100, 66]);
    assert_eq!(short_figures(cells[3]), json!({ "drop": 34 }));
    assert_eq!(column("passed"), [true, true, true, false]);
    assert_eq!(
        cells[3]["curve"],
        json!([
            { "distractor_count": 0, "accuracy": 100, "certified_lower": 22, "runs": 2 },
            { "distractor_count": 2, "accuracy": 100, "certified_lower": 22, "runs": 2 },
            { "distractor_count": 4, "accuracy": 66, "certified_lower": 2, "runs": 2 },
        ])
    );
    let mut names = document["rows"].as_array().unwrap().iter().map(|row| &row["name"]);
    assert_eq!(names.next().unwrap(), "sweep +0 #1");
    assert_eq!(names.next_back().unwrap(), "sweep +4 #2");
}

/// Outside a sweep the key is not there at all.
#[test]
fn a_single_count_is_no_sweep() {
    let document = score(&golden("near-duplicates.yml"), &[trace(&[CORRECT])]).json_and(0);
    let gates = document["gates"].as_array().unwrap();
    assert_eq!(gates.len(), 1);
    assert!(!gates[0].as_object().unwrap().contains_key("distractor_count"));
}

#[test]
fn a_sweep_with_a_hole_is_no_sweep() {
    let document = score(SWEEP, &[at(0, &["shop.search"])]).json_and(1);
    let skipped = document["rows"].as_array().unwrap().iter().filter(|row| row["run"].is_null());
    let skipped = skipped.map(|row| row["name"].as_str().unwrap()).collect::<Vec<_>>();
    assert_eq!(skipped, ["sweep +4", "sweep +2"]);
    let gates = document["gates"].as_array().unwrap();
    let whole = gates.iter().find(|gate| gate["name"] == "sweep · distractors").unwrap();
    assert_eq!(whole["figures"], json!({ "distractors.drop": null }));
    assert_eq!(
        whole["absent"],
        json!({ "distractors.drop": "there is no accuracy at 4 distractors" })
    );
}

#[test]
fn where_neither_trace_nor_block_tells_the_figures_are_absent() {
    // A sweep without `distractor_count` in the trace.
    let document = score(SWEEP, &[trace(&["shop.search"])]).json_and(1);
    let gates = document["gates"].as_array().unwrap();
    let cell = gates.iter().find(|gate| gate["block"] == "distractors").unwrap();
    assert_eq!(cell["figures"]["distractors.accuracy"], json!(null));
    let reason = "the trace carries no distractor_count, and no surface tells it";
    assert_eq!(cell["absent"]["distractors.accuracy"], reason);
    let message = cell["assertions"][0]["message"].as_str().unwrap();
    assert!(message.contains(reason), "{message}");
    // Tools of the servers under test.
    let suite = SWEEP
        .replace("count: [4, 0, 2]", "count: 2")
        .replace("{ from: near_duplicate, of: [search] }", "{ from: server }")
        .replace("        - distractors.drop: { \"<=\": 30 }\n", "");
    let document = score(&suite, &[trace(&["shop.search"])]).json_and(1);
    let gate = gate(&document, "distractors");
    assert_eq!(gate["passed"], false);
    assert!(gate["absent"]["distractors.accuracy"].as_str().unwrap().contains("from: server"));
}

/// A sweep by surface: the cell is the number of flagged tools.
#[test]
fn a_surface_tells_the_cell_of_a_sweep() {
    let surface = json!([
        { "server": "shop", "name": "search" },
        { "server": "shop", "name": "a", "distractor": true },
        { "server": "shop", "name": "b", "distractor": true },
    ]);
    let document =
        score(SWEEP, &[trace_with(&["shop.search", "shop.b"], &json!({ "surface": surface }))])
            .json_and(1);
    let gates = document["gates"].as_array().unwrap();
    let cell = gates.iter().find(|gate| gate["name"] == "sweep +2 · distractors").unwrap();
    assert_eq!(short_figures(cell)["accuracy"], 50);
}

#[test]
fn a_file_gives_distractors_too() {
    let suite = golden("near-duplicates.yml")
        .replace("from: near_duplicate", "from: file")
        .replace("of: [search_products, get_product]", "path: ./bait/tools.json");
    let folder = crate::util::folder(&suite, &[trace(&[CORRECT, "x.a", "b"])]);
    folder.file(
        "bait/tools.json",
        r#"{"tools": [{"name": "a", "server": "x"}, {"name": "b"}, {"name": "c"}]}"#,
    );
    let args = ["score", "traces.jsonl", "-s", "suite.yml", "-r", "json"];
    let document = folder.run(&args).json_and(1);
    assert_eq!(figures(&document, "distractors")["chose_distractor"], 2);
    assert_eq!(figures(&document, "distractors")["accuracy"], 33);
    // A file that is not there is the suite's fault, and named.
    std::fs::remove_file(folder.path().join("bait/tools.json")).unwrap();
    let output = folder.run(&args);
    let document = output.json_and(2);
    assert_eq!(document["errors"][0]["code"], "unreadable-distractors");
    assert!(output.stderr.contains("./bait/tools.json"), "{}", output.stderr);
}
