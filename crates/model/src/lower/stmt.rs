//! Statements.

use agentcheck_syntax::{Field, Kind, Span, TreeCursor};

use super::{Lowerer, span};
use crate::hir::{BindingDef, List, RootId, RootSource, StmtId, StmtKind};

impl Lowerer<'_> {
    /// The statement that the cursor stands on; `None` for tokens and for nodes that are no statements.
    pub(super) fn stmt(&mut self, cursor: &mut TreeCursor<'_>, kind: Kind) -> Option<StmtId> {
        if !cursor.node().is_named() {
            return None;
        }
        let place = span(cursor.node());
        self.deeper(|this| this.stmt_inner(cursor, kind, place))
            .unwrap_or_else(|| Some(self.add_stmt(StmtKind::Nothing, place)))
    }

    fn stmt_inner(&mut self, cursor: &mut TreeCursor<'_>, kind: Kind, place: Span) -> Option<StmtId> {
        let stmt = match kind {
            Kind::ExpressionStatement => {
                let mut inner = None;
                self.each(cursor, |this, cursor, kind| {
                    if cursor.node().is_named() {
                        inner = Some(match kind {
                            // `namespace X { … }` stands where an expression could.
                            Kind::InternalModule => StmtKind::Block(this.namespace(cursor)),
                            _ => StmtKind::Expr(this.expr(cursor)),
                        });
                    }
                });
                inner.unwrap_or(StmtKind::Nothing)
            }
            Kind::LexicalDeclaration | Kind::VariableDeclaration => self.declaration(cursor),
            Kind::FunctionDeclaration | Kind::GeneratorFunctionDeclaration | Kind::FunctionSignature => {
                StmtKind::Function(self.function_declaration(cursor).0)
            }
            Kind::ClassDeclaration | Kind::AbstractClassDeclaration => self.class_declaration(cursor).0,
            Kind::ReturnStatement => StmtKind::Return(self.child_expr(cursor)),
            Kind::ThrowStatement => match self.child_expr(cursor) {
                Some(value) => StmtKind::Throw(value),
                None => StmtKind::Nothing,
            },
            Kind::IfStatement => self.if_stmt(cursor),
            Kind::StatementBlock => {
                StmtKind::Block(self.scoped(span(cursor.node()), false, |this| this.block_items(cursor)))
            }
            Kind::ForStatement => self.scoped(span(cursor.node()), false, |this| this.for_stmt(cursor)),
            Kind::ForInStatement => self.scoped(span(cursor.node()), false, |this| this.for_each_stmt(cursor)),
            Kind::WhileStatement | Kind::DoStatement => self.while_stmt(cursor),
            Kind::TryStatement => self.try_stmt(cursor),
            Kind::SwitchStatement => self.scoped(span(cursor.node()), false, |this| this.switch_stmt(cursor)),
            Kind::LabeledStatement => {
                let mut body = None;
                self.each(cursor, |this, cursor, kind| {
                    if this.field(cursor) == Field::Body {
                        body = this.stmt(cursor, kind);
                    }
                });
                body.map_or(StmtKind::Nothing, StmtKind::Labeled)
            }
            Kind::BreakStatement => StmtKind::Break,
            Kind::ContinueStatement => StmtKind::Continue,
            Kind::ImportStatement => {
                self.import(cursor);
                StmtKind::Nothing
            }
            Kind::ExportStatement => self.export(cursor),
            Kind::TypeAliasDeclaration | Kind::InterfaceDeclaration => {
                self.type_declaration(cursor);
                StmtKind::Nothing
            }
            Kind::EnumDeclaration => {
                self.enum_declaration(cursor);
                StmtKind::Nothing
            }
            Kind::InternalModule | Kind::Module => StmtKind::Block(self.namespace(cursor)),
            Kind::AmbientDeclaration | Kind::Error => StmtKind::Block(self.block_items(cursor)),
            // What is left inside an ERROR node: an expression without its statement.
            Kind::Comment | Kind::HashBangLine | Kind::EmptyStatement | Kind::DebuggerStatement => StmtKind::Nothing,
            Kind::CallExpression
            | Kind::MemberExpression
            | Kind::AwaitExpression
            | Kind::AssignmentExpression
            | Kind::NewExpression
            | Kind::Object
            | Kind::ArrowFunction => StmtKind::Expr(self.expr(cursor)),
            _ => return None,
        };
        Some(self.add_stmt(stmt, place))
    }

    /// The statements among the children of the cursor's node, in the current scope.
    pub(super) fn block_items(&mut self, cursor: &mut TreeCursor<'_>) -> List<StmtId> {
        let mut items = Vec::new();
        self.each(cursor, |this, cursor, kind| items.extend(this.stmt(cursor, kind)));
        self.stmt_list(&items)
    }

    fn child_expr(&mut self, cursor: &mut TreeCursor<'_>) -> Option<crate::hir::ExprId> {
        let mut inner = None;
        self.each(cursor, |this, cursor, _| {
            if cursor.node().is_named() && inner.is_none() {
                inner = Some(this.expr(cursor));
            }
        });
        inner
    }

    pub(super) fn declaration(&mut self, cursor: &mut TreeCursor<'_>) -> StmtKind {
        let mut constant = false;
        let mut scope = self.scope;
        let mut roots = Vec::new();
        self.each(cursor, |this, cursor, kind| match kind {
            Kind::ConstToken => constant = true,
            Kind::VarToken => scope = this.function_scope(),
            Kind::VariableDeclarator => {
                let (mut pattern, mut annotation, mut value) = (None, None, None);
                this.each(cursor, |this, cursor, _| match this.field(cursor) {
                    Field::Name => pattern = Some(this.pattern(cursor, scope, constant)),
                    Field::Type => annotation = this.type_annotation(cursor),
                    Field::Value => value = Some(this.expr(cursor)),
                    _ => {}
                });
                if let Some(pattern) = pattern {
                    roots.push((pattern, value.map_or(RootSource::None, RootSource::Value), annotation));
                }
            }
            _ => {}
        });
        StmtKind::Declare(self.add_roots(&roots))
    }

    fn if_stmt(&mut self, cursor: &mut TreeCursor<'_>) -> StmtKind {
        let (mut test, mut then, mut otherwise) = (None, None, None);
        self.each(cursor, |this, cursor, kind| match this.field(cursor) {
            Field::Condition => test = Some(this.expr(cursor)),
            Field::Consequence => then = this.stmt(cursor, kind),
            Field::Alternative => {
                this.each(cursor, |this, cursor, kind| otherwise = otherwise.or_else(|| this.stmt(cursor, kind)));
            }
            _ => {}
        });
        match (test, then) {
            (Some(test), Some(then)) => StmtKind::If { test, then, otherwise },
            _ => StmtKind::Nothing,
        }
    }

    fn for_stmt(&mut self, cursor: &mut TreeCursor<'_>) -> StmtKind {
        let mut head = Vec::new();
        let (mut body, mut tested) = (None, false);
        self.each(cursor, |this, cursor, kind| match this.field(cursor) {
            Field::Initializer | Field::Condition | Field::Increment => {
                if kind == Kind::EmptyStatement || !cursor.node().is_named() {
                    return;
                }
                tested |= this.field(cursor) == Field::Condition;
                let place = span(cursor.node());
                let stmt = match kind {
                    Kind::LexicalDeclaration | Kind::VariableDeclaration | Kind::ExpressionStatement => {
                        this.stmt(cursor, kind)
                    }
                    _ => {
                        let expr = this.expr(cursor);
                        Some(this.add_stmt(StmtKind::Expr(expr), place))
                    }
                };
                head.extend(stmt);
            }
            Field::Body => body = this.stmt(cursor, kind),
            _ => {}
        });
        self.loop_of(head, body, !tested)
    }

    fn while_stmt(&mut self, cursor: &mut TreeCursor<'_>) -> StmtKind {
        let mut head = Vec::new();
        let (mut body, mut endless) = (None, false);
        self.each(cursor, |this, cursor, kind| match this.field(cursor) {
            Field::Condition => {
                let place = span(cursor.node());
                endless = this.text(place).trim_matches(['(', ')', ' ']) == "true";
                let expr = this.expr(cursor);
                head.push(this.add_stmt(StmtKind::Expr(expr), place));
            }
            Field::Body => body = this.stmt(cursor, kind),
            _ => {}
        });
        self.loop_of(head, body, endless)
    }

    fn loop_of(&mut self, head: Vec<StmtId>, body: Option<StmtId>, endless: bool) -> StmtKind {
        let Some(body) = body else { return StmtKind::Nothing };
        let init = (!head.is_empty()).then(|| {
            let list = self.stmt_list(&head);
            let place = self.arenas.stmts[head[0].index()].span;
            self.add_stmt(StmtKind::Block(list), place)
        });
        StmtKind::Loop { init, body, endless }
    }

    fn for_each_stmt(&mut self, cursor: &mut TreeCursor<'_>) -> StmtKind {
        let (mut declares, mut constant, mut is_of, mut awaits) = (false, false, false, false);
        let mut scope = self.scope;
        let (mut pattern, mut iterable, mut body) = (None, None, None);
        self.each(cursor, |this, cursor, kind| match (this.field(cursor), kind) {
            (_, Kind::AwaitToken) => awaits = true,
            (Field::Kind, _) => {
                declares = true;
                constant = kind == Kind::ConstToken;
                if kind == Kind::VarToken {
                    scope = this.function_scope();
                }
            }
            (Field::Left, _) => {
                pattern = Some(if declares { this.pattern(cursor, scope, constant) } else { this.target(cursor) });
            }
            (Field::Operator, _) => is_of = kind == Kind::OfToken,
            (Field::Right, _) => iterable = Some(this.expr(cursor)),
            (Field::Body, _) => body = this.stmt(cursor, kind),
            _ => {}
        });
        match (pattern, iterable, body) {
            (Some(pattern), Some(iterable), Some(body)) => {
                let source = if is_of { RootSource::ForOf { iterable, awaits } } else { RootSource::ForIn(iterable) };
                let root = self.add_root(pattern, source, None);
                StmtKind::ForEach { root, body }
            }
            _ => StmtKind::Nothing,
        }
    }

    fn try_stmt(&mut self, cursor: &mut TreeCursor<'_>) -> StmtKind {
        let (mut block, mut catch, mut finally) = (None, None, None);
        self.each(cursor, |this, cursor, kind| match (this.field(cursor), kind) {
            (Field::Body, _) => block = this.stmt(cursor, kind),
            (Field::Handler, _) => catch = this.catch_clause(cursor),
            (Field::Finalizer, _) => {
                this.each(cursor, |this, cursor, kind| finally = finally.or_else(|| this.stmt(cursor, kind)));
            }
            _ => {}
        });
        block.map_or(StmtKind::Nothing, |block| StmtKind::Try { block, catch, finally })
    }

    fn catch_clause(&mut self, cursor: &mut TreeCursor<'_>) -> Option<StmtId> {
        let place = span(cursor.node());
        self.scoped(span(cursor.node()), false, |this| {
            let (mut param, mut body) = (None, None);
            this.each(cursor, |this, cursor, kind| match this.field(cursor) {
                Field::Parameter => {
                    let scope = this.scope;
                    let pattern = this.pattern(cursor, scope, false);
                    param = Some(this.add_root(pattern, RootSource::Catch, None));
                }
                Field::Body => body = this.stmt(cursor, kind),
                _ => {}
            });
            body.map(|body| this.add_stmt(StmtKind::Catch { param, body }, place))
        })
    }

    fn switch_stmt(&mut self, cursor: &mut TreeCursor<'_>) -> StmtKind {
        let mut value = None;
        let mut cases = Vec::new();
        self.each(cursor, |this, cursor, kind| match (this.field(cursor), kind) {
            (Field::Value, _) => value = Some(this.expr(cursor)),
            (Field::Body, _) => this.each(cursor, |this, cursor, kind| {
                if matches!(kind, Kind::SwitchCase | Kind::SwitchDefault) {
                    cases.push(this.switch_case(cursor));
                }
            }),
            _ => {}
        });
        let Some(value) = value else { return StmtKind::Nothing };
        StmtKind::Switch { value, cases: self.stmt_list(&cases) }
    }

    fn switch_case(&mut self, cursor: &mut TreeCursor<'_>) -> StmtId {
        let place = span(cursor.node());
        let mut test = None;
        let mut items = Vec::new();
        self.each(cursor, |this, cursor, kind| {
            if this.field(cursor) == Field::Value {
                test = Some(this.expr(cursor));
            } else {
                items.extend(this.stmt(cursor, kind));
            }
        });
        let list = self.stmt_list(&items);
        let body = self.add_stmt(StmtKind::Block(list), place);
        self.add_stmt(StmtKind::Case { test, body }, place)
    }

    fn enum_declaration(&mut self, cursor: &mut TreeCursor<'_>) {
        self.each(cursor, |this, cursor, _| {
            if this.field(cursor) == Field::Name {
                let place = span(cursor.node());
                let (name, scope) = (this.intern(place), this.scope);
                this.declare(name, place, scope, BindingDef::Enum);
            }
        });
    }

    fn namespace(&mut self, cursor: &mut TreeCursor<'_>) -> List<StmtId> {
        let mut items = List::EMPTY;
        self.each(cursor, |this, cursor, kind| match (this.field(cursor), kind) {
            (Field::Name, Kind::Identifier) => {
                let place = span(cursor.node());
                let (name, scope) = (this.intern(place), this.scope);
                this.declare(name, place, scope, BindingDef::Namespace);
            }
            (Field::Body, _) => items = this.scoped(span(cursor.node()), true, |this| this.block_items(cursor)),
            _ => {}
        });
        items
    }

    /// Adds roots that stand next to each other, so that they can be listed.
    pub(super) fn add_roots(
        &mut self,
        roots: &[(crate::hir::PatId, RootSource, Option<crate::hir::TypeExprId>)],
    ) -> List<RootId> {
        let start = self.arenas.roots.len();
        for (pattern, source, annotation) in roots {
            self.add_root(*pattern, *source, *annotation);
        }
        List::new(start, roots.len())
    }
}
