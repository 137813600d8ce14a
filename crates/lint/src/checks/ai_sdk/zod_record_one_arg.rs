//! `z.record(values)`, which zod 4 took for a record of such keys.

use agentcheck_catalog::Safety;
use agentcheck_model::hir::{ExprId, ExprKind};
use agentcheck_model::{Link, Loc};
use agentcheck_syntax::Span;

use crate::context::{Context, Details};
use crate::finding::Fix;
use crate::fix::entry::edit;
use crate::schemas::positions;
use crate::zod::{Flavor, Schema, each_input, schema};

pub(crate) fn check(cx: &mut Context<'_>) {
    let mut found: Vec<Schema> = Vec::new();
    for position in positions(cx) {
        found.extend(each_input(&mut cx.infer, position.schema).into_iter().map(|step| step.schema));
    }
    // It breaks whatever is done with it, in a file that has to do with an SDK.
    if cx.infer.program.file(cx.file).is_some_and(|file| file.links.values().any(|link| matches!(link, Link::Sdk(_)))) {
        found.extend(records(cx));
    }
    found.retain(|schema| schema.maker == "record" && schema.args.len() == 1);
    found.sort_by_key(|schema| (schema.at.file, schema.at.expr));
    found.dedup_by_key(|schema| (schema.at.file, schema.at.expr));
    for schema in found {
        report(cx, &schema);
    }
}

/// The records that the file makes.
fn records(cx: &mut Context<'_>) -> Vec<Schema> {
    let module = cx.module();
    let is_record = |callee: ExprId| match module.expr(module.peel(callee)).kind {
        ExprKind::Member { property, .. } => module.name(property) == "record",
        ExprKind::Ident { .. } => true,
        _ => false,
    };
    let calls = module.all_exprs().filter_map(|(expr, node)| match node.kind {
        ExprKind::Call { callee, args } if args.len() == 1 && is_record(callee) => Some(Loc::new(cx.file, expr)),
        _ => None,
    });
    let calls: Vec<Loc> = calls.collect();
    calls.into_iter().filter_map(|call| schema(&mut cx.infer, call)).filter(|schema| schema.methods.is_empty()).collect()
}

fn report(cx: &mut Context<'_>, schema: &Schema) {
    let case = match schema.flavor {
        Flavor::Installed if cx.is_declared("zod") => "installed",
        Flavor::Four if cx.is_declared("zod") => "v4",
        _ => return,
    };
    let Some(verdict) = cx.judge("zod", &[case]) else { return };
    let details = Details { fixes: fix(cx, schema).into_iter().collect(), ..Details::default() };
    cx.report(&verdict, schema.place(&cx.infer), details);
}

/// The keys of a record are texts.
fn fix(cx: &Context<'_>, schema: &Schema) -> Option<Fix> {
    let module = cx.infer.module(schema.at.file);
    let written = schema.written(&cx.infer);
    let zod = written.strip_suffix(".record")?;
    let start = module.expr(schema.args.first()?.expr).span.start;
    let edits = vec![edit(schema.at.file, Span::new(start, start), format!("{zod}.string(), "))];
    Some(Fix { title: "Say what the keys are".to_owned(), safety: Safety::Safe, edits })
}
