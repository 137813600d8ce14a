//! Tools without an input schema.

use agentcheck_model::ValueKind;

use crate::context::{Context, Details};

pub(crate) fn check(cx: &mut Context<'_>) {
    let sites = std::sync::Arc::clone(&cx.sites);
    let tool = cx.infer.program.types.record_named("Tool");
    for typed in sites.typed.iter().filter(|typed| Some(typed.record) == tool) {
        if !matches!(cx.infer.kind(typed.value), ValueKind::Object(_)) {
            continue;
        }
        let keys = cx.infer.keys(typed.value);
        let has = |name: &str| keys.get(name).is_some();
        // A tool of a provider, or one that says itself what it is, has its schema elsewhere. Another name for the key is the
        // business of the rules about names.
        let is_other = ["inputSchema", "parameters", "type", "id", "args", "schema", "input"].iter().any(|name| has(name));
        if !keys.open.is_empty() || is_other || !has("execute") {
            continue;
        }
        let Some(verdict) = cx.judge(&typed.reach.package, &["crash", "nothing"]) else { continue };
        let Some(execute) = keys.get("execute") else { continue };
        cx.report(&verdict, execute.place, Details::default());
    }
}
