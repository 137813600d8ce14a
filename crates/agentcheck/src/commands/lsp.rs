//! `agentcheck lsp`.

use crate::outcome::Outcome;
use crate::terminal;

pub(crate) fn run() -> Outcome {
    match agentcheck_lsp::serve() {
        Ok(()) => Outcome::Clean,
        Err(error) => {
            terminal::error(&error.0);
            Outcome::Internal
        }
    }
}
