//! Outputs of which JSON keeps nothing.

use agentcheck_catalog::Safety;
use agentcheck_model::hir::{ExprKind, Parent, PropKind};

use crate::context::{Context, Details};
use crate::finding::Fix;
use crate::fix::entry::edit;
use crate::output_parts::{Kind, Part, parts};
use crate::tool_functions::tool_functions;

/// Classes whose objects can be cloned, and become `{}` in JSON.
const EMPTIED: [&str; 18] = [
    "Map", "Set", "RegExp", "ArrayBuffer", "SharedArrayBuffer", "DataView", "Error", "TypeError", "RangeError", "SyntaxError",
    "ReferenceError", "EvalError", "URIError", "AggregateError", "DOMException", "Blob", "File", "AbortController",
];

/// Classes whose objects cannot be cloned either.
const UNCLONEABLE: [&str; 11] = [
    "WeakMap", "WeakSet", "WeakRef", "Headers", "Response", "Request", "FormData", "URLSearchParams", "ReadableStream",
    "TransformStream", "WritableStream",
];

pub(crate) fn check(cx: &mut Context<'_>) {
    for execute in tool_functions(cx, "execute") {
        for part in parts(&mut cx.infer, &execute) {
            let Some((what, cloneable)) = what(&part.kind) else { continue };
            let cases: &[&str] = if cloneable { &["emptied"] } else { &["uncloneable", "lost"] };
            let Some(verdict) = cx.judge(&execute.typed.reach.package, cases) else { continue };
            let (place, related) = part.place(&cx.infer, &execute);
            let slots = vec![("what", what), ("json", part.json("{}")), ("help", help(&part))];
            let fixes = fixes(cx, &part);
            cx.report(&verdict, place, Details { slots, related, fixes });
        }
    }
}

/// What a part is, in words, and whether it can be cloned.
fn what(kind: &Kind) -> Option<(String, bool)> {
    match kind {
        Kind::Class(class) if EMPTIED.contains(&class.as_str()) => {
            let article = if class.starts_with(['A', 'E', 'I']) { "an" } else { "a" };
            Some((format!("{article} `{class}`"), true))
        }
        Kind::Class(class) if UNCLONEABLE.contains(&class.as_str()) => {
            let article = if class.starts_with(['A', 'E', 'I']) { "an" } else { "a" };
            Some((format!("{article} `{class}`"), false))
        }
        Kind::Promise => Some(("a promise that nobody waited for".to_owned(), false)),
        Kind::Iterator => Some(("an iterator".to_owned(), false)),
        _ => None,
    }
}

fn help(part: &Part) -> String {
    match &part.kind {
        Kind::Class(class) => match class.as_str() {
            "Map" => "Return an object, `Object.fromEntries(map)`, or a list of pairs, `[...map]`.",
            "Set" => "Return a list: `[...set]`.",
            "Headers" | "FormData" | "URLSearchParams" => "Return an object: `Object.fromEntries(…)`.",
            "Response" | "Request" => "Return what is in it: `await response.json()`.",
            "RegExp" => "Return its text: `.source`.",
            _ if class.ends_with("Error") => "Return what it should say, in an object: `{ failed: true, reason: … }`.",
            _ => "Return what is in it, as plain objects, lists and texts.",
        },
        Kind::Promise => "Wait for it: `await`, or `await Promise.all(…)` for a list.",
        _ => "Return a list: `[...iterator]`; results one after the other come from an `async *execute` that yields them.",
    }
    .to_owned()
}

/// What is put in the part's place.
fn fixes(cx: &Context<'_>, part: &Part) -> Vec<Fix> {
    let module = cx.infer.module(part.at.file);
    let node = module.expr(part.at.expr);
    let text = module.text(node.span);
    let in_async = module.enclosing_function(part.at.expr).is_some_and(|function| module.function(function).is_async);
    let (new, title) = match &part.kind {
        Kind::Class(class) if matches!(class.as_str(), "Map" | "Headers" | "FormData" | "URLSearchParams") => {
            (format!("Object.fromEntries({text})"), "Return an object of its entries")
        }
        Kind::Class(class) if class == "Set" => (format!("[...{text}]"), "Return a list of it"),
        Kind::Promise if in_async && !matches!(node.kind, ExprKind::Array(_)) && part.json("").ends_with('}') => {
            (format!("await {text}"), "Wait for it")
        }
        Kind::Iterator if module.text(node.span).contains('(') && !module.text(node.span).starts_with("await") => {
            (format!("[...{text}]"), "Return a list of it")
        }
        _ => return Vec::new(),
    };
    // In a union the other values would be spoilt.
    let is_sure = match (&part.kind, part.made) {
        (Kind::Class(_), made) => made.is_none() || is_constant(cx, part),
        _ => true,
    };
    if !is_sure || matches!(part.kind, Kind::Iterator) && is_async_iterator(cx, part) {
        return Vec::new();
    }
    let new = match module.expr_parent(part.at.expr) {
        Parent::Prop(prop) if module.prop(prop).kind == PropKind::Shorthand => format!("{text}: {new}"),
        _ => new,
    };
    vec![Fix { title: title.to_owned(), safety: Safety::Unsafe, edits: vec![edit(part.at.file, node.span, new)] }]
}

/// Whether the part has no other value.
fn is_constant(cx: &Context<'_>, part: &Part) -> bool {
    let module = cx.infer.module(part.at.file);
    match module.expr(part.at.expr).kind {
        ExprKind::Ident { binding: Some(binding), .. } => {
            module.writes(binding).next().is_none() && module.value_of_binding(binding).is_some()
        }
        _ => false,
    }
}

fn is_async_iterator(cx: &Context<'_>, part: &Part) -> bool {
    // Whatever is no method of a collection is a generator of the project.
    let module = cx.infer.module(part.at.file);
    let text = module.text(module.expr(part.at.expr).span);
    !(text.ends_with(".keys()") || text.ends_with(".values()") || text.ends_with(".entries()"))
}
