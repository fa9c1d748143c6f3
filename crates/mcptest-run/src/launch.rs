//! From a suite's `servers:` entry to an address: placeholders, relative paths, the running binary.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mcptest_mcp::Address;
use mcptest_mcp::isolation::{Isolation, Sandbox};
use mcptest_mcp::process::Program;
use mcptest_suite::model::{self, IsolationKind, Network};

/// What a suite's servers are started with.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// The folder of the suite file: relative paths start here.
    pub folder: PathBuf,
    /// The environment, read once.
    pub env: BTreeMap<String, String>,
    /// What the command `mcptest` stands for.
    pub own_binary: PathBuf,
}

impl Surroundings {
    /// The address of a server; the error names every variable that is missing.
    pub fn address(&self, server: &model::Server) -> Result<Address, Vec<String>> {
        let mut fill = Fill { env: &self.env, missing: Vec::new() };
        let address = if let Some(url) = &server.url {
            Address::Url { url: fill.text(url), headers: fill.map(&server.headers) }
        } else {
            self.command(server, &mut fill)
        };
        if fill.missing.is_empty() { Ok(address) } else { Err(fill.missing) }
    }

    fn command(&self, server: &model::Server, fill: &mut Fill<'_>) -> Address {
        let mut argv =
            server.command.iter().flatten().map(|word| fill.text(word)).collect::<Vec<_>>();
        if let Some(first) = argv.first_mut().filter(|first| *first == "mcptest") {
            *first = self.own_binary.display().to_string();
        }
        let cwd = server.cwd.as_ref().map(|cwd| fill.text(cwd));
        let own_cwd = cwd.is_some();
        let folder = cwd.map_or_else(|| self.folder.clone(), |cwd| self.folder.join(cwd));
        let isolation = server.isolation.as_ref().map(|isolation| self.isolation(isolation));
        // In a sandbox with a workspace the server starts in the workspace, unless told otherwise.
        let in_workspace =
            !own_cwd && isolation.as_ref().is_some_and(|isolation| isolation.workspace.is_some());
        let cwd = (!in_workspace && !folder.as_os_str().is_empty()).then_some(folder);
        Address::Command { program: Program { argv, env: fill.map(&server.env), cwd }, isolation }
    }

    fn isolation(&self, isolation: &model::Isolation) -> Isolation {
        let image = isolation.image.clone().unwrap_or_default();
        let container =
            |engine: &str| Sandbox::Container { engine: engine.to_owned(), image: image.clone() };
        Isolation {
            kind: match isolation.kind {
                IsolationKind::Bwrap => Sandbox::Bwrap,
                IsolationKind::Docker => container("docker"),
                IsolationKind::Podman => container("podman"),
            },
            network: isolation.network == Network::Host,
            workspace: isolation
                .workspace
                .as_ref()
                .map(|folder| absolute(&self.folder.join(folder))),
        }
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Fills `${env.X}` and `${env.X:-default}` in.
struct Fill<'a> {
    env: &'a BTreeMap<String, String>,
    missing: Vec<String>,
}

impl Fill<'_> {
    fn text(&mut self, text: &str) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${env.") {
            let Some((inner, behind)) = after.split_once('}') else { break };
            filled.push_str(before);
            let (name, default) = inner
                .split_once(":-")
                .map_or((inner, None), |(name, default)| (name, Some(default)));
            match (self.env.get(name), default) {
                (Some(value), _) => filled.push_str(value),
                (None, Some(default)) => filled.push_str(default),
                (None, None) => self.missing.push(name.to_owned()),
            }
            rest = behind;
        }
        filled.push_str(rest);
        filled
    }

    fn map<'m>(
        &mut self,
        entries: impl IntoIterator<Item = (&'m String, &'m String)>,
    ) -> BTreeMap<String, String> {
        entries.into_iter().map(|(key, value)| (key.clone(), self.text(value))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surroundings() -> Surroundings {
        Surroundings {
            folder: PathBuf::from("suites"),
            env: [("TOKEN".to_owned(), "abc".to_owned())].into(),
            own_binary: PathBuf::from("/bin/mcptest"),
        }
    }

    fn server(yaml: &str) -> model::Server {
        serde_json::from_str(yaml).unwrap()
    }

    #[test]
    fn the_running_binary_the_suites_folder_and_the_environment_are_filled_in() {
        let server = server(
            r#"{"command":["mcptest","mock","--x=${env.TOKEN}","${env.NONE:-d}"],"env":{"K":"v${env.TOKEN}"}}"#,
        );
        let Address::Command { program, .. } = surroundings().address(&server).unwrap() else {
            panic!()
        };
        assert_eq!(program.argv, ["/bin/mcptest", "mock", "--x=abc", "d"]);
        assert_eq!(program.env["K"], "vabc");
        assert_eq!(program.cwd, Some(PathBuf::from("suites")));
    }

    #[test]
    fn every_missing_variable_is_named() {
        let server =
            server(r#"{"url":"https://x/${env.A}","headers":{"Authorization":"Bearer ${env.B}"}}"#);
        assert_eq!(surroundings().address(&server).unwrap_err(), ["A", "B"]);
    }
}
