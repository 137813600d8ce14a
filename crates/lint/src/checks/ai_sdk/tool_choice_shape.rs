//! `toolChoice` that names a tool by a bare text.

use agentcheck_catalog::Safety;
use agentcheck_model::hir::ExprKind;

use crate::context::{Context, Details};
use crate::finding::Fix;
use crate::fix::entry::edit;
use crate::runs::runs;

pub(crate) fn check(cx: &mut Context<'_>) {
    for run in runs(cx) {
        let Some(key) = run.keys.get("toolChoice").cloned() else { continue };
        let Some(name) = cx.infer.literal_text(key.value) else { continue };
        if matches!(name.as_str(), "auto" | "none" | "required") {
            continue;
        }
        let Some(verdict) = cx.judge(&run.typed.reach.package, &["text"]) else { continue };
        let module = cx.infer.module(key.value.file);
        let node = module.expr(module.peel(key.value.expr));
        let is_tool = run.tools(cx).is_some_and(|tools| tools.tools.iter().any(|(known, ..)| *known == name));
        let fixes = match node.kind {
            ExprKind::String(_) if is_tool => {
                let text = format!("{{ type: 'tool', toolName: {} }}", module.text(node.span));
                let title = format!("Force the tool `{name}`");
                vec![Fix { title, safety: Safety::Safe, edits: vec![edit(key.value.file, node.span, text)] }]
            }
            _ => Vec::new(),
        };
        let details = Details { slots: vec![("name", name)], fixes, ..Details::default() };
        cx.report(&verdict, key.place, details);
    }
}
