//! All runs of a cell together: their gates, their floor and, over a sweep, the drop.

use std::sync::Arc;

use mcptest_suite::model::{Assertion, ToolSelection};
use serde_json::Number;

use crate::checks::{half, or_default};
use crate::figures::{Figure, Figures};
use crate::gate::{self, Cell, Check};
use crate::ids::refs;
use crate::metrics::{
    distractors, golden_path, orchestration, pass_k, selection, token_efficiency, tool_edges,
    trajectory, trajectory_axes,
};
use crate::result::{AssertionResult, CurvePoint, Floor, Gate, Status};
use crate::scorer::{RunObservation, TestScorer, axis_ids, members};

/// Everything a cell's runs say.
#[derive(Debug)]
pub struct CellVerdict {
    /// The gates.
    pub gates: Vec<Gate>,
    /// The `tool_selection` floor.
    pub floor: Option<Floor>,
}

impl TestScorer {
    /// Folds the runs of one cell, numbered, into its gates.
    pub fn fold(&self, cell: &Cell, runs: &[(u32, RunObservation)]) -> CellVerdict {
        let fold = Fold { scorer: self, cell, runs };
        let mut gates = Vec::new();
        let mut floor = None;
        fold.each_gate(&mut gates, &mut floor);
        CellVerdict { gates, floor }
    }

    /// The gate over a whole sweep: accuracy at the smallest count minus that at the largest.
    pub fn fold_sweep(&self, cell: &Cell, cells: &[Gate]) -> Option<Gate> {
        let counts = self.test.sweep()?;
        let at = |count: u32| {
            let cell = |gate: &&Gate| {
                gate.block == "distractors" && gate.distractor_count == Some(Some(count))
            };
            cells.iter().find(cell)
        };
        let figure = |count: u32, target: &str| {
            at(count)?.figures.get(target)?.as_ref()?.as_u64().map(|value| value as u32)
        };
        let (smallest, largest) = (*counts.iter().min()?, *counts.iter().max()?);
        let missing = |count: u32| Err(format!("there is no accuracy at {count} distractors"));
        let accuracy = |count: u32| {
            figure(count, "distractors.accuracy")
                .map_or_else(|| missing(count), |value| Ok(i64::from(value)))
        };
        let drop: Figure =
            accuracy(smallest).and_then(|low| Ok(Number::from(low - accuracy(largest)?)));
        let mut sorted = counts.to_vec();
        sorted.sort_unstable();
        let curve = sorted.into_iter().map(|count| CurvePoint {
            distractor_count: count,
            accuracy: figure(count, "distractors.accuracy"),
            certified_lower: figure(count, "distractors.certified_lower"),
            runs: at(count).map_or(0, |gate| gate.runs_scored),
        });
        let mut figures =
            Figures { figures: vec![("distractors.drop", drop.clone())], ..Figures::default() };
        figures.detail.curve = Some(curve.collect());
        figures.detail.complexity = self.complexity();
        let mut assertions =
            self.checks.drop.iter().map(|check| check.run_on(&figures)).collect::<Vec<_>>();
        if let (Err(reason), true) = (&drop, assertions.is_empty()) {
            // Nobody asserted the drop, but a sweep with a hole in it is no sweep.
            assertions.push(AssertionResult {
                target: "distractors.drop".to_owned(),
                matcher: serde_json::json!({}),
                actual: serde_json::Value::Null,
                passed: false,
                message: format!("the sweep cannot be evaluated: {reason}"),
            });
        }
        let scored = cells
            .iter()
            .filter(|gate| gate.block == "distractors")
            .map(|gate| (gate.runs_scored, gate.runs_excluded));
        let counts = scored.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        let mut gate = gate::build(cell, "distractors", Some(None), figures, assertions, counts);
        // A hole that inconclusive runs left is nobody's failure.
        let undecided =
            |count: u32| at(count).is_some_and(|cell| cell.status() == Status::Inconclusive);
        gate.inconclusive = !gate.passed && (undecided(smallest) || undecided(largest));
        Some(gate)
    }
}

/// The gates of one cell in the making.
struct Fold<'a> {
    scorer: &'a TestScorer,
    cell: &'a Cell,
    runs: &'a [(u32, RunObservation)],
}

impl Fold<'_> {
    fn each_gate(&self, gates: &mut Vec<Gate>, floor: &mut Option<Floor>) {
        let blocks = &self.scorer.test.gates;
        let checks = &self.scorer.checks;
        let classes = blocks.equal_function_sets.as_ref().map(|block| block.classes.as_slice());
        if let Some(classes) = classes {
            let figures = selection::fold(classes, &self.of(|run| run.selection.as_deref()));
            gates.push(self.gate(
                "equal_function_sets",
                figures,
                &checks.selection,
                &members(classes),
            ));
        }
        if let Some(block) = &blocks.tool_selection {
            let verdict =
                pass_k::fold(block, &self.cell.name(), &self.of(|run| run.pass_k.as_deref()));
            gates.push(self.floor_gate(block, &verdict));
            // Without a scored run there is nothing to say of the floor.
            *floor = (self.counts().0 > 0).then(|| self.floor(block, verdict));
        }
        if let Some(block) = &blocks.distractors {
            let asked = self
                .cell
                .count
                .or_else(|| (!block.count.is_sweep()).then(|| block.count.counts()[0]));
            let mut figures = distractors::fold(
                &block.correct,
                asked,
                &self.of(|run| run.distractors.as_deref()),
            );
            figures.detail.complexity = self.scorer.complexity();
            gates.push(self.gate(
                "distractors",
                figures,
                &checks.distractors,
                &refs(&block.correct),
            ));
        }
        if blocks.orchestration.is_some() {
            let figures = orchestration::fold(
                classes,
                &self.of(|run| run.selection.as_deref()),
                &self.of(|run| run.orchestration.as_deref()),
            );
            gates.push(self.gate(
                "orchestration",
                figures,
                &checks.orchestration,
                &members(classes.unwrap_or_default()),
            ));
        }
        if let Some(block) = &blocks.token_efficiency {
            let figures = token_efficiency::fold(
                &block.classes,
                &self.of(|run| run.token_efficiency.as_deref()),
            );
            gates.push(self.gate(
                "token_efficiency",
                figures,
                &checks.token_efficiency,
                &members(&block.classes),
            ));
        }
        self.path_gates(gates);
        self.later_gates(gates);
    }

    /// The gates over the order and shape of the calls.
    fn path_gates(&self, gates: &mut Vec<Gate>) {
        let blocks = &self.scorer.test.gates;
        let checks = &self.scorer.checks;
        if let Some(block) = &blocks.trajectory {
            let ids = block.calls.iter().map(|call| call.name.as_str()).collect::<Vec<_>>();
            let figures = trajectory::fold(&self.of(|run| run.trajectory.as_deref()));
            gates.push(self.gate("trajectory", figures, &checks.trajectory, &ids));
        }
        if let Some(block) = &blocks.trajectory_axes {
            let figures = trajectory_axes::fold(block, &self.of(|run| run.axes.as_deref()));
            gates.push(self.gate("trajectory_axes", figures, &checks.axes, &axis_ids(block)));
        }
        if let Some(block) = &blocks.golden_path {
            let figures = golden_path::fold(&self.of(|run| run.golden_path.as_deref()));
            gates.push(self.gate("golden_path", figures, &checks.golden_path, &refs(&block.calls)));
        }
        if let Some(block) = &blocks.tool_edges {
            let figures = tool_edges::fold(block, &self.of(|run| run.edges.as_deref()));
            let ids = block
                .allowed
                .iter()
                .chain(&block.restricted)
                .map(String::as_str)
                .collect::<Vec<_>>();
            gates.push(self.gate("tool_edges", figures, &checks.edges, &ids));
        }
    }

    /// Blocks that are checked at load but not computed yet: they say so and fail.
    fn later_gates(&self, gates: &mut Vec<Gate>) {
        let blocks = &self.scorer.test.gates;
        let later = [
            (
                "stability",
                &blocks.stability,
                Assertion::at_least("stability.trajectory_agreement", half()),
            ),
            ("recovery", &blocks.recovery, Assertion::at_least("recovery.recovered", 50)),
            ("narrative", &blocks.narrative, Assertion::at_most("narrative.claimed_but_absent", 0)),
        ];
        for (name, block, default) in later {
            let Some(block) = block else { continue };
            let reason = format!("this version of mcptest does not compute `{name}` yet");
            let figures =
                mcptest_suite::targets::names(name).map(|target| (target, Err(reason.clone())));
            let figures = Figures { figures: figures.collect(), ..Figures::default() };
            let checks = Check::compile(&or_default(block.expect.as_deref(), || vec![default]));
            gates.push(self.gate(name, figures, &checks, &[]));
        }
    }

    /// The scored runs' part for one metric.
    fn of<'r, T>(
        &'r self,
        part: impl Fn(&'r RunObservation) -> Option<&'r T>,
    ) -> Vec<(u32, &'r T)> {
        self.runs.iter().filter_map(|(number, run)| Some((*number, part(run)?))).collect()
    }

    /// Only the gates of a sweep carry a count; null where it is not known which.
    fn sweep_count(&self) -> Option<Option<u32>> {
        self.cell.in_sweep.then_some(self.cell.count)
    }

    fn counts(&self) -> (u32, u32) {
        let excluded = self.runs.iter().filter(|(_, run)| run.is_inconclusive()).count() as u32;
        (self.runs.len() as u32 - excluded, excluded)
    }

    fn gate(&self, block: &str, figures: Figures, checks: &[Check], ids: &[&str]) -> Gate {
        let figures = self.finish(figures, ids);
        let assertions = checks.iter().map(|check| check.run_on(&figures)).collect();
        gate::build(self.cell, block, self.sweep_count(), figures, assertions, self.counts())
    }

    /// Without a scored run every figure is absent; with one, undecided ids are named.
    fn finish(&self, mut figures: Figures, ids: &[&str]) -> Figures {
        if self.counts().0 == 0 {
            let reason = "every run was inconclusive";
            let absent =
                figures.figures.into_iter().map(|(target, _)| (target, Err(reason.to_owned())));
            return Figures { figures: absent.collect(), ..Figures::default() };
        }
        let qualified = |name: &String| {
            ids.iter().any(|id| {
                id.strip_suffix(name.as_str()).is_some_and(|server| server.ends_with('.'))
            })
        };
        let mut undecided = self
            .runs
            .iter()
            .flat_map(|(_, run)| &run.undecided)
            .filter(|name| qualified(name))
            .cloned()
            .collect::<Vec<_>>();
        undecided.sort_unstable();
        undecided.dedup();
        if !undecided.is_empty() {
            figures.notes.push(format!(
                "the server of {} could not be told from the trace; only bare ids could match",
                undecided.join(", ")
            ));
            figures.detail.undecided_ids = Some(undecided);
        }
        figures
    }

    fn floor_gate(&self, block: &ToolSelection, verdict: &pass_k::FloorVerdict) -> Gate {
        let figures = self.finish(verdict.figures.clone(), &[&block.expected_tool]);
        let checks = &self.scorer.checks.pass_k;
        let mut assertions = checks.iter().map(|check| check.run_on(&figures)).collect::<Vec<_>>();
        // The floor is decided on exact fractions, not on the rounded figure.
        if let Some(rate) = assertions.first_mut().filter(|_| self.counts().0 > 0) {
            let (selected, total) = (verdict.selected, verdict.per_run.len());
            let word = if verdict.rate_met { "meets" } else { "is below" };
            let floor = block.min_selection_rate.number();
            rate.passed = verdict.rate_met;
            rate.message = format!("`{}`: {selected} of {total} runs {word} {floor}", rate.target);
        }
        gate::build(
            self.cell,
            "tool_selection",
            self.sweep_count(),
            figures,
            assertions,
            self.counts(),
        )
    }

    fn floor(&self, block: &ToolSelection, verdict: pass_k::FloorVerdict) -> Floor {
        let figure =
            |target: &str| verdict.figures.get(target).and_then(|figure| figure.clone().ok());
        Floor {
            name: self.cell.name(),
            test: Arc::clone(&self.cell.test),
            model: self.cell.model.clone(),
            distractor_count: self.cell.count,
            expected_tool: block.expected_tool.clone(),
            min_selection_rate: block.min_selection_rate.number().clone(),
            max_total_tokens: block.max_total_tokens,
            passed: verdict.passed(),
            runs: verdict.per_run.len() as u32,
            selected: verdict.selected as u32,
            selection_rate: figure("tool_selection.selection_rate"),
            pass_k: figure("tool_selection.pass_k"),
            tokens_median: figure("tool_selection.tokens_median")
                .and_then(|number| number.as_u64()),
            tokens_max: figure("tool_selection.tokens_max").and_then(|number| number.as_u64()),
            per_run: verdict.per_run,
            lines: verdict.lines,
        }
    }
}
