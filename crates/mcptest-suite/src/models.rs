//! Which API serves a model, told from its name alone.

use crate::suggest;

/// Providers that need no `providers:` entry.
pub const BUILT_IN: &[&str] =
    &["anthropic", "openai", "gemini", "ollama", "openrouter", "groq", "builtin"];

/// What a model's name says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolved {
    /// Provider key and the model's name there.
    Known {
        /// Key of the provider.
        provider: String,
        /// Name to send to it.
        model: String,
    },
    /// Nothing known serves it.
    Unknown {
        /// What to write instead.
        help: String,
    },
}

/// Resolves `claude-*`, `gpt-*`, `o1`…`o9*`, `chatgpt-*`, `gemini-*` and `<provider>/…`.
pub fn resolve(name: &str, providers: &[&str]) -> Resolved {
    if let Some((provider, model)) = name.split_once('/') {
        return explicit(provider, model, providers);
    }
    let o_series = name
        .strip_prefix('o')
        .is_some_and(|rest| rest.starts_with(|digit: char| ('1'..='9').contains(&digit)));
    let provider = if name.starts_with("claude-") {
        "anthropic"
    } else if name.starts_with("gpt-") || name.starts_with("chatgpt-") || o_series {
        "openai"
    } else if name.starts_with("gemini-") {
        "gemini"
    } else {
        let help = "write claude-…, gpt-…, o1…, gemini-…, or PROVIDER/MODEL such as `ollama/llama3` or `builtin/lexical`";
        return Resolved::Unknown { help: help.to_owned() };
    };
    Resolved::Known { provider: provider.to_owned(), model: name.to_owned() }
}

fn explicit(provider: &str, model: &str, providers: &[&str]) -> Resolved {
    if !providers.contains(&provider) && !BUILT_IN.contains(&provider) {
        let known = providers.iter().chain(BUILT_IN).copied().collect::<Vec<_>>();
        let help = match suggest::nearest(provider, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}/{model}`?"),
            None => {
                format!(
                    "define `{provider}` under `providers:`, or use one of {}",
                    suggest::list(&known)
                )
            }
        };
        return Resolved::Unknown { help };
    }
    if provider == "builtin" && model != "lexical" {
        return Resolved::Unknown {
            help: "the one built-in model is `builtin/lexical`".to_owned(),
        };
    }
    Resolved::Known { provider: provider.to_owned(), model: model.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_providers() {
        for (name, expected) in [
            ("claude-sonnet-4-5", "anthropic"),
            ("gpt-5", "openai"),
            ("o3-mini", "openai"),
            ("chatgpt-4o-latest", "openai"),
            ("gemini-2.5-pro", "gemini"),
            ("ollama/llama3", "ollama"),
            ("builtin/lexical", "builtin"),
            ("local/some/model", "local"),
        ] {
            let Resolved::Known { provider, .. } = resolve(name, &["local"]) else {
                panic!("{name}")
            };
            assert_eq!(provider, expected, "{name}");
        }
        for name in ["llama3", "o0", "opus", "nowhere/x", "builtin/magic"] {
            assert!(matches!(resolve(name, &[]), Resolved::Unknown { .. }), "{name}");
        }
    }
}
