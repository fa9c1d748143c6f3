//! Replies as HTTP responses: one JSON body, or a stream of events.

use std::convert::Infallible;
use std::future::pending;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body as HttpBody, Bytes};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_core::Stream;
use serde_json::Value;
use tokio::sync::mpsc;

use super::Server;
use super::headers::Accepted;
use crate::dispatch::{Body, Reply};
use crate::lifecycle::Lifecycle;
use crate::rpc::{
    Failure, HEADER_MISMATCH, METHOD_NOT_FOUND, MISSING_CAPABILITY, UNSUPPORTED_VERSION,
};

/// How often an open stream says that it is alive.
const ALIVE: Duration = Duration::from_secs(15);

impl Server {
    /// Carries a reply out. Notifications need a stream; where the client reads none they are lost.
    pub async fn carry(&self, reply: Reply, accepted: Accepted, lifecycle: Lifecycle) -> Response {
        let quiet = reply.notifications.is_empty() || !accepted.events;
        match reply.body {
            Body::Nothing | Body::Cancel(_) if reply.notifications.is_empty() => {
                StatusCode::ACCEPTED.into_response()
            }
            Body::Crash => {
                tokio::time::sleep(reply.delay).await;
                let _ = self.crash.send(()).await;
                pending().await
            }
            Body::Hang if quiet => pending().await,
            _ if quiet && accepted.json => {
                if !reply.delay.is_zero() {
                    tokio::time::sleep(reply.delay).await;
                }
                json(status(&reply.body, lifecycle), reply.body.bytes().unwrap_or_default())
            }
            _ => stream_of(reply, lifecycle),
        }
    }
}

/// The stateless revision tells some errors by the status too.
fn status(body: &Body, lifecycle: Lifecycle) -> StatusCode {
    let Body::Message(message) = body else { return StatusCode::OK };
    let code = message.get("error").and_then(|error| error.get("code")).and_then(Value::as_i64);
    match (lifecycle, code) {
        (Lifecycle::Stateless, Some(METHOD_NOT_FOUND)) => StatusCode::NOT_FOUND,
        (
            Lifecycle::Stateless,
            Some(UNSUPPORTED_VERSION | HEADER_MISMATCH | MISSING_CAPABILITY),
        ) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}

/// An error that has a status of its own.
pub fn failed(status: StatusCode, failure: &Failure, id: &Value) -> Response {
    json(status, failure.message(id).to_string().into_bytes())
}

fn json(status: StatusCode, bytes: Vec<u8>) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], bytes).into_response()
}

fn stream_of(reply: Reply, lifecycle: Lifecycle) -> Response {
    let status = status(&reply.body, lifecycle);
    let (events, receiver) = mpsc::channel(16);
    tokio::spawn(async move {
        for notification in &reply.notifications {
            let _ = events.send(event(notification.to_string().as_bytes())).await;
        }
        tokio::time::sleep(reply.delay).await;
        match reply.body {
            Body::Hang => events.closed().await,
            body => {
                if let Some(bytes) = body.bytes() {
                    let _ = events.send(event(&bytes)).await;
                }
            }
        }
    });
    stream(status, receiver)
}

/// A stream on which nothing happens, until the client leaves.
pub fn open_stream() -> Response {
    let (events, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        while events.send(Bytes::from_static(b": alive\n\n")).await.is_ok() {
            tokio::select! {
                () = tokio::time::sleep(ALIVE) => {}
                () = events.closed() => return,
            }
        }
    });
    stream(StatusCode::OK, receiver)
}

fn event(message: &[u8]) -> Bytes {
    [b"event: message\ndata: ", message, b"\n\n"].concat().into()
}

fn stream(status: StatusCode, events: mpsc::Receiver<Bytes>) -> Response {
    let headers =
        [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-cache")];
    (status, headers, HttpBody::from_stream(Events(events))).into_response()
}

struct Events(mpsc::Receiver<Bytes>);

impl Stream for Events {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|event| event.map(Ok))
    }
}
