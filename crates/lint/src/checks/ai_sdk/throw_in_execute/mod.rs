//! Errors thrown in a tool's `execute` that leave it.

mod fix;
mod message;

use agentcheck_model::hir::{ClassId, ExprId, ExprKind, FuncId, Module, Parent, PropKey};
use agentcheck_model::{Key, Loc, SdkCall, Throw, Typed, Unknown, ValueKind, leaving_throws};
use agentcheck_syntax::{FileId, Place, Span};

use crate::context::{Context, Details};
use crate::finding::Related;

/// What kind of error is thrown.
enum Thrown {
    /// An `Error`, and the class that the model gets to read before its message.
    Error {
        class: String,
        argument: Option<Loc>,
    },
    /// Something caught or made elsewhere; the expression that names it.
    Other(Loc),
}

pub(crate) fn check(cx: &mut Context<'_>) {
    let sites = std::sync::Arc::clone(&cx.sites);
    let tool = cx.infer.program.types.record_named("Tool");
    for typed in sites.typed.iter().filter(|typed| Some(typed.record) == tool) {
        let keys = cx.infer.keys(typed.value);
        let Some(execute) = keys.get("execute").cloned() else { continue };
        let call = &sites.calls[typed.call];
        let value = cx.infer.eval(execute.value);
        for member in cx.infer.alternatives(value) {
            if let ValueKind::Function(file, function) = *cx.infer.kind(member) {
                for throw in leaving_throws(cx.infer.module(file), function) {
                    report(cx, typed, call, &execute, file, function, throw);
                }
            }
        }
    }
}

fn report(
    cx: &mut Context<'_>,
    typed: &Typed,
    call: &SdkCall,
    execute: &Key,
    file: FileId,
    function: FuncId,
    throw: Throw,
) {
    let module = cx.infer.module(file);
    let Some(thrown) = thrown(cx, Loc { file, expr: throw.value }) else { return };
    let newest = cx.evidence(&call.package).map_or(0, |evidence| evidence.versions.newest().release.major);
    let (arrives, unknown) = match &thrown {
        Thrown::Error { class, argument } => {
            if cx.option("safe-errors").contains(class) {
                return;
            }
            let text = argument.map_or_else(message::Text::default, |argument| message::text(cx, argument, function));
            let prefix = if newest >= 7 { format!("{class}: ") } else { String::new() };
            (format!("{prefix}{}", text.shown), text.unknown)
        }
        Thrown::Other(loc) => {
            let name = message::clip(module.text(module.expr(loc.expr).span));
            (format!("${{{name}}}"), vec![format!("the message of `{name}`")])
        }
    };
    let cases: &[&str] =
        if unknown.is_empty() { &["aborts-known", "known"] } else { &["aborts", "browser", "provider"] };
    let Some(verdict) = cx.judge(&call.package, cases) else { return };
    let stmt = module.stmt(throw.stmt).span;
    let place = Place { file, span: Span::new(stmt.start, module.expr(throw.value).span.end) };
    let name = tool_name(cx, typed, call);
    let details = Details {
        slots: vec![("what", message::list(&unknown)), ("arrives", arrives)],
        related: related(cx, call, execute, place),
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
        let class = cx.infer.eval_in(loc.file, callee);
        let argument = module.exprs(args).first().map(|expr| Loc { file: loc.file, expr: *expr });
        let written = module.text(module.expr(callee).span).to_owned();
        let is_new = matches!(module.expr(value).kind, ExprKind::New { .. });
        match *cx.infer.kind(class) {
            ValueKind::Global(_) if is_error_name(&written) => {
                return Some(Thrown::Error { class: written, argument });
            }
            ValueKind::Class(file, class) if is_new => {
                let class = error_class(cx, file, class)?;
                return Some(Thrown::Error { class, argument });
            }
            // A class that was not read: its name says whether it is an error.
            ValueKind::Unknown(Unknown::Import, _) if is_new => {
                return is_error_name(&written).then_some(Thrown::Error { class: written, argument });
            }
            _ if is_new => return None,
            _ => {}
        }
    }
    let evaluated = cx.infer.eval(loc);
    match *cx.infer.kind(evaluated) {
        // `const error = new Error(…); throw error;`
        ValueKind::Builtin(made) if made != loc => thrown(cx, made),
        ValueKind::Unknown(..) => Some(Thrown::Other(Loc { expr: value, ..loc })),
        ValueKind::Instance(file, class) => {
            error_class(cx, file, class).map(|class| Thrown::Error { class, argument: None })
        }
        _ => None,
    }
}

fn is_error_name(name: &str) -> bool {
    name.ends_with("Error") || name.ends_with("Exception")
}

/// The name that instances of a class of the project carry, if it extends an error: what its constructor or a field sets,
/// else the name that `Error` gives.
fn error_class(cx: &mut Context<'_>, file: FileId, class: ClassId) -> Option<String> {
    let module = cx.infer.module(file);
    let node = *module.class(class);
    let base = node.extends?;
    let inherited = match *{
        let base = cx.infer.eval_in(file, base);
        cx.infer.kind(base)
    } {
        ValueKind::Class(file, base) if base != class => error_class(cx, file, base)?,
        ValueKind::Global(_) | ValueKind::Unknown(Unknown::Import, _) => {
            let written = module.text(module.expr(base).span);
            is_error_name(written).then(|| written.to_owned())?
        }
        _ => return None,
    };
    let own = module.class_members(node.members).find_map(|(_, member)| match (member.key, member.value) {
        (PropKey::Name(name), Some(value)) if module.name(name) == "name" => module.string(value),
        _ => None,
    });
    let assigned = || {
        module.this_assignments().find_map(|(member, value)| {
            let ExprKind::Member { property, .. } = module.expr(member).kind else { return None };
            let owner = module.enclosing_function(member).and_then(|function| module.function(function).class);
            (owner == Some(class) && module.name(property) == "name").then(|| module.string(value)).flatten()
        })
    };
    Some(own.or_else(assigned).map_or(inherited, str::to_owned))
}

/// What the tool is called: its key in `tools`, else the name it is declared with.
fn tool_name(cx: &Context<'_>, typed: &Typed, call: &SdkCall) -> String {
    if let Some(name) = typed.path.last() {
        return name.clone();
    }
    let module = cx.infer.module(call.loc.file);
    let declared = match module.expr_parent(call.loc.expr) {
        Parent::Prop(prop) => match module.prop(prop).key {
            PropKey::Name(name) => Some(module.name(name)),
            _ => None,
        },
        _ => module.binding_of_value(call.loc.expr).map(|binding| module.name(module.binding(binding).name)),
    };
    declared.unwrap_or("tool").to_owned()
}

fn related(cx: &Context<'_>, call: &SdkCall, execute: &Key, place: Place) -> Vec<Related> {
    let mut related = vec![Related { place: execute.place, message: "leaves this `execute`".to_owned() }];
    let module: &Module = cx.infer.module(call.loc.file);
    let span = module.expr(call.loc.expr).span;
    if call.loc.file != place.file || !span.contains(place.span) {
        let place = Place { file: call.loc.file, span: module.name_span(call.callee) };
        related.push(Related { place, message: format!("the tool reaches this call of `{}`", call.name) });
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
