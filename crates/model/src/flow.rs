//! Which throws can leave a function.

use crate::hir::{Body, ExprId, ExprKind, FuncId, Module, StmtId, StmtKind};

/// A `throw` that no `catch` around it, within the same function, takes up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Throw {
    pub stmt: StmtId,
    pub value: ExprId,
    /// The `catch` clause that it stands in, if it does.
    pub inside_catch: Option<StmtId>,
    /// `return Promise.reject(value)`: no `catch` around it takes it up.
    pub is_rejection: bool,
}

/// The throws written in a function itself that can leave it, in source order. Functions inside it are not entered.
pub fn leaving_throws(module: &Module, function: FuncId) -> Vec<Throw> {
    let Body::Block(block) = module.function(function).body else { return Vec::new() };
    let mut throws = Vec::new();
    let mut stack = vec![(block, false, None)];
    let mut children = Vec::new();
    while let Some((stmt, caught, inside_catch)) = stack.pop() {
        match module.stmt(stmt).kind {
            StmtKind::Throw(value) if !caught => throws.push(Throw { stmt, value, inside_catch, is_rejection: false }),
            // Not awaited, a rejection passes by the `catch` around it.
            StmtKind::Return(Some(value)) => {
                throws.extend(rejection(module, value).map(|value| Throw {
                    stmt,
                    value,
                    inside_catch,
                    is_rejection: true,
                }));
            }
            StmtKind::Try { block, catch, finally } => {
                // A `finally` that always returns would swallow as well; nobody writes that on purpose.
                stack.push((block, caught || catch.is_some(), inside_catch));
                if may_throw(module, block) {
                    stack.extend(catch.map(|catch| (catch, caught, Some(catch))));
                }
                stack.extend(finally.map(|finally| (finally, caught, inside_catch)));
            }
            _ => {
                children.clear();
                crate::infer::child_stmts(module, stmt, &mut children);
                stack.extend(children.iter().map(|child| (*child, caught, inside_catch)));
            }
        }
    }
    throws.sort_by_key(|throw| module.stmt(throw.stmt).span.start);
    throws
}

/// What `Promise.reject(value)` rejects with.
fn rejection(module: &Module, expr: ExprId) -> Option<ExprId> {
    let ExprKind::Call { callee, args } = module.expr(expr).kind else { return None };
    let is_reject = module.text(module.expr(callee).span) == "Promise.reject";
    is_reject.then(|| module.exprs(args).first().copied()).flatten()
}

/// Whether anything in a block can throw: a call, an `await`, a `throw`. Reading a property of nothing is left aside.
fn may_throw(module: &Module, block: StmtId) -> bool {
    let throws = |kind: ExprKind| {
        matches!(
            kind,
            ExprKind::Call { .. }
                | ExprKind::New { .. }
                | ExprKind::Await(_)
                | ExprKind::Yield(_)
                | ExprKind::Tagged { .. }
                | ExprKind::Import(_)
                | ExprKind::Unknown
        )
    };
    if module.exprs_within(module.stmt(block).span).any(|(_, expr)| throws(expr.kind)) {
        return true;
    }
    let mut stack = vec![block];
    while let Some(stmt) = stack.pop() {
        if matches!(module.stmt(stmt).kind, StmtKind::Throw(_)) {
            return true;
        }
        crate::infer::child_stmts(module, stmt, &mut stack);
    }
    false
}
