//! Orchestration: how the calls were made, beyond which ones.
//!
//! Percents rounded half up (discovery: the recall of the F1 section), counts summed over runs
//! first. parameterization: calls whose args are a non-empty object / calls. syntax: calls with a
//! non-blank name and object args / calls. Both 100 on an empty trace (vacuous), absent when no call
//! carries args at all. error_recovery: errored calls followed later by a success on the same tool or
//! class / errored calls; 100 without errors. efficiency: classes / calls, capped at 100; 0 with no
//! classes or no calls. schema_validity: calls whose args fit their tool's schema / calls to tools
//! on the surface. hallucination: calls to tools not on the surface / calls.

use std::collections::HashSet;

use mcptest_suite::model::EqualFunctionClass;

use super::Tally;
use super::selection::{self, RunSelection};
use crate::figures::{Figure, Figures, int, percent_half_up};
use crate::ids::{Call, IdIndex};
use crate::result::Detail;
use crate::surface::{ArgsVerdict, Surface};

/// What one run's calls were like.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct RunOrchestration {
    calls: u64,
    calls_with_args: u64,
    parameterized: u64,
    well_formed: u64,
    errors: u64,
    recovered: u64,
    surface: Option<Box<OnSurface>>,
}

/// What the surface tells about one run's calls.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
struct OnSurface {
    judged: u64,
    valid: u64,
    hallucinated: Tally,
    violations: Vec<String>,
    unusable_schemas: Vec<String>,
}

/// Violations kept per run and shown per gate: enough to see the pattern.
const MAX_SHOWN: usize = 5;

/// The classes of a test: how many, and an index over their members.
#[derive(Debug, Clone, Copy)]
pub struct ClassIndex<'a> {
    /// Finds the classes of a call.
    pub index: &'a IdIndex,
    /// How many classes there are.
    pub count: usize,
}

/// Judges one run.
pub fn observe(
    classes: Option<ClassIndex<'_>>,
    calls: &[Call<'_>],
    surface: Option<&Surface>,
) -> RunOrchestration {
    let mut run = RunOrchestration {
        calls: calls.len() as u64,
        surface: surface.map(|_| Box::default()),
        ..RunOrchestration::default()
    };
    for call in calls {
        let shape = Shape::of(call);
        run.calls_with_args += u64::from(shape != Shape::Absent);
        run.parameterized += u64::from(shape == Shape::Filled);
        let object = matches!(shape, Shape::Filled | Shape::Empty);
        run.well_formed += u64::from(object && !call.recorded.name.trim().is_empty());
        if let (Some(surface), Some(found)) = (surface, &mut run.surface) {
            found.look_at(surface, call);
        }
    }
    (run.errors, run.recovered) = recoveries(classes, calls);
    run
}

/// What a call's arguments are, told from their first and last bytes: they are valid JSON already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Absent,
    Empty,
    Filled,
    NoObject,
}

impl Shape {
    fn of(call: &Call<'_>) -> Self {
        let Some(raw) = &call.recorded.args else { return Self::Absent };
        let text = raw.get().trim();
        match text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            Some(inner) if inner.trim().is_empty() => Self::Empty,
            Some(_) => Self::Filled,
            None if text == "null" => Self::Absent,
            None => Self::NoObject,
        }
    }
}

/// Errored calls, and those followed by a success on the same tool or class.
///
/// One pass from the end keeps the tools and classes that succeed later.
fn recoveries(classes: Option<ClassIndex<'_>>, calls: &[Call<'_>]) -> (u64, u64) {
    let mut tools = HashSet::<(Option<&str>, &str)>::new();
    let mut succeeded = vec![false; classes.map_or(0, |classes| classes.count)];
    let (mut errors, mut recovered) = (0, 0);
    let mut buffer = String::new();
    for call in calls.iter().rev() {
        let mut own = Vec::new();
        if let Some(classes) = classes {
            classes.index.each(call, &mut buffer, |class| own.push(class));
        }
        if call.is_error() {
            errors += 1;
            let later = tools.contains(&(call.server, call.name))
                || own.iter().any(|class| succeeded[*class]);
            recovered += u64::from(later);
        } else {
            tools.insert((call.server, call.name));
            own.iter().for_each(|class| succeeded[*class] = true);
        }
    }
    (errors, recovered)
}

impl OnSurface {
    fn look_at(&mut self, surface: &Surface, call: &Call<'_>) {
        let args = call.arguments_or_empty();
        let verdict = surface.check_args(call.server, call.name, &args);
        // A trace without servers may carry the name as the model was shown it.
        let verdict = match verdict {
            None if call.recorded.server.is_none() => {
                surface.check_args(None, &call.recorded.name, &args)
            }
            found => found,
        };
        match verdict {
            None => self.hallucinated.add(call.id()),
            Some(ArgsVerdict::Valid) => {
                self.judged += 1;
                self.valid += 1;
            }
            Some(ArgsVerdict::Invalid(reason)) => {
                self.judged += 1;
                if self.violations.len() < MAX_SHOWN {
                    self.violations.push(format!("{}: {reason}", call.id()));
                }
            }
            Some(ArgsVerdict::NoVerdict(reason)) => {
                self.unusable_schemas.push(format!("{}: {reason}", call.id()))
            }
        }
    }
}

/// Folds the runs; `selections` are the same runs under the F1 section.
pub fn fold(
    classes: Option<&[EqualFunctionClass]>,
    selections: &[(u32, &RunSelection)],
    runs: &[(u32, &RunOrchestration)],
) -> Figures {
    let sum =
        |field: fn(&RunOrchestration) -> u64| runs.iter().map(|(_, run)| field(run)).sum::<u64>();
    let calls = sum(|run| run.calls);
    let errors = sum(|run| run.errors);
    let expected = classes.map_or(0, <[_]>::len) as u64 * runs.len() as u64;
    let no_args = calls > 0 && sum(|run| run.calls_with_args) == 0;
    let of_args = |part: u64| -> Figure {
        if no_args {
            Err("no call of the trace carries args".to_owned())
        } else if calls == 0 {
            int(100)
        } else {
            int(percent_half_up(part, calls))
        }
    };
    let surface = surface_figures(calls, no_args, runs);
    let quiet = if errors == 0 {
        vec!["no call failed, so error_recovery is 100 by rule".to_owned()]
    } else {
        Vec::new()
    };
    Figures {
        figures: vec![
            ("orchestration.discovery", discovery(classes, selections)),
            ("orchestration.parameterization", of_args(sum(|run| run.parameterized))),
            ("orchestration.syntax", of_args(sum(|run| run.well_formed))),
            (
                "orchestration.error_recovery",
                int(if errors == 0 {
                    100
                } else {
                    percent_half_up(sum(|run| run.recovered), errors)
                }),
            ),
            ("orchestration.efficiency", int(percent_half_up(expected, calls))),
            ("orchestration.schema_validity", surface.validity),
            ("orchestration.hallucination", surface.hallucination),
        ],
        vacuous: calls == 0,
        by_rule: Vec::new(),
        notes: [surface.notes, quiet].concat(),
        detail: surface.detail,
    }
}

fn discovery(
    classes: Option<&[EqualFunctionClass]>,
    selections: &[(u32, &RunSelection)],
) -> Figure {
    let Some(classes) = classes else {
        return Err("the test declares no equal_function_sets".to_owned());
    };
    int(selection::Counts::of(classes, selections.iter().map(|(_, run)| *run)).recall())
}

struct SurfaceFigures {
    validity: Figure,
    hallucination: Figure,
    notes: Vec<String>,
    detail: Detail,
}

fn surface_figures(calls: u64, no_args: bool, runs: &[(u32, &RunOrchestration)]) -> SurfaceFigures {
    if let Some((number, _)) = runs.iter().find(|(_, run)| run.surface.is_none()) {
        let reason = || Err(format!("run {number} carries no surface"));
        return SurfaceFigures {
            validity: reason(),
            hallucination: reason(),
            notes: Vec::new(),
            detail: Detail::default(),
        };
    }
    let (mut judged, mut valid) = (0, 0);
    let mut hallucinated = Tally::default();
    let (mut violations, mut unusable) = (Vec::new(), Vec::new());
    for found in runs.iter().filter_map(|(_, run)| run.surface.as_ref()) {
        judged += found.judged;
        valid += found.valid;
        hallucinated.merge(&found.hallucinated);
        violations.extend(found.violations.iter().cloned());
        unusable.extend(found.unusable_schemas.iter().cloned());
    }
    violations.truncate(MAX_SHOWN);
    unusable.dedup();
    unusable.truncate(MAX_SHOWN);
    SurfaceFigures {
        validity: if no_args {
            Err("no call of the trace carries args".to_owned())
        } else if judged == 0 && !unusable.is_empty() {
            Err("no tool that was called has a usable schema".to_owned())
        } else if judged == 0 {
            Err("no call went to a tool on the surface".to_owned())
        } else {
            int(percent_half_up(valid, judged))
        },
        hallucination: if calls == 0 {
            Err("there are no calls".to_owned())
        } else {
            int(percent_half_up(hallucinated.total(), calls))
        },
        notes: unusable
            .iter()
            .map(|reason| {
                format!("left out of schema_validity, the tool's schema is unusable: {reason}")
            })
            .collect(),
        detail: Detail {
            hallucinated_calls: Some(hallucinated.list()),
            schema_violations: Some(violations),
            ..Detail::default()
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{call_of, call_with, classes, failed, resolved};
    use mcptest_trace::ToolCall;
    use proptest::prelude::*;

    fn two() -> Vec<EqualFunctionClass> {
        classes(&[
            ("search", &["catalog.search", "catalog.web_search"]),
            ("fetch", &["fulfillment.fetch", "fulfillment.get"]),
        ])
    }

    fn figures(
        classes: Option<&[EqualFunctionClass]>,
        runs: &[Vec<ToolCall>],
        surface: Option<&Surface>,
    ) -> Figures {
        let index = selection::index(classes.unwrap_or_default());
        let count = classes.map_or(0, <[_]>::len);
        let class_index = classes.map(|_| ClassIndex { index: &index, count });
        let of_run = |run: &Vec<ToolCall>| {
            resolved(run, |calls| {
                (selection::observe(&index, count, calls), observe(class_index, calls, surface))
            })
        };
        let (selections, observed): (Vec<_>, Vec<_>) = runs.iter().map(of_run).unzip();
        fold(
            classes,
            &(1..).zip(&selections).collect::<Vec<_>>(),
            &(1..).zip(&observed).collect::<Vec<_>>(),
        )
    }

    fn number(figures: &Figures, word: &str) -> u64 {
        figures.get(&format!("orchestration.{word}")).unwrap().as_ref().unwrap().as_u64().unwrap()
    }

    #[test]
    fn two_classes_over_three_calls_are_67() {
        let run =
            vec![call_of("catalog.search"), call_of("catalog.search"), call_of("fulfillment.get")];
        let found = figures(Some(&two()), &[run], None);
        assert_eq!(number(&found, "efficiency"), 67);
        assert_eq!(number(&found, "discovery"), 100);
    }

    #[test]
    fn one_of_two_classes_is_50() {
        let found = figures(Some(&two()), &[vec![call_of("catalog.web_search")]], None);
        assert_eq!(number(&found, "discovery"), 50);
        assert_eq!(number(&found, "efficiency"), 100);
    }

    #[test]
    fn classes_count_once_per_run() {
        let runs = [
            vec![call_of("catalog.search"); 4],
            vec![call_of("catalog.search"), call_of("fulfillment.get")],
        ];
        // 2 classes in each of 2 runs over 6 calls.
        assert_eq!(number(&figures(Some(&two()), &runs, None), "efficiency"), 67);
    }

    #[test]
    fn arguments_are_counted_where_they_are_recorded() {
        let run = vec![
            call_with("a", r#"{"x":1}"#),
            call_with("a", "{}"),
            call_with("a", "\"text\""),
            call_with(" ", "{}"),
        ];
        let found = figures(None, &[run], None);
        assert_eq!(number(&found, "parameterization"), 25);
        assert_eq!(number(&found, "syntax"), 50);
        let without = figures(None, &[vec![call_of("a")]], None);
        assert!(without.get("orchestration.syntax").unwrap().is_err());
        let empty = figures(None, &[vec![]], None);
        assert!(empty.vacuous);
        assert_eq!((number(&empty, "parameterization"), number(&empty, "syntax")), (100, 100));
        assert_eq!(number(&empty, "efficiency"), 0);
    }

    #[test]
    fn an_error_is_recovered_by_the_same_tool_or_class() {
        let recovered =
            |run: Vec<ToolCall>| number(&figures(Some(&two()), &[run], None), "error_recovery");
        assert_eq!(recovered(vec![call_of("x")]), 100);
        assert_eq!(recovered(vec![failed("catalog.search")]), 0);
        assert_eq!(recovered(vec![failed("catalog.search"), call_of("catalog.search")]), 100);
        assert_eq!(recovered(vec![failed("catalog.search"), call_of("catalog.web_search")]), 100);
        assert_eq!(recovered(vec![failed("catalog.search"), call_of("fulfillment.get")]), 0);
        assert_eq!(recovered(vec![call_of("catalog.search"), failed("catalog.search")]), 0);
        assert_eq!(
            recovered(vec![failed("x.y"), failed("x.y"), call_of("x.y"), failed("x.z")]),
            67
        );
    }

    #[test]
    fn the_surface_tells_valid_from_invalid_and_from_invented() {
        let tool = serde_json::json!({"server": "c", "name": "search", "inputSchema": {"type": "object", "required": ["q"]}});
        let surface = Surface::new(vec![serde_json::from_value(tool).unwrap()]);
        let run = vec![
            call_with("c.search", r#"{"q":1}"#),
            call_with("c.search", "{}"),
            call_with("c.invented", "{}"),
        ];
        let found = figures(None, &[run], Some(&surface));
        assert_eq!(number(&found, "schema_validity"), 50);
        assert_eq!(number(&found, "hallucination"), 33);
        assert_eq!(found.detail.hallucinated_calls.as_ref().unwrap()[0].id, "c.invented");
        assert!(
            found.detail.schema_violations.unwrap()[0].contains("\"q\" is a required property")
        );
        let without = figures(None, &[vec![call_of("x")]], None);
        assert!(without.get("orchestration.hallucination").unwrap().is_err());
        let empty = figures(None, &[vec![]], Some(&surface));
        assert!(empty.get("orchestration.hallucination").unwrap().is_err());
    }

    proptest! {
        #[test]
        fn recovery_equals_a_naive_second_implementation(run in prop::collection::vec((0usize..5, any::<bool>()), 0..8)) {
            // Tools 0 and 1 form a class, 2 and 3 another, 4 stands alone.
            const IDS: [&str; 5] = ["a.0", "a.1", "b.2", "b.3", "c.4"];
            let group = |tool: usize| [0, 0, 1, 1, 2][tool];
            let classes = classes(&[("one", &["a.0", "a.1"]), ("two", &["b.2", "b.3"])]);
            let calls = run.iter().map(|(tool, bad)| if *bad { failed(IDS[*tool]) } else { call_of(IDS[*tool]) }).collect::<Vec<_>>();
            let mut errors = 0;
            let mut recovered = 0;
            for i in 0..run.len() {
                if !run[i].1 { continue }
                errors += 1;
                for j in i + 1..run.len() {
                    if !run[j].1 && group(run[i].0) == group(run[j].0) { recovered += 1; break }
                }
            }
            let expected = if errors == 0 { 100.0 } else { (100.0 * f64::from(recovered) / f64::from(errors)).round() };
            prop_assert_eq!(number(&figures(Some(&classes), &[calls], None), "error_recovery") as f64, expected);
        }
    }

    #[test]
    fn a_tool_of_another_server_is_not_on_the_surface() {
        let surface = Surface::of(&[("catalog", "search")]);
        let found = figures(None, &[vec![call_with("evil.search", r#"{"q":1}"#)]], Some(&surface));
        assert_eq!(number(&found, "hallucination"), 100);
        let wire = ToolCall { server: None, ..call_with("catalog__search", "{}") };
        let shown = Surface::of(&[("", "catalog__search")]);
        assert_eq!(number(&figures(None, &[vec![wire]], Some(&shown)), "hallucination"), 0);
    }
}
