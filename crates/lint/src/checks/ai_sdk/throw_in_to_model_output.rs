//! Errors that leave `toModelOutput`.

use agentcheck_syntax::{Place, Span};

use crate::context::{Context, Details};
use crate::finding::Related;
use crate::tool_functions::tool_functions;

pub(crate) fn check(cx: &mut Context<'_>) {
    for hook in tool_functions(cx, "toModelOutput") {
        let escapes = cx.infer.escapes(hook.file, hook.function);
        let Some(escape) = escapes.first() else { continue };
        let Some(verdict) = cx.judge(&hook.typed.reach.package, &["lost"]) else { continue };
        let module = cx.infer.module(escape.file);
        let stmt = module.stmt(escape.throw.stmt).span;
        let thrown = Place { file: escape.file, span: Span::new(stmt.start, module.expr(escape.throw.value).span.end) };
        let (place, mut related) = match escape.path.first() {
            Some(entered) => {
                let module = cx.infer.module(entered.call.file);
                let place = Place { file: entered.call.file, span: module.expr(entered.call.expr).span };
                (place, vec![Related { place: thrown, message: "thrown here".to_owned() }])
            }
            None => (thrown, Vec::new()),
        };
        related.push(Related { place: hook.key.place, message: "leaves this `toModelOutput`".to_owned() });
        cx.report(&verdict, place, Details { related, ..Details::default() });
    }
}
