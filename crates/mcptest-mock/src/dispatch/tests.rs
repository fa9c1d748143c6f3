use mcptest_suite::diagnostic::Source;

use super::*;

const MANIFEST: &str = r#"
mock_server:
  name: catalog
  title: Catalog
  instructions: Search first.
  page_size: 2
  tools:
    - name: search_products
      description: Search the product catalog by keyword.
      input_schema:
        type: object
        required: [query]
        properties: { query: { type: string }, limit: { type: integer } }
      _meta: { "example.org/team": shop }
      response:
        content: [{ type: text, text: "Products matching ${args.query}: sku-1." }]
        structuredContent: { limit: "${args.limit}" }
    - { name: bare, description: Says what it is given. }
    - { name: hangs, fault: hang }
    - { name: needy, requires: { sampling: {} } }
  resources:
    - { uri: "mock://a", name: a, mimeType: text/plain, text: A. }
  prompts:
    - name: greet
      arguments: [{ name: who, required: true }]
      messages: [{ role: user, content: { type: text, text: "Greet ${args.who}." } }]
"#;

fn mock() -> Mock {
    let (mock, warnings) = Mock::load(&Source::new("m.yml", MANIFEST)).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    mock
}

fn request(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

fn stateless(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    request(method, params)
}

fn answer(reply: Reply) -> Value {
    match reply.body {
        Body::Message(message) => message,
        other => panic!("no message: {other:?}"),
    }
}

/// The bytes of a whole conversation.
fn conversation(messages: &[Value]) -> String {
    let (mock, session) = (mock(), Session::new());
    let mut told = String::new();
    for message in messages {
        told += &format!("> {message}\n");
        match mock.handle(message.clone(), &session).body.bytes() {
            Some(bytes) => told += &format!("< {}\n", String::from_utf8(bytes).unwrap()),
            None => told += "<\n",
        }
    }
    told
}

#[test]
fn a_session_with_a_handshake() {
    let told = conversation(&[
        request("tools/list", json!({})),
        request("ping", json!({})),
        request("initialize", json!({"protocolVersion": "2025-06-18", "capabilities": {}})),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        request("tools/list", json!({})),
        request("tools/list", json!({"cursor": "2"})),
        request("tools/list", json!({"cursor": "9"})),
        request(
            "tools/call",
            json!({"name": "search_products", "arguments": {"query": "pen", "limit": 3}}),
        ),
        request("tools/call", json!({"name": "search_products", "arguments": {"limit": "x"}})),
        request("tools/call", json!({"name": "bare", "arguments": {"b": 1, "a": null}})),
        request("tools/call", json!({"name": "nothing"})),
        request("tools/call", json!({"name": "bare", "arguments": [1]})),
        request("resources/list", json!({})),
        request("resources/read", json!({"uri": "mock://a"})),
        request("resources/read", json!({"uri": "mock://b"})),
        request("resources/templates/list", json!({})),
        request("prompts/list", json!({})),
        request("prompts/get", json!({"name": "greet", "arguments": {"who": "Ada"}})),
        request("prompts/get", json!({"name": "greet"})),
        request("logging/setLevel", json!({"level": "debug"})),
        request("logging/setLevel", json!({"level": "loud"})),
        request("completion/complete", json!({})),
        request("no/such", json!({})),
    ]);
    insta::assert_snapshot!(told);
}

#[test]
fn a_session_without_one() {
    let told = conversation(&[
        stateless("server/discover", json!({})),
        stateless("tools/list", json!({})),
        stateless("tools/call", json!({"name": "bare"})),
        stateless("tools/call", json!({"name": "needy"})),
        stateless("resources/read", json!({"uri": "mock://a"})),
        stateless("resources/read", json!({"uri": "mock://b"})),
        stateless("prompts/get", json!({"name": "greet", "arguments": {"who": "Ada"}})),
        stateless("ping", json!({})),
        stateless("initialize", json!({})),
        request("server/discover", json!({})),
        request(
            "tools/list",
            json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}),
        ),
        request(
            "tools/list",
            json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2099-01-01"}}),
        ),
    ]);
    insta::assert_snapshot!(told);
}

#[test]
fn the_version_is_negotiated() {
    for (asked, given) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1.0", "2025-11-25"),
    ] {
        let session = Session::new();
        let hello = request("initialize", json!({"protocolVersion": asked}));
        let result = answer(mock().handle(hello, &session));
        assert_eq!(result["result"]["protocolVersion"], given);
        assert_eq!(session.version(), Some(given));
    }
}

#[test]
fn a_batch_is_answered_together() {
    let (mock, session) = (mock(), Session::new());
    let ping = |id: u32| json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let all = answer(mock.handle(json!([ping(1), note, ping(2), 5]), &session));
    let ids = all.as_array().unwrap().iter().map(|one| one["id"].clone()).collect::<Vec<_>>();
    assert_eq!(ids, [json!(1), json!(2), Value::Null]);
    assert_eq!(mock.handle(json!([note]), &session), Reply::default());
    assert_eq!(answer(mock.handle(json!([]), &session))["error"]["code"], -32600);
    mock.handle(request("initialize", json!({"protocolVersion": "2025-03-26"})), &session);
    let hang = request("tools/call", json!({"name": "hangs"}));
    assert_eq!(mock.handle(json!([ping(1), hang]), &session).body, Body::Hang);
}

#[test]
fn what_is_no_request_is_told_so() {
    let (mock, session) = (mock(), Session::new());
    for (message, code, id) in [
        (json!(5), -32600, Value::Null),
        (json!({"id": 1, "method": "ping"}), -32600, json!(1)),
        (json!({"jsonrpc": "2.0", "id": null, "method": "ping"}), -32600, Value::Null),
        (json!({"jsonrpc": "2.0", "id": [1], "method": "ping"}), -32600, Value::Null),
        (json!({"jsonrpc": "2.0", "id": "a", "method": 5}), -32600, json!("a")),
        (json!({"jsonrpc": "2.0", "id": "a"}), -32600, json!("a")),
        (json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}), -32602, json!(1)),
    ] {
        let failure = answer(mock.handle(message.clone(), &session));
        assert_eq!((&failure["error"]["code"], &failure["id"]), (&json!(code), &id), "{message}");
    }
    let parse = answer(mock.handle_bytes(b"{\xff", &session));
    assert_eq!((&parse["error"]["code"], &parse["id"]), (&json!(-32700), &Value::Null));
    for quiet in [
        json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
        json!({"jsonrpc": "2.0", "method": "notifications/odd", "params": 5}),
    ] {
        assert_eq!(mock.handle(quiet, &session), Reply::default());
    }
}

#[test]
fn the_mock_can_be_called_directly() {
    let mock = mock();
    assert_eq!(mock.name(), "catalog");
    assert_eq!(mock.tools()[0]["inputSchema"]["required"], json!(["query"]));
    assert_eq!(mock.tools()[0].get("response"), None);
    assert_eq!(mock.tools()[0]["_meta"], json!({"example.org/team": "shop"}));
    assert_eq!(mock.tools()[1]["inputSchema"], json!({"type": "object"}));
    let result = mock.call("bare", &json!({"x": 1})).unwrap();
    assert_eq!(result["content"][0]["text"], r#"bare {"x":1}"#);
    assert!(mock.call("nothing", &json!({})).is_none());
}
