//! Trees → meaning. Lowering turns a tree into an owned [`Module`](hir::Module); a [`Program`] links modules; inference says
//! what SDK value an expression is. No I/O: files, links and versions are given to it.

mod evidence;
mod flow;
pub mod hir;
mod infer;
mod linkage;
mod lower;
mod program;
pub mod rust;

pub use evidence::{Evidence, VersionSource};
pub use flow::{Fate, Throw, fate};
pub use infer::{
    Ctx, Element, Elements, Entered, Escape, Infer, Key, KeyOrigin, Keys, Loc, Reach, Sdk, SdkCall, Sites, Steps,
    ToolKind, ToolSet, Trace, Typed, Unknown, Value, ValueKind, Wants, returned,
};
pub use lower::lower;
pub use program::{Link, Program, ProgramFile, Target};
