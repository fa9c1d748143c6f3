//! JSON Schema, wrapped: the validator's crate breaks its interface often.

use jsonschema::Validator;
use serde_json::Value;

/// Most violations that are told at once.
const MOST: usize = 10;
/// Most characters of one violation: a validator repeats the offending value in full.
const LONGEST: usize = 500;

/// A compiled schema.
#[derive(Debug)]
pub struct Schema(Validator);

impl Schema {
    /// Compiles a schema; on failure says why it is none.
    pub fn new(schema: &Value) -> Result<Self, String> {
        jsonschema::validator_for(schema).map(Self).map_err(|error| located(&error))
    }

    /// What is wrong with the value; nothing where it fits.
    pub fn violations(&self, value: &Value) -> Option<String> {
        if self.0.is_valid(value) {
            return None;
        }
        let mut told = self.0.iter_errors(value);
        let mut lines = told.by_ref().take(MOST).map(|error| located(&error)).collect::<Vec<_>>();
        let more = told.count();
        if more > 0 {
            lines.push(format!("and {more} more"));
        }
        Some(lines.join("; "))
    }
}

fn located(error: &jsonschema::ValidationError<'_>) -> String {
    let place = error.instance_path().to_string();
    let message = shorten(&error.to_string());
    if place.is_empty() { message } else { format!("{place}: {message}") }
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
