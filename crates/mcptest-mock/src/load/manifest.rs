//! Reading a manifest: shape, then meaning, then the parts of a server.

use mcptest_suite::diagnostic::Span;
use mcptest_suite::tree::{Kind, Node};
use serde_json::{Value, json};

use super::{File, Findings, place, texts};
use crate::lifecycle::Identity;
use crate::manifest::{self, Manifest, MockServer};
use crate::mock::Parts;

/// Version of a server whose manifest gives none.
const VERSION: &str = "1.0.0";

/// Builds the server; reports everything that is wrong.
pub fn build(found: &mut Findings<'_>, file: &File) -> Option<Parts> {
    if matches!(file.tree.kind, Kind::Null) {
        let end = found.source.text.len();
        found.error("empty-file", Span::new(end, end), "the manifest is empty").help =
            Some("start with `mock_server:`".to_owned());
        return None;
    }
    let source = found.source;
    let shape =
        mcptest_suite::check::shape_of(source, &file.tree, manifest::schema(), "a manifest");
    let sound = shape.is_empty();
    found.diagnostics.extend(shape);
    if !sound {
        return None;
    }
    let manifest = match serde_json::from_value::<Manifest>(file.value.clone()) {
        Ok(manifest) => manifest,
        // The shape follows the same types, so this is a gap in it: still a message, no panic.
        Err(error) => {
            let message = format!("the manifest cannot be read: {error}");
            found.error("unreadable", file.tree.span, message).help =
                Some("please report this file: a check is missing".to_owned());
            return None;
        }
    };
    let (tree, value) = (file.tree.get("mock_server")?, file.value.get("mock_server")?);
    Some(parts(found, tree, value, &manifest.mock_server))
}

fn parts(found: &mut Findings<'_>, tree: &Node, value: &Value, server: &MockServer) -> Parts {
    let mut parts = Parts {
        identity: identity(server),
        page_size: server.page_size.and_then(|size| usize::try_from(size).ok()),
        ..Parts::default()
    };
    let blocks = [
        ("tools", "tools", "name"),
        ("resources", "resources", "uri"),
        ("resource_templates", "resource templates", "uriTemplate"),
        ("prompts", "prompts", "name"),
    ];
    for (block, what, key) in blocks {
        found.repeated(what, key, tree.list(block));
    }
    let listed = |block: &str| value.get(block).and_then(Value::as_array).into_iter().flatten();
    for ((node, raw), spec) in tree.list("tools").iter().zip(listed("tools")).zip(&server.tools) {
        let (entry, tool) = super::tools::build(found, node, raw, spec);
        parts.entries.push(entry);
        parts.tools.entry(spec.name.clone()).or_insert(tool);
    }
    let nodes = tree.list("resources").iter();
    for ((node, raw), spec) in nodes.zip(listed("resources")).zip(&server.resources) {
        contents(found, node, true);
        parts.resources.add(spec, raw);
    }
    let nodes = tree.list("resource_templates").iter();
    for ((node, raw), spec) in
        nodes.zip(listed("resource_templates")).zip(&server.resource_templates)
    {
        contents(found, node, false);
        parts.resources.add_template(spec, raw);
    }
    let nodes = tree.list("prompts").iter();
    for ((node, raw), spec) in nodes.zip(listed("prompts")).zip(&server.prompts) {
        let names = spec.arguments.iter().map(|one| one.name.as_str()).collect::<Vec<_>>();
        if let Some(messages) = node.get("messages") {
            texts::placeholders(found, messages, Some(&names));
        }
        parts.prompts.add(spec, raw);
    }
    parts
}

fn identity(server: &MockServer) -> Identity {
    let mut info = json!({"name": server.name});
    if let Some(title) = &server.title {
        info["title"] = title.as_str().into();
    }
    info["version"] = server.version.as_deref().unwrap_or(VERSION).into();
    Identity { info, instructions: server.instructions.clone() }
}

/// A resource has a text or a blob, not both.
fn contents(found: &mut Findings<'_>, node: &Node, needed: bool) {
    match (node.get("text"), node.entry("blob")) {
        (Some(_), Some(blob)) => {
            found
                .error("conflicting-keys", blob.key_span, "`text` and `blob` exclude each other")
                .help = Some("keep one of them".to_owned());
        }
        (None, None) if needed => {
            let at = place(node, "uri");
            found.error("missing-key", at, "a resource needs `text` or `blob`").label =
                Some("nothing can be read here".to_owned());
        }
        _ => {}
    }
}
