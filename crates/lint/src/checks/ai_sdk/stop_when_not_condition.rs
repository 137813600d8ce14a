//! `stopWhen` given something that is no condition.

use agentcheck_model::hir::ExprKind;
use agentcheck_model::{Loc, ValueKind};

use crate::context::{Context, Details};
use crate::runs::runs;

pub(crate) fn check(cx: &mut Context<'_>) {
    for run in runs(cx) {
        let Some(key) = run.keys.get("stopWhen").cloned() else { continue };
        let Some((case, what)) = wrong(cx, key.value) else { continue };
        let Some(verdict) = cx.judge(&run.typed.reach.package, &[case]) else { continue };
        let details = Details { slots: vec![("what", what)], ..Details::default() };
        cx.report(&verdict, key.place, details);
    }
}

/// What stands there instead of a condition.
fn wrong(cx: &mut Context<'_>, loc: Loc) -> Option<(&'static str, String)> {
    let module = cx.infer.module(loc.file);
    let written = module.text(module.expr(loc.expr).span).to_owned();
    let value = cx.infer.eval(loc);
    match *cx.infer.kind(value) {
        ValueKind::Literal(_) | ValueKind::Bool(_) | ValueKind::Null => Some(("no-function", written)),
        ValueKind::Object(object) => {
            let module = cx.infer.module(object.file);
            matches!(module.expr(object.expr).kind, ExprKind::Object(_)).then(|| ("no-function", "an object".to_owned()))
        }
        ValueKind::Export(export) => {
            let name = cx.infer.program.types.value(export).name.clone();
            matches!(name.as_str(), "isStepCount" | "stepCountIs" | "isLoopFinished" | "hasToolCall")
                .then_some(("uncalled", name))
        }
        _ => None,
    }
}
