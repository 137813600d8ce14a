//! Numbers of retries that the call does not take.

use agentcheck_model::hir::{ExprKind, UnaryOp};

use crate::context::{Context, Details};

pub(crate) fn check(cx: &mut Context<'_>) {
    let sites = std::sync::Arc::clone(&cx.sites);
    let types = std::sync::Arc::clone(&cx.infer.program.types);
    let settings = types.record_named("CallSettings");
    for typed in sites.typed.iter().filter(|typed| typed.path.is_empty()) {
        if !settings.is_some_and(|settings| types.is_a(typed.record, settings)) {
            continue;
        }
        let Some(key) = cx.infer.keys(typed.value).get("maxRetries").cloned() else { continue };
        let module = cx.infer.module(key.value.file);
        let expr = module.peel(key.value.expr);
        let text = module.text(module.expr(expr).span).to_owned();
        let is_wrong = match module.expr(expr).kind {
            ExprKind::Unary(UnaryOp::Minus, inner) => matches!(module.expr(inner).kind, ExprKind::Number(_)),
            ExprKind::Number(_) => text.replace('_', "").parse::<f64>().is_ok_and(|number| number.fract() != 0.0),
            _ => false,
        };
        if !is_wrong {
            continue;
        }
        let Some(verdict) = cx.judge(&typed.reach.package, &["throws"]) else { continue };
        cx.report(&verdict, key.place, Details { slots: vec![("value", text)], ..Details::default() });
    }
}
