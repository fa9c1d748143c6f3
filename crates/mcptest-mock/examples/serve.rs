//! Serves a manifest, for trying real clients: `serve FILE [--http ADDR]`.

use std::io::{self, Write};
use std::process::ExitCode;

use mcptest_mock::{Mock, serve_http, serve_stdio};
use mcptest_suite::diagnostic::{Diagnostic, Source};

fn main() -> ExitCode {
    let arguments = std::env::args().skip(1).collect::<Vec<_>>();
    let mut errors = io::stderr();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            let _ = writeln!(errors, "{why}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), String> {
    let (file, http) = match arguments {
        [file] => (file, None),
        [file, flag, address] if flag == "--http" => (file, Some(address)),
        _ => return Err("usage: serve FILE [--http ADDR]".to_owned()),
    };
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let (mock, warnings) =
        Mock::load(&Source::new(file.as_str(), text)).map_err(|all| told(&all))?;
    let _ = io::stderr().write_all(told(&warnings).as_bytes());
    let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
    let served = match http {
        None => runtime.block_on(serve_stdio(mock)),
        Some(address) => {
            let address = address.parse().map_err(|error| format!("{address}: {error}"))?;
            runtime.block_on(serve_http(mock, address, |bound| {
                let _ = writeln!(io::stderr(), "http://{bound}/mcp");
            }))
        }
    };
    served.map_err(|error| error.to_string())
}

fn told(diagnostics: &[Diagnostic]) -> String {
    let line = |one: &Diagnostic| {
        let at = one.position();
        format!("{}:{}:{}: {}: {}\n", one.source.name, at.line, at.column, one.code, one.message)
    };
    diagnostics.iter().map(line).collect()
}
