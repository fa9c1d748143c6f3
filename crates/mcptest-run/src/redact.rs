//! Secrets never reach a report: values of referenced variables are replaced by their names.

use std::collections::BTreeMap;

use mcptest_score::result::{Problem, Row};

use crate::events::Event;

/// Shorter values are too common to be secrets, and replacing them would garble reports.
const LEAST: usize = 8;

/// Knows the secrets and what to write instead.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    /// Value and replacement, longest value first so that no part of one is left.
    secrets: Vec<(String, String)>,
}

impl Redactor {
    /// Takes the values of these variables for secrets.
    pub fn of_variables<'a>(
        names: impl IntoIterator<Item = &'a str>,
        env: &BTreeMap<String, String>,
    ) -> Self {
        let known = names
            .into_iter()
            .filter_map(|name| Some((env.get(name)?.clone(), format!("${{env.{name}}}"))));
        Self::new(known)
    }

    /// Takes these values for secrets, each with what to write instead.
    pub fn new(secrets: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut secrets = secrets
            .into_iter()
            .filter(|(value, _)| value.chars().count() >= LEAST)
            .collect::<Vec<_>>();
        secrets.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
        secrets.dedup();
        Self { secrets }
    }

    /// The secrets of both.
    #[must_use]
    pub fn and(self, other: &Self) -> Self {
        Self::new(self.secrets.into_iter().chain(other.secrets.iter().cloned()))
    }

    /// The text without secrets.
    pub fn text(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, (value, instead)| {
            if text.contains(value.as_str()) { text.replace(value.as_str(), instead) } else { text }
        })
    }

    /// The event without secrets.
    pub fn event(&self, event: Event) -> Event {
        if self.secrets.is_empty() {
            return event;
        }
        match event {
            Event::Finished { at, row, took_ms } => {
                let messages = row.messages.iter().map(|message| self.text(message)).collect();
                Event::Finished { at, row: Row { messages, ..row }, took_ms }
            }
            Event::Problem(problem) => {
                Event::Problem(Problem { message: self.text(&problem.message), ..problem })
            }
            Event::Note(note) => Event::Note(self.text(&note)),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_replaced_by_their_names() {
        let env = [("TOKEN", "abcdefgh"), ("LONG", "abcdefgh-and-more"), ("SHORT", "abc")];
        let env = env.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
        let redactor = Redactor::of_variables(["TOKEN", "LONG", "SHORT", "UNSET"], &env);
        assert_eq!(redactor.text("abcdefgh-and-more abcdefgh abc"), "${env.LONG} ${env.TOKEN} abc");
    }
}
