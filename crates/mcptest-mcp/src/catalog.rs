//! The catalog: every page of tools/list, the entries kept as they came.

use std::collections::{BTreeSet, HashSet};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::violation::{Violation, ViolationKind};

/// Most pages that are asked for.
pub const MAX_PAGES: usize = 1_000;
/// Most tools that are kept.
pub const MAX_TOOLS: usize = 50_000;
/// Most bytes of all entries together.
pub const MAX_BYTES: usize = 64 << 20;

/// One tool as the server described it.
#[derive(Debug, Clone)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// The tools/list entry to the byte, unknown fields included.
    pub raw: Box<RawValue>,
}

impl Tool {
    /// The entry as a value.
    pub fn value(&self) -> Value {
        serde_json::from_str(self.raw.get()).unwrap_or_default()
    }
}

/// A page of tools/list.
#[derive(Debug, Deserialize)]
struct Page {
    tools: Vec<Box<RawValue>>,
    #[serde(default, rename = "nextCursor")]
    next_cursor: Option<String>,
}

/// The tools in the making, page by page.
#[derive(Debug, Default)]
pub struct Collector {
    /// The tools so far.
    pub tools: Vec<Tool>,
    /// What is wrong with them.
    pub violations: Vec<Violation>,
    cursors: BTreeSet<String>,
    names: HashSet<String>,
    pages: usize,
    bytes: usize,
}

impl Collector {
    /// Takes a page in; returns the cursor of the next one. One bad tool does not spoil the list.
    pub fn page(&mut self, result: &RawValue) -> Result<Option<String>, Violation> {
        let page: Page = serde_json::from_str(result.get()).map_err(|error| {
            Violation::new(ViolationKind::BadResult, format!("tools/list: {error}"))
        })?;
        self.pages += 1;
        for raw in page.tools {
            self.bytes += raw.get().len();
            if self.tools.len() >= MAX_TOOLS || self.bytes > MAX_BYTES {
                return Err(self.endless(&format!(
                    "the limit of {MAX_TOOLS} tools and {} MiB is reached",
                    MAX_BYTES >> 20
                )));
            }
            self.tool(raw);
        }
        let Some(cursor) = page.next_cursor.filter(|cursor| !cursor.is_empty()) else {
            return Ok(None);
        };
        if !self.cursors.insert(cursor.clone()) {
            return Err(self.endless(&format!(
                "the cursor `{}` came twice",
                cursor.chars().take(40).collect::<String>()
            )));
        }
        if self.pages >= MAX_PAGES {
            return Err(self.endless("there is still a next page"));
        }
        Ok(Some(cursor))
    }

    fn endless(&self, why: &str) -> Violation {
        let detail = format!("after {} pages with {} tools {why}", self.pages, self.tools.len());
        Violation::new(ViolationKind::EndlessPages, detail)
    }

    fn tool(&mut self, raw: Box<RawValue>) {
        let value: Value = serde_json::from_str(raw.get()).unwrap_or_default();
        let Some(name) = value.get("name").and_then(Value::as_str).filter(|name| !name.is_empty())
        else {
            let detail = format!(
                "entry {}: {}",
                self.tools.len(),
                crate::frame::excerpt(raw.get().as_bytes())
            );
            self.violations.push(Violation::new(ViolationKind::ToolWithoutName, detail));
            return;
        };
        if !value.get("inputSchema").is_some_and(Value::is_object) {
            self.violations
                .push(Violation::new(ViolationKind::ToolWithoutSchema, format!("tool `{name}`")));
        }
        if !self.names.insert(name.to_owned()) {
            self.violations.push(Violation::new(ViolationKind::DuplicateTool, format!("`{name}`")));
        }
        self.tools.push(Tool { name: name.to_owned(), raw });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(collector: &mut Collector, json: &str) -> Result<Option<String>, Violation> {
        collector.page(&RawValue::from_string(json.to_owned()).unwrap())
    }

    #[test]
    fn one_bad_tool_does_not_spoil_the_list() {
        let mut found = Collector::default();
        let next = page(
            &mut found,
            r#"{"tools":[{"name":"a","inputSchema":{}},{"name":"b"},{"x":1},{"name":"a","inputSchema":{}}],"nextCursor":"2"}"#,
        );
        assert_eq!(next, Ok(Some("2".to_owned())));
        assert_eq!(found.tools.len(), 3);
        let kinds = found.violations.iter().map(|one| one.kind).collect::<Vec<_>>();
        assert_eq!(
            kinds,
            [
                ViolationKind::ToolWithoutSchema,
                ViolationKind::ToolWithoutName,
                ViolationKind::DuplicateTool
            ]
        );
    }

    #[test]
    fn pages_that_never_end_are_named() {
        let mut found = Collector::default();
        let same = r#"{"tools":[],"nextCursor":"x"}"#;
        assert!(page(&mut found, same).is_ok());
        assert_eq!(page(&mut found, same).unwrap_err().kind, ViolationKind::EndlessPages);
        let mut fresh = Collector::default();
        let outcome = (0..MAX_PAGES + 1).find_map(|at| {
            page(&mut fresh, &format!(r#"{{"tools":[],"nextCursor":"{at}"}}"#)).err()
        });
        assert_eq!(outcome.unwrap().kind, ViolationKind::EndlessPages);
    }

    #[test]
    fn entries_are_kept_to_the_byte() {
        let mut found = Collector::default();
        page(&mut found, r#"{"tools":[{"inputSchema": {} , "name":"a","x-odd":1.50}]}"#).unwrap();
        assert_eq!(found.tools[0].raw.get(), r#"{"inputSchema": {} , "name":"a","x-odd":1.50}"#);
    }
}
