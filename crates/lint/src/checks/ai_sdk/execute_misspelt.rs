//! The function of a tool under a name that nobody reads.

use agentcheck_catalog::Safety;
use agentcheck_model::ValueKind;

use crate::context::{Context, Details};
use crate::finding::Fix;
use crate::fix::{entry, exclusive};

/// What other libraries call it.
const OTHER_NAMES: [&str; 14] = [
    "run", "handler", "handle", "func", "fn", "function", "call", "invoke", "action", "callback", "implementation", "exec",
    "executor", "onExecute",
];

pub(crate) fn check(cx: &mut Context<'_>) {
    let sites = std::sync::Arc::clone(&cx.sites);
    let tool = cx.infer.program.types.record_named("Tool");
    for typed in sites.typed.iter().filter(|typed| Some(typed.record) == tool) {
        let keys = cx.infer.keys(typed.value);
        let has = |name: &str| keys.get(name).is_some();
        if !keys.open.is_empty() || has("execute") || !(has("inputSchema") || has("parameters")) {
            continue;
        }
        for key in &keys.known {
            let is_meant = OTHER_NAMES.contains(&key.name.as_str())
                || key.name.len() > 4 && strsim::osa_distance(&key.name.to_lowercase(), "execute") <= 2;
            let value = cx.infer.eval(key.value);
            if !is_meant || !matches!(cx.infer.kind(value), ValueKind::Function(..)) {
                continue;
            }
            // The project runs the tool itself.
            if exclusive::readers(&mut cx.infer, key) == exclusive::Readers::Certain {
                continue;
            }
            let Some(verdict) = cx.judge(&typed.reach.package, &["misspelt"]) else { continue };
            let edits = entry::rename_key(cx.infer.module(key.place.file), key, "execute");
            let fix = edits.map(|edits| Fix { title: "Call it `execute`".to_owned(), safety: Safety::Unsafe, edits });
            let slots = vec![("name", key.name.clone())];
            cx.report(&verdict, key.place, Details { slots, fixes: fix.into_iter().collect(), ..Details::default() });
        }
    }
}
