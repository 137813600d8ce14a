//! Fields that may be left out, in schemas that OpenAI takes strictly.

use agentcheck_catalog::Safety;
use agentcheck_model::hir::{BindingDef, ExprKind};
use agentcheck_model::{Infer, Keys, Loc, ValueKind};
use agentcheck_syntax::Span;

use crate::context::{Context, Details};
use crate::finding::{Fix, Related};
use crate::fix::entry::edit;
use crate::schemas::{Position, positions};
use crate::runs::runs;
use crate::zod::{Schema, Step, each_input};

/// Methods after which a field may be left out.
const OPTIONAL: [&str; 4] = ["optional", "nullish", "default", "prefault"];

pub(crate) fn check(cx: &mut Context<'_>) {
    let strict = strict_outputs(cx);
    for position in positions(cx) {
        let is_strict = match (position.is_input, position.key.name.as_str()) {
            (false, "schema") if position.keys.get("model").is_some() => is_openai(cx, &position.keys),
            (false, _) => strict.contains(&position.typed.reach.place),
            (true, _) => false,
        };
        if is_strict {
            report(cx, &position);
        }
    }
}

/// The calls of `Output.object` and `Output.array` whose schema goes to an OpenAI model.
fn strict_outputs(cx: &mut Context<'_>) -> Vec<agentcheck_syntax::Place> {
    let mut found = Vec::new();
    let sites = std::sync::Arc::clone(&cx.sites);
    for run in runs(cx) {
        if !is_openai(cx, &run.keys) {
            continue;
        }
        for name in ["output", "experimental_output"] {
            let Some(key) = run.keys.get(name) else { continue };
            let module = cx.infer.module(key.value.file);
            let mut expr = module.peel(key.value.expr);
            if let ExprKind::Ident { binding: Some(binding), .. } = module.expr(expr).kind
                && let Some(value) = module.value_of_binding(binding)
            {
                expr = module.peel(value);
            }
            let at = Loc::new(key.value.file, expr);
            let calls = sites.typed.iter().filter(|typed| {
                typed.reach.call.is_some_and(|index| sites.calls[index].loc.is_same_expr(at))
            });
            found.extend(calls.map(|typed| typed.reach.place));
        }
    }
    found
}

/// Whether the model is one of OpenAI or Azure.
fn is_openai(cx: &mut Context<'_>, keys: &Keys) -> bool {
    let Some(key) = keys.get("model").filter(|key| key.certain).cloned() else { return false };
    // `strictJsonSchema: false` may stand there.
    if keys.get("providerOptions").is_some() {
        return false;
    }
    // A gateway names the provider in the model's id.
    if let Some(id) = cx.infer.literal_text(key.value) {
        return id.starts_with("openai/") || id.starts_with("azure/");
    }
    comes_from_openai(&mut cx.infer, key.value)
}

fn comes_from_openai(infer: &mut Infer<'_>, loc: Loc) -> bool {
    let module = infer.module(loc.file);
    let mut expr = module.peel(loc.expr);
    for _ in 0..32 {
        expr = match module.expr(expr).kind {
            ExprKind::Member { object, .. } => module.peel(object),
            ExprKind::Call { callee, args } => {
                // A host of one's own may be anything.
                if module.exprs(args).first().is_some_and(|arg| {
                    let value = infer.eval(loc.at(*arg));
                    matches!(infer.kind(value), ValueKind::Object(_)) && infer.keys(value).get("baseURL").is_some()
                }) {
                    return false;
                }
                module.peel(callee)
            }
            ExprKind::Ident { binding: Some(binding), .. } => match module.binding(binding).def {
                BindingDef::Import(import) => {
                    let source = module.name(module.import_decl(module.import(import).decl).source);
                    return matches!(source, "@ai-sdk/openai" | "@ai-sdk/azure");
                }
                BindingDef::Pattern { constant: true, .. } => match module.value_of_binding(binding) {
                    Some(value) => module.peel(value),
                    None => return false,
                },
                _ => return false,
            },
            _ => return false,
        };
    }
    false
}

fn report(cx: &mut Context<'_>, position: &Position) {
    let owner = position.owner(&cx.infer);
    let mut told_outside = false;
    for Step { schema, path } in each_input(&mut cx.infer, position.schema) {
        let Some(index) = optional(&schema).filter(|_| !path.is_empty()) else { continue };
        let field = schema.place(&cx.infer);
        let inside = owner.is_some_and(|owner| owner.file == field.file && owner.span.contains(field.span));
        // A schema that others use as well is reported where it is given to the SDK, once.
        if !inside && std::mem::replace(&mut told_outside, true) {
            continue;
        }
        let Some(verdict) = cx.judge(&position.typed.reach.package, &["strict"]) else { continue };
        let (place, related, fix) = match inside {
            true => (field, Vec::new(), fix(cx, &schema)),
            false => (position.key.place, vec![Related { place: field, message: "may be left out".to_owned() }], None),
        };
        let slots = vec![("field", path.join(".")), ("method", schema.methods[index].name.clone())];
        cx.report(&verdict, place, Details { slots, related, fixes: fix.into_iter().collect() });
    }
}

fn optional(schema: &Schema) -> Option<usize> {
    schema.methods.iter().position(|method| OPTIONAL.contains(&method.name.as_str()))
}

/// `.nullable()` in the place of `.optional()`, when that is written right behind the schema.
fn fix(cx: &Context<'_>, schema: &Schema) -> Option<Fix> {
    let module = cx.infer.module(schema.at.file);
    let end = module.expr(schema.at.expr).span.end;
    let [first, ..] = schema.methods.as_slice() else { return None };
    let word = format!(".{}()", first.name);
    if !matches!(first.name.as_str(), "optional" | "nullish") || !module.source[end as usize..].starts_with(&word) {
        return None;
    }
    let edits = vec![edit(schema.at.file, Span::new(end, end + word.len() as u32), ".nullable()")];
    Some(Fix { title: "Let the model say `null`".to_owned(), safety: Safety::Unsafe, edits })
}
