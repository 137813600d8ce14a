//! Trees → meaning.

mod evidence;

pub use evidence::{Evidence, VersionSource};
