//! Errors thrown in a tool's `execute` that leave it.

mod class;
mod fix;
mod message;

use agentcheck_model::hir::{BinaryOp, ExprId, ExprKind, FuncId, Module, Parent, StmtKind};
use agentcheck_model::{Entered, Escape, Loc, Throw, Unknown, ValueKind};
use agentcheck_syntax::{Place, Span};

use crate::context::{Context, Details};
use crate::finding::Related;
use crate::outside::may_do_io;
use crate::tool_functions::{ToolFunction, tool_functions, tool_name};

use crate::tool_input::{Frame, Scope};

/// What kind of error is thrown.
enum Thrown {
    /// An `Error`.
    Error(Made),
    /// Something caught or made elsewhere; the expression that names it.
    Other(Loc),
}

/// How an error is made.
struct Made {
    /// The class as it is called in the code, and those it extends, for `safe-errors`.
    classes: Vec<String>,
    /// The name that stands before the message from AI SDK 7 on; `None` when it cannot be seen.
    name: Option<String>,
    message: Message,
}

/// What an error's message is made of.
enum Message {
    None,
    /// The argument of the constructor.
    Argument(Loc),
    /// What the class's own constructor passes to `super`, with the arguments of `new` for its parameters.
    Super { argument: Loc, constructor: FuncId, given: Vec<Loc> },
    /// A class that was not read makes it of these.
    Unseen { class: String, given: Vec<Loc> },
}

pub(crate) fn check(cx: &mut Context<'_>) {
    for execute in tool_functions(cx, "execute") {
        check_execute(cx, &execute);
    }
}

fn check_execute(cx: &mut Context<'_>, execute: &ToolFunction) {
    let escapes = cx.infer.escapes(execute.file, execute.function);
    for (index, escape) in escapes.iter().enumerate() {
        let Some(entered) = escape.path.first() else {
            report(cx, execute, escape);
            continue;
        };
        // What one call lets out is one finding: of the first error that tells something, else of the first.
        let of_call = |other: &&Escape| other.path.first().is_some_and(|first| first.call == entered.call);
        if escapes[..index].iter().any(|other| of_call(&other)) {
            continue;
        }
        let from = cx.findings.len();
        for other in escapes[index..].iter().filter(of_call) {
            report(cx, execute, other);
        }
        let found = cx.findings.split_off(from);
        let best = found.iter().position(|finding| !finding.pedantic).unwrap_or(0);
        cx.findings.extend(found.into_iter().nth(best));
    }
}

fn report(cx: &mut Context<'_>, execute: &ToolFunction, escape: &Escape) {
    let Escape { file, throw, .. } = *escape;
    let module = cx.infer.module(file);
    // `throw error instanceof Error ? error : new Error(…)`
    if let ExprKind::Conditional { then, otherwise, .. } | ExprKind::Binary(BinaryOp::Or | BinaryOp::Nullish, then, otherwise) =
        module.expr(module.peel(throw.value)).kind
    {
        for value in [then, otherwise] {
            let found = cx.findings.len();
            report(cx, execute, &Escape { throw: Throw { value, ..throw }, ..escape.clone() });
            // One place, one finding: the first part that says something.
            if cx.findings.len() > found {
                return;
            }
        }
        return;
    }
    if is_tested_safe(cx, module, throw) {
        return;
    }
    let Some(thrown) = thrown(cx, Loc::new(file, throw.value)) else { return };
    let package = &execute.typed.reach.package;
    let newest = cx.evidence(package).map_or(0, |evidence| evidence.versions.newest().release.major);
    let (arrives, unknown) = match &thrown {
        Thrown::Error(made) => {
            if made.classes.iter().any(|class| cx.option("safe-errors").contains(class)) {
                return;
            }
            let frames: Vec<Frame> = escape.path.iter().map(|entered| Frame::of(&cx.infer, entered)).collect();
            let scope = Scope { execute: (execute.file, execute.function), frames: &frames };
            let text = message::text(cx, &made.message, scope);
            let shown = match (&made.name, newest >= 7) {
                (Some(name), true) if text.shown.is_empty() => name.clone(),
                (Some(name), true) => format!("{name}: {}", text.shown),
                _ => text.shown,
            };
            (shown, text.unknown)
        }
        Thrown::Other(loc) => {
            let name = message::clip(module.text(module.expr(loc.expr).span));
            (format!("${{{name}}}"), vec![format!("the message of `{name}`")])
        }
    };
    // What is caught out of computation alone tells of nothing outside.
    let computed = |catch| !may_do_io(module, escape.function, catch);
    let harmless = unknown.is_empty() || throw.inside_catch.is_some_and(computed);
    let cases: &[&str] =
        if harmless { &["aborts-known", "known"] } else { &["aborts", "browser", "browser-unmasked", "provider"] };
    let Some(verdict) = cx.judge(package, cases) else { return };
    let stmt = module.stmt(throw.stmt).span;
    let thrown_at = Place { file, span: Span::new(stmt.start, module.expr(throw.value).span.end) };
    let (place, what) = match escape.path.first() {
        Some(Entered { call, .. }) => {
            let module = cx.infer.module(call.file);
            let callee = match module.expr(call.expr).kind {
                ExprKind::Call { callee, .. } => module.text(module.expr(callee).span),
                _ => "this",
            };
            let place = Place { file: call.file, span: module.expr(call.expr).span };
            (place, format!("An error that `{}` throws", message::clip(callee)))
        }
        None => (thrown_at, "An error thrown here".to_owned()),
    };
    let details = Details {
        slots: vec![
            ("error", what),
            ("what", message::list(&unknown)),
            ("arrives", arrives),
            ("unredacted", unredacted(execute)),
        ],
        related: related(cx, execute, escape, place, thrown_at),
        fixes: fix::fix(&cx.infer, execute, escape, &tool_name(cx, &execute.typed)).into_iter().collect(),
    };
    cx.report(&verdict, place, details);
}

/// Whether a caught error was just tested to be of a class that is thrown on purpose.
fn is_tested_safe(cx: &Context<'_>, module: &Module, throw: Throw) -> bool {
    let thrown = module.text(module.expr(module.peel(throw.value)).span);
    let mut parent = module.stmt_parent(throw.stmt);
    loop {
        parent = match parent {
            Parent::Stmt(stmt) => match module.stmt(stmt).kind {
                StmtKind::If { test, then, .. } if module.stmt(then).span.contains(module.stmt(throw.stmt).span) => {
                    let tests_safe = |expr: ExprId| match module.expr(expr).kind {
                        ExprKind::Binary(BinaryOp::Instanceof, left, right) => {
                            module.text(module.expr(left).span) == thrown
                                && cx.option("safe-errors").iter().any(|safe| *safe == module.text(module.expr(right).span))
                        }
                        _ => false,
                    };
                    if tests_safe(test) {
                        return true;
                    }
                    module.stmt_parent(stmt)
                }
                _ => module.stmt_parent(stmt),
            },
            _ => return false,
        };
    }
}

/// What an expression throws. `None`: a value that is no `Error`, which is another rule's business, or a class that cannot
/// be seen to be one.
fn thrown(cx: &mut Context<'_>, loc: Loc) -> Option<Thrown> {
    let module = cx.infer.module(loc.file);
    let value = module.peel(loc.expr);
    if let ExprKind::New { callee, args } | ExprKind::Call { callee, args } = module.expr(value).kind {
        let is_new = matches!(module.expr(value).kind, ExprKind::New { .. });
        let given: Vec<Loc> = module.exprs(args).iter().map(|expr| Loc::new(loc.file, *expr)).collect();
        if let Some(made) = made(cx, Loc::new(loc.file, callee), given, is_new) {
            return Some(Thrown::Error(made));
        }
        if is_new {
            return None;
        }
    }
    let evaluated = cx.infer.eval(loc);
    match *cx.infer.kind(evaluated) {
        // `const error = new Error(…); throw error;`
        ValueKind::Builtin(made) if made != loc => thrown(cx, made),
        // `throw Object.assign(new Error(…), { code })`
        ValueKind::Merged(ref parts) => {
            let first = parts.first().copied();
            match first.map(|first| cx.infer.kind(first).clone()) {
                Some(ValueKind::Builtin(made)) => thrown(cx, made),
                _ => None,
            }
        }
        ValueKind::Unknown(..) => Some(Thrown::Other(Loc { expr: value, ..loc })),
        ValueKind::Instance(file, class) => {
            let name = class::error_name(cx, file, class)?;
            let classes = class::names(cx, file, class);
            Some(Thrown::Error(Made { classes, name, message: Message::None }))
        }
        _ => None,
    }
}

/// The error that calling `callee` makes, if it makes one.
fn made(cx: &mut Context<'_>, callee: Loc, given: Vec<Loc>, is_new: bool) -> Option<Made> {
    let module = cx.infer.module(callee.file);
    let written = module.text(module.expr(callee.expr).span).to_owned();
    let argument = |index: usize| given.get(index).map_or(Message::None, |loc| Message::Argument(*loc));
    let value = cx.infer.eval(callee);
    match *cx.infer.kind(value) {
        // Its name is its second argument.
        ValueKind::Global(_) if written == "DOMException" => {
            Some(Made { classes: vec![written], name: None, message: argument(0) })
        }
        ValueKind::Global(_) if written == "AggregateError" => {
            Some(Made { name: Some(written.clone()), classes: vec![written], message: argument(1) })
        }
        ValueKind::Global(_) if class::is_error_name(&written) => {
            Some(Made { name: Some(written.clone()), classes: vec![written], message: argument(0) })
        }
        ValueKind::Class(file, class) if is_new => {
            let name = class::error_name(cx, file, class)?;
            let message = match class::super_call(cx.infer.module(file), file, class) {
                Some((constructor, Some(argument))) => Message::Super { argument, constructor, given },
                Some((_, None)) => Message::None,
                None => argument(0),
            };
            Some(Made { classes: class::names(cx, file, class), name, message })
        }
        // A class that was not read: its name says whether it is an error.
        ValueKind::Unknown(Unknown::Import, _) if is_new && class::is_error_name(&written) => {
            Some(Made { classes: vec![written.clone()], name: None, message: Message::Unseen { class: written, given } })
        }
        _ => None,
    }
}

/// That the tool's `toModelOutput` does not help, if it has one.
fn unredacted(execute: &ToolFunction) -> String {
    let has_output = execute.keys.get("toModelOutput").is_some();
    if has_output { "; `toModelOutput` is not called on this path".to_owned() } else { String::new() }
}

/// The journey of an error, from where it is thrown to the call that sends it on.
fn related(
    cx: &Context<'_>,
    execute: &ToolFunction,
    escape: &Escape,
    place: Place,
    thrown_at: Place,
) -> Vec<Related> {
    let mut related = Vec::new();
    if thrown_at != place {
        related.push(Related { place: thrown_at, message: "thrown here".to_owned() });
        for Entered { call, .. } in escape.path[1..].iter().rev() {
            let span = cx.infer.module(call.file).expr(call.expr).span;
            related.push(Related { place: Place { file: call.file, span }, message: "and let out by this call".to_owned() });
        }
    }
    related.push(Related { place: execute.key.place, message: "leaves this `execute`".to_owned() });
    let reach = &execute.typed.reach;
    let inside = reach.place.file == place.file && reach.span.contains(place.span);
    if !inside && reach.call.is_some() {
        related.push(Related { place: reach.place, message: format!("the tool reaches this call of `{}`", reach.name) });
    }
    related
}
