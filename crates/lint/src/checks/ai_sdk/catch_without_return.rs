//! `catch` clauses out of which a tool ends without a value.

use agentcheck_model::hir::{ExprKind, FuncId, Module, StmtId, StmtKind};
use agentcheck_syntax::{Place, Span};

use crate::context::{Context, Details};
use crate::finding::Related;
use crate::tool_functions::tool_functions;
use crate::tool_output::is_converted;

pub(crate) fn check(cx: &mut Context<'_>) {
    for execute in tool_functions(cx, "execute") {
        let module = cx.infer.module(execute.file);
        let function = module.function(execute.function);
        if is_converted(&execute) || function.is_generator || !returns_something(module, execute.function) {
            continue;
        }
        let Some(block) = module.block_of(execute.function) else { continue };
        for catch in ending(module, block) {
            let Some(verdict) = cx.judge(&execute.typed.reach.package, &["nothing"]) else { continue };
            let span = module.stmt(catch).span;
            // The word, not the whole clause.
            let place = Place { file: execute.file, span: Span::new(span.start, span.start + "catch".len() as u32) };
            let related = Related { place: execute.key.place, message: "ends this `execute`".to_owned() };
            cx.report(&verdict, place, Details { related: vec![related], ..Details::default() });
        }
    }
}

/// A tool that never answers is another matter.
fn returns_something(module: &Module, function: FuncId) -> bool {
    !agentcheck_model::returned(module, function).is_empty()
}

/// The clauses after which a block ends, and with it the function, without a value.
fn ending(module: &Module, block: StmtId) -> Vec<StmtId> {
    let StmtKind::Block(list) = module.stmt(block).kind else { return Vec::new() };
    match module.stmts(list).last().map(|last| module.stmt(*last).kind) {
        Some(StmtKind::Try { block: tried, catch, finally }) => {
            if finally.is_some_and(|finally| !may_complete(module, finally)) {
                return Vec::new();
            }
            let mut found = ending(module, tried);
            if let Some(catch) = catch
                && let StmtKind::Catch { body, .. } = module.stmt(catch).kind
                && may_complete(module, body)
            {
                found.push(catch);
            }
            found
        }
        Some(StmtKind::If { then, otherwise, .. }) => {
            let mut found = ending(module, then);
            found.extend(otherwise.into_iter().flat_map(|otherwise| ending(module, otherwise)));
            found
        }
        _ => Vec::new(),
    }
}

/// Whether control may come out at the end of a statement.
fn may_complete(module: &Module, stmt: StmtId) -> bool {
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
