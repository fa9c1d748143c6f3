//! `mcptest mock`, driven by hand.

use std::io::{BufRead as _, BufReader, Read as _};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::util::{Folder, command, mcptest};

const MANIFEST: &str = r#"
mock_server:
  name: tiny
  tools:
    - name: greet
      input_schema: { type: object, properties: { who: { type: string } }, required: [who] }
      response: "Hello, ${args.who}!"
    - { name: late, response: at last, latency_ms: 100 }
    - { name: crash, fault: crash }
"#;

/// Sends these messages and the end of the input; what comes back must be protocol lines only.
fn talk(messages: &[Value], code: i32) -> Vec<Value> {
    let folder = Folder::new();
    folder.file("tiny.yml", MANIFEST);
    let stdin = messages.iter().map(|message| format!("{message}\n")).collect::<String>();
    let output = mcptest(folder.path(), &["mock", "--tools-from", "tiny.yml"], &stdin);
    assert_eq!((output.code, output.stderr.as_str()), (Some(code), ""), "{output:?}");
    let lines = output.stdout.lines().map(|line| {
        let message: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    });
    lines.collect()
}

fn ask(id: u32, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

#[test]
fn with_a_handshake() {
    let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "hand", "version": "1" } });
    let answers = talk(
        &[
            ask(1, "initialize", hello),
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
            ask(2, "tools/list", json!({})),
            ask(3, "tools/call", json!({ "name": "greet", "arguments": { "who": "Ada" } })),
            ask(4, "tools/call", json!({ "name": "greet", "arguments": {} })),
            ask(5, "tools/call", json!({ "name": "nothing" })),
            ask(6, "no/such", json!({})),
            json!(7),
        ],
        0,
    );
    assert_eq!(answers.len(), 7, "{answers:#?}");
    assert_eq!(answers[0]["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "tiny");
    assert_eq!(answers[1]["result"]["tools"][0]["inputSchema"]["required"], json!(["who"]));
    assert_eq!(answers[2]["result"]["content"][0]["text"], "Hello, Ada!");
    assert_eq!(answers[3]["result"]["isError"], true);
    assert_eq!(answers[4]["error"]["code"], -32602);
    assert_eq!(answers[5]["error"]["code"], -32601);
    assert_eq!(answers[6]["error"]["code"], -32600);
}

#[test]
fn without_a_handshake() {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "hand", "version": "1" },
    });
    let call = json!({ "_meta": meta, "name": "greet", "arguments": { "who": "Bo" } });
    let answers = talk(
        &[
            ask(1, "server/discover", json!({ "_meta": meta })),
            ask(2, "tools/list", json!({ "_meta": meta })),
            ask(3, "tools/call", call),
            ask(4, "tools/list", json!({})),
        ],
        0,
    );
    assert_eq!(answers[0]["result"]["supportedVersions"][0], "2026-07-28");
    assert_eq!(answers[1]["result"]["tools"][2]["name"], "crash");
    assert_eq!(answers[2]["result"]["content"][0]["text"], "Hello, Bo!");
    assert_eq!(answers[2]["result"]["resultType"], "complete");
    let refused = answers[3]["error"]["message"].as_str().unwrap();
    assert!(refused.contains("Not initialized"), "{refused}");
}

/// The end of the input is the end, once everything in flight is answered.
#[test]
fn the_end_of_the_input() {
    assert!(talk(&[], 0).is_empty());
    let hello = ask(
        1,
        "initialize",
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "h", "version": "1" } }),
    );
    let late = ask(2, "tools/call", json!({ "name": "late" }));
    let answers = talk(&[hello.clone(), late], 0);
    assert_eq!(answers[1]["result"]["content"][0]["text"], "at last");
    // A crash fault ends the process without a word.
    let answers = talk(&[hello, ask(2, "tools/call", json!({ "name": "crash" }))], 1);
    assert_eq!(answers.len(), 1);
}

#[test]
fn mistakes_in_a_manifest_have_places() {
    let folder = Folder::new();
    for (manifest, place, hint) in [
        ("mock_server:\n  name: x\n  tols: []\n", "bad.yml:3:3", "tools"),
        (
            "mock_server:\n  name: x\n  tools:\n    - { name: a, input_schema: { type: objet } }\n",
            "bad.yml:4:",
            "objet",
        ),
        ("mock_server:\n  name: x\n  tools: [\n", "bad.yml:", "error"),
        (
            "mock_server:\n  name: x\n  tools:\n    - { name: a, fault: explode }\n",
            "bad.yml:4:",
            "explode",
        ),
    ] {
        folder.file("bad.yml", manifest);
        let output = folder.run(&["mock", "--tools-from", "bad.yml"]);
        assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""), "{manifest}{output:?}");
        assert!(output.stderr.contains(place), "{place}: {}", output.stderr);
        assert!(output.stderr.contains(hint), "{hint}: {}", output.stderr);
    }
    let output = folder.run(&["mock", "--tools-from", "nowhere.yml"]);
    assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""), "{output:?}");
    assert!(output.stderr.contains("cannot read nowhere.yml"), "{}", output.stderr);
}

#[test]
fn an_interrupt_ends_it() {
    let folder = Folder::new();
    folder.file("tiny.yml", MANIFEST);
    for http in [true, false] {
        let mut args = vec!["mock", "--tools-from", "tiny.yml"];
        if http {
            args.extend(["--http", "127.0.0.1:0"]);
        }
        let mut child = command(folder.path(), &args).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        if http {
            let mut line = String::new();
            BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
            assert!(line.starts_with("serving tiny at http://127.0.0.1:"), "{line}");
        } else {
            // An answer shows that it is ready.
            let mut byte = [0];
            std::io::Write::write_all(&mut stdin, b"7\n").unwrap();
            child.stdout.as_mut().unwrap().read_exact(&mut byte).unwrap();
        }
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "http: {http}");
        drop(stdin);
    }
}
