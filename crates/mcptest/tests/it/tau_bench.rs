//! A published τ-bench run through the whole of `score`; the numbers were counted apart from us.

use serde_json::json;

use crate::util::{Folder, Output, data, figures, gate};

const SUITE: &str = "\
agents:
  - name: airline
    prompt: x
    equal_function_sets:
      classes:
        - { name: user, members: [get_user_details] }
        - { name: reservation, members: [get_reservation_details] }
        - { name: flights, members: [search_direct_flight, search_onestop_flight] }
    tool_selection: { expected_tool: get_user_details, min_selection_rate: 0.6 }
    orchestration:
      expect: [{ orchestration.parameterization: { \">=\": 99 } }]
";

/// The document without `timing`, which is its last key.
fn stable(output: &Output) -> &str {
    let (before, after) = output.stdout.split_once("\n  \"timing\": {").unwrap();
    assert!(after.trim_end().ends_with('}'));
    before
}

#[test]
fn gpt_4o_airline() {
    let Some(data) = data() else { return };
    let traces = data.join("tau-bench/gpt-4o-airline.json");
    let folder = Folder::new();
    folder.file("suite.yml", SUITE);
    let args = ["score", traces.to_str().unwrap(), "--suite", "suite.yml", "--reporter", "json"];
    let output = folder.run(&args);
    let document = output.json_and(1);
    let rows = document["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 200);
    assert_eq!(rows[199]["name"], "airline #200");
    assert_eq!(document["totals"]["tool_calls"], 1_164);
    // TP 358, FP 488, FN 242.
    assert_eq!(
        figures(&document, "equal_function_sets"),
        json!({ "f1": 49, "precision": 42, "recall": 59 })
    );
    assert_eq!(gate(&document, "equal_function_sets")["passed"], false, "49 is below 50");
    // 120 of 200 runs, which meets 0.6; 1162 of 1164 calls have arguments.
    assert_eq!(figures(&document, "tool_selection")["selection_rate"], 0.6);
    assert_eq!(gate(&document, "tool_selection")["passed"], true);
    assert_eq!(figures(&document, "orchestration")["parameterization"], 100);
    // 600 classes over 1164 calls.
    assert_eq!(figures(&document, "orchestration")["efficiency"], 52);
    assert_eq!(stable(&folder.run(&args)), stable(&output), "the same input, the same bytes");
}

/// The same bytes however many threads work on it.
#[test]
fn threads_do_not_show() {
    let folder = Folder::new();
    let traces = (0..3_000).map(|at| crate::util::trace(&[["a", "b", "c"][at % 3]]));
    folder
        .file("suite.yml", SUITE)
        .file("t.jsonl", crate::util::lines(&traces.collect::<Vec<_>>()));
    let outputs = ["1", "2", "7"].map(|threads| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_mcptest"))
            .args(["score", "t.jsonl", "-s", "suite.yml", "-r", "json"])
            .env("RAYON_NUM_THREADS", threads)
            .current_dir(folder.path())
            .output()
            .unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        (Output { code: output.status.code(), stdout, stderr }, threads)
    });
    for (output, threads) in &outputs {
        assert_eq!(output.code, Some(1));
        assert_eq!(stable(output), stable(&outputs[0].0), "{threads} threads");
        assert_eq!(output.stderr, outputs[0].0.stderr, "{threads} threads");
    }
}
