//! The result document as it is.

use mcptest_score::result::ResultDocument;

/// Indented JSON with a final newline.
///
/// Nothing is cleaned here: JSON escapes control characters itself, and a document for
/// machines must not lose evidence.
pub fn render(doc: &ResultDocument) -> String {
    let mut out = serde_json::to_string_pretty(doc)
        .expect("a result document has text keys and finite numbers only");
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn what_is_written_reads_back_the_same() {
        for doc in [samples::passing(), samples::failing(), samples::sweep(), samples::hostile()] {
            let text = render(&doc);
            let back: ResultDocument = serde_json::from_str(&text).unwrap();
            assert_eq!(serde_json::to_value(&back).unwrap(), serde_json::to_value(&doc).unwrap());
            assert_eq!(render(&back), text);
        }
    }

    #[test]
    fn control_characters_are_escaped() {
        assert!(!render(&samples::hostile()).contains(|c: char| c.is_ascii_control() && c != '\n'));
    }
}
