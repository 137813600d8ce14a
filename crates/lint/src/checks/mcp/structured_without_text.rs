//! Results with structure and without content.

use agentcheck_model::ValueKind;

use crate::context::{Context, Details};
use crate::mcp::{Flag, answers, is_error};

pub(crate) fn check(cx: &mut Context<'_>) {
    for answer in answers(cx) {
        for keys in answer.worlds.clone().iter() {
            let Some(structured) = keys.get("structuredContent").filter(|key| key.certain).cloned() else { continue };
            let value = cx.infer.eval(structured.value);
            if matches!(cx.infer.kind(value), ValueKind::Undefined) || is_error(cx, keys) == Flag::Set {
                continue;
            }
            let is_empty = match keys.get("content").cloned() {
                Some(content) => {
                    let value = cx.infer.eval(content.value);
                    let is_array = matches!(cx.infer.kind(value), ValueKind::Array(_));
                    let elements = cx.infer.elements(value);
                    is_array && elements.known.is_empty() && elements.open.is_empty() && elements.sdk.is_empty()
                }
                None => keys.open.is_empty(),
            };
            if !is_empty {
                continue;
            }
            let Some(verdict) = cx.judge(&answer.tool.call.package, &["alone"]) else { continue };
            let related = answer.related(cx);
            cx.report(&verdict, structured.place, Details { related, ..Details::default() });
        }
    }
}
