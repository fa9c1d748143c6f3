//! Servers, providers, faults, tool_quality checks and the budget.

use std::collections::HashMap;

use super::{Check, assertions};
use crate::diagnostic::Span;
use crate::suggest;
use crate::tree::{Entry, Node};

/// Checks the suite-level blocks.
pub fn check(check: &mut Check<'_>) {
    let root = check.root;
    for entry in root.get("servers").map_or(&[][..], Node::entries) {
        server(check, entry);
    }
    for entry in root.get("providers").map_or(&[][..], Node::entries) {
        if let Some(url) = entry.value.get("base_url") {
            address(check, url);
        }
    }
    unique_names(check, root.list("faults"), "fault");
    for fault in root.list("faults") {
        if let Some(target) = fault.get("target").and_then(|target| target.get("server")) {
            server_reference(check, target);
        }
    }
    for quality in root.list("tool_quality") {
        if let Some(server) = quality.get("server") {
            server_reference(check, server);
        }
        assertions::of_block(check, "tool_quality", quality);
    }
}

fn server(check: &mut Check<'_>, entry: &Entry) {
    let server = &entry.value;
    let name = &entry.key;
    match (server.entry("command"), server.entry("url")) {
        (Some(_), Some(url)) => {
            check
                .error(
                    "impossible-value",
                    url.key_span,
                    format!("server `{name}` has both `command` and `url`"),
                )
                .help = Some(
                "a server is either a command (stdio) or a URL (Streamable HTTP): keep one"
                    .to_owned(),
            );
        }
        (None, None) if !server.entries().is_empty() && !misspelt(server) => {
            check
                .error(
                    "missing-key",
                    entry.key_span,
                    format!("server `{name}` has neither `command` nor `url`"),
                )
                .help = Some(
                "add `command: [program, argument]` for stdio, or `url: https://…` for HTTP"
                    .to_owned(),
            );
        }
        (Some(command), None) => {
            if command.value.items().is_empty() {
                check
                    .error(
                        "impossible-value",
                        command.key_span,
                        format!("server `{name}` has an empty command"),
                    )
                    .label = Some("expected a program and its arguments".to_owned());
            }
            forbid(check, server, &["headers"], "goes with `url`, and this server is a command");
        }
        (None, Some(url)) => {
            address(check, &url.value);
            forbid(
                check,
                server,
                &["env", "cwd", "isolation"],
                "goes with `command`, and this server is a URL",
            );
        }
        (None, None) => {}
    }
    if let Some(isolation) = server.entry("isolation") {
        image(check, isolation);
    }
}

/// Whether a key was probably meant as `command` or `url`, which the shape check says.
fn misspelt(server: &Node) -> bool {
    server.entries().iter().any(|entry| suggest::nearest(&entry.key, ["command", "url"]).is_some())
}

fn image(check: &mut Check<'_>, isolation: &Entry) {
    let kind = isolation.value.text_at("kind").unwrap_or_default();
    let image = isolation.value.entry("image");
    match (kind, image) {
        ("docker" | "podman", None) => {
            check
                .error(
                    "missing-key",
                    isolation.key_span,
                    format!("{kind} isolation needs an `image`"),
                )
                .help = Some("add `image: name:tag`".to_owned());
        }
        ("bwrap", Some(image)) => {
            check.misplaced(image, "goes with docker and podman, not with bwrap")
        }
        _ => {}
    }
}

fn address(check: &mut Check<'_>, url: &Node) {
    let Some(text) = url.text() else { return };
    if !text.starts_with("http://") && !text.starts_with("https://") && !text.starts_with("${") {
        check.error("impossible-value", url.span, format!("`{text}` is no HTTP address")).label =
            Some("expected http://… or https://…".to_owned());
    }
}

/// Reports keys that do not go with what the node is.
pub fn forbid(check: &mut Check<'_>, node: &Node, keys: &[&str], because: &str) {
    for entry in node.entries() {
        if keys.contains(&entry.key.as_str()) {
            check.misplaced(entry, because);
        }
    }
}

/// Reports a server that the suite does not define.
pub fn server_reference(check: &mut Check<'_>, name: &Node) {
    let known = check.names_of("servers");
    reference(check, name, "server", "servers", &known);
}

/// Reports a name that is not among the known ones; `score` needs only the gates.
pub fn reference(check: &mut Check<'_>, name: &Node, what: &str, block: &str, known: &[&str]) {
    let Some(text) = name.text() else { return };
    if !check.whole() || known.contains(&text) {
        return;
    }
    // A misspelt block was reported already; what refers to it is no second mistake.
    let misspelt = check.root.get(block).is_none()
        && check.root.entries().iter().any(|entry| suggest::nearest(&entry.key, [block]).is_some());
    if misspelt {
        return;
    }
    let help = if known.is_empty() {
        format!("the suite has no `{block}:`; add it")
    } else {
        suggest::did_you_mean(text, known)
    };
    let found =
        check.error("dangling-reference", name.span, format!("there is no {what} named `{text}`"));
    found.label = Some(format!("not defined under `{block}:`"));
    found.help = Some(help);
}

/// Reports items that bear the same name.
pub fn unique_names(check: &mut Check<'_>, items: &[Node], what: &str) {
    let mut seen = HashMap::<&str, Span>::new();
    for node in items.iter().filter_map(|item| item.get("name")) {
        let Some(name) = node.text() else { continue };
        if let Some(first) = seen.insert(name, node.span) {
            let line = check.source.position(first.start).line;
            let found =
                check.error("duplicate-name", node.span, format!("two {what}s are named `{name}`"));
            found.label = Some(format!("this name was taken on line {line}"));
            found.help =
                Some("results are told apart by name: give one of them another".to_owned());
        }
    }
}
