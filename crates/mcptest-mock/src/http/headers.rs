//! What the headers of a request must say, and that they agree with its body.

use axum::http::{HeaderMap, header};
use serde_json::Value;

use crate::lifecycle::{HANDSHAKE, Lifecycle, STATELESS, missing_meta, named_version, unsupported};
use crate::mock::Mock;
use crate::rpc::{Failure, HEADER_MISMATCH, Request};

const VERSION: &str = "mcp-protocol-version";
const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";
const PARAMETER: &str = "mcp-param-";

/// What the client reads.
#[derive(Debug, Clone, Copy)]
pub struct Accepted {
    /// One JSON message.
    pub json: bool,
    /// Server-sent events.
    pub events: bool,
}

impl Accepted {
    /// From the `Accept` headers; without any, everything.
    pub fn of(headers: &HeaderMap) -> Self {
        let mut all = headers.get_all(header::ACCEPT).iter().peekable();
        if all.peek().is_none() {
            return Self { json: true, events: false };
        }
        let mut accepted = Self { json: false, events: false };
        for value in all.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','))
        {
            match media_type(value).as_str() {
                "*/*" => accepted = Self { json: true, events: true },
                "application/json" | "application/*" => accepted.json = true,
                "text/event-stream" | "text/*" => accepted.events = true,
                _ => {}
            }
        }
        accepted
    }
}

fn media_type(value: &str) -> String {
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether the body is said to be JSON.
pub fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.is_some_and(|kind| media_type(kind) == "application/json")
}

/// Whether the request is one of the stateless revision.
pub fn is_stateless(headers: &HeaderMap) -> bool {
    headers.get(VERSION).is_some_and(|version| version == STATELESS)
}

/// The version in the header must be known; older clients send none.
pub fn check_version(headers: &HeaderMap) -> Result<(), Failure> {
    match single(headers, VERSION)? {
        Some(version) if version != STATELESS && !HANDSHAKE.contains(&version) => {
            Err(unsupported(&version.into()))
        }
        _ => Ok(()),
    }
}

/// Which rules the request follows, if its headers allow it at all.
pub fn check(headers: &HeaderMap, request: &Request, mock: &Mock) -> Result<Lifecycle, Failure> {
    let version = single(headers, VERSION)?;
    if request.method == "initialize" && named_version(request).is_none() {
        check_method(headers, request, false)?;
        return Ok(Lifecycle::Handshake);
    }
    match (named_version(request).and_then(Value::as_str), version) {
        (None, Some(STATELESS)) => {
            return Err(missing_meta(&["io.modelcontextprotocol/protocolVersion"]));
        }
        (None, _) => check_version(headers)?,
        (Some(_), None) => return Err(mismatch("the MCP-Protocol-Version header is missing")),
        (Some(body), Some(header)) if body != header => {
            let why = format!("MCP-Protocol-Version is `{header}`, the body says `{body}`");
            return Err(mismatch(&why));
        }
        _ => {}
    }
    let lifecycle = Lifecycle::of(request)?;
    if lifecycle == Lifecycle::Stateless && version == Some(STATELESS) {
        check_method(headers, request, true)?;
        check_name(headers, request)?;
        check_parameters(headers, request, mock)?;
    }
    Ok(lifecycle)
}

fn mismatch(why: &str) -> Failure {
    Failure::new(HEADER_MISMATCH, format!("Header mismatch: {why}"))
}

/// The only value of a header; twice the same header is an attempt to be read in two ways.
fn single<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, Failure> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(mismatch(&format!("{name} is given twice")));
    }
    let text = std::str::from_utf8(value.as_bytes());
    text.map(|text| Some(text.trim())).map_err(|_| mismatch(&format!("{name} is no text")))
}

fn check_method(headers: &HeaderMap, request: &Request, needed: bool) -> Result<(), Failure> {
    match single(headers, METHOD)? {
        None if needed => Err(mismatch("the Mcp-Method header is missing")),
        Some(method) if method != request.method => {
            Err(mismatch(&format!("Mcp-Method is `{method}`, the body says `{}`", request.method)))
        }
        _ => Ok(()),
    }
}

fn check_name(headers: &HeaderMap, request: &Request) -> Result<(), Failure> {
    let key = match request.method.as_str() {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return Ok(()),
    };
    let Some(expected) = request.params.get(key).and_then(Value::as_str) else { return Ok(()) };
    let Some(raw) = single(headers, NAME)? else {
        return Err(mismatch("the Mcp-Name header is missing"));
    };
    agree("Mcp-Name", raw, expected)
}

/// Arguments that the tool's schema marks with `x-mcp-header` stand in headers too.
fn check_parameters(headers: &HeaderMap, request: &Request, mock: &Mock) -> Result<(), Failure> {
    if request.method != "tools/call" {
        return Ok(());
    }
    let name = request.params.get("name");
    let tool = mock.tools().iter().find(|tool| tool.get("name") == name);
    let Some(schema) = tool.and_then(|tool| tool.get("inputSchema")) else { return Ok(()) };
    let arguments = request.params.get("arguments").unwrap_or(&Value::Null);
    let mut marked = Vec::new();
    collect(schema, Some(arguments), &mut marked);
    for (header, value) in marked {
        let name = format!("{PARAMETER}{}", header.to_ascii_lowercase());
        let expected = match value {
            Some(Value::String(text)) => Some(text.clone()),
            Some(value @ (Value::Bool(_) | Value::Number(_))) => Some(value.to_string()),
            _ => None,
        };
        match (single(headers, &name)?, expected) {
            (None, None) => {}
            (Some(raw), Some(expected)) => agree(&name, raw, &expected)?,
            (Some(_), None) => return Err(mismatch(&format!("{name} is not in the body"))),
            (None, Some(_)) => return Err(mismatch(&format!("{name} is missing"))),
        }
    }
    Ok(())
}

/// The marked properties below a schema, with the arguments' values for them.
fn collect<'v>(
    schema: &'v Value,
    arguments: Option<&'v Value>,
    marked: &mut Vec<(&'v str, Option<&'v Value>)>,
) {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, schema) in properties.into_iter().flatten() {
        let value = arguments.and_then(|arguments| arguments.get(name));
        if let Some(header) = schema.get("x-mcp-header").and_then(Value::as_str) {
            marked.push((header, value));
        }
        collect(schema, value, marked);
    }
}

fn agree(name: &str, raw: &str, expected: &str) -> Result<(), Failure> {
    let Some(value) = decode(raw) else {
        return Err(mismatch(&format!("{name} is no valid Base64")));
    };
    if value == expected {
        return Ok(());
    }
    Err(mismatch(&format!("{name} is `{value}`, the body says `{expected}`")))
}

/// A header's value; what a header cannot hold travels as `=?base64?…?=`.
fn decode(raw: &str) -> Option<String> {
    match raw.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        Some(inner) => String::from_utf8(base64(inner)?).ok(),
        None => Some(raw.to_owned()),
    }
}

/// Standard Base64 with its padding.
fn base64(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(u32::from(byte - b'A')),
        b'a'..=b'z' => Some(u32::from(byte - b'a') + 26),
        b'0'..=b'9' => Some(u32::from(byte - b'0') + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let digits = text.trim_end_matches('=');
    if text.len() - digits.len() > 2 {
        return None;
    }
    let mut bytes = Vec::new();
    for chunk in digits.as_bytes().chunks(4) {
        let mut bits = 0_u32;
        for byte in chunk {
            bits = bits << 6 | digit(*byte)?;
        }
        bits <<= 6 * (4 - chunk.len());
        bytes.extend_from_slice(&bits.to_be_bytes()[1..chunk.len()]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read() {
        for (text, bytes) in
            [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("w6k/", "é?")]
        {
            assert_eq!(base64(text).as_deref(), Some(bytes.as_bytes()), "{text}");
        }
        for text in ["Zg", "Z===", "====", "Zm9v!", "Z-=="] {
            assert_eq!(base64(text), None, "{text}");
        }
        assert_eq!(decode("=?base64?w6k=?=").as_deref(), Some("é"));
        assert_eq!(decode("plain").as_deref(), Some("plain"));
    }
}
