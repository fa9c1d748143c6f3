//! Assertions: targets that exist, matchers that could hold.

use regex::Regex;

use super::Check;
use crate::targets::{self, Known, Range};
use crate::tree::Node;

/// Checks the `expect` of a gate block or tool_quality check.
pub fn of_block(check: &mut Check<'_>, block: &str, node: &Node) {
    each(check, node, &|target| targets::of_block(block, target));
    let sweep =
        matches!(node.get("count").map(|count| &count.kind), Some(crate::tree::Kind::List(_)));
    for assertion in node.list("expect") {
        if let Some((target, _)) = parts(assertion)
            && target.text() == Some("distractors.drop")
            && !sweep
        {
            check
                .error(
                    "impossible-value",
                    target.span,
                    "`distractors.drop` compares the counts of a sweep",
                )
                .help = Some("write a sweep such as `count: [0, 4, 16]`".to_owned());
        }
    }
}

/// Checks the per-run `expect` of an agent or agent test.
pub fn of_runs(check: &mut Check<'_>, node: &Node) {
    each(check, node, &targets::of_run);
}

/// Checks the `expect` of a tool test.
pub fn of_tool_test(check: &mut Check<'_>, node: &Node) {
    each(check, node, &targets::of_tool_test);
}

fn each(check: &mut Check<'_>, node: &Node, lookup: &dyn Fn(&str) -> Result<Known, String>) {
    for assertion in node.list("expect") {
        let Some((target, matcher)) = parts(assertion) else { continue };
        let Some(name) = target.text() else { continue };
        match lookup(name) {
            Ok(known) => self::matcher(check, name, known, matcher),
            Err(help) => {
                let found = check.error(
                    "unknown-target",
                    target.span,
                    format!("`{name}` is no target that can be asserted here"),
                );
                found.help = Some(help);
                self::matcher(check, name, Known::Any, matcher);
            }
        }
    }
}

/// Target and matcher of an assertion, in either spelling.
fn parts(assertion: &Node) -> Option<(Node, &Node)> {
    if let (Some(target), Some(matcher)) = (assertion.get("target"), assertion.get("matcher")) {
        return Some((target.clone(), matcher));
    }
    match assertion.entries() {
        [only] if only.key != "target" && only.key != "matcher" => {
            let target =
                Node { span: only.key_span, kind: crate::tree::Kind::Text(only.key.clone()) };
            Some((target, &only.value))
        }
        _ => None,
    }
}

fn matcher(check: &mut Check<'_>, target: &str, known: Known, node: &Node) {
    for entry in node.entries() {
        match entry.key.as_str() {
            "schema" => {
                json_schema(check, &entry.value);
                if let Known::Number(range) = known {
                    bounds(check, target, range, &entry.value);
                }
            }
            "regex" => regex(check, &entry.value),
            "not" => matcher(check, target, Known::Any, &entry.value),
            "any_of" | "all_of" => {
                if entry.value.items().is_empty() {
                    check
                        .error(
                            "impossible-value",
                            entry.key_span,
                            format!("`{}` is empty", entry.key),
                        )
                        .label = Some("expected at least one matcher".to_owned());
                }
                for inner in entry.value.items() {
                    matcher(check, target, Known::Any, inner);
                }
            }
            operator => {
                if let (Known::Number(_), "==" | "!=" | "equals", None) =
                    (known, operator, entry.value.number())
                {
                    let message = format!(
                        "`{target}` is a number, and is compared with {}",
                        entry.value.describe()
                    );
                    check.error("wrong-type", entry.value.span, message).label =
                        Some("expected a number".to_owned());
                }
                if let (Known::Number(range), Some(value)) = (known, entry.value.number()) {
                    comparison(check, target, range, operator, value, &entry.value);
                }
            }
        }
        if let (Known::Number(_), "regex" | "contains" | "judge") = (known, entry.key.as_str()) {
            let message = format!("`{target}` is a number, and `{}` never holds of one", entry.key);
            check.error("impossible-value", entry.key_span, message).help =
                Some("compare it with >=, <=, >, < or ==".to_owned());
        }
    }
}

/// A comparison that no possible value satisfies.
fn comparison(
    check: &mut Check<'_>,
    target: &str,
    range: Range,
    operator: &str,
    value: f64,
    at: &Node,
) {
    let impossible = match operator {
        ">=" => value > range.high,
        ">" => value >= range.high,
        "<=" => value < range.low,
        "<" => value <= range.low,
        "==" | "equals" => value < range.low || value > range.high,
        _ => false,
    };
    if impossible {
        let high = if range.high.is_finite() {
            format!("{} to {}", range.low, range.high)
        } else {
            format!("{} or more", range.low)
        };
        check
            .error(
                "impossible-value",
                at.span,
                format!("`{target} {operator} {value}` can never hold"),
            )
            .label = Some(format!("`{target}` is {high}"));
    }
}

fn bounds(check: &mut Check<'_>, target: &str, range: Range, schema: &Node) {
    let operators = [
        ("minimum", ">="),
        ("exclusiveMinimum", ">"),
        ("maximum", "<="),
        ("exclusiveMaximum", "<"),
        ("const", "=="),
    ];
    for (key, operator) in operators {
        if let Some(node) = schema.get(key)
            && let Some(value) = node.number()
        {
            comparison(check, target, range, operator, value, node);
        }
    }
}

/// Reports a matcher's JSON Schema that is none.
pub fn json_schema(check: &mut Check<'_>, node: &Node) {
    let value = node.to_json();
    let at = node.entries().first().map_or(node.span, |entry| entry.key_span);
    let reason = match jsonschema::meta::validate(&value) {
        Err(error) => Some(error.to_string()),
        Ok(()) => jsonschema::validator_for(&value).err().map(|error| error.to_string()),
    };
    if let Some(reason) = reason {
        check
            .error("invalid-schema", at, format!("this is no valid JSON Schema: {reason}"))
            .label = Some("in this schema".to_owned());
    }
}

fn regex(check: &mut Check<'_>, node: &Node) {
    let Some(pattern) = node.text() else { return };
    if let Err(error) = Regex::new(pattern) {
        let rendered = error.to_string();
        let reason = rendered.lines().last().unwrap_or("it does not parse");
        let reason = reason.trim_start_matches("error: ").to_owned();
        let message = format!("this is no valid regular expression: {reason}");
        let found = check.error("invalid-regex", node.span, message);
        found.label = Some("in this pattern".to_owned());
        if reason.contains("look-around") || reason.contains("backreference") {
            found.help = Some("look-around and back-references are not supported".to_owned());
        }
    }
}
