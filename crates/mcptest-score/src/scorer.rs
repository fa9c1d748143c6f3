//! One test: what a trace says about each of its gates. `fold` puts the runs of a cell together.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

use mcptest_suite::AgentTest;
use mcptest_suite::model::{AgentGates, Classes, EqualFunctionClass, TrajectoryAxes};
use mcptest_trace::{RunStatus, Trace};

use crate::checks::Checks;
use crate::gate::Check;
use crate::ids::{Call, Declared, IdIndex, refs};
use crate::injected;
use crate::metrics::distractors::Injected;
use crate::metrics::{
    distractors, golden_path, orchestration, pass_k, selection, token_efficiency, tool_edges,
    trajectory, trajectory_axes,
};
use crate::surface::{Surface, SurfaceCache};
use crate::target::Target;
use crate::tokens::TokenCounter;

/// A test, ready to score traces.
#[derive(Debug)]
pub struct TestScorer {
    pub(crate) test: AgentTest,
    expect: Vec<(Target, Check)>,
    trajectory: Option<trajectory::Expected>,
    edges: Option<tool_edges::Edges>,
    /// Members of `equal_function_sets`.
    classes: Option<IdIndex>,
    /// Members of `token_efficiency`.
    priced_classes: Option<IdIndex>,
    /// The injected set of each declared count, and the ids that tell servers with it.
    variants: Vec<Variant>,
    pub(crate) checks: Checks,
    /// Said of a trace whose count the sweep does not have.
    foreign_count: String,
}

#[derive(Debug)]
struct Variant {
    count: Option<u32>,
    injected: Result<Vec<String>, String>,
    declared: Declared,
}

/// What one run says: small, so that a hundred thousand of them fit.
#[derive(Debug, Clone)]
pub struct RunObservation {
    /// The model the trace names.
    pub model: Option<Arc<str>>,
    /// The run number the trace names.
    pub run: Option<u32>,
    /// The cell of a sweep this run belongs to.
    pub count: Option<u32>,
    /// How the run ended.
    pub status: RunStatus,
    /// Why, for anything but ok.
    pub cause: Option<Box<str>>,
    /// Per-run expectations that did not hold.
    pub failures: Vec<String>,
    /// Number of calls.
    pub tool_calls: u32,
    /// Tokens of the conversation.
    pub tokens: Option<u64>,
    /// Money.
    pub cost_usd: Option<f64>,
    /// Names of calls whose server stayed unknown.
    pub(crate) undecided: Vec<String>,
    pub(crate) selection: Option<Arc<selection::RunSelection>>,
    pub(crate) pass_k: Option<Arc<pass_k::RunPick>>,
    pub(crate) distractors: Option<Arc<distractors::RunChoice>>,
    pub(crate) orchestration: Option<Arc<orchestration::RunOrchestration>>,
    pub(crate) token_efficiency: Option<Arc<token_efficiency::RunCost>>,
    pub(crate) trajectory: Option<Arc<trajectory::RunTrajectory>>,
    pub(crate) axes: Option<Arc<trajectory_axes::RunAxes>>,
    pub(crate) golden_path: Option<Arc<golden_path::RunPath>>,
    pub(crate) edges: Option<Arc<tool_edges::RunEdges>>,
}

impl RunObservation {
    /// Whether the run's distractors could not be told.
    pub fn lacks_distractors(&self) -> bool {
        self.distractors.as_ref().is_some_and(|choice| choice.unknown.is_some())
    }

    /// Whether the run is left out of every metric.
    pub fn is_inconclusive(&self) -> bool {
        self.status == RunStatus::Inconclusive
    }
}

/// Remembers what runs said, so that runs that say the same share it.
///
/// Among many runs of one test few differ; this keeps memory flat where each run alone is small.
#[derive(Debug, Default)]
pub struct Shared {
    selection: HashSet<Arc<selection::RunSelection>>,
    distractors: HashSet<Arc<distractors::RunChoice>>,
    orchestration: HashSet<Arc<orchestration::RunOrchestration>>,
    trajectory: HashSet<Arc<trajectory::RunTrajectory>>,
    axes: HashSet<Arc<trajectory_axes::RunAxes>>,
    golden_path: HashSet<Arc<golden_path::RunPath>>,
    edges: HashSet<Arc<tool_edges::RunEdges>>,
    models: HashSet<Arc<str>>,
}

/// Different outcomes that are remembered of one kind.
const MAX_SHARED: usize = 4_096;

impl Shared {
    /// Replaces each part of the run by an equal one that is there already.
    pub fn share(&mut self, run: &mut RunObservation) {
        share(&mut self.selection, &mut run.selection);
        share(&mut self.distractors, &mut run.distractors);
        share(&mut self.orchestration, &mut run.orchestration);
        share(&mut self.trajectory, &mut run.trajectory);
        share(&mut self.axes, &mut run.axes);
        share(&mut self.golden_path, &mut run.golden_path);
        share(&mut self.edges, &mut run.edges);
        share(&mut self.models, &mut run.model);
    }
}

fn share<T: Hash + Eq + ?Sized>(known: &mut HashSet<Arc<T>>, part: &mut Option<Arc<T>>) {
    let Some(own) = part else { return };
    if let Some(same) = known.get(own) {
        *part = Some(Arc::clone(same));
    } else if known.len() < MAX_SHARED {
        known.insert(Arc::clone(own));
    }
}

impl TestScorer {
    /// Prepares a test; `servers` are the suite's, `file` the ids of a `from: file` source or why it
    /// cannot be read.
    pub fn new(
        test: AgentTest,
        servers: &[String],
        file: Option<&Result<Vec<String>, String>>,
    ) -> Self {
        let ids = declared_ids(&test.gates);
        let own = test.setup.servers.iter().flatten();
        let all_servers = servers.iter().chain(own).cloned().collect::<Vec<_>>();
        let variant = |count: Option<u32>, injected: Result<Vec<String>, String>| {
            let bait = injected.clone().unwrap_or_default();
            let declared = Declared::new(all_servers.iter().cloned(), ids.clone(), bait);
            Variant { count, injected, declared }
        };
        let mut variants = Vec::new();
        if let Some(block) = &test.gates.distractors {
            for count in block.count.counts() {
                variants.push(variant(Some(*count), injected::from_block(block, *count, file)));
            }
        }
        let unknown = "the trace carries no distractor_count, and no surface tells it".to_owned();
        variants.push(variant(None, Err(unknown)));
        let class_index = |block: &Classes| selection::index(&block.classes);
        Self {
            expect: test
                .expect
                .iter()
                .map(|one| Target::parse(&one.target))
                .zip(Check::compile(&test.expect))
                .collect(),
            trajectory: test.gates.trajectory.as_ref().map(trajectory::Expected::new),
            edges: test.gates.tool_edges.as_ref().map(tool_edges::Edges::new),
            classes: test.gates.equal_function_sets.as_ref().map(class_index),
            priced_classes: test.gates.token_efficiency.as_ref().map(class_index),
            checks: Checks::new(&test.gates),
            foreign_count: format!(
                "the trace's distractor_count is none of the sweep's counts {:?}",
                test.sweep().unwrap_or_default()
            ),
            variants,
            test,
        }
    }

    /// The test.
    pub const fn test(&self) -> &AgentTest {
        &self.test
    }

    /// Reads one trace; the error says what is wrong with it.
    pub fn observe(
        &self,
        trace: &Trace,
        surfaces: &SurfaceCache,
        counter: &dyn TokenCounter,
    ) -> Result<RunObservation, String> {
        if trace.run == Some(0) {
            return Err("runs are numbered from 1, found run 0".to_owned());
        }
        if trace.conversation.cost_usd.is_some_and(|cost| cost < 0.0) {
            return Err("cost_usd cannot be negative".to_owned());
        }
        let mut seen = RunObservation {
            model: trace.model.as_deref().map(Arc::from),
            run: trace.run,
            count: None,
            status: trace.status,
            cause: trace.cause.as_deref().map(Box::from),
            failures: Vec::new(),
            tool_calls: trace.tool_calls.len() as u32,
            tokens: trace.conversation.tokens.total(),
            cost_usd: trace.conversation.cost_usd,
            undecided: Vec::new(),
            selection: None,
            pass_k: None,
            distractors: None,
            orchestration: None,
            token_efficiency: None,
            trajectory: None,
            axes: None,
            golden_path: None,
            edges: None,
        };
        let surface = trace.surface.as_ref().map(|raw| surfaces.get(raw)).transpose();
        let surface = surface.map_err(|reason| format!("its surface cannot be read: {reason}"))?;
        let surface = surface.as_deref();
        if self.test.sweep().is_some() {
            // A surface without a single mark may be the +0 cell or come from a recorder that marks
            // nothing: it does not tell.
            let marked = surface.map(Surface::distractor_count).filter(|count| *count > 0);
            seen.count = trace.distractor_count.or(marked);
        }
        if seen.is_inconclusive() {
            return Ok(seen);
        }
        let variant = self.variant(seen.count);
        let calls = variant.declared.resolve_all(&trace.tool_calls, surface);
        seen.failures = self.failures(trace, &calls);
        seen.undecided = calls
            .iter()
            .filter(|call| call.server.is_none())
            .map(|call| call.name.to_owned())
            .collect();
        seen.undecided.sort_unstable();
        seen.undecided.dedup();
        self.observe_gates(&mut seen, trace, &calls, surface, variant, counter);
        Ok(seen)
    }

    /// The injected set and ids for a count; outside a sweep the block's one count.
    fn variant(&self, count: Option<u32>) -> &Variant {
        let unknown = &self.variants[self.variants.len() - 1];
        match (self.test.sweep(), count) {
            (None, _) => &self.variants[0],
            (Some(_), Some(count)) => {
                self.variants.iter().find(|variant| variant.count == Some(count)).unwrap_or(unknown)
            }
            (Some(_), None) => unknown,
        }
    }

    /// The surface tells which tools are bait, unless it marks none though some were asked for.
    fn injected<'a>(
        &'a self,
        surface: Option<&'a Surface>,
        variant: &'a Variant,
        count: Option<u32>,
    ) -> Injected<'a> {
        let asked = variant.count.or(count).unwrap_or_default();
        match (surface, &variant.injected) {
            (Some(surface), _)
                if surface.distractor_count() > 0 || (asked == 0 && variant.count.is_some()) =>
            {
                Injected::OnSurface(surface)
            }
            (_, Ok(ids)) => Injected::FromBlock(ids),
            (_, Err(_)) if count.is_some() && variant.count.is_none() => {
                Injected::Unknown(&self.foreign_count)
            }
            (_, Err(reason)) => Injected::Unknown(reason),
        }
    }

    fn failures(&self, trace: &Trace, calls: &[Call<'_>]) -> Vec<String> {
        let results =
            self.expect.iter().map(|(target, check)| check.run(target.resolve(trace, calls)));
        results.filter(|result| !result.passed).map(|result| result.message).collect()
    }

    fn observe_gates(
        &self,
        seen: &mut RunObservation,
        trace: &Trace,
        calls: &[Call<'_>],
        surface: Option<&Surface>,
        variant: &Variant,
        counter: &dyn TokenCounter,
    ) {
        let gates = &self.test.gates;
        let classes = self.classes.as_ref().zip(gates.equal_function_sets.as_ref());
        let classes = classes
            .map(|(index, block)| orchestration::ClassIndex { index, count: block.classes.len() });
        seen.selection = classes
            .map(|classes| Arc::new(selection::observe(classes.index, classes.count, calls)));
        seen.pass_k = gates
            .tool_selection
            .as_ref()
            .map(|block| Arc::new(pass_k::observe(block, calls, seen.tokens)));
        seen.distractors = gates.distractors.as_ref().map(|block| {
            let injected = self.injected(surface, variant, seen.count);
            Arc::new(distractors::observe(&block.correct, injected, calls))
        });
        seen.orchestration = gates
            .orchestration
            .as_ref()
            .map(|_| Arc::new(orchestration::observe(classes, calls, surface)));
        let priced = self.priced_classes.as_ref().zip(gates.token_efficiency.as_ref());
        seen.token_efficiency = priced.map(|(index, block)| {
            let tokens = surface.map(|surface| surface.tokens(counter));
            Arc::new(token_efficiency::observe(
                index,
                block.classes.len(),
                calls,
                tokens,
                seen.cost_usd,
            ))
        });
        seen.trajectory =
            self.trajectory.as_ref().map(|expected| Arc::new(trajectory::observe(expected, calls)));
        seen.axes = gates
            .trajectory_axes
            .as_ref()
            .map(|block| Arc::new(trajectory_axes::observe(block, calls)));
        seen.golden_path =
            gates.golden_path.as_ref().map(|block| Arc::new(golden_path::observe(block, calls)));
        let edges = self.edges.as_ref().zip(gates.tool_edges.as_ref());
        seen.edges = edges.map(|(edges, block)| {
            Arc::new(tool_edges::observe(block, edges, calls, trace.delegations.as_deref()))
        });
    }

    pub(crate) fn complexity(&self) -> Option<String> {
        Some(self.test.gates.distractors.as_ref()?.complexity?.word().to_owned())
    }
}

pub(crate) fn members(classes: &[EqualFunctionClass]) -> Vec<&str> {
    classes.iter().flat_map(|class| &class.members).map(String::as_str).collect()
}

pub(crate) fn axis_ids(block: &TrajectoryAxes) -> Vec<&str> {
    let dependencies =
        block.dependencies.iter().flatten().flat_map(|pair| [&pair.producer, &pair.consumer]);
    let orders = block.order.iter().flatten().flat_map(|pair| [&pair.first, &pair.second]);
    dependencies.chain(orders).map(String::as_str).collect()
}

/// Every id of every gate.
fn declared_ids(gates: &AgentGates) -> Vec<String> {
    let mut ids = Vec::<&str>::new();
    for block in [&gates.equal_function_sets, &gates.token_efficiency].into_iter().flatten() {
        ids.extend(members(&block.classes));
    }
    ids.extend(gates.tool_selection.iter().map(|block| block.expected_tool.as_str()));
    ids.extend(gates.distractors.iter().flat_map(|block| refs(&block.correct)));
    ids.extend(
        gates.trajectory.iter().flat_map(|block| &block.calls).map(|call| call.name.as_str()),
    );
    ids.extend(gates.trajectory_axes.iter().flat_map(axis_ids));
    ids.extend(gates.golden_path.iter().flat_map(|block| refs(&block.calls)));
    ids.extend(
        gates
            .tool_edges
            .iter()
            .flat_map(|block| block.allowed.iter().chain(&block.restricted))
            .map(String::as_str),
    );
    ids.sort_unstable();
    ids.dedup();
    ids.into_iter().map(str::to_owned).collect()
}
