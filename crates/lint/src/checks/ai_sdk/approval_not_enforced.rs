//! Approvals that nobody asks for: the tool runs.

use agentcheck_model::hir::ExprKind;
use agentcheck_model::{Key, Loc, ToolSet, Typed, ValueKind, returned};

use crate::context::{Context, Details};
use crate::runs::runs;
use crate::settings::nearest;
use crate::tool_functions::tool_functions;

/// What an approval may say.
const ANSWERS: [&str; 4] = ["user-approval", "approved", "denied", "not-applicable"];

pub(crate) fn check(cx: &mut Context<'_>) {
    on_tools(cx);
    for run in runs(cx) {
        let Some(key) = run.keys.get("toolApproval").cloned() else { continue };
        if let Some(verdict) = cx.judge(&run.typed.reach.package, &["option-ignored"]) {
            cx.report(&verdict, key.place, Details::default());
            continue;
        }
        let tools = run.tools(cx);
        let value = cx.infer.eval(key.value);
        for member in cx.infer.alternatives(value) {
            match *cx.infer.kind(member) {
                ValueKind::Object(_) => {
                    let keys = cx.infer.keys(member);
                    for own in &keys.known {
                        of_tool(cx, &run.typed, own, tools.as_ref());
                    }
                }
                ValueKind::Function(file, function, _) => {
                    for expr in returned(cx.infer.module(file), function) {
                        answer(cx, &run.typed, Loc::new(file, expr), &key);
                    }
                }
                _ => answer(cx, &run.typed, key.value, &key),
            }
        }
    }
}

/// `needsApproval` before 6, which had no approvals.
fn on_tools(cx: &mut Context<'_>) {
    // Code of one's own may do what the SDK does not.
    let module = cx.module();
    let reads_it = module.all_exprs().any(|(_, node)| match node.kind {
        ExprKind::Member { property, .. } => module.name(property) == "needsApproval",
        _ => false,
    });
    for execute in tool_functions(cx, "execute") {
        let Some(key) = execute.keys.get("needsApproval").cloned() else { continue };
        let module = cx.infer.module(key.value.file);
        if reads_it || module.expr(module.peel(key.value.expr)).kind == ExprKind::Bool(false) {
            continue;
        }
        let Some(verdict) = cx.judge(&execute.typed.reach.package, &["tool-ignored"]) else { continue };
        cx.report(&verdict, key.place, Details::default());
    }
}

/// One entry of `toolApproval`.
fn of_tool(cx: &mut Context<'_>, typed: &Typed, key: &Key, tools: Option<&ToolSet>) {
    if let Some(tools) = tools.filter(|tools| !tools.open && !tools.tools.is_empty())
        && !tools.tools.iter().any(|(name, ..)| *name == key.name)
    {
        let Some(verdict) = cx.judge(&typed.reach.package, &["no-such-tool"]) else { return };
        let meant = nearest(&key.name, tools.tools.iter().map(|(name, ..)| name.as_str()));
        let help = match meant {
            Some(meant) => format!("Did you mean `{meant}`?"),
            None => "Use the tool's key in `tools`.".to_owned(),
        };
        let slots = vec![("name", key.name.clone()), ("help", help)];
        cx.report(&verdict, key.place, Details { slots, ..Details::default() });
        return;
    }
    let value = cx.infer.eval(key.value);
    for member in cx.infer.alternatives(value) {
        match *cx.infer.kind(member) {
            ValueKind::Function(file, function, _) => {
                for expr in returned(cx.infer.module(file), function) {
                    answer(cx, typed, Loc::new(file, expr), key);
                }
            }
            _ => answer(cx, typed, key.value, key),
        }
    }
}

/// Reports an answer that is none, at the key that it belongs to.
fn answer(cx: &mut Context<'_>, typed: &Typed, at: Loc, key: &Key) {
    let module = cx.infer.module(at.file);
    let expr = module.peel(at.expr);
    if let ExprKind::Conditional { then, otherwise, .. } = module.expr(expr).kind {
        answer(cx, typed, at.at(then), key);
        answer(cx, typed, at.at(otherwise), key);
        return;
    }
    let written = module.text(module.expr(expr).span).to_owned();
    let value = cx.infer.eval(at);
    let is_wrong = match *cx.infer.kind(value) {
        ValueKind::Bool(said) => said,
        ValueKind::Literal(_) => cx.infer.literal_text(at).is_some_and(|text| !ANSWERS.contains(&text.as_str())),
        ValueKind::Object(_) => {
            let keys = cx.infer.keys(value);
            match keys.get("type") {
                Some(kind) => {
                    let text = cx.infer.literal_text(kind.value);
                    text.is_some_and(|text| !ANSWERS.contains(&text.as_str()))
                }
                None => keys.open.is_empty(),
            }
        }
        _ => false,
    };
    if !is_wrong || cx.findings.iter().any(|found| found.place == key.place) {
        return;
    }
    let Some(verdict) = cx.judge(&typed.reach.package, &["no-answer"]) else { return };
    cx.report(&verdict, key.place, Details { slots: vec![("value", written)], ..Details::default() });
}
