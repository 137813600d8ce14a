//! Schemas whose root is no object.

use crate::context::{Context, Details};
use crate::schemas::{Position, schemas};
use crate::zod::read;

/// Roots that describe something else than an object.
const NOT_OBJECTS: [&str; 16] = [
    "string", "number", "boolean", "array", "tuple", "literal", "enum", "nativeEnum", "null", "union", "email", "url", "uuid",
    "int", "templateLiteral", "bigint",
];

pub(crate) fn check(cx: &mut Context<'_>) {
    for Position { typed, place, schema, what, .. } in schemas(cx) {
        let Some(zod) = read(&mut cx.infer, schema) else { continue };
        // A discriminated union, and a union in an output, is sent as `anyOf`: providers differ.
        if !NOT_OBJECTS.contains(&zod.name.as_str()) || (zod.name == "union" && what != "the tool's input") {
            continue;
        }
        // `z.string().transform(…)`, `.pipe(z.object(…))`: still a string for the model.
        let case = if what == "the tool's input" { "tool" } else { "output" };
        let Some(verdict) = cx.judge(&typed.reach.package, &[case]) else { continue };
        let slots = vec![("kind", format!("z.{}()", zod.name))];
        cx.report(&verdict, place, Details { slots, ..Details::default() });
    }
}
