//! Scoring recorded traces: read in chunks, parsed and observed on all cores, folded in order.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use mcptest_score::gate::Cell;
use mcptest_score::result::{Gate, Problem, ResultDocument};
use mcptest_score::scorer::{RunObservation, TestScorer};
use mcptest_score::surface::SurfaceCache;
use mcptest_score::tokens::Cl100k;
use mcptest_suite::AgentTest;
use mcptest_suite::model::Suite;
use mcptest_trace::{Chunk, Origin, ReadError, Record};
use rayon::prelude::*;
use serde_json::Number;

use crate::cells::{CellRuns, TestRuns};
use crate::error::ScoreError;
use crate::{rows, snapshot};

/// What to score with what.
#[derive(Debug)]
pub struct Request<'a> {
    /// The suite.
    pub suite: &'a Suite,
    /// The suite file as the user named it.
    pub suite_name: &'a str,
    /// Trace files and folders.
    pub traces: &'a [PathBuf],
    /// The test all traces belong to.
    pub test: Option<&'a str>,
}

/// Scores the traces; `progress` hears the number of traces read so far.
pub fn score(request: &Request<'_>, progress: &dyn Fn(u64)) -> Result<ResultDocument, ScoreError> {
    let (scorers, mut file_problems) = scorers(request)?;
    let judge = Judge {
        scorers: &scorers,
        by_name: scorers
            .iter()
            .enumerate()
            .map(|(at, scorer)| (scorer.test().name.as_str(), at))
            .collect(),
        all_to: request.test.map(|name| find(&scorers, name, None)).transpose()?,
        surfaces: SurfaceCache::default(),
    };
    let mut runs = scorers.iter().map(|_| TestRuns::default()).collect::<Vec<_>>();
    let mut read = 0;
    for path in mcptest_trace::find_inputs(request.traces)? {
        let mut reader = mcptest_trace::open(&path)?;
        while let Some(chunk) = reader.next_chunk() {
            for (test, run) in judge.observe(&chunk?)? {
                // The file is needed only where no surface tells the distractors.
                if run.lacks_distractors()
                    && let Some(problem) = file_problems[test].take()
                {
                    return Err(problem);
                }
                runs[test].add(&scorers[test], run);
                read += 1;
            }
            progress(read);
        }
    }
    Ok(document(request, &scorers, runs))
}

/// The scorers of all tests, and for each why its distractors' file cannot be used.
fn scorers(
    request: &Request<'_>,
) -> Result<(Vec<TestScorer>, Vec<Option<ScoreError>>), ScoreError> {
    let tests = request.suite.agent_tests();
    if tests.is_empty() {
        return Err(ScoreError::NoAgentTest { suite: request.suite_name.to_owned() });
    }
    let servers = request.suite.servers.keys().cloned().collect::<Vec<_>>();
    let folder = Path::new(request.suite_name).parent().unwrap_or_else(|| Path::new(""));
    let (mut scorers, mut problems) = (Vec::new(), Vec::new());
    for test in tests {
        let path = test.gates.distractors.as_ref().and_then(|block| block.source.path.clone());
        let file = path.as_ref().map(|path| file_pool(&test, &folder.join(path)));
        let reason = file.as_ref().and_then(|file| file.as_ref().err().cloned());
        problems.push(reason.zip(path).map(|(reason, path)| ScoreError::DistractorFile {
            test: test.name.clone(),
            path,
            reason,
        }));
        scorers.push(TestScorer::new(test, &servers, file.as_ref()));
    }
    Ok((scorers, problems))
}

/// The tools of a `from: file` source, at least as many as the block asks for.
fn file_pool(test: &AgentTest, path: &Path) -> Result<Vec<String>, String> {
    let ids = snapshot::tool_ids(path)?;
    let counts = test.gates.distractors.as_ref().map_or(&[][..], |block| block.count.counts());
    let most = counts.iter().max().copied().unwrap_or_default() as usize;
    if ids.len() < most {
        return Err(format!("{most} distractors are asked for, but the file holds {}", ids.len()));
    }
    Ok(ids)
}

fn names(scorers: &[TestScorer]) -> Vec<String> {
    scorers.iter().map(|scorer| scorer.test().name.clone()).collect()
}

fn find(scorers: &[TestScorer], name: &str, place: Option<&Origin>) -> Result<usize, ScoreError> {
    let at = scorers.iter().position(|scorer| scorer.test().name == name);
    at.ok_or_else(|| ScoreError::UnknownTest {
        place: place.cloned(),
        name: name.to_owned(),
        known: names(scorers),
    })
}

/// Gives traces to tests and observes them; shared by all threads.
struct Judge<'a> {
    scorers: &'a [TestScorer],
    by_name: HashMap<&'a str, usize>,
    all_to: Option<usize>,
    surfaces: SurfaceCache,
}

impl Judge<'_> {
    /// All records of a chunk, in their order; of several errors the first.
    fn observe(&self, chunk: &Chunk) -> Result<Vec<(usize, RunObservation)>, ScoreError> {
        let pieces = chunk.pieces().par_iter();
        let observed: Vec<Result<Vec<_>, ScoreError>> = pieces
            .map(|piece| {
                chunk.parse(piece)?.iter().map(|record| self.observe_one(record)).collect()
            })
            .collect();
        let mut all = Vec::with_capacity(observed.len());
        for runs in observed {
            all.extend(runs?);
        }
        Ok(all)
    }

    fn observe_one(&self, record: &Record) -> Result<(usize, RunObservation), ScoreError> {
        let test = self.test_of(record)?;
        let observed = self.scorers[test].observe(&record.trace, &self.surfaces, &Cl100k);
        let run = observed.map_err(|reason| {
            let Origin { file, line } = &record.origin;
            let at = Some(mcptest_trace::Position { line: *line, column: 1 });
            let message = format!("this trace cannot be scored: {reason}");
            ReadError { file: file.clone(), at, message, help: None }
        })?;
        Ok((test, run))
    }

    /// The test named by `--test`, else by the trace, else the only one.
    fn test_of(&self, record: &Record) -> Result<usize, ScoreError> {
        if let Some(test) = self.all_to {
            return Ok(test);
        }
        match &record.trace.test {
            Some(name) => match self.by_name.get(name.as_str()) {
                Some(test) => Ok(*test),
                None => find(self.scorers, name, Some(&record.origin)),
            },
            None if self.scorers.len() == 1 => Ok(0),
            None => {
                Err(ScoreError::NoTest { place: record.origin.clone(), known: names(self.scorers) })
            }
        }
    }
}

/// Folds everything into the result document.
fn document(request: &Request<'_>, scorers: &[TestScorer], runs: Vec<TestRuns>) -> ResultDocument {
    let mut document = ResultDocument::new("score");
    document.suite = Some(request.suite_name.to_owned());
    for (scorer, runs) in scorers.iter().zip(runs) {
        if runs.is_empty() {
            let name = &scorer.test().name;
            // With --test the others were not asked for.
            if request.test.is_none() {
                document.rows.push(rows::skipped(name, None, "no trace of this test was given"));
            }
            continue;
        }
        add_test(&mut document, scorer, runs.into_cells(scorer));
    }
    if request.test.is_none() {
        document.rows.extend(rows::not_in_traces(request.suite));
    }
    document.tally();
    document
}

fn add_test(document: &mut ResultDocument, scorer: &TestScorer, cells: Vec<CellRuns>) {
    add_missing_cells(document, scorer, &cells);
    let mut sweep_gates: Vec<Gate> = Vec::new();
    let mut cells = cells.into_iter().peekable();
    while let Some((cell, runs)) = cells.next() {
        add_notes(document, scorer, &cell, &runs);
        add_totals(document, &runs);
        document.rows.extend(rows::of_runs(&cell, &runs, scorer.test().judges()));
        let verdict = scorer.fold(&cell, &runs);
        document.tool_selection.extend(verdict.floor);
        if scorer.test().sweep().is_some() {
            sweep_gates.extend(verdict.gates.iter().cloned());
        }
        document.gates.extend(verdict.gates);
        let model_ends = cells.peek().is_none_or(|(next, _)| next.model != cell.model);
        if model_ends {
            let whole = Cell { count: None, in_sweep: false, ..cell };
            document.gates.extend(scorer.fold_sweep(&whole, &sweep_gates));
            sweep_gates.clear();
        }
    }
}

/// Declared models and counts without a single trace are said to be missing.
fn add_missing_cells(document: &mut ResultDocument, scorer: &TestScorer, cells: &[CellRuns]) {
    let test = scorer.test();
    let models = test.models();
    let name = cells[0].0.test.clone();
    let matrix = cells[0].0.matrix;
    let why = "no trace of this cell was given";
    let present = |model: Option<&str>, count: Option<u32>| {
        cells.iter().any(|(cell, _)| {
            (model.is_none() || cell.model.as_deref() == model)
                && (count.is_none() || cell.count == count)
        })
    };
    let missing_models =
        models.iter().filter(|model| models.len() > 1 && !present(Some(model), None));
    for model in missing_models {
        let cell = Cell {
            test: name.clone(),
            model: Some((*model).into()),
            matrix,
            count: None,
            in_sweep: false,
        };
        document.rows.push(rows::skipped(&test.name, Some(&cell), why));
    }
    let mut models_present = cells.iter().map(|(cell, _)| cell.model.clone()).collect::<Vec<_>>();
    models_present.dedup();
    for model in models_present {
        for count in test.sweep().unwrap_or_default() {
            let there =
                cells.iter().any(|(cell, _)| cell.model == model && cell.count == Some(*count));
            if !there {
                let cell = Cell {
                    test: name.clone(),
                    model: model.clone(),
                    matrix,
                    count: Some(*count),
                    in_sweep: true,
                };
                document.rows.push(rows::skipped(&test.name, Some(&cell), why));
            }
        }
    }
}

fn add_notes(
    document: &mut ResultDocument,
    scorer: &TestScorer,
    cell: &Cell,
    runs: &[(u32, RunObservation)],
) {
    let (asked, given) = (scorer.test().runs() as usize, runs.len());
    if asked != given {
        let asked = if asked == 1 { "1 run".to_owned() } else { format!("{asked} runs") };
        let given =
            if given == 1 { "1 trace was".to_owned() } else { format!("{given} traces were") };
        document.notes.push(format!("{}: the suite asks for {asked}, {given} given", cell.name()));
    }
    let models = scorer.test().models();
    if let (false, Some(model)) = (models.is_empty(), &cell.model)
        && !models.contains(&&**model)
    {
        let note = format!(
            "{}: the traces name the model `{model}`, which the suite does not",
            cell.name()
        );
        document.notes.push(note);
    }
    if runs.iter().all(|(_, run)| run.is_inconclusive()) {
        let message =
            format!("every run of {} was inconclusive, so no verdict is possible", cell.name());
        document.errors.push(Problem {
            test: Some(cell.test.clone()),
            help: Some("see each run's cause, and record them again".to_owned()),
            ..Problem::new("all-inconclusive", message)
        });
    }
}

fn add_totals(document: &mut ResultDocument, runs: &[(u32, RunObservation)]) {
    let totals = &mut document.totals;
    totals.tool_calls += runs.iter().map(|(_, run)| u64::from(run.tool_calls)).sum::<u64>();
    totals.tokens =
        runs.iter().filter_map(|(_, run)| run.tokens).fold(totals.tokens, u64::saturating_add);
    let known = runs.iter().filter_map(|(_, run)| run.cost_usd).collect::<Vec<_>>();
    if !known.is_empty() {
        let before = totals.cost_usd.as_ref().and_then(Number::as_f64).unwrap_or_default();
        let sum = before + known.iter().sum::<f64>();
        totals.cost_usd = Number::from_f64((sum * 1e6).round() / 1e6);
    }
}
