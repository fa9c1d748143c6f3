//! Every form that is recognised.

use mcptest_trace::RunStatus;

use crate::util::{one, parse};

#[test]
fn own_form_with_every_key() {
    let text = r#"{"test":"t","model":"m","run":2,"distractor_count":4,"seed":7,"status":"inconclusive",
        "cause":"429","tool_calls":[{"server":"s","name":"n","args":{"a": 1},"result":[1],"is_error":true,
        "turn":1,"duration_ms":2.5,"fault":"f"}],"delegations":[{"from":"a","to":"b"}],
        "conversation":{"tokens":{"prompt":1,"completion":2,"total":3},"turns":1,"duration_ms":9,
        "cost_usd":0.1},"final_response":"done","surface":[{"name":"n"}],"unknown":{"x":[]}}"#;
    let trace = one(text);
    assert_eq!(trace.test.as_deref(), Some("t"));
    assert_eq!(trace.model.as_deref(), Some("m"));
    assert_eq!((trace.run, trace.distractor_count, trace.seed), (Some(2), Some(4), Some(7)));
    assert_eq!((trace.status, trace.cause.as_deref()), (RunStatus::Inconclusive, Some("429")));
    let call = &trace.tool_calls[0];
    assert_eq!((call.server.as_deref(), call.name.as_str()), (Some("s"), "n"));
    assert_eq!(call.args.as_ref().unwrap().get(), r#"{"a": 1}"#, "kept as given");
    assert_eq!(call.result.as_ref().unwrap().get(), "[1]");
    assert_eq!((call.is_error, call.turn, call.fault.as_deref()), (Some(true), Some(1), Some("f")));
    assert_eq!(trace.delegations.unwrap()[0].to, "b");
    assert_eq!(trace.conversation.tokens.total, Some(3));
    assert_eq!(trace.final_response.as_deref(), Some("done"));
    assert_eq!(trace.surface.unwrap().get(), r#"[{"name":"n"}]"#);
}

#[test]
fn own_form_needs_only_names() {
    let trace = one(r#"{"tool_calls":[{"name":"n","arguments":{}}],"conversation":null}"#);
    assert_eq!(trace.tool_calls[0].args.as_ref().unwrap().get(), "{}");
    assert_eq!(trace.status, RunStatus::Ok);
    assert!(one(r#" {"tool_calls":[]} "#).tool_calls.is_empty());
}

const CHAT: &str = r#"[{"role":"user","content":"hi"},
  {"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"n","arguments":"{\"a\":1}"}}]},
  {"role":"tool","tool_call_id":"1","content":"ok"},{"role":"assistant","content":"bye"}]"#;

#[test]
fn openai_chat_with_what_is_around_it() {
    let trace = one(&format!(
        r#"{{"model":"gpt","test":"t","run":3,"distractor_count":8,"status":"budget_exceeded","cause":"c",
        "usage":{{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,"other":{{}}}},
        "tools":[{{"type":"function","function":{{"name":"n","description":"d","parameters":{{"type":"object"}}}}}},
                 {{"type":"web_search"}},{{"type":"function","function":{{"name":"m"}}}}],
        "messages":{CHAT}}}"#
    ));
    assert_eq!((trace.model.as_deref(), trace.test.as_deref()), (Some("gpt"), Some("t")));
    assert_eq!((trace.run, trace.distractor_count), (Some(3), Some(8)));
    assert_eq!((trace.status, trace.cause.as_deref()), (RunStatus::BudgetExceeded, Some("c")));
    let tokens = trace.conversation.tokens;
    assert_eq!((tokens.prompt, tokens.completion, tokens.total), (Some(10), Some(5), Some(15)));
    assert_eq!(
        trace.surface.unwrap().get(),
        r#"[{"name":"n","description":"d","inputSchema":{"type":"object"}},{"name":"m"}]"#
    );
    assert_eq!(trace.tool_calls.len(), 1);
    assert_eq!(trace.conversation.turns, Some(2));
    assert_eq!(trace.final_response.as_deref(), Some("bye"));
}

#[test]
fn tau_bench_runs_are_conversations_and_its_exceptions_are_inconclusive() {
    for key in ["traj", "trajectory"] {
        let text = format!(
            r#"{{"task_id":4,"trial":0,"reward":1.0,"info":{{"error":null}},"{key}":{CHAT}}}"#
        );
        let trace = one(&text);
        assert_eq!((trace.test.as_deref(), trace.run), (None, None));
        assert_eq!((trace.tool_calls.len(), trace.status), (1, RunStatus::Ok));
    }
    let failed =
        one(r#"{"task_id":"a","trial":1,"reward":0,"info":{"error":"timeout"},"traj":[]}"#);
    assert_eq!(
        (failed.status, failed.cause.as_deref()),
        (RunStatus::Inconclusive, Some("timeout"))
    );
}

#[test]
fn arrays_hold_one_conversation_or_many_traces() {
    assert_eq!(one(CHAT).tool_calls[0].name, "n");
    let own = r#"{"tool_calls":[]}"#;
    let many = format!("[\n{own},\n{CHAT},\n{{\"messages\":{CHAT}}},\n[{CHAT},{own}]]");
    let records = parse(&many).unwrap();
    let lines: Vec<usize> = records.iter().map(|record| record.origin.line).collect();
    assert_eq!(lines, [2, 3, 6, 9, 11]);
    let calls: Vec<usize> = records.iter().map(|record| record.trace.tool_calls.len()).collect();
    assert_eq!(calls, [0, 1, 1, 1, 0]);
}

#[test]
fn own_calls_win_over_messages() {
    let trace = one(r#"{"tool_calls":[{"name":"mine"}],"messages":"whatever"}"#);
    assert_eq!(trace.tool_calls[0].name, "mine");
}

#[test]
fn the_schema_requires_only_the_calls() {
    let schema = serde_json::to_value(mcptest_trace::schema()).unwrap();
    assert_eq!(schema["required"], serde_json::json!(["tool_calls"]));
    assert_eq!(schema["title"], "mcptest trace");
}
