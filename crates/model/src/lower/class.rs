//! Classes.

use agentcheck_syntax::{Field, Kind, TreeCursor};

use super::{Lowerer, span};
use crate::hir::{BindingDef, BindingId, Class, ClassId, ClassMember, ClassMemberKind, List, PropKey, StmtKind};

impl Lowerer<'_> {
    /// `class A {}`: the statement, and the name that it declares.
    pub(super) fn class_declaration(&mut self, cursor: &mut TreeCursor<'_>) -> (StmtKind, Option<BindingId>) {
        let mut declared = None;
        self.each(cursor, |this, cursor, _| {
            if this.field(cursor) == Field::Name {
                declared = Some(span(cursor.node()));
            }
        });
        let name = declared.map(|place| self.intern(place));
        let class = self.class(cursor, name);
        let binding = declared.map(|place| {
            let (name, scope) = (self.intern(place), self.scope);
            self.declare(name, place, scope, BindingDef::Class(class))
        });
        (StmtKind::Class(class), binding)
    }

    /// The class that the cursor stands on.
    pub(super) fn class(&mut self, cursor: &mut TreeCursor<'_>, name: Option<crate::hir::NameId>) -> ClassId {
        let id = ClassId::new(self.arenas.classes.len());
        let place = span(cursor.node());
        self.arenas.classes.push(Class { span: place, name, extends: None, members: List::EMPTY });
        let outer = self.class.replace(id);
        let is_expression = self.grammar.kind(cursor.node()) == Kind::Class;
        self.scoped(span(cursor.node()), false, |this| {
            let mut members = Vec::new();
            if is_expression {
                this.own_name(cursor, id);
            }
            this.each(cursor, |this, cursor, kind| match kind {
                Kind::ClassHeritage => {
                    let base = this.heritage(cursor);
                    this.arenas.classes[id.index()].extends = base;
                }
                Kind::ClassBody => this.each(cursor, |this, cursor, kind| {
                    members.extend(this.class_member(cursor, kind));
                }),
                _ => {}
            });
            let start = this.arenas.class_members.len();
            this.arenas.classes[id.index()].members = List::new(start, members.len());
            this.arenas.class_members.extend(members);
        });
        self.class = outer;
        id
    }

    /// The name of a class expression is known only inside it.
    fn own_name(&mut self, cursor: &mut TreeCursor<'_>, class: ClassId) {
        self.each(cursor, |this, cursor, _| {
            if this.field(cursor) == Field::Name {
                let place = span(cursor.node());
                let (name, scope) = (this.intern(place), this.scope);
                this.declare(name, place, scope, BindingDef::Class(class));
                this.arenas.classes[class.index()].name = Some(name);
            }
        });
    }

    fn heritage(&mut self, cursor: &mut TreeCursor<'_>) -> Option<crate::hir::ExprId> {
        let mut base = None;
        self.each(cursor, |this, cursor, kind| {
            if kind == Kind::ExtendsClause {
                this.each(cursor, |this, cursor, _| {
                    if this.field(cursor) == Field::Value {
                        base = Some(this.expr(cursor));
                    }
                });
            }
        });
        base
    }

    fn class_member(&mut self, cursor: &mut TreeCursor<'_>, kind: Kind) -> Option<ClassMember> {
        let mut member = ClassMember {
            key: PropKey::None,
            kind: ClassMemberKind::Field,
            is_static: false,
            value: None,
            annotation: None,
            key_span: span(cursor.node()),
        };
        match kind {
            Kind::PublicFieldDefinition => {
                self.each(cursor, |this, cursor, kind| match (this.field(cursor), kind) {
                    (Field::Name, _) => {
                        member.key = this.prop_key(cursor);
                        member.key_span = span(cursor.node());
                    }
                    (Field::Type, _) => member.annotation = this.type_annotation(cursor),
                    (Field::Value, _) => member.value = Some(this.expr(cursor)),
                    (_, Kind::StaticToken) => member.is_static = true,
                    _ => {}
                });
            }
            Kind::MethodDefinition => {
                member.kind = ClassMemberKind::Method;
                self.each(cursor, |this, cursor, kind| match (this.field(cursor), kind) {
                    (Field::Name, _) => {
                        member.key = this.prop_key(cursor);
                        member.key_span = span(cursor.node());
                    }
                    (_, Kind::StaticToken) => member.is_static = true,
                    (_, Kind::GetToken) => member.kind = ClassMemberKind::Getter,
                    (_, Kind::SetToken) => member.kind = ClassMemberKind::Setter,
                    _ => {}
                });
                if member.kind == ClassMemberKind::Method && self.text(member.key_span) == "constructor" {
                    member.kind = ClassMemberKind::Constructor;
                }
                member.value = Some(self.method_value(cursor));
            }
            // It runs once, like a method that is called where it stands.
            Kind::ClassStaticBlock => {
                member.kind = ClassMemberKind::Method;
                member.is_static = true;
                member.value = Some(self.method_value(cursor));
            }
            _ => return None,
        }
        Some(member)
    }
}
