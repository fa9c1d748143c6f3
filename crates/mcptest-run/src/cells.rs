//! Sorting runs into cells: one test, one model and, in a sweep, one distractor count.

use std::sync::Arc;

use indexmap::IndexMap;
use mcptest_score::gate::Cell;
use mcptest_score::scorer::{RunObservation, Shared, TestScorer};

/// The runs of one test, by cell.
#[derive(Debug, Default)]
pub struct TestRuns {
    cells: IndexMap<Key, Vec<RunObservation>>,
    shared: Shared,
}

/// Model and, in a sweep, distractor count.
type Key = (Option<Arc<str>>, Option<u32>);

/// The numbered runs of a cell.
pub type CellRuns = (Cell, Vec<(u32, RunObservation)>);

impl TestRuns {
    /// Adds a run to its cell; a trace without a model is its test's, where that has just one.
    pub fn add(&mut self, scorer: &TestScorer, mut run: RunObservation) {
        self.shared.share(&mut run);
        let models = scorer.test().models();
        let only = if let [only] = models.as_slice() { Some(Arc::from(*only)) } else { None };
        let model = run.model.clone().or(only);
        self.cells.entry((model, run.count)).or_default().push(run);
    }

    /// Whether no run came in.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The cells in the suite's order, runs numbered.
    pub fn into_cells(self, scorer: &TestScorer) -> Vec<CellRuns> {
        let test = scorer.test();
        let declared = test.models();
        let mut seen = self.cells.keys().map(|(model, _)| model.clone()).collect::<Vec<_>>();
        seen.dedup();
        let matrix =
            declared.len() > 1 || self.cells.keys().any(|(model, _)| Some(model) != seen.first());
        let in_sweep = test.sweep().is_some();
        let name: Arc<str> = Arc::from(test.name.as_str());
        let place = |model: &Option<Arc<str>>| {
            let at = declared.iter().position(|other| model.as_deref() == Some(*other));
            at.unwrap_or(declared.len())
        };
        let mut cells = self.cells.into_iter().collect::<Vec<_>>();
        // Declared models first, others in the order they came; counts from small to large.
        cells.sort_by_key(|((model, count), _)| {
            (place(model), seen.iter().position(|other| other == model), *count)
        });
        cells
            .into_iter()
            .map(|((model, count), runs)| {
                (Cell { test: Arc::clone(&name), model, matrix, count, in_sweep }, number(runs))
            })
            .collect()
    }
}

/// Numbers runs by what the traces say if that is unambiguous, else in the order they came.
fn number(mut runs: Vec<RunObservation>) -> Vec<(u32, RunObservation)> {
    let mut own = runs.iter().filter_map(|run| run.run).collect::<Vec<_>>();
    own.sort_unstable();
    own.dedup();
    if own.len() == runs.len() {
        runs.sort_by_key(|run| run.run);
        return runs.into_iter().map(|run| (run.run.unwrap_or_default(), run)).collect();
    }
    (1..).zip(runs).collect()
}
