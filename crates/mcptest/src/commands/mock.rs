//! `mcptest mock`

use std::process::ExitCode;

use crate::args::MockArgs;

pub fn run(_args: &MockArgs, _quiet: bool) -> anyhow::Result<ExitCode> {
    anyhow::bail!("not yet")
}
