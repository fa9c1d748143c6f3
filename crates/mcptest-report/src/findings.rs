//! What there is to say about a gate, before any reporter says it: cleaned and of bounded length.

use mcptest_score::result::{CountedId, Detail, Gate, Problem, ResultDocument, RunDetail};

use crate::text::{message, shorten};
use crate::words;

/// Most runs told of one gate.
const MOST_RUNS: usize = 20;
/// Most names in one list.
const MOST_NAMES: usize = 20;
/// Longest name in a list; real tool names have at most 128 characters.
const LONGEST_NAME: usize = 160;

/// An assertion that did not hold.
pub struct Comparison {
    /// Full target name.
    pub target: String,
    /// What was found.
    pub actual: String,
    /// What was asked for.
    pub expected: String,
    /// Why, where the two columns do not say it.
    pub reason: Option<String>,
}

/// Something a block found out, as a heading and the words to it.
pub struct Fact {
    /// `missed classes`
    pub label: &'static str,
    /// `search, fetch`
    pub text: String,
}

/// Everything about one gate.
pub struct Findings {
    /// The assertions that did not hold.
    pub comparisons: Vec<Comparison>,
    /// What the block found out.
    pub facts: Vec<Fact>,
    /// One line per run that went wrong, at most 20 and a line about the rest.
    pub runs: Vec<String>,
}

/// Collects what there is to say about `gate`.
pub fn of(doc: &ResultDocument, gate: &Gate) -> Findings {
    let mut facts = Vec::new();
    let figures = words::figures(gate, true);
    if !figures.is_empty() {
        facts.push(Fact { label: "figures", text: figures });
    }
    detail_facts(&gate.detail, &mut facts);
    run_facts(gate, &mut facts);
    absent_facts(gate, &mut facts);
    for note in &gate.notes {
        facts.push(Fact { label: "note", text: message(note) });
    }
    Findings { comparisons: comparisons(gate), facts, runs: runs(doc, gate) }
}

/// Figures that are absent, those with the same reason together.
fn absent_facts(gate: &Gate, facts: &mut Vec<Fact>) {
    // An asserted target gives the reason beside its assertion.
    let told =
        |target: &String| gate.assertions.iter().any(|made| !made.passed && made.target == *target);
    let mut reasons = Vec::<(&String, Vec<String>)>::new();
    for (target, reason) in gate.absent.iter().filter(|(target, _)| !told(target)) {
        let short = name(words::short_target(target));
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, targets)) => targets.push(short),
            None => reasons.push((reason, vec![short])),
        }
    }
    for (reason, targets) in reasons {
        facts.push(Fact {
            label: "absent",
            text: format!("{}: {}", targets.join(", "), message(reason)),
        });
    }
}

/// The failed assertions, actual beside expected.
fn comparisons(gate: &Gate) -> Vec<Comparison> {
    let failed = gate.assertions.iter().filter(|made| !made.passed);
    failed
        .map(|made| {
            let expected = words::expectation(&made.matcher);
            let reason = if made.actual.is_null() {
                gate.absent.get(&made.target).or(Some(&made.message))
            } else {
                Some(&made.message).filter(|_| !expected.plain)
            };
            Comparison {
                target: name(&made.target),
                actual: words::value(&made.actual),
                expected: expected.text,
                reason: reason.map(|reason| message(reason)).filter(|reason| !reason.is_empty()),
            }
        })
        .collect()
}

/// The names a block collected.
fn detail_facts(detail: &Detail, facts: &mut Vec<Fact>) {
    let worst_run = detail.worst_run.map(|run| format!("run {run}: ")).unwrap_or_default();
    let path = detail.worst_path.as_deref();
    let lists = [
        ("missed classes", plain(detail.missed_classes.as_deref())),
        ("unexpected calls", counted(detail.unexpected_calls.as_deref())),
        ("chosen distractors", counted(detail.chosen_distractors.as_deref())),
        ("out-of-scope calls", counted(detail.out_of_scope_calls.as_deref())),
        ("restricted calls", counted(detail.restricted_calls.as_deref())),
        ("never seen", plain(detail.uncovered.as_deref())),
        ("hallucinated calls", counted(detail.hallucinated_calls.as_deref())),
        (
            "schema violations",
            list(detail.schema_violations.as_deref(), "; ", |text| message(text)),
        ),
        ("missing calls", counted(detail.missing_calls.as_deref())),
        ("extra calls", counted(detail.extra_calls.as_deref())),
        ("broken pairs", counted(detail.broken_pairs.as_deref())),
        (
            "worst path",
            path.map(|path| match list(Some(path), " → ", |step| name(step)) {
                Some(steps) => format!("{worst_run}{steps}"),
                None => format!("{worst_run}no calls"),
            }),
        ),
        ("undecided ids", plain(detail.undecided_ids.as_deref())),
        ("grade", detail.grade.as_deref().map(name)),
        ("complexity", detail.complexity.as_deref().map(name)),
    ];
    for (label, text) in lists {
        facts.extend(text.map(|text| Fact { label, text }));
    }
}

/// How many runs stand behind the figures.
fn run_facts(gate: &Gate, facts: &mut Vec<Fact>) {
    if let Some(succeeded) = gate.detail.runs_succeeded {
        let text = format!("{succeeded} of {} chose only correct tools", gate.runs_scored);
        facts.push(Fact { label: "runs", text });
    }
    if gate.runs_excluded > 0 {
        let text =
            format!("{} scored, {} left out as inconclusive", gate.runs_scored, gate.runs_excluded);
        facts.push(Fact { label: "runs", text });
    }
}

/// One line per run that went wrong.
fn runs(doc: &ResultDocument, gate: &Gate) -> Vec<String> {
    let details = gate.detail.per_run.as_deref().unwrap_or_default();
    if details.is_empty() && gate.block == "tool_selection" {
        return floor_lines(doc, gate);
    }
    let lines = details.iter().take(MOST_RUNS).map(run_line).collect();
    with_rest(lines, details.len(), Some("run"))
}

/// `run 4: missed fetch; called shell.exec ×2`
fn run_line(run: &RunDetail) -> String {
    let missed = plain(Some(&run.missed_classes)).map(|names| format!("missed {names}"));
    let called = counted(Some(&run.unexpected_calls)).map(|names| format!("called {names}"));
    let messages = list(Some(&run.messages), "; ", |text| message(text));
    let parts: Vec<String> = [missed, called, messages].into_iter().flatten().collect();
    format!("run {}: {}", run.run, parts.join("; "))
}

/// A floor keeps its lines in `tool_selection[]`; the first one repeats the figures,
/// and each breach the name.
fn floor_lines(doc: &ResultDocument, gate: &Gate) -> Vec<String> {
    let cell = gate.distractor_count.flatten();
    let floor = doc.tool_selection.iter().find(|floor| {
        floor.test == gate.test && floor.model == gate.model && floor.distractor_count == cell
    });
    let lines = floor.map_or(&[][..], |floor| floor.lines.get(1..).unwrap_or_default());
    let prefix = floor.map_or_else(String::new, |floor| format!("FLOOR {}: ", floor.name));
    let bare = |line: &String| message(line.strip_prefix(&prefix).unwrap_or(line));
    let shown = lines.iter().take(MOST_RUNS).map(bare).collect();
    with_rest(shown, lines.len(), Some("line"))
}

/// Names, or nothing where there are none.
fn plain(names: Option<&[String]>) -> Option<String> {
    list(names, ", ", |id| name(id))
}

/// Names with how often they occurred.
fn counted(ids: Option<&[CountedId]>) -> Option<String> {
    list(ids, ", ", |id| format!("{} ×{}", name(&id.id), id.count))
}

/// The first of `items` in words; nothing where there are none.
fn list<T>(items: Option<&[T]>, glue: &str, say: impl Fn(&T) -> String) -> Option<String> {
    let items = items.filter(|items| !items.is_empty())?;
    let shown: Vec<String> = items.iter().take(MOST_NAMES).map(say).collect();
    Some(with_rest(shown, items.len(), None).join(glue))
}

/// Says how many of `total` are not among the shown.
fn with_rest(mut shown: Vec<String>, total: usize, noun: Option<&str>) -> Vec<String> {
    let rest = (total - shown.len()) as u64;
    if rest > 0 {
        let more = noun.map_or_else(
            || format!("{rest} more"),
            |noun| words::count(rest, &format!("more {noun}")),
        );
        shown.push(format!("… and {more}"));
    }
    shown
}

/// An id: clean, and short enough for a list.
pub fn name(text: &str) -> String {
    shorten(&message(text), LONGEST_NAME).into_owned()
}

/// `file:line:column` of a problem, as far as it is known.
pub fn place(problem: &Problem) -> Option<String> {
    let mut place = message(problem.file.as_deref()?);
    for number in [problem.line, problem.column] {
        let Some(number) = number else { break };
        place = format!("{place}:{number}");
    }
    Some(place)
}
