//! Who somebody is and what they may do, asked of the model.

use agentcheck_model::hir::ExprKind;

use crate::context::{Context, Details};
use crate::schemas::input_schema;
use crate::tool_functions::tool_functions;
use crate::zod::{Field, fields, schema};

/// Names of who owns the data.
const OWNERS: [&str; 5] = ["accountid", "workspaceid", "tenantid", "orgid", "organizationid"];

/// Names that may be the subject of a tool as well.
const OTHERS: [&str; 3] = ["userid", "role", "permissions"];

pub(crate) fn check(cx: &mut Context<'_>) {
    for execute in tool_functions(cx, "execute") {
        let Some((_, loc)) = input_schema(cx, &execute.keys) else { continue };
        let Some(root) = schema(&mut cx.infer, loc) else { continue };
        let Some(fields) = fields(&mut cx.infer, &root) else { continue };
        for field in fields.known {
            let bare = field.name.replace(['_', '-'], "").to_lowercase();
            let case = if OWNERS.contains(&bare.as_str()) || cx.option("names").contains(&field.name) {
                "owner"
            } else if OTHERS.contains(&bare.as_str()) {
                "other"
            } else {
                continue;
            };
            if is_fixed(cx, &field) {
                continue;
            }
            let Some(verdict) = cx.judge(&execute.typed.reach.package, &[case]) else { continue };
            let details = Details { slots: vec![("name", field.name)], ..Details::default() };
            cx.report(&verdict, field.place, details);
        }
    }
}

/// Whether the model has nothing to choose.
fn is_fixed(cx: &mut Context<'_>, field: &Field) -> bool {
    let module = cx.infer.module(field.value.file);
    if !matches!(module.expr(module.peel(field.value.expr)).kind, ExprKind::Call { .. }) {
        return false;
    }
    schema(&mut cx.infer, field.value).is_some_and(|schema| matches!(schema.maker.as_str(), "literal" | "enum" | "nativeEnum"))
}
