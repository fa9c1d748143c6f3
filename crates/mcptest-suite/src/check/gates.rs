//! The gate blocks: values that cannot be meant.

use indexmap::IndexMap;

use super::{Check, assertions};
use crate::diagnostic::Span;
use crate::distractors::{bundled, near_duplicates};
use crate::suggest;
use crate::tree::{Entry, Kind, Node};

/// The YAML keys of all gate blocks.
pub const GATES: &[&str] = &[
    "equal_function_sets",
    "tool_selection",
    "distractors",
    "orchestration",
    "token_efficiency",
    "trajectory",
    "trajectory_axes",
    "golden_path",
    "tool_edges",
    "stability",
    "recovery",
    "narrative",
];

/// Whether a key is a gate block.
pub fn is_gate(key: &str) -> bool {
    GATES.contains(&key)
}

/// Checks every gate block of an agent or agent test.
pub fn check(check: &mut Check<'_>, test: &Node, base: Option<&Node>) {
    for entry in test.entries() {
        let block = entry.key.as_str();
        if !is_gate(block) {
            continue;
        }
        match block {
            "equal_function_sets" => classes(check, entry, false),
            "token_efficiency" => classes(check, entry, true),
            "distractors" => distractors(check, entry),
            "orchestration" => orchestration(check, entry),
            "trajectory" => trajectory(check, entry),
            "trajectory_axes" => axes(check, entry),
            "tool_edges" => edges(check, entry),
            "stability" => stability(check, entry, test, base),
            "recovery" => recovery(check, entry, test, base),
            _ => {}
        }
        assertions::of_block(check, block, &entry.value);
    }
}

fn classes(check: &mut Check<'_>, block: &Entry, required: bool) {
    let Some(list) = block.value.entry("classes") else { return };
    if list.value.items().is_empty() {
        let message = format!("`{}` declares no classes", block.key);
        if required {
            check.error("impossible-value", list.key_span, message).label =
                Some("name at least one class".to_owned());
        } else {
            let found = check.warning("vacuous-gate", list.key_span, message);
            found.label = Some("a run without calls scores 100 by rule".to_owned());
        }
    }
    super::servers::unique_names(check, list.value.items(), "classe");
    let mut owners = IndexMap::<&str, &str>::new();
    for class in list.value.items() {
        let name = class.text_at("name").unwrap_or_default();
        if let Some(members) = class.entry("members")
            && members.value.items().is_empty()
        {
            check
                .error(
                    "impossible-value",
                    members.key_span,
                    format!("class `{name}` has no members"),
                )
                .label = Some("no call could ever satisfy it".to_owned());
        }
        for member in class.list("members") {
            let Some(id) = member.text() else { continue };
            let clash = owners.iter().find(|(known, owner)| **owner != name && overlap(known, id));
            if let Some((known, other)) = clash {
                let message = format!("`{id}` of `{name}` also means `{known}` of `{other}`");
                check.warning("tool-in-two-classes", member.span, message).label =
                    Some("one call will satisfy both classes".to_owned());
            }
            match owners.insert(id, name) {
                Some(other) if other != name => {
                    check
                        .warning(
                            "tool-in-two-classes",
                            member.span,
                            format!("`{id}` is a member of `{other}` and of `{name}`"),
                        )
                        .label = Some("one call will satisfy both classes".to_owned());
                }
                _ => {}
            }
        }
    }
}

/// Whether one of two different ids is the bare form of the other.
fn overlap(one: &str, other: &str) -> bool {
    let bare =
        |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.ends_with('.'));
    bare(one, other) || bare(other, one)
}

fn distractors(check: &mut Check<'_>, block: &Entry) {
    if let Some(count) = block.value.entry("count") {
        counts(check, &count.value, count.key_span);
    }
    if block.value.list("correct").is_empty() {
        let at = block.value.entry("correct").map_or(block.key_span, |entry| entry.key_span);
        check.warning("vacuous-gate", at, "`distractors` declares no correct tools").label =
            Some("a run without calls in scope scores 100 by rule".to_owned());
    }
    let Some(source) = block.value.entry("source") else { return };
    source_keys(check, source);
    let Some(most) = block.value.get("count").and_then(largest_count) else { return };
    let (held, what) = match source.value.text_at("from") {
        Some("catalog") => (bundled().len(), "the bundled catalog holds"),
        // Without names to vary the missing `of` is the mistake, and was reported.
        Some("near_duplicate") if !source.value.list("of").is_empty() => {
            let texts = |nodes: &[Node]| {
                nodes.iter().filter_map(Node::text).map(str::to_owned).collect::<Vec<_>>()
            };
            let made = near_duplicates(
                &texts(source.value.list("of")),
                &texts(block.value.list("correct")),
            );
            (made.len(), "the names in `of` give")
        }
        _ => return,
    };
    if most > held as f64 {
        let at = block.value.get("count").map_or(block.key_span, |count| count.span);
        let found = check.error(
            "impossible-value",
            at,
            format!("{most} distractors are asked for, but {what} {held}"),
        );
        found.label = Some(format!("expected at most {held}"));
        found.help = Some("lower the count, or take another source".to_owned());
    }
}

fn largest_count(count: &Node) -> Option<f64> {
    match &count.kind {
        Kind::List(items) => items.iter().filter_map(Node::number).reduce(f64::max),
        _ => count.number(),
    }
}

fn counts(check: &mut Check<'_>, count: &Node, key: Span) {
    let Kind::List(items) = &count.kind else { return };
    if items.is_empty() {
        check.error("impossible-value", key, "the sweep `count` is empty").label =
            Some("name at least one count".to_owned());
    }
    let mut seen = Vec::new();
    for item in items {
        let Some(value) = item.number() else { continue };
        if seen.contains(&value) {
            check
                .error(
                    "impossible-value",
                    item.span,
                    format!("the count {value} stands twice in the sweep"),
                )
                .label = Some("each count is a cell of its own".to_owned());
        }
        seen.push(value);
    }
}

/// Which keys go with which `from`.
fn source_keys(check: &mut Check<'_>, source: &Entry) {
    let Some(from) = source.value.text_at("from") else { return };
    let wanted = match from {
        "near_duplicate" => "of",
        "file" => "path",
        "server" => "allow_mutating",
        "catalog" => "",
        _ => return,
    };
    for entry in source.value.entries() {
        if entry.key != "from"
            && entry.key != wanted
            && ["of", "path", "allow_mutating"].contains(&entry.key.as_str())
        {
            check.misplaced(entry, &format!("does not go with `from: {from}`"));
        }
    }
    let missing = match from {
        "near_duplicate" => source.value.list("of").is_empty(),
        "file" => source.value.get("path").is_none(),
        _ => false,
    };
    if missing {
        let found =
            check.error("missing-key", source.key_span, format!("`from: {from}` needs `{wanted}`"));
        found.help = Some(match from {
            "file" => "add `path: ./tools.json`".to_owned(),
            _ => "add `of: [TOOL, …]`: the tools to imitate".to_owned(),
        });
    }
}

fn orchestration(check: &mut Check<'_>, block: &Entry) {
    if block.value.list("expect").is_empty() {
        check
            .error(
                "missing-key",
                block.key_span,
                "`orchestration` has no default gate: it needs `expect`",
            )
            .help = Some("add `expect: [{ orchestration.discovery: { \">=\": 100 } }]`".to_owned());
    }
}

fn trajectory(check: &mut Check<'_>, block: &Entry) {
    let lenient = matches!(block.value.text_at("mode"), Some("superset" | "subsequence"));
    if let Some(calls) = block.value.entry("calls")
        && calls.value.items().is_empty()
        && lenient
    {
        check
            .error("impossible-value", calls.key_span, "without calls this mode holds of every run")
            .help =
            Some("name the expected calls, or use `mode: strict` to expect none at all".to_owned());
    }
    for call in block.value.list("calls") {
        if let Some(schema) = call.get("args").and_then(|args| args.get("schema")) {
            assertions::json_schema(check, schema);
        }
    }
}

fn axes(check: &mut Check<'_>, block: &Entry) {
    if block.value.list("dependencies").is_empty() && block.value.list("order").is_empty() {
        check
            .error(
                "missing-key",
                block.key_span,
                "`trajectory_axes` declares neither `dependencies` nor `order`",
            )
            .label = Some("there is nothing to check".to_owned());
    }
}

fn edges(check: &mut Check<'_>, block: &Entry) {
    let given = |key: &str| !block.value.list(key).is_empty();
    if !given("allowed") && !given("restricted") && !given("delegation") {
        check.error("missing-key", block.key_span, "`tool_edges` declares nothing").help =
            Some(format!("add one of {}", suggest::list(&["allowed", "restricted", "delegation"])));
    } else if !given("restricted") && !given("expect") {
        check
            .warning(
                "vacuous-gate",
                block.key_span,
                "the default gate `edges.restricted_attempts <= 0` cannot fail here",
            )
            .help = Some(
            "add `restricted`, or an `expect` on `edges.allowed_pct` or `edges.delegation_pct`"
                .to_owned(),
        );
    }
}

fn stability(check: &mut Check<'_>, block: &Entry, test: &Node, base: Option<&Node>) {
    let runs = test.get("runs").or_else(|| base?.get("runs"));
    let several = runs.is_some_and(|runs| match &runs.kind {
        Kind::Map(_) => runs.get("max").and_then(Node::number).is_some_and(|max| max >= 2.0),
        _ => runs.number().is_some_and(|runs| runs >= 2.0),
    });
    if check.whole() && !several {
        check
            .error(
                "impossible-value",
                block.key_span,
                "`stability` compares runs, and this test has only one",
            )
            .help = Some("add `runs: 5`".to_owned());
    }
}

fn recovery(check: &mut Check<'_>, block: &Entry, test: &Node, base: Option<&Node>) {
    let injects =
        !test.list("inject").is_empty() || base.is_some_and(|base| !base.list("inject").is_empty());
    if check.whole() && !injects {
        check
            .error("missing-key", block.key_span, "`recovery` needs a fault to recover from")
            .help =
            Some("add `inject: [NAME]` to the test and the fault under `faults:`".to_owned());
    }
}
