//! `mcptest validate`

use std::process::ExitCode;

use mcptest_suite::check::{EnvReference, Strictness};
use mcptest_suite::diagnostic::{Diagnostic, Source};
use mcptest_suite::model::Suite;
use mcptest_suite::{Loaded, load};
use serde_json::json;

use crate::args::ValidateArgs;
use crate::output;

pub fn run(args: &ValidateArgs, quiet: bool) -> anyhow::Result<ExitCode> {
    let mut found = Vec::new();
    let mut good = Vec::new();
    let mut unreadable = Vec::new();
    for path in &args.suites {
        let source = match output::read_source(path) {
            Ok(source) => source,
            Err(error) => {
                unreadable.push(format!("{error:#}"));
                continue;
            }
        };
        match load(&source, Strictness::Whole) {
            Ok(Loaded { suite, warnings, env }) => {
                found.extend(warnings);
                found.extend(env.iter().filter_map(|variable| unset(&source, variable)));
                good.push(format!("{}: {}", source.name, contents(&suite)));
            }
            Err(mistakes) => found.extend(mistakes),
        }
    }
    let wrong = !unreadable.is_empty() || found.iter().any(Diagnostic::is_error);
    if args.json {
        let document = json!({
            "valid": !wrong,
            "diagnostics": mcptest_report::diagnostics::to_json(&found),
            "unreadable": unreadable,
        });
        output::result(&format!("{}\n", serde_json::to_string_pretty(&document)?))?;
    } else {
        found.retain(|one| one.is_error() || !quiet);
        output::diagnostics(&found);
        unreadable.iter().for_each(|message| output::say(&format!("error: {message}")));
        for line in good {
            output::result(&format!("ok  {line}\n"))?;
        }
    }
    Ok(if wrong { ExitCode::from(output::WRONG_INPUT) } else { ExitCode::SUCCESS })
}

/// A variable that a server or provider will need.
fn unset(source: &Source, variable: &EnvReference) -> Option<Diagnostic> {
    if variable.has_default || std::env::var_os(&variable.name).is_some() {
        return None;
    }
    let message = format!("the environment variable `{}` is not set here", variable.name);
    let help = format!(
        "set it before `mcptest run`, or give a default: ${{env.{}:-value}}",
        variable.name
    );
    Some(Diagnostic::warning("unset-variable", source, variable.span, message).help(help))
}

fn contents(suite: &Suite) -> String {
    let counts = [
        (suite.servers.len(), "server"),
        (suite.agent_tests().len(), "agent test"),
        (suite.tool_tests().count(), "tool test"),
        (suite.tool_quality.len(), "tool_quality check"),
    ];
    let plural = |(count, word): (usize, &str)| {
        format!("{count} {word}{}", if count == 1 { "" } else { "s" })
    };
    counts.into_iter().filter(|(count, _)| *count > 0).map(plural).collect::<Vec<_>>().join(", ")
}
