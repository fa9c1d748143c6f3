//! `mcptest run` of tool tests, with mock servers that are really started.

use std::fs;

use quick_junit::Report;
use serde_json::{Value, json};

use crate::util::{BINARY, Folder, Output, command, messages, output_of, statuses};

const SHOP: &str = r#"
mock_server:
  name: shop
  tools:
    - name: search
      input_schema:
        type: object
        properties: { query: { type: string }, limit: { type: integer } }
        required: [query]
      response:
        content: [{ type: text, text: "found ${args.query}" }]
        structuredContent: { query: "${args.query}", limit: "${args.limit}" }
      responses:
        - { when: { query: unicorn }, response: nothing at all }
        - { when: { query: broken }, error: the index is gone }
    - name: next
      sequence: [{ response: one }, { response: two }, { error: no more }]
    - { name: crash, fault: crash }
    - { name: hang, fault: hang }
    - { name: garbage, fault: garbage }
"#;

const SERVER: &str = r#"
servers:
  shop: { command: ["mcptest", "mock", "--tools-from", "./shop.yml"] }
tests:
"#;

/// A tool test as one line of YAML.
fn test(name: &str, tool: &str, more: &str) -> String {
    format!("  - {{ name: {name}, type: tool, server: shop, tool: {tool}{more} }}\n")
}

/// `suite.yml` with these tests of the shop, beside its manifest.
fn shop(tests: &[String]) -> Folder {
    let folder = Folder::new();
    folder.file("shop.yml", SHOP).file("suite.yml", SERVER.to_owned() + &tests.concat());
    folder
}

fn run(folder: &Folder, more: &[&str]) -> Output {
    folder.run(&[&["run", "suite.yml", "--reporter", "json"], more].concat())
}

/// A server that says something on stderr and ends.
const DEAD: &str =
    r#"{ command: ["sh", "-c", "echo 'loading shop.db' >&2; echo 'no licence' >&2; exit 7"] }"#;

#[test]
fn a_suite_whose_tests_hold_passes() {
    let folder = shop(&[
        test(
            "template",
            "search",
            r#", args: { query: pen, limit: 3 }, expect: [{ 'result.content[0].text': { equals: found pen } }, { result.structuredContent: { equals: { query: pen, limit: 3 } } }, { is_error: { "==": false } }, { duration_ms: { "<": 60000 } }]"#,
        ),
        test(
            "case",
            "search",
            ", args: { query: unicorn }, expect: [{ 'result.content[0].text': { equals: nothing at all } }]",
        ),
        test(
            "case with an error",
            "search",
            r#", args: { query: broken }, expect: [{ is_error: { "==": true } }, { 'result.content[0].text': { contains: index } }]"#,
        ),
        test("first", "next", ", expect: [{ 'result.content[0].text': { equals: one } }]"),
        test("second", "next", ", expect: [{ 'result.content[0].text': { equals: two } }]"),
        test("third", "next", r#", expect: [{ is_error: { "==": true } }]"#),
        test(
            "last one repeats",
            "next",
            r#", expect: [{ target: "result.content[0].text", matcher: { equals: no more } }]"#,
        ),
        test(
            "bad arguments",
            "search",
            r#", args: { limit: 3 }, expect: [{ is_error: { "==": true } }, { 'result.content[0].text': { contains: query } }]"#,
        ),
        test("without expect", "search", ", args: { query: pen }"),
    ]);
    let document = run(&folder, &[]).json_and(0);
    assert_eq!(document["command"], "run");
    assert_eq!(document["suite"], "suite.yml");
    assert_eq!(document["timing"]["source"], "live");
    assert_eq!(
        (&document["totals"]["passed"], &document["totals"]["total"]),
        (&json!(9), &json!(9))
    );
    let names = statuses(&document).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!((names[0], names[4], names[8]), ("template", "second", "without expect"));
}

#[test]
fn a_failed_assertion_says_what_was_there_and_what_was_expected() {
    let folder = shop(&[
        test(
            "wrong",
            "search",
            ", args: { query: pen }, expect: [{ 'result.content[0].text': { equals: found ink } }]",
        ),
        test(
            "absent",
            "search",
            ", args: { query: pen }, expect: [{ 'result.content[3].text': { equals: x } }]",
        ),
        test("fine", "search", ", args: { query: pen }"),
    ]);
    let document = run(&folder, &[]).json_and(1);
    assert_eq!(
        statuses(&document),
        [("wrong", "failed"), ("absent", "failed"), ("fine", "passed")]
    );
    let wrong = messages(&document, "wrong");
    assert!(wrong.contains("found pen") && wrong.contains("found ink"), "{wrong}");
    assert!(wrong.contains("result.content[0].text"), "{wrong}");
    let absent = messages(&document, "absent");
    assert!(absent.contains("result.content[3]"), "{absent}");
}

#[test]
fn errors_of_tools_and_of_the_protocol_fail_the_test() {
    let folder = shop(&[
        test("tool error", "search", ", args: { query: broken }"),
        test("unknown tool", "serach", ""),
        test("garbage", "garbage", ""),
        test("afterwards", "search", ", args: { query: pen }"),
    ]);
    let document = run(&folder, &["--call-timeout", "5"]).json_and(1);
    assert_eq!(
        statuses(&document),
        [
            ("tool error", "failed"),
            ("unknown tool", "failed"),
            ("garbage", "failed"),
            ("afterwards", "passed")
        ]
    );
    let tool = messages(&document, "tool error");
    assert!(tool.contains("is_error"), "{tool}");
    let unknown = messages(&document, "unknown tool");
    assert!(
        unknown.contains("calling `serach` failed: the server answered with error -32602"),
        "{unknown}"
    );
    let garbage = messages(&document, "garbage");
    assert!(garbage.contains("calling `garbage` failed"), "{garbage}");
    let notes = document["notes"].to_string();
    assert!(notes.contains("server `shop`"), "the violation is noted: {notes}");
}

/// Its tests have no verdict; the other server's have.
#[test]
fn a_server_that_cannot_start_stops_only_its_own_tests() {
    let folder = Folder::new();
    let suite = format!(
        r#"
servers:
  dead: {DEAD}
  absent: {{ command: ["no-such-program-7f3a"] }}
  shop: {{ command: ["mcptest", "mock", "--tools-from", "./shop.yml"] }}
tests:
  - {{ name: one, type: tool, server: dead, tool: x }}
  - {{ name: two, type: tool, server: shop, tool: search, args: {{ query: pen }} }}
  - {{ name: three, type: tool, server: dead, tool: y }}
  - {{ name: four, type: tool, server: absent, tool: z }}
"#
    );
    folder.file("shop.yml", SHOP).file("suite.yml", suite);
    let document = run(&folder, &[]).json_and(3);
    assert_eq!(
        statuses(&document),
        [("one", "error"), ("two", "passed"), ("three", "error"), ("four", "error")]
    );
    let one = messages(&document, "one");
    for part in ["server `dead`", "exit status: 7", "stderr: loading shop.db", "stderr: no licence"]
    {
        assert!(one.contains(part), "{part}: {one}");
    }
    assert!(messages(&document, "four").contains("cannot start `no-such-program-7f3a`"));
    let errors = document["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 2, "one for each server: {errors:?}");
    assert!(errors.iter().all(|error| error["code"] == "server-start"), "{errors:?}");
    assert!(errors.iter().all(|error| error["help"].is_string()), "{errors:?}");
    let pretty = folder.run(&["run", "suite.yml"]);
    assert!(pretty.stdout.contains("no licence"), "{}", pretty.stdout);
}

#[test]
fn after_a_crash_the_next_test_gets_a_new_server() {
    let one = ", expect: [{ 'result.content[0].text': { equals: one } }]";
    let folder = shop(&[
        test("before", "next", one),
        test("crash", "crash", ""),
        test("after", "next", one),
    ]);
    let document = run(&folder, &[]).json_and(1);
    assert_eq!(
        statuses(&document),
        [("before", "passed"), ("crash", "failed"), ("after", "passed")]
    );
    let crash = messages(&document, "crash");
    assert!(crash.contains("calling `crash` failed: the server ended (exit status: 1)"), "{crash}");
}

/// The tests that had their verdict before keep it, and stand in the report once.
#[test]
fn a_server_that_does_not_come_back_leaves_the_rest_without_verdict() {
    let folder = shop(&[]);
    let start = "mv shop.yml once.yml || { echo 'cannot start twice' >&2; exit 9; }; \
                 exec \\\"$0\\\" mock --tools-from once.yml";
    let suite = format!(
        "servers:\n  shop: {{ command: [sh, -c, \"{start}\", \"{BINARY}\"] }}\ntests:\n{}",
        [
            test("before", "next", ""),
            test("crash", "crash", ""),
            test("after", "next", ""),
            test("last", "next", "")
        ]
        .concat()
    );
    folder.file("suite.yml", suite);
    let document = run(&folder, &[]).json_and(1);
    assert_eq!(
        statuses(&document),
        [("before", "passed"), ("crash", "failed"), ("after", "error"), ("last", "error")]
    );
    assert!(messages(&document, "last").contains("stderr: cannot start twice"));
}

#[test]
fn a_call_that_hangs_fails_in_time() {
    let folder = shop(&[test("hangs", "hang", ""), test("after", "next", "")]);
    let document = run(&folder, &["--call-timeout", "1"]).json_and(1);
    assert_eq!(statuses(&document), [("hangs", "failed"), ("after", "passed")]);
    assert_eq!(
        messages(&document, "hangs"),
        "calling `hang` failed: no answer to tools/call within 1s"
    );
}

#[test]
fn filter_selects_by_name() {
    let folder = shop(&[
        test("Find one", "next", ""),
        test("crash", "crash", ""),
        test("find two", "next", ""),
    ]);
    let document = run(&folder, &["--filter", "FIND"]).json_and(0);
    assert_eq!(statuses(&document), [("Find one", "passed"), ("find two", "passed")]);
    let document = run(&folder, &["--filter", "nothing like this"]).json_and(4);
    assert_eq!(document["totals"]["total"], 0);
}

#[test]
fn fail_fast_skips_the_rest_and_says_so() {
    let folder =
        shop(&[test("good", "next", ""), test("bad", "serach", ""), test("never", "next", "")]);
    let document = run(&folder, &["--fail-fast"]).json_and(1);
    assert_eq!(statuses(&document), [("good", "passed"), ("bad", "failed"), ("never", "skipped")]);
    assert_eq!(messages(&document, "never"), "not run: an earlier test did not pass (--fail-fast)");
}

/// However many servers are tested side by side, the report is the same.
#[test]
fn jobs_change_nothing_in_the_report() {
    let folder = Folder::new();
    let (mut servers, mut tests) = ("servers:\n".to_owned(), "tests:\n".to_owned());
    for number in 0..5 {
        servers +=
            &format!("  s{number}: {{ command: [mcptest, mock, --tools-from, shop.yml] }}\n");
        for tool in ["next", "nowhere"] {
            tests += &format!(
                "  - {{ name: {tool} {number}, type: tool, server: s{number}, tool: {tool} }}\n"
            );
        }
    }
    servers += &format!("  dead: {DEAD}\n");
    tests += "  - { name: no verdict, type: tool, server: dead, tool: x }\n";
    folder.file("shop.yml", SHOP).file("suite.yml", servers + &tests);
    let bytes = |jobs: &str| {
        let mut document = run(&folder, &["--jobs", jobs]).json_and(1);
        document.as_object_mut().unwrap().remove("timing").unwrap();
        document.to_string()
    };
    let first = bytes("1");
    assert!(first.contains("next 4"), "{first}");
    assert_eq!(first, bytes("6"));
    assert_eq!(first, bytes("6"));
}

#[test]
fn several_suites_and_a_folder_at_once() {
    let folder = Folder::new();
    let suite = |name: &str| SERVER.to_owned() + &test(name, "next", "");
    folder.file("shop.yml", SHOP).file("a.yml", suite("a"));
    folder
        .file("more/shop.yml", SHOP)
        .file("more/c.yaml", suite("c"))
        .file("more/b.yml", suite("b"));
    folder.file("more/notes.txt", "not a suite").file("empty/shop.yml", SHOP);
    let document = folder.run(&["run", "a.yml", "more", "-r", "json"]).json_and(0);
    assert_eq!(statuses(&document), [("a", "passed"), ("b", "passed"), ("c", "passed")]);
    assert_eq!(document["suite"], Value::Null);
    let output = folder.run(&["run", "empty", "-r", "json"]);
    assert_eq!(output.json_and(2)["errors"][0]["code"], "unreadable-suite");
    assert!(output.stderr.contains("empty: the folder holds no suite"), "{}", output.stderr);
    folder.file("mcptest.yml", suite("by default"));
    assert_eq!(
        statuses(&folder.run(&["run", "-r", "json"]).json_and(0)),
        [("by default", "passed")]
    );
}

/// Every one of every server, before anything starts.
#[test]
fn missing_variables_are_named_before_anything_starts() {
    let folder = Folder::new();
    let suite = r#"
servers:
  first: { command: [sh, -c, "touch started; cat"] }
  second: { command: [sh, -c, "touch started; cat"], env: { A: "${env.MCPTEST_IT_A}", B: "x${env.MCPTEST_IT_B}" } }
  third: { url: "http://127.0.0.1:1/${env.MCPTEST_IT_C}" }
  unused: { command: ["x", "${env.MCPTEST_IT_D}"] }
tests:
  - { name: one, type: tool, server: first, tool: x }
  - { name: two, type: tool, server: second, tool: x }
  - { name: three, type: tool, server: third, tool: x }
  - { name: four, type: tool, server: second, tool: x }
"#;
    folder.file("suite.yml", suite);
    let output = run(&folder, &[]);
    let document = output.json_and(2);
    assert_eq!(document["errors"][0]["code"], "missing-variable");
    assert_eq!(
        document["errors"][0]["message"],
        "suite.yml: server `second` needs the environment variables MCPTEST_IT_A, MCPTEST_IT_B; \
         suite.yml: server `third` needs the environment variable MCPTEST_IT_C"
    );
    assert!(output.stderr.contains("MCPTEST_IT_B"), "{}", output.stderr);
    assert!(!folder.path().join("started").exists());
}

#[test]
fn a_broken_suite_is_shown_with_its_place_and_nothing_runs() {
    let folder = shop(&[test("fine", "next", "")]);
    folder.file("broken.yml", SERVER.to_owned() + &test("bad", "next", ", expct: []"));
    let output = folder.run(&["run", "suite.yml", "broken.yml", "-r", "json"]);
    let document = output.json_and(2);
    let error = &document["errors"][0];
    assert_eq!((&error["file"], &error["line"]), (&json!("broken.yml"), &json!(5)));
    assert_eq!(error["help"], "did you mean `expect`?");
    assert_eq!(document["rows"], json!([]));
    assert!(output.stderr.contains("--> broken.yml:5:"), "{}", output.stderr);
    let output = folder.run(&["run", "nowhere.yml", "-r", "json"]);
    assert_eq!(output.json_and(2)["errors"][0]["code"], "unreadable-suite");
}

#[test]
fn what_cannot_be_run_yet_is_an_error_not_a_pass() {
    let folder = shop(&[test("tool", "next", "")]);
    let suite = folder.read("suite.yml")
        + "agents: [{ name: agent, model: builtin/lexical, servers: [shop], prompt: Find a pen., expect: [{ tool_calls.length: { '>=': 1 } }] }]\n"
        + "tool_quality: [{ name: quality, server: shop }]\n";
    folder.file("suite.yml", suite);
    let document = run(&folder, &[]).json_and(3);
    assert_eq!(statuses(&document), [("tool", "passed"), ("agent", "error"), ("quality", "error")]);
    assert!(messages(&document, "agent").contains("agent tests cannot be run by this version"));
    assert!(messages(&document, "quality").contains("tool_quality checks cannot be run"));
}

#[test]
fn reporters() {
    let folder = shop(&[
        test("good", "next", ""),
        test(
            "bad",
            "search",
            ", args: { query: pen }, expect: [{ 'result.content[0].text': { equals: ink } }]",
        ),
    ]);
    let output = folder.run(&[
        "run",
        "suite.yml",
        "-r",
        "json=out.json",
        "-r",
        "junit=out.xml",
        "-r",
        "markdown",
    ]);
    assert_eq!(output.code, Some(1), "{output:?}");
    let junit = Report::deserialize_from_str(&folder.read("out.xml")).unwrap();
    assert_eq!((junit.tests, junit.failures), (2, 1));
    let written: Value = serde_json::from_str(&folder.read("out.json")).unwrap();
    assert_eq!(statuses(&written), [("good", "passed"), ("bad", "failed")]);
    assert!(output.stdout.starts_with('#') && output.stdout.contains("bad"), "{}", output.stdout);
    let pretty = folder.run(&["run", "suite.yml"]);
    assert!(pretty.stdout.contains("found pen"), "{}", pretty.stdout);
    assert!(!pretty.stderr.contains('\u{1b}') && !pretty.stdout.contains('\u{1b}'), "{pretty:?}");
}

#[test]
fn the_same_input_gives_the_same_bytes_except_timing() {
    let folder = shop(&[
        test("good", "next", ""),
        test("crash", "crash", ""),
        test("bad", "search", ""),
        test("garbage", "garbage", ""),
    ]);
    let bytes = || {
        let mut document = run(&folder, &[]).json_and(1);
        document.as_object_mut().unwrap().remove("timing").unwrap();
        document.to_string()
    };
    assert_eq!(bytes(), bytes());
}

/// Paths start at the suite, wherever `mcptest` is started.
#[test]
fn relative_paths_start_at_the_suite() {
    let folder = Folder::new();
    let suite = r#"
servers:
  plain: { command: [mcptest, mock, --tools-from, ./servers/shop.yml] }
  moved: { command: [mcptest, mock, --tools-from, shop.yml], cwd: servers }
  script: { command: [./servers/start.sh] }
tests:
  - { name: plain, type: tool, server: plain, tool: next }
  - { name: moved, type: tool, server: moved, tool: next }
  - { name: script, type: tool, server: script, tool: next }
"#;
    let script = format!("#!/bin/sh\nexec \"{BINARY}\" mock --tools-from servers/shop.yml\n");
    folder.file("deep/suite.yml", suite).file("deep/servers/shop.yml", SHOP);
    folder.file("deep/servers/start.sh", script).file("elsewhere/x", "");
    let start = folder.path().join("deep/servers/start.sh");
    fs::set_permissions(&start, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let absolute = folder.path().join("deep/suite.yml");
    for (from, suite) in [
        ("", "deep/suite.yml"),
        ("deep", "suite.yml"),
        ("elsewhere", "../deep/suite.yml"),
        ("elsewhere", absolute.to_str().unwrap()),
    ] {
        let child = command(&folder.path().join(from), &["run", suite, "-r", "json"]).spawn();
        let document = output_of(child.unwrap()).json_and(0);
        assert_eq!(document["totals"]["passed"], 3, "{from} {suite}");
    }
}

#[test]
fn variables_reach_the_server() {
    let folder = Folder::new();
    let start = r#"printf '%s' \"$ONE $TWO $THREE $INHERITED\" > seen; exec \"$0\" mock --tools-from shop.yml"#;
    let suite = format!(
        r#"
servers:
  shop:
    command: [sh, -c, "{start}", "{BINARY}"]
    env: {{ ONE: "${{env.MCPTEST_IT_ONE}}", TWO: "<${{env.MCPTEST_IT_NOT_SET:-two by default}}>", THREE: three }}
tests:
{}"#,
        test("it runs", "next", "")
    );
    folder.file("shop.yml", SHOP).file("suite.yml", suite);
    let mut command = command(folder.path(), &["run", "suite.yml", "-r", "json"]);
    command.env("MCPTEST_IT_ONE", "one").env("INHERITED", "from outside");
    output_of(command.spawn().unwrap()).json_and(0);
    assert_eq!(folder.read("seen"), "one <two by default> three from outside");
}

#[test]
fn secrets_do_not_reach_a_report() {
    let folder = Folder::new();
    folder.file(
        "suite.yml",
        "servers:\n  s: { command: [sh, -c, 'echo the token is $TOKEN >&2; exit 3'], env: { TOKEN: '${env.MCPTEST_SECRET}' } }\ntests:\n  - { name: t, type: tool, server: s, tool: x }\n",
    );
    for args in [
        &["run", "suite.yml", "-r", "json"][..],
        &["doctor", "suite.yml"],
        &["doctor", "suite.yml", "--json"],
    ] {
        let child = command(folder.path(), args).env("MCPTEST_SECRET", "hunter2-hunter2").spawn();
        let output = output_of(child.unwrap());
        assert_eq!(output.code, Some(3), "{output:?}");
        let all = format!("{}{}", output.stdout, output.stderr);
        assert!(!all.contains("hunter2"), "{args:?}: {all}");
        assert!(
            args.contains(&"--json") || all.contains("the token is ${env.MCPTEST_SECRET}"),
            "{args:?}: {all}"
        );
    }
}
