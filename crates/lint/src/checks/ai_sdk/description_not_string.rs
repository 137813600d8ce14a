//! Descriptions of tools that are no texts.

use agentcheck_model::ValueKind;
use agentcheck_model::hir::ExprKind;

use crate::context::{Context, Details};

pub(crate) fn check(cx: &mut Context<'_>) {
    let sites = std::sync::Arc::clone(&cx.sites);
    let tool = cx.infer.program.types.record_named("Tool");
    for typed in sites.typed.iter().filter(|typed| Some(typed.record) == tool) {
        let Some(key) = cx.infer.keys(typed.value).get("description").cloned() else { continue };
        let value = cx.infer.eval(key.value);
        let case = match *cx.infer.kind(value) {
            ValueKind::Function(..) => "function",
            ValueKind::Object(_) | ValueKind::Array(_) | ValueKind::Bool(_) => "other",
            ValueKind::Literal(literal) => {
                match cx.infer.module(literal.file).expr(literal.expr).kind {
                    ExprKind::Number(_) => "other",
                    _ => continue,
                }
            }
            _ => continue,
        };
        let Some(verdict) = cx.judge(&typed.reach.package, &[case]) else { continue };
        cx.report(&verdict, key.place, Details::default());
    }
}
