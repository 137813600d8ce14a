//! Errors thrown in a tool's `execute` that leave it.

mod class;
mod fix;
mod message;

use agentcheck_model::hir::{ExprId, ExprKind, FuncId, Module, Parent, PatKind, PropKey};
use agentcheck_model::{Key, Loc, Reach, Throw, Typed, Unknown, ValueKind, leaving_throws};
use agentcheck_syntax::{FileId, Place, Span};

use crate::context::{Context, Details};
use crate::finding::Related;

/// What kind of error is thrown.
enum Thrown {
    /// An `Error`.
    Error(Made),
    /// Something caught or made elsewhere; the expression that names it.
    Other(Loc),
}

/// How an error is made.
struct Made {
    /// The class as it is called in the code, for `safe-errors`.
    class: String,
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
}

pub(crate) fn check(cx: &mut Context<'_>) {
    let sites = std::sync::Arc::clone(&cx.sites);
    let tool = cx.infer.program.types.record_named("Tool");
    for typed in sites.typed.iter().filter(|typed| Some(typed.record) == tool) {
        let keys = cx.infer.keys(typed.value);
        let Some(execute) = keys.get("execute").cloned() else { continue };
        let value = cx.infer.eval(execute.value);
        for member in cx.infer.alternatives(value) {
            if let ValueKind::Function(file, function) = *cx.infer.kind(member) {
                for throw in leaving_throws(cx.infer.module(file), function) {
                    report(cx, typed, &execute, file, function, throw);
                }
            }
        }
    }
}

fn report(
    cx: &mut Context<'_>,
    typed: &Typed,
    execute: &Key,
    file: FileId,
    function: FuncId,
    throw: Throw,
) {
    let module = cx.infer.module(file);
    let Some(thrown) = thrown(cx, Loc { file, expr: throw.value }) else { return };
    let newest = cx.evidence(&typed.reach.package).map_or(0, |evidence| evidence.versions.newest().release.major);
    let (arrives, unknown) = match &thrown {
        Thrown::Error(made) => {
            if cx.option("safe-errors").contains(&made.class) {
                return;
            }
            let text = message::text(cx, &made.message, function);
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
    let cases: &[&str] =
        if unknown.is_empty() { &["aborts-known", "known"] } else { &["aborts", "browser", "browser-unmasked", "provider"] };
    let Some(verdict) = cx.judge(&typed.reach.package, cases) else { return };
    let stmt = module.stmt(throw.stmt).span;
    let place = Place { file, span: Span::new(stmt.start, module.expr(throw.value).span.end) };
    let name = tool_name(cx, typed);
    let details = Details {
        slots: vec![("what", message::list(&unknown)), ("arrives", arrives)],
        related: related(&typed.reach, execute, place),
        fixes: fix::fix(module, file, function, throw, &name).into_iter().collect(),
    };
    cx.report(&verdict, place, details);
}

/// What an expression throws. `None`: a value that is no `Error`, which is another rule's business, or a class that cannot
/// be seen to be one.
fn thrown(cx: &mut Context<'_>, loc: Loc) -> Option<Thrown> {
    let module = cx.infer.module(loc.file);
    let value = module.peel(loc.expr);
    if let ExprKind::New { callee, args } | ExprKind::Call { callee, args } = module.expr(value).kind {
        let is_new = matches!(module.expr(value).kind, ExprKind::New { .. });
        let given: Vec<Loc> = module.exprs(args).iter().map(|expr| Loc { file: loc.file, expr: *expr }).collect();
        if let Some(made) = made(cx, Loc { file: loc.file, expr: callee }, given, is_new) {
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
        ValueKind::Unknown(..) => Some(Thrown::Other(Loc { expr: value, ..loc })),
        ValueKind::Instance(file, class) => {
            let name = class::error_name(cx, file, class)?;
            let written = cx.infer.module(file).class(class).name.map(|name| cx.infer.module(file).name(name).to_owned());
            let class = written.unwrap_or_default();
            Some(Thrown::Error(Made { class, name, message: Message::None }))
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
            Some(Made { class: written, name: None, message: argument(0) })
        }
        ValueKind::Global(_) if written == "AggregateError" => {
            Some(Made { name: Some(written.clone()), class: written, message: argument(1) })
        }
        ValueKind::Global(_) if class::is_error_name(&written) => {
            Some(Made { name: Some(written.clone()), class: written, message: argument(0) })
        }
        ValueKind::Class(file, class) if is_new => {
            let name = class::error_name(cx, file, class)?;
            let message = match class::super_call(cx.infer.module(file), file, class) {
                Some((constructor, Some(argument))) => Message::Super { argument, constructor, given },
                Some((_, None)) => Message::None,
                None => argument(0),
            };
            Some(Made { class: written, name, message })
        }
        // A class that was not read: its name says whether it is an error.
        ValueKind::Unknown(Unknown::Import, _) if is_new && class::is_error_name(&written) => {
            Some(Made { class: written, name: None, message: argument(0) })
        }
        _ => None,
    }
}

/// What the tool is called: its key in `tools`, else the name that its definition is given.
fn tool_name(cx: &Context<'_>, typed: &Typed) -> String {
    if let Some(name) = typed.path.last() {
        return name.clone();
    }
    let ValueKind::Object(object) = *cx.infer.kind(typed.value) else { return "tool".to_owned() };
    let module = cx.infer.module(object.file);
    let mut expr = object.expr;
    // Outwards, through `tool(…)`, casts and assignments.
    for _ in 0..4 {
        match module.expr_parent(expr) {
            Parent::Prop(prop) => match module.prop(prop).key {
                PropKey::Name(name) => return module.name(name).to_owned(),
                _ => break,
            },
            Parent::Expr(parent) => {
                if let ExprKind::Assign { target, .. } = module.expr(parent).kind
                    && let PatKind::Target(target) = module.pat(target).kind
                {
                    return match module.expr(target).kind {
                        ExprKind::Member { property, .. } => module.name(property).to_owned(),
                        ExprKind::Index { index, .. } => module.string(index).unwrap_or("tool").to_owned(),
                        _ => module.text(module.expr(target).span).to_owned(),
                    };
                }
                expr = parent;
            }
            Parent::Root(_) => {
                let name = module.binding_of_value(expr).map(|binding| module.binding(binding).name);
                return name.map_or("tool", |name| module.name(name)).to_owned();
            }
            _ => break,
        }
    }
    "tool".to_owned()
}

fn related(reach: &Reach, execute: &Key, place: Place) -> Vec<Related> {
    let mut related = vec![Related { place: execute.place, message: "leaves this `execute`".to_owned() }];
    let inside = reach.place.file == place.file && reach.span.contains(place.span);
    if !inside && reach.call.is_some() {
        related.push(Related { place: reach.place, message: format!("the tool reaches this call of `{}`", reach.name) });
    }
    related
}

/// Whether an expression is the first parameter of a function, or a part of it.
fn is_own_input(module: &Module, function: FuncId, mut expr: ExprId) -> bool {
    use agentcheck_model::hir::{BindingDef, RootSource};
    loop {
        expr = match module.expr(expr).kind {
            ExprKind::Member { object, .. } | ExprKind::Index { object, .. } => object,
            ExprKind::NonNull(inner) | ExprKind::Cast { value: inner, .. } => inner,
            ExprKind::Ident { binding: Some(binding), .. } => {
                let BindingDef::Pattern { pattern, .. } = module.binding(binding).def else { return false };
                let Some(root) = module.root_of(pattern) else { return false };
                return match module.root(root).source {
                    RootSource::Param { function: owner, index: 0, .. } => owner == function,
                    // `const { article } = input`
                    RootSource::Value(value) if value != expr => {
                        expr = value;
                        continue;
                    }
                    _ => false,
                };
            }
            _ => return false,
        };
    }
}
