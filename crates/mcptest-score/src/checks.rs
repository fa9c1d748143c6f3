//! The assertions of every block: what the author wrote, else the block's default gate.

use mcptest_suite::model::{AgentGates, Assertion, ToolSelection};
use serde_json::Number;

use crate::gate::Check;
use crate::metrics::{
    distractors, golden_path, selection, token_efficiency, tool_edges, trajectory, trajectory_axes,
};

/// The assertions of each block, compiled once.
#[derive(Debug)]
pub(crate) struct Checks {
    pub(crate) selection: Vec<Check>,
    pub(crate) pass_k: Vec<Check>,
    pub(crate) distractors: Vec<Check>,
    pub(crate) drop: Vec<Check>,
    pub(crate) orchestration: Vec<Check>,
    pub(crate) token_efficiency: Vec<Check>,
    pub(crate) trajectory: Vec<Check>,
    pub(crate) axes: Vec<Check>,
    pub(crate) golden_path: Vec<Check>,
    pub(crate) edges: Vec<Check>,
}

impl Checks {
    pub(crate) fn new(gates: &AgentGates) -> Self {
        let compile = |expect: Option<&[Assertion]>, default: fn() -> Vec<Assertion>| {
            Check::compile(&or_default(expect, default))
        };
        let of_distractors = gates
            .distractors
            .as_ref()
            .and_then(|block| block.expect.as_deref())
            .unwrap_or_default();
        let (drop, cells): (Vec<_>, Vec<_>) = of_distractors
            .iter()
            .cloned()
            .partition(|assertion| assertion.target == "distractors.drop");
        Self {
            selection: compile(
                gates.equal_function_sets.as_ref().and_then(|block| block.expect.as_deref()),
                selection::default_gate,
            ),
            pass_k: gates.tool_selection.as_ref().map(floor_checks).unwrap_or_default(),
            // A sweep that asserts only its drop still has the default gate in every cell.
            distractors: compile(Some(&cells), distractors::default_gate),
            drop: Check::compile(&drop),
            orchestration: compile(
                gates.orchestration.as_ref().and_then(|block| block.expect.as_deref()),
                Vec::new,
            ),
            token_efficiency: compile(
                gates.token_efficiency.as_ref().and_then(|block| block.expect.as_deref()),
                token_efficiency::default_gate,
            ),
            trajectory: compile(
                gates.trajectory.as_ref().and_then(|block| block.expect.as_deref()),
                trajectory::default_gate,
            ),
            axes: gates
                .trajectory_axes
                .as_ref()
                .map(|block| {
                    Check::compile(&or_default(block.expect.as_deref(), || {
                        trajectory_axes::default_gate(block)
                    }))
                })
                .unwrap_or_default(),
            golden_path: compile(
                gates.golden_path.as_ref().and_then(|block| block.expect.as_deref()),
                golden_path::default_gate,
            ),
            edges: compile(
                gates.tool_edges.as_ref().and_then(|block| block.expect.as_deref()),
                tool_edges::default_gate,
            ),
        }
    }
}

/// The floor first, the budget second, then what the author adds.
fn floor_checks(block: &ToolSelection) -> Vec<Check> {
    let mut assertions = vec![Assertion::at_least(
        "tool_selection.selection_rate",
        block.min_selection_rate.number().clone(),
    )];
    if let Some(cap) = block.max_total_tokens {
        assertions.push(Assertion::at_most("tool_selection.tokens_max", cap));
    }
    assertions.extend(block.expect.iter().flatten().cloned());
    Check::compile(&assertions)
}

/// An empty or omitted `expect` means the default gate.
pub(crate) fn or_default(
    expect: Option<&[Assertion]>,
    default: impl FnOnce() -> Vec<Assertion>,
) -> Vec<Assertion> {
    match expect {
        Some(list) if !list.is_empty() => list.to_vec(),
        _ => default(),
    }
}

pub(crate) fn half() -> Number {
    Number::from_f64(0.5).unwrap_or_else(|| Number::from(0))
}
