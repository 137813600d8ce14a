//! Schemas of tools that take anything.

use crate::context::{Context, Details};
use crate::schemas::positions;
use crate::zod::schema;

pub(crate) fn check(cx: &mut Context<'_>) {
    for position in positions(cx).into_iter().filter(|position| position.is_input) {
        let Some(root) = schema(&mut cx.infer, position.schema) else { continue };
        let gives_shape = root.methods.iter().any(|method| matches!(method.name.as_str(), "pipe" | "transform" | "and" | "or"));
        if gives_shape || !matches!(root.maker.as_str(), "any" | "unknown") {
            continue;
        }
        let Some(verdict) = cx.judge(&position.typed.reach.package, &["untyped"]) else { continue };
        let slots = vec![("written", format!("{}()", root.written(&cx.infer)))];
        cx.report(&verdict, position.key.place, Details { slots, ..Details::default() });
    }
}
