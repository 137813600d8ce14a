//! Which throws can leave a function, and which calls let out what they throw or reject with.

use crate::hir::{BinaryOp, BindingDef, Body, ExprId, ExprKind, FuncId, Module, Parent, StmtId, StmtKind};

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

/// What becomes of the promise that an expression gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is awaited by this expression.
    Awaited(ExprId),
    /// The function returns it as it is.
    Returned,
    /// Its rejection is caught, or nobody waits for it.
    Lost,
}

/// Where a value that is handed through names may go at most.
const HOPS: u32 = 8;

/// What becomes of the promise that `expr` gives, within the function around it.
pub fn fate(module: &Module, expr: ExprId) -> Fate {
    fate_within(module, expr, HOPS)
}

fn fate_within(module: &Module, mut expr: ExprId, hops: u32) -> Fate {
    let Some(hops) = hops.checked_sub(1) else { return Fate::Lost };
    loop {
        let parent = match module.expr_parent(expr) {
            Parent::Expr(parent) => parent,
            Parent::Stmt(stmt) => {
                return match module.stmt(stmt).kind {
                    StmtKind::Return(_) => Fate::Returned,
                    _ => Fate::Lost,
                };
            }
            Parent::Function(function) if module.function(function).body == Body::Expr(expr) => return Fate::Returned,
            // `const rows = query(); … await rows`
            Parent::Root(_) => {
                let Some(binding) = module.binding_of_value(expr) else { return Fate::Lost };
                if !matches!(module.binding(binding).def, BindingDef::Pattern { constant: true, .. }) {
                    return Fate::Lost;
                }
                let fates = module.refs(binding).iter().map(|reference| fate_within(module, *reference, hops));
                return fates.into_iter().find(|fate| *fate != Fate::Lost).unwrap_or(Fate::Lost);
            }
            _ => return Fate::Lost,
        };
        match module.expr(parent).kind {
            ExprKind::Await(_) => return Fate::Awaited(parent),
            ExprKind::Member { object, property } if object == expr => {
                let Parent::Expr(call) = module.expr_parent(parent) else { return Fate::Lost };
                let ExprKind::Call { callee, args } = module.expr(call).kind else { return Fate::Lost };
                let goes_on = match module.name(property) {
                    "then" => module.exprs(args).len() < 2,
                    "finally" => true,
                    _ => false,
                };
                if callee != parent || !goes_on {
                    return Fate::Lost;
                }
                expr = call;
            }
            ExprKind::Call { callee, .. } if callee != expr => {
                if !matches!(
                    module.text(module.expr(callee).span),
                    "Promise.all" | "Promise.any" | "Promise.race" | "Promise.resolve"
                ) {
                    return Fate::Lost;
                }
                expr = parent;
            }
            ExprKind::Conditional { test, .. } if test == expr => return Fate::Lost,
            ExprKind::Binary(BinaryOp::Or | BinaryOp::Nullish, ..)
            | ExprKind::Conditional { .. }
            | ExprKind::Array(_)
            | ExprKind::NonNull(_)
            | ExprKind::Cast { .. } => expr = parent,
            ExprKind::Binary(BinaryOp::And, _, right) if right == expr => expr = parent,
            _ => return Fate::Lost,
        }
    }
}

/// Whether a `try` with a `catch`, within the same function, takes up what an expression throws.
pub fn is_caught(module: &Module, expr: ExprId) -> bool {
    let mut parent = module.expr_parent(expr);
    loop {
        parent = match parent {
            Parent::Stmt(stmt) => {
                let above = module.stmt_parent(stmt);
                if let Parent::Stmt(outer) = above
                    && let StmtKind::Try { block, catch: Some(_), .. } = module.stmt(outer).kind
                    && block == stmt
                {
                    return true;
                }
                above
            }
            Parent::Expr(expr) => module.expr_parent(expr),
            Parent::Root(root) => module.root_parent(root),
            Parent::Prop(prop) => module.expr_parent(module.prop(prop).owner),
            _ => return false,
        };
    }
}
