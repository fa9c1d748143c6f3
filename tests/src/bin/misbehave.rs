//! A server that does one thing wrong, named by its first argument. For tests.
#![expect(clippy::exit, reason = "dying is what it is for")]

use std::io::{BufRead as _, Write as _};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

fn main() {
    let fault = std::env::args().nth(1).unwrap_or_default();
    let mut server = Server { fault, calls: 0, discovered: false };
    server.before();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        server.handle(&message);
    }
    if server.is("ignores-eof") {
        std::thread::sleep(Duration::from_secs(600));
    }
}

struct Server {
    fault: String,
    calls: u32,
    discovered: bool,
}

impl Server {
    fn is(&self, fault: &str) -> bool {
        self.fault == fault
    }

    /// Faults that begin before the first message.
    fn before(&self) {
        match self.fault.as_str() {
            "log-lines" => write(b"Server listening on stdio\n[info] ready\n"),
            "dies-at-start" => {
                let _ = writeln!(std::io::stderr(), "cannot find the licence file");
                std::process::exit(7);
            }
            "grandchildren" => {
                // A child that outlives its parent and holds none of its pipes.
                let child = Command::new("sleep")
                    .arg("600")
                    .stdin(std::process::Stdio::null())
                    .stdout(std::process::Stdio::null())
                    .stderr(std::process::Stdio::null())
                    .spawn();
                if let (Ok(child), Some(file)) = (child, std::env::args().nth(2)) {
                    let _ = std::fs::write(file, child.id().to_string());
                }
            }
            _ => {}
        }
    }

    fn handle(&mut self, message: &Value) {
        let Some(id) = message.get("id").cloned() else { return };
        let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
        match (self.fault.as_str(), method) {
            ("slow-and-stateless", "server/discover") if self.discovered => {
                let result = json!({ "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {}, "ttlMs": 0, "cacheScope": "private" });
                answer(&id, "result", result);
            }
            // As if it were still starting.
            ("slow-and-stateless", "server/discover") => self.discovered = true,
            ("slow-and-stateless", "initialize") => {
                answer(
                    &id,
                    "error",
                    json!({ "code": -32022, "message": "Unsupported protocol version" }),
                );
            }
            ("never-answers", _) | ("silent-on-discover", "server/discover") => {}
            (_, "server/discover") => {
                answer(&id, "error", json!({ "code": -32601, "message": "Method not found" }))
            }
            ("wrong-version", "initialize") => self.initialize(&id, "1999-01-01"),
            (_, "initialize") => self.initialize(&id, "2025-06-18"),
            ("pauses-after-list", "tools/list") => {
                self.list(&id, message);
                std::thread::sleep(Duration::from_millis(2500));
            }
            (_, "tools/list") => self.list(&id, message),
            (_, "tools/call") => self.call(&id),
            _ => answer(&id, "error", json!({ "code": -32601, "message": "Method not found" })),
        }
    }

    fn initialize(&self, id: &Value, version: &str) {
        let result = json!({ "protocolVersion": version, "capabilities": { "tools": {} }, "serverInfo": { "name": "misbehave", "version": "1" } });
        answer(id, "result", result);
    }

    fn list(&self, id: &Value, message: &Value) {
        let page = message["params"]["cursor"]
            .as_str()
            .and_then(|cursor| cursor.parse::<u64>().ok())
            .unwrap_or_default();
        let good = json!({ "name": "echo", "inputSchema": { "type": "object" } });
        let result = match self.fault.as_str() {
            "endless-pages" => {
                json!({ "tools": [{ "name": format!("t{page}"), "inputSchema": {} }], "nextCursor": (page + 1).to_string() })
            }
            "same-cursor" => json!({ "tools": [good], "nextCursor": "7" }),
            "tool-without-schema" => {
                json!({ "tools": [good, { "name": "bad" }, { "name": "fine", "inputSchema": {} }] })
            }
            "tool-without-name" => json!({ "tools": [good, { "description": "who am I" }] }),
            "list-is-no-list" => json!({ "tools": "none" }),
            _ => json!({ "tools": [good] }),
        };
        answer(id, "result", result);
    }

    fn call(&mut self, id: &Value) {
        self.calls += 1;
        let good = json!({ "content": [{ "type": "text", "text": "ok" }] });
        let whole = json!({ "jsonrpc": "2.0", "id": id, "result": good });
        match self.fault.as_str() {
            "hangs-in-call" => {}
            "dies-but-its-child-holds-stdout" => {
                let _ = Command::new("sleep").arg("600").spawn();
                std::process::exit(7);
            }
            "dies-in-call" => {
                let _ = writeln!(std::io::stderr(), "segmentation fault, almost");
                std::process::exit(42);
            }
            "garbage" => write(b"\x00\x01garbage{{{\n"),
            "truncated" => {
                let text = whole.to_string();
                write(&[&text.as_bytes()[..text.len() - 9], b"\n"].concat());
            }
            "invalid-utf8" => write(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xff\xfe\"}\n"),
            "wrong-id" => answer(&json!(9999), "result", good),
            "id-as-text" => answer(&json!(id.to_string()), "result", good),
            "both" => send(
                &json!({ "jsonrpc": "2.0", "id": id, "result": good, "error": { "code": 1, "message": "x" } }),
            ),
            "error-without-code" => answer(id, "error", json!({ "message": "something" })),
            "no-jsonrpc" => send(&json!({ "id": id, "result": good })),
            "answers-twice" => {
                send(&whole);
                send(&whole);
            }
            "huge-line" => huge_line(),
            "flood" => loop {
                write(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"x\"}}\n");
            },
            "asks-back" => {
                send(
                    &json!({ "jsonrpc": "2.0", "id": "q1", "method": "sampling/createMessage", "params": {} }),
                );
                send(&json!({ "jsonrpc": "2.0", "id": "q2", "method": "ping" }));
                send(&whole);
            }
            "no-content" => answer(id, "result", json!({})),
            _ => send(&whole),
        }
    }
}

/// 100 MB without a line break, then one.
fn huge_line() {
    let block = vec![b'x'; 1 << 20];
    for _ in 0..100 {
        write(&block);
    }
    write(b"\n");
}

fn answer(id: &Value, key: &str, value: Value) {
    let mut message = json!({ "jsonrpc": "2.0", "id": id });
    message[key] = value;
    send(&message);
}

fn send(message: &Value) {
    write(format!("{message}\n").as_bytes());
}

fn write(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}
