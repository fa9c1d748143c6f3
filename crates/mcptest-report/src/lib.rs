//! Saying it: what a command found out, as text for people and as documents for machines.
//!
//! Every reporter is a function from one value, the
//! [`ResultDocument`], to a string: no I/O, no clock, no
//! environment. Names and messages come from traces, servers and models, so each reporter
//! makes them harmless for its own medium; see [`text::clean`].
//!
//! To add a reporter, write its file and add it to [`Reporter`].

pub mod checkup;
pub mod diagnostics;
mod findings;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod pretty;
#[cfg(test)]
mod samples;
pub mod text;
mod verdict;
mod words;

use mcptest_score::result::ResultDocument;

/// A way to say a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reporter {
    /// Text for a terminal.
    Pretty,
    /// The result document itself.
    Json,
    /// JUnit XML, which CI servers read.
    Junit,
    /// A comment for a pull request.
    Markdown,
}

impl Reporter {
    /// All of them, in the order the help shows.
    pub const ALL: &[Self] = &[Self::Pretty, Self::Json, Self::Junit, Self::Markdown];

    /// The word for `--reporter`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pretty => "pretty",
            Self::Json => "json",
            Self::Junit => "junit",
            Self::Markdown => "markdown",
        }
    }

    /// The reporter of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.name() == name)
    }

    /// The whole report. `options` only concern the terminal.
    pub fn render(self, doc: &ResultDocument, options: &pretty::Options) -> String {
        match self {
            Self::Pretty => pretty::render(doc, options),
            Self::Json => json::render(doc),
            Self::Junit => junit::render(doc),
            Self::Markdown => markdown::render(doc),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_reporter() {
        for reporter in Reporter::ALL {
            assert_eq!(Reporter::from_name(reporter.name()), Some(*reporter));
        }
        assert_eq!(Reporter::from_name("Pretty"), None);
    }

    #[test]
    fn the_same_document_gives_the_same_bytes() {
        let doc = samples::failing();
        for reporter in Reporter::ALL {
            let options = pretty::Options::default();
            let first = reporter.render(&doc, &options);
            assert_eq!(first, reporter.render(&doc, &options));
            assert!(first.ends_with('\n'), "{} ends its last line", reporter.name());
        }
    }

    /// What a hostile server or model may have put into a name must reach no medium raw.
    #[test]
    fn hostile_text_is_harmless_everywhere() {
        let doc = samples::hostile();
        for reporter in [Reporter::Pretty, Reporter::Junit, Reporter::Markdown] {
            let out = reporter.render(&doc, &pretty::Options::default());
            let bad = |c: char| c != '\n' && (c.is_control() || text::is_unsafe(c));
            assert_eq!(out.find(bad), None, "{}: {out}", reporter.name());
        }
    }

    /// A large result: bounded text for people, and no reporter takes more than linear time.
    #[test]
    fn a_hundred_thousand_rows_are_no_trouble() {
        let mut doc = samples::failing();
        doc.rows = doc.rows.iter().cycle().take(100_000).cloned().collect();
        doc.tally();
        for reporter in Reporter::ALL {
            let out = reporter.render(&doc, &pretty::Options::default());
            let most = match reporter {
                Reporter::Pretty | Reporter::Markdown => 64 * 1024,
                Reporter::Json | Reporter::Junit => 64 * 1024 * 1024,
            };
            assert!(out.len() < most, "{}: {} bytes", reporter.name(), out.len());
        }
    }
}
