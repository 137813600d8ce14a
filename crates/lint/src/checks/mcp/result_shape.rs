//! What a handler returns that is no result of a tool.

use agentcheck_model::hir::{Body, ExprKind, FuncId, Module, StmtKind};
use agentcheck_model::{Key, Keys, Loc, Value, ValueKind};
use agentcheck_syntax::Place;

use crate::context::{Context, Details};
use crate::finding::Related;
use crate::mcp::{Tool, returned, tools};

/// What is wrong with a result.
struct Wrong {
    case: &'static str,
    place: Place,
    what: String,
}

pub(crate) fn check(cx: &mut Context<'_>) {
    for tool in tools(cx) {
        for (file, function) in tool.handlers.clone() {
            let module = cx.infer.module(file);
            let answers = returned(cx, file, function);
            if answers.is_empty() && ends_without_value(module, function) {
                let wrong = Wrong { case: "refused", place: tool.place(&cx.infer), what: "Nothing is returned".to_owned() };
                report(cx, &tool, wrong, None);
            }
            for answer in answers {
                if let Some(wrong) = wrong(cx, answer.at, answer.value) {
                    report(cx, &tool, wrong, Some(answer.at));
                }
            }
        }
    }
}

fn report(cx: &mut Context<'_>, tool: &Tool, wrong: Wrong, at: Option<Loc>) {
    let Some(verdict) = cx.judge(&tool.call.package, &[wrong.case]) else { return };
    let returned = at.map(|at| Place { file: at.file, span: cx.infer.module(at.file).expr(at.expr).span });
    let outside = returned.filter(|place| place.file != wrong.place.file || !place.span.contains(wrong.place.span));
    let related = outside.map(|place| Related { place, message: "returned by this handler".to_owned() });
    let related = related.into_iter().collect();
    cx.report(&verdict, wrong.place, Details { slots: vec![("what", wrong.what)], related, ..Details::default() });
}

/// Whether a function comes to its end, and has no value to return on the way.
fn ends_without_value(module: &Module, function: FuncId) -> bool {
    let node = module.function(function);
    let Body::Block(block) = node.body else { return false };
    let StmtKind::Block(items) = module.stmt(block).kind else { return false };
    let may_not_end = |kind: StmtKind| {
        matches!(
            kind,
            StmtKind::Throw(_) | StmtKind::Loop { .. } | StmtKind::Try { .. } | StmtKind::Switch { .. } | StmtKind::If { .. }
        )
    };
    // A call at the end may never come back.
    let last = module.stmts(items).last().map(|stmt| module.stmt(*stmt).kind);
    !node.is_generator && last.is_none_or(|last| !may_not_end(last) && !matches!(last, StmtKind::Expr(_)))
}

/// What is wrong with a value, if it is no result.
fn wrong(cx: &mut Context<'_>, at: Loc, value: Value) -> Option<Wrong> {
    let place = |cx: &Context<'_>, loc: Loc| Place { file: loc.file, span: cx.infer.module(loc.file).expr(loc.expr).span };
    let refused = |place: Place, what: &str| Some(Wrong { case: "refused", place, what: what.to_owned() });
    match *cx.infer.kind(value) {
        ValueKind::Literal(_) | ValueKind::Bool(_) => refused(place(cx, at), "A plain value is returned"),
        ValueKind::Undefined | ValueKind::Null => refused(place(cx, at), "Nothing is returned"),
        ValueKind::Array(_) | ValueKind::Derived(_) => refused(place(cx, at), "A list is returned"),
        ValueKind::Object(object) => {
            let worlds = cx.infer.worlds(value);
            worlds.iter().find_map(|keys| wrong_object(cx, place(cx, object), keys))
        }
        _ => None,
    }
}

fn wrong_object(cx: &mut Context<'_>, place: Place, keys: &Keys) -> Option<Wrong> {
    let refused = |place: Place, what: String| Some(Wrong { case: "refused", place, what });
    let Some(content) = keys.get("content").cloned() else {
        // Results of other kinds, and those that another rule speaks of.
        let is_other = ["structuredContent", "toolResult", "task", "inputRequests", "resultType"]
            .iter()
            .any(|name| keys.get(name).is_some());
        let is_empty = !is_other && keys.open.is_empty();
        return is_empty.then(|| Wrong { case: "empty", place, what: String::new() });
    };
    if let Some(flag) = keys.get("isError").cloned() {
        let value = cx.infer.eval(flag.value);
        if let ValueKind::Literal(_) = cx.infer.kind(value) {
            return refused(flag.place, "`isError` is a text".to_owned());
        }
    }
    let value = cx.infer.eval(content.value);
    match cx.infer.kind(value) {
        ValueKind::Literal(_) => return refused(content.place, "`content` is a text".to_owned()),
        ValueKind::Object(_) => return refused(content.place, "`content` is one part".to_owned()),
        ValueKind::Promise(_) => return refused(content.place, "`content` is a promise, which nobody awaits,".to_owned()),
        ValueKind::Array(_) => {}
        _ => return None,
    }
    let elements = cx.infer.elements(value);
    let parts: Vec<Loc> = elements.known.iter().map(|element| element.loc).collect();
    parts.into_iter().find_map(|part| wrong_part(cx, part))
}

/// The types of parts, and what each needs.
const PARTS: [(&str, &[&str]); 5] = [
    ("text", &["text"]),
    ("image", &["data", "mimeType"]),
    ("audio", &["data", "mimeType"]),
    ("resource", &["resource"]),
    ("resource_link", &["uri", "name"]),
];

fn wrong_part(cx: &mut Context<'_>, part: Loc) -> Option<Wrong> {
    let span = cx.infer.module(part.file).expr(part.expr).span;
    let place = Place { file: part.file, span };
    let refused = |place: Place, what: String| Some(Wrong { case: "refused", place, what });
    let value = cx.infer.eval(part);
    match cx.infer.kind(value) {
        ValueKind::Literal(_) => return refused(place, "A part of `content` is a bare text".to_owned()),
        ValueKind::Object(_) => {}
        _ => return None,
    }
    let worlds = cx.infer.worlds(value);
    let [keys] = worlds.as_slice() else { return None };
    let Some(kind) = keys.get("type").cloned() else {
        return if keys.open.is_empty() { refused(place, "A part of `content` has no `type`".to_owned()) } else { None };
    };
    let kind_text = crate::mcp::text(cx, kind.value)?;
    let Some((_, needed)) = PARTS.iter().find(|(name, _)| *name == kind_text) else {
        return refused(kind.place, format!("`{kind_text}` is no type of a part"));
    };
    if let Some(missing) = needed.iter().find(|name| keys.lacks(name)) {
        return refused(place, format!("This part has no `{missing}`"));
    }
    let text = keys.get("text").filter(|_| kind_text == "text").cloned()?;
    let what = not_text(cx, &text)?;
    refused(text.place, format!("`text` is {what}"))
}

/// What a value is that should be a text.
fn not_text(cx: &mut Context<'_>, key: &Key) -> Option<&'static str> {
    let value = cx.infer.eval(key.value);
    match *cx.infer.kind(value) {
        ValueKind::Object(_) => Some("an object"),
        ValueKind::Array(_) | ValueKind::Derived(_) => Some("a list"),
        ValueKind::Bool(_) => Some("a truth value"),
        ValueKind::Undefined | ValueKind::Null => Some("nothing"),
        ValueKind::Promise(_) => Some("a promise, which nobody awaits,"),
        ValueKind::Builtin(_) | ValueKind::Function(..) => Some("no text"),
        ValueKind::Literal(literal) => {
            let module = cx.infer.module(literal.file);
            matches!(module.expr(literal.expr).kind, ExprKind::Number(_)).then_some("a number")
        }
        _ => None,
    }
}
