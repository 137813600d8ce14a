//! Promises of the SDK that are used as if they were their values, or left to themselves.

use agentcheck_catalog::Safety;
use agentcheck_model::hir::{ExprId, ExprKind, Parent, PatKind, PropKey, StmtKind};
use agentcheck_model::{Loc, SdkCall, Value, ValueKind};
use agentcheck_syntax::{Place, Span};
use rustc_hash::FxHashMap;

use crate::context::{Context, Details};
use crate::finding::{Fix, Related};
use crate::fix::entry::edit;

/// What a promise has of its own.
const OF_PROMISES: [&str; 3] = ["then", "catch", "finally"];

pub(crate) fn check(cx: &mut Context<'_>) {
    let reads = reads(cx);
    let sites = std::sync::Arc::clone(&cx.sites);
    let file = cx.file;
    for call in sites.calls.iter().filter(|call| call.loc.file == file && gives_a_promise(call)) {
        let module = cx.module();
        let read = reads.get(&Loc::new(cx.file, call.loc.expr));
        let floats = matches!(module.expr_parent(call.loc.expr), Parent::Stmt(stmt)
            if matches!(module.stmt(stmt).kind, StmtKind::Expr(_)));
        let (case, name, at) = match read {
            Some((name, at)) => ("read", name.clone(), Some(*at)),
            None if floats && !call.name.ends_with(".stream") => ("floating", String::new(), None),
            None => continue,
        };
        // `stream` of an agent returns at once before 6.
        let cases: &[&str] = if call.name.ends_with(".stream") { &["read-stream"] } else { &[case] };
        let Some(verdict) = cx.judge(&call.package, cases) else { continue };
        let place = Place { file: cx.file, span: module.name_span(call.callee) };
        let span = module.expr(call.loc.expr).span;
        let is_async = match module.enclosing_function(call.loc.expr) {
            Some(function) => module.function(function).is_async,
            None => true,
        };
        // `await f().text` would await the text.
        let is_direct = matches!(module.expr_parent(call.loc.expr), Parent::Expr(above)
            if matches!(module.expr(above).kind, ExprKind::Member { .. } | ExprKind::Index { .. }));
        let edits = match is_direct {
            true => vec![
                edit(cx.file, Span::empty(span.start), "(await "),
                edit(cx.file, Span::empty(span.end), ")"),
            ],
            false => vec![edit(cx.file, Span::empty(span.start), "await ")],
        };
        let fix = Fix { title: "Await the call".to_owned(), safety: Safety::Safe, edits };
        let related = at.map(|at| Related {
            place: Place { file: cx.file, span: at },
            message: format!("`{name}` is read off the promise here"),
        });
        let details = Details {
            slots: vec![("callee", call.name.clone()), ("name", name)],
            related: related.into_iter().collect(),
            fixes: if is_async { vec![fix] } else { Vec::new() },
        };
        cx.report(&verdict, place, details);
    }
}

/// Calls whose result has to be awaited. `streamText` is none, since 4.
fn gives_a_promise(call: &SdkCall) -> bool {
    matches!(call.name.trim_start_matches("experimental_"), "generateText" | "generateObject" | "embed" | "embedMany")
        || (call.receiver.is_some() && (call.name.ends_with(".generate") || call.name.ends_with(".stream")))
}

/// The first property that is read off the promise of each call.
fn reads(cx: &mut Context<'_>) -> FxHashMap<Loc, (String, Span)> {
    let module = cx.module();
    let mut found: FxHashMap<Loc, (String, Span)> = FxHashMap::default();
    for (expr, node) in module.all_exprs() {
        let ExprKind::Member { object, property } = node.kind else { continue };
        let name = module.name(property);
        if OF_PROMISES.contains(&name) {
            continue;
        }
        let object = cx.infer.idly(|infer| infer.eval_in(cx.file, object));
        if let Some(origin) = promise_of(cx, object) {
            found.entry(origin).or_insert_with(|| (name.to_owned(), module.name_span(expr)));
        }
    }
    for (pattern, node) in module.all_patterns() {
        let PatKind::Object(props) = node.kind else { continue };
        let at = Loc::new(cx.file, ExprId::FIRST);
        let object = cx.infer.idly(|infer| infer.eval_pattern(cx.file, pattern, at));
        let Some(origin) = promise_of(cx, object) else { continue };
        for (_, prop) in module.pat_props(props) {
            if let PropKey::Name(name) = prop.key {
                found.entry(origin).or_insert_with(|| (module.name(name).to_owned(), prop.key_span));
            }
        }
    }
    found
}

/// The call whose promise a value certainly is; what may be a promise or not counts for agents' streams, which are one or
/// the other by version.
fn promise_of(cx: &Context<'_>, value: Value) -> Option<Loc> {
    cx.infer.alternatives(value).into_iter().find_map(|member| {
        let ValueKind::Promise(inner) = *cx.infer.kind(member) else { return None };
        let ValueKind::Sdk(sdk) = *cx.infer.kind(inner) else { return None };
        let origin = sdk.origin?;
        Some(Loc::new(origin.file, origin.expr))
    })
}
