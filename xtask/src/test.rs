//! Everything that must hold before a change lands.

use std::process::{Command, Stdio};

use crate::{cargo, step, tell};

/// rustfmt, clippy, tests (those against real servers and clients too), doc tests, generated files,
/// licences.
pub fn run(full: bool) -> anyhow::Result<()> {
    if std::env::var_os("MCPTEST_DATA").is_none() {
        tell("note: MCPTEST_DATA is not set: tests over the shared corpora are skipped");
    }
    step("rustfmt", cargo().args(["fmt", "--all", "--check"]))?;
    let clippy = ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
    step("clippy", cargo().args(clippy))?;
    crate::peers::install()?;
    // The tests against peers start it; nothing else makes sure that it is new.
    step("build", cargo().args(["build", "--locked", "-p", "mcptest"]))?;
    let tests = |words: &[&str]| {
        let mut command = cargo();
        command.args(words).env("MCPTEST_PEERS", crate::peers::folder());
        // The slow suites look at this: unset, they run a seeded sample.
        command.env("MCPTEST_PROFILE", if full { "full" } else { "sample" });
        command
    };
    if has("nextest") {
        let nextest = ["nextest", "run", "--workspace", "--locked", "--no-fail-fast"];
        step("tests (nextest)", &mut tests(&nextest))?;
        step("doc tests", cargo().args(["test", "--workspace", "--locked", "--doc", "--quiet"]))?;
    } else {
        step("tests", &mut tests(&["test", "--workspace", "--locked"]))?;
    }
    crate::generate::run(true)?;
    if has("deny") {
        // Advisories need a network; licences, bans and sources do not.
        step("cargo deny", cargo().args(["deny", "check", "licenses", "bans", "sources"]))?;
    } else {
        tell("note: cargo-deny is not installed: deny.toml is not checked");
    }
    Ok(())
}

/// Whether a cargo subcommand is installed.
fn has(subcommand: &str) -> bool {
    let mut command = Command::new("cargo");
    command.args([subcommand, "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
