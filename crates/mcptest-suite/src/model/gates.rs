//! The gates of an agent test, one block each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Assertion, Decimal, Distractors};

/// The gates of an agent test, folded over all its runs.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default)]
pub struct AgentGates {
    /// Precision, recall and F1 over classes of interchangeable tools.
    pub equal_function_sets: Option<Classes>,
    /// How often the expected tool is selected, and within which budget.
    pub tool_selection: Option<ToolSelection>,
    /// Accuracy under distractors.
    pub distractors: Option<Distractors>,
    /// Diagnostics of discovery, arguments, recovery and efficiency.
    pub orchestration: Option<ExpectOnly>,
    /// What each correct selection costs in tokens and money.
    pub token_efficiency: Option<Classes>,
    /// The calls as expected, in one of five modes.
    pub trajectory: Option<Trajectory>,
    /// Dependencies and order between tools.
    pub trajectory_axes: Option<TrajectoryAxes>,
    /// Distance from the one best path.
    pub golden_path: Option<GoldenPath>,
    /// Which tools and hand-overs are allowed.
    pub tool_edges: Option<ToolEdges>,
    /// Agreement between runs.
    pub stability: Option<ExpectOnly>,
    /// Recovery from injected faults.
    pub recovery: Option<ExpectOnly>,
    /// Whether the answer tells what the run did.
    pub narrative: Option<ExpectOnly>,
}

impl AgentGates {
    /// Whether any gate is declared.
    pub fn any(&self) -> bool {
        let blocks = serde_json::to_value(self).unwrap_or_default();
        blocks.as_object().is_some_and(|blocks| blocks.values().any(|block| !block.is_null()))
    }
}

/// Classes of interchangeable tools and what is expected of their selection.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-mcptest-status" = "stable"))]
pub struct Classes {
    /// The capabilities the scenario needs.
    pub classes: Vec<EqualFunctionClass>,
    /// Empty or omitted: f1 >= 50.
    #[serde(default)]
    pub expect: Option<Vec<Assertion>>,
}

/// A named group of tools that do the same job.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EqualFunctionClass {
    /// The capability.
    #[schemars(length(min = 1))]
    pub name: String,
    /// `server.tool` ids, or bare tool names for any server.
    #[schemars(inner(length(min = 1)))]
    pub members: Vec<String>,
}

/// Pass^k: a floor on the selection rate and a ceiling on tokens.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-mcptest-status" = "stable"))]
pub struct ToolSelection {
    /// The tool the model is supposed to call.
    #[schemars(length(min = 1))]
    pub expected_tool: String,
    /// Least share of runs that must select it.
    pub min_selection_rate: Decimal,
    /// Cap on each run's tokens.
    #[serde(default)]
    pub max_total_tokens: Option<u64>,
    /// More assertions, beside the floor.
    #[serde(default)]
    pub expect: Option<Vec<Assertion>>,
}

/// A block that consists of its assertions.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("x-mcptest-status" = "stable"))]
pub struct ExpectOnly {
    /// What must hold.
    pub expect: Option<Vec<Assertion>>,
}

/// The calls as expected.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-mcptest-status" = "stable"))]
pub struct Trajectory {
    /// The expected calls.
    pub calls: Vec<TrajectoryCall>,
    /// How they are compared.
    #[serde(default)]
    pub mode: TrajectoryMode,
    /// Empty or omitted: trajectory.passed == 1.
    #[serde(default)]
    pub expect: Option<Vec<Assertion>>,
}

/// One expected call.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrajectoryCall {
    /// The tool's id.
    #[schemars(length(min = 1))]
    pub name: String,
    /// What its arguments must be; absent: any.
    #[serde(default)]
    pub args: Option<ArgsRule>,
}

/// A rule for arguments: exactly one of the three.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub struct ArgsRule {
    /// Equal to this.
    #[serde(deserialize_with = "super::assertion::present")]
    pub exact: Option<Value>,
    /// Containing this.
    pub subset: Option<Map<String, Value>>,
    /// Valid under this JSON Schema.
    pub schema: Option<Value>,
}

/// How expected and recorded calls are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrajectoryMode {
    /// Same calls, order and length.
    #[default]
    Strict,
    /// Expected calls in order, extras allowed.
    Subsequence,
    /// Every expected call present, any order, extras allowed.
    Superset,
    /// The same calls, any order.
    Unordered,
    /// Nothing outside the expected calls.
    Subset,
}

/// Dependencies and order between tools.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("x-mcptest-status" = "stable"))]
pub struct TrajectoryAxes {
    /// A successful producer call must come before every consumer call.
    pub dependencies: Option<Vec<Dependency>>,
    /// The first call of one must come before the first call of the other.
    pub order: Option<Vec<OrderRule>>,
    /// Empty or omitted: >= 100 for the lists that are given.
    pub expect: Option<Vec<Assertion>>,
}

/// A consumer needs a producer.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dependency {
    /// The tool that must have succeeded before.
    pub producer: String,
    /// The tool that needs it.
    pub consumer: String,
}

/// One tool comes before another.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OrderRule {
    /// Called first.
    pub first: String,
    /// Called later.
    pub second: String,
}

/// The one best path.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-mcptest-status" = "stable"))]
pub struct GoldenPath {
    /// The tools' ids, in order.
    #[schemars(length(min = 1), inner(length(min = 1)))]
    pub calls: Vec<String>,
    /// Empty or omitted: golden_path.passed == 1.
    #[serde(default)]
    pub expect: Option<Vec<Assertion>>,
}

/// Which tools and hand-overs are allowed.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("x-mcptest-status" = "stable"))]
pub struct ToolEdges {
    /// Ids that should be covered by the runs.
    #[schemars(inner(length(min = 1)))]
    pub allowed: Vec<String>,
    /// Ids that must not be called.
    #[schemars(inner(length(min = 1)))]
    pub restricted: Vec<String>,
    /// Hand-overs that should be seen.
    pub delegation: Vec<DelegationRule>,
    /// Empty or omitted: edges.restricted_attempts <= 0.
    pub expect: Option<Vec<Assertion>>,
}

/// A hand-over from one agent to another.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DelegationRule {
    /// Who hands over.
    pub from: String,
    /// Who takes over.
    pub to: String,
}
