//! `toModelOutput` beside an `execute` that can throw.

use agentcheck_model::hir::ExprKind;
use agentcheck_syntax::{Place, Span};

use crate::context::{Context, Details};
use crate::finding::Related;
use crate::tool_functions::tool_functions;

pub(crate) fn check(cx: &mut Context<'_>) {
    for execute in tool_functions(cx, "execute") {
        let Some(hook) = execute.keys.get("toModelOutput").cloned() else { continue };
        let escapes = cx.infer.escapes(execute.file, execute.function);
        // What says more than a text of the program has a finding of its own, which mentions the hook.
        let is_plain = |escape: &agentcheck_model::Escape| {
            let module = cx.infer.module(escape.file);
            match module.expr(module.peel(escape.throw.value)).kind {
                ExprKind::New { args, .. } => {
                    module.exprs(args).iter().all(|arg| matches!(module.expr(*arg).kind, ExprKind::String(_)))
                }
                _ => false,
            }
        };
        let Some(escape) = escapes.first().filter(|_| escapes.iter().all(is_plain)) else { continue };
        let Some(verdict) = cx.judge(&execute.typed.reach.package, &["skipped"]) else { continue };
        let module = cx.infer.module(escape.file);
        let stmt = module.stmt(escape.throw.stmt).span;
        let span = Span::new(stmt.start, module.expr(escape.throw.value).span.end);
        let thrown = Related { place: Place { file: escape.file, span }, message: "thrown here".to_owned() };
        let details = Details { related: vec![thrown], ..Details::default() };
        cx.report(&verdict, hook.place, details);
    }
}
