//! Text → tree, with one parser per thread and language.

use std::cell::RefCell;

use tree_sitter::{Parser, Point, Range, Tree};

use crate::embed::{Scripts, scripts};
use crate::{Language, LineIndex, SourceType, Span};

thread_local! {
    static PARSERS: RefCell<[Option<Parser>; 3]> = const { RefCell::new([None, None, None]) };
}

/// A parsed file.
pub struct Parsed {
    pub tree: Tree,
    pub language: Language,
    /// The parts of the text that are code, in source order: all of it, or the scripts of a component.
    pub code: Vec<Span>,
}

/// Parses `text`. Syntax errors become `ERROR` nodes; the tree always covers all the code. Offsets are those of `text`.
///
/// Panics only if the linked grammars do not fit the linked tree-sitter, which every test would show.
pub fn parse(source_type: SourceType, text: &str) -> Parsed {
    match source_type {
        SourceType::Script(language) => {
            let code = vec![Span::new(0, text.len() as u32)];
            Parsed { tree: parse_ranges(language, text, &[]), language, code }
        }
        SourceType::Component => {
            let Scripts { spans, language } = scripts(text);
            // No range at all would mean the whole text.
            let code = if spans.is_empty() { vec![Span::empty(text.len() as u32)] } else { spans };
            let lines = LineIndex::new(text);
            let point = |offset: u32| {
                let line = lines.line_of(offset);
                let start = lines.line_range(line, text).map_or(0, |range| range.start);
                Point::new(line as usize, offset.saturating_sub(start) as usize)
            };
            let ranges: Vec<Range> = code
                .iter()
                .map(|span| Range {
                    start_byte: span.start as usize,
                    end_byte: span.end as usize,
                    start_point: point(span.start),
                    end_point: point(span.end),
                })
                .collect();
            Parsed { tree: parse_ranges(language, text, &ranges), language, code }
        }
    }
}

fn parse_ranges(language: Language, text: &str, ranges: &[Range]) -> Tree {
    PARSERS.with_borrow_mut(|parsers| {
        let parser = parsers[language.index()].get_or_insert_with(|| {
            let mut parser = Parser::new();
            parser.set_language(&language.grammar()).expect("the grammar fits the tree-sitter it was built with");
            parser
        });
        parser.set_included_ranges(ranges).expect("scripts follow each other");
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

    fn errors(language: Language, text: &str) -> Vec<Span> {
        syntax_errors(&parse(SourceType::Script(language), text).tree)
    }

    #[test]
    fn clean_text_has_no_errors_in_both_languages() {
        for language in [Language::TypeScript, Language::Tsx] {
            assert_eq!(errors(language, "const a = async () => ({ b: await c });"), []);
        }
    }

    #[test]
    fn errors_are_local() {
        let errors = errors(Language::TypeScript, "const a = 1;\nconst = ;\nconst b = 2;");
        assert!(!errors.is_empty());
        assert!(errors.iter().all(|span| span.start >= 12 && span.end <= 24), "{errors:?}");
    }

    #[test]
    fn deep_nesting_does_not_overflow() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(errors(Language::TypeScript, &deep), []);
    }

    #[test]
    fn scripts_keep_the_positions_of_their_file() {
        let text = "<template><p>a < b</p></template>\n<script lang=\"ts\">\nconst a: number = 1;\n</script>\n";
        let parsed = parse(SourceType::Component, text);
        assert_eq!(syntax_errors(&parsed.tree), []);
        let statement = parsed.tree.root_node().named_child(0).expect("a statement");
        assert_eq!(&text[statement.byte_range()], "const a: number = 1;");
        let nothing = parse(SourceType::Component, "<template>{{ a }}</template>");
        assert_eq!(nothing.tree.root_node().named_child_count(), 0);
        // The parser is used again for whole files.
        assert_eq!(errors(Language::TypeScript, "const b: number = 2;"), []);
    }
}
