//! Files as streams of chunks.

use std::fmt::Write as _;
use std::sync::Arc;

use mcptest_trace::{Chunk, Reader, Record, open, parse_record};

use crate::util::{Folder, json, read_all, read_file};

fn lines_of(records: &[Record]) -> Vec<usize> {
    records.iter().map(|record| record.origin.line).collect()
}

/// JSONL of some 10 MB, with a blank line and a CRLF here and there.
fn many_lines() -> String {
    let mut text = String::new();
    for run in 0..60_000 {
        let end = if run % 7 == 0 { "\r\n" } else { "\n" };
        let blank = if run % 11 == 0 { " \n" } else { "" };
        let args = "ä".repeat(run % 97);
        write!(text, r#"{{"test":"t","run":{run},"tool_calls":[{{"name":"n","args":{{"x":"{args}"}}}}]}}{end}{blank}"#).unwrap();
    }
    text
}

#[test]
fn a_stream_gives_what_its_lines_give() {
    let text = many_lines();
    let file = Arc::from("x");
    let by_line: Vec<(usize, String)> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .flat_map(|(index, line)| parse_record(line.as_bytes(), &file, index + 1).unwrap())
        .map(|record| json(&record))
        .collect();
    assert_eq!(by_line.len(), 60_000);
    let folder = Folder::new("lines");
    for name in ["many.jsonl", "many.json"] {
        let path = folder.file(name, &text);
        let streamed: Vec<_> = read_file(&path).unwrap().iter().map(json).collect();
        assert!(streamed == by_line, "{name}");
        let mut reader = open(&path).unwrap();
        let chunks = std::iter::from_fn(|| reader.next_chunk()).count();
        assert!(chunks >= 2, "{chunks} chunks");
    }
}

#[test]
fn an_array_of_many_is_split_into_its_elements() {
    let lines = many_lines();
    let elements: Vec<&str> = lines.lines().filter(|line| !line.trim().is_empty()).collect();
    let folder = Folder::new("array");
    let path = folder.file("many.json", format!("\u{feff}\n[\n{}\n]\n", elements.join(",\n")));
    let mut reader = open(&path).unwrap();
    let chunks: Vec<_> = std::iter::from_fn(|| reader.next_chunk()).map(Result::unwrap).collect();
    assert!(chunks.len() >= 2);
    assert_eq!(chunks.iter().map(|chunk| chunk.pieces().len()).sum::<usize>(), 60_000);
    let records = read_file(&path).unwrap();
    assert_eq!(lines_of(&records), (3..60_003).collect::<Vec<_>>());
    let runs: Vec<_> = records.iter().map(|record| record.trace.run.unwrap()).collect();
    assert_eq!(runs, (0..60_000).collect::<Vec<_>>());
}

const OWN: &str = r#"{"tool_calls":[]}"#;
const MESSAGE: &str = r#"{"role":"user","content":"x"}"#;

#[test]
fn the_form_of_a_file_is_seen_from_its_content() {
    let folder = Folder::new("sniff");
    let cases = [
        ("one.json", OWN.to_owned(), vec![1]),
        ("end.json", format!("{OWN}\n\n  \n"), vec![1]),
        ("pretty.json", "\n\n{\n\"tool_calls\":\n[]}\n".to_owned(), vec![3]),
        ("lines.json", format!("\n{OWN}\n\n{OWN}"), vec![2, 4]),
        ("noname", format!("\u{feff}{OWN}\r\n{OWN}\r\n"), vec![1, 2]),
        ("bom.jsonl", format!("\u{feff}{OWN}\n  {OWN}\n"), vec![1, 2]),
        ("chat.json", format!("[{MESSAGE},\n{MESSAGE}]"), vec![1]),
        ("chats.jsonl", format!("[{MESSAGE}]\n[[{MESSAGE}],{OWN}]\n"), vec![1, 2, 2]),
        ("nested.json", format!("[[{MESSAGE}],\n[{MESSAGE}]\n, {OWN}]"), vec![1, 2, 3]),
    ];
    for (name, text, lines) in cases {
        let records = folder.read(name, text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(lines_of(&records), lines, "{name}");
    }
}

#[test]
fn errors_have_their_place_in_the_file() {
    let folder = Folder::new("errors");
    let cases = [
        ("empty.json", String::new(), "1:1: expected traces, found an empty file"),
        ("empty.jsonl", String::new(), "1:1: expected traces, found an empty file"),
        ("blank.jsonl", "\n \r\n".to_owned(), "1:1: expected traces, found an empty file"),
        ("blank.json", "\n \r\n".to_owned(), "1:1: expected traces, found an empty file"),
        (
            "line.jsonl",
            format!("{OWN}\n\n {{\"tool_calls\":0}}"),
            "3:16: invalid type: integer `0`, expected a sequence",
        ),
        ("line.json", format!("{OWN}\n{{"), "2:1: expected the rest of an object, found the end"),
        (
            "within.json",
            format!("[{OWN}, {{\"tool_calls\":0}}]"),
            "1:35: invalid type: integer `0`, expected a sequence",
        ),
        ("comma.json", format!("[{OWN},\n]"), "2:1: expected value, found ']'"),
        ("between.json", format!("[{OWN}\n{OWN}]"), "2:1: expected `,` or `]`, found '{'"),
        ("open.json", format!("[{OWN}\n"), "2:1: expected `,` or `]`, found the end of the file"),
        (
            "opener.json",
            format!("[{OWN},"),
            "1:20: expected an element of the array, found the end of the file",
        ),
        ("after.json", format!("[{OWN}]\n  x"), "1:20: "),
        ("none.json", "[\n]".to_owned(), "2:1: expected traces, found an empty array"),
        ("inner.json", format!("[\n {OWN},\n {{\"test\":\"é\",x}}]"), "3:14: key must be a string"),
    ];
    for (name, text, expected) in cases {
        let path = folder.file(name, text);
        let error = read_file(&path).expect_err(name).to_string();
        let error = error.strip_prefix(&format!("{}:", path.display())).unwrap();
        if name == "after.json" {
            // The first line is a value by itself, so this is JSONL with a bad second line.
            assert_eq!(error, "2:3: expected a JSON object or array, found 'x'");
            continue;
        }
        assert_eq!(error, expected, "{name}");
    }
}

#[test]
fn invalid_utf8_in_a_file() {
    let folder = Folder::new("utf8");
    for name in ["x.json", "x.jsonl"] {
        let error = folder.read(name, b"[{\"tool_calls\":[],\"x\":\"\xe4\"}]").unwrap_err();
        assert_eq!((error.line(), error.column()), (Some(1), Some(24)), "{name}");
    }
}

#[test]
fn a_line_beyond_the_limit_is_an_error() {
    let folder = Folder::new("long");
    let mut text = format!("{OWN}\n").into_bytes();
    text.resize(text.len() + (70 << 20), b'[');
    let path = folder.file("long.jsonl", text);
    let mut reader = open(&path).unwrap();
    let first = reader.next_chunk().unwrap().unwrap();
    assert_eq!(first.pieces().len(), 1);
    let error = reader.next_chunk().unwrap().unwrap_err();
    assert!(
        error.to_string().ends_with(":2:1: expected a line of at most 64 MiB, found a longer one")
    );
    assert!(reader.next_chunk().is_none());
    assert!(read_all(&mut open(&path).unwrap()).is_err());
}

#[test]
fn chunks_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    fn sent<T: Send>() {}
    shared::<Chunk>();
    shared::<Record>();
    sent::<Reader>();
}

#[test]
fn an_element_beyond_the_limit_is_an_error_at_its_place() {
    let folder = Folder::new("element");
    let long = format!("{{\"tool_calls\":[],\"x\":\"{}\"}}", "x".repeat(64 << 20));
    let error = folder.read("x.json", format!("[{OWN},\n {long}]")).unwrap_err();
    assert_eq!((error.line(), error.column()), (Some(2), Some(2)));
}
