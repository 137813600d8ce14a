//! Failures with structure that does not fit the tool's `outputSchema`.

use agentcheck_catalog::Safety;
use agentcheck_model::ValueKind;

use crate::context::{Context, Details};
use crate::finding::{Fix, Related};
use crate::fix::entry::{has_effects, remove_key};
use crate::mcp::{Flag, Given, answers, fields, is_error};

pub(crate) fn check(cx: &mut Context<'_>) {
    for answer in answers(cx) {
        let Given::At(schema) = answer.tool.output else { continue };
        if answer.tool.handlers.len() != 1 {
            continue;
        }
        let Some((fields, is_closed)) = fields(cx, schema) else { continue };
        for keys in answer.worlds.clone().iter() {
            let Some(key) = keys.get("structuredContent").filter(|key| key.certain).cloned() else { continue };
            if is_error(cx, keys) != Flag::Set {
                continue;
            }
            let value = cx.infer.eval(key.value);
            if !matches!(cx.infer.kind(value), ValueKind::Object(_)) {
                continue;
            }
            let structure = cx.infer.keys(value);
            let missing = fields.iter().find(|field| field.is_required && structure.lacks(&field.name));
            let extra = structure
                .known
                .iter()
                .find(|key| is_closed && key.certain && !fields.iter().any(|field| field.name == key.name));
            let what = match (missing, extra) {
                (Some(field), _) => format!("`{}` is missing in it", field.name),
                (None, Some(key)) => format!("`{}` is not allowed in it", key.name),
                (None, None) => continue,
            };
            let Some(verdict) = cx.judge(&answer.tool.call.package, &["unfit"]) else { continue };
            let mut related = answer.related(cx);
            let file = schema.file;
            let span = cx.infer.module(file).expr(schema.expr).span;
            let place = agentcheck_syntax::Place { file, span };
            related.push(Related { place, message: "the tool's `outputSchema`".to_owned() });
            let module = cx.infer.module(key.place.file);
            let edits = if has_effects(module, &key) { None } else { remove_key(module, &key) };
            let title = "Leave `structuredContent` out".to_owned();
            let fixes = edits.map(|edits| Fix { title, safety: Safety::Safe, edits }).into_iter().collect();
            cx.report(&verdict, key.place, Details { slots: vec![("what", what)], fixes, related });
        }
    }
}
