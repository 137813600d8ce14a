//! Binding patterns, and assignment targets, which have the same shapes.

use agentcheck_syntax::{Field, Kind, Span, TreeCursor};

use super::{Lowerer, span};
use crate::hir::{
    BindingDef, ExprId, List, Pat, PatId, PatKind, PatProp, PatPropId, PatRole, PropKey, Root, RootId, RootSource,
    ScopeId, TypeExprId,
};

/// Whether names in a pattern are declared or assigned to.
#[derive(Clone, Copy)]
enum Names {
    Declare { scope: ScopeId, constant: bool },
    Assign,
}

impl Lowerer<'_> {
    /// The declaring pattern that the cursor stands on.
    pub(super) fn pattern(&mut self, cursor: &mut TreeCursor<'_>, scope: ScopeId, constant: bool) -> PatId {
        self.pat(cursor, Names::Declare { scope, constant })
    }

    /// The assignment target that the cursor stands on.
    pub(super) fn target(&mut self, cursor: &mut TreeCursor<'_>) -> PatId {
        self.pat(cursor, Names::Assign)
    }

    /// Makes `pattern` the outermost pattern of a declaration.
    pub(super) fn add_root(&mut self, pattern: PatId, source: RootSource, annotation: Option<TypeExprId>) -> RootId {
        let root = RootId::new(self.arenas.roots.len());
        self.arenas.roots.push(Root { pattern, source, annotation });
        self.arenas.pats[pattern.index()].role = PatRole::Root(root);
        root
    }

    /// Makes `pattern` the target of an assignment of `value`.
    pub(super) fn assign_root(&mut self, pattern: PatId, value: ExprId) {
        self.add_root(pattern, RootSource::Value(value), None);
    }

    /// Declares the name at `place`.
    pub(super) fn binding_pattern(&mut self, place: Span, scope: ScopeId, constant: bool) -> PatId {
        let pattern = self.add_pat(PatKind::Unknown, place);
        let name = self.intern(place);
        let binding = self.declare(name, place, scope, BindingDef::Pattern { pattern, constant });
        self.arenas.pats[pattern.index()].kind = PatKind::Binding(binding);
        pattern
    }

    fn add_pat(&mut self, kind: PatKind, span: Span) -> PatId {
        // Every pattern gets its role from whoever adds it as a child; until then it is its own inner.
        let id = PatId::new(self.arenas.pats.len());
        self.arenas.pats.push(Pat { kind, span, role: PatRole::Inner(id) });
        id
    }

    fn pat(&mut self, cursor: &mut TreeCursor<'_>, names: Names) -> PatId {
        let place = span(cursor.node());
        self.deeper(|this| this.pat_inner(cursor, names, place))
            .unwrap_or_else(|| self.add_pat(PatKind::Unknown, place))
    }

    fn pat_inner(&mut self, cursor: &mut TreeCursor<'_>, names: Names, place: Span) -> PatId {
        match self.grammar.kind(cursor.node()) {
            Kind::Identifier | Kind::ShorthandPropertyIdentifierPattern | Kind::Undefined => self.leaf(place, names),
            Kind::ObjectPattern => self.object_pattern(cursor, names, place),
            Kind::ArrayPattern => self.array_pattern(cursor, names, place),
            Kind::AssignmentPattern | Kind::ObjectAssignmentPattern => {
                let (mut left, mut right) = (None, None);
                self.each(cursor, |this, cursor, _| match this.field(cursor) {
                    Field::Left => left = Some(this.pat(cursor, names)),
                    Field::Right => right = Some(this.expr(cursor)),
                    _ => {}
                });
                match (left, right) {
                    (Some(pattern), Some(value)) => {
                        let id = self.add_pat(PatKind::Default { pattern, value }, place);
                        self.arenas.pats[pattern.index()].role = PatRole::Inner(id);
                        id
                    }
                    _ => self.add_pat(PatKind::Unknown, place),
                }
            }
            Kind::RestPattern => {
                let mut inner = None;
                self.each(cursor, |this, cursor, _| {
                    if cursor.node().is_named() {
                        inner = Some(this.pat(cursor, names));
                    }
                });
                match inner {
                    Some(pattern) => {
                        let id = self.add_pat(PatKind::Rest(pattern), place);
                        self.arenas.pats[pattern.index()].role = PatRole::Inner(id);
                        id
                    }
                    None => self.add_pat(PatKind::Unknown, place),
                }
            }
            Kind::ParenthesizedExpression => {
                let mut inner = None;
                self.each(cursor, |this, cursor, _| {
                    if cursor.node().is_named() {
                        inner = Some(this.pat(cursor, names));
                    }
                });
                inner.unwrap_or_else(|| self.add_pat(PatKind::Unknown, place))
            }
            Kind::MemberExpression | Kind::SubscriptExpression | Kind::NonNullExpression => {
                let target = self.expr(cursor);
                self.add_pat(PatKind::Target(target), place)
            }
            _ => self.add_pat(PatKind::Unknown, place),
        }
    }

    fn leaf(&mut self, place: Span, names: Names) -> PatId {
        match names {
            Names::Declare { scope, constant } => self.binding_pattern(place, scope, constant),
            Names::Assign => {
                let target = self.name(place);
                self.add_pat(PatKind::Target(target), place)
            }
        }
    }

    fn object_pattern(&mut self, cursor: &mut TreeCursor<'_>, names: Names, place: Span) -> PatId {
        let mut entries: Vec<PatProp> = Vec::new();
        self.each(cursor, |this, cursor, kind| {
            let entry = span(cursor.node());
            match kind {
                Kind::ShorthandPropertyIdentifierPattern => {
                    let key = PropKey::Name(this.intern(entry));
                    let pattern = this.leaf(entry, names);
                    entries.push(PatProp { key, pattern, shorthand: true, key_span: entry, span: entry });
                }
                // `{ a = 1 }`
                Kind::ObjectAssignmentPattern => {
                    let pattern = this.pat(cursor, names);
                    let PatKind::Default { pattern: inner, .. } = this.arenas.pats[pattern.index()].kind else {
                        return;
                    };
                    let key_span = this.arenas.pats[inner.index()].span;
                    let key = PropKey::Name(this.intern(key_span));
                    entries.push(PatProp { key, pattern, shorthand: true, key_span, span: entry });
                }
                Kind::PairPattern => {
                    let (mut key, mut pattern) = (None, None);
                    this.each(cursor, |this, cursor, _| match this.field(cursor) {
                        Field::Key => key = Some((this.prop_key(cursor), span(cursor.node()))),
                        Field::Value => pattern = Some(this.pat(cursor, names)),
                        _ => {}
                    });
                    if let (Some((key, key_span)), Some(pattern)) = (key, pattern) {
                        entries.push(PatProp { key, pattern, shorthand: false, key_span, span: entry });
                    }
                }
                Kind::RestPattern => {
                    let pattern = this.pat(cursor, names);
                    let entry = PatProp { key: PropKey::None, pattern, shorthand: false, key_span: entry, span: entry };
                    entries.push(entry);
                }
                _ => {}
            }
        });
        let start = self.arenas.pat_props.len();
        let id = self.add_pat(PatKind::Object(List::new(start, entries.len())), place);
        for (offset, entry) in entries.into_iter().enumerate() {
            let role = match entry.key {
                PropKey::None => PatRole::ObjectRest(id),
                _ => PatRole::Key(id, PatPropId::new(start + offset)),
            };
            self.arenas.pats[entry.pattern.index()].role = role;
            self.arenas.pat_props.push(entry);
        }
        id
    }

    fn array_pattern(&mut self, cursor: &mut TreeCursor<'_>, names: Names, place: Span) -> PatId {
        let mut elements = Vec::new();
        let mut after_comma = true;
        self.each(cursor, |this, cursor, _| {
            let node = cursor.node();
            if node.is_named() {
                elements.push(this.pat(cursor, names));
                after_comma = false;
            } else if this.text(span(node)) == "," {
                if after_comma {
                    elements.push(this.add_pat(PatKind::Unknown, Span::empty(span(node).start)));
                }
                after_comma = true;
            }
        });
        let start = self.arenas.pat_list.len();
        self.arenas.pat_list.extend_from_slice(&elements);
        let id = self.add_pat(PatKind::Array(List::new(start, elements.len())), place);
        for (index, element) in elements.into_iter().enumerate() {
            let role = match self.arenas.pats[element.index()].kind {
                PatKind::Rest(_) => PatRole::ArrayRest(id, index as u32),
                _ => PatRole::Element(id, index as u32),
            };
            self.arenas.pats[element.index()].role = role;
        }
        id
    }
}
