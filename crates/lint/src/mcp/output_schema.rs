//! What an output schema asks for.

use agentcheck_model::{Loc, ValueKind};

use crate::context::Context;
use crate::zod;

/// A field of an object's schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    pub name: String,
    pub is_required: bool,
}

/// Makers and methods of schemas that let a value be absent.
const ABSENT: [&str; 11] = [
    "optional",
    "nullish",
    "default",
    "prefault",
    "catch",
    "any",
    "unknown",
    "undefined",
    "void",
    "exactOptional",
    "never",
];

/// The fields that a plain object of schemas or a `z.object()` lists, and whether it refuses others; `None` when they cannot
/// all be seen.
pub(crate) fn fields(cx: &mut Context<'_>, loc: Loc) -> Option<(Vec<Field>, bool)> {
    let listed: Vec<(String, Loc)>;
    let mut is_closed = true;
    if let Some(schema) = zod::schema(&mut cx.infer, loc) {
        // What refines it may change the fields.
        if !schema.is_object() || !schema.methods.is_empty() {
            return None;
        }
        let fields = zod::fields(&mut cx.infer, &schema)?;
        is_closed = schema.maker != "looseObject";
        if fields.open && is_closed {
            return None;
        }
        listed = fields.known.into_iter().map(|field| (field.name, field.value)).collect();
    } else {
        let value = cx.infer.eval(loc);
        if !matches!(cx.infer.kind(value), ValueKind::Object(_)) {
            return None;
        }
        let keys = cx.infer.keys(value);
        if !keys.open.is_empty() || keys.known.iter().any(|key| !key.certain) {
            return None;
        }
        listed = keys.known.iter().map(|key| (key.name.clone(), key.value)).collect();
    }
    let fields = listed.into_iter().map(|(name, value)| Field { name, is_required: is_required(cx, value) });
    Some((fields.collect(), is_closed))
}

fn is_required(cx: &mut Context<'_>, field: Loc) -> bool {
    zod::schema(&mut cx.infer, field).is_some_and(|schema| {
        let mut words = std::iter::once(&schema.maker).chain(schema.methods.iter().map(|method| &method.name));
        !words.any(|word| ABSENT.contains(&word.as_str()))
    })
}
