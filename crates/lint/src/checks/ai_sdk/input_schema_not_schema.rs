//! Input schemas that are none.

use agentcheck_model::hir::ExprKind;
use agentcheck_model::{Loc, ValueKind, returned};

use crate::context::{Context, Details};
use crate::schemas::{Position, schemas};
use crate::zod::read;

pub(crate) fn check(cx: &mut Context<'_>) {
    for Position { typed, place, schema, what, .. } in schemas(cx) {
        if what != "the tool's input" {
            continue;
        }
        let Some((case, help)) = wrong(cx, schema) else { continue };
        let Some(verdict) = cx.judge(&typed.reach.package, &[case]) else { continue };
        let slots = vec![("help", help.to_owned())];
        cx.report(&verdict, place, Details { slots, ..Details::default() });
    }
}

fn wrong(cx: &mut Context<'_>, schema: Loc) -> Option<(&'static str, &'static str)> {
    let value = cx.infer.eval(schema);
    match *cx.infer.kind(value) {
        ValueKind::Object(object) => {
            let module = cx.infer.module(object.file);
            if !matches!(module.expr(object.expr).kind, ExprKind::Object(_)) {
                return None;
            }
            let keys = cx.infer.keys(value);
            // What follows the standard for schemas, or looks like one of a library, is one.
            let has = |name: &str| keys.get(name).is_some();
            if !keys.open.is_empty() || has("~standard") || has("jsonSchema") || has("validate") || has("_type") {
                return None;
            }
            if has("type") && (has("properties") || has("additionalProperties") || has("required")) {
                return Some(("plain", "Wrap it: `jsonSchema({ … })`, which `ai` exports."));
            }
            let fields: Vec<Loc> = keys.known.iter().map(|key| key.value).collect();
            let is_shape = !fields.is_empty() && fields.into_iter().all(|field| read(&mut cx.infer, field).is_some());
            is_shape.then_some(("plain", "Wrap it: `z.object({ … })`."))
        }
        ValueKind::Array(_) => Some(("plain", "Give one schema of an object: `z.object({ … })`.")),
        ValueKind::Function(file, function, _) => {
            let values = returned(cx.infer.module(file), function);
            let all_zod =
                !values.is_empty() && values.into_iter().all(|expr| read(&mut cx.infer, Loc::new(file, expr)).is_some());
            all_zod.then_some(("function", "Give the schema itself, or return `zodSchema(…)`."))
        }
        _ => None,
    }
}
