//! What a generator returns is not its last result.

use agentcheck_model::{Loc, ValueKind, returned};
use agentcheck_syntax::Place;

use crate::context::{Context, Details};
use crate::tool_functions::tool_functions;

pub(crate) fn check(cx: &mut Context<'_>) {
    for execute in tool_functions(cx, "execute") {
        let module = cx.infer.module(execute.file);
        let function = module.function(execute.function);
        if !function.is_generator {
            continue;
        }
        let package = execute.typed.reach.package.clone();
        if !function.is_async {
            let Some(verdict) = cx.judge(&package, &["four", "sync"]) else { continue };
            cx.report(&verdict, execute.key.place, Details::default());
            continue;
        }
        if let Some(verdict) = cx.judge(&package, &["four"]) {
            cx.report(&verdict, execute.key.place, Details::default());
            continue;
        }
        for expr in returned(module, execute.function) {
            let value = cx.infer.eval(Loc::new(execute.file, expr));
            if matches!(cx.infer.kind(value), ValueKind::Undefined) {
                continue;
            }
            let Some(verdict) = cx.judge(&package, &["ignored"]) else { continue };
            let place = Place { file: execute.file, span: module.expr(expr).span };
            cx.report(&verdict, place, Details::default());
        }
    }
}
