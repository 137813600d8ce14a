//! What a thrown error's message is made of: its shape as it will be read, and the parts that the model did not write itself.

use agentcheck_model::hir::{
    BinaryOp, BindingDef, ExprId, ExprKind, FuncId, Module, PatRole, UnaryOp,
};
use agentcheck_model::{Entered, Loc, ValueKind, returned};
use agentcheck_syntax::{FileId, Span};

use super::Message;
use crate::tool_input::{Frame, Scope};
use crate::context::Context;

/// A message: how it reads, and what in it comes from elsewhere.
#[derive(Default)]
pub(super) struct Text {
    /// Literal parts as they are, the others as `${…}`.
    pub shown: String,
    /// The parts that are neither literals, the tool's own input, numbers nor constants of the module.
    pub unknown: Vec<String>,
}

/// Longer texts are cut.
const SHOWN: usize = 60;

/// The message that an error is made with, as far as it is decided on the way from `execute` to the throw.
pub(super) fn text(cx: &mut Context<'_>, message: &Message, scope: Scope<'_>) -> Text {
    let mut text = Text::default();
    match message {
        Message::None => {}
        Message::Argument(argument) => collect(cx, *argument, scope, &mut text, 16),
        Message::Unseen { class, given } => {
            let mut parts = Text::default();
            for argument in given {
                collect(cx, *argument, scope, &mut parts, 16);
            }
            text.shown = format!("${{what {class} makes of it}}");
            text.unknown = parts.unknown;
        }
        Message::Super { argument, constructor, given } => {
            let mut frames = scope.frames.to_vec();
            frames.push(Frame { file: argument.file, function: *constructor, given: Some(given.clone()) });
            collect(cx, *argument, Scope { frames: &frames, ..scope }, &mut text, 16);
        }
    }
    text.shown = clip(&text.shown.replace('\n', " "));
    text
}

/// `text`, cut to a length that fits a message.
pub(super) fn clip(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The unknown parts as a phrase.
pub(super) fn list(unknown: &[String]) -> String {
    match unknown {
        [] => "nothing that the model did not write".to_owned(),
        [only] => format!("{only} in it"),
        [first, second] => format!("{first} and {second} in it"),
        [first, second, rest @ ..] => format!("{first}, {second} and {} more in it", rest.len()),
    }
}

fn collect(cx: &mut Context<'_>, loc: Loc, scope: Scope<'_>, into: &mut Text, depth: u32) {
    let module = cx.infer.module(loc.file);
    let expr = module.peel(loc.expr);
    let at = |expr: ExprId| Loc::new(loc.file, expr);
    if is_annotated_number(module, expr) {
        placeholder(module, expr, into);
        return;
    }
    if let Some((given, outside)) = scope.given(module, at(expr))
        && depth > 0
    {
        if let Some(given) = given {
            collect(cx, given, outside, into, depth - 1);
        }
        return;
    }
    match module.expr(expr).kind {
        _ if depth == 0 => part(module, expr, into),
        ExprKind::String(name) => into.shown.push_str(module.name(name)),
        ExprKind::Number(name) => into.shown.push_str(module.name(name)),
        ExprKind::Bool(value) => into.shown.push_str(if value { "true" } else { "false" }),
        ExprKind::Template(values) => {
            // The texts between the interpolations, as written.
            let span = module.expr(expr).span;
            let mut from = span.start + 1;
            for value in module.exprs(values).to_vec() {
                let place = module.expr(value).span;
                let text = module.text(Span::new(from, place.start));
                into.shown.push_str(text.rsplit_once("${").map_or(text, |(before, _)| before));
                collect(cx, at(value), scope, into, depth - 1);
                from = place.end + module.source[place.end as usize..].find('}').map_or(0, |end| end as u32 + 1);
            }
            into.shown.push_str(module.text(Span::new(from, span.end - 1)));
        }
        ExprKind::Binary(BinaryOp::Add, left, right) => {
            collect(cx, at(left), scope, into, depth - 1);
            collect(cx, at(right), scope, into, depth - 1);
        }
        ExprKind::Binary(BinaryOp::Or | BinaryOp::Nullish, left, right) => {
            let mut other = Text::default();
            collect(cx, at(left), scope, into, depth - 1);
            collect(cx, at(right), scope, &mut other, depth - 1);
            into.unknown.extend(other.unknown);
        }
        ExprKind::Conditional { then, otherwise, .. } => {
            let mut other = Text::default();
            collect(cx, at(then), scope, into, depth - 1);
            collect(cx, at(otherwise), scope, &mut other, depth - 1);
            into.unknown.extend(other.unknown);
        }
        _ if is_known(cx, at(expr), scope, depth) => placeholder(module, expr, into),
        _ => part(module, expr, into),
    }
}

fn placeholder(module: &Module, expr: ExprId, into: &mut Text) {
    let text = module.text(module.expr(expr).span).split_whitespace().collect::<Vec<_>>().join(" ");
    into.shown.push_str(&format!("${{{text}}}"));
}

fn part(module: &Module, expr: ExprId, into: &mut Text) {
    placeholder(module, expr, into);
    let text = module.text(module.expr(expr).span).split_whitespace().collect::<Vec<_>>().join(" ");
    into.unknown.push(format!("`{}`", clip(&text)));
}

/// Whether the model could have written a value itself, or it is only a number.
fn is_known(cx: &mut Context<'_>, loc: Loc, scope: Scope<'_>, depth: u32) -> bool {
    let module = cx.infer.module(loc.file);
    let expr = module.peel(loc.expr);
    let at = |expr: ExprId| Loc::new(loc.file, expr);
    if depth == 0 {
        return false;
    }
    if is_annotated_number(module, expr) || scope.is_own_input(&cx.infer, at(expr)) {
        return true;
    }
    if let Some((given, outside)) = scope.given(module, at(expr)) {
        return given.is_none_or(|given| is_known(cx, given, outside, depth - 1));
    }
    match module.expr(expr).kind {
        ExprKind::String(_) | ExprKind::Number(_) | ExprKind::Bool(_) | ExprKind::Null | ExprKind::BigInt => true,
        ExprKind::Unary(op, _) => op != UnaryOp::Void,
        ExprKind::Update(_) => true,
        ExprKind::Binary(BinaryOp::Other | BinaryOp::Equal | BinaryOp::NotEqual | BinaryOp::In, ..) => true,
        ExprKind::Binary(_, left, right) => {
            is_known(cx, at(left), scope, depth - 1) && is_known(cx, at(right), scope, depth - 1)
        }
        // Lengths and status codes are numbers.
        ExprKind::Member { property, .. } if matches!(module.name(property), "length" | "size" | "status") => true,
        // `this.constructor.name`: what a class is called in the code.
        ExprKind::Member { object, property } if module.name(property) == "name" && is_class(cx, at(object)) => true,
        // `original.message`, where the caller passes a text
        ExprKind::Member { object, .. }
            if matches!(scope.given(module, at(object)), Some((Some(_), _)))
                && is_known(cx, at(object), scope, depth - 1) =>
        {
            true
        }
        // `input.tags.join(', ')`, `JSON.stringify(input)`, `String(n)`
        ExprKind::Call { callee, args } => {
            let receiver = match module.expr(callee).kind {
                ExprKind::Member { object, .. } => Some(object),
                _ => None,
            };
            let value = cx.infer.eval(at(callee));
            if let ValueKind::Function(file, function, _) = *cx.infer.kind(value) {
                return is_known_result(cx, at(expr), (file, function), scope, depth - 1);
            }
            let of_language = matches!(cx.infer.kind(value), ValueKind::Global(_));
            let receiver_known = match receiver {
                Some(object) => of_language || is_known(cx, at(object), scope, depth - 1),
                None => of_language,
            };
            receiver_known
                && module.exprs(args).to_vec().into_iter().all(|arg| is_known(cx, at(arg), scope, depth - 1))
        }
        ExprKind::Template(values) => {
            module.exprs(values).to_vec().into_iter().all(|value| is_known(cx, at(value), scope, depth - 1))
        }
        ExprKind::Conditional { then, otherwise, .. } => {
            is_known(cx, at(then), scope, depth - 1) && is_known(cx, at(otherwise), scope, depth - 1)
        }
        ExprKind::Ident { .. } | ExprKind::Member { .. } | ExprKind::Index { .. } => {
            if is_enum_member(module, expr) {
                return true;
            }
            if let ExprKind::Ident { binding: Some(binding), .. } = module.expr(expr).kind
                && let Some(value) = module.value_of_binding(binding)
                && matches!(module.binding(binding).def, BindingDef::Pattern { constant: true, .. })
                && value != expr
                && !matches!(module.expr(value).kind, ExprKind::Ident { .. })
                && is_known(cx, at(value), scope, depth - 1)
            {
                return true;
            }
            // A constant, a member of a constant object, an entry of a table.
            let value = cx.infer.eval(at(expr));
            cx.infer.alternatives(value).into_iter().all(|member| match *cx.infer.kind(member) {
                ValueKind::Bool(_) | ValueKind::Null | ValueKind::Undefined => true,
                ValueKind::Literal(literal) => {
                    let module = cx.infer.module(literal.file);
                    matches!(module.expr(literal.expr).kind, ExprKind::String(_) | ExprKind::Number(_))
                }
                _ => false,
            })
        }
        ExprKind::Array(list) => {
            module.exprs(list).to_vec().into_iter().all(|element| is_known(cx, at(element), scope, depth - 1))
        }
        _ => false,
    }
}

/// A class of the project, or the `constructor` of something.
fn is_class(cx: &mut Context<'_>, loc: Loc) -> bool {
    let module = cx.infer.module(loc.file);
    if let ExprKind::Member { property, .. } = module.expr(loc.expr).kind
        && module.name(property) == "constructor"
    {
        return true;
    }
    let value = cx.infer.eval(loc);
    matches!(cx.infer.kind(value), ValueKind::Class(..))
}

/// Whether all that a function of the project may return for a call is known.
fn is_known_result(
    cx: &mut Context<'_>,
    call: Loc,
    (file, function): (FileId, FuncId),
    scope: Scope<'_>,
    depth: u32,
) -> bool {
    let results = returned(cx.infer.module(file), function);
    let mut frames = scope.frames.to_vec();
    frames.push(Frame::of(&cx.infer, &Entered { call, file, function }));
    let inside = Scope { frames: &frames, ..scope };
    !results.is_empty() && results.into_iter().all(|result| is_known(cx, Loc::new(file, result), inside, depth))
}

/// A parameter or constant that is declared as a number or a truth value.
fn is_annotated_number(module: &Module, expr: ExprId) -> bool {
    let ExprKind::Ident { binding: Some(binding), .. } = module.expr(expr).kind else { return false };
    let BindingDef::Pattern { pattern, .. } = module.binding(binding).def else { return false };
    let PatRole::Root(root) = module.pat(pattern).role else { return false };
    let Some(annotation) = module.root(root).annotation else { return false };
    matches!(module.text(module.type_expr(annotation).span), "number" | "boolean" | "bigint")
}

/// `Kind.Stock` of an enum that the file declares.
fn is_enum_member(module: &Module, expr: ExprId) -> bool {
    let (ExprKind::Member { object, .. } | ExprKind::Index { object, .. }) = module.expr(expr).kind else { return false };
    match module.expr(object).kind {
        ExprKind::Ident { binding: Some(binding), .. } => module.binding(binding).def == BindingDef::Enum,
        _ => false,
    }
}
