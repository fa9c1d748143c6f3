//! Ten thousand broken inputs: never a panic, always an error within the input.

use std::sync::Arc;

use mcptest_trace::{ReadError, parse_record};

use crate::util::{Folder, read_file};

/// Marsaglia's xorshift, seeded, so that a failure happens again.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).unwrap()
    }
}

const BASES: [&str; 6] = [
    r#"{"test":"t","run":2,"tool_calls":[{"server":"s","name":"n","args":{"a":[1,2.5e3]},"result":"ö\n","is_error":false,"turn":1}],"conversation":{"tokens":{"prompt":1},"turns":1},"surface":[{"name":"n"}],"status":"ok"}"#,
    "{\"model\":\"m\",\"usage\":{\"prompt_tokens\":1},\n\"tools\":[{\"function\":{\"name\":\"n\",\"parameters\":{}}}],\n\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},\n{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"1\",\"function\":{\"name\":\"n\",\"arguments\":\"{\\\"a\\\":1}\"}}]},\n{\"role\":\"tool\",\"tool_call_id\":\"1\",\"content\":\"{\\\"error\\\":1}\"},{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"ü\"}]}]}",
    r#"{"task_id":1,"trial":0,"reward":0.5,"info":{"error":null},"traj":[{"role":"assistant","function_call":{"name":"f","arguments":""}},{"role":"function","name":"f","content":"Error: x"}]}"#,
    "[\n {\"role\":\"user\",\"content\":\"x\"},\n {\"role\":\"assistant\",\"content\":null}\n]",
    "[{\"tool_calls\":[]},\n[[{\"role\":\"user\"}],{\"messages\":[]}],\n{\"traj\":[]}]",
    "\u{feff}{\"tool_calls\":[]}\r\n\n{\"tool_calls\":[{\"name\":\"\\u00e4\"}]}\n[{\"role\":\"user\"}]\n",
];

const BITS: [&[u8]; 16] = [
    b"\0",
    b"\xff",
    b"\xc3",
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\n",
    b"null",
    b"1e999",
    b"-99999999999999999999",
    b"\\ud800",
];

/// A base document, cut, garbled or stuffed in one to four places.
fn broken(random: &mut Random) -> Vec<u8> {
    let mut bytes = BASES[random.below(BASES.len())].as_bytes().to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        let bit = BITS[random.below(BITS.len())];
        match random.below(7) {
            0 => bytes.truncate(at),
            1 => drop(bytes.splice(at..at, bit.iter().copied())),
            2 => {
                let end = (at + 1 + random.below(9)).min(bytes.len());
                bytes.drain(at..end);
            }
            3 if at < bytes.len() => bytes[at] = u8::try_from(random.below(256)).unwrap(),
            4 => drop(bytes.splice(at..at, bit.repeat(random.below(300)))),
            5 => {
                let end = (at + random.below(60)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                let to = random.below(bytes.len() + 1);
                drop(bytes.splice(to..to, copy));
            }
            _ if at < bytes.len() => {
                let end = (at + bit.len()).min(bytes.len());
                drop(bytes.splice(at..end, bit.iter().copied()));
            }
            _ => {}
        }
    }
    bytes
}

/// Asserts that an error lies within the input, or just behind the end of a line of it.
fn check(bytes: &[u8], error: &ReadError) {
    let (line, column) = (error.line().expect("a line"), error.column().expect("a column"));
    let shown = || format!("{error}\n{}", String::from_utf8_lossy(bytes));
    let text = bytes.split(|&byte| byte == b'\n').nth(line - 1);
    let text = text.unwrap_or_else(|| panic!("no such line: {}", shown()));
    assert!((1..=text.len() + 1).contains(&column), "no such column: {}", shown());
    assert!(!error.message.is_empty() && !error.message.contains(" at line "), "{}", shown());
}

#[test]
fn broken_records_are_errors_within_the_input() {
    let file = Arc::from("f");
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut failed = 0;
    for _ in 0..10_000 {
        let bytes = broken(&mut random);
        if let Err(error) = parse_record(&bytes, &file, 1) {
            failed += 1;
            check(&bytes, &error);
        }
    }
    assert!((5_000..9_990).contains(&failed), "{failed} of 10,000 failed");
}

#[test]
fn broken_files_are_errors_within_the_input() {
    let folder = Folder::new("fuzz");
    let mut random = Random(42);
    for round in 0..2_000 {
        let bytes = broken(&mut random);
        let path = folder.file(if round % 2 == 0 { "x.json" } else { "x.jsonl" }, &bytes);
        if let Err(error) = read_file(&path) {
            check(&bytes, &error);
        }
    }
}

#[test]
fn every_beginning_of_every_base_document() {
    let file = Arc::from("f");
    for base in BASES {
        for end in 0..base.len() {
            if let Err(error) = parse_record(&base.as_bytes()[..end], &file, 1) {
                check(&base.as_bytes()[..end], &error);
            }
        }
    }
}
