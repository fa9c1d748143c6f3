//! The result document as it is.

use std::io;

use mcptest_score::result::ResultDocument;
use serde::Serialize as _;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

/// Indented JSON with a final newline, as text.
pub fn render(doc: &ResultDocument) -> String {
    let mut out = Vec::new();
    write(doc, &mut out).expect("writing to memory does not fail");
    String::from_utf8(out).expect("JSON is UTF-8")
}

/// Indented JSON with a final newline, written as it is made: a hundred thousand rows need no copy.
///
/// Nothing is lost here: a document for machines must keep the evidence. But a terminal may show it,
/// so what could steer one (C1 controls, text-direction marks) is written as an escape.
pub fn write(doc: &ResultDocument, mut out: impl io::Write) -> io::Result<()> {
    doc.serialize(&mut Serializer::with_formatter(&mut out, Careful::default()))?;
    out.write_all(b"\n")
}

/// The usual indentation, with more characters escaped.
#[derive(Default)]
struct Careful(PrettyFormatter<'static>);

impl Formatter for Careful {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        text: &str,
    ) -> io::Result<()> {
        let mut rest = text;
        while let Some((at, found)) = rest.char_indices().find(|(_, c)| steers(*c)) {
            write!(out, "{}\\u{:04x}", &rest[..at], u32::from(found))?;
            rest = &rest[at + found.len_utf8()..];
        }
        out.write_all(rest.as_bytes())
    }

    fn begin_array<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_array(out)
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array(out)
    }

    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_array_value(out, first)
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array_value(out)
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object(out)
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object(out)
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_object_key(out, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object_value(out)
    }
}

/// Characters that stand in texts only, so an escape is always right.
const fn steers(c: char) -> bool {
    matches!(
        c,
        '\u{7f}'..='\u{9f}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
    )
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
