//! The agentcheck to run.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::Done;

/// The given binary, or this repository's, built as users get it: times of a debug build would mean nothing.
pub(super) fn find(given: Option<&Path>, root: &Path) -> Done<PathBuf> {
    let Some(given) = given else { return build(root) };
    // It will be run from other folders.
    let path = std::path::absolute(given).map_err(|error| format!("{}: {error}", given.display()))?;
    if path.is_file() { Ok(path) } else { Err(format!("there is no binary {}", given.display())) }
}

fn build(root: &Path) -> Done<PathBuf> {
    eprintln!("building agentcheck in release mode …");
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["build", "--release", "--package", "agentcheck", "--message-format", "json-render-diagnostics"])
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    if !output.status.success() {
        return Err("agentcheck could not be built".to_owned());
    }
    // The target folder can be anywhere; cargo says where the binary is.
    let messages = String::from_utf8_lossy(&output.stdout).into_owned();
    messages.lines().rev().find_map(executable).ok_or_else(|| "cargo named no binary".to_owned())
}

fn executable(message: &str) -> Option<PathBuf> {
    let message: Value = serde_json::from_str(message).ok()?;
    let is_ours = message["target"]["name"] == "agentcheck";
    is_ours.then(|| message["executable"].as_str().map(PathBuf::from)).flatten()
}
