//! The languages that agentcheck reads, and which files hold them.

use std::path::Path;

/// A grammar. JavaScript goes through the TSX grammar: it reads all of it at the same speed, and saves a grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// `.ts`, `.mts`, `.cts`: `<T>x` is a cast.
    TypeScript,
    /// `.tsx`, `.jsx`, `.js`, `.mjs`, `.cjs`: `<T>` is an element.
    Tsx,
    Rust,
}

/// What a file is, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SourceType {
    /// All of it is code.
    Script(Language),
    /// `.vue`, `.svelte`: the code stands in `<script>` elements.
    Component,
}

impl SourceType {
    /// The type of a file, if it is one we read.
    pub fn of_path(path: &Path) -> Option<Self> {
        Some(match path.extension()?.to_str()? {
            "ts" | "mts" | "cts" => Self::Script(Language::TypeScript),
            "tsx" | "jsx" | "js" | "mjs" | "cjs" => Self::Script(Language::Tsx),
            "vue" | "svelte" => Self::Component,
            "rs" => Self::Script(Language::Rust),
            _ => return None,
        })
    }
}

impl Language {
    pub(crate) fn grammar(self) -> tree_sitter::Language {
        match self {
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
            Self::Rust => tree_sitter_rust::LANGUAGE.into(),
        }
    }

    pub(crate) const fn index(self) -> usize {
        match self {
            Self::TypeScript => 0,
            Self::Tsx => 1,
            Self::Rust => 2,
        }
    }
}
