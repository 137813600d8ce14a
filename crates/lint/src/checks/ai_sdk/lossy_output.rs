//! Outputs of which JSON keeps something else than was meant.

use agentcheck_catalog::Safety;
use agentcheck_model::hir::{Parent, PropKind};

use crate::context::{Context, Details};
use crate::finding::Fix;
use crate::fix::entry::edit;
use crate::output_parts::{Kind, Part, parts};
use crate::tool_functions::tool_functions;

const TYPED_ARRAYS: [&str; 9] = [
    "Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array", "Float32Array",
    "Float64Array",
];

pub(crate) fn check(cx: &mut Context<'_>) {
    for execute in tool_functions(cx, "execute") {
        for part in parts(&mut cx.infer, &execute) {
            let (cases, json): (&[&str], String) = match &part.kind {
                Kind::Function | Kind::Symbol => (&["uncloneable", "dropped"], String::new()),
                Kind::NoNumber(_) => (&["number"], part.json("null")),
                Kind::Class(class) if TYPED_ARRAYS.contains(&class.as_str()) => (&["bytes"], part.json("{\"0\":…}")),
                Kind::Class(class) if class == "Buffer" => (&["buffer"], part.json("{\"type\":\"Buffer\",\"data\":[…]}")),
                Kind::Class(class) if class == "URL" => (&["url"], part.json("…")),
                _ => continue,
            };
            let Some(verdict) = cx.judge(&execute.typed.reach.package, cases) else { continue };
            let what = match &part.kind {
                Kind::Function => "a function".to_owned(),
                Kind::Symbol => "a symbol".to_owned(),
                Kind::NoNumber(name) => format!("`{name}`"),
                Kind::Class(class) => format!("a `{class}`"),
                _ => String::new(),
            };
            let (place, related) = part.place(&cx.infer, &execute);
            let fixes = fix(cx, &part).into_iter().collect();
            cx.report(&verdict, place, Details { slots: vec![("what", what), ("json", json)], related, fixes });
        }
    }
}

fn fix(cx: &Context<'_>, part: &Part) -> Option<Fix> {
    let module = cx.infer.module(part.at.file);
    let span = module.expr(part.at.expr).span;
    let text = module.text(span);
    let (new, title) = match &part.kind {
        Kind::Class(class) if class == "Buffer" => (format!("{text}.toString('base64')"), "Return it in base64"),
        Kind::Class(class) if class == "URL" => (format!("String({text})"), "Return its text"),
        Kind::Class(class) if TYPED_ARRAYS.contains(&class.as_str()) => (format!("Array.from({text})"), "Return a list of it"),
        _ => return None,
    };
    let new = match module.expr_parent(part.at.expr) {
        Parent::Prop(prop) if module.prop(prop).kind == PropKind::Shorthand => format!("{text}: {new}"),
        _ => new,
    };
    Some(Fix { title: title.to_owned(), safety: Safety::Unsafe, edits: vec![edit(part.at.file, span, new)] })
}
