//! What a run leaves. Only `tool_calls` with `name` is required of a trace from elsewhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// One run of an agent: what it called, what came back, what it said and what it cost.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "mcptest trace")]
pub struct Trace {
    /// The test this run belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// The model that ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Run number, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<u32>,
    /// Number of injected distractors: the cell of a sweep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distractor_count: Option<u32>,
    /// Seed of the distractors and of the presented order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The calls, in the order they were made.
    pub tool_calls: Vec<ToolCall>,
    /// Hand-overs between agents; absent where the framework records none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegations: Option<Vec<Delegation>>,
    /// Tokens, turns, time and money of the run.
    #[serde(default)]
    pub conversation: Conversation,
    /// The agent's last answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_response: Option<String>,
    /// The tools the model was shown: each the tools/list entry with `server` and, where injected,
    /// `distractor: true` added. Kept as received; `parse_surface` reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<crate::surface::SurfaceTool>>")]
    pub surface: Option<Box<RawValue>>,
    /// How the run ended.
    #[serde(default)]
    pub status: RunStatus,
    /// Why it ended so, for anything but `ok`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
}

/// One call of a tool.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ToolCall {
    /// The server the tool is on, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The tool's name.
    pub name: String,
    /// The arguments, as the model gave them.
    #[serde(default, alias = "arguments", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    pub args: Option<Box<RawValue>>,
    /// The result, as the server gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    pub result: Option<Box<RawValue>>,
    /// Whether the tool reported an error; missing is false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// The turn the call was made in, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// How long the call took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
    /// Name of the injected fault that hit this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// A hand-over from one agent to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Delegation {
    /// The agent that handed over.
    pub from: String,
    /// The agent that took over.
    pub to: String,
}

/// What the conversation took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Conversation {
    /// Token counts.
    #[serde(default)]
    pub tokens: Tokens,
    /// Turns of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<u32>,
    /// Wall-clock time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
    /// Money; absent where the price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// Token counts as the provider reported them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tokens {
    /// Tokens sent to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<u64>,
    /// Tokens the model made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion: Option<u64>,
    /// All of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
}

impl Tokens {
    /// The total as recorded, else prompt plus completion where both are known.
    pub fn total(&self) -> Option<u64> {
        self.total.or_else(|| self.prompt?.checked_add(self.completion?))
    }
}

/// How a run ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// The agent came to an end by itself.
    #[default]
    Ok,
    /// Stopped by a budget; scored all the same.
    BudgetExceeded,
    /// Provider or server trouble; left out of every metric.
    Inconclusive,
}
