//! Whether a key is nobody's business but the SDK's: then changing it changes nothing else.

use agentcheck_model::hir::{
    BindingId, ExportKind, ExprId, ExprKind, Parent, PatId, PatKind, PropKey, RootSource, StmtKind,
};
use agentcheck_model::{Infer, Key, KeyOrigin, Loc};
use agentcheck_syntax::FileId;

/// Values may be handed on in a circle.
const HOPS: u32 = 16;

/// Whether something beside SDK calls may read the key.
pub(crate) fn is_read_elsewhere(infer: &mut Infer<'_>, key: &Key) -> bool {
    let file = key.place.file;
    let module = infer.module(file);
    let mut follow = Follow { infer, file, name: &key.name };
    !match key.origin {
        KeyOrigin::Entry(prop) => follow.value(module.prop(prop).owner, HOPS),
        KeyOrigin::Assignment(member) => {
            let (ExprKind::Member { object, .. } | ExprKind::Index { object, .. }) = module.expr(member.expr).kind
            else {
                return true;
            };
            match module.expr(module.peel(object)).kind {
                ExprKind::Ident { binding: Some(binding), .. } => follow.binding(binding, HOPS),
                _ => false,
            }
        }
    }
}

struct Follow<'i, 'p, 'k> {
    infer: &'i mut Infer<'p>,
    file: FileId,
    name: &'k str,
}

impl Follow<'_, '_, '_> {
    /// Whether everything that gets the object written at `expr` is an SDK call or leaves the key alone.
    fn value(&mut self, expr: ExprId, hops: u32) -> bool {
        let Some(hops) = hops.checked_sub(1) else { return false };
        let module = self.infer.module(self.file);
        match module.expr_parent(expr) {
            Parent::Expr(parent) => match module.expr(parent).kind {
                ExprKind::Call { callee, .. } | ExprKind::New { callee, .. } if callee != expr => {
                    let text = module.text(module.expr(callee).span);
                    text.starts_with("console.")
                        || self.infer.sdk_call_at(Loc { file: self.file, expr: parent }).is_some()
                        // Its result is what it was given.
                        || (text.starts_with("Object.") && self.value(parent, hops))
                }
                ExprKind::Cast { .. }
                | ExprKind::NonNull(_)
                | ExprKind::Conditional { .. }
                | ExprKind::Binary(..)
                | ExprKind::Await(_)
                | ExprKind::Array(_)
                | ExprKind::Sequence(_) => self.value(parent, hops),
                ExprKind::Member { property, .. } => module.name(property) != self.name || self.is_target(parent),
                ExprKind::Index { index, .. } => match module.string(index) {
                    Some(name) => name != self.name || self.is_target(parent),
                    None => false,
                },
                ExprKind::Unary(..) => true,
                _ => false,
            },
            Parent::Prop(prop) => self.value(module.prop(prop).owner, hops),
            Parent::Root(root) => match (module.root(root).source, module.pat(module.root(root).pattern).kind) {
                (RootSource::Value(_), PatKind::Binding(binding)) => self.binding(binding, hops),
                (RootSource::Value(_), PatKind::Object(_)) => !self.takes_key(module.root(root).pattern),
                _ => false,
            },
            Parent::Function(function) => self.results(function, hops),
            Parent::Stmt(stmt) => match module.stmt(stmt).kind {
                StmtKind::Return(_) => match module.enclosing_function(expr) {
                    Some(function) => self.results(function, hops),
                    None => false,
                },
                _ => true,
            },
            _ => false,
        }
    }

    /// Whether the callers of a function leave the key of what it returns alone.
    fn results(&mut self, function: agentcheck_model::hir::FuncId, hops: u32) -> bool {
        let module = self.infer.module(self.file);
        // A callback: its caller is the SDK or an array method.
        let Some(binding) = module.binding_of_function(function) else {
            return module.function(function).expr.is_some_and(|expr| self.value(expr, hops));
        };
        if self.is_exported(binding) {
            return false;
        }
        module.refs(binding).to_vec().into_iter().all(|reference| match module.expr_parent(reference) {
            Parent::Expr(call) => match module.expr(call).kind {
                ExprKind::Call { callee, .. } if callee == reference => self.value(call, hops),
                _ => false,
            },
            _ => false,
        })
    }

    fn binding(&mut self, binding: BindingId, hops: u32) -> bool {
        let module = self.infer.module(self.file);
        !self.is_exported(binding)
            && module.refs(binding).to_vec().into_iter().all(|reference| self.value(reference, hops))
    }

    fn is_exported(&self, binding: BindingId) -> bool {
        let module = self.infer.module(self.file);
        module.exports.iter().any(|export| match export.kind {
            ExportKind::Local { binding: exported, .. } => exported == binding,
            ExportKind::Default(expr) => matches!(
                module.expr(expr).kind,
                ExprKind::Ident { binding: Some(exported), .. } if exported == binding
            ),
            _ => false,
        })
    }

    /// Whether a member is what an assignment writes to.
    fn is_target(&self, member: ExprId) -> bool {
        matches!(self.infer.module(self.file).expr_parent(member), Parent::Pat(_))
    }

    fn takes_key(&self, pattern: PatId) -> bool {
        let module = self.infer.module(self.file);
        let PatKind::Object(props) = module.pat(pattern).kind else { return true };
        module.pat_props(props).any(|(_, prop)| match prop.key {
            PropKey::Name(name) => module.name(name) == self.name,
            PropKey::Computed(_) | PropKey::None => true,
        })
    }
}
