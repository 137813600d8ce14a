//! A bare `#[tool_handler]` beside a router that holds more, or less, than `Self::tool_router()`.

use agentcheck_catalog::Safety;
use agentcheck_model::rust::hir::{ExprId, ExprKind, ImplId, TypeItemKind, TypeKind};
use agentcheck_model::rust::{Foreign, RustView};
use agentcheck_syntax::{Place, Span};

use super::rmcp_router_without_handler::is_server_handler;
use crate::context::{Context, Details};
use crate::finding::{Fix, Related};
use crate::fix::entry::edit;

/// Methods that change what a router holds.
const CHANGES: [&str; 9] = [
    "merge",
    "add_route",
    "with_route",
    "remove_route",
    "disable",
    "disable_route",
    "with_async_tool",
    "with_sync_tool",
    "with_tool",
];

/// A router that is not just `Self::tool_router()`.
struct Made {
    place: Place,
    /// The field that holds it.
    field: String,
}

pub(crate) fn check(cx: &mut Context<'_>) {
    let Some(view) = cx.rust() else { return };
    for (id, imp) in view.module.all_impls() {
        let is_handler = |foreign: &Foreign| foreign.is("rmcp", "tool_handler");
        let handler = view.attribute(&imp.preamble.attributes, imp.scope, is_handler);
        let Some(handler) = handler.filter(|_| is_server_handler(&view, imp)) else { continue };
        if view.argument(handler, "router").is_some() || !has_default_router(&view, id) {
            continue;
        }
        let Some(made) = made_router(&view, id) else { continue };
        let Some(verdict) = cx.judge("rmcp", &["ignored"]) else { continue };
        let fix = Fix {
            title: format!("Use `self.{}`", made.field),
            safety: Safety::Safe,
            edits: vec![edit(cx.file, inside(handler.span), with_router(&view, handler, &made.field))],
        };
        let related = Related { place: made.place, message: "this router is not asked".to_owned() };
        let details = Details {
            slots: vec![("what", format!("the router in `{}`", made.field)), ("field", made.field)],
            related: vec![related],
            fixes: vec![fix],
        };
        cx.report(&verdict, Place { file: cx.file, span: handler.span }, details);
    }
}

/// Between `#[` and `]`.
fn inside(span: Span) -> Span {
    Span::new(span.start + 2, span.end - 1)
}

fn with_router(view: &RustView<'_>, handler: &agentcheck_model::rust::hir::Attribute, field: &str) -> String {
    let path: Vec<&str> = handler.path.iter().map(|segment| view.text(*segment)).collect();
    let others = handler.args.map(|args| view.text(args).trim()).filter(|args| !args.is_empty());
    let others = others.map_or_else(String::new, |others| format!(", {}", others.trim_end_matches(',')));
    format!("{}(router = self.{field}{others})", path.join("::"))
}

/// Whether one of the type's routers is called `tool_router`, as a bare handler needs to compile.
fn has_default_router(view: &RustView<'_>, id: ImplId) -> bool {
    view.sister_impls(id).into_iter().any(|(file, sister)| {
        let Some(view) = view.at(file) else { return false };
        let imp = view.module.imp(sister);
        let router = view.attribute(&imp.preamble.attributes, imp.scope, |foreign| foreign.is("rmcp", "tool_router"));
        router.is_some_and(|router| view.argument(router, "router").is_none_or(|name| name == "tool_router"))
    })
}

fn made_router(view: &RustView<'_>, id: ImplId) -> Option<Made> {
    let fields = router_fields(view, id)?;
    view.sister_impls(id).into_iter().find_map(|(file, sister)| {
        let view = view.at(file)?;
        let imp = view.module.imp(sister);
        imp.functions.iter().find_map(|function| {
            view.module.exprs_of(*function).find_map(|(_, expr)| {
                let (field, value) = match &expr.kind {
                    ExprKind::Struct { fields: given, .. } => {
                        given.iter().find(|(name, _)| fields.iter().any(|field| field == view.text(*name)))?
                    }
                    _ => return None,
                };
                let place = changed(&view, *value)?;
                let place = Place { file, span: view.expr(place).span };
                Some(Made { place, field: view.text(*field).to_owned() })
            })
        })
    })
}

/// The fields of the server that hold a router.
fn router_fields(view: &RustView<'_>, id: ImplId) -> Option<Vec<String>> {
    let imp = view.module.imp(id);
    let (view, item) = view.definition(imp.scope, &imp.self_type)?;
    let TypeItemKind::Struct(fields) = &item.kind else { return None };
    let is_router = |ty: &agentcheck_model::rust::hir::Type| match &ty.kind {
        TypeKind::Path { path, .. } => {
            view.foreign(item.scope, path).is_some_and(|foreign| foreign.is("rmcp", "ToolRouter"))
        }
        _ => false,
    };
    let routers = fields.iter().filter(|field| is_router(&field.ty));
    Some(routers.map(|field| view.text(field.name).to_owned()).collect())
}

/// Where a router is made into something else than `Self::tool_router()`; `None` when it is just that, or unknown.
fn changed(view: &RustView<'_>, value: ExprId) -> Option<ExprId> {
    let value = view.module.peel(value);
    match &view.expr(value).kind {
        ExprKind::Binary { operator, .. } if view.text(*operator) == "+" => Some(value),
        ExprKind::Method { name, .. } if CHANGES.contains(&view.text(*name)) => Some(value),
        ExprKind::Path { binding: Some(binding), .. } => {
            let binding = view.module.binding(*binding);
            if let agentcheck_model::rust::hir::BindingDef::Let(Some(initial)) = binding.def
                && let Some(changed) = changed(view, initial)
            {
                return Some(changed);
            }
            binding.refs.iter().copied().find_map(|reference| {
                let above = view.expr(reference).parent?;
                match &view.expr(above).kind {
                    ExprKind::Assign { target, is_compound: true, .. } if *target == reference => Some(above),
                    ExprKind::Method { receiver, name, .. }
                        if *receiver == reference && CHANGES.contains(&view.text(*name)) =>
                    {
                        Some(above)
                    }
                    _ => None,
                }
            })
        }
        _ => None,
    }
}
