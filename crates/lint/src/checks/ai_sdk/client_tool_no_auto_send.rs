//! Answers of client tools that nothing sends on.

use agentcheck_catalog::Ty;
use agentcheck_model::hir::{ExprKind, FuncId, Module};
use agentcheck_model::{Sdk, SdkCall, ValueKind};
use agentcheck_syntax::Place;

use crate::context::{Context, Details};
use crate::finding::Related;

pub(crate) fn check(cx: &mut Context<'_>) {
    let sites = std::sync::Arc::clone(&cx.sites);
    for chat in sites.calls.iter().filter(|call| call.name == "useChat" && call.package == "@ai-sdk/react") {
        let keys = match chat.args.first() {
            Some(options) => {
                let value = cx.infer.eval(chat.loc.at(*options));
                cx.infer.keys(value)
            }
            None => agentcheck_model::Keys::default(),
        };
        // A chat made elsewhere has its options there.
        let decides = ["sendAutomaticallyWhen", "experimental_automaticSendTrigger", "chat"];
        if !keys.open.is_empty() || decides.iter().any(|name| keys.get(name).is_some()) {
            continue;
        }
        let answers: Vec<&SdkCall> = sites
            .calls
            .iter()
            .filter(|call| gives_an_answer(cx, call) && is_of(cx, call, chat))
            .collect();
        let module = cx.infer.module(chat.loc.file);
        let sends = |function: Option<FuncId>| function.is_some_and(|function| sends_on(module, function));
        let Some(answer) = answers.first() else { continue };
        if answers.iter().any(|call| sends(module.enclosing_function(call.loc.expr))) {
            continue;
        }
        let Some(verdict) = cx.judge(&chat.package, &["waits"]) else { continue };
        let place = Place { file: chat.loc.file, span: module.name_span(chat.callee) };
        let span = module.expr(answer.callee).span;
        let related = Related { place: Place { file: answer.loc.file, span }, message: "the answer is given here".to_owned() };
        let slots = vec![("name", module.text(module.name_span(answer.callee)).to_owned())];
        cx.report(&verdict, place, Details { slots, related: vec![related], ..Details::default() });
    }
}

/// Whether a call is one of `addToolOutput`, under whatever name.
fn gives_an_answer(cx: &Context<'_>, call: &SdkCall) -> bool {
    let types = &cx.infer.program.types;
    let answer = types.record_named("AddToolOutput");
    match types.ty(call.ty) {
        Ty::Function(signature) => signature
            .params
            .first()
            .is_some_and(|first| matches!(types.ty(*first), Ty::Record(record) if Some(*record) == answer)),
        _ => false,
    }
}

/// Whether a helper that is called is one of this chat.
fn is_of(cx: &mut Context<'_>, call: &SdkCall, chat: &SdkCall) -> bool {
    let receiver = match call.receiver {
        Some(receiver) => receiver,
        None => cx.infer.eval(call.loc.at(call.callee)),
    };
    cx.infer.alternatives(receiver).into_iter().any(|member| match *cx.infer.kind(member) {
        ValueKind::Sdk(Sdk { origin: Some(origin), .. }) => origin.is_same_expr(chat.loc),
        _ => false,
    })
}

/// Whether a function sends the chat on itself.
fn sends_on(module: &Module, function: FuncId) -> bool {
    module.exprs_within(module.function(function).span).any(|(_, node)| match node.kind {
        ExprKind::Call { callee, .. } => {
            let name = module.text(module.name_span(callee));
            matches!(name, "sendMessage" | "regenerate" | "reload" | "append" | "resumeStream")
        }
        _ => false,
    })
}
