//! Types as written: names, arguments, arrays, unions and object types. The rest is `Unknown`.

use agentcheck_syntax::{Field, Kind, Span, TreeCursor};

use super::{Lowerer, span};
use crate::hir::{BindingDef, List, NameId, TypeExpr, TypeExprId, TypeKind, TypeMember};

impl Lowerer<'_> {
    /// The type after the colon of the annotation that the cursor stands on.
    pub(super) fn type_annotation(&mut self, cursor: &mut TreeCursor<'_>) -> Option<TypeExprId> {
        let mut ty = None;
        self.each(cursor, |this, cursor, _| {
            if cursor.node().is_named() && ty.is_none() {
                ty = Some(this.ty(cursor));
            }
        });
        ty
    }

    /// The types between `<` and `>`.
    pub(super) fn type_arguments(&mut self, cursor: &mut TreeCursor<'_>) -> Vec<TypeExprId> {
        let mut args = Vec::new();
        self.each(cursor, |this, cursor, _| {
            if cursor.node().is_named() {
                args.push(this.ty(cursor));
            }
        });
        args
    }

    /// The type that the cursor stands on.
    pub(super) fn ty(&mut self, cursor: &mut TreeCursor<'_>) -> TypeExprId {
        let place = span(cursor.node());
        let kind = self.deeper(|this| this.type_kind(cursor, place)).unwrap_or(TypeKind::Unknown);
        self.add_type(kind, place)
    }

    fn add_type(&mut self, kind: TypeKind, span: Span) -> TypeExprId {
        let id = TypeExprId::new(self.arenas.type_exprs.len());
        if let TypeKind::Name { name: looked_up, .. } | TypeKind::Qualified { module: looked_up, .. } = kind {
            self.pending_types.push((id, looked_up, self.scope));
        }
        self.arenas.type_exprs.push(TypeExpr { kind, span });
        id
    }

    fn type_list(&mut self, types: &[TypeExprId]) -> List<TypeExprId> {
        let start = self.arenas.type_list.len();
        self.arenas.type_list.extend_from_slice(types);
        List::new(start, types.len())
    }

    fn type_kind(&mut self, cursor: &mut TreeCursor<'_>, place: Span) -> TypeKind {
        match self.grammar.kind(cursor.node()) {
            Kind::TypeIdentifier | Kind::Identifier => {
                TypeKind::Name { name: self.intern(place), binding: None, args: List::EMPTY }
            }
            Kind::NestedTypeIdentifier => self.qualified(cursor),
            Kind::GenericType => self.generic(cursor),
            Kind::ArrayType => match self.type_arguments(cursor).first() {
                Some(element) => TypeKind::Array(*element),
                None => TypeKind::Unknown,
            },
            Kind::ReadonlyType | Kind::ParenthesizedType => match self.type_arguments(cursor).first() {
                Some(inner) => self.arenas.type_exprs[inner.index()].kind,
                None => TypeKind::Unknown,
            },
            Kind::UnionType => {
                let mut members = Vec::new();
                for member in self.type_arguments(cursor) {
                    // The grammar nests unions to the left.
                    match self.arenas.type_exprs[member.index()].kind {
                        TypeKind::Union(inner) => {
                            members.extend_from_slice(&self.arenas.type_list[inner.range()]);
                        }
                        _ => members.push(member),
                    }
                }
                TypeKind::Union(self.type_list(&members))
            }
            Kind::ObjectType | Kind::InterfaceBody => TypeKind::Object(self.type_members(cursor)),
            Kind::PredefinedType | Kind::LiteralType | Kind::TemplateLiteralType => match self.text(place) {
                "any" | "unknown" | "object" => TypeKind::Unknown,
                _ => TypeKind::Plain,
            },
            Kind::LookupType => {
                let parts = self.type_arguments(cursor);
                let key = parts.get(1).map(|key| self.arenas.type_exprs[key.index()].span);
                match (parts.first(), key) {
                    (Some(object), Some(key)) => {
                        let key = self.text(key).trim_matches(['\'', '"']);
                        TypeKind::Indexed { object: *object, key: self.names.intern(key) }
                    }
                    _ => TypeKind::Unknown,
                }
            }
            Kind::TypeQuery => {
                let mut value = None;
                self.each(cursor, |this, cursor, _| {
                    if cursor.node().is_named() && value.is_none() {
                        value = Some(this.expr(cursor));
                    }
                });
                value.map_or(TypeKind::Unknown, TypeKind::Query)
            }
            _ => TypeKind::Unknown,
        }
    }

    fn generic(&mut self, cursor: &mut TreeCursor<'_>) -> TypeKind {
        let mut args = List::EMPTY;
        let mut base = TypeKind::Unknown;
        self.each(cursor, |this, cursor, kind| match (this.field(cursor), kind) {
            (Field::Name, Kind::NestedTypeIdentifier) => base = this.qualified(cursor),
            (Field::Name, _) => {
                base = TypeKind::Name { name: this.intern(span(cursor.node())), binding: None, args: List::EMPTY };
            }
            (Field::TypeArguments, _) => {
                let types = this.type_arguments(cursor);
                args = this.type_list(&types);
            }
            _ => {}
        });
        match base {
            TypeKind::Name { name, binding, .. } => TypeKind::Name { name, binding, args },
            TypeKind::Qualified { module, name, binding, .. } => TypeKind::Qualified { module, name, binding, args },
            other => other,
        }
    }

    fn qualified(&mut self, cursor: &mut TreeCursor<'_>) -> TypeKind {
        let (mut module, mut name): (Option<NameId>, Option<NameId>) = (None, None);
        self.each(cursor, |this, cursor, kind| match kind {
            Kind::Identifier => module = Some(this.intern(span(cursor.node()))),
            Kind::TypeIdentifier => name = Some(this.intern(span(cursor.node()))),
            _ => {}
        });
        match (module, name) {
            (Some(module), Some(name)) => TypeKind::Qualified { module, name, binding: None, args: List::EMPTY },
            _ => TypeKind::Unknown,
        }
    }

    fn type_members(&mut self, cursor: &mut TreeCursor<'_>) -> List<TypeMember> {
        let mut members = Vec::new();
        self.each(cursor, |this, cursor, kind| {
            if kind != Kind::PropertySignature {
                return;
            }
            let (mut name, mut ty) = (None, None);
            this.each(cursor, |this, cursor, kind| match (this.field(cursor), kind) {
                (Field::Name, Kind::String) => name = Some(this.string(cursor)),
                (Field::Name, _) => name = Some(this.intern(span(cursor.node()))),
                (Field::Type, _) => ty = this.type_annotation(cursor),
                _ => {}
            });
            if let (Some(name), Some(ty)) = (name, ty) {
                members.push(TypeMember { name, ty });
            }
        });
        let start = self.arenas.type_members.len();
        let count = members.len();
        self.arenas.type_members.extend(members);
        List::new(start, count)
    }

    /// `type A = …` and `interface A { … }`.
    pub(super) fn type_declaration(&mut self, cursor: &mut TreeCursor<'_>) {
        let place = span(cursor.node());
        let (mut name, mut ty) = (None, None);
        self.each(cursor, |this, cursor, kind| match (this.field(cursor), kind) {
            (Field::Name, _) => name = Some(span(cursor.node())),
            (Field::Value, _) | (Field::Body, _) => ty = Some(this.ty(cursor)),
            _ => {}
        });
        let Some(name_span) = name else { return };
        let ty = ty.unwrap_or_else(|| self.add_type(TypeKind::Unknown, place));
        let (name, scope) = (self.intern(name_span), self.scope);
        self.declare(name, name_span, scope, BindingDef::Type(ty));
    }
}
