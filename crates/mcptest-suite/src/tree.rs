//! YAML as a tree in which every key and value knows its place.
//!
//! serde stops at the first error and loses positions inside untagged shapes, so the whole file is
//! read into this tree first; the checks walk it, and only a tree without mistakes becomes types.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::{Location, Spanned};

use crate::diagnostic::{Diagnostic, Source, Span};

/// A YAML value with its place.
#[derive(Debug, Clone)]
pub struct Node {
    /// Where it stands; for a mapping or list, where it begins.
    pub span: Span,
    /// What it is.
    pub kind: Kind,
}

/// The shapes of a YAML value.
#[derive(Debug, Clone)]
pub enum Kind {
    /// Nothing, `~` or `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole or decimal number.
    Number(Number),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping, in the order written; a repeated key stays in.
    Map(Vec<Entry>),
}

/// One `key: value` of a mapping.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub key_span: Span,
    /// The value.
    pub value: Node,
}

/// Upper bound on YAML nodes; far above any suite a person writes, far below what hurts.
const MAX_NODES: usize = 2_000_000;

/// Deepest nesting. Each level costs a debug build some 30 KiB of stack, and threads have 2 MiB.
const MAX_DEPTH: usize = 48;

impl Node {
    /// Parses one YAML document.
    pub fn parse(source: &Source) -> Result<Self, Box<Diagnostic>> {
        let options = serde_saphyr::options! {
            // Repeated keys are reported by the checks, together with every other mistake.
            duplicate_keys: serde_saphyr::options::DuplicateKeyPolicy::LastWins,
            // As YAML 1.2 has it: `prompt: no` is a text.
            strict_booleans: true,
            with_snippet: false,
            budget: serde_saphyr::budget! { max_nodes: MAX_NODES, max_depth: MAX_DEPTH },
        };
        let raw: Raw = serde_saphyr::from_str_with_options(&source.text, options)
            .map_err(|error| Box::new(syntax_error(source, &error)))?;
        Ok(raw.into_node())
    }

    /// The value under `key`; of a repeated key the last one.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().rev().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// The entry under `key`, for its place.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().rev().find(|entry| entry.key == key)
    }

    /// The entries of a mapping; nothing for anything else.
    pub fn entries(&self) -> &[Entry] {
        if let Kind::Map(entries) = &self.kind { entries } else { &[] }
    }

    /// The items of a list; nothing for anything else.
    pub fn items(&self) -> &[Self] {
        if let Kind::List(items) = &self.kind { items } else { &[] }
    }

    /// The items under `key`; nothing where it is missing or no list.
    pub fn list(&self, key: &str) -> &[Self] {
        self.get(key).map_or(&[], Self::items)
    }

    /// The text, where it is text.
    pub fn text(&self) -> Option<&str> {
        if let Kind::Text(text) = &self.kind { Some(text) } else { None }
    }

    /// The text under `key`.
    pub fn text_at(&self, key: &str) -> Option<&str> {
        self.get(key)?.text()
    }

    /// The number, where it is one.
    pub fn number(&self) -> Option<f64> {
        if let Kind::Number(number) = &self.kind { number.as_f64() } else { None }
    }

    /// The same value as JSON.
    pub fn to_json(&self) -> Value {
        match &self.kind {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::Bool(*value),
            Kind::Number(value) => Value::Number(value.clone()),
            Kind::Text(value) => Value::String(value.clone()),
            Kind::List(items) => items.iter().map(Self::to_json).collect(),
            Kind::Map(entries) => Value::Object(
                entries
                    .iter()
                    .map(|entry| (entry.key.clone(), entry.value.to_json()))
                    .collect::<Map<_, _>>(),
            ),
        }
    }

    /// What it is, for "found …".
    pub fn describe(&self) -> String {
        match &self.kind {
            Kind::Null => "nothing".to_owned(),
            Kind::Bool(value) => format!("the boolean {value}"),
            Kind::Number(value) => format!("the number {value}"),
            Kind::Text(value) if value.is_empty() => "an empty text".to_owned(),
            Kind::Text(value) => format!("the text \"{}\"", shorten(value)),
            Kind::List(_) => "a list".to_owned(),
            Kind::Map(_) => "a mapping".to_owned(),
        }
    }
}

/// At most 40 characters of a value, for messages.
pub fn shorten(text: &str) -> String {
    if text.chars().count() <= 40 {
        return text.to_owned();
    }
    text.chars().take(39).chain(['…']).collect()
}

fn syntax_error(source: &Source, error: &serde_saphyr::Error) -> Diagnostic {
    let span = error.location().map_or(Span::new(0, 0), |location| span_of(source, location));
    let rendered = error.to_string();
    // The place is shown by the diagnostic itself.
    let reason = rendered.split(" at line ").next().unwrap_or(&rendered).trim();
    let (message, help) = in_our_words(source, span, reason);
    Diagnostic::error("yaml-syntax", source, span, message)
        .label("the parser stopped here")
        .help(help)
}

/// What the parser says, without its own vocabulary, and what to do about it.
fn in_our_words(source: &Source, span: Span, reason: &str) -> (String, &'static str) {
    let line_start =
        source.text[..span.start.min(source.text.len())].rfind('\n').map_or(0, |at| at + 1);
    let indent = source.text[line_start..].chars().take_while(|c| c.is_whitespace() && *c != '\n');
    if reason.starts_with("multiple YAML documents") {
        (
            "a file holds one YAML document, and here a second begins".to_owned(),
            "put it into a file of its own",
        )
    } else if reason.contains("budget breached") || reason.contains("limit exceeded") {
        (
            format!("the file is nested too deeply (more than {MAX_DEPTH} levels) or too large"),
            "make it flatter or smaller",
        )
    } else if reason.contains("non-finite") {
        ("a number must be finite".to_owned(), "write a number, or put the word in quotes")
    } else if indent.into_iter().any(|c| c == '\t') {
        (
            format!("this is not valid YAML: {reason}"),
            "indent with spaces: YAML does not allow tabs here",
        )
    } else {
        let help = "check indentation, quotes and brackets at and just before this place";
        (format!("this is not valid YAML: {reason}"), help)
    }
}

fn span_of(source: &Source, location: Location) -> Span {
    let span = location.span();
    if let (Some(start), Some(len)) = (span.byte_offset(), span.byte_len()) {
        return Span::new(start as usize, start as usize + len as usize);
    }
    // Scanner errors carry only line and column, counted in characters.
    let line_start = source
        .text
        .split_inclusive('\n')
        .take((location.line() as usize).saturating_sub(1))
        .map(str::len)
        .sum::<usize>();
    let column = (location.column() as usize).saturating_sub(1);
    let rest = &source.text[line_start.min(source.text.len())..];
    let start = line_start + rest.chars().take(column).map(char::len_utf8).sum::<usize>();
    Span::new(start, start + source.text[start..].chars().next().map_or(0, char::len_utf8))
}

/// What serde builds before spans are unwrapped.
struct Raw(Spanned<RawKind>);

enum RawKind {
    Leaf(Kind),
    List(Vec<Raw>),
    Map(Vec<(Spanned<String>, Raw)>),
}

impl Raw {
    fn into_node(self) -> Node {
        let kind = match self.0.value {
            RawKind::Leaf(kind) => kind,
            RawKind::List(items) => Kind::List(items.into_iter().map(Self::into_node).collect()),
            RawKind::Map(entries) => Kind::Map(
                entries
                    .into_iter()
                    .map(|(key, value)| Entry {
                        key_span: known_span(key.referenced),
                        key: key.value,
                        value: value.into_node(),
                    })
                    .collect(),
            ),
        };
        Node { span: known_span(self.0.referenced), kind }
    }
}

fn known_span(location: Location) -> Span {
    let span = location.span();
    let start = span.byte_offset().unwrap_or_default() as usize;
    Span::new(start, start + span.byte_len().unwrap_or_default() as usize)
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Spanned::deserialize(from).map(Self)
    }
}

impl<'de> Deserialize<'de> for RawKind {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = RawKind;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a YAML value")
    }

    fn visit_unit<E: Error>(self) -> Result<RawKind, E> {
        Ok(RawKind::Leaf(Kind::Null))
    }

    fn visit_none<E: Error>(self) -> Result<RawKind, E> {
        self.visit_unit()
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<RawKind, E> {
        Ok(RawKind::Leaf(Kind::Bool(value)))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<RawKind, E> {
        Ok(RawKind::Leaf(Kind::Number(value.into())))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<RawKind, E> {
        Ok(RawKind::Leaf(Kind::Number(value.into())))
    }

    fn visit_i128<E: Error>(self, value: i128) -> Result<RawKind, E> {
        Err(E::custom(format!("the number {value} is too large")))
    }

    fn visit_u128<E: Error>(self, value: u128) -> Result<RawKind, E> {
        Err(E::custom(format!("the number {value} is too large")))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<RawKind, E> {
        let number = Number::from_f64(value).ok_or_else(|| E::custom("a number must be finite"))?;
        Ok(RawKind::Leaf(Kind::Number(number)))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<RawKind, E> {
        Ok(RawKind::Leaf(Kind::Text(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<RawKind, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(RawKind::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<RawKind, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = access.next_key()? {
            entries.push((key, access.next_value()?));
        }
        Ok(RawKind::Map(entries))
    }
}
