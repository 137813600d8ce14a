//! Text → tree, with one parser per thread and language.

use std::cell::RefCell;

use tree_sitter::{Parser, Tree};

use crate::{Language, Span};

thread_local! {
    static PARSERS: RefCell<[Option<Parser>; 2]> = const { RefCell::new([None, None]) };
}

/// Parses `text`. Syntax errors become `ERROR` nodes; the tree always covers the whole text.
///
/// Panics only if the linked grammars do not fit the linked tree-sitter, which every test would show.
pub fn parse(language: Language, text: &str) -> Tree {
    PARSERS.with_borrow_mut(|parsers| {
        let parser = parsers[language.index()].get_or_insert_with(|| {
            let mut parser = Parser::new();
            parser.set_language(&language.grammar()).expect("the grammar fits the tree-sitter it was built with");
            parser
        });
        parser.parse(text, None).expect("a parser with a language and without a time limit returns a tree")
    })
}

/// The outermost `ERROR` and `MISSING` nodes, in source order.
pub fn syntax_errors(tree: &Tree) -> Vec<Span> {
    let mut errors = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            errors.push(Span::new(node.start_byte() as u32, node.end_byte() as u32));
        } else if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return errors;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clean_text_has_no_errors_in_both_languages() {
        for language in [Language::TypeScript, Language::Tsx] {
            assert_eq!(syntax_errors(&parse(language, "const a = async () => ({ b: await c });")), []);
        }
    }

    #[test]
    fn errors_are_local() {
        let errors = syntax_errors(&parse(Language::TypeScript, "const a = 1;\nconst = ;\nconst b = 2;"));
        assert!(!errors.is_empty());
        assert!(errors.iter().all(|span| span.start >= 12 && span.end <= 24), "{errors:?}");
    }

    #[test]
    fn deep_nesting_does_not_overflow() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(syntax_errors(&parse(Language::TypeScript, &deep)), []);
    }
}
