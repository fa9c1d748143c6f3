//! The manifest language: what a mock server offers and how it answers.
//!
//! These types are the source of the JSON Schema (`mcptest schema mock`), and a file is checked
//! against that schema, with positions, before they are built.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The manifest's JSON Schema.
pub fn schema() -> &'static Value {
    static SCHEMA: LazyLock<Value> = LazyLock::new(mcptest_suite::schema::generate::<Manifest>);
    &SCHEMA
}

/// A mock server's manifest.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The server.
    pub mock_server: MockServer,
}

/// What the server is called and what it offers.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MockServer {
    /// The server's name, as clients see it.
    pub name: String,
    /// The server's version; `1.0.0` unless given.
    pub version: Option<String>,
    /// A name for people.
    pub title: Option<String>,
    /// What a client should tell its model about this server.
    pub instructions: Option<String>,
    /// Entries on one page of a list; everything on one page unless given.
    #[schemars(range(min = 1))]
    pub page_size: Option<u32>,
    /// The tools, in the order they are listed.
    #[serde(default)]
    pub tools: Vec<ToolSpec>,
    /// The resources, in the order they are listed.
    #[serde(default)]
    pub resources: Vec<ResourceSpec>,
    /// Templates of resources, in the order they are listed.
    #[serde(default)]
    pub resource_templates: Vec<TemplateSpec>,
    /// The prompts, in the order they are listed.
    #[serde(default)]
    pub prompts: Vec<PromptSpec>,
}

/// A tool: what `tools/list` says of it and how it answers a call.
///
/// Other keys (`_meta`, `icons`, `execution`, …) are served in `tools/list` as they are.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct ToolSpec {
    /// The tool's name.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// What the tool does.
    pub description: Option<String>,
    /// JSON Schema of the arguments; a call that violates it gets a tool error.
    pub input_schema: Option<Map<String, Value>>,
    /// JSON Schema of `structuredContent`.
    pub output_schema: Option<Map<String, Value>>,
    /// Hints such as `readOnlyHint`.
    pub annotations: Option<Map<String, Value>>,
    /// The answer to every call.
    pub response: Option<Response>,
    /// Instead of `response`: the text of a tool error.
    pub error: Option<String>,
    /// Answers for certain arguments, tried in order before anything else.
    #[serde(default)]
    pub responses: Vec<Case>,
    /// Instead of `response`: the answers to the first call, the second, …; the last one repeats.
    #[schemars(length(min = 1))]
    pub sequence: Option<Vec<Step>>,
    /// Sent before every answer.
    #[serde(default)]
    pub notifications: Vec<NotificationSpec>,
    /// Client capabilities without which a call of the revision 2026-07-28 is refused.
    pub requires: Option<Map<String, Value>>,
    /// How long every answer takes.
    #[schemars(range(max = 3_600_000))]
    pub latency_ms: Option<u64>,
    /// What goes wrong.
    pub fault: Option<FaultSpec>,
    /// Keys of `tools/list` that the mock does not interpret.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// An answer: a text, or the whole result of the call. `${args.x}` stands for an argument.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Response {
    /// Short for one text content.
    Text(String),
    /// The result as it goes over the wire.
    Result(ResultSpec),
}

/// The result of a call; other keys (`_meta`, …) go over the wire as they are.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct ResultSpec {
    /// Content blocks; the text of `structuredContent` unless given.
    pub content: Option<Vec<Map<String, Value>>>,
    /// Structured content, checked against `output_schema`.
    #[serde(rename = "structuredContent")]
    pub structured_content: Option<Value>,
    /// Whether the tool failed.
    #[serde(rename = "isError")]
    pub is_error: Option<bool>,
    /// Keys that the mock does not interpret.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// An answer for certain arguments.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Arguments that must be there with these values; others may be there too.
    pub when: Map<String, Value>,
    /// The answer.
    pub response: Option<Response>,
    /// Instead of `response`: the text of a tool error.
    pub error: Option<String>,
}

/// One answer of a sequence.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The answer.
    pub response: Option<Response>,
    /// Instead of `response`: the text of a tool error.
    pub error: Option<String>,
}

/// A notification that is sent before an answer.
///
/// `notifications/progress` gets the call's progress token, and is left out where the call has
/// none.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NotificationSpec {
    /// Such as `notifications/message`.
    #[schemars(regex(pattern = "^notifications/.+"), extend("examples" = ["notifications/message"]))]
    pub method: String,
    /// Its parameters; `${args.x}` stands for an argument.
    pub params: Option<Map<String, Value>>,
}

/// A fault, by its kind alone or in full.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FaultSpec {
    /// On every call, with the defaults.
    Kind(FaultKind),
    /// In full.
    Full(FaultDetail),
}

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The call is never answered.
    Hang,
    /// The server's process ends.
    Crash,
    /// The answer is cut in the middle.
    Garbage,
    /// The answer comes late.
    Slow,
    /// Some calls are answered with a tool error.
    ErrorRate,
}

/// When and how a fault strikes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FaultDetail {
    /// What goes wrong.
    pub kind: FaultKind,
    /// Share of the calls it strikes, drawn by `seed` and the call's number; for `error_rate` half
    /// of them unless given, else all.
    #[schemars(range(min = 0, max = 1))]
    pub rate: Option<f64>,
    /// Seed of the draw; 0 unless given.
    pub seed: Option<u64>,
    /// Calls that are answered well first.
    pub after: Option<u64>,
    /// For `slow`: how late; 5000 unless given.
    #[schemars(range(max = 3_600_000))]
    pub latency_ms: Option<u64>,
}

/// A resource; other keys (`title`, `annotations`, `size`, …) are listed as they are.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct ResourceSpec {
    /// The resource's address.
    pub uri: String,
    /// The resource's name.
    pub name: String,
    /// What it is.
    pub description: Option<String>,
    /// Its media type.
    #[serde(rename = "mimeType")]
    pub mime_type: Option<String>,
    /// What is read: a text,
    pub text: Option<String>,
    /// or bytes in Base64.
    pub blob: Option<String>,
    /// Keys that the mock does not interpret.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A template of resources; other keys are listed as they are.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct TemplateSpec {
    /// An RFC 6570 template; `{x}` and `{+x}` are understood when a resource is read.
    #[serde(rename = "uriTemplate")]
    pub uri_template: String,
    /// The template's name.
    pub name: String,
    /// What it stands for.
    pub description: Option<String>,
    /// The media type of what is read.
    #[serde(rename = "mimeType")]
    pub mime_type: Option<String>,
    /// What is read: a text, in which `${args.x}` stands for a variable of the template,
    pub text: Option<String>,
    /// or bytes in Base64.
    pub blob: Option<String>,
    /// Keys that the mock does not interpret.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A prompt; other keys (`title`, `icons`, …) are listed as they are.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct PromptSpec {
    /// The prompt's name.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Vec<PromptArgument>,
    /// What it says; `${args.x}` stands for an argument.
    pub messages: Vec<PromptMessage>,
    /// Keys that the mock does not interpret.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// An argument of a prompt.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct PromptArgument {
    /// The argument's name.
    pub name: String,
    /// What it means.
    pub description: Option<String>,
    /// Whether the prompt cannot be had without it.
    #[serde(default)]
    pub required: bool,
    /// Keys that the mock does not interpret.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A message of a prompt.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PromptMessage {
    /// Who speaks.
    pub role: Role,
    /// One content block.
    pub content: Map<String, Value>,
}

/// Who speaks in a prompt.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The user.
    User,
    /// The assistant.
    Assistant,
}
