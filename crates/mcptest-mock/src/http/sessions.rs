//! Sessions of the older revisions.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use axum::http::HeaderMap;
use indexmap::IndexMap;

use crate::lifecycle::Session;
use mcptest_suite::distractors::split_mix;

/// The header that names a session.
pub const HEADER: &str = "mcp-session-id";
/// Most sessions at a time; the oldest one ends first.
const MOST: usize = 10_000;

/// All sessions, oldest first.
pub struct Sessions {
    inner: Mutex<Inner>,
    seed: u64,
}

#[derive(Default)]
struct Inner {
    begun: u64,
    open: IndexMap<String, Arc<Session>>,
}

impl Sessions {
    /// No sessions yet. The seed differs from process to process, so that a session of a server
    /// that was there before is not taken for one of this server.
    pub fn new() -> Self {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let now = now.map_or(0, |now| now.as_nanos() as u64);
        let seed = split_mix(now, u64::from(std::process::id()));
        Self { inner: Mutex::default(), seed }
    }

    /// Opens a session and names it.
    pub fn begin(&self, session: Arc<Session>) -> String {
        let mut inner = self.inner();
        inner.begun += 1;
        let (high, low) =
            (split_mix(self.seed, inner.begun * 2), split_mix(self.seed, inner.begun * 2 + 1));
        let name = format!("{high:016x}{low:016x}");
        if inner.open.len() >= MOST {
            inner.open.shift_remove_index(0);
        }
        inner.open.insert(name.clone(), session);
        name
    }

    /// The open session of that name.
    pub fn get(&self, name: &str) -> Option<Arc<Session>> {
        self.inner().open.get(name).cloned()
    }

    /// Ends a session.
    pub fn end(&self, name: &str) {
        self.inner().open.shift_remove(name);
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The session that a request names.
pub fn named(headers: &HeaderMap) -> Option<&str> {
    headers.get(HEADER)?.to_str().ok()
}
