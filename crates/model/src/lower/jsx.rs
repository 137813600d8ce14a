//! JSX elements: the component, its attributes and what stands between its tags.

use agentcheck_syntax::{Field, Kind, Span, TreeCursor};

use super::{Lowerer, span};
use crate::hir::{ExprId, ExprKind, Jsx, JsxId, Prop, PropKey, PropKind};

impl Lowerer<'_> {
    /// The element that the cursor stands on.
    pub(super) fn jsx(&mut self, cursor: &mut TreeCursor<'_>) -> ExprKind {
        let mut parts = Parts::default();
        if self.grammar.kind(cursor.node()) == Kind::JsxSelfClosingElement {
            self.jsx_tag(cursor, &mut parts);
        } else {
            self.each(cursor, |this, cursor, kind| match kind {
                Kind::JsxOpeningElement => this.jsx_tag(cursor, &mut parts),
                Kind::JsxElement | Kind::JsxSelfClosingElement | Kind::JsxExpression => {
                    if let Some(child) = this.jsx_value(cursor, kind) {
                        parts.children.push(child);
                    }
                }
                _ => {}
            });
        }
        let attributes = self.prop_list(parts.attributes);
        let children = self.expr_list(&parts.children);
        self.arenas.jsx.push(Jsx { component: parts.component, attributes, children });
        ExprKind::Jsx(JsxId::new(self.arenas.jsx.len() - 1))
    }

    fn jsx_tag(&mut self, cursor: &mut TreeCursor<'_>, parts: &mut Parts) {
        self.each(cursor, |this, cursor, kind| {
            let place = span(cursor.node());
            match (this.field(cursor), kind) {
                // `<div>` is no reference; `<Chat>` and `<ui.Chat>` are.
                (Field::Name, Kind::Identifier) if this.text(place).starts_with(|c: char| c.is_lowercase()) => {}
                (Field::Name, Kind::Identifier | Kind::MemberExpression) => {
                    parts.component = Some(this.expr(cursor));
                }
                (_, Kind::JsxAttribute) => parts.attributes.extend(this.jsx_attribute(cursor, place)),
                // `{...props}`
                (_, Kind::JsxExpression) => {
                    if let Some(value) = this.jsx_value(cursor, kind) {
                        let value = match this.arenas.exprs[value.index()].kind {
                            ExprKind::Spread(inner) => inner,
                            _ => value,
                        };
                        parts.attributes.push(Prop {
                            key: PropKey::None,
                            kind: PropKind::Spread,
                            value,
                            key_span: place,
                            span: place,
                            owner: value,
                        });
                    }
                }
                _ => {}
            }
        });
    }

    fn jsx_attribute(&mut self, cursor: &mut TreeCursor<'_>, place: Span) -> Option<Prop> {
        let (mut key, mut value) = (None, None);
        self.each(cursor, |this, cursor, kind| match kind {
            Kind::PropertyIdentifier | Kind::JsxNamespaceName => {
                let key_span = span(cursor.node());
                key = Some((PropKey::Name(this.intern(key_span)), key_span));
            }
            Kind::String | Kind::JsxExpression | Kind::JsxElement | Kind::JsxSelfClosingElement => {
                value = this.jsx_value(cursor, kind);
            }
            _ => {}
        });
        let (key, key_span) = key?;
        // `<Chat open>` means `open={true}`.
        let value = value.unwrap_or_else(|| self.add_expr(ExprKind::Bool(true), Span::empty(place.end)));
        Some(Prop { key, kind: PropKind::Value, value, key_span, span: place, owner: value })
    }

    /// The expression in braces, or the element or string; `None` for `{}` and comments.
    fn jsx_value(&mut self, cursor: &mut TreeCursor<'_>, kind: Kind) -> Option<ExprId> {
        if kind != Kind::JsxExpression {
            return Some(self.expr(cursor));
        }
        let mut value = None;
        self.each(cursor, |this, cursor, _| {
            if cursor.node().is_named() {
                value = Some(this.expr(cursor));
            }
        });
        value
    }
}

#[derive(Default)]
struct Parts {
    component: Option<ExprId>,
    attributes: Vec<Prop>,
    children: Vec<ExprId>,
}
