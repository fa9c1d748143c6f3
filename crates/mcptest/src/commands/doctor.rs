//! `mcptest doctor`

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use mcptest_mcp::process::Program;
use mcptest_mcp::{Address, StartError};
use mcptest_report::text::clean;
use mcptest_run::doctor::{Seen, examine, examine_snapshot};
use mcptest_run::redact::Redactor;
use mcptest_suite::check::Strictness;
use mcptest_suite::load;
use serde_json::{Value, json};

use crate::args::DoctorArgs;
use crate::{output, servers};

/// Exit code when a server would not start.
const OUTSIDE: u8 = 3;

pub fn run(args: &DoctorArgs, quiet: bool) -> anyhow::Result<ExitCode> {
    let outcome = look(args, quiet);
    if let Err(error) = &outcome {
        nothing_seen(args, &json!([{ "message": format!("{error:#}") }]))?;
    }
    outcome
}

/// The JSON document is one, whatever happens.
fn nothing_seen(args: &DoctorArgs, errors: &Value) -> anyhow::Result<()> {
    if !args.json {
        return Ok(());
    }
    let document = json!({ "servers": [], "errors": errors });
    output::result(&format!("{}\n", serde_json::to_string_pretty(&document)?))
}

fn look(args: &DoctorArgs, quiet: bool) -> anyhow::Result<ExitCode> {
    if let Some(path) = &args.catalog {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
        let seen = examine_snapshot(&name, &text).map_err(anyhow::Error::msg)?;
        return show(args, &[seen], &[], &Redactor::default());
    }
    let Some((addresses, redactor)) = addresses(args)? else {
        return Ok(ExitCode::from(output::WRONG_INPUT));
    };
    let patience = servers::patience(args.patience);
    let outcome = servers::block_on(|mut stop| async move {
        let (mut seen, mut failed) = (Vec::new(), Vec::new());
        for (name, address) in addresses {
            if !quiet {
                output::say(&format!("connecting to {name} …"));
            }
            tokio::select! {
                found = examine(&name, &address, patience) => match found {
                    Ok(found) => seen.push(found),
                    Err(error) => failed.push((name, error)),
                },
                _ = stop.wait_for(|stop| *stop) => return None,
            }
        }
        Some((seen, failed))
    })?;
    match outcome {
        Some((seen, failed)) => show(args, &seen, &failed, &redactor),
        None => {
            nothing_seen(args, &json!([{ "message": "interrupted" }]))?;
            Ok(ExitCode::from(servers::INTERRUPTED))
        }
    }
}

/// Servers by name, and what must not be shown of them.
type Targets = (Vec<(String, Address)>, Redactor);

/// The servers to look at; nothing where the suite is wrong, which has been said.
fn addresses(args: &DoctorArgs) -> anyhow::Result<Option<Targets>> {
    if let Some(url) = &args.url {
        let headers = args.header.iter().map(|header| {
            let (name, value) = header.split_once(':').context("a --header is not NAME:VALUE")?;
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        });
        let headers = headers.collect::<anyhow::Result<BTreeMap<_, _>>>()?;
        // The whole value, and its parts: a server may quote the token without the word before it.
        let secrets = headers.iter().flat_map(|(name, value)| {
            let parts = value.split_whitespace().chain([value.as_str()]);
            parts.map(move |part| (part.to_owned(), format!("[header {name}]")))
        });
        let redactor = Redactor::new(secrets);
        return Ok(Some((
            vec![(url.clone(), Address::Url { url: url.clone(), headers })],
            redactor,
        )));
    }
    if let Some(suite) = &args.suite {
        return of_suite(args, suite);
    }
    let program = Program { argv: args.command.clone(), ..Program::default() };
    let address = Address::Command { program, isolation: None };
    Ok(Some((vec![(args.command.join(" "), address)], Redactor::default())))
}

fn of_suite(args: &DoctorArgs, path: &Path) -> anyhow::Result<Option<Targets>> {
    let source = output::read_source(path)?;
    let loaded = match load(&source, Strictness::Whole) {
        Ok(loaded) => loaded,
        Err(mistakes) => {
            output::diagnostics(&mistakes);
            nothing_seen(args, &mcptest_report::diagnostics::to_json(&mistakes))?;
            return Ok(None);
        }
    };
    anyhow::ensure!(!loaded.suite.servers.is_empty(), "{}: the suite has no servers", source.name);
    let surroundings = servers::surroundings(path)?;
    let addresses = loaded.suite.servers.iter().map(|(name, server)| {
        let address = surroundings.address(server).map_err(|missing| {
            anyhow::anyhow!(
                "server `{name}` needs the environment variables {}",
                missing.join(", ")
            )
        })?;
        Ok((name.clone(), address))
    });
    let names = loaded.env.iter().map(|variable| variable.name.as_str());
    let redactor = Redactor::of_variables(names, &surroundings.env);
    Ok(Some((addresses.collect::<anyhow::Result<Vec<_>>>()?, redactor)))
}

fn show(
    args: &DoctorArgs,
    seen: &[Seen],
    failed: &[(String, StartError)],
    redactor: &Redactor,
) -> anyhow::Result<ExitCode> {
    if let Some(path) = &args.save {
        let [one] = seen else {
            anyhow::bail!("--save takes one server, and {} answered", seen.len())
        };
        if let Some(error) = &one.list_error {
            anyhow::bail!("nothing is saved: tools/list failed: {}", redactor.text(error));
        }
        let snapshot = redactor.text(&serde_json::to_string_pretty(&one.snapshot())?);
        output::write_file(path, &format!("{snapshot}\n"))?;
        output::say(&format!("saved {} tools to {}", one.tools.len(), path.display()));
    }
    if args.json {
        let mut documents = seen
            .iter()
            .map(|one| serde_json::to_value(&one.checkup))
            .collect::<Result<Vec<_>, _>>()?;
        let errors = failed.iter().map(|(name, error)| json!({ "server": name, "message": error.to_string(), "help": error.help() }));
        let errors = errors.collect::<Vec<_>>();
        let document = if let ([_], true) = (documents.as_slice(), errors.is_empty()) {
            documents.remove(0)
        } else {
            json!({ "servers": documents, "errors": errors })
        };
        let text = redactor.text(&serde_json::to_string_pretty(&document)?);
        output::result(&format!("{text}\n"))?;
    } else {
        let width = output::stdout_width();
        let pages = seen
            .iter()
            .map(|one| mcptest_report::checkup::render(&one.checkup, width))
            .collect::<Vec<_>>();
        output::result(&redactor.text(&pages.join("\n")))?;
    }
    for (name, error) in failed {
        output::say(&redactor.text(&start_failure(name, error)));
    }
    let whole = failed.is_empty() && seen.iter().all(|one| one.list_error.is_none());
    Ok(if whole { ExitCode::SUCCESS } else { ExitCode::from(OUTSIDE) })
}

/// A server that would not start: what it said, what it did wrong, what to do.
fn start_failure(name: &str, error: &StartError) -> String {
    let mut text = format!("error: {}: {}", clean(name), clean(&error.to_string()));
    if let StartError::Handshake { stderr, violations, .. } = error {
        violations.iter().for_each(|violation| {
            text += &format!("\n  protocol violation: {}", clean(&violation.to_string()))
        });
        if !stderr.is_empty() {
            text += "\n  the last lines of its stderr:";
            stderr.iter().for_each(|line| text += &format!("\n    {}", clean(line)));
        }
    }
    if let Some(help) = error.help() {
        text += &format!("\n  help: {help}");
    }
    text
}
