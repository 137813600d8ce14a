//! A message with the role `system` in `messages` or in a `prompt` array.

use agentcheck_catalog::RecordId;
use agentcheck_model::hir::{
    BindingDef, ExprId, ExprKind, Module, Parent, PatRole, PropKey, PropKind, RootSource, StmtKind,
};
use agentcheck_model::{Element, Key, KeyOrigin, Keys, Loc, SdkCall, Typed, Value, ValueKind, returned};
use agentcheck_syntax::{Place, Span};

use crate::context::{Context, Details, Verdict};
use crate::finding::{Edit, Fix, Related};
use crate::fix::entry::{edit, expr_text, remove_element};
use crate::fix::text::{begins_line, indentation, newline};

/// The options that hold messages.
const OPTIONS: [&str; 2] = ["messages", "prompt"];

pub(crate) fn check(cx: &mut Context<'_>) {
    let sites = std::sync::Arc::clone(&cx.sites);
    let types = std::sync::Arc::clone(&cx.infer.program.types);
    let record = |name: &str| types.record_named(name);
    for typed in &sites.typed {
        let is = |base: Option<RecordId>| base.is_some_and(|base| types.is_a(typed.record, base));
        let Some(call) = typed.reach.call.map(|call| &sites.calls[call]) else { continue };
        if is(record("PrepareStepResult")) {
            check_prepare_step(cx, typed, call);
        } else if is(record("PromptOptions")) || is(record("AgentCallOptions")) {
            check_options(cx, typed, call);
        }
    }
}

fn check_options(cx: &mut Context<'_>, typed: &Typed, call: &SdkCall) {
    let keys = cx.infer.keys(typed.value);
    if let Some(system) = keys.get("system") {
        check_system_value(cx, system, call);
    }
    let flag = flag(cx, &keys, call);
    if matches!(flag, Flag::Allows | Flag::Unknown) {
        return;
    }
    for option in OPTIONS {
        let Some(key) = keys.get(option) else { continue };
        let key = key.clone();
        let value = cx.infer.eval(key.value);
        for found in system_messages(cx, value) {
            let rejected = if call.name.contains("stream") { "empty-stream" } else { "throws" };
            let before = match flag {
                Flag::Forbids => "refused",
                _ if from_request(cx, found.content) => "untrusted",
                _ => "warned",
            };
            let Some(verdict) = cx.judge(&call.package, &[rejected, before]) else { continue };
            let major = verdict.evidence.versions.newest().release.major;
            let put = place_for_system(&verdict, call);
            let fix = if before == "untrusted" { None } else { move_to_option(cx, &keys, &key, call, &found, major) };
            let slots = vec![("option", option.to_owned()), ("callee", call.name.clone()), ("put", put)];
            let related = related(cx, &key, &found, call);
            cx.report(&verdict, found.place, Details { slots, related, fixes: fix.into_iter().collect() });
        }
    }
}

/// Where a system prompt belongs. Agents ignore `system`; functions before AI SDK 7 know nothing else, and 7 still takes it.
fn place_for_system(verdict: &Verdict<'_>, call: &SdkCall) -> String {
    let is_agent = call.receiver.is_some() || call.name.contains("Agent");
    let place = match verdict.evidence.versions.members()[0].release.major {
        _ if is_agent => "`instructions` in the agent's settings",
        7.. => "`instructions`",
        _ => "`system`",
    };
    place.to_owned()
}

/// What `allowSystemInMessages` is set to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flag {
    Unset,
    Forbids,
    Allows,
    /// It may come in through something that cannot be seen.
    Unknown,
}

/// The flag of a call or, for an agent's, of its constructor.
fn flag(cx: &mut Context<'_>, keys: &Keys, call: &SdkCall) -> Flag {
    let own = flag_among(cx, keys);
    let Some(receiver) = call.receiver else { return own };
    if own != Flag::Unset {
        return own;
    }
    let sites = std::sync::Arc::clone(&cx.sites);
    let Some(constructor) = cx.infer.constructor(receiver, &sites) else { return Flag::Unknown };
    let Some(settings) = constructor.args.first() else { return Flag::Unknown };
    let settings = cx.infer.eval(constructor.loc.at(*settings));
    let settings = cx.infer.keys(settings);
    // Agents may prepare their calls, and with them the flag.
    if settings.get("prepareCall").is_some() {
        return Flag::Unknown;
    }
    flag_among(cx, &settings)
}

fn flag_among(cx: &mut Context<'_>, keys: &Keys) -> Flag {
    match keys.get("allowSystemInMessages") {
        None if keys.open.is_empty() => Flag::Unset,
        None => Flag::Unknown,
        Some(key) => {
            let value = cx.infer.eval(key.value);
            match cx.infer.kind(value) {
                ValueKind::Bool(false) => Flag::Forbids,
                ValueKind::Bool(true) => Flag::Allows,
                _ => Flag::Unknown,
            }
        }
    }
}

fn check_prepare_step(cx: &mut Context<'_>, typed: &Typed, call: &SdkCall) {
    // Returned for some steps only, the message is there once.
    let ValueKind::Object(object) = *cx.infer.kind(typed.value) else { return };
    if !is_always_returned(cx.infer.module(object.file), object.expr) {
        return;
    }
    let keys = cx.infer.keys(typed.value);
    let Some(key) = keys.get("messages").cloned() else { return };
    let value = cx.infer.eval(key.value);
    let elements = cx.infer.elements(value);
    // Only what is put to the messages of the steps before is repeated.
    if elements.sdk.is_empty() && elements.open.is_empty() {
        return;
    }
    let options = call.args.first().map(|options| cx.infer.eval(call.loc.at(*options)));
    let flag = match options {
        Some(options) => {
            let keys = cx.infer.keys(options);
            flag_among(cx, &keys)
        }
        None => Flag::Unknown,
    };
    for found in system_messages(cx, value) {
        let case = match (call.name.contains("stream"), flag) {
            (true, Flag::Unset | Flag::Forbids) => "stream-ended",
            (true, Flag::Unknown) => continue,
            _ => "repeated",
        };
        let Some(verdict) = cx.judge(&call.package, &[case]) else { continue };
        let related = related(cx, &key, &found, call);
        let slots = vec![("callee", call.name.clone())];
        cx.report(&verdict, found.place, Details { slots, related, ..Details::default() });
    }
}

/// Whether a function returns an object whichever way it runs.
fn is_always_returned(module: &Module, object: ExprId) -> bool {
    let mut parent = module.expr_parent(object);
    loop {
        parent = match parent {
            Parent::Function(function) => return returned(module, function).len() == 1,
            Parent::Expr(expr) => match module.expr(expr).kind {
                ExprKind::Cast { .. } | ExprKind::NonNull(_) | ExprKind::Await(_) => module.expr_parent(expr),
                _ => return false,
            },
            Parent::Stmt(stmt) => match module.stmt(stmt).kind {
                StmtKind::Return(_) | StmtKind::Block(_) => module.stmt_parent(stmt),
                _ => return false,
            },
            _ => return false,
        };
    }
}

/// `system: { role, content }` and `system: [...]`, which only later versions understand.
fn check_system_value(cx: &mut Context<'_>, system: &Key, call: &SdkCall) {
    let value = cx.infer.eval(system.value);
    let alternatives = cx.infer.alternatives(value);
    let is_message = |kind: &ValueKind| matches!(kind, ValueKind::Object(_) | ValueKind::Array(_));
    // In 4 `generateObject` drops what it cannot use.
    let cases: &[&str] = match call.name.as_str() {
        "generateText" | "streamText" => &["not-text"],
        "generateObject" | "streamObject" => &["not-text-object"],
        _ => return,
    };
    if alternatives.iter().all(|value| is_message(cx.infer.kind(*value)))
        && let Some(verdict) = cx.judge(&call.package, cases)
    {
        let slots = vec![("callee", call.name.clone())];
        cx.report(&verdict, system.place, Details { slots, ..Details::default() });
    }
}

/// A system message that is written in the project.
struct SystemMessage {
    element: Element,
    object: Loc,
    /// The `role` key.
    place: Place,
    content: Loc,
    has_provider_options: bool,
    /// Whether it is handed over as it is, not through `convertToModelMessages`.
    direct: bool,
}

/// The messages with the role `system` among the elements of `messages`.
fn system_messages(cx: &mut Context<'_>, messages: Value) -> Vec<SystemMessage> {
    let elements = cx.infer.elements(messages);
    let mut found = collect(cx, &elements.known, true);
    // `convertToModelMessages` keeps the role.
    for sdk in &elements.sdk {
        let ValueKind::Sdk(sdk) = *cx.infer.kind(*sdk) else { continue };
        let Some(call) = sdk.origin.and_then(|origin| cx.infer.sdk_call_at(origin)) else { continue };
        if call.name == "convertToModelMessages"
            && let Some(argument) = call.args.first()
        {
            let converted = cx.infer.eval(call.loc.at(*argument));
            let elements = cx.infer.elements(converted);
            found.extend(collect(cx, &elements.known, false));
        }
    }
    found
}

fn collect(cx: &mut Context<'_>, elements: &[Element], direct: bool) -> Vec<SystemMessage> {
    let mut found = Vec::new();
    for element in elements {
        if element.filters.iter().any(|filter| looks_at_role(cx, *filter)) {
            continue;
        }
        let value = cx.infer.eval(element.loc);
        for member in cx.infer.alternatives(value) {
            let ValueKind::Object(object) = *cx.infer.kind(member) else { continue };
            let keys = cx.infer.keys(member);
            let (Some(role), Some(content)) = (keys.get("role"), keys.get("content").or(keys.get("parts"))) else {
                continue;
            };
            let role_value = cx.infer.eval(role.value);
            if literal(cx, role_value) == Some("system") {
                found.push(SystemMessage {
                    object,
                    place: role.place,
                    content: content.value,
                    has_provider_options: keys.known.len() > 2 || !keys.open.is_empty(),
                    direct: direct && keys.get("content").is_some(),
                    element: element.clone(),
                });
            }
        }
    }
    found
}

fn literal<'p>(cx: &Context<'p>, value: Value) -> Option<&'p str> {
    match *cx.infer.kind(value) {
        ValueKind::Literal(loc) => cx.infer.module(loc.file).string(loc.expr),
        _ => None,
    }
}

/// Whether the callback of a `filter` decides by the role, or cannot be seen.
fn looks_at_role(cx: &mut Context<'_>, callback: Loc) -> bool {
    let value = cx.infer.eval(callback);
    match *cx.infer.kind(value) {
        ValueKind::Function(file, function, _) => {
            let module = cx.infer.module(file);
            let span = module.function(function).span;
            // `filter((message) => !isSystem(message))`: what a function of the project decides by is not looked into.
            let asks = |kind: ExprKind| match kind {
                ExprKind::Call { callee, .. } => {
                    matches!(module.expr(callee).kind, ExprKind::Ident { binding: Some(_), .. })
                }
                _ => false,
            };
            module.text(span).contains("role") || module.exprs_within(span).any(|(_, node)| asks(node.kind))
        }
        // `filter(Boolean)`
        ValueKind::Global(_) => false,
        _ => true,
    }
}

/// Whether a text is taken as it is from a request: `(await request.json()).text`, `req.body.text`.
fn from_request(cx: &mut Context<'_>, loc: Loc) -> bool {
    let module = cx.infer.module(loc.file);
    let mut expr = loc.expr;
    for _ in 0..32 {
        expr = match module.expr(expr).kind {
            ExprKind::Await(inner) | ExprKind::NonNull(inner) | ExprKind::Cast { value: inner, .. } => inner,
            ExprKind::Member { object, property } => {
                if is_request(module, object) && matches!(module.name(property), "body" | "query" | "params") {
                    return true;
                }
                object
            }
            ExprKind::Call { callee, args } => match module.expr(callee).kind {
                ExprKind::Member { object, property } => {
                    return args.is_empty()
                        && is_request(module, object)
                        && matches!(module.name(property), "json" | "formData" | "text");
                }
                _ => return false,
            },
            ExprKind::Ident { binding: Some(binding), .. } => {
                let BindingDef::Pattern { pattern, .. } = module.binding(binding).def else { return false };
                let Some(root) = module.root_of(pattern) else { return false };
                match module.root(root).source {
                    RootSource::Value(value) if value != expr => value,
                    _ => return false,
                }
            }
            _ => return false,
        };
    }
    false
}

/// A parameter called or typed like a request.
fn is_request(module: &Module, expr: ExprId) -> bool {
    let ExprKind::Ident { name, binding: Some(binding) } = module.expr(expr).kind else { return false };
    let BindingDef::Pattern { pattern, .. } = module.binding(binding).def else { return false };
    let PatRole::Root(root) = module.pat(pattern).role else { return false };
    let root = module.root(root);
    if !matches!(root.source, RootSource::Param { .. }) {
        return false;
    }
    let typed = root.annotation.is_some_and(|ty| module.text(module.type_expr(ty).span).contains("Request"));
    typed || matches!(module.name(name), "req" | "request" | "ctx" | "c" | "event")
}

fn related(cx: &Context<'_>, key: &Key, found: &SystemMessage, call: &SdkCall) -> Vec<Related> {
    let module = cx.module();
    let span = module.expr(call.loc.expr).span;
    let inside = found.place.file == cx.file && span.contains(found.place.span);
    match inside {
        true => Vec::new(),
        false => vec![Related {
            place: key.place,
            message: format!("reaches this call of `{}`", call.name),
        }],
    }
}

/// Moves a leading system message into the option for it. Only what is written in the array itself and used nowhere else.
fn move_to_option(
    cx: &Context<'_>,
    keys: &Keys,
    key: &Key,
    call: &SdkCall,
    found: &SystemMessage,
    major: u32,
) -> Option<Fix> {
    let module = cx.module();
    let is_entry = matches!(key.origin, KeyOrigin::Entry(prop) if matches!(module.prop(prop).kind, PropKind::Value | PropKind::Shorthand));
    let fits = found.direct
        && found.element.position == Some(0)
        && found.element.filters.is_empty()
        && found.element.loc == found.object
        && found.place.file == cx.file
        && key.place.file == cx.file
        && is_entry
        && call.receiver.is_none()
        && keys.get("instructions").is_none()
        && keys.get("system").is_none();
    if !fits {
        return None;
    }
    let array = array_of(module, found.object.expr)?;
    let ExprKind::Array(elements) = module.expr(array).kind else { return None };
    if elements.len() < 2 || !used_once(module, array, key) {
        return None;
    }
    let option = if major >= 7 { "instructions" } else { "system" };
    let text = match (found.has_provider_options, major) {
        (false, _) => expr_text(module, found.content.expr),
        (true, 6..) => expr_text(module, found.object.expr),
        (true, _) => return None,
    };
    if array != module.peel(key.value.expr) && !in_scope_anywhere(module, found.object.expr) {
        return None;
    }
    let source = &module.source;
    let KeyOrigin::Entry(prop) = key.origin else { return None };
    let at = module.prop(prop).span.start;
    let separator = match begins_line(source, at) {
        true => format!(",{}{}", newline(source), indentation(source, at)),
        false => ", ".to_owned(),
    };
    let mut edits: Vec<Edit> = vec![edit(cx.file, Span::empty(at), format!("{option}: {text}{separator}"))];
    edits.extend(remove_element(module, cx.file, array, found.object.expr)?);
    Some(Fix {
        title: format!("Move the text to `{option}`"),
        safety: agentcheck_catalog::Safety::Safe,
        edits,
    })
}

/// The array that an element is written in.
fn array_of(module: &Module, element: ExprId) -> Option<ExprId> {
    match module.expr_parent(element) {
        Parent::Expr(parent) => match module.expr(parent).kind {
            ExprKind::Array(_) => Some(parent),
            ExprKind::Cast { .. } | ExprKind::NonNull(_) => array_of(module, parent),
            _ => None,
        },
        _ => None,
    }
}

/// Whether nothing but the option `key` looks at the array.
fn used_once(module: &Module, array: ExprId, key: &Key) -> bool {
    if module.peel(key.value.expr) == array {
        return true;
    }
    let Some(binding) = module.binding_of_value(array) else { return false };
    let mut uses = module.refs(binding).iter().filter(|reference| !is_push(module, **reference));
    uses.next().is_some_and(|only| *only == module.peel(key.value.expr)) && uses.next().is_none()
}

/// `name.push(…)` as a statement of its own.
fn is_push(module: &Module, reference: ExprId) -> bool {
    let Parent::Expr(member) = module.expr_parent(reference) else { return false };
    let ExprKind::Member { property, .. } = module.expr(member).kind else { return false };
    let Parent::Expr(call) = module.expr_parent(member) else { return false };
    module.name(property) == "push" && matches!(module.expr_parent(call), Parent::Stmt(_))
}

/// Whether an expression reads only names of the module itself, so that it can be written elsewhere in the file.
fn in_scope_anywhere(module: &Module, expr: ExprId) -> bool {
    let span = module.expr(expr).span;
    module.exprs_within(span).all(|(_, node)| match node.kind {
        ExprKind::Ident { binding: Some(binding), .. } => {
            module.scope(module.binding(binding).scope).parent.is_none()
        }
        ExprKind::This => false,
        _ => true,
    }) && !matches!(module.expr(expr).kind, ExprKind::Object(props) if module.props(props).any(|(_, prop)| prop.key == PropKey::None))
}
