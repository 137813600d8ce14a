//! Imports and exports.

use agentcheck_syntax::{Field, Kind, Span, TreeCursor};

use super::{Lowerer, span};
use crate::hir::{
    BindingDef, BindingId, Export, ExportKind, ExprKind, Import, ImportDecl, ImportDeclId, ImportId, ImportKind,
    NameId, PatId, PatKind, StmtKind,
};

impl Lowerer<'_> {
    /// `import … from 'x'`, `import 'x'`, `import x = require('x')`.
    pub(super) fn import(&mut self, cursor: &mut TreeCursor<'_>) {
        let decl_id = ImportDeclId::new(self.arenas.import_decls.len());
        let mut decl = ImportDecl {
            source: self.names.intern(""),
            source_span: Span::default(),
            span: span(cursor.node()),
            type_only: false,
            named: None,
        };
        self.arenas.import_decls.push(decl);
        self.each(cursor, |this, cursor, kind| match (this.field(cursor), kind) {
            (_, Kind::TypeToken | Kind::TypeofToken) => decl.type_only = true,
            (Field::Source, _) => {
                decl.source_span = span(cursor.node());
                decl.source = this.string(cursor);
            }
            (_, Kind::ImportClause) => this.import_clause(cursor, decl_id, &mut decl),
            (_, Kind::ImportRequireClause) => this.each(cursor, |this, cursor, kind| match kind {
                Kind::Identifier => {
                    let place = span(cursor.node());
                    this.add_import(decl_id, ImportKind::Namespace, decl.type_only, place, place);
                }
                Kind::String => {
                    decl.source_span = span(cursor.node());
                    decl.source = this.string(cursor);
                }
                _ => {}
            }),
            _ => {}
        });
        self.arenas.import_decls[decl_id.index()] = decl;
    }

    fn import_clause(&mut self, cursor: &mut TreeCursor<'_>, id: ImportDeclId, decl: &mut ImportDecl) {
        self.each(cursor, |this, cursor, kind| {
            let place = span(cursor.node());
            match kind {
                Kind::Identifier => this.add_import(id, ImportKind::Default, decl.type_only, place, place),
                Kind::NamespaceImport => this.each(cursor, |this, cursor, kind| {
                    if kind == Kind::Identifier {
                        let name = span(cursor.node());
                        this.add_import(id, ImportKind::Namespace, decl.type_only, name, place);
                    }
                }),
                Kind::NamedImports => {
                    decl.named = Some(place);
                    this.each(cursor, |this, cursor, kind| {
                        if kind == Kind::ImportSpecifier {
                            this.import_specifier(cursor, id, decl.type_only);
                        }
                    });
                }
                _ => {}
            }
        });
    }

    fn import_specifier(&mut self, cursor: &mut TreeCursor<'_>, decl: ImportDeclId, mut type_only: bool) {
        let place = span(cursor.node());
        let (mut imported, mut local) = (None, None);
        self.each(cursor, |this, cursor, kind| {
            let here = span(cursor.node());
            match (this.field(cursor), kind) {
                (_, Kind::TypeToken | Kind::TypeofToken) => type_only = true,
                (Field::Name, Kind::String) => imported = Some((this.string(cursor), here)),
                (Field::Name, _) => imported = Some((this.intern(here), here)),
                (Field::Alias, _) => local = Some(here),
                _ => {}
            }
        });
        if let Some((imported, imported_span)) = imported {
            let kind = ImportKind::Named { imported, imported_span };
            self.add_import(decl, kind, type_only, local.unwrap_or(imported_span), place);
        }
    }

    fn add_import(&mut self, decl: ImportDeclId, kind: ImportKind, type_only: bool, local: Span, place: Span) {
        let id = ImportId::new(self.arenas.imports.len());
        let (name, scope) = (self.intern(local), self.scope);
        let binding = self.declare(name, local, scope, BindingDef::Import(id));
        self.arenas.imports.push(Import { decl, kind, binding, type_only, span: place });
    }

    /// `export …`: records what is exported and lowers the declaration.
    pub(super) fn export(&mut self, cursor: &mut TreeCursor<'_>) -> StmtKind {
        let place = span(cursor.node());
        let mut stmt = StmtKind::Nothing;
        let (mut is_default, mut star, mut source) = (false, false, None);
        let mut clause: Vec<(NameId, NameId, Span)> = Vec::new();
        let mut namespace = None;
        self.each(cursor, |this, cursor, kind| match (this.field(cursor), kind) {
            (_, Kind::DefaultToken) => is_default = true,
            (_, Kind::StarToken) => star = true,
            (Field::Source, _) => source = Some(this.string(cursor)),
            (Field::Declaration, _) => stmt = this.exported_declaration(cursor, kind, is_default),
            (Field::Value, _) => {
                let value = this.expr(cursor);
                this.exports.push(Export { kind: ExportKind::Default(value), span: place });
                stmt = StmtKind::Expr(value);
            }
            (_, Kind::ExportClause) => this.each(cursor, |this, cursor, kind| {
                if kind == Kind::ExportSpecifier {
                    clause.extend(this.export_specifier(cursor));
                }
            }),
            (_, Kind::NamespaceExport) => this.each(cursor, |this, cursor, kind| {
                if matches!(kind, Kind::Identifier | Kind::String) {
                    namespace = Some(this.intern(span(cursor.node())));
                }
            }),
            _ => {}
        });
        match source {
            Some(source) => {
                for (imported, exported, span) in clause {
                    self.exports.push(Export { kind: ExportKind::From { source, imported, exported }, span });
                }
                if let Some(exported) = namespace {
                    self.exports.push(Export { kind: ExportKind::Namespace { source, exported }, span: place });
                } else if star {
                    self.exports.push(Export { kind: ExportKind::Star { source }, span: place });
                }
            }
            // Local names may be declared further down.
            None => self.pending_exports.extend(clause),
        }
        stmt
    }

    fn export_specifier(&mut self, cursor: &mut TreeCursor<'_>) -> Option<(NameId, NameId, Span)> {
        let place = span(cursor.node());
        let (mut name, mut alias) = (None, None);
        self.each(cursor, |this, cursor, kind| {
            let target = match this.field(cursor) {
                Field::Name => &mut name,
                Field::Alias => &mut alias,
                _ => return,
            };
            let text = match kind {
                Kind::String => this.string(cursor),
                _ => this.intern(span(cursor.node())),
            };
            *target = Some(text);
        });
        let name = name?;
        Some((name, alias.unwrap_or(name), place))
    }

    fn exported_declaration(&mut self, cursor: &mut TreeCursor<'_>, kind: Kind, is_default: bool) -> StmtKind {
        let place = span(cursor.node());
        let declared = self.arenas.bindings.len();
        let (stmt, named) = match kind {
            Kind::FunctionDeclaration | Kind::GeneratorFunctionDeclaration | Kind::FunctionSignature => {
                let (function, binding) = self.function_declaration(cursor);
                (StmtKind::Function(function), binding)
            }
            Kind::ClassDeclaration | Kind::AbstractClassDeclaration => self.class_declaration(cursor),
            Kind::LexicalDeclaration | Kind::VariableDeclaration => {
                let stmt = self.declaration(cursor);
                if let StmtKind::Declare(roots) = stmt {
                    for root in roots.range() {
                        let pattern = self.arenas.roots[root].pattern;
                        self.export_names_of(pattern, place);
                    }
                }
                return stmt;
            }
            _ => {
                let stmt = self.stmt(cursor, kind).map_or(StmtKind::Nothing, StmtKind::Labeled);
                // Types, enums and namespaces declare one name, which comes first.
                let binding = (declared < self.arenas.bindings.len()).then(|| {
                    let first = (declared..self.arenas.bindings.len())
                        .find(|index| self.arenas.bindings[*index].scope == self.scope)
                        .unwrap_or(declared);
                    BindingId::new(first)
                });
                (stmt, binding)
            }
        };
        if let Some(binding) = named {
            let exported = if is_default { self.names.intern("default") } else { self.binding_name(binding) };
            self.exports.push(Export { kind: ExportKind::Local { binding, exported }, span: place });
        } else if let (true, StmtKind::Function(function)) = (is_default, stmt) {
            // `export default function () {}` has no name to be exported under.
            let value = self.add_expr(ExprKind::Function(function), place);
            self.arenas.functions[function.index()].expr = Some(value);
            self.exports.push(Export { kind: ExportKind::Default(value), span: place });
            return StmtKind::Expr(value);
        }
        stmt
    }

    fn binding_name(&self, binding: BindingId) -> NameId {
        self.arenas.bindings[binding.index()].name
    }

    fn export_names_of(&mut self, pattern: PatId, place: Span) {
        match self.arenas.pats[pattern.index()].kind {
            PatKind::Binding(binding) => {
                let exported = self.binding_name(binding);
                self.exports.push(Export { kind: ExportKind::Local { binding, exported }, span: place });
            }
            PatKind::Object(props) => {
                for index in props.range() {
                    let inner = self.arenas.pat_props[index].pattern;
                    self.export_names_of(inner, place);
                }
            }
            PatKind::Array(elements) => {
                for index in elements.range() {
                    let inner = self.arenas.pat_list[index];
                    self.export_names_of(inner, place);
                }
            }
            PatKind::Default { pattern, .. } | PatKind::Rest(pattern) => self.export_names_of(pattern, place),
            PatKind::Target(_) | PatKind::Unknown => {}
        }
    }
}
