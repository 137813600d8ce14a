//! Panics that a model can set off.

use agentcheck_model::rust::hir::{BindingDef, ExprId, ExprKind, FnId};
use agentcheck_model::rust::{RustView, ToolForm};
use agentcheck_syntax::Place;

use crate::context::{Context, Details};

/// Steps that may fail on what a model wrote.
const FALLIBLE: [&str; 16] = [
    "parse", "from_str", "from_value", "get", "as_str", "as_u64", "as_i64", "as_f64", "as_bool", "as_array", "as_object",
    "strip_prefix", "strip_suffix", "split_once", "nth", "next",
];

pub(crate) fn check(cx: &mut Context<'_>) {
    let Some(view) = cx.rust() else { return };
    for tool in view.tools() {
        let function = view.module.function(tool.function);
        for (id, expr) in view.module.exprs_of(tool.function) {
            match &expr.kind {
                ExprKind::Method { receiver, name, .. } if matches!(view.text(*name), "unwrap" | "expect") => {
                    if !is_fallible_input(&view, *receiver, tool.function) {
                        continue;
                    }
                    report(cx, tool.form, "input", expr.span, view.text(*name));
                }
                // `block_on(future)` of a runtime or its handle; `future.block_on()` of other crates does not panic.
                ExprKind::Method { name, args, .. }
                    if function.is_async && args.len() == 1 && view.text(*name) == "block_on" && !view.may_block(id) =>
                {
                    report(cx, tool.form, "block-on", expr.span, "block_on");
                }
                ExprKind::Macro { path, .. } if matches!(view.last(path), "todo" | "unimplemented") => {
                    report(cx, tool.form, "unfinished", expr.span, view.last(path));
                }
                _ => {}
            }
        }
    }
}

fn report(cx: &mut Context<'_>, form: ToolForm, case: &str, span: agentcheck_syntax::Span, name: &str) {
    let suffix = if form == ToolForm::Rmcp { "rmcp" } else { "rig" };
    let case = format!("{case}-{suffix}");
    let Some(verdict) = form.packages().iter().find_map(|package| cx.judge(package, &[&case])) else { return };
    let slots = vec![("name", name.to_owned())];
    cx.report(&verdict, Place { file: cx.file, span }, Details { slots, ..Details::default() });
}

/// Questions whose answer a function may rely on.
const TESTS: [&str; 14] = [
    "is_empty", "len", "contains_key", "contains", "is_some", "is_none", "is_ok", "is_err", "is_object", "is_array",
    "is_string", "is_number", "starts_with", "is_match",
];

/// Whether a chain of calls begins with an argument of the tool and holds a step that fails on bad input.
fn is_fallible_input(view: &RustView<'_>, end: ExprId, tool: FnId) -> bool {
    let mut at = view.module.peel(end);
    let mut may_fail = false;
    let mut steps = Vec::new();
    for _ in 0..64 {
        steps.push(at);
        match &view.expr(at).kind {
            ExprKind::Method { receiver, name, .. } => {
                let name = view.text(*name);
                let receiver = view.module.peel(*receiver);
                // A text that is split has a first part, if an empty one.
                let is_first_part = name == "next" && is_split(view, receiver);
                may_fail |= FALLIBLE.contains(&name) && !is_first_part;
                // A value to fall back on.
                if name.starts_with("unwrap_or") || name.starts_with("or") {
                    return false;
                }
                at = receiver;
            }
            ExprKind::Call { callee, args } => {
                // `serde_json::from_str::<T>(&input)`, `Url::parse(&input.url)`
                let ExprKind::Path { path, .. } = &view.expr(*callee).kind else { return false };
                let name = view.last(path);
                let is_regex = name == "new" && path.len() > 1 && view.text(path[path.len() - 2]) == "Regex";
                if !is_regex
                    && !name.starts_with("parse")
                    && !matches!(name, "from_str" | "from_value" | "from_slice" | "try_from")
                {
                    return false;
                }
                may_fail = true;
                let Some(first) = args.first() else { return false };
                at = view.module.peel(*first);
            }
            ExprKind::Field { base, .. } => at = view.module.peel(*base),
            ExprKind::Index { base, .. } => at = view.module.peel(*base),
            ExprKind::Path { binding: Some(binding), .. } => {
                let binding_data = view.module.binding(*binding);
                match binding_data.def {
                    BindingDef::Param => {
                        let own = view.module.function(tool).params.iter().any(|param| param.bindings.contains(binding));
                        return may_fail && own && !steps.iter().any(|step| is_tested(view, *step, tool));
                    }
                    // `let Input { amount } = input`
                    BindingDef::Let(Some(value)) | BindingDef::Part { value: Some(value), .. } if value != at => {
                        at = view.module.peel(value);
                    }
                    _ => return false,
                }
            }
            _ => return false,
        }
    }
    false
}

fn is_split(view: &RustView<'_>, expr: ExprId) -> bool {
    matches!(&view.expr(expr).kind, ExprKind::Method { name, .. }
        if matches!(view.text(*name), "split" | "rsplit" | "splitn" | "rsplitn"))
}

/// Whether the tool asks something of a value, spelled the same way, anywhere.
fn is_tested(view: &RustView<'_>, value: ExprId, tool: FnId) -> bool {
    let text = |id: ExprId| view.text(view.expr(view.module.peel(id)).span);
    let spelled = text(value);
    view.module.exprs_of(tool).any(|(_, expr)| match &expr.kind {
        ExprKind::Method { receiver, name, args } => {
            let is_it = |id: &ExprId| text(*id) == spelled;
            TESTS.contains(&view.text(*name)) && (is_it(receiver) || args.iter().any(is_it))
        }
        _ => false,
    })
}
