//! A published τ-bench run, counted independently of this crate.

use std::path::Path;

use mcptest_trace::{Trace, open};

use crate::util::read_all;

#[test]
fn airline_gpt_4o() {
    let Some(data) = std::env::var_os("MCPTEST_DATA") else {
        println!("skipped: MCPTEST_DATA is not set");
        return;
    };
    let path = Path::new(&data).join("tau-bench/gpt-4o-airline.json");
    let records = read_all(&mut open(&path).unwrap()).unwrap();
    assert_eq!(records.len(), 200);
    assert_eq!(records[0].origin.line, 2);
    let traces: Vec<&Trace> = records.iter().map(|record| &record.trace).collect();
    let calls: Vec<_> = traces.iter().flat_map(|trace| &trace.tool_calls).collect();
    assert_eq!(calls.len(), 1_164);
    assert_eq!(calls.iter().filter(|call| call.is_error == Some(true)).count(), 73);
    assert_eq!(calls.iter().filter(|call| call.is_error == Some(false)).count(), 1_164 - 73);
    assert!(
        calls
            .iter()
            .all(|call| { call.result.as_ref().is_some_and(|raw| raw.get().starts_with('"')) })
    );
    assert!(
        calls
            .iter()
            .all(|call| { call.args.as_ref().is_some_and(|raw| raw.get().starts_with('{')) })
    );
    assert!(traces.iter().all(|trace| trace.final_response.is_some()));
    let turns: u32 = traces.iter().filter_map(|trace| trace.conversation.turns).sum();
    assert_eq!(turns, 2_454);
    check_first(traces[0]);
}

/// The first conversation, whose calls share ids.
fn check_first(trace: &Trace) {
    let expected = [
        ("get_user_details", r#"{"user_id":"mia_li_3668"}"#, r#"{"name": {"first_name": "Mia", "#),
        (
            "search_direct_flight",
            r#"{"origin":"JFK","destination":"SEA","date":"2024-05-20"}"#,
            r#"[{"flight_number": "HAT069", "#,
        ),
        (
            "search_onestop_flight",
            r#"{"origin":"JFK","destination":"SEA","date":"2024-05-20"}"#,
            r#"[[{"flight_number": "HAT057", "#,
        ),
    ];
    for (call, (name, args, result)) in trace.tool_calls.iter().zip(expected) {
        assert_eq!(call.name, name);
        assert_eq!(call.args.as_ref().unwrap().get(), args);
        let text: String = serde_json::from_str(call.result.as_ref().unwrap().get()).unwrap();
        assert!(text.starts_with(result), "{text}");
    }
    assert!(trace.final_response.as_ref().unwrap().contains("reservation ID is **HATHAT**"));
}
