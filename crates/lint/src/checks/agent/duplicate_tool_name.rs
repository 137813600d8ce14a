//! Tools of one router with one name.

use agentcheck_model::rust::ToolForm;
use agentcheck_model::rust::hir::ImplId;
use agentcheck_syntax::{Place, Span};
use rustc_hash::FxHashMap;

use crate::context::{Context, Details};
use crate::finding::Related;

pub(crate) fn check(cx: &mut Context<'_>) {
    let Some(view) = cx.rust() else { return };
    let mut names: FxHashMap<(Option<ImplId>, String), Span> = FxHashMap::default();
    for tool in view.tools().into_iter().filter(|tool| tool.form == ToolForm::Rmcp) {
        let Some(name) = view.tool_name(&tool) else { continue };
        let function = view.module.function(tool.function);
        // One for each platform.
        let attributes = &function.preamble.attributes;
        if attributes.iter().any(|attribute| matches!(view.last(&attribute.path), "cfg" | "cfg_attr")) {
            continue;
        }
        let Some(first) = names.insert((function.of_impl, name.clone()), function.name) else { continue };
        let Some(verdict) = cx.judge("rmcp", &["last-wins"]) else { continue };
        let related = vec![Related { place: Place { file: cx.file, span: first }, message: "this one is never called".to_owned() }];
        let details = Details { slots: vec![("name", name)], related, ..Details::default() };
        cx.report(&verdict, Place { file: cx.file, span: function.name }, details);
    }
}
