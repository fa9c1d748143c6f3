//! Small values with rules of their own.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Number;

/// `runs: 4`, or `runs: { max: 50, stop: decided }`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum Runs {
    /// A fixed number; below 1 is taken as 1.
    Fixed(i64),
    /// Stops early once every verdict is certain.
    Adaptive {
        /// Never more than this.
        #[schemars(range(min = 1))]
        max: u32,
        /// When to stop.
        stop: StopRule,
    },
}

impl Runs {
    /// The number of runs asked for, at least 1.
    pub fn asked(self) -> u32 {
        match self {
            Self::Fixed(runs) => u32::try_from(runs.max(1)).unwrap_or(u32::MAX),
            Self::Adaptive { max, .. } => max.max(1),
        }
    }
}

/// When adaptive runs stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopRule {
    /// As soon as no outcome of the remaining runs could change any gate's verdict.
    Decided,
}

/// `count: 4`, or a sweep `count: [0, 4, 16]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Count {
    /// One cell.
    One(u32),
    /// One cell for each count.
    Sweep(Vec<u32>),
}

impl Count {
    /// The counts, in the order written.
    pub fn counts(&self) -> &[u32] {
        match self {
            Self::One(count) => std::slice::from_ref(count),
            Self::Sweep(counts) => counts,
        }
    }

    /// Whether each count is a cell of its own.
    pub const fn is_sweep(&self) -> bool {
        matches!(self, Self::Sweep(_))
    }
}

/// A decimal fraction exactly as written, so that 8 of 10 meets 0.8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decimal {
    /// All digits, without the point.
    digits: u128,
    /// How many of them stand behind the point.
    scale: u32,
    /// As written.
    number: Number,
}

/// Most digits behind the point.
const MAX_SCALE: u32 = 30;

impl Decimal {
    /// Reads the shortest decimal that is this number; nothing for negative or huge ones.
    pub fn new(number: &Number) -> Option<Self> {
        // Adding zero turns a negative zero into zero.
        let text = format!("{}", number.as_f64()? + 0.0);
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let digits = format!("{whole}{fraction}").parse().ok()?;
        let scale = u32::try_from(fraction.len()).ok()?;
        if scale > MAX_SCALE {
            // Nothing but "at least one run" is meant by so small a fraction.
            return Some(Self { digits: 1, scale: MAX_SCALE, number: number.clone() });
        }
        Some(Self { digits, scale, number: number.clone() })
    }

    /// Whether `part / whole >= self`, without rounding.
    pub fn is_met_by(&self, part: u64, whole: u64) -> bool {
        let left = u128::from(part).checked_mul(10u128.pow(self.scale));
        let right = self.digits.checked_mul(u128::from(whole));
        match (left, right) {
            (Some(left), Some(right)) => left >= right,
            // Only reached beyond 10^8 runs or 17 digits, where doubles decide the same.
            _ => part as f64 / whole as f64 >= self.number.as_f64().unwrap_or(f64::INFINITY),
        }
    }

    /// Percent, floored.
    pub const fn percent(&self) -> u128 {
        self.digits.saturating_mul(100) / 10u128.pow(self.scale)
    }

    /// As written.
    pub const fn number(&self) -> &Number {
        &self.number
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let number = Number::deserialize(from)?;
        Self::new(&number)
            .ok_or_else(|| serde::de::Error::custom("a decimal from 0 to 1 was expected"))
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        self.number.serialize(out)
    }
}

impl JsonSchema for Decimal {
    fn schema_name() -> Cow<'static, str> {
        "Fraction".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(value: f64) -> Decimal {
        Decimal::new(&Number::from_f64(value).unwrap()).unwrap()
    }

    #[test]
    fn eight_of_ten_meets_zero_point_eight() {
        assert!(decimal(0.8).is_met_by(8, 10));
        assert!(!decimal(0.8).is_met_by(7, 10));
        assert!(decimal(0.7).is_met_by(7, 10));
        assert!(decimal(0.1).is_met_by(3, 30));
        assert!(!decimal(0.333_333_333_333_333_4).is_met_by(1, 3));
        assert!(decimal(0.0).is_met_by(0, 5));
        assert!(decimal(1.0).is_met_by(5, 5));
        assert!(decimal(-0.0).is_met_by(0, 5));
        assert!(decimal(1e-31).is_met_by(1, 5) && !decimal(1e-31).is_met_by(0, 5));
    }

    #[test]
    fn percent_is_floored() {
        assert_eq!(decimal(0.8).percent(), 80);
        assert_eq!(decimal(0.855).percent(), 85);
        assert_eq!(decimal(1.0).percent(), 100);
    }

    #[test]
    fn runs_below_one_are_one() {
        assert_eq!(Runs::Fixed(0).asked(), 1);
        assert_eq!(Runs::Fixed(-3).asked(), 1);
        assert_eq!(Runs::Fixed(10).asked(), 10);
    }
}
