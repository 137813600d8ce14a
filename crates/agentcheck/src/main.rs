//! The command line of agentcheck: arguments and wiring.

mod args;
mod commands;
mod interrupt;
mod outcome;
mod terminal;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Arguments, Command};
use crate::outcome::Outcome;

/// Deeply nested code is walked by recursion up to a limit; this is more than that limit can use.
const STACK: usize = 64 << 20;

fn main() -> ExitCode {
    // A rule that fails is reported as a notice; the default hook would print a trace into the report.
    std::panic::set_hook(Box::new(|_| {}));
    interrupt::install();
    let arguments = Arguments::parse();
    let jobs = match &arguments.command {
        Some(Command::Check(check)) => check.jobs,
        _ => arguments.check.jobs,
    };
    let threads = jobs.map_or(0, usize::from);
    // Fails only when a pool exists already, which nothing before this makes.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build_global();
    let outcome = std::panic::catch_unwind(|| run(arguments)).unwrap_or_else(|_| {
        terminal::error("agentcheck failed; this is a bug");
        Outcome::Internal
    });
    // A report that nobody got must not pass for one without findings.
    if terminal::lost_output() { Outcome::Internal.into() } else { outcome.into() }
}

fn run(arguments: Arguments) -> Outcome {
    match arguments.command {
        None => commands::check::run(&arguments.check),
        Some(Command::Check(check)) => commands::check::run(&check),
        Some(Command::Upgrade(upgrade)) => commands::upgrade::run(&upgrade),
        Some(Command::Rules(rules)) => commands::rules::run(&rules),
        Some(Command::Explain(explain)) => commands::explain::run(&explain),
        Some(Command::Versions(versions)) => commands::versions::run(&versions),
        Some(Command::Why(why)) => commands::why::run(&why),
        Some(Command::Lsp) => commands::lsp::run(),
    }
}
