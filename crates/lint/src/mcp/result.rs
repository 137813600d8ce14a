//! What a handler returns.

use agentcheck_model::hir::{ExprId, FuncId, Module, Parent, StmtId, StmtKind};
use agentcheck_model::{Loc, Value};
use agentcheck_syntax::FileId;

use crate::context::Context;

/// A value that a handler may return.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Returned {
    /// What is returned, in the handler.
    pub at: Loc,
    /// One of the values that it may be, awaited.
    pub value: Value,
}

/// The values that a function may return, one by one.
pub(crate) fn returned(cx: &mut Context<'_>, file: FileId, function: FuncId) -> Vec<Returned> {
    let module = cx.infer.module(file);
    if module.function(function).is_generator {
        return Vec::new();
    }
    let mut found = Vec::new();
    for expr in agentcheck_model::returned(module, function) {
        let at = Loc::new(file, expr);
        let value = cx.infer.eval(at);
        let value = cx.infer.awaited(value);
        for member in cx.infer.alternatives(value) {
            let value = cx.infer.awaited(member);
            found.push(Returned { at, value });
        }
    }
    found
}

/// The `catch` clause of the function that an expression stands in, the innermost.
pub(crate) fn is_inside_catch(module: &Module, expr: ExprId) -> Option<StmtId> {
    let mut parent = module.expr_parent(expr);
    loop {
        parent = match parent {
            Parent::Module | Parent::Function(_) | Parent::ClassMember(_) => return None,
            Parent::Expr(expr) => module.expr_parent(expr),
            Parent::Prop(prop) => module.expr_parent(module.prop(prop).owner),
            Parent::Root(root) => module.root_parent(root),
            Parent::Pat(pattern) => module.root_parent(module.root_of(pattern)?),
            Parent::Stmt(stmt) => match module.stmt(stmt).kind {
                StmtKind::Catch { .. } => return Some(stmt),
                _ => module.stmt_parent(stmt),
            },
        };
    }
}
