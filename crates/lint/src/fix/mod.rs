//! Fixes: building the edits of one, choosing and applying many.

mod apply;
pub(crate) mod entry;
pub(crate) mod exclusive;
pub(crate) mod import;
pub(crate) mod rename_import;
pub(crate) mod text;

pub use apply::{Applied, Chosen, apply_edits, choose};
