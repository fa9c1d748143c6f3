//! The types of the suite language. `mcptest schema suite` is generated from them.

mod agent;
mod assertion;
mod distractors;
mod gates;
mod server;
mod values;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use agent::{Agent, AgentSetup, Discovery, Test, TestType};
pub use assertion::{Assertion, Judge, Matcher};
pub use distractors::{Complexity, DistractorSource, Distractors, SourceKind};
pub use gates::{
    AgentGates, ArgsRule, Classes, DelegationRule, Dependency, EqualFunctionClass, ExpectOnly,
    GoldenPath, OrderRule, ToolEdges, ToolSelection, Trajectory, TrajectoryAxes, TrajectoryCall,
    TrajectoryMode,
};
pub use server::{
    Budget, Fault, FaultKind, FaultTarget, Isolation, IsolationKind, Network, Provider,
    ProviderKind, Server, ToolQuality,
};
pub use values::{Count, Decimal, Runs, StopRule};

/// One suite file.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "mcptest suite", extend("x-mcptest-status" = "stable"))]
pub struct Suite {
    /// The MCP servers under test, by name.
    pub servers: IndexMap<String, Server>,
    /// Model endpoints that are not built in, by the key used in `key/model`.
    pub providers: IndexMap<String, Provider>,
    /// Agents; one with a prompt is a test of its own.
    pub agents: Vec<Agent>,
    /// Agent tests and tool tests.
    pub tests: Vec<Test>,
    /// Checks of the servers' tool descriptions.
    pub tool_quality: Vec<ToolQuality>,
    /// Faults that tests may inject by name.
    pub faults: Vec<Fault>,
    /// Limits over the whole suite.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
}
