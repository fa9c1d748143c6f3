//! Small builders for the tests of this crate.

use mcptest_suite::model::EqualFunctionClass;
use mcptest_trace::ToolCall;
use serde_json::value::RawValue;

use crate::ids::{Call, Declared};

/// A call of a tool, without server.
pub fn call(name: &str) -> ToolCall {
    serde_json::from_value(serde_json::json!({ "name": name })).unwrap()
}

/// A call from `server.tool`, parted at the first dot.
pub fn call_of(id: &str) -> ToolCall {
    match id.split_once('.') {
        Some((server, name)) => ToolCall { server: Some(server.to_owned()), ..call(name) },
        None => call(id),
    }
}

/// A call with arguments.
pub fn call_with(id: &str, args: &str) -> ToolCall {
    ToolCall { args: Some(RawValue::from_string(args.to_owned()).unwrap()), ..call_of(id) }
}

/// A call that failed.
pub fn failed(id: &str) -> ToolCall {
    ToolCall { is_error: Some(true), ..call_of(id) }
}

/// Runs `inner` on the calls named by their ids.
pub fn calls<T>(ids: &[&str], inner: impl FnOnce(&[Call<'_>]) -> T) -> T {
    let recorded = ids.iter().map(|id| call_of(id)).collect::<Vec<_>>();
    resolved(&recorded, inner)
}

/// Runs `inner` on recorded calls, resolved against nothing.
pub fn resolved<T>(recorded: &[ToolCall], inner: impl FnOnce(&[Call<'_>]) -> T) -> T {
    let declared = Declared::default();
    inner(&recorded.iter().map(|call| declared.resolve(call, None)).collect::<Vec<_>>())
}

/// A class.
pub fn class(name: &str, members: &[&str]) -> EqualFunctionClass {
    EqualFunctionClass {
        name: name.to_owned(),
        members: members.iter().map(|id| (*id).to_owned()).collect(),
    }
}

/// Several classes.
pub fn classes(list: &[(&str, &[&str])]) -> Vec<EqualFunctionClass> {
    list.iter().map(|(name, members)| class(name, members)).collect()
}
