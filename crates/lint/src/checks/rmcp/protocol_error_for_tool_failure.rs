//! Tools that fail with a protocol error.

use agentcheck_model::rust::hir::{ExprId, ExprKind};
use agentcheck_model::rust::{RustView, ToolForm};
use agentcheck_syntax::Place;

use crate::context::{Context, Details};

/// The constructors of `ErrorData`.
const CONSTRUCTORS: [&str; 7] = [
    "new",
    "internal_error",
    "invalid_params",
    "invalid_request",
    "resource_not_found",
    "parse_error",
    "method_not_found",
];

/// Methods that make an error of what they are given.
const MAKERS: [&str; 4] = ["map_err", "ok_or", "ok_or_else", "or_else"];

pub(crate) fn check(cx: &mut Context<'_>) {
    let Some(view) = cx.rust() else { return };
    for tool in view.tools().into_iter().filter(|tool| tool.form == ToolForm::Rmcp) {
        for (id, expr) in view.module.exprs_of(tool.function) {
            let ExprKind::Call { callee, .. } = expr.kind else { continue };
            if !makes_error_data(&view, callee) || !fails_with(&view, id) {
                continue;
            }
            let Some(verdict) = cx.judge("rmcp", &["protocol"]) else { continue };
            // `Content` was renamed in 2.0.0.
            let is_old = verdict.evidence.versions.newest().release.major < 2;
            let block = if is_old { "Content" } else { "ContentBlock" };
            let details = Details { slots: vec![("block", block.to_owned())], ..Details::default() };
            let span = view.expr(callee).span;
            cx.report(&verdict, Place { file: cx.file, span }, details);
        }
    }
}

/// `ErrorData::internal_error`, under whatever name.
fn makes_error_data(view: &RustView<'_>, callee: ExprId) -> bool {
    let Some(foreign) = view.foreign_expr(callee) else { return false };
    let [.., ty, constructor] = foreign.path.as_slice() else { return false };
    foreign.package == "rmcp" && matches!(ty.as_str(), "ErrorData" | "Error") && CONSTRUCTORS.contains(&constructor.as_str())
}

/// Whether what is made becomes the error of a result: `Err(…)`, `map_err(|e| …)`.
fn fails_with(view: &RustView<'_>, id: ExprId) -> bool {
    let mut below = id;
    for above in view.module.above(id) {
        match &view.expr(above).kind {
            ExprKind::Call { callee, args } if args.contains(&below) => {
                let is_err = matches!(&view.expr(*callee).kind, ExprKind::Path { path, .. } if view.last(path) == "Err");
                return is_err;
            }
            ExprKind::Method { name, args, .. } if args.contains(&below) => return MAKERS.contains(&view.text(*name)),
            ExprKind::Closure { .. } | ExprKind::Wrapped(_) => {}
            ExprKind::Block { tail, .. } if *tail == Some(below) => {}
            ExprKind::If { then, otherwise, .. } if *then == below || *otherwise == Some(below) => {}
            ExprKind::Match { arms, .. } if arms.iter().any(|arm| arm.body == below) => {}
            _ => return false,
        }
        below = above;
    }
    false
}
