//! Text from strangers, made fit for one line of a report.

use std::borrow::Cow;
use std::iter::Peekable;
use std::str::Chars;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Longest message a report shows; the JSON result keeps all of it.
const LONGEST_MESSAGE: usize = 1_000;

/// Removes what could steer a terminal or deceive a reader, and makes it one line.
///
/// ANSI escapes go as a whole, so no `[31m` stays behind. Line breaks and tabs become spaces.
/// Other control characters, bidirectional overrides and invisible characters go without a
/// trace; the joiners U+200C and U+200D stay, because real scripts and emoji need them.
pub fn clean(text: &str) -> Cow<'_, str> {
    let harmless = |c: char| !c.is_control() && !is_unsafe(c);
    if text.chars().all(harmless) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            '\u{9b}' => skip_csi(&mut chars),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => skip_control_string(&mut chars),
            '\r' if chars.peek() == Some(&'\n') => {}
            '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
                out.push(' ');
            }
            c if harmless(c) => out.push(c),
            _ => {}
        }
    }
    Cow::Owned(out)
}

/// Characters beyond the control characters that must not reach a reader.
pub(crate) fn is_unsafe(c: char) -> bool {
    matches!(c,
        // Soft hyphen, bidirectional marks, embeddings, overrides and isolates.
        '\u{ad}' | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{206f}'
        // Zero width, line and paragraph separators, invisible operators, interlinear notes.
        | '\u{200b}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{2065}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        // Tag characters, which can hide whole sentences.
        | '\u{e0000}'..='\u{e007f}'
    ) || u32::from(c) & 0xfffe == 0xfffe // noncharacters, which XML forbids
}

/// Skips what follows an escape character.
fn skip_escape(chars: &mut Peekable<Chars<'_>>) {
    match chars.peek() {
        Some('[') => {
            chars.next();
            skip_csi(chars);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            chars.next();
            skip_control_string(chars);
        }
        _ => {
            while chars.next_if(|c| matches!(c, ' '..='/')).is_some() {}
            chars.next_if(|c| matches!(c, '0'..='~'));
        }
    }
}

/// Skips parameters, intermediates and the final byte of a control sequence.
fn skip_csi(chars: &mut Peekable<Chars<'_>>) {
    while chars.next_if(|c| matches!(c, '0'..='?')).is_some() {}
    while chars.next_if(|c| matches!(c, ' '..='/')).is_some() {}
    chars.next_if(|c| matches!(c, '@'..='~'));
}

/// Skips a control string (a title, a hyperlink) up to its terminator.
///
/// One without a terminator only loses its introducer: it would otherwise hide the rest of
/// the message. The search ends at the next escape, so the whole stays linear.
fn skip_control_string(chars: &mut Peekable<Chars<'_>>) {
    let mut ahead = chars.clone();
    while let Some(c) = ahead.next() {
        match c {
            '\u{7}' | '\u{9c}' => *chars = ahead,
            '\u{1b}' if ahead.next_if_eq(&'\\').is_some() => *chars = ahead,
            '\u{1b}' | '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => {}
            _ => continue,
        }
        return;
    }
}

/// A message: clean, trimmed and of bounded length.
pub(crate) fn message(text: &str) -> String {
    shorten(clean(text).trim(), LONGEST_MESSAGE).into_owned()
}

/// At most `most` characters, the last one being `…` where some are missing.
pub(crate) fn shorten(text: &str, most: usize) -> Cow<'_, str> {
    if text.char_indices().nth(most).is_none() {
        return Cow::Borrowed(text);
    }
    let kept = text.char_indices().nth(most.saturating_sub(1));
    Cow::Owned(format!("{}…", &text[..kept.map_or(0, |(at, _)| at)]))
}

/// Columns the text takes on a terminal.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// Breaks a text at spaces into lines of at most `width` columns; words that are longer are cut.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    let (mut line, mut used) = (String::new(), 0);
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let wide = columns(word);
        if used > 0 && used + 1 + wide > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        if wide <= width {
            line.push_str(word);
            used += wide;
            continue;
        }
        for c in word.chars() {
            let wide = c.width().unwrap_or(0);
            if used > 0 && used + wide > width {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            line.push(c);
            used += wide;
        }
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmless_text_is_not_copied() {
        for text in ["", "get_weather", "naïve 東京 👩‍💻 · ×2", "می‌خواهم"] {
            assert!(matches!(clean(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn escapes_go_as_a_whole() {
        for (dirty, expected) in [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}[38;5;196;1mred", "red"),
            ("\u{9b}2Jwiped", "wiped"),
            ("\u{1b}]0;title\u{7}x", "x"),
            ("\u{1b}]8;;https://evil.example\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}(Bx", "x"),
            ("\u{1b}cx", "x"),
            ("\u{1b}Pq#0\u{9c}x", "x"),
            ("\u{1b}]0;never ends", "0;never ends"),
            ("\u{1b}\u{1b}[1mx", "x"),
            ("end\u{1b}", "end"),
            ("end\u{1b}[", "end"),
        ] {
            assert_eq!(clean(dirty), expected, "{dirty:?}");
        }
    }

    #[test]
    fn line_breaks_become_one_space_each() {
        assert_eq!(clean("a\nb\r\nc\rd\te\u{2028}f\u{85}g"), "a b c d e f g");
    }

    #[test]
    fn invisible_and_reordering_characters_go() {
        assert_eq!(clean("a\u{202e}b\u{2066}c\u{2069}d\u{feff}e\u{200b}f\u{7f}g\0h"), "abcdefgh");
        assert_eq!(clean("x\u{e0041}\u{e007f}\u{ffff}\u{1fffe}y"), "xy");
    }

    /// Random texts from nasty pieces: always harmless, idempotent, order kept.
    #[test]
    fn whatever_comes_in_comes_out_harmless() {
        const PIECES: &[&str] = &[
            "\u{1b}",
            "[",
            "]",
            "0",
            ";",
            "m",
            "\\",
            "\u{7}",
            "\u{9b}",
            "\u{9d}",
            "\u{9c}",
            "a",
            "é",
            "東",
            "\n",
            "\r",
            "\0",
            "\u{202e}",
            "\u{feff}",
            "P",
            " ",
            "👩‍💻",
            "\u{ffff}",
        ];
        let mut state = 42_u64;
        for round in 0..5_000 {
            let mut text = String::new();
            for _ in 0..round % 40 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                text.push_str(PIECES[(state >> 33) as usize % PIECES.len()]);
            }
            let once = clean(&text).into_owned();
            assert!(!once.chars().any(|c| c.is_control() || is_unsafe(c)), "{text:?}");
            assert_eq!(clean(&once), once.as_str());
            for line in wrap(&once, 7) {
                assert!(columns(&line) <= 7, "{line:?}");
            }
        }
    }

    #[test]
    fn hostile_repetition_stays_linear() {
        for piece in ["\u{1b}]", "\u{9d}", "\u{1b}[", "\u{1b}P\u{1b}"] {
            assert_eq!(clean(&piece.repeat(300_000)), "");
        }
    }

    #[test]
    fn shortening_counts_characters() {
        assert_eq!(shorten("東京都", 3), "東京都");
        assert_eq!(shorten("東京都庁", 3), "東京…");
        assert_eq!(shorten("x", 0), "…");
    }

    #[test]
    fn wrapping_keeps_every_word() {
        let lines = wrap("  one two  three 東京東京東京 x", 7);
        assert_eq!(lines, ["one two", "three", "東京東", "京東京", "x"]);
        assert_eq!(wrap("", 7), [""]);
    }
}
