//! `agentcheck lsp`: a synchronous language server over one [`Session`](agentcheck_project::Session). There is no second way
//! to lint: what the editor shows is what `agentcheck check` would print, with unsaved texts laid over the disk.
//!
//! | file | job |
//! | --- | --- |
//! | `server` | the loop: messages in, sessions begun and kept up to date |
//! | `documents` | open texts, and the edits to them |
//! | `uri` | file addresses ↔ paths |
//! | `diagnostics` | findings → what an editor shows |
//! | `actions` | fixes and suppressions as code actions |
//! | `hover` | what is said of a finding under the cursor |
//!
//! Messages are JSON values: of the protocol's thousand types a dozen are used here.

mod actions;
mod diagnostics;
mod documents;
mod hover;
mod server;
mod uri;

pub use server::{ServerError, serve};
