//! Functions: declarations, expressions, arrows, methods.

use agentcheck_syntax::{Field, Kind, Span, TreeCursor};

use super::{Lowerer, span};
use crate::hir::{
    BindingDef, BindingId, Body, ExprId, ExprKind, FuncId, Function, List, NameId, Prop, PropKind, RootSource,
};

impl Lowerer<'_> {
    /// `function f() {}` and overload signatures: the function, and the name that it declares.
    pub(super) fn function_declaration(&mut self, cursor: &mut TreeCursor<'_>) -> (FuncId, Option<BindingId>) {
        let mut declared = None;
        self.each(cursor, |this, cursor, _| {
            if this.field(cursor) == Field::Name {
                declared = Some(span(cursor.node()));
            }
        });
        let has_body = self.grammar.kind(cursor.node()) != Kind::FunctionSignature;
        let scope = self.function_scope();
        let function = self.function(cursor, declared, None);
        let binding = declared.filter(|_| has_body).map(|place| {
            let name = self.intern(place);
            self.declare(name, place, scope, BindingDef::Function(function))
        });
        (function, binding)
    }

    /// An arrow function or function expression.
    pub(super) fn function_expr(&mut self, cursor: &mut TreeCursor<'_>) -> ExprId {
        let place = span(cursor.node());
        let mut named = None;
        self.each(cursor, |this, cursor, _| {
            if this.field(cursor) == Field::Name {
                named = Some(span(cursor.node()));
            }
        });
        // The name of a function expression is known only inside it.
        self.scoped(span(cursor.node()), false, |this| {
            let function = this.function(cursor, named, None);
            if let Some(place) = named {
                let (name, scope) = (this.intern(place), this.scope);
                this.declare(name, place, scope, BindingDef::Function(function));
            }
            let expr = this.add_expr(ExprKind::Function(function), place);
            this.arenas.functions[function.index()].expr = Some(expr);
            expr
        })
    }

    /// A method, getter or setter of an object literal.
    pub(super) fn method_prop(&mut self, cursor: &mut TreeCursor<'_>, entry: Span) -> Option<Prop> {
        let mut kind = PropKind::Method;
        let mut key = None;
        self.each(cursor, |this, cursor, token| match (this.field(cursor), token) {
            (Field::Name, _) => key = Some((this.prop_key(cursor), span(cursor.node()))),
            (_, Kind::GetToken) => kind = PropKind::Getter,
            (_, Kind::SetToken) => kind = PropKind::Setter,
            _ => {}
        });
        let (key, key_span) = key?;
        let value = self.method_value(cursor);
        Some(Prop { key, kind, value, key_span, span: entry, owner: value })
    }

    /// The function of a method definition, as an expression.
    pub(super) fn method_value(&mut self, cursor: &mut TreeCursor<'_>) -> ExprId {
        let place = span(cursor.node());
        let function = self.function(cursor, None, self.class);
        let expr = self.add_expr(ExprKind::Function(function), place);
        self.arenas.functions[function.index()].expr = Some(expr);
        expr
    }

    fn function(
        &mut self,
        cursor: &mut TreeCursor<'_>,
        named: Option<Span>,
        class: Option<crate::hir::ClassId>,
    ) -> FuncId {
        let place = span(cursor.node());
        let name: Option<NameId> = named.map(|place| self.intern(place));
        let is_arrow = self.grammar.kind(cursor.node()) == Kind::ArrowFunction;
        let id = FuncId::new(self.arenas.functions.len());
        self.arenas.functions.push(Function {
            span: place,
            name,
            params: List::EMPTY,
            body: Body::None,
            return_type: None,
            is_async: false,
            is_generator: matches!(
                self.grammar.kind(cursor.node()),
                Kind::GeneratorFunction | Kind::GeneratorFunctionDeclaration
            ),
            is_arrow,
            scope: self.scope,
            expr: None,
            parent: self.function,
            class,
        });
        let (outer_function, outer_class) = (self.function, self.class);
        self.function = Some(id);
        // A nested function expression has its own `this`; an arrow keeps that of the class.
        self.class = if is_arrow { outer_class } else { class };
        if is_arrow {
            self.arenas.functions[id.index()].class = outer_class;
        }
        self.scoped(span(cursor.node()), true, |this| {
            this.arenas.functions[id.index()].scope = this.scope;
            this.each(cursor, |this, cursor, kind| match (this.field(cursor), kind) {
                (Field::Parameters, _) => this.params(cursor, id),
                // `x => …`
                (Field::Parameter, _) => {
                    let scope = this.scope;
                    let pattern = this.binding_pattern(span(cursor.node()), scope, false);
                    let source =
                        RootSource::Param { function: id, index: 0, rest: false, default: None, is_property: false };
                    let params = this.add_roots(&[(pattern, source, None)]);
                    this.arenas.functions[id.index()].params = params;
                }
                (Field::ReturnType, _) => {
                    let ty = this.type_annotation(cursor);
                    this.arenas.functions[id.index()].return_type = ty;
                }
                // The block shares the scope of the parameters.
                (Field::Body, Kind::StatementBlock) => {
                    let block = span(cursor.node());
                    let items = this.block_items(cursor);
                    let stmt = this.add_stmt(crate::hir::StmtKind::Block(items), block);
                    this.arenas.functions[id.index()].body = Body::Block(stmt);
                }
                (Field::Body, _) => {
                    let expr = this.expr(cursor);
                    this.arenas.functions[id.index()].body = Body::Expr(expr);
                }
                (_, Kind::AsyncToken) => this.arenas.functions[id.index()].is_async = true,
                (_, Kind::StarToken) => this.arenas.functions[id.index()].is_generator = true,
                _ => {}
            });
        });
        (self.function, self.class) = (outer_function, outer_class);
        id
    }

    fn params(&mut self, cursor: &mut TreeCursor<'_>, function: FuncId) {
        let scope = self.scope;
        let mut params = Vec::new();
        self.each(cursor, |this, cursor, kind| {
            if !matches!(kind, Kind::RequiredParameter | Kind::OptionalParameter) {
                return;
            }
            let (mut pattern, mut annotation, mut default, mut rest) = (None, None, None, false);
            let mut is_property = false;
            this.each(cursor, |this, cursor, kind| match this.field(cursor) {
                // `this: T` declares nothing.
                Field::Pattern if kind != Kind::This => {
                    rest = kind == Kind::RestPattern;
                    pattern = Some(this.pattern(cursor, scope, false));
                }
                Field::Type => annotation = this.type_annotation(cursor),
                Field::Value => default = Some(this.expr(cursor)),
                _ if matches!(kind, Kind::AccessibilityModifier | Kind::OverrideModifier | Kind::ReadonlyToken) => {
                    is_property = true;
                }
                _ => {}
            });
            if let Some(pattern) = pattern {
                let index = params.len() as u32;
                params.push((pattern, RootSource::Param { function, index, rest, default, is_property }, annotation));
            }
        });
        let roots = self.add_roots(&params);
        self.arenas.functions[function.index()].params = roots;
    }
}
