//! A Rust file as rules look at it.

use std::sync::Arc;

use agentcheck_syntax::{FileId, Span};

use super::hir::{
    Attribute, Expr, ExprId, ExprKind, ImplId, RustModule, ScopeId, Type, TypeItem, TypeItemKind, TypeKind,
};
use super::index::{Item, ItemKind, Named, RustIndex};
use crate::program::Program;

/// A file and what is known around it.
#[derive(Clone)]
pub struct RustView<'p> {
    pub program: &'p Program,
    pub file: FileId,
    pub module: &'p RustModule,
    text: &'p str,
    index: Arc<RustIndex>,
}

/// A thing of a package: `rmcp`, `ErrorData`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    pub package: String,
    /// The path in the package, the thing itself last.
    pub path: Vec<String>,
    /// False behind a glob, where it may come from elsewhere.
    pub certain: bool,
}

impl Foreign {
    /// The thing's own name.
    pub fn name(&self) -> &str {
        self.path.last().map_or("", String::as_str)
    }

    /// Whether it is this thing of this package.
    pub fn is(&self, package: &str, name: &str) -> bool {
        self.package == package && self.name() == name
    }

    /// Whether it is this thing of rig, under either name of the package.
    pub fn is_of_rig(&self, name: &str) -> bool {
        matches!(self.package.as_str(), "rig" | "rig-core" | "rig-agent") && self.name() == name
    }
}

impl<'p> RustView<'p> {
    /// The view of a file; `None` when it is no Rust.
    pub fn new(program: &'p Program, file: FileId) -> Option<Self> {
        let program_file = program.file(file)?;
        let module = program_file.module.rust.as_deref()?;
        Some(Self { program, file, module, text: &program_file.module.source, index: program.rust_index() })
    }

    /// The view of another file of the program.
    pub fn at(&self, file: FileId) -> Option<Self> {
        Self::new(self.program, file)
    }

    pub fn text(&self, span: Span) -> &'p str {
        span.text(self.text)
    }

    /// The whole text of the file.
    pub fn source(&self) -> &'p str {
        self.text
    }

    fn texts(&self, path: &[Span]) -> Vec<&'p str> {
        path.iter().map(|segment| self.text(*segment)).collect()
    }

    /// The last segment of a path.
    pub fn last(&self, path: &[Span]) -> &'p str {
        path.last().map_or("", |last| self.text(*last))
    }

    /// What a path means in a scope.
    pub fn resolve(&self, scope: ScopeId, path: &[Span]) -> Option<Named> {
        self.index.resolve(self.program, self.file, scope, &self.texts(path))
    }

    /// The thing of another package that a path means.
    pub fn foreign(&self, scope: ScopeId, path: &[Span]) -> Option<Foreign> {
        match self.resolve(scope, path)? {
            Named::External { package, path, certain } => Some(Foreign { package, path, certain }),
            Named::Item(_) => None,
        }
    }

    /// The definition in the project that a path means.
    pub fn item(&self, scope: ScopeId, path: &[Span]) -> Option<Item> {
        match self.resolve(scope, path)? {
            Named::Item(item) => Some(item),
            Named::External { .. } => None,
        }
    }

    /// The attribute, if one of these is this thing.
    pub fn attribute<'a>(
        &self,
        attributes: &'a [Attribute],
        scope: ScopeId,
        is: impl Fn(&Foreign) -> bool,
    ) -> Option<&'a Attribute> {
        attributes.iter().find(|attribute| self.foreign(scope, &attribute.path).is_some_and(|foreign| is(&foreign)))
    }

    /// A type without the project's aliases, with the file and the scope that it is then written in.
    pub fn unaliased(&self, scope: ScopeId, ty: &Type) -> (RustView<'p>, ScopeId, Type) {
        let (mut view, mut scope, mut ty) = (self.clone(), scope, ty.clone());
        for _ in 0..8 {
            let Some((next, TypeItem { kind: TypeItemKind::Alias(aliased), scope: around, .. })) =
                view.item_of(scope, &ty)
            else {
                break;
            };
            (view, scope, ty) = (next, *around, aliased.clone());
        }
        (view, scope, ty)
    }

    /// What defines a type that is written as a path of the project.
    fn item_of(&self, scope: ScopeId, ty: &Type) -> Option<(RustView<'p>, &'p TypeItem)> {
        let TypeKind::Path { path, .. } = &ty.kind else { return None };
        let Item { file, kind: ItemKind::Type(index) } = self.item(scope, path)? else { return None };
        let view = self.at(file)?;
        let item = &view.module.types[index as usize];
        Some((view, item))
    }

    /// The definition of a type in the project, aliases followed, with the file that holds it.
    pub fn definition(&self, scope: ScopeId, ty: &Type) -> Option<(RustView<'p>, &'p TypeItem)> {
        let (view, scope, ty) = self.unaliased(scope, ty);
        view.item_of(scope, &ty).filter(|(_, item)| !matches!(item.kind, TypeItemKind::Alias(_)))
    }

    /// Every implementation in the package for the type that an implementation is for, this one included.
    pub fn sister_impls(&self, imp: ImplId) -> Vec<(FileId, ImplId)> {
        let TypeKind::Path { path, .. } = &self.module.imp(imp).self_type.kind else {
            return vec![(self.file, imp)];
        };
        self.index.impls_of(self.program, self.file, self.last(path)).to_vec()
    }

    /// The implementations in the package for a type of this name.
    pub fn impls_of(&self, name: &str) -> Vec<(FileId, ImplId)> {
        self.index.impls_of(self.program, self.file, name).to_vec()
    }

    pub fn expr(&self, id: ExprId) -> &'p Expr {
        self.module.expr(id)
    }

    /// The thing of another package that an expression names.
    pub fn foreign_expr(&self, id: ExprId) -> Option<Foreign> {
        let expr = self.expr(self.module.peel(id));
        match &expr.kind {
            ExprKind::Path { path, binding: None } => self.foreign(expr.scope, path),
            _ => None,
        }
    }

    /// Whether code may block where it stands: within a closure for `spawn_blocking`, `block_in_place` or a thread.
    pub fn may_block(&self, id: ExprId) -> bool {
        const ELSEWHERE: [&str; 3] = ["spawn_blocking", "block_in_place", "spawn"];
        self.module.above(id).any(|above| match &self.expr(above).kind {
            ExprKind::Call { callee, .. } => match &self.expr(*callee).kind {
                ExprKind::Path { path, .. } => ELSEWHERE.contains(&self.last(path)),
                _ => false,
            },
            ExprKind::Method { name, .. } => ELSEWHERE.contains(&self.text(*name)),
            _ => false,
        })
    }
}
