//! `${…}` in servers, providers and agent commands: known names only.

use std::sync::LazyLock;

use regex::Regex;

use super::Check;
use crate::diagnostic::Span;
use crate::suggest;
use crate::tree::{Kind, Node};

/// An environment variable the suite refers to.
#[derive(Debug, Clone)]
pub struct EnvReference {
    /// The variable.
    pub name: String,
    /// Whether `:-default` is given.
    pub has_default: bool,
    /// Where it stands.
    pub span: Span,
}

static PLACEHOLDER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\$\{([^}]*)(\})?").expect("a constant pattern"));

/// Collects environment references and reports placeholders that mean nothing.
pub fn check(check: &mut Check<'_>) {
    let root = check.root;
    for block in ["servers", "providers"] {
        if let Some(node) = root.get(block) {
            walk(check, node, &["workspace"]);
        }
    }
    for agent in root.list("agents").iter().chain(root.list("tests")) {
        if let Some(command) = agent.get("command") {
            walk(check, command, &["prompt", "mcp_config", "workspace"]);
        }
    }
}

fn walk(check: &mut Check<'_>, node: &Node, known: &[&str]) {
    match &node.kind {
        Kind::Text(text) => texts(check, text, node.span, known),
        Kind::List(items) => items.iter().for_each(|item| walk(check, item, known)),
        Kind::Map(entries) => entries.iter().for_each(|entry| walk(check, &entry.value, known)),
        _ => {}
    }
}

fn texts(check: &mut Check<'_>, text: &str, span: Span, known: &[&str]) {
    for found in PLACEHOLDER.captures_iter(text) {
        let inner = found.get(1).map_or("", |inner| inner.as_str());
        if found.get(2).is_none() {
            check
                .error(
                    "unknown-placeholder",
                    span,
                    format!("the placeholder `${{{inner}` is not closed"),
                )
                .help = Some("add the closing `}`".to_owned());
            continue;
        }
        match inner.strip_prefix("env.") {
            Some(rest) => {
                let (name, default) = rest
                    .split_once(":-")
                    .map_or((rest, None), |(name, default)| (name, Some(default)));
                let valid = !name.is_empty()
                    && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
                if valid {
                    let reference = EnvReference {
                        name: name.to_owned(),
                        has_default: default.is_some(),
                        span,
                    };
                    check.findings.env.push(reference);
                } else {
                    check
                        .error(
                            "unknown-placeholder",
                            span,
                            format!("`{name}` is no name of an environment variable"),
                        )
                        .help = Some("write `${env.NAME}` or `${env.NAME:-default}`".to_owned());
                }
            }
            None if known.contains(&inner) => {}
            None => {
                let (head, rest) = inner.split_once('.').unwrap_or((inner, ""));
                let help = match suggest::nearest(head, ["env"]) {
                    Some(_) if !rest.is_empty() => format!("did you mean `${{env.{rest}}}`?"),
                    _ => suggest::did_you_mean(inner, &[&["env.NAME"], known].concat()),
                };
                let message = format!("the placeholder `${{{inner}}}` is not known here");
                check.error("unknown-placeholder", span, message).help = Some(help);
            }
        }
    }
}
