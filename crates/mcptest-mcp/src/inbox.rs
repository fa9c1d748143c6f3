//! What comes in: answers to the requests that wait, notifications, requests of the server's.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::oneshot;

use crate::error::CallError;
use crate::frame::{self, Frame, RpcError};
use crate::violation::{Violation, ViolationKind};

/// An answer, or why there will be none.
pub type Answer = Result<Result<Box<RawValue>, RpcError>, CallError>;

/// How long a request may still wait after bytes were lost that may have been its answer.
const GRACE: Duration = Duration::from_millis(500);

/// Violations and notices that are kept; more are only counted.
const KEPT: usize = 100;

/// A notification of the server's.
#[derive(Debug, Clone)]
pub struct Notice {
    /// Its method.
    pub method: String,
    /// Its parameters as received.
    pub params: Option<Box<RawValue>>,
}

/// Shared between the reader of the bytes and those who wait for answers.
#[derive(Debug, Clone, Default)]
pub struct Inbox(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    next_id: u64,
    waiting: HashMap<u64, oneshot::Sender<Answer>>,
    given_up: VecDeque<u64>,
    /// Requests whose answer may be lost; a timer runs while there are any.
    suspects: BTreeSet<u64>,
    violations: Vec<Violation>,
    violation_count: u64,
    notices: VecDeque<Notice>,
    notice_count: u64,
    tools_changed: bool,
    closed: Option<CallError>,
}

impl Inbox {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new request: its id and where its answer will come.
    pub fn expect(&self) -> (u64, oneshot::Receiver<Answer>) {
        let (send, receive) = oneshot::channel();
        let mut state = self.lock();
        state.next_id += 1;
        let id = state.next_id;
        match &state.closed {
            Some(reason) => drop(send.send(Err(reason.clone()))),
            None => drop(state.waiting.insert(id, send)),
        }
        (id, receive)
    }

    /// Nobody waits for this answer any more; if it comes late, that is no breach.
    pub fn forget(&self, id: u64) {
        let mut state = self.lock();
        if state.waiting.remove(&id).is_some() {
            if state.given_up.len() == KEPT {
                state.given_up.pop_front();
            }
            state.given_up.push_back(id);
        }
    }

    /// Takes a line in; returns the server's own requests, which want an answer.
    pub fn accept(&self, bytes: &[u8]) -> Vec<(Value, String)> {
        let checked = frame::check(bytes);
        for violation in checked.violations {
            self.report(violation);
        }
        let mut requests = Vec::new();
        for frame in checked.frames {
            match frame {
                Frame::Answer { id, outcome } => self.answer(&id, outcome),
                Frame::Request { id, method } => requests.push((id, method)),
                Frame::Notification { method, params } => self.notice(Notice { method, params }),
            }
        }
        requests
    }

    fn answer(&self, id: &Value, outcome: Result<Box<RawValue>, RpcError>) {
        let mut state = self.lock();
        let number = id.as_u64();
        if let Some(waiting) = number.and_then(|number| state.waiting.remove(&number)) {
            let _ = waiting.send(Ok(outcome));
            return;
        }
        if number.is_some_and(|number| state.given_up.contains(&number)) {
            return;
        }
        let asked = number.is_some_and(|number| (1..=state.next_id).contains(&number));
        let mut open = state.waiting.keys().copied().collect::<Vec<_>>();
        open.sort_unstable();
        drop(state);
        let violation = if asked {
            Violation::new(ViolationKind::SecondAnswer, format!("id {id} was answered already"))
        } else if let Err(error) = &outcome {
            // The server could not tell which request it refuses.
            Violation::new(
                ViolationKind::WrongId,
                format!("an error for id {id} ({}), waiting for {open:?}", error.message),
            )
        } else {
            Violation::new(ViolationKind::WrongId, format!("got id {id}, waiting for {open:?}"))
        };
        self.report(violation);
    }

    fn notice(&self, notice: Notice) {
        let mut state = self.lock();
        state.notice_count += 1;
        state.tools_changed |= notice.method == "notifications/tools/list_changed";
        if state.notices.len() == KEPT {
            state.notices.pop_front();
        }
        state.notices.push_back(notice);
    }

    /// Records a violation; requests whose answer may be lost with it end soon, by name.
    pub fn report(&self, violation: Violation) {
        let mut state = self.lock();
        state.violation_count += 1;
        if state.violations.len() < KEPT {
            state.violations.push(violation.clone());
        }
        if !violation.kind.may_have_been_the_answer() || state.waiting.is_empty() {
            return;
        }
        let waiting = state.waiting.keys().copied().collect::<Vec<_>>();
        let timer_runs = !state.suspects.is_empty();
        state.suspects.extend(waiting);
        drop(state);
        if timer_runs {
            return;
        }
        let inbox = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(GRACE).await;
            let suspects = std::mem::take(&mut inbox.lock().suspects);
            inbox.fail(&suspects.into_iter().collect::<Vec<_>>(), &CallError::Violation(violation));
        });
    }

    /// Ends the named requests, where they still wait.
    pub fn fail(&self, ids: &[u64], reason: &CallError) {
        let mut state = self.lock();
        for id in ids {
            if let Some(waiting) = state.waiting.remove(id) {
                let _ = waiting.send(Err(reason.clone()));
            }
        }
    }

    /// Ends every request, now and later.
    pub fn close(&self, reason: &CallError) {
        let mut state = self.lock();
        state.closed.get_or_insert_with(|| reason.clone());
        let waiting = std::mem::take(&mut state.waiting);
        waiting.into_values().for_each(|waiting| drop(waiting.send(Err(reason.clone()))));
    }

    /// The violations seen so far; at most a hundred are kept.
    pub fn violations(&self) -> Vec<Violation> {
        self.lock().violations.clone()
    }

    /// How many violations there were, kept or not.
    pub fn violation_count(&self) -> u64 {
        self.lock().violation_count
    }

    /// The last notifications.
    pub fn notices(&self) -> Vec<Notice> {
        self.lock().notices.iter().cloned().collect()
    }

    /// How many notifications came in.
    pub fn notice_count(&self) -> u64 {
        self.lock().notice_count
    }

    /// Whether the server said that its tools changed, since this was asked last.
    pub fn take_tools_changed(&self) -> bool {
        std::mem::take(&mut self.lock().tools_changed)
    }
}
