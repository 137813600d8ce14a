//! Tree → [`Module`], in one cursor walk. The tree is dropped afterwards.
//!
//! Recursion is limited: past [`DEPTH_LIMIT`] levels of nesting a node becomes `Unknown`, so that hostile input costs an
//! answer and never the stack.

mod class;
mod expr;
mod function;
mod import;
mod jsx;
mod links;
mod pattern;
mod stmt;
mod ty;

use std::sync::Arc;

use agentcheck_syntax::{
    Field, Grammar, Kind, Language, Node, Parsed, SourceType, Span, TreeCursor, parse, syntax_errors,
};

use crate::hir::{
    Binding, BindingDef, BindingId, ClassId, Export, Expr, ExprId, ExprKind, FuncId, Interner, List, Module, NameId,
    Scope, ScopeId, Stmt, StmtId, StmtKind,
};

/// Nodes nested deeper than this are not looked into. Code that people write stays below 60.
const DEPTH_LIMIT: u32 = 256;

/// Parses and lowers `source`.
pub fn lower(source_type: SourceType, source: Arc<str>) -> Module {
    let Parsed { tree, language, code } = parse(source_type, &source);
    let rust = (language == Language::Rust).then(|| Box::new(crate::rust::lower(&tree, &source)));
    let syntax_errors = if tree.root_node().has_error() { syntax_errors(&tree) } else { Vec::new() };
    let mut lowerer = Lowerer {
        grammar: Grammar::of(language),
        source: &source,
        names: Interner::default(),
        arenas: Default::default(),
        exports: Vec::new(),
        pending: Vec::new(),
        pending_types: Vec::new(),
        pending_exports: Vec::new(),
        scope: ScopeId::new(0),
        function: None,
        class: None,
        depth: 0,
    };
    let whole = Span::new(0, source.len() as u32);
    lowerer.arenas.scopes.push(Scope { parent: None, is_function: true, span: whole });
    let mut cursor = tree.walk();
    let mut body = Vec::new();
    if rust.is_none() {
        lowerer.each(&mut cursor, |this, cursor, kind| {
            if let Some(stmt) = this.stmt(cursor, kind) {
                body.push(stmt);
            }
        });
    }
    let mut comments = if source.contains("agentcheck-") { comments(&tree) } else { Vec::new() };
    if source_type == SourceType::Component {
        comments.extend(html_comments(&source));
        comments.sort_unstable();
    }
    lowerer.finish(Text { source: Arc::clone(&source), language, code, syntax_errors, comments, rust }, body)
}

/// Every comment of the tree, in source order.
fn comments(tree: &agentcheck_syntax::Tree) -> Vec<Span> {
    let mut comments = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if matches!(node.kind(), "comment" | "line_comment" | "block_comment") {
            comments.push(span(node));
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return comments;
            }
        }
    }
}

/// The comments of a component's template that speak to agentcheck.
fn html_comments(source: &str) -> Vec<Span> {
    let open = source.match_indices("<!--").map(|(start, _)| start);
    open.filter_map(|start| {
        let end = start + source[start..].find("-->")? + 3;
        source[start + 4..end].trim_start().starts_with("agentcheck-").then(|| Span::new(start as u32, end as u32))
    })
    .collect()
}

/// What is known of a file's text as a whole.
struct Text {
    source: Arc<str>,
    language: Language,
    code: Vec<Span>,
    syntax_errors: Vec<Span>,
    comments: Vec<Span>,
    rust: Option<Box<crate::rust::hir::RustModule>>,
}

fn span(node: Node<'_>) -> Span {
    Span::new(node.start_byte() as u32, node.end_byte() as u32)
}

struct Lowerer<'s> {
    grammar: &'static Grammar,
    source: &'s str,
    names: Interner,
    arenas: crate::hir::Arenas,
    exports: Vec<Export>,
    /// Names used in expressions and the scope they are used in, to be resolved when all declarations are known.
    pending: Vec<(ExprId, ScopeId)>,
    pending_types: Vec<(crate::hir::TypeExprId, NameId, ScopeId)>,
    /// `export { local as exported }`: local, exported, place.
    pending_exports: Vec<(NameId, NameId, Span)>,
    scope: ScopeId,
    function: Option<FuncId>,
    class: Option<ClassId>,
    depth: u32,
}

impl<'s> Lowerer<'s> {
    /// Calls `visit` for each child of the cursor's node that is no comment; the cursor stands on the child.
    fn each<'t>(&mut self, cursor: &mut TreeCursor<'t>, mut visit: impl FnMut(&mut Self, &mut TreeCursor<'t>, Kind)) {
        if !cursor.goto_first_child() {
            return;
        }
        loop {
            let kind = self.grammar.kind(cursor.node());
            if kind != Kind::Comment {
                visit(self, cursor, kind);
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
        cursor.goto_parent();
    }

    fn field(&self, cursor: &TreeCursor<'_>) -> Field {
        self.grammar.field(cursor)
    }

    fn text(&self, span: Span) -> &'s str {
        span.text(self.source)
    }

    fn intern(&mut self, span: Span) -> NameId {
        let text = span.text(self.source);
        self.names.intern(text)
    }

    /// Runs `lower` one level deeper, or returns `None` when that is too deep.
    fn deeper<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= DEPTH_LIMIT {
            return None;
        }
        self.depth += 1;
        let result = lower(self);
        self.depth -= 1;
        Some(result)
    }

    fn add_expr(&mut self, kind: ExprKind, span: Span) -> ExprId {
        self.arenas.exprs.push(Expr { kind, span });
        ExprId::new(self.arenas.exprs.len() - 1)
    }

    fn add_stmt(&mut self, kind: StmtKind, span: Span) -> StmtId {
        self.arenas.stmts.push(Stmt { kind, span });
        StmtId::new(self.arenas.stmts.len() - 1)
    }

    fn expr_list(&mut self, exprs: &[ExprId]) -> List<ExprId> {
        let start = self.arenas.expr_list.len();
        self.arenas.expr_list.extend_from_slice(exprs);
        List::new(start, exprs.len())
    }

    fn stmt_list(&mut self, stmts: &[StmtId]) -> List<StmtId> {
        let start = self.arenas.stmt_list.len();
        self.arenas.stmt_list.extend_from_slice(stmts);
        List::new(start, stmts.len())
    }

    fn declare(&mut self, name: NameId, span: Span, scope: ScopeId, def: BindingDef) -> BindingId {
        self.arenas.bindings.push(Binding { name, scope, span, def });
        BindingId::new(self.arenas.bindings.len() - 1)
    }

    /// Runs `lower` in a new scope.
    fn scoped<T>(&mut self, span: Span, is_function: bool, lower: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.scope;
        self.arenas.scopes.push(Scope { parent: Some(outer), is_function, span });
        self.scope = ScopeId::new(self.arenas.scopes.len() - 1);
        let result = lower(self);
        self.scope = outer;
        result
    }

    /// The scope that `var` and function declarations belong to.
    fn function_scope(&self) -> ScopeId {
        let mut scope = self.scope;
        while let Scope { is_function: false, parent: Some(parent), .. } = self.arenas.scopes[scope.index()] {
            scope = parent;
        }
        scope
    }
}
