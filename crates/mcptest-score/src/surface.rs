//! The surface of a run, indexed: whose tool is it, was it bait, what does it cost, do args fit.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jsonschema::Validator;
use mcptest_trace::{SurfaceTool, parse_surface};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::tokens::TokenCounter;

/// The tools a model was shown.
#[derive(Debug, Default)]
pub struct Surface {
    tools: Vec<Tool>,
    by_name: HashMap<String, Vec<usize>>,
    tokens: OnceLock<u64>,
}

#[derive(Debug)]
struct Tool {
    entry: SurfaceTool,
    validator: OnceLock<Result<Validator, String>>,
}

/// How a call's arguments stand to its tool's schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArgsVerdict {
    /// Valid, or the tool has no schema.
    Valid,
    /// Not valid, with the validator's first message.
    Invalid(String),
    /// The tool's own schema cannot be used.
    NoVerdict(String),
}

impl Surface {
    /// Indexes the tools.
    pub fn new(entries: Vec<SurfaceTool>) -> Self {
        let mut by_name = HashMap::<String, Vec<usize>>::new();
        for (at, entry) in entries.iter().enumerate() {
            by_name.entry(entry.name.clone()).or_default().push(at);
        }
        let tools =
            entries.into_iter().map(|entry| Tool { entry, validator: OnceLock::new() }).collect();
        Self { tools, by_name, tokens: OnceLock::new() }
    }

    fn named(&self, name: &str) -> impl Iterator<Item = &Tool> {
        self.by_name.get(name).into_iter().flatten().map(|at| &self.tools[*at])
    }

    /// The tools a call may have gone to: same name, and same server where both are known.
    fn candidates(&self, server: Option<&str>, name: &str) -> impl Iterator<Item = &Tool> {
        self.named(name).filter(move |tool| match (server, tool.entry.server.as_deref()) {
            (Some(called), Some(offered)) => called == offered,
            _ => true,
        })
    }

    /// Whether the tool is on the surface.
    pub fn contains(&self, server: Option<&str>, name: &str) -> bool {
        self.candidates(server, name).next().is_some()
    }

    /// Whether the tool is an injected distractor; nothing where tools of that name disagree.
    pub fn is_distractor(&self, server: Option<&str>, name: &str) -> Option<bool> {
        let mut flags = self.candidates(server, name).map(|tool| tool.entry.distractor);
        let first = flags.next().unwrap_or_default();
        flags.all(|flag| flag == first).then_some(first)
    }

    /// The number of injected distractors.
    pub fn distractor_count(&self) -> u32 {
        self.tools.iter().filter(|tool| tool.entry.distractor).count() as u32
    }

    /// The server of a tool that exactly one server has.
    pub fn only_server_of(&self, name: &str) -> Option<&str> {
        let mut servers = self.named(name).map(|tool| tool.entry.server.as_deref());
        let first = servers.next()??;
        servers.all(|other| other == Some(first)).then_some(first)
    }

    /// Every tool's server, with repetitions.
    pub fn servers(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().filter_map(|tool| tool.entry.server.as_deref())
    }

    /// What the surface costs: tokens of each tool's name, description and compact input schema.
    pub fn tokens(&self, counter: &dyn TokenCounter) -> u64 {
        *self
            .tokens
            .get_or_init(|| self.tools.iter().map(|tool| tool_tokens(&tool.entry, counter)).sum())
    }

    /// Checks a call's arguments; nothing where the tool is not on the surface.
    pub fn check_args(
        &self,
        server: Option<&str>,
        name: &str,
        args: &Value,
    ) -> Option<ArgsVerdict> {
        let mut candidates = self.candidates(server, name);
        let tool = candidates.next()?;
        if candidates.any(|other| other.entry.input_schema != tool.entry.input_schema) {
            return Some(ArgsVerdict::NoVerdict(
                "several servers offer a tool of this name".to_owned(),
            ));
        }
        let Some(schema) = &tool.entry.input_schema else { return Some(ArgsVerdict::Valid) };
        let validator = tool
            .validator
            .get_or_init(|| jsonschema::validator_for(schema).map_err(|error| error.to_string()));
        Some(match validator {
            Ok(validator) => match validator.validate(args) {
                Ok(()) => ArgsVerdict::Valid,
                Err(error) => ArgsVerdict::Invalid(error.to_string()),
            },
            Err(reason) => ArgsVerdict::NoVerdict(reason.clone()),
        })
    }
}

/// Tokens of one tool: name + description + inputSchema as compact JSON in the order received.
pub fn tool_tokens(tool: &SurfaceTool, counter: &dyn TokenCounter) -> u64 {
    let schema = tool.input_schema.as_ref().map(Value::to_string);
    [Some(tool.name.as_str()), tool.description.as_deref(), schema.as_deref()]
        .into_iter()
        .flatten()
        .map(|text| counter.count(text))
        .sum()
}

/// Surfaces by their bytes: the runs of a test mostly share one, and indexing it once is enough.
#[derive(Debug, Default)]
pub struct SurfaceCache {
    seen: Mutex<HashMap<Box<str>, Arc<Surface>>>,
}

/// Beyond this many different surfaces (a shuffled order makes each run's its own) the cache is emptied.
const MAX_CACHED: usize = 256;

impl SurfaceCache {
    /// The surface of these bytes; the error says what is wrong with them.
    pub fn get(&self, raw: &RawValue) -> Result<Arc<Surface>, String> {
        if let Some(surface) = self.lock().get(raw.get()) {
            return Ok(Arc::clone(surface));
        }
        // Parsed outside the lock: other threads go on.
        let surface = Arc::new(Surface::new(parse_surface(raw)?));
        let mut seen = self.lock();
        if seen.len() >= MAX_CACHED {
            seen.clear();
        }
        seen.insert(raw.get().into(), Arc::clone(&surface));
        Ok(surface)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Box<str>, Arc<Surface>>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
impl Surface {
    /// A surface of bare tools, for tests.
    pub fn of(tools: &[(&str, &str)]) -> Self {
        let entries = tools
            .iter()
            .map(|(server, name)| {
                serde_json::from_value(serde_json::json!({"server": Some(server).filter(|server| !server.is_empty()), "name": name})).unwrap()
            })
            .collect();
        Self::new(entries)
    }
}
