//! `catch` clauses out of which a tool ends without a value.

use agentcheck_model::hir::{FuncId, Module, StmtId, StmtKind};
use agentcheck_syntax::{Place, Span};

use crate::completion::may_complete;
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
