//! The Streamable HTTP transport, at `/mcp` and `/`.

mod guard;
mod headers;
mod reply;
mod sessions;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::serve::ListenerExt;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::lifecycle::{Lifecycle, Session};
use crate::mock::Mock;
use crate::rpc::{Failure, Frame, PARSE_ERROR, Request};
use crate::{Crash, MAX_MESSAGE};
use guard::Guard;
use headers::Accepted;
use reply::failed;
use sessions::Sessions;

/// Serves on an address until the process ends; `ready` learns the address once connections are
/// accepted. Bound to a loopback address, only requests for and from this machine are answered.
/// Ends with [`Crash`] where a fault wants that.
pub async fn serve_http(
    mock: Mock,
    address: SocketAddr,
    ready: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    let listener = TcpListener::bind(address).await?;
    let address = listener.local_addr()?;
    let (crash, mut crashed) = mpsc::channel(1);
    let server =
        Arc::new(Server { mock, sessions: Sessions::new(), guard: Guard::new(address), crash });
    let methods = post(answer).get(listen).delete(leave);
    let router = Router::new()
        .route("/mcp", methods.clone())
        .route("/", methods)
        .layer(DefaultBodyLimit::max(MAX_MESSAGE))
        .with_state(server);
    // Small answers must not wait for the acknowledgement of the ones before.
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    ready(address);
    tokio::select! {
        ended = axum::serve(listener, router) => ended,
        _ = crashed.recv() => Err(Crash.into()),
    }
}

struct Server {
    mock: Mock,
    sessions: Sessions,
    guard: Guard,
    crash: mpsc::Sender<()>,
}

type Shared = State<Arc<Server>>;

/// POST: one message or batch.
async fn answer(
    State(server): Shared,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    server.receive(&headers, body).await.unwrap_or_else(|refusal| *refusal)
}

/// GET: a stream for messages of the server's own, of which there are none.
async fn listen(State(server): Shared, headers: HeaderMap) -> Response {
    if let Err(refusal) = server.guard.check(&headers) {
        return *refusal;
    }
    if headers::is_stateless(&headers) {
        return (StatusCode::METHOD_NOT_ALLOWED, [("allow", "POST")]).into_response();
    }
    if !Accepted::of(&headers).events {
        return StatusCode::NOT_ACCEPTABLE.into_response();
    }
    match server.session(&headers, &Value::Null) {
        Ok(_) => reply::open_stream(),
        Err(refusal) => *refusal,
    }
}

/// DELETE: the end of a session.
async fn leave(State(server): Shared, headers: HeaderMap) -> Response {
    if let Err(refusal) = server.guard.check(&headers) {
        return *refusal;
    }
    if headers::is_stateless(&headers) {
        return (StatusCode::METHOD_NOT_ALLOWED, [("allow", "POST")]).into_response();
    }
    match server.session(&headers, &Value::Null) {
        Ok(_) => {
            server.sessions.end(sessions::named(&headers).unwrap_or_default());
            StatusCode::NO_CONTENT.into_response()
        }
        Err(refusal) => *refusal,
    }
}

impl Server {
    async fn receive(
        &self,
        headers: &HeaderMap,
        body: Result<Bytes, BytesRejection>,
    ) -> Result<Response, Box<Response>> {
        self.guard.check(headers)?;
        let accepted = Accepted::of(headers);
        if !accepted.json && !accepted.events {
            return Err(StatusCode::NOT_ACCEPTABLE.into_response().into());
        }
        if !headers::is_json(headers) {
            return Err(StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response().into());
        }
        let body = body.map_err(|error| Box::new(error.into_response()))?;
        let message = serde_json::from_slice::<Value>(&body).map_err(|error| {
            let failure = Failure::new(PARSE_ERROR, format!("Parse error: {error}"));
            refused(&failure, &Value::Null)
        })?;
        if message.is_array() {
            headers::check_version(headers).map_err(|failure| refused(&failure, &Value::Null))?;
            let session = self.session(headers, &Value::Null)?;
            let reply = self.mock.handle(message, &session);
            return Ok(self.carry(reply, accepted, Lifecycle::Handshake).await);
        }
        match Frame::read(message) {
            Frame::Request(request) => self.request(request, headers, accepted).await,
            Frame::Invalid { id, failure } => Err(refused(&failure, &id)),
            frame => {
                headers::check_version(headers)
                    .map_err(|failure| refused(&failure, &Value::Null))?;
                if !headers::is_stateless(headers) {
                    let session = self.session(headers, &Value::Null)?;
                    self.mock.frame(frame, &session);
                }
                Ok(StatusCode::ACCEPTED.into_response())
            }
        }
    }

    async fn request(
        &self,
        request: Request,
        headers: &HeaderMap,
        accepted: Accepted,
    ) -> Result<Response, Box<Response>> {
        let lifecycle = headers::check(headers, &request, &self.mock)
            .map_err(|failure| refused(&failure, &request.id))?;
        if lifecycle == Lifecycle::Stateless {
            let reply = self.mock.frame(Frame::Request(request), &Session::new());
            return Ok(self.carry(reply, accepted, lifecycle).await);
        }
        if request.method != "initialize" {
            let session = self.session(headers, &request.id)?;
            let reply = self.mock.frame(Frame::Request(request), &session);
            return Ok(self.carry(reply, accepted, lifecycle).await);
        }
        let session = Arc::new(Session::new());
        let reply = self.mock.frame(Frame::Request(request), &session);
        let mut response = self.carry(reply, accepted, lifecycle).await;
        if session.version().is_some()
            && let Ok(id) = self.sessions.begin(session).parse()
        {
            response.headers_mut().insert(sessions::HEADER, id);
        }
        Ok(response)
    }

    /// The session that a request of the older revisions names.
    fn session(&self, headers: &HeaderMap, id: &Value) -> Result<Arc<Session>, Box<Response>> {
        let Some(name) = sessions::named(headers) else {
            let failure = Failure::invalid_request(
                "Bad request: no Mcp-Session-Id header; send `initialize` first",
            );
            return Err(refused(&failure, id));
        };
        self.sessions.get(name).ok_or_else(|| {
            let failure = Failure::invalid_request("Session not found: send `initialize` again");
            Box::new(failed(StatusCode::NOT_FOUND, &failure, id))
        })
    }
}

fn refused(failure: &Failure, id: &Value) -> Box<Response> {
    Box::new(failed(StatusCode::BAD_REQUEST, failure, id))
}

#[cfg(test)]
mod tests;
