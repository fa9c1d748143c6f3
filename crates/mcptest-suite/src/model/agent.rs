//! Agents and tests.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{AgentGates, Assertion, Runs};

/// An agent: with a prompt a test of its own, without one a definition that tests refer to.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false, "x-mcptest-status" = "stable"))]
pub struct Agent {
    /// Shown in reports; what `agent:` refers to.
    #[schemars(length(min = 1))]
    pub name: String,
    /// How it runs.
    #[serde(flatten)]
    pub setup: AgentSetup,
    /// Checked on every run.
    #[serde(default)]
    pub expect: Option<Vec<Assertion>>,
    /// Folded over all runs.
    #[serde(flatten)]
    pub gates: AgentGates,
}

/// How an agent runs: all that a test inherits from it.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default)]
pub struct AgentSetup {
    /// The model, such as `claude-sonnet-4-5`, `ollama/llama3` or `builtin/lexical`.
    pub model: Option<String>,
    /// Several models: one cell each.
    pub models: Option<Vec<String>>,
    /// An agent program of its own, driven through the gateway.
    pub command: Option<Vec<String>>,
    /// The servers whose tools it sees.
    pub servers: Option<Vec<String>>,
    /// How often it runs.
    pub runs: Option<Runs>,
    /// What it is asked.
    pub prompt: Option<String>,
    /// Instructions before the prompt.
    pub system_prompt: Option<String>,
    /// Parameters for the model API, such as `temperature`.
    pub params: Option<Map<String, Value>>,
    /// Most turns of the model.
    #[schemars(range(min = 1))]
    pub max_turns: Option<u32>,
    /// Most tool calls.
    #[schemars(range(min = 0))]
    pub max_tool_calls: Option<u32>,
    /// Most tokens over all turns of a run.
    #[schemars(range(min = 1))]
    pub token_budget: Option<u64>,
    /// Most time for a run, such as `120s`.
    #[schemars(regex(pattern = r"^[0-9]+(\.[0-9]+)?(ms|s|m|h)$"), example = "120s")]
    pub time_budget: Option<String>,
    /// Names of suite-level faults to inject.
    pub inject: Option<Vec<String>>,
    /// Promises about the prompt that are checked.
    pub discovery: Option<Discovery>,
}

/// Promises about the prompt.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("x-mcptest-status" = "stable"))]
pub struct Discovery {
    /// The prompt names no tool and no server.
    pub name_free: bool,
}

/// A test: of an agent, or of one tool.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false, "x-mcptest-status" = "stable"))]
pub struct Test {
    /// Shown in reports.
    #[schemars(length(min = 1))]
    pub name: String,
    /// `agent` or `tool`.
    #[serde(rename = "type")]
    pub kind: TestType,
    /// agent: the definition to inherit from; what the test sets replaces.
    #[serde(default)]
    pub agent: Option<String>,
    /// agent: how it runs.
    #[serde(flatten)]
    pub setup: AgentSetup,
    /// tool: the server to call.
    #[serde(default)]
    pub server: Option<String>,
    /// tool: the tool to call.
    #[serde(default)]
    pub tool: Option<String>,
    /// tool: its arguments.
    #[serde(default)]
    pub args: Option<Map<String, Value>>,
    /// Checked on every run, or on the tool's result.
    #[serde(default)]
    pub expect: Option<Vec<Assertion>>,
    /// agent: folded over all runs.
    #[serde(flatten)]
    pub gates: AgentGates,
}

/// What a test tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TestType {
    /// An agent.
    Agent,
    /// One tool.
    Tool,
}
