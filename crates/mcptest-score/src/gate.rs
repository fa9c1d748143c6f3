//! Gates: figures against assertions. An absent figure fails every assertion and says why.

use std::sync::Arc;

use mcptest_suite::model::Assertion;
use serde_json::Value;

use crate::figures::{Figure, Figures};
use crate::matcher::Compiled;
use crate::result::{AssertionResult, Gate};

/// A cell: one test with one model and, in a sweep, one distractor count.
#[derive(Debug, Clone)]
pub struct Cell {
    /// The test's name.
    pub test: Arc<str>,
    /// The model, where it is known.
    pub model: Option<Arc<str>>,
    /// Whether the model belongs in the name: the test runs on several.
    pub matrix: bool,
    /// The sweep's count: none without a sweep.
    pub count: Option<u32>,
    /// A cell of a sweep: without a count, it is not known which one.
    pub in_sweep: bool,
}

impl Cell {
    /// `NAME`, `NAME [model]`, `NAME [model] +16`.
    pub fn name(&self) -> String {
        let mut name = self.test.to_string();
        if let (true, Some(model)) = (self.matrix, &self.model) {
            name.push_str(&format!(" [{model}]"));
        }
        match self.count {
            Some(count) => name.push_str(&format!(" +{count}")),
            None if self.in_sweep => name.push_str(" +?"),
            None => {}
        }
        name
    }
}

/// An assertion with its matcher compiled.
#[derive(Debug)]
pub struct Check {
    /// What is looked at.
    pub target: String,
    /// What must hold.
    pub matcher: Compiled,
}

impl Check {
    /// Compiles a list of assertions.
    pub fn compile(assertions: &[Assertion]) -> Vec<Self> {
        assertions
            .iter()
            .map(|assertion| Self {
                target: assertion.target.clone(),
                matcher: Compiled::new(&assertion.matcher),
            })
            .collect()
    }

    /// Checks a value, or the reason why there is none.
    pub fn run(&self, actual: Result<Value, String>) -> AssertionResult {
        let target = &self.target;
        let (passed, message) = match &actual {
            Ok(value) => match self.matcher.check(value) {
                Ok(()) => (
                    true,
                    format!("`{target}` is {value}, as expected ({})", self.matcher.describe()),
                ),
                Err(expected) => (false, format!("`{target}` is {}, {expected}", shown(value))),
            },
            Err(reason) => (
                false,
                format!("`{target}` is absent: {reason}; expected {}", self.matcher.describe()),
            ),
        };
        AssertionResult {
            target: target.clone(),
            matcher: self.matcher.to_json(),
            actual: actual.unwrap_or(Value::Null),
            passed,
            message,
        }
    }

    /// Checks a figure.
    pub fn run_on(&self, figures: &Figures) -> AssertionResult {
        let missing = Err("this gate does not compute it".to_owned());
        let figure: &Figure = figures.get(&self.target).unwrap_or(&missing);
        self.run(figure.clone().map(Value::Number))
    }
}

/// A value for a message: whole where it is short.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 200 {
        return text;
    }
    text.chars().take(199).chain(['…']).collect()
}

/// Builds a gate from what was found and how the assertions went.
pub fn build(
    cell: &Cell,
    block: &str,
    sweep: Option<Option<u32>>,
    figures: Figures,
    assertions: Vec<AssertionResult>,
    (scored, excluded): (u32, u32),
) -> Gate {
    let passed = assertions.iter().all(|assertion| assertion.passed);
    let absent = figures.figures.iter().filter_map(|(target, figure)| {
        Some(((*target).to_owned(), figure.as_ref().err()?.clone()))
    });
    let by_rule = assertions.iter().any(|one| figures.by_rule.contains(&one.target.as_str()));
    Gate {
        name: format!("{} · {block}", cell.name()),
        test: Arc::clone(&cell.test),
        model: cell.model.clone(),
        distractor_count: sweep,
        block: block.to_owned(),
        passed,
        inconclusive: !passed && scored == 0 && excluded > 0,
        vacuous: figures.vacuous || by_rule,
        absent: absent.collect(),
        figures: figures
            .figures
            .into_iter()
            .map(|(target, figure)| (target.to_owned(), figure.ok()))
            .collect(),
        assertions,
        runs_scored: scored,
        runs_excluded: excluded,
        notes: figures.notes,
        detail: figures.detail,
    }
}
