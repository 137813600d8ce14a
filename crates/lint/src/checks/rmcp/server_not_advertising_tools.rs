//! `get_info` that does not say that there are tools.

use agentcheck_syntax::Place;

use super::rmcp_router_without_handler::is_server_handler;
use crate::context::{Context, Details};

pub(crate) fn check(cx: &mut Context<'_>) {
    let Some(view) = cx.rust() else { return };
    for (_, imp) in view.module.all_impls() {
        let handler = |foreign: &agentcheck_model::rust::Foreign| foreign.is("rmcp", "tool_handler");
        if !is_server_handler(&view, imp)
            || view.attribute(&imp.preamble.attributes, imp.scope, handler).is_none()
            || view.module.scope(imp.scope).is_test
        {
            continue;
        }
        let own = imp.functions.iter().map(|id| view.module.function(*id));
        let Some(get_info) = own.into_iter().find(|function| view.text(function.name) == "get_info") else { continue };
        let Some(body) = get_info.body else { continue };
        let text = view.text(view.expr(body).span);
        // Only what is written here is known: no capabilities at all, or some made here.
        let says_capabilities = text.contains("capabilities");
        let makes_them = text.contains("ServerCapabilities::");
        let makes_info = ["ServerInfo", "ServerConfig", "InitializeResult"].iter().any(|name| text.contains(name));
        if text.contains("tools") || !makes_info || (says_capabilities && !makes_them) || text.contains("..self") {
            continue;
        }
        let Some(verdict) = cx.judge("rmcp", &["silent"]) else { continue };
        cx.report(&verdict, Place { file: cx.file, span: get_info.name }, Details::default());
    }
}
