//! What a command comes to.

use std::process::ExitCode;

/// The outcome of a command. The exit code follows from it and from nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing at or above the threshold.
    Clean,
    Findings,
    /// The call or the configuration is wrong.
    Usage,
    /// agentcheck itself failed somewhere; everything else was still reported.
    Internal,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(match outcome {
            Outcome::Clean => 0,
            Outcome::Findings => 1,
            Outcome::Usage => 2,
            Outcome::Internal => 3,
        })
    }
}
