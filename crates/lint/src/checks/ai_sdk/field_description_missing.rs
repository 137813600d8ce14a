//! Arguments of tools that do not say what they are.

use crate::context::{Context, Details};
use crate::schemas::positions;
use crate::zod::{Field, fields, schema};

/// More names than this are not listed.
const SHOWN: usize = 4;

pub(crate) fn check(cx: &mut Context<'_>) {
    for position in positions(cx).into_iter().filter(|position| position.is_input) {
        let Some(root) = schema(&mut cx.infer, position.schema) else { continue };
        let Some(fields) = fields(&mut cx.infer, &root) else { continue };
        let silent: Vec<&Field> = fields.known.iter().filter(|field| is_silent(cx, field)).collect();
        if silent.is_empty() {
            continue;
        }
        let mut names: Vec<String> = silent.iter().take(SHOWN).map(|field| format!("`{}`", field.name)).collect();
        if silent.len() > SHOWN {
            names.push(format!("{} more", silent.len() - SHOWN));
        }
        let Some(verdict) = cx.judge(&position.typed.reach.package, &["missing"]) else { continue };
        let slots = vec![("fields", names.join(", "))];
        cx.report(&verdict, position.key.place, Details { slots, ..Details::default() });
    }
}

/// Whether the schema of a field is in sight and has no description.
fn is_silent(cx: &mut Context<'_>, field: &Field) -> bool {
    let Some(schema) = schema(&mut cx.infer, field.value) else { return false };
    // What can be said in a literal or a list of them is said.
    let speaks = matches!(schema.maker.as_str(), "literal" | "enum" | "nativeEnum");
    !speaks && !schema.methods.iter().any(|method| matches!(method.name.as_str(), "describe" | "meta" | "register" | "check"))
}
