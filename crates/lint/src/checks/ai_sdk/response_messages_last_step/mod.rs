//! `response.messages` of a run of several steps, kept as if it were the whole run.

mod fix;
mod kept;

use agentcheck_model::hir::{ExprId, ExprKind, PatId, PatKind, PropKey};
use agentcheck_model::{Loc, Sdk, SdkCall, Steps, Value, ValueKind};
use agentcheck_syntax::{Place, Span};

use crate::context::{Context, Details};
use crate::finding::Related;

/// A place where the messages are read.
struct Read {
    /// The name `messages`.
    span: Span,
    origin: Loc,
    how: How,
}

/// How the messages are read.
#[derive(Clone, Copy)]
enum How {
    /// `x.messages`: the member expression.
    Member(ExprId),
    /// `const { messages } = x`: the pattern of the key.
    Pattern(PatId),
}

pub(crate) fn check(cx: &mut Context<'_>) {
    for read in reads(cx) {
        let kept = match read.how {
            How::Member(expr) => kept::is_kept(cx.module(), expr),
            How::Pattern(pattern) => kept::pattern_is_kept(cx.module(), pattern),
        };
        let is_fallback = matches!(read.how, How::Member(expr) if kept::is_fallback(cx.module(), expr));
        if !kept || is_fallback {
            continue;
        }
        let Some(call) = cx.infer.sdk_call_at(read.origin) else { continue };
        let sites = std::sync::Arc::clone(&cx.sites);
        let cases: &[&str] = match cx.infer.steps(&call, &sites) {
            Steps::One => continue,
            Steps::Several => &["lost"],
            Steps::Unknown if is_open_ended(cx, &call) => &["may-be-lost"],
            Steps::Unknown => continue,
        };
        let Some(verdict) = cx.judge(&call.package, cases) else { continue };
        let fixes = fix::fix(cx, &read).into_iter().collect();
        let module = cx.infer.module(call.loc.file);
        let place = Place { file: call.loc.file, span: module.name_span(call.callee) };
        let related = vec![Related { place, message: "this run takes several steps".to_owned() }];
        cx.report(&verdict, Place { file: cx.file, span: read.span }, Details { related, fixes, ..Details::default() });
    }
}

/// Whether the run is meant to take several steps, though its tools cannot be seen: a stop condition says so, or it is an
/// agent's.
fn is_open_ended(cx: &mut Context<'_>, call: &SdkCall) -> bool {
    if call.receiver.is_some() || call.name.contains("Agent") {
        return true;
    }
    let Some(options) = call.args.first() else { return false };
    let options = cx.infer.eval(call.loc.at(*options));
    cx.infer.keys(options).get("stopWhen").is_some()
}

/// Every `response.messages` of a run in the file.
fn reads(cx: &mut Context<'_>) -> Vec<Read> {
    let module = cx.module();
    let Some(messages) = module.names.get("messages") else { return Vec::new() };
    let mut reads = Vec::new();
    for (expr, node) in module.all_exprs() {
        let object = match node.kind {
            ExprKind::Member { object, property } if property == messages => object,
            ExprKind::Index { object, index } if module.string(index) == Some("messages") => object,
            _ => continue,
        };
        let object = cx.infer.idly(|infer| infer.eval_in(cx.file, object));
        if let Some(origin) = response_origin(cx, object) {
            reads.push(Read { span: module.name_span(expr), origin, how: How::Member(expr) });
        }
    }
    for (pattern, node) in module.all_patterns() {
        let PatKind::Object(props) = node.kind else { continue };
        let Some((_, prop)) = module.pat_props(props).find(|(_, prop)| prop.key == PropKey::Name(messages)) else {
            continue;
        };
        let at = Loc::new(cx.file, ExprId::FIRST);
        let object = cx.infer.idly(|infer| infer.eval_pattern(cx.file, pattern, at));
        if let Some(origin) = response_origin(cx, object) {
            reads.push(Read { span: prop.key_span, origin, how: How::Pattern(prop.pattern) });
        }
    }
    reads.sort_by_key(|read| read.span);
    reads
}

/// The SDK call that made a response, if the value is the response of a run.
fn response_origin(cx: &mut Context<'_>, value: Value) -> Option<Loc> {
    let record = cx.infer.program.types.record_named("ResponseMetadata");
    cx.infer.alternatives(value).into_iter().find_map(|member| match *cx.infer.kind(member) {
        ValueKind::Sdk(Sdk { origin, .. }) if cx.infer.record_of(member) == record => origin,
        _ => None,
    })
}
