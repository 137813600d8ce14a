//! `response.messages` → `responseMessages`, in the forms in which that is one local edit.

use agentcheck_catalog::Safety;
use agentcheck_model::hir::{
    BindingDef, BindingId, ExprId, ExprKind, Module, Parent, PatId, PatKind, PatRole, PropKey, RootSource,
};
use agentcheck_syntax::{FileId, Span};

use super::{How, Read};
use crate::context::Context;
use crate::finding::{Edit, Fix};
use crate::fix::entry::edit;

const WHOLE_RUN: &str = "responseMessages";

pub(super) fn fix(cx: &Context<'_>, read: &Read) -> Option<Fix> {
    let module = cx.module();
    let edits = match read.how {
        How::Member(expr) => member(module, cx.file, expr)?,
        How::Pattern(pattern) => key(module, cx.file, pattern)?,
    };
    Some(Fix { title: "Read `responseMessages`, which holds the whole run".to_owned(), safety: Safety::Safe, edits })
}

fn member(module: &Module, file: FileId, expr: ExprId) -> Option<Vec<Edit>> {
    let ExprKind::Member { object, .. } = module.expr(expr).kind else { return None };
    let object = module.peel(object);
    match module.expr(object).kind {
        // `result.response.messages`
        ExprKind::Member { property, .. } if module.name(property) == "response" => {
            let span = Span::new(module.name_span(object).start, module.expr(expr).span.end);
            // A comment between the names would be lost.
            let plain = !module.text(span).contains("/*") && !module.text(span).contains("//");
            plain.then(|| vec![edit(file, span, WHOLE_RUN)])
        }
        // `(await result.response).messages`
        ExprKind::Await(inner) => match module.expr(inner).kind {
            ExprKind::Member { property, .. } if module.name(property) == "response" => {
                let result = module.text(Span::new(module.expr(inner).span.start, module.name_span(inner).start));
                Some(vec![edit(file, module.expr(expr).span, awaited(module, expr, &format!("{result}{WHOLE_RUN}")))])
            }
            ExprKind::Ident { binding: Some(binding), .. } => {
                let mut edits = add_to_pattern(module, file, binding)?;
                edits.push(edit(file, module.expr(expr).span, awaited(module, expr, WHOLE_RUN)));
                Some(edits)
            }
            _ => None,
        },
        ExprKind::Ident { binding: Some(binding), .. } => {
            if let Some(mut edits) = add_to_pattern(module, file, binding) {
                edits.push(edit(file, module.expr(expr).span, WHOLE_RUN));
                return Some(edits);
            }
            // `const response = await result.response; … response.messages`
            let value = module.value_of_binding(binding)?;
            if !is_constant(module, binding) || module.enclosing_function(value) != module.enclosing_function(expr) {
                return None;
            }
            let (response, is_awaited) = match module.expr(value).kind {
                ExprKind::Await(inner) => (inner, true),
                _ => (value, false),
            };
            let ExprKind::Member { object: result, property } = module.expr(response).kind else { return None };
            let ExprKind::Ident { binding: Some(name), .. } = module.expr(result).kind else { return None };
            let at = module.expr(expr).span.start;
            let written = module.text(module.expr(result).span);
            let same = module.binding_at(written, at) == Some(name);
            if module.name(property) != "response" || !is_constant(module, name) || !same {
                return None;
            }
            let result = format!("{}.{WHOLE_RUN}", module.text(module.expr(result).span));
            let text = if is_awaited { awaited(module, expr, &result) } else { result };
            Some(vec![edit(file, module.expr(expr).span, text)])
        }
        _ => None,
    }
}

/// `await x`, in parentheses where something else binds to it.
fn awaited(module: &Module, expr: ExprId, text: &str) -> String {
    let bare = match module.expr_parent(expr) {
        Parent::Expr(parent) => match module.expr(parent).kind {
            ExprKind::Call { callee, .. } | ExprKind::New { callee, .. } => callee != expr,
            ExprKind::Array(_) => true,
            _ => false,
        },
        Parent::Root(_) | Parent::Stmt(_) | Parent::Prop(_) => true,
        _ => false,
    };
    if bare { format!("await {text}") } else { format!("(await {text})") }
}

/// `const { messages } = await result.response` and `({ response: { messages } }) => …`.
fn key(module: &Module, file: FileId, pattern: PatId) -> Option<Vec<Edit>> {
    let PatRole::Key(object, _) = module.pat(pattern).role else { return None };
    let PatKind::Object(props) = module.pat(object).kind else { return None };
    let PatKind::Binding(binding) = module.pat(pattern).kind else { return None };
    if props.len() != 1 {
        return None;
    }
    let local = module.name(module.binding(binding).name);
    match module.pat(object).role {
        PatRole::Root(root) => {
            let RootSource::Value(value) = module.root(root).source else { return None };
            let response = match module.expr(value).kind {
                ExprKind::Await(inner) => inner,
                _ => value,
            };
            let ExprKind::Member { property, .. } = module.expr(response).kind else { return None };
            if module.name(property) != "response" {
                return None;
            }
            Some(vec![
                edit(file, module.pat(object).span, local),
                edit(file, module.name_span(response), WHOLE_RUN),
            ])
        }
        // `response: { messages }` as a whole becomes `responseMessages: messages`.
        PatRole::Key(_, prop) => {
            let prop = module.pat_prop(prop);
            let is_response = matches!(prop.key, PropKey::Name(name) if module.name(name) == "response");
            (is_response && prop.pattern == object)
                .then(|| vec![edit(file, prop.span, format!("{WHOLE_RUN}: {local}"))])
        }
        _ => None,
    }
}

/// The edit that makes a pattern which binds `response` bind `responseMessages` too, or instead when nothing else reads it.
fn add_to_pattern(module: &Module, file: FileId, response: BindingId) -> Option<Vec<Edit>> {
    let BindingDef::Pattern { pattern, .. } = module.binding(response).def else { return None };
    let PatRole::Key(_, prop) = module.pat(pattern).role else { return None };
    let prop = module.pat_prop(prop);
    if !matches!(prop.key, PropKey::Name(name) if module.name(name) == "response") {
        return None;
    }
    let root = module.root(module.root_of(pattern)?);
    // The annotation would have to follow, and so would the other callers of a function.
    let is_shared = match root.source {
        RootSource::Param { function, .. } => {
            let binding = module.binding_of_function(function);
            binding.is_some_and(|binding| module.refs(binding).len() > 1 || module.is_exported(binding))
        }
        _ => false,
    };
    let is_typed = root.annotation.is_some_and(|ty| module.text(module.type_expr(ty).span) != "any");
    if is_typed || is_shared {
        return None;
    }
    // The name may be taken.
    if module.all_bindings().any(|(_, binding)| module.name(binding.name) == WHOLE_RUN) {
        return None;
    }
    Some(match module.refs(response).len() {
        1 => vec![edit(file, prop.span, WHOLE_RUN)],
        _ => vec![edit(file, Span::empty(prop.span.end), format!(", {WHOLE_RUN}"))],
    })
}

fn is_constant(module: &Module, binding: BindingId) -> bool {
    matches!(module.binding(binding).def, BindingDef::Pattern { constant: true, .. })
}
