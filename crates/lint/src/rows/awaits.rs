//! Rows of kind `await`: a promise used as if it were its value.

use agentcheck_catalog::EditRow;
use agentcheck_model::hir::{ExprId, ExprKind, Module, Parent, PatKind, RootSource, StmtKind};
use agentcheck_model::{Infer, Sites, ValueKind};
use agentcheck_syntax::{FileId, Place, Span};

use super::Found;
use crate::finding::Edit;
use crate::fix::entry::edit;

pub(super) fn check(found: &mut Found<'_, '_>, infer: &mut Infer<'_>, sites: &Sites) {
    let (rows, file) = (found.rows, found.file);
    let module = infer.module(file);
    for call in &sites.calls {
        let Some(wanted) = rows.awaits.get(call.name.as_str()) else { continue };
        // Somebody else's function may well await what it is given.
        let reaches_sdk = |object: ExprId| {
            sites.typed.iter().any(|typed| match *infer.kind(typed.value) {
                ValueKind::Object(of) => (of.file, of.expr) == (file, object),
                _ => false,
            })
        };
        if !is_used_raw(module, call.loc.expr, &reaches_sdk) {
            continue;
        }
        let Some(evidence) = infer.program.evidence(file, &call.package).cloned() else { continue };
        let place = Place { file, span: module.name_span(call.callee) };
        for (index, rename) in wanted {
            found.report(
                (*index, rename),
                &evidence,
                place,
                |_| true,
                |row| match row {
                    EditRow::AddAwait => edits(module, file, call.loc.expr),
                    _ => None,
                },
            );
        }
    }
}

/// Whether the promise certainly gets used where its value is meant: passed on as an option or argument, read, or spread.
/// What is returned or kept may be awaited elsewhere.
fn is_used_raw(module: &Module, expr: ExprId, reaches_sdk: &dyn Fn(ExprId) -> bool) -> bool {
    match module.expr_parent(expr) {
        Parent::Expr(parent) => match module.expr(parent).kind {
            ExprKind::Cast { .. } | ExprKind::NonNull(_) => is_used_raw(module, parent, reaches_sdk),
            ExprKind::Spread(_) => true,
            ExprKind::Member { object, property } if object == expr => {
                !matches!(module.name(property), "then" | "catch" | "finally")
            }
            ExprKind::Index { object, .. } => object == expr,
            _ => false,
        },
        Parent::Prop(prop) => {
            let prop = module.prop(prop);
            matches!(prop.key, agentcheck_model::hir::PropKey::Name(name) if matches!(module.name(name), "messages" | "prompt"))
                && reaches_sdk(prop.owner)
        }
        Parent::Root(root) => {
            let root = module.root(root);
            if root.source != RootSource::Value(expr) {
                return matches!(root.source, RootSource::ForOf { awaits: false, .. });
            }
            match module.pat(root.pattern).kind {
                PatKind::Binding(binding) => {
                    let refs = module.refs(binding);
                    let is_awaited = |reference: &ExprId| matches!(module.expr_parent(*reference), Parent::Expr(parent) if matches!(module.expr(parent).kind, ExprKind::Await(_)));
                    !refs.iter().any(is_awaited)
                        && refs.iter().any(|reference| is_used_raw(module, *reference, reaches_sdk))
                }
                PatKind::Array(_) => true,
                _ => false,
            }
        }
        _ => false,
    }
}

/// Puts `await` before an expression, where that is allowed and in parentheses where something else binds to it.
pub(super) fn edits(module: &Module, file: FileId, expr: ExprId) -> Option<Vec<Edit>> {
    let may_await = match module.enclosing_function(expr) {
        Some(function) => module.function(function).is_async,
        None => module.has_export_syntax() || module.all_import_decls().next().is_some(),
    };
    if !may_await {
        return None;
    }
    let span = module.expr(expr).span;
    let bare = match module.expr_parent(expr) {
        Parent::Expr(parent) => match module.expr(parent).kind {
            ExprKind::Call { callee, .. } | ExprKind::New { callee, .. } => callee != expr,
            ExprKind::Array(_) | ExprKind::Spread(_) => true,
            _ => false,
        },
        Parent::Stmt(stmt) => !matches!(module.stmt(stmt).kind, StmtKind::Nothing),
        Parent::Root(_) | Parent::Prop(_) => true,
        _ => false,
    };
    Some(match bare {
        true => vec![edit(file, Span::empty(span.start), "await ")],
        false => vec![edit(file, Span::empty(span.start), "(await "), edit(file, Span::empty(span.end), ")")],
    })
}
