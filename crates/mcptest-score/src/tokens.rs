//! Counting tokens, behind a trait; the table of cl100k_base is loaded on first use.

/// Counts the tokens of a text.
pub trait TokenCounter: Sync {
    /// The number of tokens.
    fn count(&self, text: &str) -> u64;
}

/// OpenAI's cl100k_base.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cl100k;

impl TokenCounter for Cl100k {
    fn count(&self, text: &str) -> u64 {
        tiktoken::get_encoding("cl100k_base").expect("the vocabulary is compiled in").count(text)
            as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_counts() {
        // Published in OpenAI's tiktoken documentation and cookbook.
        for (text, tokens) in [
            ("tiktoken is great!", 6),
            ("", 0),
            ("antidisestablishmentarianism", 6),
            ("2 + 2 = 4", 7),
        ] {
            assert_eq!(Cl100k.count(text), tokens, "{text}");
        }
    }
}
