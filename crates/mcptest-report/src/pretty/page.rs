//! Lines of a report: indented, wrapped, and coloured where wanted.

use anstyle::{AnsiColor, Style};

use crate::text::{columns, wrap};

/// The styles in use; all of them empty where colour is off.
#[derive(Default)]
pub struct Palette {
    /// What passed.
    pub good: Style,
    /// What failed.
    pub bad: Style,
    /// What could not be judged.
    pub open: Style,
    /// Headings and names.
    pub strong: Style,
    /// What matters less.
    pub dim: Style,
}

impl Palette {
    /// The palette for a terminal, or none.
    pub fn new(colour: bool) -> Self {
        if !colour {
            return Self::default();
        }
        Self {
            good: AnsiColor::Green.on_default(),
            bad: AnsiColor::Red.on_default().bold(),
            open: AnsiColor::Yellow.on_default(),
            strong: Style::new().bold(),
            dim: Style::new().dimmed(),
        }
    }
}

/// The report as far as it is written. Everything that comes here is clean already.
pub struct Page {
    out: String,
    width: usize,
    /// The styles to write with.
    pub palette: Palette,
}

impl Page {
    /// An empty page of at least 40 columns.
    pub fn new(width: usize, colour: bool) -> Self {
        Self { out: String::new(), width: width.max(40), palette: Palette::new(colour) }
    }

    /// Columns of the page.
    pub const fn width(&self) -> usize {
        self.width
    }

    /// The finished text.
    pub fn finish(self) -> String {
        self.out
    }

    /// Starts a section.
    pub fn heading(&mut self, title: &str) {
        self.gap();
        let strong = self.palette.strong;
        self.line(0, &format!("{strong}{title}{strong:#}"));
    }

    /// An empty line, unless there is one already or nothing to part from.
    pub fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// One line as it is.
    pub fn line(&mut self, indent: usize, text: &str) {
        self.out += &" ".repeat(indent);
        self.out += text.trim_end();
        self.out.push('\n');
    }

    /// A lead, padded to `lead_width` columns, and a text that wraps beside it.
    ///
    /// A lead that is wider than that, or leaves the text no room, stands on lines of its own.
    pub fn beside(
        &mut self,
        indent: usize,
        lead: (&str, Style),
        lead_width: usize,
        text: (&str, Style),
    ) {
        let ((lead, lead_style), (text, text_style)) = (lead, text);
        let column = indent + lead_width;
        if text.is_empty() || columns(lead) > lead_width || column + 20 > self.width {
            self.wrapped(indent, lead, lead_style);
            if !text.is_empty() {
                self.wrapped(indent + 4, text, text_style);
            }
            return;
        }
        let mut first = true;
        for line in wrap(text, self.width - column) {
            let pad = if first { lead_width - columns(lead) } else { column };
            if first {
                self.out += &format!("{}{lead_style}{lead}{lead_style:#}", " ".repeat(indent));
            }
            self.out += &format!("{}{text_style}{line}{text_style:#}\n", " ".repeat(pad));
            first = false;
        }
    }

    /// A text that wraps, its further lines two columns further in.
    pub fn wrapped(&mut self, indent: usize, text: &str, style: Style) {
        let room = self.width.saturating_sub(indent + 2);
        for (at, line) in wrap(text, room).iter().enumerate() {
            let indent = if at == 0 { indent } else { indent + 2 };
            self.line(indent, &format!("{style}{line}{style:#}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_wraps_beside_its_lead() {
        let mut page = Page::new(40, false);
        let plain = Style::new();
        page.beside(2, ("name", plain), 8, ("one two three four five six seven eight", plain));
        page.beside(2, ("a longer name", plain), 8, ("text", plain));
        let expected = "  name    one two three four five six\n          seven eight\n  a longer name\n      text\n";
        assert_eq!(page.finish(), expected);
    }
}
