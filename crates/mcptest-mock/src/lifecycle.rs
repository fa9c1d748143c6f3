//! The two lifecycles: the handshake of the older revisions, and 2026-07-28, in which every request
//! names its version and nothing is kept between requests.

use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value, json};

use crate::rpc::{Failure, MISSING_CAPABILITY, Request, UNSUPPORTED_VERSION};

/// The revision without a handshake.
pub const STATELESS: &str = "2026-07-28";
/// The revisions with a handshake, newest first.
pub const HANDSHAKE: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const META_LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
const META_SERVER: &str = "io.modelcontextprotocol/serverInfo";

/// What a server knows of one client between its messages: a stdio connection, or an HTTP session.
#[derive(Debug, Default)]
pub struct Session {
    version: Mutex<Option<&'static str>>,
}

impl Session {
    /// A client that has not said anything yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The version agreed on in the handshake.
    pub fn version(&self) -> Option<&'static str> {
        *self.version.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn agree(&self, version: &'static str) {
        *self.version.lock().unwrap_or_else(PoisonError::into_inner) = Some(version);
    }
}

/// Which rules a request follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifecycle {
    /// Handshake first.
    Handshake,
    /// 2026-07-28.
    Stateless,
}

/// All versions, newest first.
pub fn supported() -> Vec<&'static str> {
    [STATELESS].into_iter().chain(HANDSHAKE).collect()
}

/// The version a request names in its `_meta`.
pub fn named_version(request: &Request) -> Option<&Value> {
    request.meta(META_VERSION)
}

/// Whether the request of the stateless revision wants log messages.
pub fn wants_logs(request: &Request) -> bool {
    request.meta(META_LOG_LEVEL).is_some()
}

/// Refuses a request of the stateless revision whose client lacks one of these capabilities.
pub fn check_capabilities(request: &Request, required: &Map<String, Value>) -> Result<(), Failure> {
    let declared = request.meta(META_CAPABILITIES);
    let missing = required
        .iter()
        .filter(|(name, _)| declared.is_none_or(|declared| declared.get(name).is_none()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect::<Map<_, _>>();
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
    Err(Failure::new(MISSING_CAPABILITY, format!("Missing required client capability: {names}"))
        .data(json!({"requiredCapabilities": missing})))
}

impl Lifecycle {
    /// Which rules the request follows, from what it says of itself.
    pub fn of(request: &Request) -> Result<Self, Failure> {
        let discover = request.method == "server/discover";
        let Some(version) = named_version(request) else {
            return if discover { Err(missing_meta(&[META_VERSION])) } else { Ok(Self::Handshake) };
        };
        match version.as_str() {
            Some(STATELESS) => {
                let capabilities = request.meta(META_CAPABILITIES);
                match capabilities.is_some_and(Value::is_object) {
                    true => Ok(Self::Stateless),
                    false => Err(missing_meta(&[META_CAPABILITIES])),
                }
            }
            // Discovery is there to find a common version, so any known one may ask for it.
            Some(older) if HANDSHAKE.contains(&older) && discover => Ok(Self::Stateless),
            Some(older) if HANDSHAKE.contains(&older) => Ok(Self::Handshake),
            _ if request.method == "initialize" => Ok(Self::Handshake),
            _ => Err(unsupported(version)),
        }
    }
}

/// Error for a version that is not spoken here.
pub fn unsupported(requested: &Value) -> Failure {
    let named = requested.as_str().map_or_else(|| requested.to_string(), str::to_owned);
    Failure::new(UNSUPPORTED_VERSION, format!("Unsupported protocol version: {named}"))
        .data(json!({"supported": supported(), "requested": requested}))
}

/// Error for a request of the stateless revision that does not say who asks.
pub fn missing_meta(keys: &[&str]) -> Failure {
    let keys = keys.join(", ");
    Failure::invalid_params(format!("Invalid params: `_meta` lacks or has malformed {keys}"))
}

/// Error for a request that names no version in a connection without a handshake.
pub fn not_initialized() -> Failure {
    Failure::invalid_request(format!(
        "Not initialized: send `initialize` first, or name the version {STATELESS} in `_meta`"
    ))
}

/// Who the server is.
#[derive(Debug, Clone, Default)]
pub struct Identity {
    /// `serverInfo`, as it goes over the wire.
    pub info: Value,
    /// What a client should tell its model.
    pub instructions: Option<String>,
}

/// The kinds of things a server offers besides tools.
#[derive(Debug, Clone, Copy)]
pub struct Offers {
    /// Resources or templates of them.
    pub resources: bool,
    /// Prompts.
    pub prompts: bool,
}

impl Offers {
    fn capabilities(self, lifecycle: Lifecycle) -> Value {
        let handshake = lifecycle == Lifecycle::Handshake;
        let mut capabilities = json!({"tools": {}});
        if self.resources {
            capabilities["resources"] =
                if handshake { json!({"subscribe": true}) } else { json!({}) };
        }
        if self.prompts {
            capabilities["prompts"] = json!({});
        }
        if self.resources || self.prompts {
            capabilities["completions"] = json!({});
        }
        if handshake {
            capabilities["logging"] = json!({});
        }
        capabilities
    }
}

impl Identity {
    /// The result of `initialize`.
    pub fn initialize(
        &self,
        request: &Request,
        offers: Offers,
        session: &Session,
    ) -> Result<Map<String, Value>, Failure> {
        let asked = request.text("protocolVersion")?;
        let known = HANDSHAKE.into_iter().find(|version| *version == asked);
        let version = known.unwrap_or(HANDSHAKE[0]);
        session.agree(version);
        let mut result = Map::new();
        result.insert("protocolVersion".to_owned(), version.into());
        result.insert("capabilities".to_owned(), offers.capabilities(Lifecycle::Handshake));
        result.insert("serverInfo".to_owned(), self.info.clone());
        self.instruct(&mut result);
        Ok(result)
    }

    /// The result of `server/discover`, before [`Self::complete`].
    pub fn discover(&self, offers: Offers) -> Map<String, Value> {
        let mut result = Map::new();
        result.insert("supportedVersions".to_owned(), json!(supported()));
        result.insert("capabilities".to_owned(), offers.capabilities(Lifecycle::Stateless));
        result.insert("serverInfo".to_owned(), self.info.clone());
        self.instruct(&mut result);
        cacheable(&mut result);
        result
    }

    fn instruct(&self, result: &mut Map<String, Value>) {
        if let Some(instructions) = &self.instructions {
            result.insert("instructions".to_owned(), instructions.as_str().into());
        }
    }

    /// Adds what every result of the stateless revision carries.
    pub fn complete(&self, result: Map<String, Value>) -> Map<String, Value> {
        let mut whole = Map::new();
        whole.insert("resultType".to_owned(), "complete".into());
        whole.extend(result);
        let meta = whole.entry("_meta").or_insert_with(|| json!({}));
        if let Value::Object(meta) = meta {
            meta.entry(META_SERVER).or_insert_with(|| self.info.clone());
        }
        whole
    }
}

/// Marks a result of the stateless revision as one that must be asked for again each time.
pub fn cacheable(result: &mut Map<String, Value>) {
    result.insert("ttlMs".to_owned(), 0.into());
    result.insert("cacheScope".to_owned(), "private".into());
}
