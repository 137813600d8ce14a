//! One file a command.

mod baseline;
pub(crate) mod check;
pub(crate) mod explain;
pub(crate) mod lsp;
pub(crate) mod rules;
mod target;
pub(crate) mod upgrade;
pub(crate) mod versions;
pub(crate) mod why;
