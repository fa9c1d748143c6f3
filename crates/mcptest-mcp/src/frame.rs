//! One frame: bytes into a checked JSON-RPC message. Violations are named, and what can be used is.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::violation::{Violation, ViolationKind};

/// A message from the server.
#[derive(Debug)]
pub enum Frame {
    /// An answer to a request of ours.
    Answer {
        /// The id it bears.
        id: Value,
        /// The result as received, or the error.
        outcome: Result<Box<RawValue>, RpcError>,
    },
    /// A request of the server's own.
    Request {
        /// Its id, to answer with.
        id: Value,
        /// Its method.
        method: String,
    },
    /// Something it wants us to know.
    Notification {
        /// Its method.
        method: String,
        /// Its parameters as received.
        params: Option<Box<RawValue>>,
    },
}

/// An error that the server answered with.
#[derive(Debug, Clone, PartialEq)]
pub struct RpcError {
    /// The code, where there is one.
    pub code: Option<i64>,
    /// The message, or the whole error where there is none.
    pub message: String,
    /// More about it.
    pub data: Option<Value>,
}

/// The frames of one line, and what is wrong with it.
#[derive(Debug, Default)]
pub struct Checked {
    /// Usable messages (a batch has several).
    pub frames: Vec<Frame>,
    /// Rules that were broken.
    pub violations: Vec<Violation>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    jsonrpc: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    id: Option<Value>,
    #[serde(default)]
    method: Option<Value>,
    #[serde(default)]
    params: Option<Box<RawValue>>,
    #[serde(default)]
    result: Option<Box<RawValue>>,
    #[serde(default)]
    error: Option<Value>,
}

/// Keeps `"id": null` apart from a missing id.
fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

/// Reads one line (or HTTP body, or SSE event).
pub fn check(bytes: &[u8]) -> Checked {
    let mut checked = Checked::default();
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.trim(),
        Err(error) => {
            let at = error.valid_up_to();
            checked.report(ViolationKind::InvalidUtf8, format!("byte {at} of {}", excerpt(bytes)));
            return checked;
        }
    };
    if text.is_empty() {
        return checked;
    }
    if text.starts_with('[') {
        match serde_json::from_str::<Vec<&RawValue>>(text) {
            Ok(batch) => batch.iter().for_each(|one| checked.message(one.get())),
            Err(error) => {
                checked.report(ViolationKind::BrokenJson, format!("{error} in {}", excerpt(bytes)))
            }
        }
        return checked;
    }
    checked.message(text);
    checked
}

impl Checked {
    fn report(&mut self, kind: ViolationKind, detail: String) {
        self.violations.push(Violation::new(kind, detail));
    }

    fn message(&mut self, text: &str) {
        let message: Message = match serde_json::from_str(text) {
            Ok(message) => message,
            Err(error) => {
                // A line that does not even begin like a message was not meant as one.
                let kind = if !text.starts_with('{') {
                    ViolationKind::NotJson
                } else if error.is_data() {
                    ViolationKind::NotAMessage
                } else {
                    ViolationKind::BrokenJson
                };
                let reason = if kind == ViolationKind::NotJson {
                    String::new()
                } else {
                    format!("{error} in ")
                };
                self.report(kind, format!("{reason}{}", excerpt(text.as_bytes())));
                return;
            }
        };
        if message.jsonrpc.as_ref().and_then(Value::as_str) != Some("2.0") {
            self.report(ViolationKind::MissingJsonrpc, excerpt(text.as_bytes()));
        }
        self.sort(message, text);
    }

    /// Request, notification or answer.
    fn sort(&mut self, message: Message, text: &str) {
        let error = message.error.filter(|error| !error.is_null());
        match (message.method, message.id, message.result, error) {
            (Some(Value::String(method)), Some(id), None, None) => {
                self.frames.push(Frame::Request { id, method });
            }
            (Some(Value::String(method)), None, None, None) => {
                self.frames.push(Frame::Notification { method, params: message.params });
            }
            (None, id, Some(_), Some(_)) => {
                let violation =
                    Violation::new(ViolationKind::ResultAndError, excerpt(text.as_bytes()));
                // Which of the two is meant cannot be known: the call fails with the violation.
                let outcome =
                    Err(RpcError { code: None, message: violation.to_string(), data: None });
                self.violations.push(violation);
                self.frames.extend(id.map(|id| Frame::Answer { id, outcome }));
            }
            (None, Some(id), Some(result), None) => {
                self.frames.push(Frame::Answer { id, outcome: Ok(result) })
            }
            (None, id, None, Some(error)) => {
                let outcome = Err(self.error(&error));
                // A null id belongs to a request the server could not read.
                self.frames.push(Frame::Answer { id: id.unwrap_or(Value::Null), outcome });
            }
            _ => self.report(ViolationKind::NotAMessage, excerpt(text.as_bytes())),
        }
    }

    fn error(&mut self, error: &Value) -> RpcError {
        let code = error.get("code").and_then(Value::as_i64);
        let message = error.get("message").and_then(Value::as_str);
        if code.is_none() || message.is_none() {
            self.report(ViolationKind::ErrorWithoutCode, excerpt(error.to_string().as_bytes()));
        }
        let message = message.map_or_else(|| error.to_string(), str::to_owned);
        RpcError { code, message, data: error.get("data").cloned() }
    }
}

/// The beginning of what was received, on one line.
pub fn excerpt(bytes: &[u8]) -> String {
    const SHOWN: usize = 120;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN * 4)]);
    let mut shown =
        text.chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    if text.chars().count() > SHOWN || bytes.len() > SHOWN * 4 {
        shown.push('…');
    }
    format!("`{shown}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(line: &str) -> Vec<ViolationKind> {
        check(line.as_bytes()).violations.iter().map(|found| found.kind).collect()
    }

    #[test]
    fn good_messages_have_no_violations() {
        for line in [
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"no"}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#,
            r#"[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}]"#,
            "",
        ] {
            assert_eq!(kinds(line), [], "{line}");
        }
    }

    #[test]
    fn each_breach_has_its_name() {
        use ViolationKind::*;
        for (line, kind) in [
            ("Server listening on stdio", NotJson),
            (r#"{"jsonrpc":"2.0","id":1,"resu"#, BrokenJson),
            (r#"{"id":1,"result":{}}"#, MissingJsonrpc),
            (r#"{"jsonrpc":"1.0","id":1,"result":{}}"#, MissingJsonrpc),
            (
                r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}"#,
                ResultAndError,
            ),
            (r#"{"jsonrpc":"2.0","id":1,"error":{"message":"x"}}"#, ErrorWithoutCode),
            (r#"{"jsonrpc":"2.0","id":1,"error":"x"}"#, ErrorWithoutCode),
            (r#"{"jsonrpc":"2.0","id":1}"#, NotAMessage),
            (r#"{"jsonrpc":"2.0","method":5}"#, NotAMessage),
            ("42", NotJson),
        ] {
            assert_eq!(kinds(line), [kind], "{line}");
        }
        assert_eq!(check(b"{\"a\":\"\xff\"}").violations[0].kind, InvalidUtf8);
    }

    #[test]
    fn results_are_kept_to_the_byte() {
        let line = r#"{"jsonrpc":"2.0","id":1,"result":{"b": 1.0,  "a":"\u00e9"}}"#;
        let Frame::Answer { outcome: Ok(result), .. } = &check(line.as_bytes()).frames[0] else {
            panic!()
        };
        assert_eq!(result.get(), r#"{"b": 1.0,  "a":"\u00e9"}"#);
    }
}
