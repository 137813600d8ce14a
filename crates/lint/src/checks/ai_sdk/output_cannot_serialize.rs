//! Outputs that cannot be made JSON of at all.

use agentcheck_catalog::Safety;
use agentcheck_model::hir::{Parent, PropKind};

use crate::context::{Context, Details};
use crate::finding::Fix;
use crate::fix::entry::edit;
use crate::output_parts::{Kind, Part, parts};
use crate::tool_functions::tool_functions;

pub(crate) fn check(cx: &mut Context<'_>) {
    for execute in tool_functions(cx, "execute") {
        for part in parts(&mut cx.infer, &execute) {
            let cases: &[&str] = match part.kind {
                Kind::BigInt if !has_to_json(cx) => &["bigint-six", "bigint"],
                Kind::Cycle => &["cycle-six", "cycle"],
                _ => continue,
            };
            let Some(verdict) = cx.judge(&execute.typed.reach.package, cases) else { continue };
            let (place, related) = part.place(&cx.infer, &execute);
            let slots = vec![("json", part.json("\"[Circular]\""))];
            let fixes = if part.kind == Kind::BigInt { fixes(cx, &part) } else { Vec::new() };
            cx.report(&verdict, place, Details { slots, related, fixes });
        }
    }
}

/// Whether the project teaches BigInts to be JSON.
fn has_to_json(cx: &mut Context<'_>) -> bool {
    let program = cx.infer.program;
    cx.infer.every_sdk_file().into_iter().any(|file| program.module(file).source.contains("BigInt.prototype"))
}

fn fixes(cx: &Context<'_>, part: &Part) -> Vec<Fix> {
    let module = cx.infer.module(part.at.file);
    let span = module.expr(part.at.expr).span;
    let is_shorthand =
        matches!(module.expr_parent(part.at.expr), Parent::Prop(prop) if module.prop(prop).kind == PropKind::Shorthand);
    let fix = |function: &str, title: &str| {
        let text = module.text(span);
        let new = match is_shorthand {
            true => format!("{text}: {function}({text})"),
            false => format!("{function}({text})"),
        };
        Fix { title: title.to_owned(), safety: Safety::Unsafe, edits: vec![edit(part.at.file, span, new)] }
    };
    vec![fix("String", "Return it as a text"), fix("Number", "Return it as a number, up to 2 to the 53rd exact")]
}
