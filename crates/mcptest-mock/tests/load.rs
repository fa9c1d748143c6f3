//! Files of all kinds: bundled manifests, saved catalogs, mistakes, noise.

use std::fs;
use std::path::{Path, PathBuf};

use mcptest_mock::{Body, Mock, Session};
use mcptest_suite::diagnostic::{Diagnostic, Source};
use serde_json::{Value, json};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut files = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|found| found == ending))
        .collect::<Vec<_>>();
    files.sort();
    files
}

fn source(path: &Path) -> Source {
    Source::new(path.display().to_string(), fs::read_to_string(path).expect("a readable file"))
}

/// `line:column code: message`, one per line.
fn told(diagnostics: &[Diagnostic]) -> String {
    let line = |one: &Diagnostic| {
        let at = one.position();
        let kind = if one.is_error() { "error" } else { "warning" };
        let help = one.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
        format!("{}:{} {kind} {}: {}{help}", at.line, at.column, one.code, one.message)
    };
    diagnostics.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_bundled_manifest_loads() {
    let mut manifests = files(&root().join("assets/distractors"), "yml");
    assert_eq!(manifests.len(), 40);
    manifests.push(root().join("examples/conformance-mock/manifest.yml"));
    manifests.push(root().join("tests/peers/manifest.yml"));
    for path in manifests {
        let (mock, warnings) =
            Mock::load(&source(&path)).unwrap_or_else(|all| panic!("{path:?}: {}", told(&all)));
        assert!(warnings.is_empty(), "{path:?}: {}", told(&warnings));
        assert!(!mock.tools().is_empty());
        assert!(mock.tools().iter().all(|tool| tool["inputSchema"]["type"] == "object"));
    }
}

/// All entries of `tools/list`, as bytes.
fn listed(mock: &Mock) -> Vec<String> {
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }}});
    let Body::Message(answer) = mock.handle(request, &Session::new()).body else { panic!() };
    answer["result"]["tools"].as_array().expect("a list").iter().map(Value::to_string).collect()
}

#[test]
fn every_real_catalog_is_served_as_it_is() {
    let Some(data) = std::env::var_os("MCPTEST_DATA") else {
        println!("SKIPPED: MCPTEST_DATA is not set");
        return;
    };
    let catalogs = files(&PathBuf::from(data).join("catalogs"), "json");
    assert!(!catalogs.is_empty());
    for path in &catalogs {
        let file = source(path);
        let (mock, _) = Mock::load(&file).unwrap_or_else(|all| panic!("{path:?}: {}", told(&all)));
        let saved = serde_json::from_str::<Value>(&file.text).unwrap();
        let entries = saved["tools"].as_array().unwrap();
        assert_eq!(listed(&mock), entries.iter().map(Value::to_string).collect::<Vec<_>>());
        let bare = Source::new("bare.json", saved["tools"].to_string());
        let (bare, _) = Mock::load(&bare).unwrap_or_else(|all| panic!("{path:?}: {}", told(&all)));
        assert_eq!(bare.tools(), mock.tools());
    }
    println!("{} catalogs", catalogs.len());
}

#[test]
fn a_saved_list_keeps_what_yaml_would_change() {
    let text = r#"{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"s","version":"3"},
	"tools":[{"zeta":1.0,"name":"a","description":"\ud83d\ude00 no","inputSchema":{"type":"object"},"x":1e3},
	{"description":"nameless"},{"name":"b","inputSchema":{"type":"nonsense"}},{"name":"c"}]}}"#;
    let (mock, warnings) = Mock::load(&Source::new("s.json", text)).unwrap();
    assert_eq!(mock.name(), "s");
    assert_eq!(
        listed(&mock)[0],
        r#"{"zeta":1.0,"name":"a","description":"😀 no","inputSchema":{"type":"object"},"x":1000.0}"#
    );
    let codes = warnings.iter().map(|one| one.code).collect::<Vec<_>>();
    assert_eq!(codes, ["missing-key", "invalid-schema", "missing-key"]);
    let called = mock.call("b", &json!({"q": 1})).unwrap();
    assert_eq!(called["content"][0]["text"], r#"b {"q":1}"#);
}

/// Every mistake is told at once, with its place.
#[test]
fn mistakes_have_places() {
    let shape = r#"mock_server:
  nme: catalog
  page_size: 0
  tools:
    - description: nameless
      sequence: []
      latency_ms: -1
    - name: a
      fault: explode
    - name: b
      fault: { kind: error_rate, rate: 2, sed: 1 }
      responses: [{ response: x }]
  prompts: [{ name: p, messages: [{ role: system, content: {} }] }]
"#;
    insta::assert_snapshot!("shape", told(&Mock::load(&Source::new("m.yml", shape)).unwrap_err()));
    let meaning = r#"mock_server:
  name: catalog
  tools:
    - name: a
      input_schema:
        type: object
        properties: { query: { type: string } }
      respnse: typo
      response: "for ${args.qurey} ${env.HOME} ${args.query"
      error: both
    - name: a
      input_schema: { type: nonsense }
    - name: c
      output_schema: { type: object, required: [n], properties: { n: { type: integer } } }
      responses:
        - when: { x: 1 }
          response: { structuredContent: { n: "one" } }
        - when: { x: 2 }
        - when: { x: 3 }
          response: { structured_content: { n: 1 } }
        - when: { x: 4 }
          response: { structuredContent: { n: "${args.x}" } }
      sequence:
        - { response: x, error: y }
  resources:
    - { uri: "mock://a", name: a }
    - { uri: "mock://a", name: b, text: x, blob: eA== }
  prompts:
    - name: p
      arguments: [{ name: who }]
      messages: [{ role: user, content: { type: text, text: "${args.whom}" } }]
"#;
    let found = Mock::load(&Source::new("m.yml", meaning)).unwrap_err();
    insta::assert_snapshot!("meaning", told(&found));
    for (name, text) in [
        ("empty", ""),
        ("syntax", "mock_server: [\n"),
        ("other", "tools:\n  - {name: a, response: x}\n"),
        ("scalar", "5"),
    ] {
        insta::assert_snapshot!(name, told(&Mock::load(&Source::new("m.yml", text)).unwrap_err()));
    }
}

/// Where arguments go into structured content, it is checked when called.
#[test]
fn structured_content_is_checked_when_called() {
    let text = r#"mock_server:
  name: m
  tools:
    - name: t
      output_schema: { type: object, properties: { n: { type: integer } } }
      response: { structuredContent: { n: "${args.n}" } }
"#;
    let (mock, warnings) = Mock::load(&Source::new("m.yml", text)).unwrap();
    assert!(warnings.is_empty(), "{}", told(&warnings));
    assert_eq!(mock.call("t", &json!({"n": 3})).unwrap()["structuredContent"], json!({"n": 3}));
    let wrong = mock.call("t", &json!({"n": "x"})).unwrap();
    assert_eq!(wrong["isError"], true);
    assert_eq!(
        wrong["content"][0]["text"],
        r#"The structured content of t violates its schema: /n: "x" is not of type "integer""#
    );
}

/// Broken manifests never end in a panic, and what is told points into the file.
#[test]
fn noise_is_survived() {
    let seeds = [
        fs::read_to_string(root().join("tests/peers/manifest.yml")).unwrap(),
        fs::read_to_string(root().join("assets/distractors/astronomy.yml")).unwrap(),
        r#"{"tools": [{"name": "a", "inputSchema": {"type": "object"}}], "serverInfo": {"name": "x"}}"#.to_owned(),
    ];
    let pieces = [
        "",
        " ",
        "\n",
        "  ",
        ":",
        "- ",
        "{",
        "}",
        "[",
        "]",
        "\"",
        "'",
        "null",
        "-1",
        "1e999",
        "~",
        "&a ",
        "*a",
        "|\n",
        "${args.",
        "${",
        "}",
        "é",
        "\u{0}",
        "tools:",
        "mock_server:",
        "fault: hang\n",
        "!!int x",
        "type: 5",
        "$ref: '#/x'",
        "pattern: '('",
        "true",
        "9999999999999999999999",
    ];
    let (mut good, mut bad) = (0, 0);
    let mut state = 1_u64;
    let mut draw = move |below: usize| {
        // SplitMix64 again, so that the same 2,000 files are tried each time.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % below as u64) as usize
    };
    for _ in 0..2_000 {
        let mut text = seeds[draw(seeds.len())].chars().collect::<Vec<_>>();
        for _ in 0..=draw(4) {
            let start = draw(text.len() + 1);
            let end = (start + draw(12)).min(text.len());
            text.splice(start..end, pieces[draw(pieces.len())].chars());
        }
        let text = text.into_iter().collect::<String>();
        match Mock::load(&Source::new("noise.yml", text.as_str())) {
            Ok((mock, _)) => {
                good += 1;
                listed(&mock);
                for tool in mock.tools() {
                    mock.call(tool["name"].as_str().unwrap_or_default(), &json!({"query": 1}));
                }
            }
            Err(all) => {
                bad += 1;
                assert!(all.iter().any(Diagnostic::is_error), "{text}");
                for one in &all {
                    assert!(
                        one.span.start <= one.span.end && one.span.end <= text.len(),
                        "{one:?}"
                    );
                    assert!(!one.message.is_empty() && one.position().line > 0);
                }
            }
        }
    }
    assert!(good > 100 && bad > 500, "{good} good, {bad} bad");
}
