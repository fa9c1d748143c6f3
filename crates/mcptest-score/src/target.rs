//! Targets of one run: what an assertion of the per-run `expect` looks at.

use mcptest_suite::path::{self, Step};
use mcptest_trace::Trace;
use serde_json::{Value, json};

use crate::ids::Call;

/// A target, parsed once per test.
#[derive(Debug)]
pub enum Target {
    /// A field of one call.
    Call {
        /// Position of the call.
        index: usize,
        /// `name`, `server`, `args`, `is_error` or `result`, and the way below it.
        steps: Vec<Step>,
    },
    /// A plain word.
    Word(String),
}

impl Target {
    /// Parses a target the loader has accepted.
    pub fn parse(target: &str) -> Self {
        let call = target
            .strip_prefix("tool_calls[")
            .and_then(|rest| rest.split_once("]."))
            .and_then(|(index, field)| {
                Some(Self::Call { index: index.parse().ok()?, steps: path::parse(field).ok()? })
            });
        call.unwrap_or_else(|| Self::Word(target.to_owned()))
    }

    /// The value in this run; the error says why it is absent.
    pub fn resolve(&self, trace: &Trace, calls: &[Call<'_>]) -> Result<Value, String> {
        match self {
            Self::Call { index, steps } => {
                let call = calls
                    .get(*index)
                    .ok_or_else(|| format!("the run made {} calls", calls.len()))?;
                call_field(call, steps)
            }
            Self::Word(word) => word_value(word, trace, calls),
        }
    }
}

fn call_field(call: &Call<'_>, steps: &[Step]) -> Result<Value, String> {
    let (Some(Step::Key(field)), below) = (steps.first(), steps.get(1..).unwrap_or_default())
    else {
        return Err("the path names no field".to_owned());
    };
    let raw = |raw: &Option<Box<serde_json::value::RawValue>>| -> Result<Value, String> {
        let raw =
            raw.as_ref().ok_or_else(|| format!("the trace carries no {field} for this call"))?;
        let value = serde_json::from_str(raw.get())
            .map_err(|error| format!("its {field} cannot be read: {error}"))?;
        path::follow(&value, below).cloned()
    };
    match field.as_str() {
        "name" => Ok(json!(call.name)),
        "server" => call
            .server
            .map(|server| json!(server))
            .ok_or_else(|| "the server of this call is unknown".to_owned()),
        "is_error" => Ok(json!(call.is_error())),
        "args" => raw(&call.recorded.args),
        "result" => raw(&call.recorded.result),
        other => Err(format!("a call has no `{other}`")),
    }
}

fn word_value(word: &str, trace: &Trace, calls: &[Call<'_>]) -> Result<Value, String> {
    let talk = &trace.conversation;
    let found = match word {
        "tool_calls.length" => Some(json!(calls.len())),
        "tool_names" => Some(calls.iter().map(|call| call.name).collect()),
        "final_response" => trace.final_response.as_ref().map(|text| json!(text)),
        "conversation.tokens.prompt" => talk.tokens.prompt.map(|value| json!(value)),
        "conversation.tokens.completion" => talk.tokens.completion.map(|value| json!(value)),
        "conversation.tokens.total" => talk.tokens.total().map(|value| json!(value)),
        "conversation.cost_usd" => talk.cost_usd.map(|value| json!(value)),
        "conversation.duration_ms" => talk.duration_ms.map(|value| json!(value)),
        "conversation.turns" => talk.turns.map(|value| json!(value)),
        _ => return Err("it is no target of a run".to_owned()),
    };
    found.ok_or_else(|| "the trace does not carry it".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::resolved;

    #[test]
    fn targets_reach_into_calls_and_conversation() {
        let trace: Trace = serde_json::from_value(json!({
            "tool_calls": [{"server": "c", "name": "search", "args": {"q": ["a"]}, "result": {"content": [{"text": "hi"}]}}],
            "conversation": {"tokens": {"prompt": 3, "completion": 4}},
        }))
        .unwrap();
        let value = |target: &str| {
            resolved(&trace.tool_calls, |calls| Target::parse(target).resolve(&trace, calls))
        };
        for (target, expected) in [
            ("tool_calls[0].name", json!("search")),
            ("tool_calls[0].server", json!("c")),
            ("tool_calls[0].args.q[0]", json!("a")),
            ("tool_calls[0].result.content[0].text", json!("hi")),
            ("tool_calls[0].is_error", json!(false)),
            ("tool_calls.length", json!(1)),
            ("tool_names", json!(["search"])),
            ("conversation.tokens.total", json!(7)),
        ] {
            assert_eq!(value(target), Ok(expected), "{target}");
        }
        assert_eq!(value("tool_calls[1].name"), Err("the run made 1 calls".to_owned()));
        assert_eq!(value("tool_calls[0].args.nope"), Err("there is no `nope`".to_owned()));
        assert_eq!(value("final_response"), Err("the trace does not carry it".to_owned()));
        assert_eq!(value("conversation.cost_usd"), Err("the trace does not carry it".to_owned()));
    }
}
