//! The arenas of one file, and the questions that can be answered within it.

use std::sync::Arc;

use agentcheck_syntax::{Language, Span};
use rustc_hash::FxHashSet;

use super::{
    Binding, BindingDef, BindingId, Body, Class, ClassId, ClassMember, ClassMemberId, Export, Expr, ExprId, ExprKind,
    FuncId, Function, Import, ImportDecl, ImportDeclId, ImportId, Jsx, JsxId, List, NameId, Names, Pat, PatId, PatProp,
    PatPropId, Prop, PropId, Root, RootId, Scope, ScopeId, Stmt, StmtId, TypeExpr, TypeExprId, TypeMember,
};

/// What a node hangs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parent {
    /// The module itself.
    Module,
    Expr(ExprId),
    Prop(PropId),
    Stmt(StmtId),
    /// The value of a declaration, the iterable of a loop, the default of a parameter.
    Root(RootId),
    /// The default value of a pattern, the target of an assignment, a computed key.
    Pat(PatId),
    /// The body of a function.
    Function(FuncId),
    ClassMember(ClassMemberId),
}

impl Parent {
    const TAG_BITS: u32 = 3;

    pub(crate) fn pack(self) -> u32 {
        let (tag, index) = match self {
            Self::Module => (0, 0),
            Self::Expr(id) => (1, id.index()),
            Self::Prop(id) => (2, id.index()),
            Self::Stmt(id) => (3, id.index()),
            Self::Root(id) => (4, id.index()),
            Self::Pat(id) => (5, id.index()),
            Self::Function(id) => (6, id.index()),
            Self::ClassMember(id) => (7, id.index()),
        };
        ((index as u32) << Self::TAG_BITS) | tag
    }

    fn unpack(packed: u32) -> Self {
        let index = (packed >> Self::TAG_BITS) as usize;
        match packed & ((1 << Self::TAG_BITS) - 1) {
            0 => Self::Module,
            1 => Self::Expr(ExprId::new(index)),
            2 => Self::Prop(PropId::new(index)),
            3 => Self::Stmt(StmtId::new(index)),
            4 => Self::Root(RootId::new(index)),
            5 => Self::Pat(PatId::new(index)),
            6 => Self::Function(FuncId::new(index)),
            _ => Self::ClassMember(ClassMemberId::new(index)),
        }
    }
}

/// A lowered file. Everything is owned, so that modules outlive their trees and can be shared between threads.
#[derive(Debug, PartialEq)]
pub struct Module {
    pub source: Arc<str>,
    pub language: Language,
    /// The parts of the source that are code: all of it, or the scripts of a component.
    pub code: Vec<Span>,
    pub names: Names,
    /// The outermost statements.
    pub body: Vec<StmtId>,
    pub exports: Vec<Export>,
    /// Outermost syntax errors; the rest of the file is lowered as usual.
    pub syntax_errors: Vec<Span>,
    /// The comments that may hold directives, in source order. Empty when the file does not mention agentcheck.
    pub comments: Vec<Span>,
    /// What a file of Rust holds; everything about names and statements above and below is then empty.
    pub rust: Option<Box<crate::rust::hir::RustModule>>,
    pub(crate) arenas: Arenas,
    /// Packed [`Parent`] of each expression, statement and root.
    pub(crate) expr_parents: Vec<u32>,
    pub(crate) stmt_parents: Vec<u32>,
    pub(crate) root_parents: Vec<u32>,
    /// References of binding `b`: `refs[ref_starts[b]..ref_starts[b + 1]]`, in source order.
    pub(crate) ref_starts: Vec<u32>,
    pub(crate) refs: Vec<ExprId>,
    /// Assignments to existing bindings, sorted by binding: the pattern that receives the value.
    pub(crate) writes: Vec<(BindingId, PatId)>,
    /// The names that import declarations declare.
    pub(crate) import_bindings: Vec<BindingId>,
    /// The declarations and parameters whose value is a loaded module: `const x = require('./x')`, `const { x } = await import('./x')`.
    pub(crate) loads: Vec<(RootId, ExprId)>,
}

/// The node arenas, filled by lowering.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Arenas {
    pub exprs: Vec<Expr>,
    pub stmts: Vec<Stmt>,
    pub pats: Vec<Pat>,
    pub props: Vec<Prop>,
    pub pat_props: Vec<PatProp>,
    pub roots: Vec<Root>,
    pub functions: Vec<Function>,
    pub classes: Vec<Class>,
    pub class_members: Vec<ClassMember>,
    pub jsx: Vec<Jsx>,
    pub scopes: Vec<Scope>,
    pub bindings: Vec<Binding>,
    pub type_exprs: Vec<TypeExpr>,
    pub type_members: Vec<TypeMember>,
    pub import_decls: Vec<ImportDecl>,
    pub imports: Vec<Import>,
    pub expr_list: Vec<ExprId>,
    pub stmt_list: Vec<StmtId>,
    pub pat_list: Vec<PatId>,
    pub type_list: Vec<TypeExprId>,
}

macro_rules! getters {
    ($($(#[$doc:meta])* $method:ident($id:ident) -> $node:ident in $arena:ident;)*) => {$(
        $(#[$doc])*
        pub fn $method(&self, id: $id) -> &$node {
            &self.arenas.$arena[id.index()]
        }
    )*};
}

impl Module {
    getters! {
        expr(ExprId) -> Expr in exprs;
        stmt(StmtId) -> Stmt in stmts;
        pat(PatId) -> Pat in pats;
        prop(PropId) -> Prop in props;
        pat_prop(PatPropId) -> PatProp in pat_props;
        root(RootId) -> Root in roots;
        function(FuncId) -> Function in functions;
        class(ClassId) -> Class in classes;
        class_member(ClassMemberId) -> ClassMember in class_members;
        jsx(JsxId) -> Jsx in jsx;
        scope(ScopeId) -> Scope in scopes;
        binding(BindingId) -> Binding in bindings;
        type_expr(TypeExprId) -> TypeExpr in type_exprs;
        import_decl(ImportDeclId) -> ImportDecl in import_decls;
        import(ImportId) -> Import in imports;
    }

    /// The text of a name.
    pub fn name(&self, id: NameId) -> &str {
        self.names.text(id)
    }

    /// The source text of a range.
    pub fn text(&self, span: Span) -> &str {
        span.text(&self.source)
    }

    /// The expressions of a list.
    pub fn exprs(&self, list: List<ExprId>) -> &[ExprId] {
        &self.arenas.expr_list[list.range()]
    }

    /// The statements of a list.
    pub fn stmts(&self, list: List<StmtId>) -> &[StmtId] {
        &self.arenas.stmt_list[list.range()]
    }

    /// The patterns of a list.
    pub fn pats(&self, list: List<PatId>) -> &[PatId] {
        &self.arenas.pat_list[list.range()]
    }

    /// The types of a list.
    pub fn type_exprs(&self, list: List<TypeExprId>) -> &[TypeExprId] {
        &self.arenas.type_list[list.range()]
    }

    /// The members of an object type.
    pub fn type_members(&self, list: List<TypeMember>) -> &[TypeMember] {
        &self.arenas.type_members[list.range()]
    }

    /// The entries of an object literal or the attributes of an element, in source order.
    pub fn props(&self, list: List<PropId>) -> impl DoubleEndedIterator<Item = (PropId, &Prop)> {
        list.range().map(|index| (PropId::new(index), &self.arenas.props[index]))
    }

    /// The entries of an object pattern.
    pub fn pat_props(&self, list: List<PatPropId>) -> impl DoubleEndedIterator<Item = (PatPropId, &PatProp)> {
        list.range().map(|index| (PatPropId::new(index), &self.arenas.pat_props[index]))
    }

    /// Declarations or parameters.
    pub fn roots(&self, list: List<RootId>) -> impl DoubleEndedIterator<Item = (RootId, &Root)> {
        list.range().map(|index| (RootId::new(index), &self.arenas.roots[index]))
    }

    /// The members of a class.
    pub fn class_members(&self, list: List<ClassMemberId>) -> impl Iterator<Item = (ClassMemberId, &ClassMember)> {
        list.range().map(|index| (ClassMemberId::new(index), &self.arenas.class_members[index]))
    }

    /// Every expression of the file, children before parents.
    pub fn all_exprs(&self) -> impl Iterator<Item = (ExprId, &Expr)> {
        self.arenas.exprs.iter().enumerate().map(|(index, expr)| (ExprId::new(index), expr))
    }

    /// The expressions that lie within a range. Lowering goes through the file once, children before parents, so that the
    /// ends of expressions never decrease.
    pub fn exprs_within(&self, span: Span) -> impl Iterator<Item = (ExprId, &Expr)> {
        let exprs = &self.arenas.exprs;
        let first = exprs.partition_point(|expr| expr.span.end <= span.start);
        exprs[first..]
            .iter()
            .enumerate()
            .map(move |(index, expr)| (ExprId::new(first + index), expr))
            .take_while(move |(_, expr)| expr.span.end <= span.end)
            .filter(move |(_, expr)| expr.span.start >= span.start)
    }

    /// Every entry of every object literal and element.
    pub fn all_props(&self) -> impl Iterator<Item = (PropId, &Prop)> {
        self.arenas.props.iter().enumerate().map(|(index, prop)| (PropId::new(index), prop))
    }

    /// Every statement of the file.
    pub fn all_stmts(&self) -> impl Iterator<Item = (StmtId, &Stmt)> {
        self.arenas.stmts.iter().enumerate().map(|(index, stmt)| (StmtId::new(index), stmt))
    }

    /// Every type that is written in the file and was lowered.
    pub fn all_type_exprs(&self) -> impl Iterator<Item = &TypeExpr> {
        self.arenas.type_exprs.iter()
    }

    /// Every outermost pattern of the file.
    pub fn all_roots(&self) -> impl Iterator<Item = &Root> {
        self.arenas.roots.iter()
    }

    /// Every member of every class.
    pub fn all_class_members(&self) -> impl Iterator<Item = &ClassMember> {
        self.arenas.class_members.iter()
    }

    /// Every pattern of the file.
    pub fn all_patterns(&self) -> impl Iterator<Item = (PatId, &Pat)> {
        self.arenas.pats.iter().enumerate().map(|(index, pattern)| (PatId::new(index), pattern))
    }

    /// Every function of the file.
    pub fn all_functions(&self) -> impl Iterator<Item = (FuncId, &Function)> {
        self.arenas.functions.iter().enumerate().map(|(index, function)| (FuncId::new(index), function))
    }

    /// Every name that the file declares.
    pub fn all_bindings(&self) -> impl Iterator<Item = (BindingId, &Binding)> {
        self.arenas.bindings.iter().enumerate().map(|(index, binding)| (BindingId::new(index), binding))
    }

    /// Every imported name.
    pub fn all_imports(&self) -> impl Iterator<Item = (ImportId, &Import)> {
        self.arenas.imports.iter().enumerate().map(|(index, import)| (ImportId::new(index), import))
    }

    /// The specifiers of the modules that the file imports, requires or re-exports from, each once.
    pub fn specifiers(&self) -> Vec<&str> {
        use super::ExportKind;
        let imports = self.arenas.import_decls.iter().map(|decl| self.name(decl.source));
        let exports = self.exports.iter().filter_map(|export| match export.kind {
            ExportKind::From { source, .. } | ExportKind::Star { source } | ExportKind::Namespace { source, .. } => {
                Some(self.name(source))
            }
            _ => None,
        });
        let calls = self.arenas.exprs.iter().filter_map(|expr| match expr.kind {
            ExprKind::Import(source) => self.string(source),
            ExprKind::Call { callee, args } => match self.expr(callee).kind {
                ExprKind::Ident { name, binding: None } if self.name(name) == "require" => {
                    self.string(*self.exprs(args).first()?)
                }
                ExprKind::Ident { .. } if crate::infer::is_made_require(self, callee) => {
                    self.string(*self.exprs(args).first()?)
                }
                _ => None,
            },
            _ => None,
        });
        let mut specifiers: Vec<&str> = imports.chain(exports).chain(calls).collect();
        specifiers.sort_unstable();
        specifiers.dedup();
        specifiers
    }

    /// The names that import declarations declare, with what they import.
    pub fn import_bindings(&self) -> impl Iterator<Item = (BindingId, &Import)> {
        self.import_bindings.iter().filter_map(|id| match self.binding(*id).def {
            BindingDef::Import(import) => Some((*id, self.import(import))),
            _ => None,
        })
    }

    /// The declarations whose value is a loaded module, with its specifier: `const x = require('./x')`.
    pub fn loads(&self) -> impl Iterator<Item = (RootId, &str)> {
        self.loads.iter().filter_map(|(root, source)| Some((*root, self.string(*source)?)))
    }

    /// Every import declaration.
    pub fn all_import_decls(&self) -> impl Iterator<Item = (ImportDeclId, &ImportDecl)> {
        self.arenas.import_decls.iter().enumerate().map(|(index, decl)| (ImportDeclId::new(index), decl))
    }

    /// What an expression hangs on.
    pub fn expr_parent(&self, id: ExprId) -> Parent {
        Parent::unpack(self.expr_parents[id.index()])
    }

    /// What a statement hangs on.
    pub fn stmt_parent(&self, id: StmtId) -> Parent {
        Parent::unpack(self.stmt_parents[id.index()])
    }

    /// Whether the file exports by syntax, which makes it an ES module, and not by assigning to `exports`.
    pub fn has_export_syntax(&self) -> bool {
        use super::ExportKind;
        let assigned = |export: &Export| matches!(export.kind, ExportKind::Whole(_) | ExportKind::Assigned { .. });
        self.exports.iter().any(|export| !assigned(export))
    }

    /// What requiring the module gives, if it says so as a whole.
    pub fn whole_export(&self) -> Option<ExprId> {
        self.exports.iter().find_map(|export| match export.kind {
            super::ExportKind::Whole(value) => Some(value),
            _ => None,
        })
    }

    /// The names under which a declaration is exported.
    pub fn exported_names(&self, id: BindingId) -> Vec<&str> {
        use super::ExportKind;
        let is_it = |expr: ExprId| matches!(self.expr(self.peel(expr)).kind, ExprKind::Ident { binding: Some(binding), .. } if binding == id);
        let mut names = Vec::new();
        for export in &self.exports {
            match export.kind {
                ExportKind::Local { binding, exported } if binding == id => names.push(self.name(exported)),
                ExportKind::Default(expr) | ExportKind::Whole(expr) if is_it(expr) => names.push("default"),
                ExportKind::Assigned { exported, value } if is_it(value) => names.push(self.name(exported)),
                // `module.exports = { run }`
                ExportKind::Whole(expr) => {
                    let ExprKind::Object(props) = self.expr(expr).kind else { continue };
                    names.extend(self.props(props).filter_map(|(_, prop)| match prop.key {
                        super::PropKey::Name(name) if is_it(prop.value) => Some(self.name(name)),
                        _ => None,
                    }));
                }
                _ => {}
            }
        }
        names
    }

    /// Whether a name is exported, under whatever name.
    pub fn is_exported(&self, id: BindingId) -> bool {
        !self.exported_names(id).is_empty()
    }

    /// What a name would mean at an offset.
    pub fn binding_at(&self, name: &str, offset: u32) -> Option<BindingId> {
        let scopes = self.arenas.scopes.iter().enumerate();
        let around = scopes.filter(|(_, scope)| scope.span.start <= offset && offset <= scope.span.end);
        // Scopes are listed from the outside in, so of those that begin together the last is the innermost.
        let (innermost, _) =
            around.min_by_key(|(index, scope)| (scope.span.end - scope.span.start, usize::MAX - index))?;
        let name = self.names.get(name)?;
        let mut scope = Some(ScopeId::new(innermost));
        while let Some(id) = scope {
            let declared = self.arenas.bindings.iter().position(|binding| binding.scope == id && binding.name == name);
            if let Some(index) = declared {
                return Some(BindingId::new(index));
            }
            scope = self.scope(id).parent;
        }
        None
    }

    /// Whether a name is used in a type annotation.
    pub fn is_used_as_type(&self, id: BindingId) -> bool {
        use super::TypeKind;
        self.arenas.type_exprs.iter().any(|ty| match ty.kind {
            TypeKind::Name { binding, .. } | TypeKind::Qualified { binding, .. } => binding == Some(id),
            _ => false,
        })
    }

    /// Where a name is used, in source order. Its declaration is not among them; assignments to it are.
    pub fn refs(&self, id: BindingId) -> &[ExprId] {
        &self.refs[self.ref_starts[id.index()] as usize..self.ref_starts[id.index() + 1] as usize]
    }

    /// The patterns through which a name is assigned to after its declaration.
    pub fn writes(&self, id: BindingId) -> impl Iterator<Item = PatId> + '_ {
        let start = self.writes.partition_point(|(binding, _)| *binding < id);
        self.writes[start..].iter().take_while(move |(binding, _)| *binding == id).map(|(_, pattern)| *pattern)
    }

    /// Every `this.x = value`: the member and the value.
    pub fn this_assignments(&self) -> impl Iterator<Item = (ExprId, ExprId)> + '_ {
        use super::{PatKind, RootSource};
        self.arenas.roots.iter().filter_map(|root| {
            let (PatKind::Target(target), RootSource::Value(value)) = (self.pat(root.pattern).kind, root.source) else {
                return None;
            };
            match self.expr(target).kind {
                ExprKind::Member { object, .. } if self.expr(object).kind == ExprKind::This => Some((target, value)),
                _ => None,
            }
        })
    }

    /// The names of the properties that the file assigns to: `x.name = value`.
    pub fn assigned_properties(&self) -> FxHashSet<NameId> {
        use super::PatKind;
        let targets = self.arenas.pats.iter().filter_map(|pattern| match pattern.kind {
            PatKind::Target(target) => Some(target),
            _ => None,
        });
        targets
            .filter_map(|target| match self.expr(target).kind {
                ExprKind::Member { property, .. } => Some(property),
                _ => None,
            })
            .collect()
    }

    /// The expression with casts, non-null marks and `await`-free wrappers peeled off: `(x as any)!` is `x`.
    pub fn peel(&self, mut id: ExprId) -> ExprId {
        loop {
            match self.expr(id).kind {
                ExprKind::Cast { value, .. } | ExprKind::NonNull(value) => id = value,
                _ => return id,
            }
        }
    }

    /// The string value of a literal.
    pub fn string(&self, id: ExprId) -> Option<&str> {
        match self.expr(self.peel(id)).kind {
            ExprKind::String(name) => Some(self.name(name)),
            _ => None,
        }
    }

    /// The place of a member's own name: `b` in `a.b`. For other expressions, the whole.
    pub fn name_span(&self, id: ExprId) -> Span {
        let expr = self.expr(id);
        match expr.kind {
            ExprKind::Member { property, .. } => {
                Span::new(expr.span.end.saturating_sub(self.name(property).len() as u32), expr.span.end)
            }
            ExprKind::Index { index, .. } => self.expr(index).span,
            _ => expr.span,
        }
    }

    /// The function that an expression runs in, or `None` at the top of the module.
    pub fn enclosing_function(&self, id: ExprId) -> Option<FuncId> {
        self.function_above(self.expr_parent(id))
    }

    /// The function around a node that hangs on `parent`.
    pub fn function_above(&self, mut parent: Parent) -> Option<FuncId> {
        loop {
            parent = match parent {
                Parent::Module => return None,
                Parent::Function(function) => return Some(function),
                Parent::Expr(expr) => self.expr_parent(expr),
                Parent::Prop(prop) => self.expr_parent(self.prop(prop).owner),
                Parent::Stmt(stmt) => self.stmt_parent(stmt),
                Parent::Root(root) => self.root_parent(root),
                Parent::Pat(pattern) => match self.root_of(pattern) {
                    Some(root) => self.root_parent(root),
                    None => return None,
                },
                // Field values run in the constructor, which no rule asks about.
                Parent::ClassMember(_) => return None,
            };
        }
    }

    /// The class whose instance `this` is at an expression, as far as syntax tells.
    pub fn class_of_this(&self, id: ExprId) -> Option<ClassId> {
        let mut parent = self.expr_parent(id);
        loop {
            parent = match parent {
                Parent::Module => return None,
                Parent::Function(function) => match self.function(function) {
                    Function { class: Some(class), .. } => return Some(*class),
                    // An arrow has the `this` of where it stands.
                    Function { is_arrow: true, expr: Some(expr), .. } => self.expr_parent(*expr),
                    _ => return None,
                },
                Parent::ClassMember(member) => return self.class_of_member(member),
                Parent::Expr(expr) => self.expr_parent(expr),
                Parent::Prop(prop) => self.expr_parent(self.prop(prop).owner),
                Parent::Stmt(stmt) => self.stmt_parent(stmt),
                Parent::Root(root) => self.root_parent(root),
                Parent::Pat(pattern) => self.root_parent(self.root_of(pattern)?),
            };
        }
    }

    /// The class that has a member.
    pub fn class_of_member(&self, id: ClassMemberId) -> Option<ClassId> {
        let owns = |class: &Class| class.members.range().contains(&id.index());
        self.arenas.classes.iter().position(owns).map(ClassId::new)
    }

    /// What a declaration hangs on: its statement or, for a parameter, its function.
    pub fn root_parent(&self, id: RootId) -> Parent {
        Parent::unpack(self.root_parents[id.index()])
    }

    /// The outermost pattern that holds `pattern`.
    pub fn root_of(&self, mut pattern: PatId) -> Option<RootId> {
        use super::PatRole;
        loop {
            match self.pat(pattern).role {
                PatRole::Root(root) => return Some(root),
                PatRole::Key(parent, _)
                | PatRole::ObjectRest(parent)
                | PatRole::Element(parent, _)
                | PatRole::ArrayRest(parent, _)
                | PatRole::Inner(parent) => pattern = parent,
            }
        }
    }

    /// The binding that a function is called by: its declaration, or the `const` it is the value of.
    pub fn binding_of_function(&self, id: FuncId) -> Option<BindingId> {
        if let Some(expr) = self.function(id).expr {
            return self.binding_of_value(expr);
        }
        self.all_bindings().find(|(_, binding)| binding.def == BindingDef::Function(id)).map(|(id, _)| id)
    }

    /// The value that `const name = value` declares a name with.
    pub fn value_of_binding(&self, id: BindingId) -> Option<ExprId> {
        use super::{PatRole, RootSource};
        let BindingDef::Pattern { pattern, .. } = self.binding(id).def else { return None };
        let PatRole::Root(root) = self.pat(pattern).role else { return None };
        match self.root(root).source {
            RootSource::Value(value) => Some(value),
            _ => None,
        }
    }

    /// The name that `const name = expr` gives to an expression.
    pub fn binding_of_value(&self, mut expr: ExprId) -> Option<BindingId> {
        use super::{PatKind, RootSource};
        loop {
            match self.expr_parent(expr) {
                Parent::Root(root) => {
                    let root = self.root(root);
                    return match (root.source, self.pat(root.pattern).kind) {
                        (RootSource::Value(value), PatKind::Binding(binding)) if value == expr => Some(binding),
                        _ => None,
                    };
                }
                Parent::Expr(parent)
                    if matches!(self.expr(parent).kind, ExprKind::Cast { .. } | ExprKind::NonNull(_)) =>
                {
                    expr = parent;
                }
                _ => return None,
            }
        }
    }

    /// The block of a function, if it has one.
    pub fn block_of(&self, id: FuncId) -> Option<StmtId> {
        match self.function(id).body {
            Body::Block(block) => Some(block),
            Body::Expr(_) | Body::None => None,
        }
    }
}
