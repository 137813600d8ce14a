//! Failures of a tool that are handed back as successes.

use agentcheck_model::rust::hir::{BindingDef, ExprId, ExprKind, TypeKind};
use agentcheck_model::rust::{RustView, ToolForm};
use agentcheck_syntax::{Place, Span};

use crate::context::{Context, Details};

pub(crate) fn check(cx: &mut Context<'_>) {
    let Some(view) = cx.rust() else { return };
    for tool in view.tools() {
        let packages = tool.form.packages();
        for (id, expr) in view.module.exprs_of(tool.function) {
            let ExprKind::Call { callee, args } = &expr.kind else { continue };
            let ExprKind::Path { path, .. } = &view.expr(*callee).kind else { continue };
            let holds_content = match view.last(path) {
                "Ok" => false,
                "success" if view.foreign_expr(*callee).is_some_and(|foreign| foreign.package == "rmcp") => true,
                _ => continue,
            };
            let [given] = args.as_slice() else { continue };
            if !in_error_arm(&view, id) || !text(&view, *given, holds_content).is_some_and(says_error) {
                continue;
            }
            report(cx, packages, "text", expr.span);
        }
        if let ToolForm::RigTrait(imp) = tool.form {
            for (name, ty) in &view.module.imp(imp).types {
                let TypeKind::Path { path, .. } = &ty.kind else { continue };
                if view.text(*name) == "Output" && view.last(path) == "Result" {
                    report(cx, packages, "output-type", ty.span);
                }
            }
        }
    }
}

fn report(cx: &mut Context<'_>, packages: &[&str], case: &str, span: Span) {
    let Some(verdict) = packages.iter().find_map(|package| cx.judge(package, &[case])) else { return };
    cx.report(&verdict, Place { file: cx.file, span }, Details::default());
}

/// Whether an expression runs only when something failed: in an `Err` arm, or in a closure of `map_err`, `unwrap_or_else`.
fn in_error_arm(view: &RustView<'_>, id: ExprId) -> bool {
    let mut below = id;
    for above in view.module.above(id) {
        match &view.expr(above).kind {
            ExprKind::Match { arms, .. } => {
                if let Some(arm) = arms.iter().find(|arm| arm.body == below) {
                    return arm.variant.is_some_and(|variant| view.text(variant) == "Err");
                }
            }
            ExprKind::If { test, then, .. } if *then == below => {
                if let ExprKind::Let { bindings, .. } = &view.expr(*test).kind {
                    return bindings.iter().any(|binding| {
                        matches!(view.module.binding(*binding).def, BindingDef::Part { variant: Some(variant), .. }
                            if view.text(variant) == "Err")
                    });
                }
            }
            ExprKind::Method { name, args, .. } if args.contains(&below) => {
                return matches!(view.text(*name), "map_err" | "unwrap_or_else" | "or_else");
            }
            _ => {}
        }
        below = above;
    }
    false
}

/// The text that a message begins with: a literal, that of `format!` or of a conversion, and in content that of its first
/// part. Another function around it may make an error of it: `CallToolResult::error(…)`.
fn text<'p>(view: &RustView<'p>, id: ExprId, in_content: bool) -> Option<&'p str> {
    let id = view.module.peel(id);
    match &view.expr(id).kind {
        ExprKind::Str(span) => Some(view.text(*span)),
        ExprKind::Macro { path, args, .. } => match view.last(path) {
            "format" => text(view, *args.first()?, false),
            "vec" if in_content => text(view, *args.first()?, true),
            _ => None,
        },
        ExprKind::Array(parts) if in_content => text(view, *parts.first()?, true),
        ExprKind::Call { callee, args } => {
            let ExprKind::Path { path, .. } = &view.expr(*callee).kind else { return None };
            let is_text = view.last(path) == "from" || in_content && view.last(path) == "text";
            is_text.then(|| text(view, *args.first()?, false)).flatten()
        }
        ExprKind::Method { receiver, name, .. } if matches!(view.text(*name), "to_string" | "to_owned" | "into") => {
            text(view, *receiver, in_content)
        }
        _ => None,
    }
}

fn says_error(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| !c.is_alphabetic()).to_lowercase();
    ["error", "failed", "failure", "could not", "cannot", "unable to"].iter().any(|word| text.starts_with(word))
}
