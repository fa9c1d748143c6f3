//! Checks of the placeholders in texts.

use mcptest_suite::suggest;
use mcptest_suite::tree::{Kind, Node};

use super::Findings;
use crate::template::{Piece, Step, pieces};

/// Warns about placeholders that stand for nothing; `known` are the arguments, where all of them
/// are known.
pub fn placeholders(found: &mut Findings<'_>, node: &Node, known: Option<&[&str]>) {
    match &node.kind {
        Kind::Text(text) if text.contains("${") => text_placeholders(found, node, text, known),
        Kind::List(items) => items.iter().for_each(|item| placeholders(found, item, known)),
        Kind::Map(entries) => {
            entries.iter().for_each(|entry| placeholders(found, &entry.value, known));
        }
        _ => {}
    }
}

fn text_placeholders(found: &mut Findings<'_>, node: &Node, text: &str, known: Option<&[&str]>) {
    for piece in pieces(text) {
        match piece {
            Piece::Literal(_) => {}
            Piece::Unknown(text) => {
                let text = mcptest_suite::tree::shorten(text);
                let message =
                    format!("the placeholder `{text}` means nothing and is served as it is");
                found.warning("unknown-placeholder", node.span, message).help =
                    Some("write `${args.NAME}`, or `$${` for a literal `${`".to_owned());
            }
            Piece::Argument(path) => {
                if let (Some(Step::Key(name)), Some(known)) = (path.first(), known)
                    && !known.contains(name)
                {
                    let message = format!("no argument is called `{name}`");
                    found.warning("unknown-argument", node.span, message).help =
                        Some(suggest::did_you_mean(name, known));
                }
            }
        }
    }
}
