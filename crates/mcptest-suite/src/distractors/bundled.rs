//! The bundled catalog: plausible tools of plausible servers, as mock manifests in `assets/`.

use std::sync::LazyLock;

use crate::diagnostic::Source;
use crate::tree::Node;

/// A tool of the bundled catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundledTool {
    /// Its server.
    pub server: String,
    /// Its name.
    pub name: String,
}

impl BundledTool {
    /// `server.name`.
    pub fn id(&self) -> String {
        format!("{}.{}", self.server, self.name)
    }
}

/// Every bundled tool, by server and then in the manifest's order. Parsed on first use.
pub fn bundled() -> &'static [BundledTool] {
    static TOOLS: LazyLock<Vec<BundledTool>> =
        LazyLock::new(|| MANIFESTS.iter().flat_map(|(name, text)| tools(name, text)).collect());
    &TOOLS
}

fn tools(file: &str, text: &str) -> Vec<BundledTool> {
    let source = Source::new(file, text);
    let manifest = Node::parse(&source).expect("a test parses every bundled manifest");
    let server = manifest.get("mock_server").expect("a test checks every bundled manifest");
    let name = server.text_at("name").expect("a test checks every bundled manifest").to_owned();
    server
        .list("tools")
        .iter()
        .filter_map(|tool| tool.text_at("name"))
        .map(|tool| BundledTool { server: name.clone(), name: tool.to_owned() })
        .collect()
}

macro_rules! manifests {
    ($($name:literal)*) => {
        /// File name and text of each manifest, in the order of their names.
        const MANIFESTS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../../assets/distractors/", $name, ".yml"))),)*];
    };
}

manifests! {
    "astronomy"
    "calendar"
    "chemistry"
    "ci-pipelines"
    "containers"
    "crm"
    "currency"
    "dns"
    "feature-flags"
    "fitness"
    "flights"
    "genomics"
    "git-hosting"
    "helpdesk"
    "home"
    "hotels"
    "image-tools"
    "inventory"
    "invoicing"
    "library"
    "mailbox"
    "maps"
    "monitoring"
    "music"
    "news"
    "payroll"
    "pdf"
    "real-estate"
    "recipes"
    "shipping"
    "sports"
    "spreadsheet"
    "sql-warehouse"
    "stocks"
    "surveys"
    "team-chat"
    "translation"
    "video-calls"
    "weather"
    "wiki"
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_manifest_of_the_folder_is_bundled() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/distractors");
        let mut files = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
            .collect::<Vec<_>>();
        files.sort();
        assert_eq!(files, MANIFESTS.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    }

    #[test]
    fn the_catalog_is_large_and_without_repetitions() {
        let ids = bundled().iter().map(BundledTool::id).collect::<BTreeSet<_>>();
        assert_eq!(ids.len(), bundled().len());
        assert!(bundled().len() >= 200, "{} tools", bundled().len());
        let servers = bundled().iter().map(|tool| &tool.server).collect::<BTreeSet<_>>();
        assert!(servers.len() >= 25, "{} servers", servers.len());
    }

    #[test]
    fn every_bundled_tool_is_a_whole_tool() {
        for (file, text) in MANIFESTS {
            let manifest = Node::parse(&Source::new(*file, *text)).unwrap();
            let server = manifest.get("mock_server").unwrap();
            assert_eq!(server.text_at("name"), Some(*file));
            for tool in server.list("tools") {
                let name = tool.text_at("name").unwrap();
                assert!(
                    tool.text_at("description").is_some_and(|text| !text.trim().is_empty()),
                    "{file}.{name}"
                );
                assert!(tool.get("response").is_some(), "{file}.{name}");
                let schema = tool.get("input_schema").unwrap().to_json();
                assert!(jsonschema::meta::is_valid(&schema), "{file}.{name}");
                assert_eq!(schema["type"], "object", "{file}.{name}");
            }
        }
    }
}
