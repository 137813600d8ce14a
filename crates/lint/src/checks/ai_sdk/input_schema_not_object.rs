//! Root schemas that take something else than an object.

use crate::context::{Context, Details};
use crate::schemas::positions;
use crate::zod::{Schema, schema};

pub(crate) fn check(cx: &mut Context<'_>) {
    for position in positions(cx) {
        // A list of elements may hold anything, and so may `generateObject` in its other modes.
        if position.key.name == "element" || position.keys.get("output").is_some() {
            continue;
        }
        let Some(root) = schema(&mut cx.infer, position.schema) else { continue };
        let Some((kind, is_union)) = kind(&root) else { continue };
        let case = match (position.is_input, is_union) {
            (true, false) => "tool",
            (true, true) => "tool-union",
            (false, false) => "answer",
            (false, true) => "answer-union",
        };
        let Some(verdict) = cx.judge(&position.typed.reach.package, &[case]) else { continue };
        let details = Details { slots: vec![("kind", kind.to_owned())], ..Details::default() };
        cx.report(&verdict, position.key.place, details);
    }
}

/// What a schema takes that is no object, and whether it is one of several things.
fn kind(root: &Schema) -> Option<(&'static str, bool)> {
    for method in root.methods.iter().rev() {
        match method.name.as_str() {
            "array" => return Some(("a list", false)),
            "keyof" => return Some(("a text", false)),
            "or" => return Some(("one of several", true)),
            "and" | "unwrap" => return None,
            _ => {}
        }
    }
    Some(match root.maker.as_str() {
        "string" | "email" | "url" | "uuid" | "enum" | "nativeEnum" | "literal" | "templateLiteral" | "iso.date"
        | "iso.datetime" => ("a text", false),
        "number" | "int" | "int32" | "float32" | "float64" | "coerce.number" => ("a number", false),
        "boolean" | "coerce.boolean" | "stringbool" => ("a boolean", false),
        "null" => ("null", false),
        "array" | "tuple" => ("a list", false),
        "union" | "discriminatedUnion" | "xor" => ("one of several", true),
        _ => return None,
    })
}
