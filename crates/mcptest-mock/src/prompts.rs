//! Prompts: listing and getting.

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use crate::manifest::PromptSpec;
use crate::rpc::Failure;
use crate::template;

/// The prompts of a server.
#[derive(Debug, Default)]
pub struct Prompts {
    /// Entries of `prompts/list`.
    pub entries: Vec<Value>,
    prompts: IndexMap<String, Prompt>,
}

#[derive(Debug)]
struct Prompt {
    description: Option<String>,
    required: Vec<String>,
    messages: Value,
}

impl Prompts {
    /// Adds a prompt; `entry` is what the manifest says of it.
    pub fn add(&mut self, spec: &PromptSpec, entry: &Value) {
        let mut listed = entry.clone();
        let messages = listed
            .as_object_mut()
            .and_then(|map| map.shift_remove("messages"))
            .unwrap_or_else(|| json!([]));
        self.entries.push(listed);
        let required = spec.arguments.iter().filter(|argument| argument.required);
        self.prompts.entry(spec.name.clone()).or_insert(Prompt {
            description: spec.description.clone(),
            required: required.map(|argument| argument.name.clone()).collect(),
            messages,
        });
    }

    /// The result of `prompts/get`.
    pub fn get(&self, name: &str, arguments: &Value) -> Result<Map<String, Value>, Failure> {
        let prompt = self
            .prompts
            .get(name)
            .ok_or_else(|| Failure::invalid_params(format!("Unknown prompt: {name}")))?;
        if let Some(missing) = prompt.required.iter().find(|name| arguments.get(name).is_none()) {
            let message = format!("Missing required argument of prompt {name}: {missing}");
            return Err(Failure::invalid_params(message));
        }
        let mut result = Map::new();
        if let Some(description) = &prompt.description {
            result.insert("description".to_owned(), description.as_str().into());
        }
        result.insert("messages".to_owned(), template::render(&prompt.messages, arguments));
        Ok(result)
    }
}
