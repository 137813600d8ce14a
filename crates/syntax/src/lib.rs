//! Text → trees. Languages, parsing and positions; no meaning.

mod embed;
mod kind;
mod language;
mod line_index;
mod parse;
mod span;

pub use kind::{Field, Grammar, Kind};
pub use language::{Language, SourceType};
pub use line_index::{Encoding, LineIndex, Position};
pub use parse::{Parsed, parse, syntax_errors};
pub use span::{FileId, Place, Span};
pub use tree_sitter::{Node, Tree, TreeCursor};
