//! Upkeep of this repository: `cargo xtask generate`, `cargo xtask ecosystem` and `cargo xtask knowledge`.
//!
//! Exit codes: 0 all is well, 1 something is out of date, unjudged or crashed, 2 the task could not be done.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a task talks to the person who runs it")]

mod ecosystem;
mod generate;
mod knowledge;
mod pages;

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Upkeep of this repository.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Write the pages that follow from the rules: docs/rules/
    Generate(generate::Args),
    /// Run agentcheck on public repositories and record what it finds: docs/ecosystem/
    Ecosystem(ecosystem::Args),
    /// Count what the model knows of the SDK calls and tools of projects, and say why it does not know the rest
    Knowledge(knowledge::Args),
}

/// How a task ended that could be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Good,
    /// What is wrong has been printed.
    Bad,
}

/// The outcome of a task, or why it could not be done.
type Done<T> = Result<T, String>;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = repository().and_then(|root| match &arguments.task {
        Task::Generate(args) => generate::run(args, &root),
        Task::Ecosystem(args) => ecosystem::run(args, &root),
        Task::Knowledge(args) => knowledge::run(args),
    });
    match done {
        Ok(Outcome::Good) => ExitCode::SUCCESS,
        Ok(Outcome::Bad) => ExitCode::from(1),
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::from(2)
        }
    }
}

/// The folder of this repository: what cargo says, or where the program is started. Asked at run time: a path fixed at build
/// time would be wrong in a second clone that shares the target folder.
fn repository() -> Done<PathBuf> {
    let own = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let here = env::current_dir().map_err(|error| format!("there is no working directory: {error}"))?;
    let is_root = |folder: &&Path| folder.join("xtask/Cargo.toml").is_file();
    let root = own.as_deref().unwrap_or(&here).ancestors().find(is_root);
    root.map(Path::to_path_buf).ok_or_else(|| "run it in this repository: cargo xtask …".to_owned())
}
