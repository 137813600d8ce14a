//! Tools that do not say what they are for.

use agentcheck_model::hir::ExprKind;
use agentcheck_model::{KeyOrigin, ValueKind};
use agentcheck_syntax::Place;

use crate::context::{Context, Details};
use crate::tool_functions::tool_name;

pub(crate) fn check(cx: &mut Context<'_>) {
    let sites = std::sync::Arc::clone(&cx.sites);
    let tool = cx.infer.program.types.record_named("Tool");
    for typed in sites.typed.iter().filter(|typed| Some(typed.record) == tool) {
        if !matches!(cx.infer.kind(typed.value), ValueKind::Object(_)) {
            continue;
        }
        let keys = cx.infer.keys(typed.value);
        let Some(schema) = keys.get("inputSchema").or_else(|| keys.get("parameters")) else { continue };
        // A tool of a provider is described by the provider.
        if !keys.open.is_empty() || ["type", "id", "args"].iter().any(|name| keys.get(name).is_some()) {
            continue;
        }
        let place = match keys.get("description") {
            Some(key) => {
                let module = cx.infer.module(key.value.file);
                let is_empty = match module.expr(module.peel(key.value.expr)).kind {
                    ExprKind::String(name) => module.name(name).trim().is_empty(),
                    _ => false,
                };
                if !is_empty {
                    continue;
                }
                key.place
            }
            None => match schema.origin {
                KeyOrigin::Entry(_) => schema.place,
                KeyOrigin::Assignment(at) => {
                    Place { file: at.file, span: cx.infer.module(at.file).expr(at.expr).span }
                }
            },
        };
        let Some(verdict) = cx.judge(&typed.reach.package, &["missing"]) else { continue };
        let slots = vec![("tool", tool_name(cx, typed))];
        cx.report(&verdict, place, Details { slots, ..Details::default() });
    }
}
