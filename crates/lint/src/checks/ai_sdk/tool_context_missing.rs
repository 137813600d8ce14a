//! Tools that wait for a context that nobody gives them.

use agentcheck_model::hir::{Module, PatKind, PropKey};
use agentcheck_model::{Key, Keys, ValueKind};

use crate::context::{Context, Details};
use crate::finding::Related;
use crate::runs::{Run, runs};
use crate::zod::schema;

pub(crate) fn check(cx: &mut Context<'_>) {
    for run in runs(cx) {
        // An agent may be given it later on, and so may every step.
        let elsewhere = ["prepareStep", "prepareCall", "experimental_prepareStep"];
        if run.is_agent || !run.keys.open.is_empty() || elsewhere.iter().any(|name| run.keys.get(name).is_some()) {
            continue;
        }
        let given = match run.keys.get("toolsContext").cloned() {
            Some(key) => {
                let value = cx.infer.eval(key.value);
                let given = cx.infer.keys(value);
                if !given.open.is_empty() || !matches!(cx.infer.kind(value), ValueKind::Object(_)) {
                    continue;
                }
                given
            }
            None => Keys::default(),
        };
        let Some(tools) = run.keys.get("tools").cloned() else { continue };
        let value = cx.infer.eval(tools.value);
        for tool in cx.infer.keys(value).known {
            if given.get(&tool.name).is_none() {
                look_at(cx, &run, &tool);
            }
        }
    }
}

fn look_at(cx: &mut Context<'_>, run: &Run, tool: &Key) {
    let value = cx.infer.eval(tool.value);
    if cx.infer.alternatives(value).len() > 1 {
        return;
    }
    let keys = cx.infer.keys(value);
    let (case, key) = match keys.get("contextSchema").cloned() {
        Some(key) if is_required(cx, &key) => ("unvalidated", key),
        Some(_) => return,
        None => {
            let Some(option) = ["context", "runtimeContext"].iter().find_map(|name| run.keys.get(name)).cloned() else { return };
            if !reads_context(cx, &keys) {
                return;
            }
            ("unread", option)
        }
    };
    let Some(verdict) = cx.judge(&run.typed.reach.package, &[case]) else { return };
    let slots = vec![("tool", tool.name.clone()), ("option", key.name.clone())];
    let (place, related) = match case {
        "unread" => (key.place, Vec::new()),
        _ => (run.typed.reach.place, vec![Related { place: key.place, message: format!("`{}` asks for it here", tool.name) }]),
    };
    cx.report(&verdict, place, Details { slots, related, ..Details::default() });
}

/// Whether a schema refuses `undefined`, as far as can be seen.
fn is_required(cx: &mut Context<'_>, key: &Key) -> bool {
    let Some(root) = schema(&mut cx.infer, key.value) else { return false };
    let takes_nothing = ["optional", "nullish", "default", "prefault", "catch", "or"];
    let is_plain = matches!(root.maker.as_str(), "object" | "strictObject" | "looseObject" | "string" | "number");
    is_plain && !root.methods.iter().any(|method| takes_nothing.contains(&method.name.as_str()))
}

/// Whether `execute` reads `context` of its second parameter.
fn reads_context(cx: &mut Context<'_>, keys: &Keys) -> bool {
    let Some(execute) = keys.get("execute") else { return false };
    let value = cx.infer.eval(execute.value);
    let ValueKind::Function(file, function, _) = *cx.infer.kind(value) else { return false };
    let module: &Module = cx.infer.module(file);
    let Some((_, second)) = module.roots(module.function(function).params).nth(1) else { return false };
    match module.pat(second.pattern).kind {
        PatKind::Object(props) => {
            module.pat_props(props).any(|(_, prop)| matches!(prop.key, PropKey::Name(name) if module.name(name) == "context"))
        }
        _ => false,
    }
}
