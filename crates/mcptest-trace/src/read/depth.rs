//! The limit on nesting, which `serde_json` does not apply to values that are kept raw.

use super::MAX_DEPTH;
use super::count::count;

/// The offset at which `text` nests deeper than [`MAX_DEPTH`], if it does.
pub(crate) fn too_deep(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    // `[` and `{` differ in one bit. Few records hold more of them than the limit, and counting
    // them is many times faster than following the nesting.
    if count(bytes, |byte| byte | 0x20 == b'{') <= MAX_DEPTH {
        return None;
    }
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (offset, byte) in bytes.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'[' | b'{' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Some(offset);
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_what_serde_json_reads() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(too_deep(&nested(MAX_DEPTH)), None);
        assert!(serde_json::from_str::<serde_json::Value>(&nested(MAX_DEPTH)).is_ok());
        assert_eq!(too_deep(&nested(MAX_DEPTH + 1)), Some(MAX_DEPTH));
        assert!(serde_json::from_str::<serde_json::Value>(&nested(MAX_DEPTH + 1)).is_err());
    }

    #[test]
    fn brackets_side_by_side_or_in_strings_do_not_count() {
        assert_eq!(too_deep(&format!("[{}]", "[],".repeat(500))), None);
        assert_eq!(too_deep(&format!(r#"["\"{}"]"#, "[".repeat(500))), None);
    }
}
