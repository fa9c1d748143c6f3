//! `discovery: { name_free: true }` is checked, not believed: the prompt must name no server.

use regex::RegexBuilder;

use super::Check;
use crate::diagnostic::Span;
use crate::tree::{Kind, Node};

/// Checks the prompt of a name-free test against the names of its servers.
pub fn check(check: &mut Check<'_>, test: &Node, base: Option<&Node>) {
    let find = |key: &str| test.get(key).or_else(|| base?.get(key));
    let name_free = find("discovery").and_then(|discovery| discovery.get("name_free"));
    if !matches!(name_free.map(|node| &node.kind), Some(Kind::Bool(true))) {
        return;
    }
    let Some(prompt) = find("prompt") else { return };
    let Some(text) = prompt.text() else { return };
    for server in find("servers").map_or(&[][..], Node::items) {
        let Some(name) = server.text() else { continue };
        let Some(quote) = mention(text, name) else { continue };
        let span = span_of_quote(check, prompt, &quote);
        if is_distinctive(name) {
            let message = format!(
                "the prompt is declared name-free but says \"{quote}\", which names the server `{name}`"
            );
            let found = check.error("prompt-names-server", span, message);
            found.label = Some("this gives the server away".to_owned());
            found.help =
                Some("say what is wanted, not who provides it; or drop `name_free`".to_owned());
        } else {
            let message =
                format!("the prompt says \"{quote}\", which is also the name of a server");
            check.warning("prompt-names-server", span, message).label =
                Some("an ordinary word, so only a warning".to_owned());
        }
    }
}

/// How the prompt mentions `name`, in its spelling or with spaces, upper or lower case.
pub fn mention(prompt: &str, name: &str) -> Option<String> {
    let words = split_words(name);
    if words.is_empty() {
        return None;
    }
    let escaped = words.iter().map(|word| regex::escape(word)).collect::<Vec<_>>();
    // The separators as written, or any white space between the words (folded lines included).
    let pattern = format!(
        r"(?:^|[^\p{{L}}\p{{N}}_])({}|{})(?:$|[^\p{{L}}\p{{N}}_])",
        regex::escape(name),
        escaped.join(r"\s+")
    );
    let pattern = RegexBuilder::new(&pattern).case_insensitive(true).build().ok()?;
    pattern.captures(prompt).and_then(|found| found.get(1)).map(|found| found.as_str().to_owned())
}

/// A name that nobody writes by accident: with `_`, `-`, `.`, inner capitals or several words.
pub fn is_distinctive(name: &str) -> bool {
    split_words(name).len() > 1
}

fn split_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before_lower = false;
    for letter in name.chars() {
        let separator = matches!(letter, '_' | '-' | '.' | '/') || letter.is_whitespace();
        if separator || (letter.is_uppercase() && before_lower) {
            words.push(String::new());
        }
        if !separator && let Some(last) = words.last_mut() {
            last.push(letter);
        }
        before_lower = letter.is_lowercase() || letter.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The quote's place in the file; the prompt's where folding or escapes hide it.
fn span_of_quote(check: &Check<'_>, prompt: &Node, quote: &str) -> Span {
    check
        .source
        .text
        .get(prompt.span.start..prompt.span.end)
        .and_then(|raw| raw.find(quote))
        .map_or(prompt.span, |at| {
            Span::new(prompt.span.start + at, prompt.span.start + at + quote.len())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_every_spelling() {
        for (prompt, name, expected) in [
            ("Ask google-maps for it", "google-maps", Some("google-maps")),
            ("Ask Google Maps for it", "google-maps", Some("Google Maps")),
            ("Use brave_search.", "brave_search", Some("brave_search")),
            ("open GitHub now", "gitHub", Some("GitHub")),
            ("look at Git Hub", "GitHub", Some("Git Hub")),
            ("google\n  maps", "google_maps", Some("google\n  maps")),
            ("the catalogue", "catalog", None),
            ("weather today", "weather", Some("weather")),
            ("bravesearch", "brave_search", None),
            ("x", "", None),
        ] {
            assert_eq!(mention(prompt, name).as_deref(), expected, "{prompt} / {name}");
        }
    }

    #[test]
    fn ordinary_words_are_not_distinctive() {
        for name in ["google-maps", "brave_search", "a.b", "gitHub", "my server"] {
            assert!(is_distinctive(name), "{name}");
        }
        for name in ["weather", "search", "Weather", "SQL", "_x"] {
            assert!(!is_distinctive(name), "{name}");
        }
    }
}
