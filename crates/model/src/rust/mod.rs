//! Rust: what a file holds ([`hir`]), how it is made from a tree ([`lower`]), and what names mean across the files of a
//! crate ([`index`]). There is no type inference: rules ask where a name comes from, not what type a value has.

pub mod hir;
mod index;
mod lower;
mod tools;
mod view;

pub use index::{Item, ItemKind, Named, RustIndex, RustPackage};
pub(crate) use lower::lower;
pub use tools::{RustTool, ToolForm};
pub use view::{Foreign, RustView};
