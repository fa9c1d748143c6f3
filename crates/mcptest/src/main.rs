//! `mcptest`: does the agent pick the right tool, what does the surface cost, and why does it fail?

mod args;
mod commands;
mod output;
mod servers;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Args, Command};

fn main() -> ExitCode {
    let args = Args::parse();
    let outcome = match &args.command {
        Command::Run(run) => commands::run::run(run, args.quiet),
        Command::Mock(mock) => commands::mock::run(mock, args.quiet),
        Command::Doctor(doctor) => commands::doctor::run(doctor, args.quiet),
        Command::Score(score) => commands::score::run(score, args.quiet),
        Command::Validate(validate) => commands::validate::run(validate, args.quiet),
        Command::Schema(schema) => commands::schema::run(schema),
    };
    outcome.unwrap_or_else(|error| output::give_up(&error))
}
