//! Ways out of `execute` without a value.

use agentcheck_model::hir::{Body, ExprId, ExprKind, FuncId, Module, StmtId, StmtKind};
use agentcheck_model::{Infer, Loc, ValueKind, returned};
use agentcheck_syntax::{FileId, Place};

use crate::completion::completes;
use crate::context::{Context, Details};
use crate::finding::Related;
use crate::tool_functions::{ToolFunction, tool_functions, tool_name};
use crate::tool_output::{CALLS, is_converted, is_nothing};

/// Names of functions that do not come back.
const ENDING: [&str; 12] = [
    "exit", "abort", "redirect", "permanentRedirect", "notFound", "unauthorized", "forbidden", "assertNever", "never", "fail",
    "panic", "unreachable",
];

pub(crate) fn check(cx: &mut Context<'_>) {
    for execute in tool_functions(cx, "execute") {
        let module = cx.infer.module(execute.file);
        if is_converted(&execute) || module.function(execute.function).is_generator {
            continue;
        }
        let found = ways_out(cx, &execute);
        if found.is_empty() || ends_the_run(cx, &execute) {
            continue;
        }
        for (place, case) in found {
            let Some(verdict) = cx.judge(&execute.typed.reach.package, &[case, &format!("{case}-four")]) else { continue };
            let mut related = Vec::new();
            if place != execute.key.place {
                related.push(Related { place: execute.key.place, message: "the way out of this `execute`".to_owned() });
            }
            cx.report(&verdict, place, Details { related, ..Details::default() });
        }
    }
}

/// Whether the run ends with the call of the tool, so that nobody reads what it returns.
fn ends_the_run(cx: &mut Context<'_>, execute: &ToolFunction) -> bool {
    let name = tool_name(cx, &execute.typed);
    let program = cx.infer.program;
    let names_it = |file: FileId| {
        let source = &program.module(file).source;
        source.contains("hasToolCall") && ['\'', '"', '`'].iter().any(|quote| source.contains(&format!("{quote}{name}{quote}")))
    };
    cx.infer.every_sdk_file().into_iter().any(names_it)
}

fn ways_out(cx: &mut Context<'_>, execute: &ToolFunction) -> Vec<(Place, &'static str)> {
    let module = cx.infer.module(execute.file);
    let file = execute.file;
    let at = |expr: ExprId| Place { file, span: module.expr(expr).span };
    let mut found = Vec::new();
    let values = returned(module, execute.function);
    for expr in &values {
        if never_returns(&mut cx.infer, Loc::new(file, *expr), CALLS) {
            continue;
        }
        if is_nothing(&mut cx.infer, Loc::new(file, *expr), CALLS) {
            found.push((at(*expr), "path"));
        }
    }
    let Some(block) = module.block_of(execute.function) else { return found };
    let mut ends = |expr: ExprId| never_returns(&mut cx.infer, Loc::new(file, expr), CALLS);
    let is_open = completes(module, block, &mut ends);
    let bare = bare_returns(module, block);
    if values.is_empty() {
        if is_open || !bare.is_empty() {
            found.push((execute.key.place, "never"));
        }
        return found;
    }
    found.extend(bare.into_iter().map(|stmt| (Place { file, span: module.stmt(stmt).span }, "path")));
    if is_open {
        found.push((execute.key.place, "end"));
    }
    found
}

/// `return;`
fn bare_returns(module: &Module, block: StmtId) -> Vec<StmtId> {
    let span = module.stmt(block).span;
    let own = module.all_stmts().filter(|(_, stmt)| stmt.kind == StmtKind::Return(None) && span.contains(stmt.span));
    let function = |stmt: StmtId| module.function_above(module.stmt_parent(stmt));
    let around = function(block);
    own.map(|(id, _)| id).filter(|id| function(*id) == around).collect()
}

/// Whether an expression is a call that does not come back.
fn never_returns(infer: &mut Infer<'_>, loc: Loc, left: u32) -> bool {
    let module = infer.module(loc.file);
    let mut expr = module.peel(loc.expr);
    if let ExprKind::Await(inner) = module.expr(expr).kind {
        expr = module.peel(inner);
    }
    let ExprKind::Call { callee, .. } = module.expr(expr).kind else { return false };
    let text = module.text(module.expr(callee).span);
    let name = text.rsplit(['.', '?']).next().unwrap_or_default();
    if ENDING.contains(&name) || name.to_lowercase().starts_with("throw") || name.to_lowercase().contains("never") {
        return true;
    }
    let value = infer.eval(loc.at(callee));
    match *infer.kind(value) {
        ValueKind::Function(file, function, _) => left > 0 && always_throws(infer, file, function, left - 1),
        _ => false,
    }
}

/// Whether a function of the project never ends in the usual way.
fn always_throws(infer: &mut Infer<'_>, file: FileId, function: FuncId, left: u32) -> bool {
    let module = infer.module(file);
    let Body::Block(block) = module.function(function).body else { return false };
    let mut ends = |expr: ExprId| never_returns(infer, Loc::new(file, expr), left);
    returned(module, function).is_empty() && bare_returns(module, block).is_empty() && !completes(module, block, &mut ends)
}
