//! JSON-RPC 2.0 frames over plain values.

use serde_json::{Map, Value, json};

/// A message that came in.
#[derive(Debug)]
pub enum Frame {
    /// Wants an answer.
    Request(Request),
    /// Wants none.
    Notification {
        /// What happened.
        method: String,
        /// More about it.
        params: Map<String, Value>,
    },
    /// An answer to us, who ask nothing.
    Response,
    /// No message at all; the id is null where none could be read.
    Invalid {
        /// The id to answer to.
        id: Value,
        /// What is wrong.
        failure: Failure,
    },
}

/// A request.
#[derive(Debug)]
pub struct Request {
    /// A text or a number.
    pub id: Value,
    /// What is asked.
    pub method: String,
    /// With what.
    pub params: Map<String, Value>,
}

impl Request {
    /// The request's `_meta`, or one of its keys.
    pub fn meta(&self, key: &str) -> Option<&Value> {
        self.params.get("_meta")?.get(key)
    }

    /// A text among the parameters.
    pub fn text(&self, key: &str) -> Result<&str, Failure> {
        self.params.get(key).and_then(Value::as_str).ok_or_else(|| {
            Failure::invalid_params(format!("Invalid params: `{key}` must be a string"))
        })
    }

    /// The parameter `arguments`; an empty mapping where there is none.
    pub fn arguments(&self) -> Result<Value, Failure> {
        match self.params.get("arguments") {
            None | Some(Value::Null) => Ok(Value::Object(Map::new())),
            Some(arguments @ Value::Object(_)) => Ok(arguments.clone()),
            Some(_) => {
                Err(Failure::invalid_params("Invalid params: `arguments` must be an object"))
            }
        }
    }
}

impl Frame {
    /// Tells what a value is.
    pub fn read(message: Value) -> Self {
        let Value::Object(mut map) = message else {
            let failure = Failure::invalid_request("Invalid request: not an object");
            return Self::Invalid { id: Value::Null, failure };
        };
        let id = map.shift_remove("id");
        let known = id.clone().filter(|id| id.is_string() || id.is_number());
        let invalid = |failure| Self::Invalid { id: known.clone().unwrap_or_default(), failure };
        if map.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            let why = "Invalid request: `jsonrpc` must be \"2.0\"";
            return invalid(Failure::invalid_request(why));
        }
        let Some(method) = map.shift_remove("method") else {
            let answers = map.contains_key("result") || map.contains_key("error");
            let why = "Invalid request: neither a method nor a result";
            return if answers { Self::Response } else { invalid(Failure::invalid_request(why)) };
        };
        let Value::String(method) = method else {
            return invalid(Failure::invalid_request("Invalid request: `method` must be a string"));
        };
        let params = match map.shift_remove("params") {
            None => Map::new(),
            Some(Value::Object(params)) => params,
            Some(_) if id.is_none() => Map::new(),
            Some(_) => {
                let why = "Invalid params: `params` must be an object";
                return invalid(Failure::invalid_params(why));
            }
        };
        match (id, known) {
            (None, _) => Self::Notification { method, params },
            (Some(_), Some(id)) => Self::Request(Request { id, method, params }),
            (Some(_), None) => {
                let why = "Invalid request: `id` must be a string or a number";
                Self::Invalid { id: Value::Null, failure: Failure::invalid_request(why) }
            }
        }
    }
}

/// A JSON-RPC error.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// The code.
    pub code: i64,
    /// What went wrong.
    pub message: String,
    /// More about it, for machines.
    pub data: Option<Value>,
}

/// The message cannot be read as JSON.
pub const PARSE_ERROR: i64 = -32700;
/// The message is no request.
pub const INVALID_REQUEST: i64 = -32600;
/// No such method here.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters do not fit the method.
pub const INVALID_PARAMS: i64 = -32602;
/// No such resource, before 2026-07-28.
pub const RESOURCE_NOT_FOUND: i64 = -32002;
/// The HTTP headers contradict the body.
pub const HEADER_MISMATCH: i64 = -32020;
/// The client lacks a capability that the call needs.
pub const MISSING_CAPABILITY: i64 = -32021;
/// No such revision of the protocol here.
pub const UNSUPPORTED_VERSION: i64 = -32022;

impl Failure {
    /// An error with a code.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// The message is no request.
    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(INVALID_REQUEST, message)
    }

    /// The parameters do not fit.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(INVALID_PARAMS, message)
    }

    /// Adds data for machines.
    #[must_use]
    pub fn data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// The whole message.
    pub fn message(&self, id: &Value) -> Value {
        let mut error = json!({"code": self.code, "message": self.message});
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        json!({"jsonrpc": "2.0", "id": id, "error": error})
    }
}

/// The whole message of a result.
pub fn success(id: Value, result: Map<String, Value>) -> Value {
    let mut message = Map::new();
    message.insert("jsonrpc".to_owned(), "2.0".into());
    message.insert("id".to_owned(), id);
    message.insert("result".to_owned(), Value::Object(result));
    Value::Object(message)
}
