//! Names of tools that the run does not have: in `activeTools`, `toolChoice`, `hasToolCall`, `toolsContext`.

use agentcheck_catalog::{RecordId, Safety};
use agentcheck_model::hir::{ExprId, ExprKind, Module, Parent, StmtKind};
use agentcheck_model::{Keys, Loc, Typed, Value, ValueKind};
use agentcheck_syntax::{Place, Span};

use crate::context::{Context, Details};
use crate::finding::{Fix, Related};
use crate::fix::entry::edit;
use crate::settings::nearest;

/// The tools of a run, all of them.
struct Tools {
    names: Vec<String>,
    /// Where they are given.
    place: Place,
}

pub(crate) fn check(cx: &mut Context<'_>) {
    let sites = std::sync::Arc::clone(&cx.sites);
    let types = std::sync::Arc::clone(&cx.infer.program.types);
    let [text, agent, step] =
        ["TextOptions", "AgentSettings", "PrepareStepResult"].map(|name| types.record_named(name));
    let is_a = |typed: &Typed, record: Option<RecordId>| record.is_some_and(|base| types.is_a(typed.record, base));
    for typed in &sites.typed {
        if !typed.path.is_empty() || !(is_a(typed, text) || is_a(typed, agent)) {
            continue;
        }
        let keys = cx.infer.keys(typed.value);
        let Some(tools) = tools(cx, &keys) else { continue };
        options(cx, typed, &keys, &tools);
        if let Some(key) = keys.get("stopWhen") {
            conditions(cx, typed, key.value, &tools);
        }
        if let Some(key) = keys.get("toolsContext") {
            let value = cx.infer.eval(key.value);
            let keys = cx.infer.keys(value);
            for key in &keys.known {
                name(cx, typed, "context", &key.name, key.place, None, &tools);
            }
        }
        // What prepareStep returns for this run.
        let same_call = |other: &&Typed| is_a(other, step) && other.reach.call == typed.reach.call;
        for returned in sites.typed.iter().filter(same_call).filter(|_| typed.reach.call.is_some()) {
            let keys = cx.infer.keys(returned.value);
            options(cx, typed, &keys, &tools);
        }
    }
}

/// The tools, if all of them are in sight.
fn tools(cx: &mut Context<'_>, keys: &Keys) -> Option<Tools> {
    // What is not in sight may bring other tools.
    let last = keys.get("tools").filter(|_| keys.open.is_empty())?;
    let place = last.place;
    let mut names = Vec::new();
    for key in keys.known.iter().filter(|key| key.name == "tools") {
        let value = cx.infer.eval(key.value);
        for member in cx.infer.alternatives(value) {
            match *cx.infer.kind(member) {
                ValueKind::Object(object) if is_handed_out(cx.infer.module(object.file), object.expr) => return None,
                ValueKind::Object(_) | ValueKind::Merged(_) | ValueKind::Rest(..) => {}
                _ => return None,
            }
        }
        let set = cx.infer.tool_set(value);
        if set.open {
            return None;
        }
        names.extend(set.tools.into_iter().map(|(name, ..)| name));
    }
    (!names.is_empty()).then_some(Tools { names, place })
}

/// Whether a function gets an object by its name, returns it, or finds it in a field: it may put further tools in.
fn is_handed_out(module: &Module, object: ExprId) -> bool {
    let Some(binding) = module.binding_of_value(object) else {
        return matches!(module.expr_parent(object), Parent::ClassMember(_));
    };
    module.refs(binding).iter().any(|reference| match module.expr_parent(*reference) {
        Parent::Expr(parent) => match module.expr(parent).kind {
            ExprKind::Call { callee, .. } => callee != *reference && !is_object_method(module, callee),
            _ => false,
        },
        Parent::Stmt(stmt) => matches!(module.stmt(stmt).kind, StmtKind::Return(_)),
        _ => false,
    })
}

/// `Object.keys` and its like, which change nothing; `Object.assign` is followed.
fn is_object_method(module: &Module, callee: ExprId) -> bool {
    module.text(module.expr(callee).span).starts_with("Object.")
}

/// `activeTools` and `toolChoice`, of a call or of what prepareStep returns.
fn options(cx: &mut Context<'_>, typed: &Typed, keys: &Keys, tools: &Tools) {
    for key in &keys.known {
        let value = cx.infer.eval(key.value);
        match key.name.as_str() {
            "activeTools" | "experimental_activeTools" => {
                for element in elements(cx, value) {
                    literal(cx, typed, "not-offered", element, tools);
                }
            }
            "toolChoice" => {
                for member in cx.infer.alternatives(value) {
                    let choice = cx.infer.keys(member);
                    if let Some(key) = choice.get("toolName") {
                        let at = key.value;
                        literal(cx, typed, "forced", at, tools);
                    }
                }
            }
            _ => {}
        }
    }
}

fn elements(cx: &mut Context<'_>, value: Value) -> Vec<Loc> {
    let mut found = Vec::new();
    for member in cx.infer.alternatives(value) {
        if matches!(cx.infer.kind(member), ValueKind::Array(_)) {
            found.extend(cx.infer.elements(member).known.iter().map(|element| element.loc));
        }
    }
    found
}

/// `hasToolCall('name')`, alone or as one of several conditions.
fn conditions(cx: &mut Context<'_>, typed: &Typed, at: Loc, tools: &Tools) {
    let value = cx.infer.eval(at);
    let listed = elements(cx, value);
    // As the only condition it never ends the run, which has a rule of its own.
    if listed.len() < 2 && cx.catalog.rule("ai-sdk/unbounded-loop").is_some() {
        return;
    }
    let places = if listed.is_empty() { vec![at] } else { listed };
    for place in places {
        let condition = cx.infer.eval(place);
        let ValueKind::Sdk(sdk) = *cx.infer.kind(condition) else { continue };
        let Some(call) = sdk.origin.and_then(|origin| cx.infer.sdk_call_at(origin)) else { continue };
        if call.name == "hasToolCall" {
            for argument in &call.args {
                literal(cx, typed, "never-met", call.loc.at(*argument), tools);
            }
        }
    }
}

fn literal(cx: &mut Context<'_>, typed: &Typed, case: &str, at: Loc, tools: &Tools) {
    if let Some(text) = cx.infer.literal_text(at) {
        let place = Place { file: at.file, span: cx.infer.module(at.file).expr(at.expr).span };
        name(cx, typed, case, &text, place, Some(at), tools);
    }
}

fn name(cx: &mut Context<'_>, typed: &Typed, case: &str, text: &str, place: Place, at: Option<Loc>, tools: &Tools) {
    if tools.names.iter().any(|name| name == text) {
        return;
    }
    let cases: &[&str] = match case {
        "forced" => &["violated", "forced"],
        "not-offered" => &["not-offered"],
        "never-met" => &["never-met"],
        _ => &["context"],
    };
    let Some(verdict) = cx.judge(&typed.reach.package, cases) else { return };
    let meant = nearest(text, tools.names.iter().map(String::as_str));
    let help = match &meant {
        Some(meant) => format!("Did you mean `{meant}`?"),
        None => {
            let names: Vec<String> = tools.names.iter().take(8).map(|name| format!("`{name}`")).collect();
            format!("The tools are called {}.", names.join(", "))
        }
    };
    let fixes = match (&meant, at) {
        (Some(meant), Some(at)) if matches!(cx.infer.module(at.file).expr(at.expr).kind, ExprKind::String(_)) => {
            let inner = Span::new(place.span.start + 1, place.span.end - 1);
            let title = format!("Name the tool `{meant}`");
            vec![Fix { title, safety: Safety::Unsafe, edits: vec![edit(place.file, inner, meant.as_str())] }]
        }
        _ => Vec::new(),
    };
    let related = vec![Related { place: tools.place, message: "the tools of the run".to_owned() }];
    let slots = vec![("name", text.to_owned()), ("help", help), ("callee", typed.reach.name.clone())];
    cx.report(&verdict, place, Details { slots, related, fixes });
}
