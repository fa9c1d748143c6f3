//! What a tool message says, and whether it says that the tool failed.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Message, string};

/// Beginnings of a result that say it is an error, in lower case.
const ERROR_PREFIXES: [&str; 3] = ["error:", "error executing tool", "error calling tool"];

/// Whether a tool message reports an error, by the rule in the doc comment of [`super`].
pub(super) fn is_error(message: &Message<'_>) -> bool {
    is_true(message.is_error)
        || is_true(message.is_error_camel)
        || message.status.and_then(string).is_some_and(|status| status == "error")
        || message.content.is_some_and(|content| {
            let text = text_of(content).unwrap_or(Cow::Borrowed(content.get()));
            is_error_text(text.trim())
        })
}

fn is_error_text(text: &str) -> bool {
    let begins_with = |prefix: &&str| {
        text.get(..prefix.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(prefix))
    };
    if ERROR_PREFIXES.iter().any(begins_with) {
        return true;
    }
    // Most results are not objects, or have no such key: worth knowing before parsing them.
    if !text.starts_with('{') || !(text.contains("rror")) {
        return false;
    }
    serde_json::from_str::<Flags<'_>>(text).is_ok_and(|flags| {
        is_true(flags.is_error) || flags.error.is_some_and(|error| error.get() != "false")
    })
}

/// The keys of a result that say it is an error.
#[derive(Deserialize)]
struct Flags<'a> {
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow, rename = "isError")]
    is_error: Option<&'a RawValue>,
}

fn is_true(raw: Option<&RawValue>) -> bool {
    raw.is_some_and(|raw| raw.get() == "true")
}

/// The text of a message's content: a string, or the text parts of an array, joined.
pub(super) fn text_of(content: &RawValue) -> Option<Cow<'_, str>> {
    match content.get().bytes().next() {
        Some(b'"') => match serde_json::from_str::<Text<'_>>(content.get()) {
            Ok(Text(text)) => Some(text),
            Err(_) => None,
        },
        Some(b'[') => {
            let parts: Vec<Part<'_>> = parts(content);
            let texts: Vec<String> = parts.iter().filter_map(Part::text).collect();
            (!texts.is_empty()).then(|| Cow::Owned(texts.concat()))
        }
        _ => None,
    }
}

/// Whether an array of parts holds a call as Anthropic writes it.
pub(super) fn has_tool_use(content: &RawValue) -> bool {
    let is_tool_use = |part: &Part<'_>| part.kind.is_some_and(|kind| kind.get() == "\"tool_use\"");
    content.get().starts_with('[') && parts(content).iter().any(is_tool_use)
}

/// A string that is borrowed where it has no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// A part of a content array.
#[derive(Default, Deserialize)]
struct Part<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    text: Option<&'a RawValue>,
}

impl Part<'_> {
    fn text(&self) -> Option<String> {
        self.text.and_then(string)
    }
}

/// The parts of a content array; what is not an object is a part without text.
fn parts(content: &RawValue) -> Vec<Part<'_>> {
    let raw: Vec<&RawValue> = serde_json::from_str(content.get()).unwrap_or_default();
    raw.into_iter().map(|part| serde_json::from_str(part.get()).unwrap_or_default()).collect()
}
