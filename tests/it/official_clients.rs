//! `mcptest mock` satisfies the official clients: see tests/peers.

use std::process::Command;

use crate::util::{binary, outcome, peers, root};

fn satisfies(peer: &str) {
    let Some(peers) = peers() else { return };
    let mut run = Command::new(root().join("tests/peers/run.sh"));
    run.arg(binary()).args(["mock", "--tools-from"]);
    let (code, stdout, stderr) = outcome(run.env("MCPTEST_PEERS", peers).env("PEER", peer));
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    println!("{stdout}");
}

#[test]
fn python_sdk() {
    satisfies("python_sdk");
}

#[test]
fn inspector() {
    satisfies("inspector");
}

#[test]
fn conformance_suites() {
    satisfies("conformance");
}
