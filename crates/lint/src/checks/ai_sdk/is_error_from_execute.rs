//! Results that look like failures to whoever wrote them, and like successes to the SDK.

use agentcheck_catalog::Safety;
use agentcheck_model::hir::ExprKind;
use agentcheck_model::{KeyOrigin, Loc, ValueKind};
use agentcheck_syntax::Place;

use crate::context::{Context, Details};
use crate::finding::Fix;
use crate::fix::entry::insert_after;
use crate::tool_functions::{ToolFunction, tool_functions};
use crate::tool_output::{is_converted, outputs};

pub(crate) fn check(cx: &mut Context<'_>) {
    for execute in tool_functions(cx, "execute") {
        if is_converted(&execute) {
            continue;
        }
        for output in outputs(&cx.infer, &execute) {
            let value = cx.infer.eval(output);
            let value = cx.infer.awaited(value);
            for member in cx.infer.alternatives(value) {
                if !matches!(cx.infer.kind(member), ValueKind::Object(_)) {
                    continue;
                }
                let keys = cx.infer.keys(member);
                let flag = keys.get("isError").filter(|key| is_true(cx, key.value));
                let typed = keys.get("type").filter(|_| keys.get("value").is_some());
                let typed = typed.filter(|key| {
                    matches!(cx.infer.literal_text(key.value).as_deref(), Some("error-text" | "error-json"))
                });
                let (Some(key), case) = (flag.or(typed), if flag.is_some() { "flag" } else { "output-type" }) else {
                    continue;
                };
                let Some(verdict) = cx.judge(&execute.typed.reach.package, &[case]) else { continue };
                let details = Details { fixes: fix(cx, &execute, case).into_iter().collect(), ..Details::default() };
                cx.report(&verdict, key.place, details);
            }
        }
    }
}

fn is_true(cx: &Context<'_>, loc: Loc) -> bool {
    let module = cx.infer.module(loc.file);
    module.expr(module.peel(loc.expr)).kind == ExprKind::Bool(true)
}

/// A `toModelOutput` that makes a failure of it. Its argument is the output itself up to 5.
fn fix(cx: &Context<'_>, execute: &ToolFunction, case: &str) -> Option<Fix> {
    let KeyOrigin::Entry(prop) = execute.key.origin else { return None };
    let evidence = cx.evidence(&execute.typed.reach.package)?;
    let majors = evidence.versions.members().iter().map(|version| version.release.major);
    let argument = match (majors.clone().min()?, majors.max()?) {
        (5, 5) => "output",
        (6.., _) => "{ output }",
        _ => return None,
    };
    let body = match case {
        "flag" => format!("({argument}) => ({{ type: output.isError ? 'error-json' : 'json', value: output }})"),
        _ => format!("({argument}) => (typeof output.type === 'string' ? output : {{ type: 'json', value: output }})"),
    };
    let place = Place { file: execute.key.place.file, span: execute.key.place.span };
    let module = cx.infer.module(place.file);
    let edit = insert_after(module, place.file, prop, &format!("toModelOutput: {body}"));
    Some(Fix {
        title: "Add a `toModelOutput` that marks the failure".to_owned(),
        safety: Safety::Unsafe,
        edits: vec![edit],
    })
}
