//! Tools that say nothing of themselves.

use agentcheck_model::rust::ToolForm;
use agentcheck_syntax::Place;

use crate::context::{Context, Details};

pub(crate) fn check(cx: &mut Context<'_>) {
    let Some(view) = cx.rust() else { return };
    for tool in view.tools() {
        let function = view.module.function(tool.function);
        let (ToolForm::Rmcp, Some(attribute)) = (tool.form, tool.attribute) else { continue };
        let says = |name: &str| view.argument(attribute, name).is_some();
        if function.preamble.has_doc || says("description") || says("tool_box") || says("aggr") {
            continue;
        }
        let Some(verdict) = cx.judge("rmcp", &["missing"]) else { continue };
        let name = view.text(function.name).to_owned();
        let details = Details { slots: vec![("tool", name)], ..Details::default() };
        cx.report(&verdict, Place { file: cx.file, span: function.name }, details);
    }
}
