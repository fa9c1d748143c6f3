//! The result document: what every reporter reads and `--reporter json` prints.
//!
//! The same input gives the same bytes, except under `timing`.

use std::sync::Arc;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

/// Version of the document's shape.
pub const SCHEMA_VERSION: u32 = 1;

/// Everything a command found out.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "mcptest result")]
pub struct ResultDocument {
    /// Version of this shape.
    pub schema_version: u32,
    /// The command that made it: `score` or `run`.
    pub command: String,
    /// The suite file as it was named on the command line.
    pub suite: Option<String>,
    /// Runs, tool tests and tool_quality checks, one row each.
    pub rows: Vec<Row>,
    /// One entry per gate and cell; passing gates carry their figures too.
    pub gates: Vec<Gate>,
    /// The `tool_selection` floors in detail, one entry per cell.
    pub tool_selection: Vec<Floor>,
    /// Rows and gates by status, runs, tokens and money.
    pub totals: Totals,
    /// What stopped the measuring; a failed expectation is never in here.
    pub errors: Vec<Problem>,
    /// Remarks that change no verdict.
    pub notes: Vec<String>,
    /// The only part that may differ between two runs over the same input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
}

/// How a row ended.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Every expectation held.
    Passed,
    /// An expectation did not hold.
    Failed,
    /// Provider or server trouble: shown, counted, left out of every metric.
    Inconclusive,
    /// Something stopped the measuring.
    Error,
    /// Not measured, and said so.
    Skipped,
}

impl Status {
    /// The word used in reports.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Inconclusive => "inconclusive",
            Self::Error => "error",
            Self::Skipped => "skipped",
        }
    }
}

/// One run, one tool test or one tool_quality check.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// `NAME`, `NAME #1`, `NAME [model] +16 #3`.
    pub name: String,
    /// The test's name.
    pub test: Arc<str>,
    /// The model, where it is known.
    pub model: Option<Arc<str>>,
    /// Run number, from 1; null where the row is not a run.
    pub run: Option<u32>,
    /// The cell of a sweep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distractor_count: Option<u32>,
    /// How it ended.
    pub status: Status,
    /// Why: one line each.
    pub messages: Vec<String>,
    /// Number of tool calls of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<u32>,
    /// Tokens of the run's conversation, where the trace says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

/// One gate of one cell, with its figures.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Gate {
    /// `NAME · distractors`, `NAME [model] +16 · distractors`.
    pub name: String,
    /// The test's name.
    pub test: Arc<str>,
    /// The model, where it is known.
    pub model: Option<Arc<str>>,
    /// Only in a sweep: the cell's count, or null for the gate over the whole sweep.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "sweep_count")]
    #[schemars(with = "Option<u32>")]
    pub distractor_count: Option<Option<u32>>,
    /// The YAML key of the block.
    pub block: String,
    /// Whether every assertion held on evidence.
    pub passed: bool,
    /// No verdict is possible: runs that the gate needs were inconclusive.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inconclusive: bool,
    /// Passed or scored by a pinned rule without evidence.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub vacuous: bool,
    /// Full target name to number; null where the figure is absent.
    pub figures: IndexMap<String, Option<Number>>,
    /// Why a figure is absent.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub absent: IndexMap<String, String>,
    /// What was asserted, and how it went.
    pub assertions: Vec<AssertionResult>,
    /// Runs the figures are computed from.
    pub runs_scored: u32,
    /// Inconclusive runs, left out.
    pub runs_excluded: u32,
    /// Remarks about this gate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The block's own detail.
    #[serde(flatten)]
    pub detail: Detail,
}

/// Keeps "absent" (no sweep) apart from "null" (the whole sweep).
mod sweep_count {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    pub fn serialize<S: Serializer>(
        value: &Option<Option<u32>>,
        out: S,
    ) -> Result<S::Ok, S::Error> {
        value.flatten().serialize(out)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Option<u32>>, D::Error> {
        Option::<u32>::deserialize(from).map(Some)
    }
}

/// One assertion and its verdict.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct AssertionResult {
    /// Full target name.
    pub target: String,
    /// The matcher as it was written (or the default gate's).
    pub matcher: Value,
    /// What was found; null where absent.
    pub actual: Value,
    /// Whether it held.
    pub passed: bool,
    /// Actual beside expected, or why the figure is absent.
    pub message: String,
}

/// What a block has to say beyond its figures. Each block fills its own keys.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Detail {
    /// Selection F1, token efficiency: classes that some run never satisfied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missed_classes: Option<Vec<String>>,
    /// Selection F1, token efficiency: calls that match no class, with how often they occurred.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unexpected_calls: Option<Vec<CountedId>>,
    /// Distractors that were chosen, with how often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen_distractors: Option<Vec<CountedId>>,
    /// Distractors: calls that are neither correct nor a distractor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out_of_scope_calls: Option<Vec<CountedId>>,
    /// Distractors: runs whose own accuracy is 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs_succeeded: Option<u32>,
    /// Distractors: the author's `serial` or `parallel` tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complexity: Option<String>,
    /// Distractor sweep: accuracy and certified floor at each count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<Vec<CurvePoint>>,
    /// Pass^k: the curves over j, index 0 being j = 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curves: Option<Curves>,
    /// Token efficiency: the letter that rides on the F1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<String>,
    /// Orchestration: calls to tools that are not on the surface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hallucinated_calls: Option<Vec<CountedId>>,
    /// Orchestration: the first schema violations, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema_violations: Option<Vec<String>>,
    /// Trajectory: expected calls that found no partner, with how often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_calls: Option<Vec<CountedId>>,
    /// Trajectory: recorded calls that the mode forbids, with how often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra_calls: Option<Vec<CountedId>>,
    /// Trajectory axes: the pairs that did not hold, with how often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken_pairs: Option<Vec<CountedId>>,
    /// Golden path: the recorded path of the worst run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst_path: Option<Vec<String>>,
    /// Golden path: which run that was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst_run: Option<u32>,
    /// Tool edges: restricted ids that were called, with how often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restricted_calls: Option<Vec<CountedId>>,
    /// Tool edges: allowed ids never called, and delegations never seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncovered: Option<Vec<String>>,
    /// Ids whose server could not be told from the trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undecided_ids: Option<Vec<String>>,
    /// Runs in which something went wrong for this block, each with what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_run: Option<Vec<RunDetail>>,
}

/// An id and how often it occurred.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CountedId {
    /// `server.tool`, or the bare name where the server is unknown.
    pub id: String,
    /// How often.
    pub count: u64,
}

/// One count of a distractor sweep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CurvePoint {
    /// Number of injected distractors.
    pub distractor_count: u32,
    /// Selection accuracy there.
    pub accuracy: Option<u32>,
    /// The certified floor there.
    pub certified_lower: Option<u32>,
    /// Runs it is computed from.
    pub runs: u32,
}

/// The pass^j and pass@j curves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Curves {
    /// Chance that j runs drawn without replacement all pass.
    pub pass_pow: Vec<Number>,
    /// Chance that at least one of j runs passes.
    pub pass_at: Vec<Number>,
}

/// What one run did wrong for one block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunDetail {
    /// Run number.
    pub run: u32,
    /// Classes the run never satisfied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missed_classes: Vec<String>,
    /// Calls that match no class.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unexpected_calls: Vec<CountedId>,
    /// Anything else, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<String>,
}

/// A `tool_selection` floor of one cell.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Floor {
    /// `NAME`, `NAME [model]`, `NAME [model] +16`.
    pub name: String,
    /// The test's name.
    pub test: Arc<str>,
    /// The model, where it is known.
    pub model: Option<Arc<str>>,
    /// The cell of a sweep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distractor_count: Option<u32>,
    /// The tool that should be selected.
    pub expected_tool: String,
    /// The floor, as written.
    pub min_selection_rate: Number,
    /// The per-run budget, if there is one.
    pub max_total_tokens: Option<u64>,
    /// Whether the floor and the budget were kept.
    pub passed: bool,
    /// Scored runs.
    pub runs: u32,
    /// Runs that selected the tool.
    pub selected: u32,
    /// selected / runs.
    pub selection_rate: Option<Number>,
    /// Runs that selected within the budget, over runs.
    pub pass_k: Option<Number>,
    /// Median of the runs' tokens.
    pub tokens_median: Option<u64>,
    /// Largest of the runs' tokens.
    pub tokens_max: Option<u64>,
    /// Each run.
    pub per_run: Vec<FloorRun>,
    /// The lines for a person, as printed on stderr.
    pub lines: Vec<String>,
}

/// One run under a `tool_selection` floor.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct FloorRun {
    /// Run number.
    pub run: u32,
    /// Whether any call matched the expected tool.
    pub selected: bool,
    /// Tokens of the conversation, where known.
    pub tokens: Option<u64>,
    /// Whether the budget was exceeded; null where it cannot be told.
    pub over_budget: Option<bool>,
    /// What was called instead, where the tool was not selected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub called: Vec<String>,
}

/// Numbers by status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// All of them.
    pub total: u64,
    /// Passed.
    pub passed: u64,
    /// Failed.
    pub failed: u64,
    /// Inconclusive.
    pub inconclusive: u64,
    /// Stopped by an error.
    pub error: u64,
    /// Skipped.
    pub skipped: u64,
}

impl Tally {
    /// Counts one more.
    pub fn add(&mut self, status: Status) {
        self.total += 1;
        *match status {
            Status::Passed => &mut self.passed,
            Status::Failed => &mut self.failed,
            Status::Inconclusive => &mut self.inconclusive,
            Status::Error => &mut self.error,
            Status::Skipped => &mut self.skipped,
        } += 1;
    }
}

/// The sums at the end of a report.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Totals {
    /// Rows and gates together.
    #[serde(flatten)]
    pub all: Tally,
    /// Rows alone.
    pub rows: Tally,
    /// Gates alone.
    pub gates: Tally,
    /// Tool calls of all runs.
    pub tool_calls: u64,
    /// Tokens of all runs whose trace says.
    pub tokens: u64,
    /// Money of all runs whose trace says; null when none does.
    pub cost_usd: Option<Number>,
}

/// Something that stopped the measuring.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// Stable word for the kind of problem.
    pub code: String,
    /// What happened.
    pub message: String,
    /// The test it concerns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<Arc<str>>,
    /// The file it stands in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Column, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl Problem {
    /// A problem without a place.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        let (code, message) = (code.to_owned(), message.into());
        Self { code, message, test: None, file: None, line: None, column: None, help: None }
    }
}

/// What depends on the moment and the machine.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Timing {
    /// `live` or `replay`.
    pub source: String,
    /// Wall-clock time of the command.
    pub duration_ms: u64,
    /// Version of mcptest, operating system and processor.
    pub environment: IndexMap<String, String>,
}

impl Gate {
    /// The gate's place in the totals.
    pub const fn status(&self) -> Status {
        if self.passed {
            Status::Passed
        } else if self.inconclusive {
            Status::Inconclusive
        } else {
            Status::Failed
        }
    }
}

impl ResultDocument {
    /// An empty document for `command`.
    pub fn new(command: &str) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            command: command.to_owned(),
            suite: None,
            rows: Vec::new(),
            gates: Vec::new(),
            tool_selection: Vec::new(),
            totals: Totals::default(),
            errors: Vec::new(),
            notes: Vec::new(),
            timing: None,
        }
    }

    /// Counts rows and gates by status into `totals`.
    pub fn tally(&mut self) {
        let totals = &mut self.totals;
        (totals.all, totals.rows, totals.gates) = Default::default();
        for row in &self.rows {
            totals.all.add(row.status);
            totals.rows.add(row.status);
        }
        for gate in &self.gates {
            totals.all.add(gate.status());
            totals.gates.add(gate.status());
        }
    }

    /// The documented exit code of this result: 1 before 3 before 4 before 0.
    ///
    /// 2 and 130 belong to the command, which knows about wrong files and interrupts.
    pub fn exit_code(&self) -> u8 {
        let all = self.totals.all;
        if all.failed > 0 {
            1
        } else if !self.errors.is_empty() || all.error > 0 {
            3
        } else if all.total == all.skipped {
            4
        } else {
            0
        }
    }
}
