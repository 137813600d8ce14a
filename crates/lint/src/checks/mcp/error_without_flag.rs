//! Failures that a handler returns as if they were answers: no `isError`.

use agentcheck_catalog::Safety;
use agentcheck_model::hir::{ExprId, ExprKind, Module, Parent, StmtKind};
use agentcheck_model::{KeyOrigin, Keys, Loc};
use agentcheck_syntax::{FileId, Span};

use crate::caught::shown;
use crate::context::{Context, Details};
use crate::finding::{Fix, Related};
use crate::fix::entry::{insert_after, replace_entry};
use crate::mcp::{Answer, Flag, Handler, answers, handler_around, is_error};

pub(crate) fn check(cx: &mut Context<'_>) {
    for answer in answers(cx) {
        let worlds = answer.worlds.clone();
        let is_unflagged = |cx: &mut Context<'_>, keys: &Keys| {
            keys.get("content").is_some() && is_error(cx, keys) == Flag::NotSet && !has_other_flag(keys)
        };
        if worlds.is_empty() || !worlds.iter().all(|keys| is_unflagged(cx, keys)) {
            continue;
        }
        let Some((handler, at)) = caught_by(cx, &answer) else { continue };
        if !is_failure(cx, &answer, handler, at) {
            continue;
        }
        let Some(verdict) = cx.judge(&answer.tool.call.package, &["unflagged"]) else { continue };
        let is_written_here = at == answer.object;
        let place = if is_written_here { answer.place(cx) } else { place_of(cx, at) };
        let mut related = Vec::new();
        if !is_written_here {
            related.push(Related { place: answer.place(cx), message: "this is returned".to_owned() });
        }
        let fixes = flag(cx, &worlds[0], answer.object.file).filter(|_| is_written_here && worlds.len() == 1);
        cx.report(&verdict, place, Details { related, fixes: fixes.into_iter().collect(), ..Details::default() });
    }
}

fn place_of(cx: &Context<'_>, at: Loc) -> agentcheck_syntax::Place {
    agentcheck_syntax::Place { file: at.file, span: cx.infer.module(at.file).expr(at.expr).span }
}

/// Whether the answer says in another way that something failed: another rule speaks of that.
fn has_other_flag(keys: &Keys) -> bool {
    keys.known.iter().any(|key| key.name != "isError" && key.name.to_lowercase().replace('_', "") == "iserror")
}

/// What catches the error, and the expression that stands for it there: the object, or the call that makes it.
fn caught_by(cx: &Context<'_>, answer: &Answer) -> Option<(Handler, Loc)> {
    [answer.object, answer.returned.at]
        .into_iter()
        .find_map(|at| Some((handler_around(cx.infer.module(at.file), at.expr)?, at)))
}

/// Whether what is returned is a failure, and no answer that an error stands for, such as "no such order".
fn is_failure(cx: &mut Context<'_>, answer: &Answer, handler: Handler, at: Loc) -> bool {
    let clause = match handler {
        Handler::Clause(clause) => Some(clause),
        Handler::Callback(_) => None,
    };
    // The error's message is told.
    if shown(cx, answer.returned.at, &[]).iter().chain(&shown(cx, at, &[])).any(|shown| shown.catch == clause) {
        return true;
    }
    let module = cx.infer.module(at.file);
    if is_chosen(module, at.expr, handler) {
        return false;
    }
    let mut text = words(module, module.expr(at.expr).span);
    if at != answer.object {
        let module = cx.infer.module(answer.object.file);
        text.push_str(&words(module, module.expr(answer.object.expr).span));
    }
    let text = text.to_lowercase();
    let says = |words: &[&str]| {
        text.split(|c: char| !c.is_alphanumeric() && c != '\'').any(|word| words.iter().any(|stem| word.starts_with(stem)))
    };
    let fails = says(&[
        "error", "fail", "exception", "unable", "could", "couldn", "cannot", "can't", "invalid", "denied", "unavailable",
        "wrong", "problem", "crash", "timed", "timeout", "refused", "unexpected", "sorry", "down",
    ]);
    fails && !says(&["default", "cached", "fallback", "stale"])
}

/// Whether a condition within the handler chooses the answer: an error of a kind that was expected.
fn is_chosen(module: &Module, expr: ExprId, handler: Handler) -> bool {
    let mut parent = module.expr_parent(expr);
    loop {
        parent = match parent {
            Parent::Expr(above) => match module.expr(above).kind {
                ExprKind::Conditional { .. } => return true,
                _ => module.expr_parent(above),
            },
            Parent::Prop(prop) => module.expr_parent(module.prop(prop).owner),
            Parent::Root(root) => module.root_parent(root),
            Parent::Stmt(stmt) => match module.stmt(stmt).kind {
                StmtKind::If { .. } | StmtKind::Switch { .. } => return true,
                _ if handler == Handler::Clause(stmt) => return false,
                _ => module.stmt_parent(stmt),
            },
            _ => return false,
        };
    }
}

/// The texts that are written within a range.
fn words(module: &Module, span: Span) -> String {
    let mut text = String::new();
    for (expr, node) in module.exprs_within(span) {
        match node.kind {
            ExprKind::String(name) => {
                text.push_str(module.name(name));
                text.push(' ');
            }
            ExprKind::Template(values) => {
                let mut from = node.span.start;
                for value in module.exprs(values) {
                    let value = module.expr(*value).span;
                    text.push_str(module.text(Span::new(from.min(value.start), value.start)));
                    from = value.end;
                }
                text.push_str(module.text(Span::new(from, module.expr(expr).span.end)));
                text.push(' ');
            }
            _ => {}
        }
    }
    text
}

/// `isError: true` behind the content.
fn flag(cx: &Context<'_>, keys: &Keys, file: FileId) -> Option<Fix> {
    let module = cx.infer.module(file);
    if let Some(key) = keys.get("isError") {
        let edits = replace_entry(cx.infer.module(key.place.file), key, "isError", "true")?;
        return Some(Fix { title: "Set `isError`".to_owned(), safety: Safety::Safe, edits });
    }
    let content = keys.get("content")?;
    let KeyOrigin::Entry(prop) = content.origin else { return None };
    (content.place.file == file).then(|| Fix {
        title: "Add `isError: true`".to_owned(),
        safety: Safety::Safe,
        edits: vec![insert_after(module, file, prop, "isError: true")],
    })
}
