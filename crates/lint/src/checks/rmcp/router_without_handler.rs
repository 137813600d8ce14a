//! A router that the server's handler does not use.

use agentcheck_catalog::Safety;
use agentcheck_model::rust::RustView;
use agentcheck_model::rust::hir::{Impl, TypeKind};
use agentcheck_syntax::{Place, Span};

use crate::context::{Context, Details};
use crate::finding::Fix;
use crate::fix::entry::edit;
use crate::fix::text::{indentation, newline};

pub(crate) fn check(cx: &mut Context<'_>) {
    let Some(view) = cx.rust() else { return };
    for (id, imp) in view.module.all_impls() {
        if !is_server_handler(&view, imp) || imp.has_macros || !imp.preamble.attributes.is_empty() {
            continue;
        }
        let has_own = |name: &str| imp.functions.iter().any(|id| view.text(view.module.function(*id).name) == name);
        if has_own("call_tool") || has_own("list_tools") || view.module.scope(imp.scope).is_test {
            continue;
        }
        let has_router = view.sister_impls(id).into_iter().any(|(file, sister)| {
            view.at(file).is_some_and(|view| is_plain_router(&view, view.module.imp(sister)))
        });
        if !has_router {
            continue;
        }
        let Some(verdict) = cx.judge("rmcp", &["unused"]) else { continue };
        let of_trait = imp.of_trait.as_ref().map_or(imp.span, |of_trait| of_trait.span);
        let indent = indentation(view.source(), imp.span.start);
        let start = Span::empty(imp.span.start);
        let fix = Fix {
            title: "Add `#[tool_handler]`".to_owned(),
            safety: Safety::Safe,
            edits: vec![edit(cx.file, start, format!("#[rmcp::tool_handler]{}{indent}", newline(view.source())))],
        };
        let details = Details {
            slots: vec![("type", view.text(imp.self_type.span).to_owned())],
            fixes: vec![fix],
            ..Details::default()
        };
        cx.report(&verdict, Place { file: cx.file, span: of_trait }, details);
    }
}

/// `impl rmcp::ServerHandler for …`.
pub(super) fn is_server_handler(view: &RustView<'_>, imp: &Impl) -> bool {
    let Some(TypeKind::Path { path, .. }) = imp.of_trait.as_ref().map(|of_trait| &of_trait.kind) else { return false };
    view.foreign(imp.scope, path).is_some_and(|foreign| foreign.is("rmcp", "ServerHandler"))
}

/// `#[tool_router]` that leaves the handler to somebody else.
fn is_plain_router(view: &RustView<'_>, imp: &Impl) -> bool {
    let router = view.attribute(&imp.preamble.attributes, imp.scope, |foreign| foreign.is("rmcp", "tool_router"));
    router.is_some_and(|router| view.argument(router, "server_handler").is_none())
}
