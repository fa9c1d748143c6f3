//! Text from strangers inside GitHub's Markdown.

use crate::text::message;

/// A name or a value in fixed-width type.
///
/// Not between backticks: inside a table cell no number of backticks keeps a `|` and a
/// backslash apart reliably. Inside the element every special character is an entity.
pub fn code(text: &str) -> String {
    // GitHub looks for no mentions in there.
    format!("<code>{}</code>", escape(&message(text), ""))
}

/// A sentence: no markup, no links, no mentions, no cell borders.
pub fn prose(text: &str) -> String {
    let text = message(text);
    // A number and a point, or one of these signs, would begin a list.
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = text.split_at(digits);
    let mut out = number.to_owned();
    let mut rest = rest.chars();
    let signs = if digits == 0 { ['-', '+', '='] } else { ['.', ')', ')'] };
    if let Some(sign) = rest.clone().next().filter(|sign| signs.contains(sign)) {
        entity(&mut out, sign);
        rest.next();
    }
    // GitHub looks for mentions and issue numbers after it has resolved entities, so only
    // something in between keeps them from becoming links.
    out + &escape(rest.as_str(), "&#8203;")
}

/// One line without any markup; `apart` follows what could begin a mention.
fn escape(text: &str, apart: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let (before, after) = (&text[..at], &text[at + c.len_utf8()..]);
        match c {
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '&' => out += "&amp;",
            '@' | '#' => {
                entity(&mut out, c);
                out += apart;
            }
            '|' | '`' | '\\' | '*' | '[' | ']' | '~' | '$' => entity(&mut out, c),
            _ if begins_something(before, c, after) => entity(&mut out, c),
            _ => out.push(c),
        }
    }
    out
}

/// Whether a harmless character would begin a link or emphasis where it stands.
fn begins_something(before: &str, c: char, after: &str) -> bool {
    let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    match c {
        ':' => after.starts_with("//") || before.ends_with("mailto") || before.ends_with("xmpp"),
        '.' => {
            before.len() >= 3 && before.as_bytes()[before.len() - 3..].eq_ignore_ascii_case(b"www")
        }
        // Inside a word an underscore is only that, and tool names are full of them.
        '_' => !word(before.chars().next_back()) || !word(after.chars().next()),
        _ => false,
    }
}

/// A character by its number, which never begins any markup.
fn entity(out: &mut String, c: char) {
    out.push_str(&format!("&#{};", u32::from(c)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyday_text_stays_readable() {
        for text in ["get_weather", "f1 100, precision 50 · 2 of 3", "50 is not enough (see 1.)"] {
            assert_eq!(prose(text), text);
        }
        assert_eq!(code(">= 0.8"), "<code>&gt;= 0.8</code>");
        assert_eq!(code("-0.6"), "<code>-0.6</code>");
    }

    #[test]
    fn markup_links_and_mentions_are_text() {
        for (text, expected) in [
            ("a|b", "a&#124;b"),
            ("`x` \\", "&#96;x&#96; &#92;"),
            ("<b>&", "&lt;b&gt;&amp;"),
            ("[x](y)", "&#91;x&#93;(y)"),
            ("*a* _b_ ~~c~~", "&#42;a&#42; &#95;b&#95; &#126;&#126;c&#126;&#126;"),
            ("@all #7", "&#64;&#8203;all &#35;&#8203;7"),
            ("https://x www.x WWW.x", "https&#58;//x www&#46;x WWW&#46;x"),
            ("- a", "&#45; a"),
            ("12. a", "12&#46; a"),
            ("1) a", "1&#41; a"),
            ("a\n\n# b", "a  &#35;&#8203; b"),
        ] {
            assert_eq!(prose(text), expected);
        }
    }
}
