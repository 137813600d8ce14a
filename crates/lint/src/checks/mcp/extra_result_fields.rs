//! Keys of a result that the protocol does not know.

use crate::context::{Context, Details};
use crate::mcp::answers;

/// What a result may hold, and what other rules speak of.
const KNOWN: [&str; 12] = [
    "content", "structuredContent", "isError", "_meta", "toolResult", "task", "resultType", "inputRequests", "requestState",
    "is_error", "iserror", "isErr",
];

pub(crate) fn check(cx: &mut Context<'_>) {
    for answer in answers(cx) {
        for keys in answer.worlds.iter().filter(|keys| keys.get("content").is_some()) {
            let Some(key) = keys.known.iter().find(|key| !KNOWN.contains(&key.name.as_str())) else { continue };
            let Some(verdict) = cx.judge(&answer.tool.call.package, &["extra"]) else { continue };
            let (slots, related) = (vec![("name", key.name.clone())], answer.related(cx));
            cx.report(&verdict, key.place, Details { slots, related, ..Details::default() });
        }
    }
}
