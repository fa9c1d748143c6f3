//! Servers, providers, faults and checks of whole catalogs.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Assertion;

/// An MCP server: a command over stdio, or a URL over Streamable HTTP.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("x-mcptest-status" = "stable"))]
pub struct Server {
    /// Program and arguments. `mcptest` means the very binary that is running.
    pub command: Option<Vec<String>>,
    /// Environment variables for the command; `${env.X}` is filled in at start.
    pub env: IndexMap<String, String>,
    /// Working folder, relative to the suite file.
    pub cwd: Option<String>,
    /// Run the command in a sandbox.
    pub isolation: Option<Isolation>,
    /// Address of a Streamable HTTP server.
    pub url: Option<String>,
    /// HTTP headers; `${env.X}` is filled in at start.
    pub headers: IndexMap<String, String>,
}

/// How a server is kept apart from the machine.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-mcptest-status" = "stable"))]
pub struct Isolation {
    /// The sandbox.
    pub kind: IsolationKind,
    /// What the server may reach.
    #[serde(default)]
    pub network: Network,
    /// A folder that is copied fresh for each start.
    #[serde(default)]
    pub workspace: Option<String>,
    /// The container image, for docker and podman.
    #[serde(default)]
    pub image: Option<String>,
}

/// The sandbox program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IsolationKind {
    /// bubblewrap.
    Bwrap,
    /// Docker.
    Docker,
    /// Podman.
    Podman,
}

/// Network access of an isolated server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// None at all.
    #[default]
    None,
    /// The machine's own.
    Host,
}

/// A model endpoint that is not built in.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-mcptest-status" = "stable"))]
pub struct Provider {
    /// The wire format it speaks.
    pub kind: ProviderKind,
    /// Where it listens, such as `http://127.0.0.1:8080/v1`.
    #[serde(default)]
    pub base_url: Option<String>,
    /// The key; write `${env.X}`, never the key itself.
    #[serde(default)]
    pub api_key: Option<String>,
    /// More HTTP headers.
    #[serde(default)]
    pub headers: IndexMap<String, String>,
}

/// Wire formats of model APIs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// OpenAI Chat Completions and everything compatible with it.
    Openai,
    /// OpenAI Responses.
    OpenaiResponses,
    /// Anthropic Messages.
    Anthropic,
    /// Google Gemini.
    Gemini,
}

/// A fault that the harness puts between agent and server.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-mcptest-status" = "stable"))]
pub struct Fault {
    /// The name that `inject` refers to.
    pub name: String,
    /// Which calls it hits; all of them where nothing is said.
    #[serde(default)]
    pub target: FaultTarget,
    /// What happens to them.
    pub kind: FaultKind,
    /// How many calls it hits before the tool works again (`recover_after`).
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub calls: Option<u32>,
    /// Added waiting time (`slow`).
    #[serde(default)]
    pub latency_ms: Option<u64>,
    /// The error text the agent sees (`error`).
    #[serde(default)]
    pub message: Option<String>,
}

/// Which calls a fault hits.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FaultTarget {
    /// Only this server's.
    pub server: Option<String>,
    /// Only this tool's.
    pub tool: Option<String>,
}

/// Kinds of injected trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The call times out.
    Hang,
    /// The call takes long.
    Slow,
    /// The tool reports an error.
    Error,
    /// The server dies.
    Crash,
    /// The first calls fail, then the tool works.
    RecoverAfter,
}

/// A check of one server's tool descriptions and schemas.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-mcptest-status" = "stable"))]
pub struct ToolQuality {
    /// Shown in reports.
    pub name: String,
    /// The server whose tools are checked.
    pub server: String,
    /// Count notes as warnings.
    #[serde(default)]
    pub strict: bool,
    /// Empty or omitted: min_score >= 0.50, mean_score >= 0.70, critical_count <= 0.
    #[serde(default)]
    pub expect: Option<Vec<Assertion>>,
}

/// Limits over the whole suite.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-mcptest-status" = "stable"))]
pub struct Budget {
    /// Stop before spending more than this.
    #[schemars(range(min = 0))]
    pub max_cost_usd: f64,
}
