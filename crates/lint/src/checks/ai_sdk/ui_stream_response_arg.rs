//! A UI stream passed where an object with the stream in it is expected.

use agentcheck_catalog::Safety;
use agentcheck_model::hir::ExprKind;
use agentcheck_syntax::Place;

use crate::context::{Context, Details};
use crate::finding::Fix;
use crate::fix::entry::edit;

pub(crate) fn check(cx: &mut Context<'_>) {
    let sites = std::sync::Arc::clone(&cx.sites);
    let stream = cx.infer.program.types.record_named("UIMessageStream");
    for call in &sites.calls {
        if !matches!(call.name.as_str(), "createUIMessageStreamResponse" | "pipeUIMessageStreamToResponse") {
            continue;
        }
        let Some(argument) = call.args.first() else { continue };
        let value = cx.infer.eval(call.loc.at(*argument));
        let value = cx.infer.awaited(value);
        if stream.is_none() || cx.infer.record_of(value) != stream {
            continue;
        }
        let Some(verdict) = cx.judge(&call.package, &["no-stream"]) else { continue };
        let module = cx.infer.module(call.loc.file);
        let node = module.expr(*argument);
        let written = module.text(node.span);
        let text = match node.kind {
            ExprKind::Ident { .. } if written == "stream" => "{ stream }".to_owned(),
            _ => format!("{{ stream: {written} }}"),
        };
        // The other one needs a response beside it, which is not known here.
        let fixes = match call.name.as_str() {
            "createUIMessageStreamResponse" if call.args.len() == 1 => vec![Fix {
                title: format!("Pass `{text}`"),
                safety: Safety::Safe,
                edits: vec![edit(call.loc.file, node.span, text)],
            }],
            _ => Vec::new(),
        };
        let place = Place { file: call.loc.file, span: node.span };
        let slots = vec![("callee", call.name.clone())];
        cx.report(&verdict, place, Details { slots, fixes, ..Details::default() });
    }
}
