//! `#[rig_tool]` functions that say nothing of themselves.

use agentcheck_model::rust::ToolForm;
use agentcheck_syntax::Place;

use crate::context::{Context, Details};

pub(crate) fn check(cx: &mut Context<'_>) {
    let Some(view) = cx.rust() else { return };
    for tool in view.tools() {
        let function = view.module.function(tool.function);
        let (ToolForm::RigMacro, Some(attribute)) = (tool.form, tool.attribute) else { continue };
        if function.preamble.has_doc || view.argument(attribute, "description").is_some() {
            continue;
        }
        let verdict = ["rig", "rig-core"].into_iter().find_map(|package| cx.judge(package, &["placeholder"]));
        let Some(verdict) = verdict else { continue };
        let name = view.text(function.name).to_owned();
        let details = Details { slots: vec![("tool", name)], ..Details::default() };
        cx.report(&verdict, Place { file: cx.file, span: function.name }, details);
    }
}
