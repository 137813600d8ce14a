//! The SDK type that a position expects: what a callback written there receives, what an object written there is.

use agentcheck_catalog::{Ty, TyId};
use agentcheck_syntax::FileId;

use super::array::passes_elements;
use super::{Infer, Loc, Sdk, Value, ValueKind};
use crate::hir::{ExprId, ExprKind, FuncId, Parent, PatKind, PropKey, PropKind, RootSource, StmtKind};

impl Infer<'_> {
    /// What the position of an expression expects, and the SDK call that expects it.
    pub fn expected(&mut self, loc: Loc) -> Option<Sdk> {
        let loc = Loc::new(loc.file, loc.expr);
        if let Some(known) = self.expected.get(&loc) {
            return *known;
        }
        if !self.step() {
            return None;
        }
        // A cycle expects nothing.
        self.expected.insert(loc, None);
        self.depth += 1;
        let expected = self.expected_new(loc);
        self.depth -= 1;
        self.expected.insert(loc, expected);
        expected
    }

    fn expected_new(&mut self, loc: Loc) -> Option<Sdk> {
        let module = self.module(loc.file);
        let at = |expr: ExprId| Loc::new(loc.file, expr);
        match module.expr_parent(loc.expr) {
            Parent::Expr(parent) => match module.expr(parent).kind {
                ExprKind::Call { callee, args } | ExprKind::New { callee, args } => {
                    let index = module.exprs(args).iter().position(|arg| *arg == loc.expr)?;
                    self.expected_argument(at(parent), callee, index)
                }
                ExprKind::Cast { ty, .. } => match self.annotated(loc.file, ty) {
                    Some(ty) => Some(Sdk { ty, origin: None }),
                    None => self.expected(at(parent)),
                },
                ExprKind::Array(_) => {
                    let array = self.expected(at(parent))?;
                    match self.program.types.ty(array.ty) {
                        Ty::Array(element) => Some(Sdk { ty: *element, ..array }),
                        _ => None,
                    }
                }
                ExprKind::NonNull(_) | ExprKind::Conditional { .. } | ExprKind::Binary(..) | ExprKind::Sequence(_) => {
                    self.expected(at(parent))
                }
                _ => None,
            },
            Parent::Prop(prop) => {
                let prop = module.prop(prop);
                let object = self.expected(at(prop.owner))?;
                match (prop.kind, prop.key) {
                    (PropKind::Spread, _) => Some(object),
                    (_, PropKey::Name(name)) => self.expected_property(object, module.name(name)),
                    (_, PropKey::Computed(_)) => self.expected_property(object, ""),
                    (_, PropKey::None) => None,
                }
            }
            Parent::Function(function) => self.expected_result(loc.file, function),
            Parent::Stmt(stmt) if matches!(module.stmt(stmt).kind, StmtKind::Return(_)) => {
                let function = module.enclosing_function(loc.expr)?;
                self.expected_result(loc.file, function)
            }
            Parent::Root(root) => {
                let root = module.root(root);
                if let Some(ty) = root.annotation.and_then(|annotation| self.annotated(loc.file, annotation)) {
                    return Some(Sdk { ty, origin: None });
                }
                let (RootSource::Value(_), PatKind::Binding(binding)) = (root.source, module.pat(root.pattern).kind)
                else {
                    return None;
                };
                let uses = self.uses(loc.file, binding);
                uses.places.iter().find_map(|place| self.expected(*place))
            }
            _ => None,
        }
    }

    /// What an argument of a call is expected to be.
    fn expected_argument(&mut self, call: Loc, callee: ExprId, index: usize) -> Option<Sdk> {
        let callee = self.eval_in(call.file, callee);
        for member in self.alternatives(callee) {
            let ty = match *self.kind(member) {
                ValueKind::Export(export) => self.program.types.value(export).ty,
                ValueKind::Sdk(sdk) => sdk.ty,
                _ => continue,
            };
            if let Ty::Function(signature) | Ty::Class(signature) = self.program.types.ty(ty) {
                return signature.params.get(index).map(|ty| Sdk { ty: *ty, origin: Some(call) });
            }
        }
        None
    }

    fn expected_property(&self, object: Sdk, name: &str) -> Option<Sdk> {
        let types = &self.program.types;
        let alternatives = match types.ty(object.ty) {
            Ty::Union(members) => members.clone(),
            _ => vec![object.ty],
        };
        let ty = alternatives.iter().find_map(|ty| match types.ty(*ty) {
            Ty::Record(record) => types.property(*record, name),
            Ty::Dict(ty) => Some(*ty),
            _ => None,
        })?;
        Some(Sdk { ty, ..object })
    }

    /// What a function is expected to return.
    fn expected_result(&mut self, file: FileId, function: FuncId) -> Option<Sdk> {
        let module = self.module(file);
        let node = module.function(function);
        if let Some(ty) = node.return_type.and_then(|ty| self.annotated(file, ty)) {
            return Some(Sdk { ty: self.without_promise(ty), origin: None });
        }
        if let Some(signature) = self.expected_function(file, function)
            && let Ty::Function(function) = self.program.types.ty(signature.ty)
        {
            return Some(Sdk { ty: self.without_promise(function.result), ..signature });
        }
        // What the callers do with the result.
        let callers = self.callers(file, function);
        callers.calls.iter().find_map(|call| {
            let module = self.module(call.file);
            match module.expr_parent(call.expr) {
                Parent::Expr(outer) if matches!(module.expr(outer).kind, ExprKind::Await(_)) => {
                    self.expected(call.at(outer))
                }
                _ => self.expected(*call),
            }
        })
    }

    fn without_promise(&self, ty: TyId) -> TyId {
        match self.program.types.ty(ty) {
            Ty::Promise(inner) => *inner,
            _ => ty,
        }
    }

    /// The function type that the place of a function expects of it.
    pub fn expected_function(&mut self, file: FileId, function: FuncId) -> Option<Sdk> {
        let module = self.module(file);
        let expected = match module.function(function).expr {
            Some(expr) => self.expected(Loc::new(file, expr)),
            None => {
                let binding = module.binding_of_function(function)?;
                let uses = self.uses(file, binding);
                uses.places.iter().find_map(|place| self.expected(*place))
            }
        }?;
        match self.program.types.ty(expected.ty) {
            Ty::Function(_) => Some(expected),
            Ty::Union(members) => members
                .iter()
                .find(|member| matches!(self.program.types.ty(**member), Ty::Function(_)))
                .map(|member| Sdk { ty: *member, ..expected }),
            _ => None,
        }
    }

    /// What a callback's parameter receives from whoever calls it: an SDK function, an array method, a promise.
    pub(super) fn contextual_param(
        &mut self,
        file: FileId,
        function: FuncId,
        index: usize,
        rest: bool,
        loc: Loc,
    ) -> Option<Value> {
        if rest {
            return None;
        }
        if let Some(expected) = self.expected_function(file, function)
            && let Ty::Function(signature) = self.program.types.ty(expected.ty)
            && let Some(ty) = signature.params.get(index)
        {
            return Some(self.sdk_value(*ty, expected.origin, loc));
        }
        if index != 0 {
            return None;
        }
        let module = self.module(file);
        let expr = module.function(function).expr?;
        let Parent::Expr(call) = module.expr_parent(expr) else { return None };
        let ExprKind::Call { callee, args } = module.expr(call).kind else { return None };
        let ExprKind::Member { object, property } = module.expr(callee).kind else { return None };
        if module.exprs(args).first() != Some(&expr) {
            return None;
        }
        let receiver = self.eval_in(file, object);
        let method = module.name(property);
        if method == "then" {
            let inner: Vec<Value> = self
                .alternatives(receiver)
                .into_iter()
                .filter_map(|member| match *self.kind(member) {
                    ValueKind::Promise(inner) => Some(inner),
                    _ => None,
                })
                .collect();
            return self.join(inner);
        }
        match self.kind(receiver) {
            ValueKind::Array(_)
            | ValueKind::Derived(_)
            | ValueKind::Tail(..)
            | ValueKind::Sdk(_)
            | ValueKind::Union(_)
                if passes_elements(method) =>
            {
                Some(self.element(receiver, loc))
            }
            _ => None,
        }
    }
}
