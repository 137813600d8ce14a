//! A tool that promises structure and returns none.

use agentcheck_model::ValueKind;

use crate::context::{Context, Details};
use crate::finding::Related;
use crate::mcp::{Flag, Given, answers, is_error};

pub(crate) fn check(cx: &mut Context<'_>) {
    for answer in answers(cx) {
        if !matches!(answer.tool.output, Given::At(_)) || answer.tool.handlers.len() != 1 {
            continue;
        }
        for keys in answer.worlds.clone().iter() {
            if is_error(cx, keys) != Flag::NotSet {
                continue;
            }
            let is_missing = match keys.get("structuredContent").cloned() {
                Some(key) => {
                    let value = cx.infer.eval(key.value);
                    key.certain && matches!(cx.infer.kind(value), ValueKind::Undefined)
                }
                None => keys.open.is_empty(),
            };
            // Without content it is no result at all, or one that another rule speaks of.
            if !is_missing || keys.get("content").is_none() {
                continue;
            }
            let Some(verdict) = cx.judge(&answer.tool.call.package, &["unmet"]) else { continue };
            let mut related = answer.related(cx);
            related.push(Related {
                place: answer.tool.place(&cx.infer),
                message: "the tool has an `outputSchema`".to_owned(),
            });
            let place = answer.place(cx);
            cx.report(&verdict, place, Details { related, ..Details::default() });
        }
    }
}
