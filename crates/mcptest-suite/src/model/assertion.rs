//! Assertions, in both spellings, and matchers.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Number, Value};

/// A target and what must hold of it.
///
/// `{ target: x, matcher: { ">=": 80 } }` and `{ x: { ">=": 80 } }` mean the same.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Assertion {
    /// What is looked at.
    pub target: String,
    /// What must hold.
    pub matcher: Matcher,
}

impl Assertion {
    /// `target >= floor`.
    pub fn at_least(target: &str, floor: impl Into<Number>) -> Self {
        Self {
            target: target.into(),
            matcher: Matcher { ge: Some(floor.into()), ..Matcher::default() },
        }
    }

    /// `target <= ceiling`.
    pub fn at_most(target: &str, ceiling: impl Into<Number>) -> Self {
        Self {
            target: target.into(),
            matcher: Matcher { le: Some(ceiling.into()), ..Matcher::default() },
        }
    }

    /// `target == value`.
    pub fn equal(target: &str, value: impl Into<Value>) -> Self {
        Self {
            target: target.into(),
            matcher: Matcher { eq: Some(value.into()), ..Matcher::default() },
        }
    }
}

impl<'de> Deserialize<'de> for Assertion {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        let mut entries = Map::<String, Value>::deserialize(from)?;
        let (target, matcher) = match (entries.remove("target"), entries.remove("matcher")) {
            (Some(Value::String(target)), Some(matcher)) => (target, matcher),
            (None, None) if entries.len() == 1 => {
                entries.into_iter().next().ok_or_else(|| D::Error::custom("an empty assertion"))?
            }
            _ => {
                return Err(D::Error::custom(
                    "expected `target` with `matcher`, or one `target: matcher`",
                ));
            }
        };
        let matcher = Matcher::deserialize(matcher).map_err(D::Error::custom)?;
        Ok(Self { target, matcher })
    }
}

impl JsonSchema for Assertion {
    fn schema_name() -> Cow<'static, str> {
        "Assertion".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let matcher = generator.subschema_for::<Matcher>();
        json_schema!({
            "description": "A target and what must hold of it, in either of two spellings.",
            // The short spelling comes first: a reader that finds neither `target` nor `matcher`
            // among the keys takes it.
            "anyOf": [
                {
                    "type": "object",
                    "description": "target: matcher",
                    "minProperties": 1,
                    "maxProperties": 1,
                    "not": { "anyOf": [{ "required": ["target"] }, { "required": ["matcher"] }] },
                    "additionalProperties": matcher,
                },
                {
                    "type": "object",
                    "required": ["target", "matcher"],
                    "properties": {
                        "target": { "type": "string", "description": "What is looked at." },
                        "matcher": matcher,
                    },
                    "additionalProperties": false,
                },
            ],
        })
    }
}

/// What must hold of a value; several keys must all hold.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("minProperties" = 1, "x-mcptest-status" = "stable"))]
pub struct Matcher {
    /// Valid under this JSON Schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// At least.
    #[serde(rename = ">=", skip_serializing_if = "Option::is_none")]
    pub ge: Option<Number>,
    /// At most.
    #[serde(rename = "<=", skip_serializing_if = "Option::is_none")]
    pub le: Option<Number>,
    /// More than.
    #[serde(rename = ">", skip_serializing_if = "Option::is_none")]
    pub gt: Option<Number>,
    /// Less than.
    #[serde(rename = "<", skip_serializing_if = "Option::is_none")]
    pub lt: Option<Number>,
    /// Equal; numbers by value.
    #[serde(rename = "==", deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub eq: Option<Value>,
    /// Not equal; an absent value fails this too.
    #[serde(rename = "!=", deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub ne: Option<Value>,
    /// Equal; the same as `==`.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub equals: Option<Value>,
    /// Text contains this text, a list this item, an object these entries.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub contains: Option<Value>,
    /// Text matches this regular expression somewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regex: Option<String>,
    /// Does not hold; an absent value fails this too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not: Option<Box<Self>>,
    /// At least one holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub any_of: Option<Vec<Self>>,
    /// Every one holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all_of: Option<Vec<Self>>,
    /// A model decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<Judge>,
}

/// Keeps `equals: null` apart from a missing `equals`.
pub(super) fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

/// The criterion a model judges by.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum Judge {
    /// Just the criterion.
    Criterion(String),
    /// The criterion and who judges.
    Detailed {
        /// What must be true of the text.
        criterion: String,
        /// The judging model.
        model: Option<String>,
    },
}
