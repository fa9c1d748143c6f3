//! What the tests against real peers share: where the peers and the binary are.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// Where `cargo xtask peers` installed servers and clients; without it a test is skipped, visibly.
pub fn peers() -> Option<PathBuf> {
    let folder = std::env::var_os("MCPTEST_PEERS").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: MCPTEST_PEERS is not set (cargo xtask peers)");
    }
    folder
}

/// The workspace's folder.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The binary under test: $MCPTEST_BIN, or the one that was built beside this test.
pub fn binary() -> PathBuf {
    let built = || {
        let test = std::env::current_exe().unwrap();
        test.ancestors().nth(2).unwrap().join("mcptest")
    };
    let binary = std::env::var_os("MCPTEST_BIN").map_or_else(built, PathBuf::from);
    assert!(binary.is_file(), "{} is missing: cargo build -p mcptest", binary.display());
    binary
}

pub fn mcptest() -> Command {
    let mut command = Command::new(binary());
    command.current_dir(root()).stdin(Stdio::null());
    command
}

/// The exit code, stdout and stderr.
pub fn outcome(command: &mut Command) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

/// The one JSON document on stdout of a command that succeeds.
pub fn json(command: &mut Command) -> Value {
    let (code, stdout, stderr) = outcome(command);
    assert_eq!(code, Some(0), "{command:?}\n{stdout}{stderr}");
    serde_json::from_str(&stdout).unwrap()
}

/// The names of a list of objects.
pub fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect()
}
