//! Whether control comes out at the end of a statement.

use agentcheck_model::hir::{ExprKind, Module, StmtId, StmtKind};

/// Whether control may come out at the end of a statement.
pub(crate) fn may_complete(module: &Module, stmt: StmtId) -> bool {
    match module.stmt(stmt).kind {
        StmtKind::Return(_) | StmtKind::Throw(_) | StmtKind::Break | StmtKind::Continue => false,
        StmtKind::Block(list) => module.stmts(list).iter().all(|stmt| may_complete(module, *stmt)),
        StmtKind::If { then, otherwise, .. } => {
            may_complete(module, then) || otherwise.is_none_or(|otherwise| may_complete(module, otherwise))
        }
        StmtKind::Try { block, catch, finally } => {
            finally.is_none_or(|finally| may_complete(module, finally))
                && (may_complete(module, block) || catch.is_some_and(|catch| may_complete(module, catch)))
        }
        StmtKind::Catch { body, .. } | StmtKind::Labeled(body) => may_complete(module, body),
        // `while (true)` without an end, or a `switch` all of whose cases return: taken as an end, to say less.
        StmtKind::Loop { endless, .. } => !endless,
        StmtKind::Switch { .. } => false,
        // `process.exit(1)`, `fail(error)`, `handleError(error)`: whatever is called with the error may throw.
        StmtKind::Expr(expr) => match module.expr(expr).kind {
            ExprKind::Call { callee, .. } => {
                let callee = module.text(module.expr(callee).span);
                ["console.", "log.", "logger.", "Sentry."].iter().any(|log| callee.contains(log))
                    || callee.rsplit('.').next().is_some_and(|name| {
                        matches!(name, "log" | "error" | "warn" | "info" | "debug" | "captureException" | "report")
                    })
            }
            ExprKind::Await(inner) => !matches!(module.expr(inner).kind, ExprKind::Call { .. }),
            _ => true,
        },
        _ => true,
    }
}

/// Whether control certainly can come out at the end of a block by other ways than a `catch`: nothing in it leads away on
/// every path. `ends` tells of calls that never come back.
pub(crate) fn completes(
    module: &Module,
    stmt: StmtId,
    ends: &mut dyn FnMut(agentcheck_model::hir::ExprId) -> bool,
) -> bool {
    match module.stmt(stmt).kind {
        StmtKind::Return(_) | StmtKind::Throw(_) | StmtKind::Break | StmtKind::Continue => false,
        StmtKind::Block(list) => module.stmts(list).iter().all(|stmt| completes(module, *stmt, ends)),
        StmtKind::If { then, otherwise, .. } => {
            completes(module, then, ends) || otherwise.is_none_or(|otherwise| completes(module, otherwise, ends))
        }
        StmtKind::Try { block, finally, .. } => {
            finally.is_none_or(|finally| completes(module, finally, ends)) && completes(module, block, ends)
        }
        StmtKind::Labeled(body) => completes(module, body, ends),
        // Taken as an end, to say less: `while (true)`, and a `switch` all of whose cases may return.
        StmtKind::Loop { endless, .. } => !endless,
        StmtKind::Switch { .. } | StmtKind::Catch { .. } | StmtKind::Case { .. } => false,
        StmtKind::Expr(expr) => !ends(expr),
        _ => true,
    }
}
