//! What is malformed, and where.

use std::sync::Arc;

use mcptest_trace::{MAX_DEPTH, parse_record};

use crate::util::{error, parse};

#[test]
fn positions_are_those_of_the_file() {
    let cases = [
        (r#"{"tool_calls":[{"name":"a"}}"#, "f:1:28: expected `,` or `]`, found '}'"),
        (r#"{"tool_calls":[{"server":"a"}]}"#, "f:1:29: missing field `name`"),
        (r#"{"tool_calls":[["a","b"]]}"#, "f:1:16: invalid type: sequence, expected an object"),
        (r#"{"tool_calls":[],"run":"x"}"#, "f:1:24: invalid type: string \"x\", expected u32"),
        (
            r#"{"tool_calls":[],"run":4294967296}"#,
            "f:1:24: invalid value: integer `4294967296`, expected u32",
        ),
        (
            r#"{"tool_calls":[],"conversation":{"turns":1,"duration_ms":1e999}}"#,
            "f:1:62: number out of range",
        ),
        (
            r#"{"tool_calls":[],"status":"a\"\\"}"#,
            "f:1:27: unknown variant `a\"\\`, expected one of `ok`, `budget_exceeded`, `inconclusive`",
        ),
        (r#"{"tool_calls":[],"test":"a","test":"b"}"#, "f:1:29: duplicate field `test`"),
        ("{\"tool_calls\":[],\"run\":\n {}}", "f:2:2: invalid type: map, expected u32"),
        (r#"{"tool_calls":[],"seed":true}"#, "f:1:25: invalid type: boolean `true`, expected u64"),
        ("{\"tool_calls\":[\n\n  nope]}", "f:3:4: expected ident, found 'o'"),
        ("{\"test\":\"äöü\", x}", "f:1:16: key must be a string"),
        ("{\"tool_calls\":[]} {}", "f:1:19: trailing characters"),
        ("{\"tool_calls\":[", "f:1:15: expected the rest of a list, found the end"),
        (
            "{\"test\":\"a\0b\"}",
            "f:1:11: control character (\\u0000-\\u001F) found while parsing a string",
        ),
        ("\0", "f:1:1: expected a JSON object or array, found '\\0'"),
        ("", "f:1:1: expected a trace (an object) or an array of traces, found nothing"),
        ("17", "f:1:1: expected a trace (an object) or an array of traces, found a number"),
        ("[]", "f:1:1: expected traces, found an empty array"),
        (
            "[\n {\"tool_calls\":[]},\n null]",
            "f:3:2: expected a trace (an object) or an array of traces, found null",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(error(text), expected, "{text}");
    }
}

#[test]
fn positions_within_messages() {
    let cases = [
        ("{\"messages\":\n {}}", "f:2:2: expected an array of chat messages, found an object"),
        (
            "{\"messages\":\n [{\"role\":\"user\"},\n  {\"content\":\"x\"}]}",
            "f:3:3: expected a chat message with a `role`, found none",
        ),
        (
            "{\"messages\":[ 5]}",
            "f:1:15: expected a chat message (an object with `role`), found a number",
        ),
        ("{\"messages\":[{\"role\":1}]}", "f:1:22: invalid type: integer `1`, expected a string"),
        (
            "[{\"role\":\"user\"},\n{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"1\"}]}]",
            "f:2:35: expected a tool call with `function`, found none",
        ),
        (
            "[{\"role\":\"assistant\",\"tool_calls\":[{\"function\":{\"arguments\":\"\"}}]}]",
            "f:1:48: expected a function call with a `name`, found none",
        ),
        (
            "[{\"role\":\"assistant\",\"tool_calls\":{}}]",
            "f:1:35: invalid type: map, expected a sequence",
        ),
        (
            "[{\"role\":\"assistant\",\"tool_calls\":[\"x\"]}]",
            "f:1:36: expected a tool call (an object with `function`), found a string",
        ),
        ("{\"messages\":[],\"tools\":{}}", "f:1:24: expected an array of tools, found an object"),
        ("{\"messages\":[],\"tools\":[1]}", "f:1:25: expected a tool (an object), found a number"),
        (
            "{\"messages\":[],\"usage\":{\"prompt_tokens\":-1}}",
            "f:1:41: invalid value: integer `-1`, expected u64",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(error(text), expected, "{text}");
    }
}

#[test]
fn an_object_of_no_known_form_names_the_keys() {
    assert_eq!(
        error(r#"{"b":1e999,"a":2}"#),
        "f:1:1: expected an object with `tool_calls` or `messages`, found `a`, `b`"
    );
    assert_eq!(
        error("{}"),
        "f:1:1: expected an object with `tool_calls` or `messages`, found no keys"
    );
    assert!(error(r#"{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}"#).ends_with("`e`, 2 more"));
}

#[test]
fn a_single_chat_message_is_said_to_be_one() {
    for text in [r#"{"role":"user","content":"hi"}"#, r#"{"role":"assistant","tool_calls":[]}"#] {
        let error = parse(text).unwrap_err();
        assert!(error.message.contains("single chat message"), "{error}");
        assert!(error.help.unwrap().contains("into one array"));
    }
    let call = r#"{"role":"assistant","tool_calls":[{"function":{"name":"n"}}]}"#;
    assert!(parse(call).unwrap_err().help.unwrap().contains("into one array"));
}

#[test]
fn an_anthropic_conversation_is_not_taken_for_one_without_calls() {
    let text = r#"[{"role":"assistant","content":[{"type":"tool_use","name":"n","input":{}}]}]"#;
    assert!(error(text).starts_with("f:1:32: expected `tool_calls` beside the content"));
}

#[test]
fn bytes_that_are_not_utf8() {
    let file = Arc::from("f");
    let error = parse_record(b"{\"test\":\"\xc3\xa4\xff\"}", &file, 7).unwrap_err();
    assert_eq!(error.to_string(), "f:7:11: expected UTF-8 text, found the byte 0xff");
    let ignored = parse_record(b"{\"tool_calls\":[],\"x\":\"\xff\"}", &file, 1).unwrap_err();
    assert_eq!(ignored.column(), Some(23), "also where nobody looks");
    let utf16 = parse_record(b"\xff\xfe{\0", &file, 1).unwrap_err();
    assert_eq!((utf16.line(), utf16.column()), (Some(1), Some(1)));
}

#[test]
fn nesting_is_limited_also_where_values_are_kept_raw() {
    let args = |depth: usize| {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        format!(r#"{{"tool_calls":[{{"name":"n","args":{open}{close}}}]}}"#)
    };
    assert!(parse(&args(MAX_DEPTH - 3)).is_ok());
    assert_eq!(
        error(&args(MAX_DEPTH - 2)),
        "f:1:159: expected at most 127 levels of nesting, found more"
    );
    assert!(error(&args(3_000_000)).starts_with("f:1:159: "));
    assert!(error(&"[".repeat(3_000_000)).starts_with("f:1:128: "));
}

#[test]
fn a_record_is_limited_in_size() {
    let text = format!("{{\"tool_calls\":[],\"x\":\"{}\"}}", "x".repeat(64 << 20));
    let expected = "f:1:1: expected a record of at most 67108864 bytes, found 67108888";
    assert_eq!(error(&text), expected);
    let shorter = format!("{{\"tool_calls\":[],\"x\":\"{}\"}}", "x".repeat((64 << 20) - 24));
    assert!(parse(&shorter).is_ok());
}
