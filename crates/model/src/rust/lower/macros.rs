//! Macro calls. Their tokens are no expressions to the grammar; what reads like a list of expressions is parsed again as
//! one, and of other tokens the pieces between commas and colons: `json!({ "error": e.to_string() })`.

use agentcheck_syntax::{Language, Node, SourceType, Span, parse};

use super::super::hir::{ExprId, ExprKind};
use super::{Lowerer, inside, nodes};

/// What a list of expressions is put into to be parsed.
const BEFORE: &str = "fn f(){f(";
const AFTER: &str = ")}";

/// Macros in macros are read this far.
const NESTING: u32 = 6;

impl<'t> Lowerer<'t> {
    pub(super) fn macro_call(&mut self, node: Node<'_>) -> Option<ExprId> {
        let path = self.path(node.child_by_field_name("macro")?);
        let tree = nodes(node).find(|child| child.kind() == "token_tree")?;
        let tokens = inside(self.span(tree));
        let mut args = match self.expressions(tokens) {
            Some(args) => args,
            None => self.pieces(tree),
        };
        for arg in args.clone() {
            if let ExprKind::Str(text) = self.out.expr(arg).kind {
                args.extend(self.captured(text));
            }
        }
        Some(self.add(node, ExprKind::Macro { path, tokens, args }))
    }

    /// The expressions of a list, or `None` when the text is none.
    fn expressions(&mut self, text: Span) -> Option<Vec<ExprId>> {
        if self.str(text).trim().is_empty() {
            return Some(Vec::new());
        }
        if self.depth > NESTING * 16 {
            return None;
        }
        let wrapped = format!("{BEFORE}{}{AFTER}", self.str(text));
        let parsed = parse(SourceType::Script(Language::Rust), &wrapped);
        let root = parsed.tree.root_node();
        if root.has_error() {
            return None;
        }
        let list = root.named_descendant_for_byte_range(BEFORE.len() - 1, wrapped.len() - 1)?;
        if list.kind() != "arguments" {
            return None;
        }
        let shift = std::mem::replace(&mut self.shift, i64::from(text.start) - BEFORE.len() as i64);
        let children: Vec<Node<'_>> = nodes(list).filter(Node::is_named).collect();
        // `name = value` is how macros take named arguments.
        let args = children.into_iter().filter_map(|child| self.expr(child)).collect();
        self.shift = shift;
        Some(args)
    }

    /// The expressions between the commas, colons and semicolons of a token tree, and in the trees in it.
    fn pieces(&mut self, tree: Node<'_>) -> Vec<ExprId> {
        let mut found = Vec::new();
        let mut piece: Vec<Node<'_>> = Vec::new();
        let all: Vec<Node<'_>> = nodes(tree).collect();
        let last = all.len().saturating_sub(1);
        for (index, token) in all.into_iter().enumerate() {
            let text = self.str(self.span(token));
            let is_end = matches!(text, "," | ":" | ";" | "=>" | "=") || index == last;
            if index == 0 {
                continue;
            }
            if !is_end {
                // `%error` and `?error` of tracing.
                if !(piece.is_empty() && matches!(text, "%" | "?")) {
                    piece.push(token);
                }
                continue;
            }
            if let [only] = piece.as_slice()
                && only.kind() == "token_tree"
            {
                let only = *only;
                found.extend(self.deeper(|this| this.pieces(only)).unwrap_or_default());
            } else if let (Some(first), Some(end)) = (piece.first(), piece.last()) {
                let span = Span::new(self.span(*first).start, self.span(*end).end);
                found.extend(self.expressions(span).unwrap_or_default());
            }
            piece.clear();
        }
        found
    }

    /// The local names in a format text: `{error}`, `{error:?}`.
    fn captured(&mut self, text: Span) -> Vec<ExprId> {
        let mut found = Vec::new();
        let content = self.str(text);
        for (open, _) in content.match_indices('{') {
            if content[..open].ends_with('{') {
                continue;
            }
            let rest = &content[open + 1..];
            let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let (name, after) = rest.split_at(length);
            if !after.starts_with(['}', ':']) {
                continue;
            }
            if let Some(binding) = self.local(name) {
                let start = text.start + open as u32 + 1;
                let span = Span::new(start, start + length as u32);
                found.push(self.add_at(span, ExprKind::Path { path: vec![span], binding: Some(binding) }));
            }
        }
        found
    }
}
