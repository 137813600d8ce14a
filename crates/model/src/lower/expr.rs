//! Expressions.

use agentcheck_syntax::{Field, Kind, Span, TreeCursor};

use super::{Lowerer, span};
use crate::hir::{BinaryOp, ExprId, ExprKind, List, NameId, Prop, PropId, PropKey, PropKind, TypeExprId, UnaryOp};

impl Lowerer<'_> {
    /// The expression that the cursor stands on.
    pub(super) fn expr(&mut self, cursor: &mut TreeCursor<'_>) -> ExprId {
        let place = span(cursor.node());
        self.deeper(|this| this.expr_inner(cursor)).unwrap_or_else(|| self.add_expr(ExprKind::Unknown, place))
    }

    fn expr_inner(&mut self, cursor: &mut TreeCursor<'_>) -> ExprId {
        let node = cursor.node();
        let place = span(node);
        let kind = match self.grammar.kind(node) {
            Kind::Identifier | Kind::Undefined | Kind::ShorthandPropertyIdentifier => return self.name(place),
            Kind::MemberExpression => self.member(cursor),
            Kind::CallExpression => self.call(cursor),
            Kind::String => ExprKind::String(self.string(cursor)),
            Kind::Object => self.object(cursor),
            Kind::ArrowFunction | Kind::FunctionExpression | Kind::GeneratorFunction => {
                return self.function_expr(cursor);
            }
            Kind::ParenthesizedExpression | Kind::JsxExpression => return self.only_child(cursor),
            Kind::Number => match self.text(place) {
                text if text.ends_with('n') => ExprKind::BigInt,
                _ => ExprKind::Number(self.intern(place)),
            },
            Kind::TemplateString => self.template(cursor),
            Kind::True => ExprKind::Bool(true),
            Kind::False => ExprKind::Bool(false),
            Kind::Null => ExprKind::Null,
            Kind::This => ExprKind::This,
            Kind::Super => ExprKind::Super,
            Kind::Regex => ExprKind::Regex,
            Kind::Array => ExprKind::Array(self.elements(cursor)),
            Kind::AwaitExpression => ExprKind::Await(self.only_child(cursor)),
            Kind::SpreadElement => ExprKind::Spread(self.only_child(cursor)),
            Kind::NonNullExpression => ExprKind::NonNull(self.only_child(cursor)),
            Kind::UpdateExpression => ExprKind::Update(self.only_child(cursor)),
            Kind::InstantiationExpression => return self.only_child(cursor),
            Kind::NewExpression => self.new_expr(cursor),
            Kind::SubscriptExpression => self.subscript(cursor),
            Kind::BinaryExpression => self.binary(cursor),
            Kind::UnaryExpression => self.unary(cursor),
            Kind::TernaryExpression => self.conditional(cursor),
            Kind::AssignmentExpression => self.assignment(cursor, false),
            Kind::AugmentedAssignmentExpression => self.assignment(cursor, true),
            Kind::AsExpression => self.cast(cursor, false),
            Kind::SatisfiesExpression => self.cast(cursor, true),
            Kind::TypeAssertion => self.cast(cursor, false),
            Kind::SequenceExpression => {
                let mut parts = Vec::new();
                self.collect_exprs(cursor, &mut parts);
                ExprKind::Sequence(self.expr_list(&parts))
            }
            Kind::YieldExpression => {
                let mut parts = Vec::new();
                self.collect_exprs(cursor, &mut parts);
                ExprKind::Yield(parts.first().copied())
            }
            Kind::Class => ExprKind::Class(self.class(cursor, None)),
            Kind::JsxElement | Kind::JsxSelfClosingElement => self.jsx(cursor),
            _ => ExprKind::Unknown,
        };
        self.add_expr(kind, place)
    }

    /// A reference to a name.
    pub(super) fn name(&mut self, place: Span) -> ExprId {
        let name = self.intern(place);
        let expr = self.add_expr(ExprKind::Ident { name, binding: None }, place);
        self.pending.push((expr, self.scope));
        expr
    }

    /// The first expression among the children of the cursor's node.
    fn only_child(&mut self, cursor: &mut TreeCursor<'_>) -> ExprId {
        let place = span(cursor.node());
        let mut inner = None;
        self.each(cursor, |this, cursor, kind| {
            if inner.is_none() && cursor.node().is_named() && kind != Kind::TypeAnnotation {
                inner = Some(this.expr(cursor));
            }
        });
        inner.unwrap_or_else(|| self.add_expr(ExprKind::Unknown, place))
    }

    fn collect_exprs(&mut self, cursor: &mut TreeCursor<'_>, into: &mut Vec<ExprId>) {
        self.each(cursor, |this, cursor, kind| {
            // The grammar nests sequences to the right.
            if kind == Kind::SequenceExpression {
                this.collect_exprs(cursor, into);
            } else if cursor.node().is_named() {
                into.push(this.expr(cursor));
            }
        });
    }

    fn member(&mut self, cursor: &mut TreeCursor<'_>) -> ExprKind {
        let (mut object, mut property) = (None, None);
        self.each(cursor, |this, cursor, kind| match this.field(cursor) {
            Field::Object if kind != Kind::Import => object = Some(this.expr(cursor)),
            Field::Property => property = Some(this.intern(span(cursor.node()))),
            _ => {}
        });
        match (object, property) {
            (Some(object), Some(property)) => ExprKind::Member { object, property },
            // `import.meta`
            _ => ExprKind::Unknown,
        }
    }

    fn subscript(&mut self, cursor: &mut TreeCursor<'_>) -> ExprKind {
        let (mut object, mut index) = (None, None);
        self.each(cursor, |this, cursor, _| match this.field(cursor) {
            Field::Object => object = Some(this.expr(cursor)),
            Field::Index => index = Some(this.expr(cursor)),
            _ => {}
        });
        match (object, index) {
            (Some(object), Some(index)) => ExprKind::Index { object, index },
            _ => ExprKind::Unknown,
        }
    }

    fn call(&mut self, cursor: &mut TreeCursor<'_>) -> ExprKind {
        let (mut callee, mut args, mut tagged, mut is_import) = (None, List::EMPTY, None, false);
        let (span, mut binds_looser) = (span(cursor.node()), false);
        self.each(cursor, |this, cursor, kind| match (this.field(cursor), kind) {
            (Field::Function, Kind::Import) => is_import = true,
            (Field::Function, Kind::AwaitExpression | Kind::UnaryExpression) => {
                binds_looser = true;
                callee = Some(this.expr(cursor));
            }
            (Field::Function, _) => callee = Some(this.expr(cursor)),
            (Field::Arguments, Kind::TemplateString) => {
                tagged = Some(match this.template(cursor) {
                    ExprKind::Template(values) => values,
                    _ => List::EMPTY,
                });
            }
            (Field::Arguments, _) => args = this.elements(cursor),
            _ => {}
        });
        // `await f<T>(x)` is read by the grammar as `(await f)<T>(x)`, and so is `!f<T>(x)`.
        if binds_looser
            && let (Some(outer), None) = (callee, tagged)
            && let kind @ (ExprKind::Await(inner) | ExprKind::Unary(_, inner)) = self.arenas.exprs[outer.index()].kind
        {
            let start = self.arenas.exprs[inner.index()].span.start;
            let call = self.add_expr(ExprKind::Call { callee: inner, args }, Span::new(start, span.end));
            self.arenas.exprs[outer.index()].kind = ExprKind::Unknown;
            return match kind {
                ExprKind::Unary(op, _) => ExprKind::Unary(op, call),
                _ => ExprKind::Await(call),
            };
        }
        match (callee, tagged) {
            (Some(tag), Some(values)) => ExprKind::Tagged { tag, values },
            (Some(callee), None) => ExprKind::Call { callee, args },
            (None, _) => match self.arenas.expr_list[args.range()].first() {
                Some(source) if is_import => ExprKind::Import(*source),
                _ => ExprKind::Unknown,
            },
        }
    }

    fn new_expr(&mut self, cursor: &mut TreeCursor<'_>) -> ExprKind {
        let (mut callee, mut args) = (None, List::EMPTY);
        self.each(cursor, |this, cursor, _| match this.field(cursor) {
            Field::Constructor => callee = Some(this.expr(cursor)),
            Field::Arguments => args = this.elements(cursor),
            _ => {}
        });
        callee.map_or(ExprKind::Unknown, |callee| ExprKind::New { callee, args })
    }

    /// Arguments or array elements; a hole is an `Unknown` of no length.
    fn elements(&mut self, cursor: &mut TreeCursor<'_>) -> List<ExprId> {
        let mut elements = Vec::new();
        let mut after_comma = true;
        self.each(cursor, |this, cursor, _| {
            let node = cursor.node();
            if node.is_named() {
                elements.push(this.expr(cursor));
                after_comma = false;
            } else if this.text(span(node)) == "," {
                if after_comma {
                    elements.push(this.add_expr(ExprKind::Unknown, Span::empty(span(node).start)));
                }
                after_comma = true;
            }
        });
        self.expr_list(&elements)
    }

    fn binary(&mut self, cursor: &mut TreeCursor<'_>) -> ExprKind {
        let (mut left, mut right, mut operator) = (None, None, BinaryOp::Other);
        self.each(cursor, |this, cursor, kind| match this.field(cursor) {
            Field::Left if kind == Kind::PrivatePropertyIdentifier => {}
            Field::Left => left = Some(this.expr(cursor)),
            Field::Right => right = Some(this.expr(cursor)),
            Field::Operator => {
                operator = match this.text(span(cursor.node())) {
                    "==" | "===" => BinaryOp::Equal,
                    "!=" | "!==" => BinaryOp::NotEqual,
                    "+" => BinaryOp::Add,
                    "&&" => BinaryOp::And,
                    "||" => BinaryOp::Or,
                    "??" => BinaryOp::Nullish,
                    "instanceof" => BinaryOp::Instanceof,
                    "in" => BinaryOp::In,
                    _ => BinaryOp::Other,
                }
            }
            _ => {}
        });
        match (left, right) {
            (Some(left), Some(right)) => ExprKind::Binary(operator, left, right),
            _ => ExprKind::Unknown,
        }
    }

    fn unary(&mut self, cursor: &mut TreeCursor<'_>) -> ExprKind {
        let (mut argument, mut operator) = (None, UnaryOp::BitNot);
        self.each(cursor, |this, cursor, _| match this.field(cursor) {
            Field::Argument => argument = Some(this.expr(cursor)),
            Field::Operator => {
                operator = match this.text(span(cursor.node())) {
                    "!" => UnaryOp::Not,
                    "-" => UnaryOp::Minus,
                    "+" => UnaryOp::Plus,
                    "typeof" => UnaryOp::Typeof,
                    "void" => UnaryOp::Void,
                    "delete" => UnaryOp::Delete,
                    _ => UnaryOp::BitNot,
                }
            }
            _ => {}
        });
        argument.map_or(ExprKind::Unknown, |argument| ExprKind::Unary(operator, argument))
    }

    fn conditional(&mut self, cursor: &mut TreeCursor<'_>) -> ExprKind {
        let (mut test, mut then, mut otherwise) = (None, None, None);
        self.each(cursor, |this, cursor, _| match this.field(cursor) {
            Field::Condition => test = Some(this.expr(cursor)),
            Field::Consequence => then = Some(this.expr(cursor)),
            Field::Alternative => otherwise = Some(this.expr(cursor)),
            _ => {}
        });
        match (test, then, otherwise) {
            (Some(test), Some(then), Some(otherwise)) => ExprKind::Conditional { test, then, otherwise },
            _ => ExprKind::Unknown,
        }
    }

    fn assignment(&mut self, cursor: &mut TreeCursor<'_>, compound: bool) -> ExprKind {
        let (mut target, mut value) = (None, None);
        self.each(cursor, |this, cursor, _| match this.field(cursor) {
            Field::Left => target = Some(this.target(cursor)),
            Field::Right => value = Some(this.expr(cursor)),
            _ => {}
        });
        match (target, value) {
            (Some(target), Some(value)) => {
                self.assign_root(target, value);
                ExprKind::Assign { target, value, compound }
            }
            _ => ExprKind::Unknown,
        }
    }

    fn cast(&mut self, cursor: &mut TreeCursor<'_>, satisfies: bool) -> ExprKind {
        // `value as T`: the expression comes first. `<T>value`: the type does, in type_arguments.
        let (mut value, mut ty): (Option<ExprId>, Option<TypeExprId>) = (None, None);
        self.each(cursor, |this, cursor, kind| {
            if !cursor.node().is_named() {
                return;
            }
            match kind {
                Kind::TypeArguments => {
                    let args = this.type_arguments(cursor);
                    ty = args.first().copied();
                }
                _ if value.is_none() => value = Some(this.expr(cursor)),
                _ => ty = Some(this.ty(cursor)),
            }
        });
        match (value, ty) {
            (Some(value), Some(ty)) => ExprKind::Cast { value, ty, satisfies },
            // `x as const`
            (Some(value), None) => ExprKind::NonNull(value),
            _ => ExprKind::Unknown,
        }
    }

    fn template(&mut self, cursor: &mut TreeCursor<'_>) -> ExprKind {
        let mut values = Vec::new();
        let mut text = String::new();
        self.each(cursor, |this, cursor, kind| match kind {
            Kind::TemplateSubstitution => values.push(this.only_child(cursor)),
            Kind::StringFragment => text.push_str(this.text(span(cursor.node()))),
            Kind::EscapeSequence => unescape(this.text(span(cursor.node())), &mut text),
            _ => {}
        });
        if values.is_empty() {
            ExprKind::String(self.names.intern(&text))
        } else {
            ExprKind::Template(self.expr_list(&values))
        }
    }

    /// The value of a string literal.
    pub(super) fn string(&mut self, cursor: &mut TreeCursor<'_>) -> NameId {
        let place = span(cursor.node());
        let inner = Span::new((place.start + 1).min(place.end), place.end.saturating_sub(1).max(place.start));
        let raw = self.text(inner);
        if !raw.contains('\\') {
            return self.names.intern(raw);
        }
        let mut text = String::new();
        self.each(cursor, |this, cursor, kind| match kind {
            Kind::StringFragment => text.push_str(this.text(span(cursor.node()))),
            Kind::EscapeSequence => unescape(this.text(span(cursor.node())), &mut text),
            _ => {}
        });
        self.names.intern(&text)
    }

    fn object(&mut self, cursor: &mut TreeCursor<'_>) -> ExprKind {
        let mut props = Vec::new();
        self.each(cursor, |this, cursor, kind| {
            let entry = span(cursor.node());
            let prop = match kind {
                Kind::Pair => this.pair(cursor, entry),
                Kind::ShorthandPropertyIdentifier => {
                    let value = this.name(entry);
                    let key = PropKey::Name(this.intern(entry));
                    Some(Prop { key, kind: PropKind::Shorthand, value, key_span: entry, span: entry, owner: value })
                }
                Kind::SpreadElement => {
                    let value = this.only_child(cursor);
                    let key_span = Span::new(entry.start, entry.start + 3);
                    Some(Prop {
                        key: PropKey::None,
                        kind: PropKind::Spread,
                        value,
                        key_span,
                        span: entry,
                        owner: value,
                    })
                }
                Kind::MethodDefinition => this.method_prop(cursor, entry),
                _ => None,
            };
            props.extend(prop);
        });
        ExprKind::Object(self.prop_list(props))
    }

    /// Adds the entries of the object or element that is added next, and makes it their owner.
    pub(super) fn prop_list(&mut self, mut props: Vec<Prop>) -> List<PropId> {
        let owner = ExprId::new(self.arenas.exprs.len());
        for prop in &mut props {
            prop.owner = owner;
        }
        let start = self.arenas.props.len();
        let count = props.len();
        self.arenas.props.extend(props);
        List::new(start, count)
    }

    fn pair(&mut self, cursor: &mut TreeCursor<'_>, entry: Span) -> Option<Prop> {
        let (mut key, mut value) = (None, None);
        self.each(cursor, |this, cursor, _| match this.field(cursor) {
            Field::Key => key = Some((this.prop_key(cursor), span(cursor.node()))),
            Field::Value => value = Some(this.expr(cursor)),
            _ => {}
        });
        let ((key, key_span), value) = (key?, value?);
        // The owner is set when the object is added.
        Some(Prop { key, kind: PropKind::Value, value, key_span, span: entry, owner: value })
    }

    /// A key of an object, pattern or class: `a`, `'a'`, `1`, `['a']`, `[expr]`, `#a`.
    pub(super) fn prop_key(&mut self, cursor: &mut TreeCursor<'_>) -> PropKey {
        let place = span(cursor.node());
        match self.grammar.kind(cursor.node()) {
            Kind::String => PropKey::Name(self.string(cursor)),
            Kind::ComputedPropertyName => {
                let expr = self.only_child(cursor);
                match self.arenas.exprs[expr.index()].kind {
                    ExprKind::String(name) | ExprKind::Number(name) => PropKey::Name(name),
                    _ => PropKey::Computed(expr),
                }
            }
            _ => PropKey::Name(self.intern(place)),
        }
    }
}

/// Appends what an escape sequence stands for.
fn unescape(escape: &str, into: &mut String) {
    let mut characters = escape.chars().skip(1);
    let code = |digits: &str| u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
    match characters.next() {
        Some('n') => into.push('\n'),
        Some('t') => into.push('\t'),
        Some('r') => into.push('\r'),
        Some('b') => into.push('\u{8}'),
        Some('f') => into.push('\u{c}'),
        Some('v') => into.push('\u{b}'),
        Some('0') => into.push('\0'),
        // A line continuation stands for nothing.
        Some('\n' | '\r') => {}
        Some('u' | 'x') => {
            let digits = escape[2..].trim_matches(['{', '}']);
            into.push(code(digits).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        Some(other) => into.push(other),
        None => {}
    }
}
