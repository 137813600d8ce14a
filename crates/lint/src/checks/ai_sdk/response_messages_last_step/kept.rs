//! Whether a list of messages is kept: stored, appended, returned or handed on, as opposed to counted or logged.

use agentcheck_model::hir::{ExprId, ExprKind, Module, Parent, PatId, PatKind, PatRole, RootId, RootSource, StmtKind};

/// Names may be handed on in a circle.
const HOPS: u32 = 12;

/// Whether the value of `expr` is kept.
pub(super) fn is_kept(module: &Module, expr: ExprId) -> bool {
    kept(module, expr, HOPS)
}

/// Whether what a pattern receives is kept.
pub(super) fn pattern_is_kept(module: &Module, pattern: PatId) -> bool {
    pattern_kept(module, pattern, HOPS)
}

/// Whether the old property is read only where the new one is missing: `result.responseMessages ?? result.response.messages`.
pub(super) fn is_fallback(module: &Module, expr: ExprId) -> bool {
    let mentions = |other: ExprId| module.text(module.expr(other).span).contains("responseMessages");
    let mut inner = expr;
    loop {
        let Parent::Expr(parent) = module.expr_parent(inner) else { return false };
        match module.expr(parent).kind {
            ExprKind::Binary(_, left, right) if right == inner && mentions(left) => return true,
            ExprKind::Conditional { test, .. } if test != inner && mentions(test) => return true,
            ExprKind::Await(_)
            | ExprKind::NonNull(_)
            | ExprKind::Cast { .. }
            | ExprKind::Binary(..)
            | ExprKind::Conditional { .. }
            | ExprKind::Spread(_) => inner = parent,
            _ => return false,
        }
    }
}

fn kept(module: &Module, expr: ExprId, hops: u32) -> bool {
    let Some(hops) = hops.checked_sub(1) else { return false };
    match module.expr_parent(expr) {
        Parent::Expr(parent) => match module.expr(parent).kind {
            ExprKind::Spread(_)
            | ExprKind::Array(_)
            | ExprKind::Await(_)
            | ExprKind::NonNull(_)
            | ExprKind::Cast { .. }
            | ExprKind::Sequence(_) => kept(module, parent, hops),
            ExprKind::Conditional { test, .. } => test != expr && kept(module, parent, hops),
            ExprKind::Binary(op, ..) => {
                use agentcheck_model::hir::BinaryOp::{And, Nullish, Or};
                matches!(op, And | Or | Nullish) && kept(module, parent, hops)
            }
            ExprKind::Member { object, property } if object == expr => {
                method_keeps(module, parent, module.name(property), hops)
            }
            ExprKind::Call { callee, .. } if callee != expr => argument_kept(module, parent, callee, hops),
            ExprKind::New { .. } | ExprKind::Yield(_) => true,
            ExprKind::Assign { value, target, .. } if value == expr => match module.pat(target).kind {
                PatKind::Target(place) => match module.expr(place).kind {
                    ExprKind::Ident { binding: Some(binding), .. } => {
                        module.refs(binding).iter().any(|reference| *reference != place && kept(module, *reference, hops))
                    }
                    _ => true,
                },
                _ => false,
            },
            _ => false,
        },
        Parent::Prop(prop) => match module.expr(module.prop(prop).owner).kind {
            ExprKind::Object(_) => kept(module, module.prop(prop).owner, hops),
            // An attribute is shown, not kept.
            _ => false,
        },
        Parent::Stmt(stmt) => matches!(module.stmt(stmt).kind, StmtKind::Return(_)),
        // `() => expr`
        Parent::Function(_) => true,
        Parent::Root(root) => root_kept(module, root, hops),
        Parent::ClassMember(_) => true,
        Parent::Pat(_) | Parent::Module => false,
    }
}

fn root_kept(module: &Module, root: RootId, hops: u32) -> bool {
    let root = module.root(root);
    match root.source {
        RootSource::Value(_) | RootSource::ForOf { .. } => pattern_kept(module, root.pattern, hops),
        _ => false,
    }
}

fn pattern_kept(module: &Module, pattern: PatId, hops: u32) -> bool {
    match module.pat(pattern).kind {
        PatKind::Binding(binding) => module.refs(binding).iter().any(|reference| kept(module, *reference, hops)),
        PatKind::Default { pattern, .. } | PatKind::Rest(pattern) => pattern_kept(module, pattern, hops),
        // `const [first] = …` reads one message.
        PatKind::Array(_) | PatKind::Object(_) | PatKind::Unknown => false,
        PatKind::Target(_) => !matches!(module.pat(pattern).role, PatRole::Key(..)),
    }
}

/// `list.method(…)`: some methods keep the list, some make another one of it, most only look.
fn method_keeps(module: &Module, member: ExprId, method: &str, hops: u32) -> bool {
    let Parent::Expr(call) = module.expr_parent(member) else { return false };
    let ExprKind::Call { callee, args } = module.expr(call).kind else { return false };
    if callee != member {
        return false;
    }
    match method {
        "map" | "filter" | "slice" | "concat" | "flatMap" | "toReversed" | "toSorted" | "reverse" | "sort" => {
            kept(module, call, hops)
        }
        "forEach" => module
            .exprs(args)
            .first()
            .is_some_and(|callback| module.text(module.expr(*callback).span).contains(".push(")),
        _ => false,
    }
}

/// An argument of a call: logging and asserting keep nothing, whatever else is called may.
fn argument_kept(module: &Module, call: ExprId, callee: ExprId, hops: u32) -> bool {
    let root = {
        let mut expr = callee;
        loop {
            expr = match module.expr(expr).kind {
                ExprKind::Member { object, .. } => object,
                ExprKind::Call { callee, .. } => callee,
                _ => break expr,
            };
        }
    };
    let name = match module.expr(root).kind {
        ExprKind::Ident { name, .. } => module.name(name),
        _ => "",
    };
    let method = match module.expr(callee).kind {
        ExprKind::Member { property, .. } => module.name(property),
        _ => name,
    };
    let looks = ["console", "expect", "assert", "logger", "log", "process"].contains(&name)
        || name.starts_with("print")
        || name.starts_with("log")
        || ["log", "debug", "info", "warn", "error", "trace", "dir"].contains(&method);
    if looks {
        return false;
    }
    match (name, method) {
        // A text or copy of it, which may itself be logged.
        ("JSON", "stringify") | (_, "structuredClone") | ("Array", "from") => kept(module, call, hops),
        _ => true,
    }
}
