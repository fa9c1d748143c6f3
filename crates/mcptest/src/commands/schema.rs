//! `mcptest schema`

use std::process::ExitCode;

use mcptest_score::result::ResultDocument;
use mcptest_suite::schema::{generate, suite};
use mcptest_trace::Trace;

use crate::args::{SchemaArgs, SchemaKind};
use crate::output;

pub fn run(args: &SchemaArgs) -> anyhow::Result<ExitCode> {
    let schema = match args.kind {
        SchemaKind::Suite => suite().clone(),
        SchemaKind::Mock => mcptest_mock::manifest::schema().clone(),
        SchemaKind::Trace => generate::<Trace>(),
        SchemaKind::Result => generate::<ResultDocument>(),
    };
    output::result(&format!("{}\n", serde_json::to_string_pretty(&schema)?))?;
    Ok(ExitCode::SUCCESS)
}
