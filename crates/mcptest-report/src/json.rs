//! The result document as it is.

use mcptest_score::result::ResultDocument;

/// Indented JSON with a final newline.
///
/// Nothing is lost here: a document for machines must keep the evidence. But a terminal may show it,
/// so what could steer one (C1 controls, text-direction marks) is written as an escape.
pub fn render(doc: &ResultDocument) -> String {
    let mut out = serde_json::to_string_pretty(doc)
        .expect("a result document has text keys and finite numbers only");
    out.push('\n');
    if out.contains(steers) {
        out = out
            .chars()
            .map(|c| if steers(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() })
            .collect();
    }
    out
}

/// Characters that stand in texts only, so an escape is always right.
const fn steers(c: char) -> bool {
    matches!(c, '\u{7f}'..='\u{9f}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
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
        let mut doc = samples::hostile();
        doc.notes.push("\u{9b}31m \u{202e}".to_owned());
        let text = render(&doc);
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
        assert!(text.contains(r"\u009b31m \u202e"));
    }
}
