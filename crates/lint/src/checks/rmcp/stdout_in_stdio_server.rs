//! Writing to stdout where stdout is the protocol.

use agentcheck_catalog::Safety;
use agentcheck_model::rust::hir::{ExprId, ExprKind, FnId};
use agentcheck_model::rust::{RustView, ToolForm};
use agentcheck_syntax::{Place, Span};

use crate::context::{Context, Details};
use crate::finding::Fix;
use crate::fix::entry::edit;

pub(crate) fn check(cx: &mut Context<'_>) {
    let Some(view) = cx.rust() else { return };
    for (function, transport) in transports(&view) {
        let start = view.expr(transport).span.start;
        let before = view.module.exprs_of(function).filter(|(id, expr)| {
            expr.span.start < start && runs_before(&view, *id, transport)
        });
        let before: Vec<ExprId> = before.map(|(id, _)| id).collect();
        prints(cx, &view, &before);
        before.into_iter().for_each(|id| subscriber(cx, &view, id));
    }
    if !serves_on_stdio(&view) {
        return;
    }
    for tool in view.tools().into_iter().filter(|tool| tool.form == ToolForm::Rmcp) {
        let body: Vec<ExprId> = view.module.exprs_of(tool.function).map(|(id, _)| id).collect();
        prints(cx, &view, &body);
    }
}

/// The calls that make a transport of stdin and stdout, each with its function.
fn transports(view: &RustView<'_>) -> Vec<(FnId, ExprId)> {
    let mut found = Vec::new();
    for (id, expr) in view.module.all_exprs() {
        let Some(function) = expr.function.filter(|function| !view.module.function(*function).is_test) else { continue };
        if is_transport(view, id) {
            found.push((function, id));
        }
    }
    found
}

fn is_transport(view: &RustView<'_>, id: ExprId) -> bool {
    let calls = |id: ExprId, package: &[&str], name: &str| match view.expr(id).kind {
        ExprKind::Call { callee, .. } => view
            .foreign_expr(callee)
            .is_some_and(|foreign| package.contains(&foreign.package.as_str()) && foreign.name() == name),
        _ => false,
    };
    if calls(id, &["rmcp"], "stdio") {
        return true;
    }
    let ExprKind::Tuple(parts) = &view.expr(id).kind else { return false };
    let io = ["tokio", "std"];
    matches!(parts.as_slice(), [input, output] if calls(*input, &io, "stdin") && calls(*output, &io, "stdout"))
        && view.expr(id).parent.is_some_and(|above| match &view.expr(above).kind {
            ExprKind::Method { name, .. } => view.text(*name) == "serve",
            ExprKind::Call { callee, .. } => view.foreign_expr(*callee).is_some_and(|of| of.package == "rmcp"),
            _ => false,
        })
}

/// Whether some file of the crate serves on stdio.
fn serves_on_stdio(view: &RustView<'_>) -> bool {
    let own = view.program.file(view.file).and_then(|file| file.package.as_ref());
    view.program.file_ids().into_iter().any(|file| {
        let package = view.program.file(file).and_then(|file| file.package.as_ref());
        package == own && view.at(file).is_some_and(|other| !transports(&other).is_empty())
    })
}

/// Whether an expression stands in a block around the transport: what is in a branch of its own may not run.
fn runs_before(view: &RustView<'_>, id: ExprId, transport: ExprId) -> bool {
    let block = |id: ExprId| {
        view.module.above(id).find(|above| matches!(view.expr(*above).kind, ExprKind::Block { .. } | ExprKind::Closure { .. }))
    };
    let Some(own) = block(id) else { return false };
    let is_unconditional = |above: &ExprId| !matches!(view.expr(*above).kind, ExprKind::Match { .. } | ExprKind::If { .. });
    view.module.above(transport).any(|above| above == own)
        && view.module.above(id).take_while(|above| *above != own).all(|above| is_unconditional(&above))
}

/// Reports what a function prints, once: a banner of ten lines is one mistake.
fn prints(cx: &mut Context<'_>, view: &RustView<'_>, exprs: &[ExprId]) {
    let name = |id: &ExprId| match &view.expr(*id).kind {
        ExprKind::Macro { path, .. } => match path.as_slice() {
            [name] if matches!(view.text(*name), "println" | "print") => Some(*name),
            _ => None,
        },
        _ => None,
    };
    let mut names: Vec<Span> = exprs.iter().filter_map(name).collect();
    names.sort_unstable();
    let Some(first) = names.first().copied() else { return };
    let Some(verdict) = cx.judge("rmcp", &["print"]) else { return };
    let written = view.text(first);
    let more = match names.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more below)"),
    };
    let instead = format!("e{written}!");
    let edits = names.iter().map(|name| edit(cx.file, *name, format!("e{}", view.text(*name)))).collect();
    let fix = Fix { title: format!("Use `{instead}`"), safety: Safety::Safe, edits };
    let details = Details {
        slots: vec![("what", format!("{written}!")), ("more", more), ("instead", instead)],
        fixes: vec![fix],
        ..Details::default()
    };
    cx.report(&verdict, Place { file: cx.file, span: first }, details);
}

/// `tracing_subscriber::fmt()….init()` without a writer.
fn subscriber(cx: &mut Context<'_>, view: &RustView<'_>, id: ExprId) {
    let ExprKind::Call { callee, .. } = view.expr(id).kind else { return };
    let is_fmt = view.foreign_expr(callee).is_some_and(|foreign| {
        let path: Vec<&str> = foreign.path.iter().map(String::as_str).collect();
        foreign.package == "tracing-subscriber" && matches!(path.as_slice(), ["fmt"] | ["fmt", "init" | "layer"] | ["fmt", "fmt"])
    });
    if !is_fmt {
        return;
    }
    let mut last = id;
    for above in view.module.above(id) {
        match &view.expr(above).kind {
            ExprKind::Method { receiver, name, .. } if *receiver == last => {
                if matches!(view.text(*name), "with_writer" | "map_writer" | "with_test_writer") {
                    return;
                }
                last = above;
            }
            _ => break,
        }
    }
    let span = view.expr(id).span;
    let Some(verdict) = cx.judge("rmcp", &["subscriber"]) else { return };
    // `fmt::init()` has nothing to add a writer to.
    let can_add = !view.text(view.expr(callee).span).ends_with("init");
    let end = Span::empty(span.end);
    let fix = Fix {
        title: "Write the log to stderr".to_owned(),
        safety: Safety::Safe,
        edits: vec![edit(cx.file, end, ".with_writer(std::io::stderr)")],
    };
    let fixes = if can_add { vec![fix] } else { Vec::new() };
    cx.report(&verdict, Place { file: cx.file, span }, Details { fixes, ..Details::default() });
}
