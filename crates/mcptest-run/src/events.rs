//! What happens during a run. The engine emits events and never prints; progress, reporters and
//! (later) the recorder only consume them.

use std::sync::Arc;

use mcptest_score::result::{Problem, ResultDocument, Row};

/// One thing that happened.
#[derive(Debug, Clone)]
pub enum Event {
    /// The plan stands: so many tests will run.
    Planned {
        /// How many rows there will be.
        tests: usize,
    },
    /// A test begins.
    Started {
        /// Its name.
        name: Arc<str>,
    },
    /// A test ended (or was skipped).
    Finished {
        /// Its place in the plan.
        at: usize,
        /// How it went.
        row: Row,
        /// How long it took.
        took_ms: f64,
    },
    /// Something outside failed.
    Problem(Problem),
    /// A remark that changes no verdict.
    Note(String),
}

/// Folds events into a result document.
#[derive(Debug, Default)]
pub struct Collector {
    rows: Vec<(usize, Row, f64)>,
    errors: Vec<Problem>,
    notes: Vec<String>,
}

impl Collector {
    /// Takes an event in.
    pub fn take(&mut self, event: Event) {
        match event {
            Event::Finished { at, row, took_ms } => self.rows.push((at, row, took_ms)),
            Event::Problem(problem) => self.errors.push(problem),
            Event::Note(note) => self.notes.push(note),
            Event::Planned { .. } | Event::Started { .. } => {}
        }
    }

    /// The document, rows in the order of the plan, and how long each row took.
    pub fn finish(mut self) -> (ResultDocument, Vec<(String, f64)>) {
        let mut document = ResultDocument::new("run");
        self.rows.sort_by_key(|(at, _, _)| *at);
        // Servers are tested side by side, so these come in any order.
        self.errors.sort_by(|a, b| a.message.cmp(&b.message));
        self.notes.sort();
        let times = self.rows.iter().map(|(_, row, took)| (row.name.clone(), *took)).collect();
        document.rows = self.rows.into_iter().map(|(_, row, _)| row).collect();
        document.errors = self.errors;
        document.notes = self.notes;
        document.tally();
        (document, times)
    }
}
