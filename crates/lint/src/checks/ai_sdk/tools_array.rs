//! `tools` given as a list.

use agentcheck_model::ValueKind;

use crate::context::{Context, Details};
use crate::runs::runs;

pub(crate) fn check(cx: &mut Context<'_>) {
    for run in runs(cx) {
        let Some(key) = run.keys.get("tools").cloned() else { continue };
        let value = cx.infer.eval(key.value);
        let members = cx.infer.alternatives(value);
        let is_list = |cx: &Context<'_>, member| matches!(cx.infer.kind(member), ValueKind::Array(_) | ValueKind::Derived(_));
        if !members.into_iter().all(|member| is_list(cx, member)) {
            continue;
        }
        let Some(verdict) = cx.judge(&run.typed.reach.package, &["list"]) else { continue };
        cx.report(&verdict, key.place, Details::default());
    }
}
