//! The Streamable HTTP transport: each message a POST, answered by JSON or by an event stream.

use std::collections::BTreeMap;
use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Response, StatusCode};
use serde_json::Value;

use crate::error::{CallError, StartError};
use crate::frame::excerpt;
use crate::inbox::Inbox;
use crate::sse::Events;
use crate::stdio::{MAX_MESSAGE, answer_to};
use crate::violation::{Violation, ViolationKind};

/// A server behind a URL.
#[derive(Debug, Clone)]
pub struct HttpLink {
    client: reqwest::Client,
    url: String,
    headers: HeaderMap,
    inbox: Inbox,
    session: std::sync::Arc<Mutex<Session>>,
}

#[derive(Debug, Default)]
struct Session {
    /// Given by the server in the old lifecycle.
    id: Option<HeaderValue>,
    /// Sent along once the version is agreed on.
    protocol: Option<String>,
    /// The new lifecycle repeats method and name in headers.
    stateless: bool,
}

/// Headers that the new revision wants beside the body.
#[derive(Debug, Clone, Copy)]
pub struct Routing<'a> {
    /// The JSON-RPC method.
    pub method: &'a str,
    /// The tool, prompt or resource it is about.
    pub name: Option<&'a str>,
}

impl HttpLink {
    /// Prepares the client; nothing is sent yet.
    pub fn new(
        url: &str,
        headers: &BTreeMap<String, String>,
        inbox: &Inbox,
    ) -> Result<Self, StartError> {
        static PROVIDER: Once = Once::new();
        PROVIDER.call_once(|| {
            // Fails only where a provider is set already, which serves as well.
            let _ = rustls::crypto::ring::default_provider().install_default();
        });
        let bad = |what: String| StartError::Address(what);
        reqwest::Url::parse(url).map_err(|error| bad(format!("`{url}` is no address: {error}")))?;
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let key = HeaderName::try_from(name)
                .map_err(|_| bad(format!("`{name}` is no header name")))?;
            let mut value = HeaderValue::try_from(value).map_err(|_| {
                bad(format!("the value of header `{name}` has forbidden characters"))
            })?;
            value.set_sensitive(true);
            map.insert(key, value);
        }
        let client = reqwest::Client::builder()
            .connect_timeout(Duration::from_secs(10))
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .build()
            .map_err(|error| bad(error.to_string()))?;
        Ok(Self {
            client,
            url: url.to_owned(),
            headers: map,
            inbox: inbox.clone(),
            session: std::sync::Arc::default(),
        })
    }

    fn session(&self) -> std::sync::MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on every message says which version it speaks.
    pub fn agree(&self, protocol: &str, stateless: bool) {
        let mut session = self.session();
        session.protocol = Some(protocol.to_owned());
        session.stateless = stateless;
    }

    fn request(&self, message: String, routing: Routing<'_>) -> reqwest::RequestBuilder {
        let session = self.session();
        let mut request = self
            .client
            .post(&self.url)
            .headers(self.headers.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, text/event-stream")
            .body(message);
        if let Some(id) = &session.id {
            request = request.header("Mcp-Session-Id", id);
        }
        if let Some(protocol) = &session.protocol {
            request = request.header("MCP-Protocol-Version", protocol);
        }
        if session.stateless {
            request = request.header("Mcp-Method", routing.method);
            if let Some(name) = routing.name.and_then(|name| HeaderValue::try_from(name).ok()) {
                request = request.header("Mcp-Name", name);
            }
        }
        request
    }

    /// Sends a request; its answer goes to the inbox under `id`.
    pub async fn send_request(&self, message: String, id: u64, routing: Routing<'_>) {
        let outcome = match self.request(message, routing).send().await {
            Ok(response) => self.receive(response, id).await,
            Err(error) => Err(CallError::Connection(chain(&error))),
        };
        if let Err(reason) = outcome {
            self.inbox.fail(&[id], &reason);
        }
    }

    /// Sends a notification or an answer of ours.
    pub async fn send_note(&self, message: String, routing: Routing<'_>) -> Result<(), CallError> {
        let response = self
            .request(message, routing)
            .send()
            .await
            .map_err(|error| CallError::Connection(chain(&error)))?;
        let status = response.status();
        if status.is_success() {
            return Ok(());
        }
        let body = bounded_body(response).await.unwrap_or_default();
        Err(CallError::Connection(format!("HTTP {status}: {}", excerpt(&body))))
    }

    async fn receive(&self, response: Response, id: u64) -> Result<(), CallError> {
        if let Some(session) = response.headers().get("mcp-session-id") {
            self.session().id = Some(session.clone());
        }
        let status = response.status();
        let kind = response
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
            .to_owned();
        if status.is_success() && kind.starts_with("text/event-stream") {
            return self.stream(response).await;
        }
        let body = bounded_body(response).await?;
        let is_json = kind.starts_with("application/json");
        // An error status may still carry a JSON-RPC error, which says more.
        let usable = status.is_success() || (is_json && has_error(&body));
        if status == StatusCode::NOT_FOUND && self.session().id.take().is_some() {
            return Err(CallError::Died { how: "its HTTP session is gone (404)".to_owned() });
        }
        if !usable {
            return Err(refusal(status, &body));
        }
        if !is_json {
            let detail = format!("content type `{kind}` with HTTP {status}: {}", excerpt(&body));
            let violation = Violation::new(ViolationKind::BadHttp, detail);
            self.inbox.report(violation.clone());
            return Err(CallError::Violation(violation));
        }
        if status.is_success() {
            self.accept(&body);
        } else {
            // Middleware that refuses cannot always echo the id: the answer is ours all the same.
            self.accept(&with_id(&body, id));
        }
        Err(CallError::Violation(Violation::new(
            ViolationKind::BadHttp,
            "the HTTP answer does not answer the request".to_owned(),
        )))
    }

    async fn stream(&self, mut response: Response) -> Result<(), CallError> {
        let mut events = Events::new(MAX_MESSAGE);
        loop {
            match response.chunk().await {
                Ok(Some(bytes)) => {
                    for event in events.feed(&bytes).map_err(CallError::Violation)? {
                        self.accept(&event);
                    }
                }
                Ok(None) => {
                    return Err(CallError::Connection(
                        "the event stream ended without an answer".to_owned(),
                    ));
                }
                Err(error) => return Err(CallError::Connection(chain(&error))),
            }
        }
    }

    fn accept(&self, body: &[u8]) {
        for (id, method) in self.inbox.accept(body) {
            let link = self.clone();
            let answer = answer_to(&id, &method).to_string();
            let note = async move {
                link.send_note(answer, Routing { method: "response", name: None }).await
            };
            tokio::spawn(tokio::time::timeout(Duration::from_secs(5), note));
        }
    }

    /// Ends the session, where there is one.
    pub async fn close(&self) {
        let (id, protocol) = {
            let mut session = self.session();
            (session.id.take(), session.protocol.clone())
        };
        let Some(id) = id else { return };
        let mut request = self
            .client
            .delete(&self.url)
            .headers(self.headers.clone())
            .header("Mcp-Session-Id", id);
        if let Some(protocol) = protocol {
            request = request.header("MCP-Protocol-Version", protocol);
        }
        let _ = request.timeout(Duration::from_secs(2)).send().await;
    }
}

/// Reads a body up to the limit.
async fn bounded_body(mut response: Response) -> Result<Vec<u8>, CallError> {
    let mut body = Vec::new();
    while let Some(chunk) =
        response.chunk().await.map_err(|error| CallError::Connection(chain(&error)))?
    {
        if body.len() + chunk.len() > MAX_MESSAGE {
            let detail =
                format!("an HTTP body of more than {MAX_MESSAGE} bytes: {}", excerpt(&body));
            return Err(CallError::Violation(Violation::new(ViolationKind::Oversized, detail)));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn has_error(body: &[u8]) -> bool {
    serde_json::from_slice::<Value>(body)
        .is_ok_and(|value| value.get("error").is_some_and(Value::is_object))
}

fn with_id(body: &[u8], id: u64) -> Vec<u8> {
    match serde_json::from_slice::<Value>(body) {
        Ok(Value::Object(mut message)) => {
            message.insert("id".to_owned(), id.into());
            Value::Object(message).to_string().into_bytes()
        }
        _ => body.to_vec(),
    }
}

fn refusal(status: StatusCode, body: &[u8]) -> CallError {
    let text = if body.is_empty() { String::new() } else { format!(": {}", excerpt(body)) };
    CallError::Refused {
        code: Some(i64::from(status.as_u16())),
        message: format!("HTTP {status}{text}"),
        data: None,
    }
}

/// An error with its causes, without the address (which may hold a secret).
fn chain(error: &reqwest::Error) -> String {
    let mut text = if error.is_connect() {
        "cannot connect".to_owned()
    } else if error.is_timeout() {
        "timed out".to_owned()
    } else {
        "the HTTP exchange broke off".to_owned()
    };
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
