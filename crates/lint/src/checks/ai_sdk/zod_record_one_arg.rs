//! `z.record(value)` with a zod that takes its first argument for the keys.

use agentcheck_catalog::Safety;
use agentcheck_model::Loc;
use agentcheck_model::hir::ExprKind;
use agentcheck_syntax::{Place, Span};

use crate::context::{Context, Details};
use crate::finding::Fix;
use crate::fix::entry::edit;
use crate::zod::{Flavor, read};

pub(crate) fn check(cx: &mut Context<'_>) {
    // Only in files that use an SDK: other code is not what is looked at here.
    let uses_sdk = cx.infer.program.file(cx.file).is_some_and(|file| {
        file.links.values().any(|link| matches!(link, agentcheck_model::Link::Sdk(_)))
    });
    if !uses_sdk {
        return;
    }
    let module = cx.module();
    for (expr, node) in module.all_exprs() {
        let ExprKind::Call { callee, args } = node.kind else { continue };
        let &[only] = module.exprs(args) else { continue };
        let ExprKind::Member { object, property } = module.expr(module.peel(callee)).kind else { continue };
        if module.name(property) != "record" || matches!(module.expr(only).kind, ExprKind::Spread(_)) {
            continue;
        }
        let loc = Loc::new(cx.file, expr);
        let Some(zod) = read(&mut cx.infer, loc) else { continue };
        if zod.name != "record" || zod.flavor != Flavor::Installed || !zod.methods.is_empty() {
            continue;
        }
        let Some(verdict) = cx.judge("zod", &["one"]) else { continue };
        let z = module.text(module.expr(object).span);
        let start = Span::empty(module.expr(only).span.start);
        let fix = Fix {
            title: "Give the keys' schema too".to_owned(),
            safety: Safety::Safe,
            edits: vec![edit(cx.file, start, format!("{z}.string(), "))],
        };
        cx.report(&verdict, Place { file: cx.file, span: node.span }, Details { fixes: vec![fix], ..Details::default() });
    }
}
