//! Entries of `tools` that may be no tool.

use agentcheck_model::hir::{BinaryOp, ExprKind};
use agentcheck_model::{Key, ValueKind};

use crate::context::{Context, Details};
use crate::runs::runs;

pub(crate) fn check(cx: &mut Context<'_>) {
    for run in runs(cx) {
        let Some(tools) = run.keys.get("tools").cloned() else { continue };
        let value = cx.infer.eval(tools.value);
        for key in cx.infer.keys(value).known {
            let Some(case) = wrong(cx, &key) else { continue };
            let Some(verdict) = cx.judge(&run.typed.reach.package, &[case]) else { continue };
            let slots = vec![("name", key.name.clone())];
            cx.report(&verdict, key.place, Details { slots, ..Details::default() });
        }
    }
}

fn wrong(cx: &mut Context<'_>, key: &Key) -> Option<&'static str> {
    let value = cx.infer.eval(key.value);
    let module = cx.infer.module(key.value.file);
    let written = module.expr(module.peel(key.value.expr)).kind;
    for member in cx.infer.alternatives(value) {
        match *cx.infer.kind(member) {
            // `cond ? tool : undefined`, `cond && tool`, written here: a variable may be tested elsewhere.
            ValueKind::Undefined | ValueKind::Null | ValueKind::Bool(false)
                if matches!(written, ExprKind::Conditional { .. } | ExprKind::Binary(BinaryOp::And, ..)) =>
            {
                return Some("undefined");
            }
            ValueKind::Function(..) if cx.infer.alternatives(value).len() == 1 => return Some("function"),
            _ => {}
        }
    }
    None
}
