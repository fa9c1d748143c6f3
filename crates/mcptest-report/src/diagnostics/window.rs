//! The few lines around a span, made harmless and short.
//!
//! The renderer shows what it is given: it would print escape characters, take long over a
//! megabyte on one line, and panic on a span outside the text. So it only gets a small copy.

use std::ops::Range;

use mcptest_suite::diagnostic::{Position, Span};

use crate::text::is_unsafe;

/// Lines of a longer span that are shown.
const MOST_LINES: usize = 6;
/// Longest line shown in full, in characters.
const LONGEST_LINE: usize = 240;
/// Characters shown of a longer line: few enough that the renderer does not cut it once more.
const SHOWN: usize = 110;
/// Characters of those that stand before the span.
const LEAD: usize = 40;

/// A text and where its lines begin.
pub struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// Finds the lines of `text`.
    pub fn of(text: &'a str) -> Self {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        Self { text, starts: std::iter::once(0).chain(breaks).collect() }
    }

    /// The nearest place at or before `offset` where a character begins.
    fn boundary(&self, offset: usize) -> usize {
        self.text.floor_char_boundary(offset)
    }

    /// Index of the line that holds `offset`.
    fn index(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    /// The bytes of a line without its line break.
    fn range(&self, index: usize) -> Range<usize> {
        let start = self.starts[index];
        let end = self.starts.get(index + 1).map_or(self.text.len(), |next| next - 1);
        start..end
    }

    /// Line and column, as [`mcptest_suite::diagnostic::Source::position`] counts them.
    pub fn position(&self, offset: usize) -> Position {
        let offset = self.boundary(offset);
        let index = self.index(offset);
        let column = self.text[self.starts[index]..offset].chars().count() + 1;
        Position { line: index + 1, column }
    }
}

/// What the renderer gets.
pub struct Window {
    /// A few clean lines.
    pub text: String,
    /// The offending bytes of that text.
    pub span: Range<usize>,
    /// Number of the first line, from 1.
    pub first_line: usize,
}

impl Window {
    /// The lines that `span` touches, the first few of them.
    pub fn around(lines: &Lines<'_>, span: Span) -> Self {
        let start = lines.boundary(span.start);
        let end = lines.boundary(span.end).max(start);
        // A span often ends with the line break, or with the blank lines after a block.
        let end = start + lines.text[start..end].trim_end().len();
        let first = lines.index(start);
        let last = lines.index(end).min(first + MOST_LINES - 1);
        let mut window = Self { text: String::new(), span: 0..0, first_line: first + 1 };
        for index in first..=last {
            if index > first {
                window.text.push('\n');
            }
            let whole = lines.range(index);
            let marked = start.clamp(whole.start, whole.end)..end.clamp(whole.start, whole.end);
            let marked = window.push_line(lines.text, whole, marked);
            if index == first {
                window.span.start = marked.start;
            }
            window.span.end = marked.end;
        }
        window
    }

    /// Copies one line, cut to the part around `marked`; says where `marked` is in the copy.
    fn push_line(&mut self, text: &str, whole: Range<usize>, marked: Range<usize>) -> Range<usize> {
        let before = &text[whole.start..marked.start];
        let long = text[whole.clone()].chars().nth(LONGEST_LINE).is_some();
        let (mut from, most) = (whole.start, if long { SHOWN } else { LONGEST_LINE });
        if long && let Some((at, _)) = before.char_indices().rev().nth(LEAD) {
            from += at;
            self.text.push('…');
        }
        let mut found = None..None;
        let mut cut = false;
        for (number, (at, c)) in text[from..whole.end].char_indices().enumerate() {
            if number == most {
                cut = true;
                break;
            }
            if from + at == marked.start {
                found.start = Some(self.text.len());
            }
            if from + at == marked.end {
                found.end = Some(self.text.len());
            }
            self.push_char(c);
        }
        let end = self.text.len();
        if cut {
            self.text.push('…');
        }
        let start = found.start.unwrap_or(end);
        start..found.end.unwrap_or(end).max(start)
    }

    /// One character, or a visible stand-in where it would do harm.
    fn push_char(&mut self, c: char) {
        match c {
            '\t' => self.text.push_str("    "),
            // The line break of Windows is none of the user's concern.
            '\r' => {}
            c if c.is_control() || is_unsafe(c) => self.text.push('\u{fffd}'),
            c => self.text.push(c),
        }
    }
}
