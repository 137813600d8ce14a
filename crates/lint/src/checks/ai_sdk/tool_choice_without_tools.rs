//! A tool choice on a run that has no tools.

use crate::context::{Context, Details};
use crate::runs::runs;

pub(crate) fn check(cx: &mut Context<'_>) {
    for run in runs(cx) {
        let Some(key) = run.keys.get("toolChoice").cloned() else { continue };
        if !run.keys.open.is_empty() {
            continue;
        }
        let is_loose = |text: Option<String>| matches!(text.as_deref(), Some("auto" | "none"));
        if is_loose(cx.infer.literal_text(key.value)) || cx.infer.is_nothing(key.value) {
            continue;
        }
        let none = match run.tools(cx) {
            None => run.keys.lacks("tools"),
            Some(tools) => tools.tools.is_empty() && !tools.open,
        };
        if !none {
            continue;
        }
        let Some(verdict) = cx.judge(&run.typed.reach.package, &["throws", "dropped"]) else { continue };
        cx.report(&verdict, key.place, Details::default());
    }
}
