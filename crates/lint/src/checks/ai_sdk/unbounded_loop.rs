//! Stop conditions that never hold.

use crate::context::{Context, Details};
use crate::runs::{Endless, endless, runs};

pub(crate) fn check(cx: &mut Context<'_>) {
    for run in runs(cx) {
        let Some(key) = run.keys.get("stopWhen").cloned() else { continue };
        // Without tools there is one step.
        let Some(tools) = run.tools(cx) else { continue };
        if tools.tools.is_empty() && !tools.open {
            continue;
        }
        let (case, why) = match endless(cx, key.value, Some(&tools)) {
            Some(Endless::Never(why) | Endless::NoSuchTool(why)) => ("never", why),
            Some(Endless::Perhaps(why)) => ("perhaps", why),
            None => continue,
        };
        let Some(verdict) = cx.judge(&run.typed.reach.package, &[case]) else { continue };
        let details = Details { slots: vec![("why", why)], ..Details::default() };
        cx.report(&verdict, key.place, details);
    }
}
