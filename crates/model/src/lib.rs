//! Trees → meaning. Lowering turns a tree into an owned [`Module`](hir::Module); a [`Program`] links modules; inference says
//! what SDK value an expression is. No I/O: files, links and versions are given to it.

mod evidence;
pub mod hir;
mod lower;

pub use evidence::{Evidence, VersionSource};
pub use lower::lower;
