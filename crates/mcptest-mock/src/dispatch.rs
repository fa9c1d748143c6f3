//! From a message to its reply.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::lifecycle::{
    Lifecycle, Offers, Session, cacheable, check_capabilities, not_initialized, wants_logs,
};
use crate::manifest::FaultKind;
use crate::mock::Mock;
use crate::rpc::{
    Failure, Frame, METHOD_NOT_FOUND, PARSE_ERROR, RESOURCE_NOT_FOUND, Request, success,
};
use crate::tool::Called;

/// What to send for a message, and when.
#[derive(Debug, Default, PartialEq)]
pub struct Reply {
    /// Notifications to send at once.
    pub notifications: Vec<Value>,
    /// How long to wait before the rest.
    pub delay: Duration,
    /// The rest.
    pub body: Body,
}

/// What to send in the end.
#[derive(Debug, Default, PartialEq)]
pub enum Body {
    /// Nothing: the message wanted no answer.
    #[default]
    Nothing,
    /// An answer.
    Message(Value),
    /// A fault: this answer, but cut in the middle.
    Garbage(Value),
    /// A fault: nothing, though an answer is wanted.
    Hang,
    /// A fault: the process ends.
    Crash,
    /// Nothing, and no answer to the request with this id if it is still waiting.
    Cancel(Value),
}

impl Reply {
    fn message(value: Value) -> Self {
        Self { body: Body::Message(value), ..Self::default() }
    }

    /// The reply to something that is no JSON.
    pub fn parse_error(why: &str) -> Self {
        let failure = Failure::new(PARSE_ERROR, format!("Parse error: {why}"));
        Self::message(failure.message(&Value::Null))
    }
}

impl Body {
    /// The bytes of an answer, whole or cut as the fault wants it.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        match self {
            Self::Message(value) => Some(value.to_string().into_bytes()),
            Self::Garbage(value) => {
                let mut bytes = value.to_string().into_bytes();
                bytes.truncate(bytes.len() / 2);
                Some(bytes)
            }
            _ => None,
        }
    }
}

/// Methods whose results may be cached, and say so in the stateless revision.
const CACHEABLE: [&str; 5] =
    ["tools/list", "resources/list", "resources/templates/list", "resources/read", "prompts/list"];
const LOG_LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

impl Mock {
    /// Answers the bytes of one message or batch.
    pub fn handle_bytes(&self, bytes: &[u8], session: &Session) -> Reply {
        match serde_json::from_slice(bytes) {
            Ok(message) => self.handle(message, session),
            Err(error) => Reply::parse_error(&error.to_string()),
        }
    }

    /// Answers one message or batch.
    pub fn handle(&self, message: Value, session: &Session) -> Reply {
        match message {
            Value::Array(messages) => self.batch(messages, session),
            message => self.frame(Frame::read(message), session),
        }
    }

    /// Answers one frame.
    pub(crate) fn frame(&self, frame: Frame, session: &Session) -> Reply {
        match frame {
            Frame::Request(request) => self.request(request, session),
            Frame::Notification { method, mut params } if method == "notifications/cancelled" => {
                let id = params.shift_remove("requestId").unwrap_or_default();
                Reply { body: Body::Cancel(id), ..Reply::default() }
            }
            Frame::Notification { .. } | Frame::Response => Reply::default(),
            Frame::Invalid { id, failure } => Reply::message(failure.message(&id)),
        }
    }

    /// Answers the messages of a batch together, as the older revisions have it. Of their faults
    /// the worst one strikes the whole batch.
    fn batch(&self, messages: Vec<Value>, session: &Session) -> Reply {
        if messages.is_empty() {
            let failure = Failure::invalid_request("Invalid request: an empty batch");
            return Reply::message(failure.message(&Value::Null));
        }
        let mut whole = Reply::default();
        let mut answers = Vec::new();
        let (mut hangs, mut crashes, mut garbage) = (false, false, false);
        for message in messages {
            let reply = self.frame(Frame::read(message), session);
            whole.notifications.extend(reply.notifications);
            whole.delay = whole.delay.max(reply.delay);
            match reply.body {
                Body::Message(answer) => answers.push(answer),
                Body::Garbage(answer) => {
                    garbage = true;
                    answers.push(answer);
                }
                Body::Hang => hangs = true,
                Body::Crash => crashes = true,
                Body::Nothing | Body::Cancel(_) => {}
            }
        }
        whole.body = match (crashes, hangs, garbage) {
            (true, ..) => Body::Crash,
            (_, true, _) => Body::Hang,
            (.., true) => Body::Garbage(Value::Array(answers)),
            _ if answers.is_empty() => Body::Nothing,
            _ => Body::Message(Value::Array(answers)),
        };
        whole
    }

    fn request(&self, request: Request, session: &Session) -> Reply {
        let lifecycle = match Lifecycle::of(&request) {
            Ok(lifecycle) => lifecycle,
            Err(failure) => return Reply::message(failure.message(&request.id)),
        };
        let early = ["initialize", "ping"].contains(&request.method.as_str());
        if lifecycle == Lifecycle::Handshake && session.version().is_none() && !early {
            return Reply::message(not_initialized().message(&request.id));
        }
        if request.method == "tools/call" {
            return self.call_request(request, lifecycle);
        }
        let answer = match lifecycle {
            Lifecycle::Handshake => self.handshake_method(&request, session),
            Lifecycle::Stateless => self.stateless_method(&request),
        };
        Reply::message(match answer {
            Ok(result) => success(request.id, result),
            Err(failure) => failure.message(&request.id),
        })
    }

    fn handshake_method(
        &self,
        request: &Request,
        session: &Session,
    ) -> Result<Map<String, Value>, Failure> {
        match request.method.as_str() {
            "initialize" => self.identity().initialize(request, self.offers(), session),
            "ping" => Ok(Map::new()),
            "logging/setLevel" => {
                let level = request.text("level")?;
                let known = LOG_LEVELS.contains(&level);
                let unknown =
                    || Failure::invalid_params(format!("Invalid params: no log level {level}"));
                known.then(Map::new).ok_or_else(unknown)
            }
            "resources/subscribe" | "resources/unsubscribe" if self.offers().resources => {
                request.text("uri").map(|_| Map::new())
            }
            _ => self.method(request, Lifecycle::Handshake),
        }
    }

    fn stateless_method(&self, request: &Request) -> Result<Map<String, Value>, Failure> {
        let mut result = match request.method.as_str() {
            "server/discover" => self.identity().discover(self.offers()),
            _ => self.method(request, Lifecycle::Stateless)?,
        };
        if CACHEABLE.contains(&request.method.as_str()) {
            cacheable(&mut result);
        }
        Ok(self.identity().complete(result))
    }

    /// The methods that both lifecycles share.
    fn method(
        &self,
        request: &Request,
        lifecycle: Lifecycle,
    ) -> Result<Map<String, Value>, Failure> {
        let Offers { resources, prompts } = self.offers();
        match request.method.as_str() {
            "tools/list" => self.page(request, "tools", self.tools()),
            "resources/list" if resources => {
                self.page(request, "resources", &self.resources().entries)
            }
            "resources/templates/list" if resources => {
                self.page(request, "resourceTemplates", &self.resources().template_entries)
            }
            "resources/read" if resources => {
                let uri = request.text("uri")?;
                self.resources().read(uri).ok_or_else(|| no_resource(uri, lifecycle))
            }
            "prompts/list" if prompts => self.page(request, "prompts", &self.prompts().entries),
            "prompts/get" if prompts => {
                self.prompts().get(request.text("name")?, &request.arguments()?)
            }
            "completion/complete" if resources || prompts => {
                let empty = json!({"values": [], "total": 0, "hasMore": false});
                Ok(Map::from_iter([("completion".to_owned(), empty)]))
            }
            other => Err(Failure::new(METHOD_NOT_FOUND, format!("Method not found: {other}"))),
        }
    }

    /// One page of a list.
    fn page(
        &self,
        request: &Request,
        key: &str,
        all: &[Value],
    ) -> Result<Map<String, Value>, Failure> {
        let start = match request.params.get("cursor") {
            None | Some(Value::Null) => 0,
            Some(cursor) => cursor
                .as_str()
                .and_then(|cursor| cursor.parse::<usize>().ok())
                .filter(|start| *start > 0 && *start < all.len() && self.page_size().is_some())
                .ok_or_else(|| Failure::invalid_params(format!("Invalid cursor: {cursor}")))?,
        };
        let size = self.page_size().unwrap_or(all.len());
        let end = start.saturating_add(size).min(all.len());
        let mut result = Map::new();
        result.insert(key.to_owned(), Value::Array(all[start..end].to_vec()));
        if end < all.len() {
            result.insert("nextCursor".to_owned(), end.to_string().into());
        }
        Ok(result)
    }

    fn call_request(&self, request: Request, lifecycle: Lifecycle) -> Reply {
        let mut called = match self.call_of(&request, lifecycle) {
            Ok(called) => called,
            Err(failure) => return Reply::message(failure.message(&request.id)),
        };
        let result = match lifecycle {
            Lifecycle::Handshake => called.result,
            Lifecycle::Stateless => self.identity().complete(called.result),
        };
        if lifecycle == Lifecycle::Stateless && !wants_logs(&request) {
            called.notifications.retain(|one| one["method"] != "notifications/message");
        }
        let message = success(request.id, result);
        let body = match called.fault {
            Some(FaultKind::Hang) => Body::Hang,
            Some(FaultKind::Crash) => Body::Crash,
            Some(FaultKind::Garbage) => Body::Garbage(message),
            _ => Body::Message(message),
        };
        Reply { notifications: called.notifications, delay: called.delay, body }
    }

    fn call_of(&self, request: &Request, lifecycle: Lifecycle) -> Result<Called, Failure> {
        let name = request.text("name")?;
        let arguments = request.arguments()?;
        let tool = self
            .tool(name)
            .ok_or_else(|| Failure::invalid_params(format!("Unknown tool: {name}")))?;
        if lifecycle == Lifecycle::Stateless {
            check_capabilities(request, &tool.requires)?;
        }
        Ok(tool.call(&arguments, request.meta("progressToken")))
    }
}

fn no_resource(uri: &str, lifecycle: Lifecycle) -> Failure {
    let message = format!("Resource not found: {uri}");
    match lifecycle {
        Lifecycle::Handshake => Failure::new(RESOURCE_NOT_FOUND, message),
        Lifecycle::Stateless => Failure::invalid_params(message),
    }
    .data(json!({"uri": uri}))
}

#[cfg(test)]
mod tests;
