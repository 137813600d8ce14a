//! What stands where a schema is wanted, and is none.

use agentcheck_catalog::Safety;
use agentcheck_model::hir::{Body, PropKind};
use agentcheck_model::{KeyOrigin, Value, ValueKind, returned};
use agentcheck_syntax::Span;

use crate::context::{Context, Details};
use crate::finding::Fix;
use crate::fix::entry::edit;
use crate::fix::import::use_export;
use crate::schemas::{Position, positions};
use crate::zod::schema;

/// What is given instead.
#[derive(PartialEq, Eq)]
enum Given {
    JsonSchema,
    /// An object of schemas, and how zod is called there.
    Shape(String),
    List,
    /// A function that returns a schema of zod.
    Function,
}

pub(crate) fn check(cx: &mut Context<'_>) {
    for position in positions(cx) {
        let value = cx.infer.eval(position.schema);
        let alternatives = cx.infer.alternatives(value);
        let [only] = alternatives.as_slice() else { continue };
        let Some(given) = given(cx, *only) else { continue };
        let case = match given {
            Given::JsonSchema => "json-schema",
            Given::Shape(_) => "shape",
            Given::List => "list",
            Given::Function => "function",
        };
        let Some(verdict) = cx.judge(&position.typed.reach.package, &[case]) else { continue };
        let fixes = fix(cx, &position, &given).into_iter().collect();
        cx.report(&verdict, position.key.place, Details { fixes, ..Details::default() });
    }
}

fn given(cx: &mut Context<'_>, value: Value) -> Option<Given> {
    match *cx.infer.kind(value) {
        ValueKind::Array(_) => Some(Given::List),
        ValueKind::Object(_) => {
            let keys = cx.infer.keys(value);
            // What implements Standard Schema, or is a schema of the SDK by hand.
            if !keys.open.is_empty() || ["~standard", "validate", "_def", "jsonSchema"].iter().any(|name| keys.get(name).is_some()) {
                return None;
            }
            let is_type = keys.get("type").is_some_and(|key| cx.infer.literal_text(key.value).is_some());
            if is_type || keys.get("properties").is_some_and(|key| {
                let value = cx.infer.eval(key.value);
                matches!(cx.infer.kind(value), ValueKind::Object(_)) && schema(&mut cx.infer, key.value).is_none()
            }) {
                return Some(Given::JsonSchema);
            }
            let mut zod = None;
            for key in &keys.known {
                let field = schema(&mut cx.infer, key.value)?;
                let written = field.written(&cx.infer);
                zod = Some(written.strip_suffix(&format!(".{}", field.maker)).unwrap_or_default().to_owned());
            }
            zod.map(Given::Shape)
        }
        ValueKind::Function(file, function, ctx) => {
            let module = cx.infer.module(file);
            if module.function(function).is_async || module.function(function).body == Body::None {
                return None;
            }
            let returned = returned(module, function);
            let is_schema = |expr| schema(&mut cx.infer, agentcheck_model::Loc { file, expr, ctx }).is_some();
            (!returned.is_empty() && returned.into_iter().all(is_schema)).then_some(Given::Function)
        }
        _ => None,
    }
}

/// Puts what is written there into a call.
fn fix(cx: &Context<'_>, position: &Position, given: &Given) -> Option<Fix> {
    let KeyOrigin::Entry(prop) = position.key.origin else { return None };
    let loc = position.key.value;
    let module = cx.infer.module(loc.file);
    if module.prop(prop).kind != PropKind::Value || loc.file != position.key.place.file {
        return None;
    }
    let span = module.expr(loc.expr).span;
    let (callee, mut edits, safety) = match given {
        Given::Shape(zod) if !zod.is_empty() && module.binding_at(zod, span.start).is_some() => {
            (format!("{zod}.object"), Vec::new(), Safety::Safe)
        }
        // What `execute` receives is of no known type then.
        Given::JsonSchema => {
            let (name, edits) = use_export(module, loc.file, "ai", "jsonSchema", span.start);
            (name, edits, Safety::Unsafe)
        }
        _ => return None,
    };
    edits.push(edit(loc.file, Span::new(span.start, span.start), format!("{callee}(")));
    edits.push(edit(loc.file, Span::new(span.end, span.end), ")"));
    Some(Fix { title: format!("Make a schema of it with `{callee}`"), safety, edits })
}
