//! The keys of a record, in one typed pass.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::object::Object;
use crate::trace::{Conversation, Delegation, RunStatus, ToolCall, Trace};

/// Every known top-level key of every form. What only the foreign forms need is borrowed raw: it
/// costs own-form traces nothing and keeps its place in the text.
#[derive(Debug, Deserialize)]
pub(super) struct Incoming<'a> {
    pub(super) test: Option<String>,
    model: Option<String>,
    pub(super) run: Option<u32>,
    distractor_count: Option<u32>,
    seed: Option<u64>,
    pub(super) tool_calls: Option<Vec<Object<ToolCall>>>,
    delegations: Option<Vec<Object<Delegation>>>,
    conversation: Option<Object<Conversation>>,
    pub(super) final_response: Option<String>,
    pub(super) surface: Option<Box<RawValue>>,
    pub(super) status: Option<RunStatus>,
    pub(super) cause: Option<String>,
    /// Only a single chat message has one.
    #[serde(borrow)]
    pub(super) role: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) messages: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) tools: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) functions: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) usage: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) traj: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) trajectory: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) info: Option<&'a RawValue>,
}

impl Incoming<'_> {
    /// The trace of our own keys; without `tool_calls`, one that has made no call.
    pub(super) fn into_trace(self) -> Trace {
        let unwrap_all =
            |calls: Vec<Object<ToolCall>>| calls.into_iter().map(|call| call.0).collect();
        Trace {
            test: self.test,
            model: self.model,
            run: self.run,
            distractor_count: self.distractor_count,
            seed: self.seed,
            tool_calls: self.tool_calls.map(unwrap_all).unwrap_or_default(),
            delegations: self.delegations.map(|all| all.into_iter().map(|one| one.0).collect()),
            conversation: self.conversation.map(|object| object.0).unwrap_or_default(),
            final_response: self.final_response,
            surface: self.surface,
            status: self.status.unwrap_or_default(),
            cause: self.cause,
        }
    }
}
