//! The reporters: JUnit that parses, text worth reading, files and refusals.

use quick_junit::{Report, TestCaseStatus};
use serde_json::{Value, json};

use crate::util::{Folder, folder, golden, trace, trace_with};

/// One suite whose gates and rows pass, fail and are skipped.
fn failing() -> Folder {
    let suite = golden("name-free-discovery.yml")
        + "    distractors:
      count: 2
      source: { from: near_duplicate, of: [search] }
      correct: [catalog.search, catalog.web_search, fulfillment.fetch, fulfillment.get]
tests:
  - { name: never run, type: tool, server: catalog, tool: search }
";
    let calls = |ids: &[&str]| {
        let calls = ids.iter().map(|id| {
            let mut call = crate::util::call(id);
            call["args"] = json!({ "q": "Paris" });
            call
        });
        json!({ "tool_calls": calls.collect::<Vec<_>>() })
    };
    let mut traces = vec![
        calls(&["catalog.search", "fulfillment.get"]),
        calls(&["catalog.search_v2", "fulfillment.get", "shell.exec"]),
        calls(&["catalog.web_search"]),
    ];
    traces.push(trace_with(&[], &json!({ "status": "inconclusive", "cause": "HTTP 529" })));
    folder(&suite, &traces)
}

fn passing() -> Folder {
    folder(
        &golden("equal-function-sets.yml"),
        &[trace(&["brave.web_search", "http.get"]), trace(&["google.search", "http.get"])],
    )
}

fn report(folder: &Folder, reporter: &str, code: i32) -> String {
    let output = folder.run(&["score", "traces.jsonl", "-s", "suite.yml", "--reporter", reporter]);
    assert_eq!(output.code, Some(code), "{output:?}");
    output.stdout
}

#[test]
fn pretty() {
    insta::assert_snapshot!("pretty_failing", report(&failing(), "pretty", 1));
    insta::assert_snapshot!("pretty_passing", report(&passing(), "pretty", 0));
}

#[test]
fn markdown() {
    insta::assert_snapshot!("markdown_failing", report(&failing(), "markdown", 1));
    insta::assert_snapshot!("markdown_passing", report(&passing(), "markdown", 0));
}

#[test]
fn junit_parses_and_counts_rows_and_gates() {
    let folder = failing();
    let xml = report(&folder, "junit", 1);
    let junit = Report::deserialize_from_str(&xml).unwrap_or_else(|error| panic!("{error}\n{xml}"));
    let json: Value = serde_json::from_str(&report(&folder, "json", 1)).unwrap();
    let totals = &json["totals"];
    let cases = junit.test_suites.iter().flat_map(|suite| &suite.test_cases).collect::<Vec<_>>();
    let count = |status: fn(&TestCaseStatus) -> bool| {
        cases.iter().filter(|case| status(&case.status)).count() as u64
    };
    assert_eq!(Some(cases.len() as u64), totals["total"].as_u64());
    // 4 runs, 1 tool test and 3 gates, of which one passes.
    assert_eq!(cases.len(), 8);
    assert_eq!(
        Some(count(|status| matches!(status, TestCaseStatus::NonSuccess { .. }))),
        totals["failed"].as_u64()
    );
    assert_eq!(totals["failed"], 2);
    assert_eq!(
        count(|status| matches!(status, TestCaseStatus::Skipped { .. })),
        totals["skipped"].as_u64().unwrap() + totals["inconclusive"].as_u64().unwrap()
    );
    let names = cases.iter().map(|case| case.name.as_str()).collect::<Vec<_>>();
    assert!(
        names.contains(&"intent-only discovery across two servers · equal_function_sets"),
        "{names:?}"
    );
}

/// What no XML may hold, in a name that comes from a model.
#[test]
fn junit_survives_hostile_names() {
    let suite = golden("tool-selection.yml");
    let folder = folder(&suite, &[trace(&["\u{0}\u{1b}[31m]]>&<\"\u{fffe}"])]);
    let xml = report(&folder, "junit", 1);
    Report::deserialize_from_str(&xml).unwrap_or_else(|error| panic!("{error}\n{xml}"));
    assert!(!xml.contains(['\u{0}', '\u{1b}']));
}

/// Machine-readable reports are whole documents when the suite or a trace is broken.
#[test]
fn junit_is_a_document_even_where_nothing_could_be_scored() {
    let folder = passing();
    folder.file("suite.yml", "agents: [\n");
    let xml = report(&folder, "junit", 2);
    Report::deserialize_from_str(&xml).unwrap_or_else(|error| panic!("{error}\n{xml}"));
    let markdown = report(&folder, "markdown", 2);
    assert!(markdown.contains("suite.yml:"), "{markdown}");
}

#[test]
fn a_reporter_writes_into_its_file() {
    let folder = passing();
    let output = folder.run(&[
        "score",
        "traces.jsonl",
        "-s",
        "suite.yml",
        "--reporter",
        "json=out.json",
        "--reporter",
        "junit=out.xml",
        "--reporter",
        "markdown",
    ]);
    assert_eq!(output.code, Some(0));
    let written: Value = serde_json::from_str(&folder.read("out.json")).unwrap();
    assert_eq!(written["gates"][0]["passed"], true);
    Report::deserialize_from_str(&folder.read("out.xml")).unwrap();
    assert!(output.stdout.starts_with('#'), "{}", output.stdout);
    let mut names = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect::<Vec<_>>();
    names.sort();
    assert_eq!(names, ["out.json", "out.xml", "suite.yml", "traces.jsonl"], "nothing is left over");
}

#[test]
fn a_file_that_cannot_be_written_is_said() {
    let output = passing().run(&[
        "score",
        "traces.jsonl",
        "-s",
        "suite.yml",
        "--reporter",
        "json=no/such/folder.json",
    ]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("no/such/folder.json"), "{}", output.stderr);
}

#[test]
fn two_reporters_do_not_share_stdout() {
    let output =
        passing().run(&["score", "traces.jsonl", "-s", "suite.yml", "-r", "json", "-r", "junit"]);
    // Still one valid document.
    let document: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(
        (output.code, &document["errors"][0]["code"]),
        (Some(2), &"two-reporters-on-stdout".into())
    );
    assert_eq!(
        output.stderr,
        "error: --reporter json and --reporter junit both write to stdout; give one a file: --reporter junit=FILE\n"
    );
}

#[test]
fn an_unknown_reporter_gets_a_suggestion() {
    let folder = passing();
    for (typed, hint) in [
        ("jsno", "did you mean `json`?"),
        ("html", "expected one of `pretty`, `json`, `junit`, `markdown`"),
        ("json=", "`json=` needs a file name"),
    ] {
        let output = folder.run(&["score", "traces.jsonl", "-s", "suite.yml", "-r", typed]);
        assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""), "{typed}");
        assert!(output.stderr.contains(hint), "{typed}: {}", output.stderr);
    }
}

/// A reader that goes away (`mcptest … | head -1`) is no failure.
#[cfg(unix)]
#[test]
fn a_broken_pipe_is_success() {
    use std::process::{Command, Stdio};
    let folder = passing();
    let mut child = Command::new(env!("CARGO_BIN_EXE_mcptest"))
        .args(["score", "traces.jsonl", "-s", "suite.yml", "-r", "json"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}
