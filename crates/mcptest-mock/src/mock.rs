//! The server itself, behind whichever transport.

use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::Value;

use crate::lifecycle::{Identity, Offers};
use crate::prompts::Prompts;
use crate::resources::Resources;
use crate::tool::Tool;

/// A mock server. Clones share one server and its counts of calls.
#[derive(Debug, Clone)]
pub struct Mock {
    inner: Arc<Parts>,
}

/// What a server is made of.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub identity: Identity,
    pub page_size: Option<usize>,
    pub entries: Vec<Value>,
    pub tools: IndexMap<String, Tool>,
    pub resources: Resources,
    pub prompts: Prompts,
}

impl From<Parts> for Mock {
    fn from(parts: Parts) -> Self {
        Self { inner: Arc::new(parts) }
    }
}

impl Mock {
    /// The server's name.
    pub fn name(&self) -> &str {
        self.inner.identity.info.get("name").and_then(Value::as_str).unwrap_or_default()
    }

    /// The entries of `tools/list`, in order, as they go over the wire.
    pub fn tools(&self) -> &[Value] {
        &self.inner.entries
    }

    /// The result of a call, without its latency and without faults of the transport; nothing for
    /// an unknown tool.
    pub fn call(&self, name: &str, arguments: &Value) -> Option<Value> {
        Some(Value::Object(self.tool(name)?.call(arguments, None).result))
    }

    pub(crate) fn tool(&self, name: &str) -> Option<&Tool> {
        self.inner.tools.get(name)
    }

    pub(crate) fn identity(&self) -> &Identity {
        &self.inner.identity
    }

    pub(crate) fn page_size(&self) -> Option<usize> {
        self.inner.page_size
    }

    pub(crate) fn resources(&self) -> &Resources {
        &self.inner.resources
    }

    pub(crate) fn prompts(&self) -> &Prompts {
        &self.inner.prompts
    }

    pub(crate) fn offers(&self) -> Offers {
        Offers {
            resources: !self.inner.resources.is_empty(),
            prompts: !self.inner.prompts.entries.is_empty(),
        }
    }
}
