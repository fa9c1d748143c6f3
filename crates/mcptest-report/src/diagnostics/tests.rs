use std::time::{Duration, Instant};

use mcptest_suite::diagnostic::Span;

use super::*;

const SUITE: &str = "\
agents:
  - name: research
    expected_tol: search
    runs: 0
    prompt: >
      Find it,
      then read it.
";

/// An error at the first occurrence of `at`.
fn at(source: &Source, at: &str, message: &str) -> Diagnostic {
    let start = source.text.find(at).unwrap();
    Diagnostic::error("unknown-key", source, Span::new(start, start + at.len()), message)
}

fn sample() -> Vec<Diagnostic> {
    let source = Source::new("suite.yml", SUITE);
    let prompt = SUITE.find("prompt").unwrap();
    vec![
        at(&source, "runs: 0", "`runs: 0` is read as 1").label("at least 1"),
        at(&source, "expected_tol", "unknown key `expected_tol`")
            .label("not a key of an agent")
            .help("did you mean `expected_tool`?"),
        Diagnostic::warning("no-gate", &source, Span::new(prompt, SUITE.len()), "nothing is gated"),
        Diagnostic::error(
            "too-short",
            &source,
            Span::new(SUITE.len(), SUITE.len()),
            "`tests` is missing",
        ),
    ]
}

#[test]
fn looks_like_rustc() {
    insta::assert_snapshot!(render(&sample(), false));
}

#[test]
fn as_data() {
    insta::assert_json_snapshot!(to_json(&sample()));
}

#[test]
fn colour_changes_nothing_but_the_colour() {
    let coloured = render(&sample(), true);
    assert!(coloured.contains('\u{1b}'));
    let stripped: Vec<_> = coloured.lines().map(crate::text::clean).collect();
    let plain = render(&sample(), false);
    let trimmed: Vec<_> = plain.lines().map(str::trim_end).collect();
    assert_eq!(stripped.iter().map(|line| line.trim_end()).collect::<Vec<_>>(), trimmed);
}

#[test]
fn nothing_to_say_is_nothing_said() {
    assert_eq!(render(&[], false), "");
    assert_eq!(to_json(&[]), json!([]));
}

#[test]
fn several_files() {
    let (a, b) = (Source::new("a.yml", "x: 1\n"), Source::new("b.yml", "y: 2\n"));
    let found = [at(&b, "y", "unknown"), at(&a, "x", "unknown"), at(&b, "2", "wrong")];
    let out = render(&found, false);
    assert!(out.ends_with("3 errors in 2 files\n"), "{out}");
    let places: Vec<_> = out.lines().filter(|line| line.contains("-->")).collect();
    assert_eq!(places, [" --> b.yml:1:1", " --> b.yml:1:4", " --> a.yml:1:1"]);
}

#[test]
fn hostile_lines() {
    let long = format!("key: {}needle{}", "东".repeat(500), "x".repeat(500));
    let source = Source::new(
        "a\u{1b}[31m.yml",
        format!("ok: 1\n{long}\n\u{1b}]0;t\u{7}bad: \u{202e}v\0\tz\r\nend"),
    );
    let evil = "m\u{1b}[2Jsg\nline";
    let found = [
        at(&source, "needle", evil).label(evil).help(evil),
        at(&source, "bad", evil),
        at(&source, "z", evil),
        at(&source, &"x".repeat(500), "long span"),
    ];
    insta::assert_snapshot!(render(&found, false));
}

/// Every span of nasty texts: no panic, nothing raw, always a closing line.
#[test]
fn any_span_of_any_text() {
    let texts = [
        "",
        "\n",
        "\n\n\n",
        "a",
        "é\n",
        "日本\r\n語\r\n",
        "\u{1b}[0m\n\t\0",
        "a\n\nb\n\n",
        "👩‍💻\u{202e}\r\r\n x",
    ];
    for text in texts {
        let source = Source::new("f", text);
        for start in 0..text.len() + 3 {
            for end in 0..text.len() + 3 {
                let found = Diagnostic::error("c", &source, Span::new(start, end), "m").label("l");
                let out = render(std::slice::from_ref(&found), false);
                assert!(out.ends_with("1 error in f\n"));
                assert!(!out.contains(|c: char| c != '\n' && c.is_control()), "{out:?}");
                let data = to_json(&[found]);
                assert!(data[0]["end_line"].as_u64() >= data[0]["line"].as_u64());
            }
        }
    }
}

#[test]
fn positions_are_those_of_the_source() {
    let source = Source::new("f", "a\nbé日\r\n\nc");
    let lines = Lines::of(&source.text);
    for offset in 0..source.text.len() + 3 {
        assert_eq!(lines.position(offset), source.position(offset), "{offset}");
    }
}

#[test]
fn huge_texts_take_no_time() {
    let started = Instant::now();
    for text in ["x".repeat(3_000_000), "\n".repeat(3_000_000), "a: b\n".repeat(600_000)] {
        let source = Source::new("f", text);
        let spans = [(0, 3_000_000), (0, 0), (1_500_000, 1_500_001), (2_999_999, 3_000_000)];
        let found: Vec<_> = (0..200)
            .map(|n| spans[n % spans.len()])
            .map(|(start, end)| Diagnostic::error("c", &source, Span::new(start, end), "m"))
            .collect();
        assert!(render(&found, false).len() < 400_000);
    }
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn a_long_span_shows_its_beginning() {
    let source = Source::new("f", "key: value\n".repeat(40));
    let found = Diagnostic::error("c", &source, Span::new(11, 300), "m").label("all of this");
    insta::assert_snapshot!(render(&[found], false));
}
