//! Ids: which declared id a recorded call matches.
//!
//! A declared id `m` matches a call when `m == "{server}.{name}"` or `m == name`; nothing else. A call
//! without a server gets one first: from the surface if exactly one server has the tool, else from
//! a known wire prefix, else from the declared ids that end in `.name`, if they agree.

use std::collections::HashMap;

use mcptest_trace::ToolCall;
use serde_json::Value;

use crate::surface::Surface;

/// A recorded call with its server worked out, where it can be.
#[derive(Debug, Clone)]
pub struct Call<'a> {
    /// The call as recorded.
    pub recorded: &'a ToolCall,
    /// The server, recorded or worked out.
    pub server: Option<&'a str>,
    /// The tool's name, without a wire prefix.
    pub name: &'a str,
}

impl Call<'_> {
    /// Whether the declared id means this call.
    pub fn matches(&self, id: &str) -> bool {
        id == self.recorded.name
            || id == self.name
            || self.server.is_some_and(|server| {
                id.strip_prefix(server).and_then(|rest| rest.strip_prefix('.')) == Some(self.name)
            })
    }

    /// Whether any of the declared ids means this call.
    pub fn matches_any(&self, ids: &[String]) -> bool {
        ids.iter().any(|id| self.matches(id))
    }

    /// `server.name`, or the bare name where the server is unknown.
    pub fn id(&self) -> String {
        self.server.map_or_else(|| self.name.to_owned(), |server| format!("{server}.{}", self.name))
    }

    /// Whether both calls go to the same tool.
    pub fn same_tool(&self, other: &Self) -> bool {
        self.name == other.name && self.server == other.server
    }

    /// Whether the tool reported an error; a missing `is_error` is false.
    pub fn is_error(&self) -> bool {
        self.recorded.is_error == Some(true)
    }

    /// The arguments, unless the trace carries none for this call.
    pub fn arguments(&self) -> Option<Value> {
        let raw = self.recorded.args.as_ref()?;
        serde_json::from_str(raw.get()).ok().filter(|args: &Value| !args.is_null())
    }

    /// The arguments; MCP lets a call leave them out, and that is an empty object.
    pub fn arguments_or_empty(&self) -> Value {
        self.arguments().unwrap_or_else(|| Value::Object(serde_json::Map::new()))
    }

    /// Whether the server is still unknown though `ids` would need it.
    pub fn is_undecided(&self, ids: &[&str]) -> bool {
        self.server.is_none()
            && !self.name.is_empty()
            && ids.iter().any(|id| ends_in(id, self.name).is_some())
    }
}

/// The names a suite declares, used to work servers out.
#[derive(Debug, Clone, Default)]
pub struct Declared {
    /// Servers, longest name first.
    servers: Vec<String>,
    /// Every id of every gate.
    ids: Vec<String>,
    /// Ids of distractors that are known from the block alone: they name a server only where
    /// nothing that the suite declares does.
    bait: Vec<String>,
}

impl Declared {
    /// Collects the servers, ids and block-given distractors of a test.
    pub fn new(
        servers: impl IntoIterator<Item = String>,
        ids: Vec<String>,
        bait: Vec<String>,
    ) -> Self {
        let mut servers = servers.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>();
        // The server parts of declared ids are server names too; where a dot parts them is unknown,
        // so each one is a candidate.
        for id in &ids {
            servers.extend(
                id.match_indices('.').filter(|(at, _)| *at > 0).map(|(at, _)| id[..at].to_owned()),
            );
        }
        servers.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        servers.dedup();
        Self { servers, ids, bait }
    }

    /// Works the servers of all calls out, each name once.
    pub fn resolve_all<'a>(
        &'a self,
        recorded: &'a [ToolCall],
        surface: Option<&'a Surface>,
    ) -> Vec<Call<'a>> {
        let mut known = HashMap::<&str, (Option<&str>, &str)>::new();
        let mut resolve = |call: &'a ToolCall| {
            if call.server.as_ref().is_some_and(|server| !server.is_empty()) {
                return self.resolve(call, surface);
            }
            let (server, name) = *known.entry(call.name.as_str()).or_insert_with(|| {
                let found = self.resolve(call, surface);
                (found.server, found.name)
            });
            Call { recorded: call, server, name }
        };
        recorded.iter().map(&mut resolve).collect()
    }

    /// Works the call's server out.
    pub fn resolve<'a>(&'a self, recorded: &'a ToolCall, surface: Option<&'a Surface>) -> Call<'a> {
        let name = recorded.name.as_str();
        let known = recorded.server.as_deref().filter(|server| !server.is_empty());
        if known.is_some() {
            return Call { recorded, server: known, name };
        }
        if let Some(server) = surface.and_then(|surface| surface.only_server_of(name)) {
            return Call { recorded, server: Some(server), name };
        }
        if let Some((server, tool)) = self.by_wire_prefix(name, surface) {
            return Call { recorded, server: Some(server), name: tool };
        }
        let declared = agreed_server(&self.ids, name).map(|server| (server, name));
        match declared.or_else(|| self.by_bait(name)) {
            Some((server, tool)) => Call { recorded, server: Some(server), name: tool },
            None => Call { recorded, server: None, name },
        }
    }

    /// `mcp__s__t`, `s__t`, `s_t`, `s-t`; the longest server name wins.
    fn by_wire_prefix<'a>(
        &'a self,
        name: &'a str,
        surface: Option<&'a Surface>,
    ) -> Option<(&'a str, &'a str)> {
        let on_surface = surface.into_iter().flat_map(Surface::servers);
        self.servers
            .iter()
            .map(String::as_str)
            .chain(on_surface)
            .filter_map(|server| Some((server, strip_wire_prefix(name, server)?)))
            .max_by_key(|(server, _)| server.len())
    }

    /// A distractor of the block, by its bare or its wire name; never where a declared id could be meant.
    fn by_bait<'a>(&'a self, name: &'a str) -> Option<(&'a str, &'a str)> {
        if self.ids.iter().any(|id| id == name || ends_in(id, name).is_some()) {
            return None;
        }
        if let Some(server) = agreed_server(&self.bait, name) {
            return Some((server, name));
        }
        self.bait.iter().find_map(|id| {
            let (server, tool) = id.split_once('.')?;
            (strip_wire_prefix(name, server)? == tool)
                .then(|| (server, &name[name.len() - tool.len()..]))
        })
    }
}

/// Borrows a list of ids.
pub(crate) fn refs(ids: &[String]) -> Vec<&str> {
    ids.iter().map(String::as_str).collect()
}

/// The server that all ids ending in `.name` agree on.
fn agreed_server<'a>(ids: &'a [String], name: &str) -> Option<&'a str> {
    let mut servers = ids.iter().filter_map(|id| ends_in(id, name));
    let first = servers.next()?;
    servers.all(|server| server == first).then_some(first)
}

/// Which of several lists of ids a call belongs to, without comparing it with each id.
#[derive(Debug, Clone, Default)]
pub struct IdIndex {
    lists: HashMap<String, Vec<usize>>,
}

impl IdIndex {
    /// Indexes the lists by their positions.
    pub fn new<'a>(lists: impl IntoIterator<Item = &'a [String]>) -> Self {
        let mut index = Self::default();
        for (at, ids) in lists.into_iter().enumerate() {
            for id in ids {
                let positions = index.lists.entry(id.clone()).or_default();
                if !positions.contains(&at) {
                    positions.push(at);
                }
            }
        }
        index
    }

    /// Calls `found` with the position of each list that has an id meaning this call; lists may repeat.
    pub fn each(&self, call: &Call<'_>, buffer: &mut String, mut found: impl FnMut(usize)) {
        let mut look =
            |id: &str| self.lists.get(id).into_iter().flatten().for_each(|at| found(*at));
        look(&call.recorded.name);
        if call.name != call.recorded.name {
            look(call.name);
        }
        if let Some(server) = call.server {
            buffer.clear();
            buffer.extend([server, ".", call.name]);
            look(buffer);
        }
    }
}

/// The tool behind a wire prefix made of this server's name.
fn strip_wire_prefix<'a>(name: &'a str, server: &str) -> Option<&'a str> {
    let after = |text: &'a str| text.strip_prefix(server);
    let gateway =
        name.strip_prefix("mcp__").and_then(after).and_then(|rest| rest.strip_prefix("__"));
    let plain = || {
        after(name)
            .and_then(|rest| rest.strip_prefix("__").or_else(|| rest.strip_prefix(['_', '-'])))
    };
    gateway.or_else(plain).filter(|tool| !tool.is_empty())
}

/// The server part of an id that ends in `.name`.
fn ends_in<'a>(id: &'a str, name: &str) -> Option<&'a str> {
    id.strip_suffix(name)?.strip_suffix('.').filter(|server| !server.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::call;

    fn resolve(name: &str, servers: &[&str], ids: &[&str], surface: Option<&Surface>) -> String {
        let own = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let declared = Declared::new(own(servers), own(ids), Vec::new());
        let recorded = call(name);
        declared.resolve(&recorded, surface).id()
    }

    #[test]
    fn the_surface_tells_the_server_if_exactly_one_has_the_tool() {
        let surface = Surface::of(&[("brave", "search"), ("google", "search"), ("http", "get")]);
        assert_eq!(resolve("get", &[], &[], Some(&surface)), "http.get");
        assert_eq!(resolve("search", &[], &[], Some(&surface)), "search");
    }

    #[test]
    fn wire_prefixes_tell_the_server() {
        for name in ["mcp__maps__geo", "maps__geo", "maps_geo", "maps-geo"] {
            assert_eq!(resolve(name, &["maps"], &[], None), "maps.geo", "{name}");
        }
        assert_eq!(
            resolve("google-maps_geo", &["google", "google-maps"], &[], None),
            "google-maps.geo"
        );
        assert_eq!(resolve("mcp__maps_geo", &["maps"], &[], None), "mcp__maps_geo");
        assert_eq!(resolve("maps", &["maps"], &[], None), "maps");
        assert_eq!(
            resolve("brave_web_search", &[], &["brave.web_search"], None),
            "brave.web_search"
        );
    }

    #[test]
    fn declared_ids_tell_the_server_if_they_agree() {
        assert_eq!(resolve("get", &[], &["http.get"], None), "http.get");
        assert_eq!(resolve("get", &[], &["http.get", "web.get"], None), "get");
        assert_eq!(resolve("b", &[], &["a.b.c"], None), "b");
        assert_eq!(resolve("c", &[], &["a.b.c"], None), "a.b.c");
    }

    #[test]
    fn bare_ids_match_on_any_server_and_qualified_ids_on_theirs() {
        let recorded = ToolCall { server: Some("google".into()), ..call("search") };
        let declared = Declared::default();
        let found = declared.resolve(&recorded, None);
        assert!(found.matches("search") && found.matches("google.search"));
        for id in
            ["brave.search", "Search", "google.Search", "googlesearch", "google", ".search", ""]
        {
            assert!(!found.matches(id), "{id}");
        }
    }

    #[test]
    fn tool_names_may_contain_dots() {
        let recorded = ToolCall { server: Some("home".into()), ..call("light.set") };
        let declared = Declared::default();
        let found = declared.resolve(&recorded, None);
        assert!(found.matches("home.light.set") && found.matches("light.set"));
        assert!(!found.matches("set"));
    }

    #[test]
    fn a_prefixed_name_still_matches_a_bare_id_spelled_like_it() {
        let declared = Declared::new(["get".to_owned()], Vec::new(), Vec::new());
        let recorded = call("get_weather");
        let found = declared.resolve(&recorded, None);
        assert!(found.matches("get_weather") && found.matches("get.weather"));
    }

    #[test]
    fn what_cannot_be_decided_is_known_to_be_so() {
        let ids = ["http.get".to_owned(), "web.get".to_owned()];
        let declared = Declared::new([], ids.to_vec(), Vec::new());
        let recorded = call("get");
        let found = declared.resolve(&recorded, None);
        assert!(found.is_undecided(&["http.get"]));
        assert!(!found.is_undecided(&["http.fetch"]));
    }

    #[test]
    fn a_server_may_be_called_mcp() {
        assert_eq!(resolve("mcp__search", &["mcp"], &[], None), "mcp.search");
        assert_eq!(resolve("mcp__mcp__search", &["mcp"], &[], None), "mcp.search");
    }

    #[test]
    fn distractors_of_the_block_never_outweigh_what_is_declared() {
        let own = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let declared = Declared::new(
            [],
            own(&["forecasts.weather_report"]),
            own(&["weather.get", "maps.route"]),
        );
        for (name, id) in [
            ("weather_report", "forecasts.weather_report"),
            ("route", "maps.route"),
            ("maps__route", "maps.route"),
            ("weather_other", "weather_other"),
        ] {
            assert_eq!(declared.resolve(&call(name), None).id(), id, "{name}");
        }
    }

    #[test]
    fn an_index_finds_what_comparing_finds() {
        let lists =
            [vec!["a.x".to_owned(), "y".to_owned()], vec!["x".to_owned()], vec!["b.x".to_owned()]];
        let index = IdIndex::new(lists.iter().map(Vec::as_slice));
        for id in ["a.x", "b.x", "c.x", "c.y", "z"] {
            crate::testing::calls(&[id], |calls| {
                let mut found = Vec::new();
                index.each(&calls[0], &mut String::new(), |at| found.push(at));
                found.sort_unstable();
                found.dedup();
                let compared = (0..lists.len())
                    .filter(|at| calls[0].matches_any(&lists[*at]))
                    .collect::<Vec<_>>();
                assert_eq!(found, compared, "{id}");
            });
        }
    }
}
