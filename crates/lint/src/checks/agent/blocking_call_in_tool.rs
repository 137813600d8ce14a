//! Calls that block the thread of an asynchronous tool.

use agentcheck_model::rust::hir::ExprKind;
use agentcheck_model::rust::RustView;
use agentcheck_syntax::Place;

use crate::context::{Context, Details};

pub(crate) fn check(cx: &mut Context<'_>) {
    let Some(view) = cx.rust() else { return };
    for tool in view.tools() {
        if !view.module.function(tool.function).is_async {
            continue;
        }
        for (id, expr) in view.module.exprs_of(tool.function) {
            let Some((case, what)) = blocking(&view, &expr.kind) else { continue };
            if view.may_block(id) {
                continue;
            }
            let Some(verdict) = tool.form.packages().iter().find_map(|package| cx.judge(package, &[case])) else { continue };
            let slots = vec![("what", what)];
            cx.report(&verdict, Place { file: cx.file, span: expr.span }, Details { slots, ..Details::default() });
        }
    }
}

/// What blocks, if a call does.
fn blocking(view: &RustView<'_>, kind: &ExprKind) -> Option<(&'static str, String)> {
    match kind {
        ExprKind::Call { callee, .. } => {
            let foreign = view.foreign_expr(*callee)?;
            let path: Vec<&str> = foreign.path.iter().map(String::as_str).collect();
            let shown = path.join("::");
            match (foreign.package.as_str(), path.as_slice()) {
                ("std", ["thread", "sleep"]) => Some(("blocks", format!("std::{shown}"))),
                ("reqwest", ["blocking", ..]) => Some(("blocks", format!("reqwest::{shown}"))),
                ("std", ["fs", ..]) => Some(("files", format!("std::{shown}"))),
                _ => None,
            }
        }
        // `std::process::Command::new(…).arg(…).output()`
        ExprKind::Method { receiver, name, .. } if matches!(view.text(*name), "output" | "status" | "wait") => {
            let mut at = view.module.peel(*receiver);
            loop {
                match &view.expr(at).kind {
                    ExprKind::Method { receiver, .. } => at = view.module.peel(*receiver),
                    ExprKind::Call { callee, .. } => {
                        let foreign = view.foreign_expr(*callee)?;
                        let is_command = foreign.package == "std" && foreign.path.starts_with(&["process".to_owned(), "Command".to_owned()]);
                        return is_command.then(|| ("blocks", format!("std::process::Command::{}", view.text(*name))));
                    }
                    _ => return None,
                }
            }
        }
        _ => None,
    }
}
