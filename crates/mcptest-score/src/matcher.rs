//! Matchers: does a value satisfy what a suite demands of it?
//!
//! Three answers: it holds, it does not, or the value has the wrong type, which fails every matcher,
//! `not` and `!=` included.

use jsonschema::Validator;
use mcptest_suite::model::Matcher;
use mcptest_suite::path::kind;
use regex::Regex;
use serde_json::{Number, Value};

/// A matcher with its schemas and patterns compiled.
#[derive(Debug)]
pub struct Compiled {
    source: Matcher,
    rules: Vec<Rule>,
}

#[derive(Debug)]
enum Rule {
    /// With the one type the schema's keywords speak of, where it names none itself.
    Schema(Box<Validator>, Option<About>),
    Compare(Comparison, f64),
    Equal(Value),
    Differs(Value),
    Contains(Value),
    Regex(Box<Regex>),
    Not(Box<Compiled>),
    AnyOf(Vec<Compiled>),
    AllOf(Vec<Compiled>),
    /// Cannot be evaluated, and why.
    Impossible(String),
}

/// A type by its test and its name.
type About = (fn(&Value) -> bool, &'static str);

/// JSON Schema lets `minimum` hold of a text; a suite means a number.
fn about(schema: &Value) -> Option<About> {
    const KEYWORDS: [(About, &[&str]); 4] = [
        (
            (Value::is_number, "a number"),
            &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
        ),
        ((Value::is_string, "a text"), &["minLength", "maxLength", "pattern"]),
        (
            (Value::is_array, "a list"),
            &["items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems"],
        ),
        (
            (Value::is_object, "an object"),
            &["properties", "required", "minProperties", "maxProperties", "additionalProperties"],
        ),
    ];
    let keys = schema.as_object()?;
    if ["type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf", "not", "if"]
        .iter()
        .any(|key| keys.contains_key(*key))
    {
        return None;
    }
    let mut spoken =
        KEYWORDS.iter().filter(|(_, words)| words.iter().any(|word| keys.contains_key(*word)));
    match (spoken.next(), spoken.next()) {
        (Some((about, _)), None) => Some(*about),
        _ => None,
    }
}

#[derive(Debug, Clone, Copy)]
enum Comparison {
    AtLeast,
    AtMost,
    More,
    Less,
}

/// What a matcher says of a value; the error is a wrong type, in words.
type Answer = Result<bool, String>;

impl Compiled {
    /// Compiles a matcher; what cannot be compiled never holds and says why.
    pub fn new(matcher: &Matcher) -> Self {
        let mut rules = Vec::new();
        if let Some(schema) = &matcher.schema {
            rules.push(match jsonschema::validator_for(schema) {
                Ok(validator) => Rule::Schema(Box::new(validator), about(schema)),
                Err(error) => Rule::Impossible(format!("the schema is not valid: {error}")),
            });
        }
        let comparisons = [
            (Comparison::AtLeast, &matcher.ge),
            (Comparison::AtMost, &matcher.le),
            (Comparison::More, &matcher.gt),
            (Comparison::Less, &matcher.lt),
        ];
        for (comparison, bound) in comparisons {
            if let Some(bound) = bound.as_ref().and_then(Number::as_f64) {
                rules.push(Rule::Compare(comparison, bound));
            }
        }
        rules.extend(matcher.eq.iter().chain(&matcher.equals).cloned().map(Rule::Equal));
        rules.extend(matcher.ne.iter().cloned().map(Rule::Differs));
        rules.extend(matcher.contains.iter().cloned().map(Rule::Contains));
        if let Some(pattern) = &matcher.regex {
            rules.push(match Regex::new(pattern) {
                Ok(compiled) => Rule::Regex(Box::new(compiled)),
                Err(error) => Rule::Impossible(error.to_string()),
            });
        }
        rules.extend(matcher.not.iter().map(|inner| Rule::Not(Box::new(Self::new(inner)))));
        rules.extend(
            matcher.any_of.iter().map(|list| Rule::AnyOf(list.iter().map(Self::new).collect())),
        );
        rules.extend(
            matcher.all_of.iter().map(|list| Rule::AllOf(list.iter().map(Self::new).collect())),
        );
        if matcher.judge.is_some() {
            rules.push(Rule::Impossible(
                "a judge is not available when scoring recorded traces".to_owned(),
            ));
        }
        Self { source: matcher.clone(), rules }
    }

    /// The matcher as it was written.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(&self.source).unwrap_or_default()
    }

    /// Checks a value; the error says what was expected and what was found.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        match self.answer(value) {
            Ok(true) => Ok(()),
            Ok(false) => Err(format!("expected {}", self.describe())),
            Err(wrong_type) => Err(format!("expected {}, but {wrong_type}", self.describe())),
        }
    }

    /// What is expected, in words.
    pub fn describe(&self) -> String {
        describe(&self.source)
    }

    fn answer(&self, value: &Value) -> Answer {
        // Every key must hold; a wrong type outweighs a plain no.
        let answers =
            self.rules.iter().map(|rule| rule.answer(value)).collect::<Result<Vec<_>, _>>()?;
        Ok(answers.into_iter().all(|holds| holds))
    }
}

impl Rule {
    fn answer(&self, value: &Value) -> Answer {
        match self {
            Self::Schema(validator, about) => match about {
                Some((fits, word)) if !fits(value) => {
                    Err(format!("it is {}, not {word}", kind(value)))
                }
                _ => Ok(validator.is_valid(value)),
            },
            Self::Compare(comparison, bound) => {
                let number =
                    value.as_f64().ok_or_else(|| format!("it is {}, not a number", kind(value)))?;
                Ok(match comparison {
                    Comparison::AtLeast => number >= *bound,
                    Comparison::AtMost => number <= *bound,
                    Comparison::More => number > *bound,
                    Comparison::Less => number < *bound,
                })
            }
            Self::Equal(expected) => {
                comparable(expected, value).map(|()| json_equal(expected, value))
            }
            Self::Differs(expected) => {
                comparable(expected, value).map(|()| !json_equal(expected, value))
            }
            Self::Contains(needle) => contains(value, needle),
            Self::Regex(pattern) => {
                let text =
                    value.as_str().ok_or_else(|| format!("it is {}, not a text", kind(value)))?;
                Ok(pattern.is_match(text))
            }
            Self::Not(inner) => inner.answer(value).map(|holds| !holds),
            Self::AllOf(list) => {
                let answers =
                    list.iter().map(|inner| inner.answer(value)).collect::<Result<Vec<_>, _>>()?;
                Ok(answers.into_iter().all(|holds| holds))
            }
            Self::AnyOf(list) => {
                let mut wrong_type = None;
                for inner in list {
                    match inner.answer(value) {
                        Ok(true) => return Ok(true),
                        Ok(false) => {}
                        Err(reason) => wrong_type = Some(reason),
                    }
                }
                wrong_type.map_or(Ok(false), Err)
            }
            Self::Impossible(reason) => Err(reason.clone()),
        }
    }
}

/// Values of different kinds cannot be compared; null can be compared with anything.
fn comparable(expected: &Value, value: &Value) -> Result<(), String> {
    if expected.is_null()
        || value.is_null()
        || std::mem::discriminant(expected) == std::mem::discriminant(value)
    {
        Ok(())
    } else {
        Err(format!("it is {}, not {}", kind(value), kind(expected)))
    }
}

fn contains(value: &Value, needle: &Value) -> Answer {
    match (value, needle) {
        (Value::String(text), Value::String(part)) => Ok(text.contains(part.as_str())),
        (Value::String(_), _) => Err(format!("a text cannot contain {}", kind(needle))),
        (Value::Array(items), _) => Ok(items.iter().any(|item| json_equal(item, needle))),
        (Value::Object(_), Value::Object(_)) => Ok(contains_all(value, needle)),
        (Value::Object(entries), Value::String(key)) => Ok(entries.contains_key(key)),
        _ => Err(format!("it is {}, not a text, list or object", kind(value))),
    }
}

/// Equality of JSON values, numbers by value.
pub fn json_equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(a), Value::Number(b)) => {
            // Whole numbers are compared as such: doubles run out of digits at 2^53.
            a == b || ((a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64())
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| json_equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| json_equal(a, b)))
        }
        _ => left == right,
    }
}

/// Whether every entry of `part` is in `whole`, objects within objects included.
pub fn contains_all(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => part
            .iter()
            .all(|(key, part)| whole.get(key).is_some_and(|whole| contains_all(whole, part))),
        _ => json_equal(whole, part),
    }
}

/// A matcher in words: `>= 80`, `containing "sku-1"`.
pub fn describe(matcher: &Matcher) -> String {
    let mut parts = Vec::new();
    if let Some(schema) = &matcher.schema {
        parts.push(describe_schema(schema));
    }
    let comparisons =
        [(">=", &matcher.ge), ("<=", &matcher.le), (">", &matcher.gt), ("<", &matcher.lt)];
    parts.extend(
        comparisons.iter().filter_map(|(sign, bound)| Some(format!("{sign} {}", bound.as_ref()?))),
    );
    parts.extend(matcher.eq.iter().chain(&matcher.equals).map(|value| format!("== {value}")));
    parts.extend(matcher.ne.iter().map(|value| format!("!= {value}")));
    parts.extend(matcher.contains.iter().map(|value| format!("to contain {value}")));
    parts.extend(matcher.regex.iter().map(|pattern| format!("to match /{pattern}/")));
    parts.extend(matcher.not.iter().map(|inner| format!("not ({})", describe(inner))));
    let list =
        |list: &[Matcher], word: &str| list.iter().map(describe).collect::<Vec<_>>().join(word);
    parts.extend(matcher.any_of.iter().map(|all| format!("({})", list(all, " or "))));
    parts.extend(matcher.all_of.iter().map(|all| format!("({})", list(all, " and "))));
    parts.extend(matcher.judge.iter().map(|_| "a judge's approval".to_owned()));
    parts.join(" and ")
}

/// Bounds read like comparisons; anything else is shown as it is.
fn describe_schema(schema: &Value) -> String {
    const BOUNDS: [(&str, &str); 5] = [
        ("minimum", ">="),
        ("maximum", "<="),
        ("exclusiveMinimum", ">"),
        ("exclusiveMaximum", "<"),
        ("const", "=="),
    ];
    let entries = schema.as_object().filter(|entries| !entries.is_empty());
    let known = entries.map(|entries| {
        entries
            .iter()
            .map(|(key, value)| {
                Some(format!("{} {value}", BOUNDS.iter().find(|(name, _)| name == key)?.1))
            })
            .collect::<Option<Vec<_>>>()
    });
    match known.flatten() {
        Some(parts) => parts.join(" and "),
        None => format!("to satisfy the schema {schema}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn holds(matcher: Value, value: Value) -> bool {
        Compiled::new(&serde_json::from_value(matcher).unwrap()).check(&value).is_ok()
    }

    #[test]
    fn each_matcher_holds_and_fails() {
        for (matcher, good, bad) in [
            (json!({"schema": {"minimum": 80}}), json!(80), json!(79)),
            (json!({">=": 80}), json!(80), json!(79.9)),
            (json!({"<=": 80}), json!(80), json!(81)),
            (json!({">": 80}), json!(81), json!(80)),
            (json!({"<": 80}), json!(79), json!(80)),
            (json!({"==": 1}), json!(1.0), json!(2)),
            (json!({"!=": 1}), json!(2), json!(1.0)),
            (
                json!({"==": 9_007_199_254_740_993_i64}),
                json!(9_007_199_254_740_993_i64),
                json!(9_007_199_254_740_992_i64),
            ),
            (json!({"equals": {"a": [1]}}), json!({"a": [1]}), json!({"a": [2]})),
            (json!({"equals": null}), json!(null), json!(0)),
            (json!({"contains": "sku"}), json!("a sku-1"), json!("nothing")),
            (json!({"contains": "search"}), json!(["search", "fetch"]), json!(["fetch"])),
            (json!({"contains": {"a": 1}}), json!({"a": 1, "b": 2}), json!({"b": 2})),
            (json!({"regex": "^a+$"}), json!("aaa"), json!("aab")),
            (json!({"not": {"contains": "x"}}), json!("abc"), json!("axc")),
            (json!({"any_of": [{"==": 1}, {"==": 2}]}), json!(2), json!(3)),
            (json!({"all_of": [{">": 1}, {"<": 3}]}), json!(2), json!(3)),
            (json!({">=": 1, "<=": 2}), json!(2), json!(3)),
        ] {
            assert!(holds(matcher.clone(), good), "{matcher}");
            assert!(!holds(matcher.clone(), bad), "{matcher}");
        }
    }

    #[test]
    fn a_wrong_type_fails_every_matcher() {
        for matcher in [
            json!({">=": 1}),
            json!({"!=": 1}),
            json!({"not": {">=": 1}}),
            json!({"regex": "a"}),
            json!({"not": {"regex": "a"}}),
            json!({"any_of": [{">": 1}, {"<": 1}]}),
            json!({"not": {"any_of": [{">": 1}]}}),
        ] {
            assert!(!holds(matcher.clone(), json!(true)), "{matcher}");
        }
        assert!(!holds(json!({"!=": "text"}), json!(5)));
        assert!(!holds(json!({"schema": {"minimum": 5}}), json!("abc")));
        assert!(!holds(json!({"schema": {"pattern": "a"}}), json!(5)));
        assert!(holds(json!({"schema": {"anyOf": [{"minimum": 5}]}}), json!("abc")));
        assert!(!holds(json!({"not": {"contains": 1}}), json!("text")));
    }

    #[test]
    fn a_judge_offline_is_never_passed() {
        assert!(!holds(json!({"judge": "is polite"}), json!("hello")));
        assert!(!holds(json!({"not": {"judge": "is rude"}}), json!("hello")));
    }

    #[test]
    fn messages_say_expected_and_found() {
        let matcher =
            Compiled::new(&serde_json::from_value(json!({"schema": {"minimum": 80}})).unwrap());
        assert_eq!(matcher.check(&json!(50)).unwrap_err(), "expected >= 80");
        let pattern = Compiled::new(&serde_json::from_value(json!({"regex": "a"})).unwrap());
        assert_eq!(
            pattern.check(&json!(50)).unwrap_err(),
            "expected to match /a/, but it is a number, not a text"
        );
    }
}
