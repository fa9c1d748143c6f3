//! The forms a trace comes in, told apart by what they hold.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::incoming::Incoming;
use super::object::Object;
use super::{ReadError, Source};
use crate::chat;
use crate::trace::{RunStatus, Tokens, Trace};

/// What tells a chat message from a trace.
#[derive(Deserialize)]
struct Marks {
    role: Option<IgnoredAny>,
    messages: Option<IgnoredAny>,
    traj: Option<IgnoredAny>,
    trajectory: Option<IgnoredAny>,
}

/// Whether `object` is a single chat message: it has a `role` and no conversation.
fn is_message(object: &str) -> bool {
    serde_json::from_str(object).is_ok_and(|Object::<Marks>(marks)| {
        marks.role.is_some()
            && marks.messages.is_none()
            && marks.traj.is_none()
            && marks.trajectory.is_none()
    })
}

/// Whether `array` is one conversation, by its first element.
pub(super) fn is_conversation(array: &[u8]) -> bool {
    let Some(rest) = array.strip_prefix(b"[") else {
        return false;
    };
    let mut values = serde_json::Deserializer::from_slice(rest).into_iter::<&RawValue>();
    values.next().is_some_and(|first| first.is_ok_and(|first| is_message(first.get())))
}

/// A bare array of chat messages.
pub(super) fn bare_conversation<'a>(
    source: &Source<'a>,
    array: &'a str,
) -> Result<Trace, ReadError> {
    let raw: &RawValue = source.json(array)?;
    let mut trace = Trace::default();
    chat::read_messages(source, raw.get(), &mut trace)?;
    Ok(trace)
}

/// An object of any form.
pub(super) fn object<'a>(source: &Source<'a>, text: &'a str) -> Result<Trace, ReadError> {
    let incoming: Incoming<'a> = source
        .json(text)
        .map_err(|error| if is_message(text) { error.help(MESSAGE_HELP) } else { error })?;
    let conversation = incoming.messages.or(incoming.traj).or(incoming.trajectory);
    match conversation {
        None if incoming.role.is_some() => Err(source
            .error(text, "expected a trace, found a single chat message (an object with `role`)")
            .help(MESSAGE_HELP)),
        // An empty list beside a conversation is a recorder that left the calls in the messages.
        _ if incoming
            .tool_calls
            .as_ref()
            .is_some_and(|calls| conversation.is_none() || !calls.is_empty()) =>
        {
            Ok(incoming.into_trace())
        }
        None => Err(unknown_form(source, text)),
        Some(messages) => foreign(source, incoming, messages),
    }
}

const MESSAGE_HELP: &str =
    "put the messages of one conversation into one array, or into `{\"messages\": [..]}`";

/// OpenAI chat and τ-bench: a conversation with things around it.
fn foreign<'a>(
    source: &Source<'a>,
    mut incoming: Incoming<'a>,
    messages: &'a RawValue,
) -> Result<Trace, ReadError> {
    let usage = incoming.usage.map(|raw| source.json::<Object<Usage>>(raw.get())).transpose()?;
    if incoming.surface.is_none()
        && let Some(tools) = incoming.tools.or(incoming.functions)
    {
        incoming.surface = Some(chat::read_tools(source, tools.get())?);
    }
    if incoming.messages.is_none() {
        tau_bench(&mut incoming);
    }
    let mut trace = incoming.into_trace();
    if let Some(Object(usage)) = usage
        && trace.conversation.tokens == Tokens::default()
    {
        trace.conversation.tokens = Tokens {
            prompt: usage.prompt_tokens,
            completion: usage.completion_tokens,
            total: usage.total_tokens,
        };
    }
    chat::read_messages(source, messages.get(), &mut trace)?;
    Ok(trace)
}

/// The `usage` of an OpenAI response.
#[derive(Deserialize)]
struct Usage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    total_tokens: Option<u64>,
}

/// A τ-bench trial that ended in an exception of the harness is inconclusive, not the agent's
/// failure. Its `task_id` names no test of a suite, so it is left alone.
fn tau_bench(incoming: &mut Incoming<'_>) {
    if incoming.status.is_none()
        && let Some(info) = incoming.info
        && let Ok(Object(Info { error: Some(error) })) = serde_json::from_str(info.get())
    {
        incoming.status = Some(RunStatus::Inconclusive);
        incoming.cause.get_or_insert(error);
    }
}

/// The part of τ-bench's `info` that an exception leaves.
#[derive(Deserialize)]
struct Info {
    error: Option<String>,
}

/// The error for an object of no known form, which names some of the keys it has.
fn unknown_form(source: &Source<'_>, text: &str) -> ReadError {
    const SHOWN: usize = 5;
    let keys: BTreeMap<String, IgnoredAny> = serde_json::from_str(text).unwrap_or_default();
    let name = |key: &String| format!("`{}`", key.chars().take(40).collect::<String>());
    let mut found: Vec<String> = keys.keys().take(SHOWN).map(name).collect();
    if keys.len() > SHOWN {
        found.push(format!("{} more", keys.len() - SHOWN));
    }
    let found = if found.is_empty() { "no keys".to_owned() } else { found.join(", ") };
    source
        .error(text, format!("expected an object with `tool_calls` or `messages`, found {found}"))
        .help("a trace has `tool_calls`, an OpenAI chat `messages`, a τ-bench run `traj`")
}
