//! What can only be known when the whole file is lowered: which declaration each name means, where each name is used, and
//! what each node hangs on.

use rustc_hash::FxHashMap;

use super::{Lowerer, Text};
use crate::hir::{
    Arenas, BindingDef, BindingId, Body, Export, ExportKind, ExprId, ExprKind, Module, NameId, Parent, PatId, PatKind,
    PropKey, RootId, RootSource, ScopeId, StmtId, StmtKind, TypeKind,
};

type Declared = FxHashMap<(ScopeId, NameId), BindingId>;

impl Lowerer<'_> {
    pub(super) fn finish(mut self, text: Text, body: Vec<StmtId>) -> Module {
        let mut declared: Declared = FxHashMap::default();
        for (index, binding) in self.arenas.bindings.iter().enumerate() {
            // A type and a value may share a name; the value wins, since only it can hold something.
            let id = BindingId::new(index);
            let slot = declared.entry((binding.scope, binding.name)).or_insert(id);
            if matches!(self.arenas.bindings[slot.index()].def, BindingDef::Type(_)) {
                *slot = id;
            }
        }
        let find = |scopes: &[crate::hir::Scope], mut scope: ScopeId, name: NameId| loop {
            if let Some(binding) = declared.get(&(scope, name)) {
                return Some(*binding);
            }
            scope = scopes[scope.index()].parent?;
        };

        let mut used: Vec<(BindingId, ExprId)> = Vec::with_capacity(self.pending.len());
        for (expr, scope) in std::mem::take(&mut self.pending) {
            let ExprKind::Ident { name, binding } = &mut self.arenas.exprs[expr.index()].kind else { continue };
            *binding = find(&self.arenas.scopes, scope, *name);
            used.extend(binding.map(|binding| (binding, expr)));
        }
        for (ty, looked_up, scope) in std::mem::take(&mut self.pending_types) {
            let found = find(&self.arenas.scopes, scope, looked_up);
            if let TypeKind::Name { binding, .. } | TypeKind::Qualified { binding, .. } =
                &mut self.arenas.type_exprs[ty.index()].kind
            {
                *binding = found;
            }
        }
        for (local, exported, span) in std::mem::take(&mut self.pending_exports) {
            if let Some(binding) = declared.get(&(ScopeId::new(0), local)) {
                self.exports.push(Export { kind: ExportKind::Local { binding: *binding, exported }, span });
            }
        }

        self.add_assigned_exports();
        used.sort_by_key(|(binding, expr)| (*binding, self.arenas.exprs[expr.index()].span.start));
        let mut ref_starts = vec![0u32; self.arenas.bindings.len() + 1];
        for (binding, _) in &used {
            ref_starts[binding.index() + 1] += 1;
        }
        for index in 1..ref_starts.len() {
            ref_starts[index] += ref_starts[index - 1];
        }

        let mut writes = Vec::new();
        for (index, pattern) in self.arenas.pats.iter().enumerate() {
            if let PatKind::Target(target) = pattern.kind
                && let ExprKind::Ident { binding: Some(binding), .. } = self.arenas.exprs[target.index()].kind
            {
                writes.push((binding, PatId::new(index)));
            }
        }
        writes.sort_unstable();

        let is_import = |index: &usize| matches!(self.arenas.bindings[*index].def, BindingDef::Import(_));
        let import_bindings = (0..self.arenas.bindings.len()).filter(is_import).map(BindingId::new).collect();
        let loads = self.loads();
        debug_assert!(
            self.arenas.exprs.is_sorted_by_key(|expr| expr.span.end),
            "`Module::exprs_within` looks expressions up by their end"
        );
        let parents = Parents::of(&self.arenas);
        let Text { source, language, code, syntax_errors, comments, rust } = text;
        let mut module = Module {
            source,
            language,
            code,
            names: self.names.finish(),
            body,
            exports: self.exports,
            syntax_errors,
            comments,
            rust,
            arenas: self.arenas,
            expr_parents: parents.exprs,
            stmt_parents: parents.stmts,
            root_parents: parents.roots,
            ref_starts,
            refs: used.into_iter().map(|(_, expr)| expr).collect(),
            writes,
            import_bindings,
            loads,
        };
        module.arenas.shrink();
        module
    }
}

impl Lowerer<'_> {
    /// The declarations whose value is a loaded module, with the specifier.
    fn loads(&self) -> Vec<(RootId, ExprId)> {
        let require = self.names.find("require");
        let peeled = |mut id: ExprId| loop {
            match self.arenas.exprs[id.index()].kind {
                ExprKind::NonNull(inner) | ExprKind::Cast { value: inner, .. } => id = inner,
                kind => return kind,
            }
        };
        let source = |value: ExprId| match peeled(value) {
            ExprKind::Await(inner) => match peeled(inner) {
                ExprKind::Import(source) => Some(source),
                _ => None,
            },
            ExprKind::Call { callee, args } => match peeled(callee) {
                ExprKind::Ident { name, binding: None } if Some(name) == require => {
                    self.arenas.expr_list.get(args.range()).and_then(|args| args.first().copied())
                }
                _ => None,
            },
            _ => None,
        };
        let roots = self.arenas.roots.iter().enumerate();
        let declared = roots.filter_map(|(index, root)| match root.source {
            RootSource::Value(value) => Some((RootId::new(index), source(value)?)),
            _ => None,
        });
        // `import('./x').then(({ run }) => …)`
        let then = self.names.find("then");
        let handed = self.arenas.exprs.iter().filter_map(|expr| {
            let ExprKind::Call { callee, args } = expr.kind else { return None };
            let ExprKind::Member { object, property } = peeled(callee) else { return None };
            let (ExprKind::Import(source), true) = (peeled(object), Some(property) == then) else { return None };
            let ExprKind::Function(function) = peeled(*self.arenas.expr_list.get(args.range())?.first()?) else {
                return None;
            };
            let root = self.arenas.functions[function.index()].params.range().next()?;
            Some((RootId::new(root), source))
        });
        declared.chain(handed).collect()
    }

    /// `module.exports = …` and `exports.name = …`, where nothing in the file is called like that.
    fn add_assigned_exports(&mut self) {
        let Some(exports) = self.names.find("exports") else { return };
        let module = self.names.find("module");
        let expr = |id: ExprId| self.arenas.exprs[id.index()].kind;
        let is_global =
            |id: ExprId, wanted| matches!(expr(id), ExprKind::Ident { name, binding: None } if name == wanted);
        let is_whole = |id: ExprId| match (expr(id), module) {
            (ExprKind::Member { object, property }, Some(module)) => property == exports && is_global(object, module),
            _ => false,
        };
        let mut found = Vec::new();
        for pattern in &self.arenas.pats {
            let (PatKind::Target(target), crate::hir::PatRole::Root(root)) = (pattern.kind, pattern.role) else {
                continue;
            };
            let RootSource::Value(value) = self.arenas.roots[root.index()].source else { continue };
            let span = self.arenas.exprs[target.index()].span;
            match expr(target) {
                _ if is_whole(target) => found.push(Export { kind: ExportKind::Whole(value), span }),
                ExprKind::Member { object, property } if is_whole(object) || is_global(object, exports) => {
                    found.push(Export { kind: ExportKind::Assigned { exported: property, value }, span });
                }
                _ => {}
            }
        }
        self.exports.extend(found);
    }
}

impl Arenas {
    /// Gives back what growing left over: modules stay in memory for the whole run.
    fn shrink(&mut self) {
        self.exprs.shrink_to_fit();
        self.stmts.shrink_to_fit();
        self.pats.shrink_to_fit();
        self.props.shrink_to_fit();
        self.pat_props.shrink_to_fit();
        self.roots.shrink_to_fit();
        self.functions.shrink_to_fit();
        self.bindings.shrink_to_fit();
        self.scopes.shrink_to_fit();
        self.type_exprs.shrink_to_fit();
        self.expr_list.shrink_to_fit();
        self.stmt_list.shrink_to_fit();
    }
}

struct Parents {
    exprs: Vec<u32>,
    stmts: Vec<u32>,
    roots: Vec<u32>,
}

impl Parents {
    fn of(arenas: &Arenas) -> Self {
        let mut parents = Self {
            exprs: vec![Parent::Module.pack(); arenas.exprs.len()],
            stmts: vec![Parent::Module.pack(); arenas.stmts.len()],
            roots: vec![Parent::Module.pack(); arenas.roots.len()],
        };
        // Roots first: an assignment sets the parent of its own value again, to itself.
        for (index, root) in arenas.roots.iter().enumerate() {
            let parent = Parent::Root(RootId::new(index));
            match root.source {
                RootSource::Value(expr)
                | RootSource::ForOf { iterable: expr, .. }
                | RootSource::ForIn(expr)
                | RootSource::Param { default: Some(expr), .. } => parents.expr(expr, parent),
                RootSource::None | RootSource::Catch | RootSource::Param { default: None, .. } => {}
            }
        }
        for (index, pattern) in arenas.pats.iter().enumerate() {
            let parent = Parent::Pat(PatId::new(index));
            match pattern.kind {
                PatKind::Target(expr) | PatKind::Default { value: expr, .. } => parents.expr(expr, parent),
                PatKind::Object(props) => {
                    for prop in &arenas.pat_props[props.range()] {
                        if let PropKey::Computed(key) = prop.key {
                            parents.expr(key, parent);
                        }
                    }
                }
                _ => {}
            }
        }
        for (index, prop) in arenas.props.iter().enumerate() {
            let parent = Parent::Prop(crate::hir::PropId::new(index));
            parents.expr(prop.value, parent);
            if let PropKey::Computed(key) = prop.key {
                parents.expr(key, parent);
            }
        }
        for (index, function) in arenas.functions.iter().enumerate() {
            let parent = Parent::Function(crate::hir::FuncId::new(index));
            match function.body {
                Body::Expr(expr) => parents.expr(expr, parent),
                Body::Block(stmt) => parents.stmt(stmt, parent),
                Body::None => {}
            }
            for root in function.params.range() {
                parents.roots[root] = parent.pack();
            }
        }
        for (index, member) in arenas.class_members.iter().enumerate() {
            let parent = Parent::ClassMember(crate::hir::ClassMemberId::new(index));
            if let Some(value) = member.value {
                parents.expr(value, parent);
            }
            if let PropKey::Computed(key) = member.key {
                parents.expr(key, parent);
            }
        }
        for index in 0..arenas.exprs.len() {
            parents.expr_children(arenas, ExprId::new(index));
        }
        for index in 0..arenas.stmts.len() {
            parents.stmt_children(arenas, StmtId::new(index));
        }
        parents
    }

    fn expr(&mut self, id: ExprId, parent: Parent) {
        self.exprs[id.index()] = parent.pack();
    }

    fn stmt(&mut self, id: StmtId, parent: Parent) {
        self.stmts[id.index()] = parent.pack();
    }

    fn expr_children(&mut self, arenas: &Arenas, id: ExprId) {
        let parent = Parent::Expr(id);
        match arenas.exprs[id.index()].kind {
            ExprKind::Template(list) | ExprKind::Array(list) | ExprKind::Sequence(list) => {
                self.list(arenas, list, parent);
            }
            ExprKind::Member { object, .. } => self.expr(object, parent),
            ExprKind::Index { object, index } => {
                self.expr(object, parent);
                self.expr(index, parent);
            }
            ExprKind::Call { callee, args } | ExprKind::New { callee, args } => {
                self.expr(callee, parent);
                self.list(arenas, args, parent);
            }
            ExprKind::Tagged { tag, values } => {
                self.expr(tag, parent);
                self.list(arenas, values, parent);
            }
            ExprKind::Import(expr)
            | ExprKind::Await(expr)
            | ExprKind::Yield(Some(expr))
            | ExprKind::Spread(expr)
            | ExprKind::Unary(_, expr)
            | ExprKind::Update(expr)
            | ExprKind::NonNull(expr)
            | ExprKind::Cast { value: expr, .. } => self.expr(expr, parent),
            ExprKind::Binary(_, left, right) => {
                self.expr(left, parent);
                self.expr(right, parent);
            }
            ExprKind::Conditional { test, then, otherwise } => {
                self.expr(test, parent);
                self.expr(then, parent);
                self.expr(otherwise, parent);
            }
            ExprKind::Assign { target, value, .. } => {
                self.expr(value, parent);
                if let Some(root) = root_of(arenas, target) {
                    self.roots[root.index()] = parent.pack();
                }
            }
            ExprKind::Class(class) => {
                if let Some(base) = arenas.classes[class.index()].extends {
                    self.expr(base, parent);
                }
            }
            ExprKind::Jsx(jsx) => {
                let jsx = &arenas.jsx[jsx.index()];
                if let Some(component) = jsx.component {
                    self.expr(component, parent);
                }
                self.list(arenas, jsx.children, parent);
            }
            _ => {}
        }
    }

    fn list(&mut self, arenas: &Arenas, list: crate::hir::List<ExprId>, parent: Parent) {
        for expr in &arenas.expr_list[list.range()] {
            self.expr(*expr, parent);
        }
    }

    fn stmt_children(&mut self, arenas: &Arenas, id: StmtId) {
        let parent = Parent::Stmt(id);
        match arenas.stmts[id.index()].kind {
            StmtKind::Expr(expr) | StmtKind::Throw(expr) | StmtKind::Return(Some(expr)) => self.expr(expr, parent),
            StmtKind::Declare(roots) => {
                for root in roots.range() {
                    self.roots[root] = parent.pack();
                }
            }
            StmtKind::If { test, then, otherwise } => {
                self.expr(test, parent);
                self.stmt(then, parent);
                otherwise.into_iter().for_each(|stmt| self.stmt(stmt, parent));
            }
            StmtKind::Block(list) => {
                arenas.stmt_list[list.range()].iter().for_each(|stmt| self.stmt(*stmt, parent));
            }
            StmtKind::Loop { init, body, .. } => {
                init.into_iter().for_each(|stmt| self.stmt(stmt, parent));
                self.stmt(body, parent);
            }
            StmtKind::ForEach { root, body } => {
                self.roots[root.index()] = parent.pack();
                self.stmt(body, parent);
            }
            StmtKind::Try { block, catch, finally } => {
                [Some(block), catch, finally].into_iter().flatten().for_each(|stmt| self.stmt(stmt, parent));
            }
            StmtKind::Catch { param, body } => {
                if let Some(root) = param {
                    self.roots[root.index()] = parent.pack();
                }
                self.stmt(body, parent);
            }
            StmtKind::Switch { value, cases } => {
                self.expr(value, parent);
                arenas.stmt_list[cases.range()].iter().for_each(|stmt| self.stmt(*stmt, parent));
            }
            StmtKind::Case { test, body } => {
                test.into_iter().for_each(|test| self.expr(test, parent));
                self.stmt(body, parent);
            }
            StmtKind::Labeled(body) => self.stmt(body, parent),
            StmtKind::Class(class) => {
                if let Some(base) = arenas.classes[class.index()].extends {
                    self.expr(base, parent);
                }
            }
            _ => {}
        }
    }
}

fn root_of(arenas: &Arenas, pattern: PatId) -> Option<RootId> {
    match arenas.pats[pattern.index()].role {
        crate::hir::PatRole::Root(root) => Some(root),
        _ => None,
    }
}
