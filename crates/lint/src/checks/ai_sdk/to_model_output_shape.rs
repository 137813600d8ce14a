//! What `toModelOutput` returns, when it is no output.

use agentcheck_model::hir::{Body, ExprKind};
use agentcheck_model::{Loc, ValueKind, returned};
use agentcheck_syntax::Place;

use crate::completion::completes;
use crate::context::{Context, Details};
use crate::tool_functions::tool_functions;
use crate::tool_output::{CALLS, is_nothing};

pub(crate) fn check(cx: &mut Context<'_>) {
    for hook in tool_functions(cx, "toModelOutput") {
        let module = cx.infer.module(hook.file);
        if module.function(hook.function).is_generator {
            continue;
        }
        let package = hook.typed.reach.package.clone();
        let values = returned(module, hook.function);
        for expr in &values {
            let loc = Loc::new(hook.file, *expr);
            let value = cx.infer.eval(loc);
            let value = cx.infer.awaited(value);
            let members = cx.infer.alternatives(value);
            let written = module.expr(module.peel(*expr)).kind;
            let case = |kind: &ValueKind| match kind {
                ValueKind::Literal(_) => Some("text"),
                ValueKind::Opaque if is_text(written) => Some("text"),
                ValueKind::Array(_) | ValueKind::Derived(_) => Some("list"),
                ValueKind::Null => Some("nothing"),
                _ => None,
            };
            let found = match is_nothing(&mut cx.infer, loc, CALLS) {
                true => Some("nothing"),
                false => members.iter().find_map(|member| case(cx.infer.kind(*member))),
            };
            let Some(found) = found else { continue };
            let cases: &[&str] = match found {
                "text" => &["text", "text-five"],
                "list" => &["list"],
                _ => &["nothing"],
            };
            let Some(verdict) = cx.judge(&package, cases) else { continue };
            cx.report(&verdict, Place { file: hook.file, span: module.expr(*expr).span }, Details::default());
        }
        if let Body::Block(block) = module.function(hook.function).body
            && values.is_empty()
            && completes(module, block, &mut |_| false)
            && let Some(verdict) = cx.judge(&package, &["nothing"])
        {
            cx.report(&verdict, hook.key.place, Details::default());
        }
    }
}

/// `a + b` of texts cannot be told from numbers, but a call of `JSON.stringify` or `String` is a text.
fn is_text(kind: ExprKind) -> bool {
    matches!(kind, ExprKind::Template(_) | ExprKind::Call { .. })
}
