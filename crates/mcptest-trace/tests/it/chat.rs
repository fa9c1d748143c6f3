//! OpenAI chat messages.

use mcptest_trace::{ToolCall, Trace};

use crate::util::one;

fn raw(value: &Option<Box<serde_json::value::RawValue>>) -> Option<&str> {
    value.as_ref().map(|raw| raw.get())
}

/// A call to `n` whose `arguments` are the given JSON.
fn args_of(arguments: &str) -> Option<String> {
    let trace = one(&format!(
        r#"[{{"role":"assistant","tool_calls":[{{"id":"1","function":{{"name":"n"{arguments}}}}}]}}]"#
    ));
    raw(&trace.tool_calls[0].args).map(String::from)
}

#[test]
fn arguments_are_parsed_where_they_parse() {
    let args = |arguments: &str| args_of(&format!(r#","arguments":{arguments}"#));
    assert_eq!(args(r#""{\"a\": [1, 2]}""#).as_deref(), Some(r#"{"a": [1, 2]}"#));
    assert_eq!(args(r#"" {} ""#).as_deref(), Some("{}"));
    assert_eq!(args(r#""""#).as_deref(), Some("{}"));
    assert_eq!(args(r#""{\"a\": ""#).as_deref(), Some(r#""{\"a\": ""#), "malformed");
    assert_eq!(args(r#"{"a":1}"#).as_deref(), Some(r#"{"a":1}"#));
    let deep = format!("\"{}{}\"", "[".repeat(200), "]".repeat(200));
    assert_eq!(args(&deep), Some(deep), "too deep to be read again: malformed");
    assert_eq!(args("null"), None);
    assert_eq!(args_of(""), None);
}

/// A conversation of two calls in the first turn and one in the second, then `rest`.
fn calls(rest: &str) -> Vec<ToolCall> {
    let call = |id: &str, name: &str| {
        format!(r#"{{"id":"{id}","function":{{"name":"{name}","arguments":"{{}}"}}}}"#)
    };
    let text = format!(
        r#"[{{"role":"assistant","tool_calls":[{},{}]}},{{"role":"alien"}},
            {{"role":"assistant","content":"and","tool_calls":[{}]}}{rest}]"#,
        call("a", "f"),
        call("b", "g"),
        call("c", "f"),
    );
    one(&text).tool_calls
}

fn results(calls: &[ToolCall]) -> Vec<Option<&str>> {
    calls.iter().map(|call| raw(&call.result)).collect()
}

#[test]
fn results_find_their_calls() {
    let found = calls(
        r#",{"role":"tool","tool_call_id":"b","content":"B"},{"role":"tool","tool_call_id":"c","content":["C"]},
            {"role":"tool","tool_call_id":"b","content":"again"},{"role":"tool","tool_call_id":"z","content":"no"}"#,
    );
    assert_eq!(results(&found), [None, Some("\"B\""), Some("[\"C\"]")]);
    assert_eq!(found.iter().map(|call| call.turn).collect::<Vec<_>>(), [Some(1), Some(1), Some(2)]);
    assert_eq!(
        found.iter().map(|call| call.is_error).collect::<Vec<_>>(),
        [None, Some(false), Some(false)]
    );
    let by_name = calls(
        r#",{"role":"tool","name":"f","content":"1"},{"role":"tool","name":"f","content":"2"}"#,
    );
    assert_eq!(results(&by_name), [Some("\"1\""), None, Some("\"2\"")]);
    let in_order = calls(r#",{"role":"tool","content":"1"},{"role":"tool","content":"2"}"#);
    assert_eq!(results(&in_order), [Some("\"1\""), Some("\"2\""), None]);
}

#[test]
fn the_older_function_call() {
    let trace = one(r#"{"functions":[{"name":"f","parameters":{}}],"messages":[
        {"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{\"x\":1}"}},
        {"role":"function","name":"f","content":"Error: no"},
        {"role":"assistant","content":null,"function_call":null,"tool_calls":[]}]}"#);
    let call = &trace.tool_calls[0];
    assert_eq!((raw(&call.args), raw(&call.result)), (Some(r#"{"x":1}"#), Some("\"Error: no\"")));
    assert_eq!((call.is_error, call.turn), (Some(true), Some(1)));
    assert_eq!((trace.final_response, trace.conversation.turns), (None, Some(2)));
    assert_eq!(raw(&trace.surface), Some(r#"[{"name":"f","inputSchema":{}}]"#));
}

/// Whether a tool message with these keys is an error.
fn is_error(keys: &str) -> bool {
    let text = format!(
        r#"[{{"role":"assistant","tool_calls":[{{"id":"1","function":{{"name":"n"}}}}]}},
            {{"role":"tool","tool_call_id":"1",{keys}}}]"#
    );
    one(&text).tool_calls[0].is_error.expect("a result")
}

#[test]
fn what_counts_as_an_error() {
    for keys in [
        r#""is_error":true"#,
        r#""isError":true,"content":"fine""#,
        r#""status":"error","content":"fine""#,
        r#""content":"Error: no such user""#,
        r#""content":"\n  ERROR: no""#,
        r#""content":"error executing tool x: boom""#,
        r#""content":"Error calling tool""#,
        r#""content":[{"type":"text","text":"Error: no"}]"#,
        r#""content":"{\"error\": \"no\"}""#,
        r#""content":"{\"a\":1,\"error\": {}}""#,
        r#""content":"{\"isError\": true}""#,
        r#""content":{"isError":true,"content":[]}"#,
    ] {
        assert!(is_error(keys), "{keys}");
    }
    for keys in [
        r#""is_error":false,"content":"fine""#,
        r#""status":"success","content":"fine""#,
        r#""content":null"#,
        r#""content":"Errors: none""#,
        r#""content":"Erro""#,
        r#""content":"no Error: here""#,
        r#""content":"{\"error\": null}""#,
        r#""content":"{\"error\": false, \"isError\": false}""#,
        r#""content":"{\"a\": {\"error\": \"deep\"}}""#,
        r#""content":"{\"error\": ""#,
        r#""content":"[\"error\"]""#,
        r#""content":"ärrör: nö""#,
    ] {
        assert!(!is_error(keys), "{keys}");
    }
}

#[test]
fn the_final_response_is_the_last_text_without_a_call() {
    let last = |message: &str| -> Option<String> {
        let trace: Trace = one(&format!(r#"[{{"role":"assistant","content":"first"}},{message}]"#));
        trace.final_response
    };
    assert_eq!(last(r#"{"role":"user","content":"?"}"#).as_deref(), Some("first"));
    assert_eq!(last(r#"{"role":"assistant","content":"a\nb"}"#).as_deref(), Some("a\nb"));
    let parts = r#"{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]}"#;
    assert_eq!(last(parts).as_deref(), Some("ab"));
    let call = r#"{"role":"assistant","content":"x","tool_calls":[{"function":{"name":"n"}}]}"#;
    assert_eq!(last(call).as_deref(), Some("first"));
}
