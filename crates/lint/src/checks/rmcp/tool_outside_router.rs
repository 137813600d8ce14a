//! `#[tool]` functions that no router collects.

use agentcheck_model::rust::{RustView, ToolForm};
use agentcheck_syntax::Place;

use crate::context::{Context, Details};

pub(crate) fn check(cx: &mut Context<'_>) {
    let Some(view) = cx.rust() else { return };
    for tool in view.tools() {
        let function = view.module.function(tool.function);
        let (ToolForm::Rmcp, Some(imp)) = (tool.form, function.of_impl) else { continue };
        let imp = view.module.imp(imp);
        let name = view.text(function.name);
        let is_collected = |attribute: &agentcheck_model::rust::hir::Attribute| {
            // Routers of other crates and wrappers of the project may collect it: only a bare `impl` says that nothing does.
            let last = view.last(&attribute.path);
            last.contains("router") || view.foreign(imp.scope, &attribute.path).is_none() && is_macro(&view, attribute)
        };
        if imp.of_trait.is_some() || imp.preamble.attributes.iter().any(is_collected) || is_used_by_hand(&view, name) {
            continue;
        }
        let Some(verdict) = cx.judge("rmcp", &["outside"]) else { continue };
        let details = Details { slots: vec![("tool", name.to_owned())], ..Details::default() };
        cx.report(&verdict, Place { file: cx.file, span: function.name }, details);
    }
}

/// Attributes that the language knows collect nothing.
fn is_macro(view: &RustView<'_>, attribute: &agentcheck_model::rust::hir::Attribute) -> bool {
    const BUILT_IN: [&str; 10] =
        ["allow", "expect", "warn", "deny", "cfg", "cfg_attr", "doc", "automatically_derived", "must_use", "deprecated"];
    !BUILT_IN.contains(&view.last(&attribute.path))
}

/// `add_tool_attr` is what `#[tool]` makes of `add`, for routers that are put together by hand.
fn is_used_by_hand(view: &RustView<'_>, name: &str) -> bool {
    view.source().contains(&format!("{name}_tool_attr"))
}
