//! Figures: numbers by target name, or the reason why there is none.

use serde_json::Number;

use crate::result::Detail;

/// A number, or why it is absent.
pub type Figure = Result<Number, String>;

/// What a metric found over all runs of a cell.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    /// Full target name and figure, in the order of the documentation.
    pub figures: Vec<(&'static str, Figure)>,
    /// Whether a pinned rule gave the main value without evidence.
    pub vacuous: bool,
    /// Targets whose value a pinned rule gave, because nothing is declared for them.
    pub by_rule: Vec<&'static str>,
    /// Remarks.
    pub notes: Vec<String>,
    /// The block's own detail.
    pub detail: Detail,
}

impl Figures {
    /// The figure under a target.
    pub fn get(&self, target: &str) -> Option<&Figure> {
        self.figures.iter().find(|(name, _)| *name == target).map(|(_, figure)| figure)
    }
}

/// A whole number.
pub fn int(value: u64) -> Figure {
    Ok(Number::from(value))
}

/// A decimal, rounded to 4 places.
pub fn decimal(value: f64) -> Figure {
    rounded(value, 4)
}

/// A decimal, rounded to `places`.
pub fn rounded(value: f64, places: i32) -> Figure {
    let factor = 10f64.powi(places);
    // `+ 0.0` turns a negative zero into zero.
    Number::from_f64((value * factor).round() / factor + 0.0)
        .ok_or_else(|| "it is not a finite number".to_owned())
}

/// floor(100 · part / whole); 0 when there is nothing to divide by.
pub fn percent_floor(part: u64, whole: u64) -> u64 {
    (u128::from(part) * 100).checked_div(u128::from(whole)).unwrap_or_default() as u64
}

/// 100 · part / whole, rounded half up, capped at 100; 0 when there is nothing to divide by.
pub fn percent_half_up(part: u64, whole: u64) -> u64 {
    let (part, whole) = (u128::from(part), u128::from(whole));
    ((part * 200 + whole).checked_div(whole * 2).unwrap_or_default() as u64).min(100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents_round_as_pinned() {
        assert_eq!(percent_floor(2, 3), 66);
        assert_eq!(percent_half_up(2, 3), 67);
        assert_eq!(percent_half_up(1, 8), 13);
        assert_eq!(percent_half_up(1, 200), 1);
        assert_eq!(percent_half_up(1, 201), 0);
        assert_eq!(percent_half_up(5, 2), 100);
        assert_eq!((percent_floor(1, 0), percent_half_up(1, 0)), (0, 0));
    }

    #[test]
    fn decimals_are_rounded_to_four_places() {
        assert_eq!(decimal(2.0 / 3.0).unwrap().to_string(), "0.6667");
        assert_eq!(decimal(-0.000_01).unwrap().to_string(), "0.0");
    }
}
