//! Numbers and expectations in words, the same in every reporter.

use mcptest_score::result::{Gate, ResultDocument, Status};
use serde_json::{Number, Value};

use crate::text::{clean, shorten};

/// Longest value or expectation that is shown in full.
const LONGEST_VALUE: usize = 120;

/// `1 run`, `2 runs`.
pub fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// What the document's rows are called.
pub fn row_noun(doc: &ResultDocument) -> &'static str {
    let measured = doc.rows.iter().filter(|row| row.status != Status::Skipped);
    if measured.into_iter().all(|row| row.run.is_some()) { "run" } else { "check" }
}

/// `1,520`
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `$0.0123`, never with an exponent.
pub fn money(amount: &Number) -> String {
    match amount.as_f64() {
        Some(number) => format!("${number}"),
        None => format!("${amount}"),
    }
}

/// A found value on one line: a number as it stands, a text in quotes.
pub fn value(found: &Value) -> String {
    match found {
        Value::Null => "absent".to_owned(),
        other => shorten(&clean(&other.to_string()), LONGEST_VALUE).into_owned(),
    }
}

/// A figure's name without what all figures of its block share: `f1` for `tool_selection.f1`.
pub fn short_target(target: &str) -> &str {
    match target.split_once('.') {
        Some((_, rest)) if !rest.is_empty() && !target.contains('[') => rest,
        _ => target,
    }
}

/// `f1 100, precision 100, recall 100`: all figures, or the asserted ones where there are many.
pub fn figures(gate: &Gate, all: bool) -> String {
    const MOST: usize = 5;
    let asserted = |target: &str| gate.assertions.iter().any(|held| held.target == target);
    let known = gate.figures.iter().filter_map(|(name, number)| Some((name, number.as_ref()?)));
    let mut shown: Vec<_> = known.collect();
    if !all && shown.len() > MOST {
        let any = shown.iter().any(|(name, _)| asserted(name));
        shown.retain(|(name, _)| !any || asserted(name));
        shown.truncate(MOST);
    }
    let words =
        shown.iter().map(|(name, number)| format!("{} {number}", clean(short_target(name))));
    words.collect::<Vec<_>>().join(", ")
}

/// What a matcher asks for, and whether that says all of it.
pub struct Expectation {
    /// `>= 80`, or the matcher as JSON.
    pub text: String,
    /// False where only the assertion's own message can explain.
    pub plain: bool,
}

/// A matcher as a person would say it: `{"schema": {"minimum": 80}}` is `>= 80`.
pub fn expectation(matcher: &Value) -> Expectation {
    let (text, plain) = match say(matcher) {
        // Nothing was asserted: the reason says it all.
        None if matcher.as_object().is_some_and(serde_json::Map::is_empty) => {
            ("a value".to_owned(), true)
        }
        Some(text) => (text, true),
        None => (matcher.to_string(), false),
    };
    let text = clean(&text);
    Expectation {
        plain: plain && text.chars().count() <= LONGEST_VALUE,
        text: shorten(&text, LONGEST_VALUE).into_owned(),
    }
}

/// The matcher in words, where there are some.
fn say(matcher: &Value) -> Option<String> {
    let Value::Object(keys) = matcher else {
        return Some(format!("== {matcher}"));
    };
    let parts: Option<Vec<String>> =
        keys.iter().map(|(key, wanted)| say_key(key, wanted)).collect();
    parts.filter(|parts| !parts.is_empty()).map(|parts| parts.join(" and "))
}

/// One key of a matcher in words.
fn say_key(key: &str, wanted: &Value) -> Option<String> {
    match (key, wanted) {
        (">=" | "<=" | ">" | "<" | "==" | "!=", _) => Some(format!("{key} {wanted}")),
        ("equals", _) => Some(format!("== {wanted}")),
        ("contains", _) => Some(format!("contains {wanted}")),
        ("regex", Value::String(pattern)) => Some(format!("matches /{pattern}/")),
        ("not", _) => Some(format!("not ({})", say(wanted)?)),
        ("any_of", Value::Array(options)) => say_list(options, " or "),
        ("all_of", Value::Array(options)) => say_list(options, " and "),
        ("schema", Value::Object(keys)) if !keys.is_empty() => {
            let parts: Option<Vec<String>> =
                keys.iter().map(|(key, bound)| say_schema(key, bound)).collect();
            parts.map(|parts| parts.join(" and "))
        }
        _ => None,
    }
}

/// Several matchers in words.
fn say_list(options: &[Value], glue: &str) -> Option<String> {
    let parts: Option<Vec<String>> = options.iter().map(say).collect();
    parts.filter(|parts| !parts.is_empty()).map(|parts| parts.join(glue))
}

/// One bound of a JSON Schema in words.
fn say_schema(key: &str, bound: &Value) -> Option<String> {
    let sign = match key {
        "minimum" => ">=",
        "maximum" => "<=",
        "exclusiveMinimum" => ">",
        "exclusiveMaximum" => "<",
        "const" => "==",
        "enum" => "one of",
        _ => return None,
    };
    Some(format!("{sign} {bound}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn both_spellings_of_a_bound_read_the_same() {
        for (matcher, expected) in [
            (json!({">=": 80}), ">= 80"),
            (json!({"schema": {"minimum": 80}}), ">= 80"),
            (json!({"schema": {"minimum": 0.5, "maximum": 1}}), ">= 0.5 and <= 1"),
            (json!({">": 1, "<": 9}), "> 1 and < 9"),
            (json!({"not": {"contains": "x"}}), "not (contains \"x\")"),
            (json!({"any_of": [{"==": 1}, {"equals": 2}]}), "== 1 or == 2"),
            (json!({"regex": "^a"}), "matches /^a/"),
            (json!(3), "== 3"),
        ] {
            let said = expectation(&matcher);
            assert_eq!((said.text.as_str(), said.plain), (expected, true));
        }
    }

    #[test]
    fn what_has_no_words_stays_json() {
        let said = expectation(&json!({"schema": {"type": "object"}}));
        assert_eq!((said.text.as_str(), said.plain), (r#"{"schema":{"type":"object"}}"#, false));
        assert!(!expectation(&json!({"contains": "x".repeat(500)})).plain);
    }

    #[test]
    fn numbers() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1520), "1,520");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(money(&Number::from_f64(0.000_012).unwrap()), "$0.000012");
        assert_eq!(short_target("tool_selection.f1"), "f1");
        assert_eq!(short_target(r#"tool["a.b"].score"#), r#"tool["a.b"].score"#);
        assert_eq!(short_target("min_score"), "min_score");
    }
}
