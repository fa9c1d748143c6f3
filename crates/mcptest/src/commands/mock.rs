//! `mcptest mock`

use std::process::ExitCode;

use anyhow::Context as _;
use mcptest_mock::{Mock, serve_http, serve_stdio};

use crate::args::MockArgs;
use crate::{output, servers};

pub fn run(args: &MockArgs, quiet: bool) -> anyhow::Result<ExitCode> {
    let source = output::read_source(&args.tools_from)?;
    let mock = match Mock::load(&source) {
        Ok((mock, warnings)) => {
            if !quiet {
                output::diagnostics(&warnings);
            }
            mock
        }
        Err(mistakes) => {
            output::diagnostics(&mistakes);
            return Ok(ExitCode::from(output::WRONG_INPUT));
        }
    };
    let name = mock.name().to_owned();
    let served = servers::block_on(|mut stop| async move {
        let serve = async {
            match args.http {
                Some(address) => {
                    let ready = |at: std::net::SocketAddr| {
                        // Always said: with port 0 this is how the address is learnt.
                        output::say(&format!("serving {name} at http://{at}/mcp"));
                    };
                    serve_http(mock, address, ready).await
                }
                None => serve_stdio(mock).await,
            }
        };
        tokio::select! {
            served = serve => Some(served),
            _ = stop.wait_for(|stop| *stop) => None,
        }
    })?;
    match served {
        None => Ok(ExitCode::from(servers::INTERRUPTED)),
        // A crash fault is what the manifest asked for: the process ends without a word.
        Some(Err(error))
            if error.get_ref().is_some_and(|inner| inner.is::<mcptest_mock::Crash>()) =>
        {
            Ok(ExitCode::FAILURE)
        }
        Some(served) => served.context("the mock server stopped").map(|()| ExitCode::SUCCESS),
    }
}
