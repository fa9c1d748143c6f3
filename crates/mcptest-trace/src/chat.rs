//! OpenAI chat messages as a trace.
//!
//! - A call is an entry of an assistant message's `tool_calls`, or its older `function_call`. Its
//!   turn is the ordinal of the assistant message. Arguments that do not parse stay a JSON string,
//!   so that they count as malformed; an empty string is `{}`.
//! - A result is the content of a `tool` (or `function`) message. It belongs to the first
//!   unanswered call with its `tool_call_id`, else to the first with its `name`, else, where it
//!   gives no id or no open call has one, to the first of all. One that fits none is ignored.
//! - A result is an error when its message has `is_error` or `isError` true or `status` "error",
//!   or when its text (trimmed) begins with `Error:`, `Error executing tool` or `Error calling
//!   tool` in any case, or is a JSON object whose `error` is there and neither null nor false, or
//!   whose `isError` is true. Nothing else is: chat messages have no field for it, and guessing
//!   further would take answers about errors for errors.
//! - The final response is the text of the last assistant message that makes no call.
//!
//! Unknown roles and keys are ignored.

mod answers;
mod outcome;
mod tools;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::read::{ReadError, Source, kind_of, too_deep};
use crate::trace::{ToolCall, Trace};
use answers::Answers;
pub(crate) use tools::read_tools;

/// The keys of a chat message. What depends on the role stays raw, so that odd values where
/// nobody looks are no errors.
#[derive(Deserialize)]
struct Message<'a> {
    role: Option<String>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_calls: Option<&'a RawValue>,
    #[serde(borrow)]
    function_call: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_call_id: Option<&'a RawValue>,
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    is_error: Option<&'a RawValue>,
    #[serde(borrow, rename = "isError")]
    is_error_camel: Option<&'a RawValue>,
    #[serde(borrow)]
    status: Option<&'a RawValue>,
}

/// An entry of `tool_calls`.
#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    function: Option<&'a RawValue>,
}

/// What is called: `function` of an entry, or `function_call` of a message.
#[derive(Deserialize)]
struct Function<'a> {
    name: Option<String>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// Reads `messages`, a slice of the source, into the calls, the turns and the final response of
/// `trace`. What the trace already says of turns and final response stays.
pub(crate) fn read_messages<'a>(
    source: &Source<'a>,
    messages: &'a str,
    trace: &mut Trace,
) -> Result<(), ReadError> {
    if !messages.starts_with('[') {
        let message = format!("expected an array of chat messages, found {}", kind_of(messages));
        return Err(source.error(messages, message));
    }
    let messages: Vec<&RawValue> = source.json(messages)?;
    let mut chat =
        Chat { source, turn: 0, calls: Vec::new(), answers: Answers::default(), last: None };
    for message in messages {
        chat.message(message.get())?;
    }
    trace.tool_calls = chat.calls;
    trace.conversation.turns.get_or_insert(chat.turn);
    if trace.final_response.is_none() {
        trace.final_response = chat.last;
    }
    Ok(())
}

/// A conversation as far as it is read.
struct Chat<'s, 'a> {
    source: &'s Source<'a>,
    /// Assistant messages so far.
    turn: u32,
    calls: Vec<ToolCall>,
    answers: Answers,
    /// The text of the last assistant message that made no call.
    last: Option<String>,
}

impl<'a> Chat<'_, 'a> {
    fn message(&mut self, text: &'a str) -> Result<(), ReadError> {
        let message: Message<'a> = self.object(text, "a chat message (an object with `role`)")?;
        let Some(role) = &message.role else {
            return Err(self
                .source
                .error(text, "expected a chat message with a `role`, found none"));
        };
        match role.as_str() {
            "assistant" => self.assistant(&message),
            "tool" | "function" => {
                self.result(&message);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn assistant(&mut self, message: &Message<'a>) -> Result<(), ReadError> {
        self.turn = self.turn.saturating_add(1);
        let before = self.calls.len();
        if let Some(calls) = message.tool_calls {
            for call in self.source.json::<Vec<&'a RawValue>>(calls.get())? {
                self.call(call.get())?;
            }
        }
        if let Some(function) = message.function_call {
            self.function(None, function.get())?;
        }
        if self.calls.len() == before {
            self.last = match message.content {
                Some(content) => self.answer(content)?,
                None => None,
            };
        }
        Ok(())
    }

    /// The text of an assistant message that makes no call.
    fn answer(&self, content: &'a RawValue) -> Result<Option<String>, ReadError> {
        if content.get().starts_with('"') {
            return self.source.json(content.get()).map(Some);
        }
        if content.get().contains("\"tool_use\"") && outcome::has_tool_use(content) {
            let message =
                "expected `tool_calls` beside the content, found a `tool_use` block in it";
            return Err(self
                .source
                .error(content.get(), message)
                .help("this is an Anthropic conversation; only OpenAI chat messages are read"));
        }
        Ok(outcome::text_of(content).map(String::from))
    }

    /// An entry of `tool_calls`.
    fn call(&mut self, text: &'a str) -> Result<(), ReadError> {
        let call: Call<'a> = self.object(text, "a tool call (an object with `function`)")?;
        match call.function {
            Some(function) => self.function(call.id, function.get()),
            None => {
                Err(self.source.error(text, "expected a tool call with `function`, found none"))
            }
        }
    }

    /// `{name, arguments}`, with the id of the call.
    fn function(&mut self, id: Option<&'a RawValue>, text: &'a str) -> Result<(), ReadError> {
        let function: Function<'a> =
            self.object(text, "a function call (an object with `name`)")?;
        let Some(name) = function.name else {
            return Err(self
                .source
                .error(text, "expected a function call with a `name`, found none"));
        };
        let id = id.and_then(string);
        self.answers.expect(self.calls.len(), self.turn, id, &name);
        self.calls.push(ToolCall {
            server: None,
            name,
            args: function.arguments.map(arguments),
            result: None,
            is_error: None,
            turn: Some(self.turn),
            duration_ms: None,
            fault: None,
        });
        Ok(())
    }

    fn result(&mut self, message: &Message<'a>) {
        let id = message.tool_call_id.and_then(string);
        let name = message.name.and_then(string);
        if let Some(index) = self.answers.take(id.as_deref(), name.as_deref()) {
            let call = &mut self.calls[index];
            call.result = message.content.map(ToOwned::to_owned);
            call.is_error = Some(outcome::is_error(message));
        }
    }

    /// Reads an object that is a slice of the source.
    fn object<T: Deserialize<'a>>(&self, text: &'a str, expected: &str) -> Result<T, ReadError> {
        if !text.starts_with('{') {
            let message = format!("expected {expected}, found {}", kind_of(text));
            return Err(self.source.error(text, message));
        }
        self.source.json(text)
    }
}

/// Arguments: JSON within a string as the JSON it is, if it is; anything else as it came.
fn arguments(raw: &RawValue) -> Box<RawValue> {
    let parsed = string(raw).and_then(|text| match text.trim() {
        "" => RawValue::from_string("{}".to_owned()).ok(),
        json if too_deep(json).is_none() => RawValue::from_string(json.to_owned()).ok(),
        _ => None,
    });
    parsed.unwrap_or_else(|| raw.to_owned())
}

/// The string a raw value is, if it is one.
fn string(raw: &RawValue) -> Option<String> {
    serde_json::from_str(raw.get()).ok()
}
