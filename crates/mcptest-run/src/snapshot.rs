//! The tools of a `from: file` distractor source: a tools/list snapshot or a mock manifest.

use std::path::Path;

use mcptest_suite::diagnostic::Source;
use mcptest_suite::tree::Node;

/// Largest file that is read.
const MAX_BYTES: u64 = 64 << 20;

/// The ids of the tools in the file, `server.name` where the server is known.
pub fn tool_ids(path: &Path) -> Result<Vec<String>, String> {
    let size = std::fs::metadata(path).map_err(|error| error.to_string())?.len();
    if size > MAX_BYTES {
        return Err(format!("it is larger than {} MiB", MAX_BYTES >> 20));
    }
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    ids_in(&text)
}

/// JSON is YAML too, so one parser reads both.
fn ids_in(text: &str) -> Result<Vec<String>, String> {
    let source = Source::new("", text);
    let root = Node::parse(&source).map_err(|error| {
        let at = error.position();
        format!("line {}, column {}: {}", at.line, at.column, error.message)
    })?;
    let manifest = root.get("mock_server").unwrap_or(&root);
    let server = manifest.text_at("name").or_else(|| root.get("serverInfo")?.text_at("name"));
    let tools = manifest.get("tools").unwrap_or(manifest).items();
    if tools.is_empty() {
        return Err("it has no `tools`".to_owned());
    }
    let id = |tool: &Node| {
        let name = tool.text_at("name")?;
        let server = tool.text_at("server").or(server);
        Some(server.map_or_else(|| name.to_owned(), |server| format!("{server}.{name}")))
    };
    tools.iter().map(|tool| id(tool).ok_or_else(|| "a tool has no `name`".to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snapshots_and_manifests_are_read() {
        assert_eq!(
            ids_in("mock_server: {name: m, tools: [{name: a}]}"),
            Ok(vec!["m.a".to_owned()])
        );
        assert_eq!(
            ids_in(r#"{"tools": [{"name": "a"}], "serverInfo": {"name": "s"}}"#),
            Ok(vec!["s.a".to_owned()])
        );
        assert_eq!(
            ids_in(r#"[{"name": "a", "server": "x"}, {"name": "b"}]"#),
            Ok(vec!["x.a".to_owned(), "b".to_owned()])
        );
        assert!(ids_in("tools: []").is_err());
        assert!(ids_in("tools: [{}]").unwrap_err().contains("no `name`"));
        assert!(ids_in("a: [").unwrap_err().contains("line 1"));
    }
}
