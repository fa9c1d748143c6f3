//! Sandboxes: the command line that keeps a server apart from the machine.
//!
//! bwrap: the system read-only, a private /tmp, the workspace copied fresh for each start, network
//! none or the host's. docker and podman: the same by image.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::error::StartError;
use crate::process::Program;

/// How to isolate a server.
#[derive(Debug, Clone)]
pub struct Isolation {
    /// Which sandbox.
    pub kind: Sandbox,
    /// Whether the host's network may be used.
    pub network: bool,
    /// A folder that is copied fresh for each start.
    pub workspace: Option<PathBuf>,
}

/// The sandbox.
#[derive(Debug, Clone)]
pub enum Sandbox {
    /// bubblewrap.
    Bwrap,
    /// docker or podman, with an image.
    Container {
        /// `docker` or `podman`.
        engine: String,
        /// The image.
        image: String,
    },
}

/// Where the workspace is seen from inside.
pub const WORKSPACE: &str = "/workspace";

/// What stands for it in arguments and variables.
const PLACEHOLDER: &str = "${workspace}";

/// Folders and bytes of a workspace that are copied at the most.
const MAX_FILES: usize = 100_000;
const MAX_BYTES: u64 = 2 << 30;

/// A program with its sandbox around it. The copied workspace lives as long as this does.
#[derive(Debug)]
pub struct Sandboxed {
    /// What to run.
    pub program: Program,
    _workspace: Option<TempDir>,
}

impl Isolation {
    /// Copies the workspace and builds the command.
    pub fn prepare(&self, program: &Program) -> Result<Sandboxed, StartError> {
        let engine = match &self.kind {
            Sandbox::Bwrap => "bwrap",
            Sandbox::Container { engine, .. } => engine,
        };
        if !is_installed(engine) {
            return Err(StartError::NoSandbox { program: engine.to_owned() });
        }
        let workspace = self.workspace.as_deref().map(copy_fresh).transpose()?;
        let copied = workspace.as_ref().map(|folder| folder.path().to_owned());
        Ok(Sandboxed { program: self.command(program, copied.as_deref()), _workspace: workspace })
    }

    /// The command line, with the workspace at `copied`.
    pub fn command(&self, program: &Program, copied: Option<&Path>) -> Program {
        match &self.kind {
            Sandbox::Bwrap => self.bwrap(program, copied),
            Sandbox::Container { engine, image } => self.container(engine, image, program, copied),
        }
    }

    fn bwrap(&self, program: &Program, copied: Option<&Path>) -> Program {
        let mut argv = words(&[
            "bwrap",
            "--ro-bind",
            "/",
            "/",
            "--dev",
            "/dev",
            "--proc",
            "/proc",
            "--tmpfs",
            "/tmp",
        ]);
        argv.extend(words(&[
            "--unshare-user-try",
            "--unshare-ipc",
            "--unshare-pid",
            "--unshare-uts",
            "--unshare-cgroup-try",
        ]));
        if !self.network {
            argv.extend(words(&["--unshare-net"]));
        }
        argv.extend(words(&["--die-with-parent", "--new-session"]));
        for path in named_below_tmp(program) {
            argv.extend([words(&["--ro-bind"]), vec![path.clone(), path]].concat());
        }
        match (copied, &program.cwd) {
            (Some(folder), cwd) => {
                // bwrap cannot make a mount point on the read-only root, but it can below /tmp.
                let inside = format!("/tmp{WORKSPACE}");
                argv.extend(
                    [words(&["--bind"]), vec![folder.display().to_string(), inside.clone()]]
                        .concat(),
                );
                let start = cwd.as_deref().map_or(inside, absolute);
                argv.extend([words(&["--chdir"]), vec![start]].concat());
            }
            (None, Some(cwd)) => argv.extend([words(&["--chdir"]), vec![absolute(cwd)]].concat()),
            (None, None) => {}
        }
        argv.push("--".to_owned());
        let inside = format!("/tmp{WORKSPACE}");
        argv.extend(program.argv.iter().map(|word| word.replace(PLACEHOLDER, &inside)));
        // The variables are the sandbox's own, so that none shows up on a command line.
        Program { argv, env: filled(&program.env, &inside), cwd: None }
    }

    fn container(
        &self,
        engine: &str,
        image: &str,
        program: &Program,
        copied: Option<&Path>,
    ) -> Program {
        let network = if self.network { "host" } else { "none" };
        let mut argv =
            words(&[engine, "run", "--rm", "--interactive", "--init", "--network", network]);
        argv.extend(words(&["--read-only", "--tmpfs", "/tmp"]));
        for name in program.env.keys() {
            // Only the name: the value comes from the engine's own environment.
            argv.extend([words(&["--env"]), vec![name.clone()]].concat());
        }
        if let Some(folder) = copied {
            argv.extend(vec!["--volume".to_owned(), format!("{}:{WORKSPACE}", folder.display())]);
            argv.extend(words(&["--workdir", WORKSPACE]));
        }
        argv.push(image.to_owned());
        argv.extend(program.argv.iter().map(|word| word.replace(PLACEHOLDER, WORKSPACE)));
        Program { argv, env: filled(&program.env, WORKSPACE), cwd: None }
    }
}

/// What the command itself names below /tmp stays visible, read-only: its folder, its files.
fn named_below_tmp(program: &Program) -> Vec<String> {
    let folder = program.cwd.as_deref().map(absolute);
    let named = folder.into_iter().chain(program.argv.iter().cloned());
    let mut paths = named
        .filter(|path| path.starts_with("/tmp/") && Path::new(path).exists())
        .collect::<Vec<_>>();
    paths.sort();
    paths.dedup();
    paths
}

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|word| (*word).to_owned()).collect()
}

/// bwrap changes folders when it stands at the root already.
fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}

/// The variables, with the workspace's place filled in.
fn filled(env: &BTreeMap<String, String>, workspace: &str) -> BTreeMap<String, String> {
    env.iter().map(|(name, value)| (name.clone(), value.replace(PLACEHOLDER, workspace))).collect()
}

fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn copy_fresh(from: &Path) -> Result<TempDir, StartError> {
    let failed =
        |reason: String| StartError::Workspace { path: from.display().to_string(), reason };
    if !from.is_dir() {
        return Err(failed("there is no such folder".to_owned()));
    }
    let to = tempfile::Builder::new()
        .prefix("mcptest-ws-")
        .tempdir()
        .map_err(|error| failed(error.to_string()))?;
    let mut left = (MAX_FILES, MAX_BYTES);
    copy(from, to.path(), &mut left).map_err(|error| failed(error.to_string()))?;
    Ok(to)
}

fn copy(from: &Path, to: &Path, left: &mut (usize, u64)) -> std::io::Result<()> {
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        left.0 = left
            .0
            .checked_sub(1)
            .ok_or_else(|| std::io::Error::other(format!("more than {MAX_FILES} files")))?;
        if kind.is_dir() {
            std::fs::create_dir(&target)?;
            copy(&source, &target, left)?;
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(std::fs::read_link(&source)?, &target)?;
        } else if kind.is_file() {
            let size = entry.metadata()?.len();
            left.1 =
                left.1.checked_sub(size).ok_or_else(|| std::io::Error::other("more than 2 GiB"))?;
            std::fs::copy(&source, &target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> Program {
        Program {
            argv: words(&["server", "${workspace}"]),
            env: [("TOKEN".to_owned(), "secret-value".to_owned())].into(),
            cwd: None,
        }
    }

    #[test]
    fn the_bwrap_command() {
        let isolation = Isolation { kind: Sandbox::Bwrap, network: false, workspace: None };
        let made = isolation.command(&program(), Some(Path::new("/copied")));
        let line = made.argv.join(" ");
        assert!(
            line.starts_with("bwrap --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp"),
            "{line}"
        );
        assert!(line.contains("--unshare-net") && line.contains("--die-with-parent"), "{line}");
        assert!(
            line.ends_with(
                "--bind /copied /tmp/workspace --chdir /tmp/workspace -- server /tmp/workspace"
            ),
            "{line}"
        );
        assert!(!line.contains("secret-value"));
        let open = Isolation { network: true, ..isolation };
        assert!(!open.command(&program(), None).argv.contains(&"--unshare-net".to_owned()));
    }

    #[test]
    fn the_container_command() {
        let kind = Sandbox::Container { engine: "podman".to_owned(), image: "img:1".to_owned() };
        let isolation = Isolation { kind, network: false, workspace: None };
        let made = isolation.command(&program(), Some(Path::new("/copied")));
        assert_eq!(
            made.argv.join(" "),
            "podman run --rm --interactive --init --network none --read-only --tmpfs /tmp --env TOKEN \
             --volume /copied:/workspace --workdir /workspace img:1 server /workspace"
        );
        assert_eq!(made.env["TOKEN"], "secret-value");
    }

    #[test]
    fn the_workspace_is_a_copy() {
        let from = tempfile::tempdir().unwrap();
        std::fs::create_dir(from.path().join("sub")).unwrap();
        std::fs::write(from.path().join("sub/a.txt"), "a").unwrap();
        let copied = copy_fresh(from.path()).unwrap();
        std::fs::write(copied.path().join("sub/a.txt"), "changed").unwrap();
        assert_eq!(std::fs::read_to_string(from.path().join("sub/a.txt")).unwrap(), "a");
        assert!(copy_fresh(Path::new("/nowhere")).is_err());
    }
}
