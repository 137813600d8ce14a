//! A `catch` around a stream whose errors never get there.

use std::collections::BTreeSet;

use agentcheck_model::hir::{ExprId, ExprKind, Module, Parent, PatKind, PropKey, RootSource, StmtId, StmtKind};
use agentcheck_model::{Loc, Sdk, SdkCall, Value, ValueKind};
use agentcheck_syntax::Place;
use rustc_hash::FxHashMap;

use crate::context::{Context, Details};
use crate::finding::Related;

/// What is read of the result of a call: the names, and the places where its text is.
#[derive(Default)]
struct Read {
    names: BTreeSet<String>,
    texts: Vec<ExprId>,
}

pub(crate) fn check(cx: &mut Context<'_>) {
    let sites = std::sync::Arc::clone(&cx.sites);
    let mut reads = None;
    let file = cx.file;
    for call in sites.calls.iter().filter(|call| call.name == "streamText" && call.loc.file == file) {
        let Some(options) = call.args.first() else { continue };
        let value = cx.infer.eval(call.loc.at(*options));
        let keys = cx.infer.keys(value);
        if !keys.open.is_empty() || keys.get("onError").is_some() {
            continue;
        }
        let reads = reads.get_or_insert_with(|| all_reads(cx));
        let Some(read) = reads.get(&Loc::new(cx.file, call.loc.expr)) else { continue };
        // Every other promise and stream of the result tells of an error.
        if read.names.iter().any(|name| name != "textStream") {
            continue;
        }
        let module = cx.module();
        let Some(catch) = read.texts.iter().find_map(|text| catch_around(module, *text)) else { continue };
        report(cx, call, catch);
    }
}

fn report(cx: &mut Context<'_>, call: &SdkCall, catch: StmtId) {
    let Some(verdict) = cx.judge(&call.package, &["silent", "logged"]) else { return };
    let module = cx.module();
    let place = Place { file: cx.file, span: module.name_span(call.callee) };
    let span = module.stmt(catch).span;
    let word = agentcheck_syntax::Span::new(span.start, span.start + "catch".len() as u32);
    let related = Related { place: Place { file: cx.file, span: word }, message: "this does not run".to_owned() };
    cx.report(&verdict, place, Details { related: vec![related], ..Details::default() });
}

fn all_reads(cx: &mut Context<'_>) -> FxHashMap<Loc, Read> {
    let module = cx.module();
    let mut all: FxHashMap<Loc, Read> = FxHashMap::default();
    for (expr, node) in module.all_exprs() {
        let ExprKind::Member { object, property } = node.kind else { continue };
        let object = cx.infer.idly(|infer| infer.eval_in(cx.file, object));
        let name = module.name(property);
        note(cx, &mut all, object, name, (name == "textStream").then_some(expr));
    }
    for (pattern, node) in module.all_patterns() {
        let PatKind::Object(props) = node.kind else { continue };
        let at = Loc::new(cx.file, ExprId::FIRST);
        let object = cx.infer.idly(|infer| infer.eval_pattern(cx.file, pattern, at));
        for (_, prop) in module.pat_props(props) {
            let PropKey::Name(name) = prop.key else {
                note(cx, &mut all, object, "...", None);
                continue;
            };
            let name = module.name(name);
            note(cx, &mut all, object, name, None);
            if name == "textStream"
                && let PatKind::Binding(binding) = module.pat(prop.pattern).kind
            {
                for reference in module.refs(binding) {
                    note(cx, &mut all, object, name, Some(*reference));
                }
            }
        }
    }
    all
}

fn note(cx: &Context<'_>, all: &mut FxHashMap<Loc, Read>, object: Value, name: &str, text: Option<ExprId>) {
    for member in cx.infer.alternatives(object) {
        if let ValueKind::Sdk(Sdk { origin: Some(origin), .. }) = *cx.infer.kind(member) {
            let read = all.entry(Loc::new(origin.file, origin.expr)).or_default();
            read.names.insert(name.to_owned());
            read.texts.extend(text);
        }
    }
}

/// The `catch` of a `try` around a `for await` over this stream, within one function.
fn catch_around(module: &Module, text: ExprId) -> Option<StmtId> {
    let Parent::Root(root) = module.expr_parent(text) else { return None };
    let RootSource::ForOf { awaits: true, .. } = module.root(root).source else { return None };
    let Parent::Stmt(mut below) = module.root_parent(root) else { return None };
    for _ in 0..64 {
        let Parent::Stmt(above) = module.stmt_parent(below) else { return None };
        if let StmtKind::Try { block, catch: Some(catch), .. } = module.stmt(above).kind
            && block == below
        {
            return Some(catch);
        }
        below = above;
    }
    None
}
