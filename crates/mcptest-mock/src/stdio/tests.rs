use std::time::Duration;

use mcptest_suite::diagnostic::Source;

use super::*;

const MANIFEST: &str = r#"
mock_server:
  name: m
  tools:
    - { name: fast, response: ok }
    - { name: late, latency_ms: 60, response: late }
    - { name: never, fault: hang }
    - { name: broken, fault: garbage, response: "a long enough text" }
    - { name: dead, fault: crash }
    - { name: chatty, notifications: [{ method: notifications/message, params: { level: info, data: "${args.x}" } }] }
"#;
const HELLO: &str =
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;

#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn call(id: u32, name: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{name}","arguments":{{"x":1}}}}}}"#
    )
}

/// The lines after the handshake's.
async fn talk(lines: &[String]) -> (io::Result<()>, Vec<String>) {
    let (mock, warnings) = Mock::load(&Source::new("m.yml", MANIFEST)).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    let output = Output::default();
    let input = format!("{HELLO}\n{}", lines.join("\n"));
    let ended = tokio::time::timeout(
        Duration::from_secs(10),
        serve(mock, io::Cursor::new(input), output.clone()),
    );
    let ended = ended.await.expect("the server ends with its input");
    let text = String::from_utf8(output.0.lock().unwrap().clone()).unwrap();
    (ended, text.lines().skip(1).map(str::to_owned).collect())
}

fn ids(lines: &[String]) -> Vec<i64> {
    let id = |line: &String| serde_json::from_str::<Value>(line).unwrap()["id"].as_i64().unwrap();
    lines.iter().map(id).collect()
}

#[tokio::test]
async fn a_hanging_call_blocks_nobody_and_late_answers_come() {
    let lines = [call(1, "never"), call(2, "late"), String::new(), call(3, "fast")];
    let (ended, lines) = talk(&lines).await;
    assert!(ended.is_ok());
    assert_eq!(ids(&lines), [3, 2]);
}

#[tokio::test]
async fn a_cancelled_call_is_not_answered() {
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    let (_, lines) = talk(&[call(1, "late"), cancel.to_owned(), call(2, "late")]).await;
    assert_eq!(ids(&lines), [2]);
}

#[tokio::test]
async fn garbage_is_a_line_that_cannot_be_read() {
    let (_, lines) = talk(&[call(1, "broken"), call(2, "fast")]).await;
    assert_eq!(lines.len(), 2);
    assert!(serde_json::from_str::<Value>(&lines[0]).is_err());
    assert!(lines[0].starts_with(r#"{"jsonrpc":"2.0","id":1,"#), "{}", lines[0]);
}

#[tokio::test]
async fn a_crash_ends_the_server_at_once() {
    let (ended, lines) = talk(&[call(1, "fast"), call(2, "dead"), call(3, "fast")]).await;
    assert!(ended.unwrap_err().get_ref().unwrap().is::<Crash>());
    assert_eq!(ids(&lines), [1]);
}

#[tokio::test]
async fn what_is_no_json_is_told_so() {
    let (_, lines) = talk(&["{".to_owned(), "\u{1}".to_owned(), call(1, "fast")]).await;
    assert_eq!(lines.len(), 3);
    assert!(lines[..2].iter().all(|line| line.contains(r#""id":null,"error":{"code":-32700"#)));
}

#[tokio::test]
async fn notifications_go_before_the_answer() {
    let (_, lines) = talk(&[call(1, "chatty")]).await;
    assert_eq!(
        lines[0],
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#
    );
    assert!(lines[1].contains(r#""id":1"#));
}

#[test]
fn a_line_over_the_limit_is_skipped() {
    let mut input = io::Cursor::new(b"12345678\n1234567\n\nend".to_vec());
    let mut line = Vec::new();
    let mut told = Vec::new();
    loop {
        match next_line(&mut input, &mut line, 7).unwrap() {
            Line::End => break,
            Line::TooLong => told.push("too long".to_owned()),
            Line::Whole => told.push(String::from_utf8(line.clone()).unwrap()),
        }
    }
    assert_eq!(told, ["too long", "1234567", "", "end"]);
}
