//! Against DNS rebinding: a web page must not reach a server on this machine through the browser.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

/// Decides who may ask.
#[derive(Debug, Clone, Copy)]
pub struct Guard {
    local_only: bool,
}

impl Guard {
    /// A server on a loopback address answers this machine only.
    pub fn new(bound: SocketAddr) -> Self {
        Self { local_only: bound.ip().is_loopback() }
    }

    /// Refuses a request for another host, or from a page of another host.
    pub fn check(self, headers: &HeaderMap) -> Result<(), Box<Response>> {
        if !self.local_only {
            return Ok(());
        }
        let host = headers.get(header::HOST);
        let origin = headers.get(header::ORIGIN);
        let text = |value: &axum::http::HeaderValue| value.to_str().ok().map(str::to_owned);
        if host.is_some_and(|host| !text(host).is_some_and(|host| is_local(&host))) {
            return Err((StatusCode::FORBIDDEN, "Forbidden: foreign Host").into_response().into());
        }
        if origin.is_some_and(|origin| !text(origin).is_some_and(|origin| is_local_origin(&origin)))
        {
            return Err((StatusCode::FORBIDDEN, "Forbidden: foreign Origin")
                .into_response()
                .into());
        }
        Ok(())
    }
}

fn is_local_origin(origin: &str) -> bool {
    origin
        .parse::<Uri>()
        .ok()
        .filter(|uri| uri.scheme().is_some())
        .and_then(|uri| uri.authority().map(|authority| is_local(authority.as_str())))
        .unwrap_or(false)
}

/// Whether an authority, with or without a port, names this machine.
fn is_local(authority: &str) -> bool {
    let Ok(authority) = authority.parse::<axum::http::uri::Authority>() else { return false };
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_local() {
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1:3000", "127.8.8.8", "[::1]:9"] {
            assert!(is_local(host), "{host}");
            assert!(is_local_origin(&format!("http://{host}")), "{host}");
        }
        for host in
            ["evil.example", "localhost.evil.example", "10.0.0.1:80", "127.0.0.1.nip.io", ""]
        {
            assert!(!is_local(host), "{host}");
            assert!(!is_local_origin(&format!("http://{host}")), "{host}");
        }
        assert!(!is_local_origin("null"));
        assert!(!is_local_origin("localhost"));
    }
}
