//! Where schemas go to a model: the input of tools, the output of calls.

use agentcheck_model::hir::{ExprKind, PropKind};
use agentcheck_model::{Key, KeyOrigin, Loc, Typed, ValueKind};
use agentcheck_syntax::Place;

use crate::context::Context;

/// A schema and where it is given.
pub(crate) struct Position {
    pub typed: Typed,
    /// The key that it is given under.
    pub place: Place,
    pub schema: Loc,
    /// In words.
    pub what: &'static str,
    /// The object that holds the key.
    pub span: Option<Place>,
}

/// Every schema of the file that a model is shown.
pub(crate) fn schemas(cx: &mut Context<'_>) -> Vec<Position> {
    let sites = std::sync::Arc::clone(&cx.sites);
    let types = std::sync::Arc::clone(&cx.infer.program.types);
    let named = |name| types.record_named(name);
    let tool = named("Tool");
    let objects = [named("GenerateObjectOptions"), named("StreamObjectOptions")];
    let mut found = Vec::new();
    for typed in &sites.typed {
        let (names, what): (&[&str], _) = if Some(typed.record) == tool {
            (&["inputSchema", "parameters"], "the tool's input")
        } else if objects.contains(&Some(typed.record)) && typed.path.is_empty() {
            (&["schema"], "the output")
        } else {
            continue;
        };
        let keys = cx.infer.keys(typed.value);
        // `parameters` up to 4, `inputSchema` since: of the other one nothing is read.
        let is_5 = cx
            .evidence(&typed.reach.package)
            .is_some_and(|evidence| evidence.versions.members().iter().all(|version| version.release.major >= 5));
        for name in names {
            if let Some(key) = keys.get(name)
                && (*name != "parameters" || !is_5)
                && !is_getter(cx, key)
            {
                found.push(position(cx, typed, key, what));
            }
        }
    }
    for typed in sites.typed.iter().filter(|typed| typed.path.is_empty()) {
        let is_run = ["TextOptions", "AgentSettings"]
            .iter()
            .any(|name| named(name).is_some_and(|record| types.is_a(typed.record, record)));
        if !is_run {
            continue;
        }
        let keys = cx.infer.keys(typed.value);
        for name in ["output", "experimental_output"] {
            let Some(output) = keys.get(name) else { continue };
            found.extend(output_schema(cx, typed, output.value));
        }
    }
    found
}

fn is_getter(cx: &Context<'_>, key: &Key) -> bool {
    let KeyOrigin::Entry(prop) = key.origin else { return false };
    cx.infer.module(key.place.file).prop(prop).kind == PropKind::Getter
}

fn position(cx: &Context<'_>, typed: &Typed, key: &Key, what: &'static str) -> Position {
    let span = match key.origin {
        KeyOrigin::Entry(prop) => {
            let module = cx.infer.module(key.place.file);
            let span = module.expr(module.prop(prop).owner).span;
            Some(Place { file: key.place.file, span })
        }
        KeyOrigin::Assignment(_) => None,
    };
    Position { typed: typed.clone(), place: key.place, schema: key.value, what, span }
}

/// `Output.object({ schema })`, `Output.array({ element })`.
fn output_schema(cx: &mut Context<'_>, typed: &Typed, output: Loc) -> Option<Position> {
    let value = cx.infer.eval(output);
    let ValueKind::Unknown(_, at) = *cx.infer.kind(value) else { return None };
    let module = cx.infer.module(at.file);
    let ExprKind::Call { callee, args } = module.expr(module.peel(at.expr)).kind else {
        return None;
    };
    let callee = module.text(module.expr(callee).span);
    if !callee.ends_with("Output.object") && !callee.ends_with("Output.array") {
        return None;
    }
    let options = cx.infer.eval(at.at(*module.exprs(args).first()?));
    let keys = cx.infer.keys(options);
    let key = keys.get("schema").or_else(|| keys.get("element"))?;
    Some(position(cx, typed, key, "the output"))
}
