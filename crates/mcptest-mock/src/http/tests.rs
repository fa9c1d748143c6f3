//! Over a socket, by hand: what a client library would hide.

use std::time::Duration;

use mcptest_suite::diagnostic::Source;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

use super::*;

const MANIFEST: &str = r#"
mock_server:
  name: m
  tools:
    - { name: fast, response: ok }
    - { name: never, fault: hang }
    - { name: broken, fault: garbage, response: "a long enough text" }
    - { name: dead, fault: crash }
    - { name: chatty, notifications: [{ method: notifications/message, params: { level: info, data: hi } }] }
    - name: marked
      input_schema: { type: object, properties: { region: { type: string, x-mcp-header: Region } } }
"#;

/// A response, taken apart.
#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    fn code(&self) -> i64 {
        self.json()["error"]["code"].as_i64().unwrap_or_default()
    }

    fn session(&self) -> String {
        let line = self.head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        line.unwrap_or_default().to_owned()
    }
}

async fn start() -> (SocketAddr, tokio::task::JoinHandle<io::Result<()>>) {
    let (mock, warnings) = Mock::load(&Source::new("m.yml", MANIFEST)).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    let (sender, receiver) = oneshot::channel();
    let ready = move |address| sender.send(address).unwrap();
    let server = tokio::spawn(serve_http(mock, "127.0.0.1:0".parse().unwrap(), ready));
    (receiver.await.unwrap(), server)
}

/// Sends one request on a connection of its own.
async fn ask(address: SocketAddr, method: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let mut head = format!("{method} /mcp HTTP/1.1\r\nconnection: close\r\n");
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    if !headers.iter().any(|(name, _)| *name == "host") {
        head += &format!("host: {address}\r\n");
    }
    head += &format!("content-length: {}\r\n\r\n{body}", body.len());
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    let read = tokio::time::timeout(Duration::from_secs(10), stream.read_to_end(&mut bytes)).await;
    read.expect("an answer in time").unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_default();
    Answer { status, head: head.to_owned(), body: body.to_owned() }
}

const JSON: (&str, &str) = ("content-type", "application/json");
const ACCEPT: (&str, &str) = ("accept", "application/json, text/event-stream");

async fn post(address: SocketAddr, more: &[(&str, &str)], body: &Value) -> Answer {
    let headers = [&[JSON, ACCEPT], more].concat();
    ask(address, "POST", &headers, &body.to_string()).await
}

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}})
}

fn call(name: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": {}}})
}

fn stateless(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
}

#[tokio::test]
async fn a_session_begins_and_ends() {
    let (address, _) = start().await;
    let begun = post(address, &[], &initialize()).await;
    assert_eq!(begun.json()["result"]["protocolVersion"], "2025-06-18");
    let id = begun.session();
    assert_eq!(id.len(), 32);
    let session = [("mcp-session-id", id.as_str()), ("mcp-protocol-version", "2025-06-18")];
    let done = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(post(address, &session, &done).await.status, 202);
    let answer = post(address, &session, &call("fast")).await;
    assert_eq!(
        answer.body,
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"ok"}]}}"#
    );
    assert_eq!(post(address, &[], &call("fast")).await.status, 400);
    assert_eq!(post(address, &[("mcp-session-id", "other")], &call("fast")).await.status, 404);
    let odd = [session[0], ("mcp-protocol-version", "1999-01-01")];
    assert_eq!(post(address, &odd, &call("fast")).await.status, 400);
    let batch = json!([call("fast"), {"jsonrpc": "2.0", "id": 2, "method": "ping"}]);
    assert_eq!(post(address, &session, &batch).await.json().as_array().unwrap().len(), 2);
    assert_eq!(ask(address, "DELETE", &session, "").await.status, 204);
    assert_eq!(post(address, &session, &call("fast")).await.status, 404);
    assert_eq!(ask(address, "DELETE", &[], "").await.status, 400);
}

#[tokio::test]
async fn the_stateless_revision_needs_its_headers() {
    let (address, _) = start().await;
    let version = ("mcp-protocol-version", "2026-07-28");
    let list = stateless("tools/list", json!({}));
    let good = post(address, &[version, ("mcp-method", "tools/list")], &list).await;
    assert_eq!((good.status, good.session()), (200, String::new()));
    assert_eq!(good.json()["result"]["resultType"], "complete");
    for headers in [
        &[version][..],
        &[("mcp-method", "tools/list")],
        &[version, ("mcp-method", "tools/call")],
        &[version, ("mcp-method", "tools/list"), ("mcp-method", "tools/list")],
        &[("mcp-protocol-version", "2025-11-25"), ("mcp-method", "tools/list")],
    ] {
        let refused = post(address, headers, &list).await;
        assert_eq!((refused.status, refused.code()), (400, -32020), "{headers:?}");
    }
    let method = ("mcp-method", "tools/call");
    let call = stateless("tools/call", json!({"name": "fast"}));
    for (name, status) in
        [("fast", 200), ("=?base64?ZmFzdA==?=", 200), ("slow", 400), ("=?base64?Z?=", 400)]
    {
        let answer = post(address, &[version, method, ("mcp-name", name)], &call).await;
        assert_eq!(answer.status, status, "{name}");
    }
    let unknown = stateless("ping", json!({}));
    let answer = post(address, &[version, ("mcp-method", "ping")], &unknown).await;
    assert_eq!((answer.status, answer.code()), (404, -32601));
}

#[tokio::test]
async fn marked_arguments_stand_in_headers() {
    let (address, _) = start().await;
    let common = [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "marked"),
    ];
    let with = stateless("tools/call", json!({"name": "marked", "arguments": {"region": "eu"}}));
    let without = stateless("tools/call", json!({"name": "marked", "arguments": {}}));
    for (body, header, status) in [
        (&with, Some("eu"), 200),
        (&with, Some("us"), 400),
        (&with, None, 400),
        (&without, Some("eu"), 400),
        (&without, None, 200),
    ] {
        let mut headers = common.to_vec();
        headers.extend(header.map(|value| ("mcp-param-region", value)));
        assert_eq!(post(address, &headers, body).await.status, status, "{header:?} {body}");
    }
}

#[tokio::test]
async fn strangers_are_refused() {
    let (address, _) = start().await;
    let hello = initialize();
    for (header, status) in [
        (("origin", "http://evil.example"), 403),
        (("origin", "http://localhost:5173"), 200),
        (("host", "evil.example"), 403),
        (("host", "localhost:1"), 200),
    ] {
        assert_eq!(post(address, &[header], &hello).await.status, status, "{header:?}");
    }
    assert_eq!(
        ask(address, "GET", &[ACCEPT, ("origin", "http://evil.example")], "").await.status,
        403
    );
}

#[tokio::test]
async fn what_is_no_message_is_refused() {
    let (address, _) = start().await;
    let broken = ask(address, "POST", &[JSON, ACCEPT], "{").await;
    assert_eq!((broken.status, broken.code()), (400, -32700));
    let odd = post(address, &[], &json!({"id": 3, "method": "ping"})).await;
    assert_eq!((odd.status, odd.code(), odd.json()["id"].clone()), (400, -32600, json!(3)));
    assert_eq!(ask(address, "POST", &[ACCEPT], "{}").await.status, 415);
    assert_eq!(ask(address, "POST", &[JSON, ("accept", "text/html")], "{}").await.status, 406);
    assert_eq!(ask(address, "PUT", &[], "").await.status, 405);
}

#[tokio::test]
async fn events_are_sent_where_they_are_wanted() {
    let (address, _) = start().await;
    let id = post(address, &[], &initialize()).await.session();
    let session = ("mcp-session-id", id.as_str());
    let headers = [JSON, ("accept", "text/event-stream"), session];
    let only = ask(address, "POST", &headers, &call("fast").to_string()).await;
    assert!(only.head.contains("content-type: text/event-stream"), "{only:?}");
    assert!(only.body.contains("event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,"), "{only:?}");
    let chatty = post(address, &[session], &call("chatty")).await.body;
    assert!(chatty.find("notifications/message") < chatty.find("\"id\":1"), "{chatty}");
}

#[tokio::test]
async fn faults_strike() {
    let (address, server) = start().await;
    let id = post(address, &[], &initialize()).await.session();
    let session = ("mcp-session-id", id.as_str());
    let broken = post(address, &[session], &call("broken")).await;
    assert_eq!(broken.status, 200);
    assert!(serde_json::from_str::<Value>(&broken.body).is_err(), "{broken:?}");
    let headers = [session];
    let never = call("never");
    let waiting = tokio::time::timeout(Duration::from_millis(150), post(address, &headers, &never));
    assert!(waiting.await.is_err(), "a hanging call is not answered");
    let dead = call("dead");
    let gone = tokio::time::timeout(Duration::from_secs(5), post(address, &headers, &dead));
    let (ended, _) = tokio::join!(server, async {
        tokio::time::timeout(Duration::from_millis(300), gone).await.is_ok()
    });
    assert!(ended.unwrap().unwrap_err().get_ref().unwrap().is::<Crash>());
}
