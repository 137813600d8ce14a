//! The binary as a user meets it: arguments, exit codes, output, files. Every test has a folder of its own.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod baseline;
mod commands;
mod configuration;
mod exit_codes;
mod fixes;
mod formats;
mod json;
mod lsp;
mod odd_files;
mod projects;
mod selection;
mod stdin;
mod support;
mod suppressions;
mod upgrade;
