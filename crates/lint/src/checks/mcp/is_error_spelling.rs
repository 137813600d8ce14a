//! `is_error` and the like, which nobody reads.

use agentcheck_catalog::Safety;

use crate::context::{Context, Details};
use crate::finding::Fix;
use crate::fix::entry::rename_key;
use crate::mcp::answers;

/// What is meant for `isError`, without case and underscores.
const MEANT: [&str; 5] = ["iserror", "iserr", "iserrors", "haserror", "errored"];

pub(crate) fn check(cx: &mut Context<'_>) {
    for answer in answers(cx) {
        for keys in answer.worlds.iter() {
            let is_meant = |name: &str| MEANT.contains(&name.to_lowercase().replace(['_', '-'], "").as_str());
            let Some(key) = keys.known.iter().find(|key| key.name != "isError" && is_meant(&key.name)) else { continue };
            if keys.get("isError").is_some() || !(keys.get("content").is_some() || keys.get("structuredContent").is_some()) {
                continue;
            }
            let Some(verdict) = cx.judge(&answer.tool.call.package, &["spelling"]) else { continue };
            let edits = rename_key(cx.infer.module(key.place.file), key, "isError");
            let title = "Call it `isError`".to_owned();
            let fixes = edits.map(|edits| Fix { title, safety: Safety::Safe, edits }).into_iter().collect();
            let slots = vec![("name", key.name.clone())];
            let related = answer.related(cx);
            cx.report(&verdict, key.place, Details { slots, fixes, related });
        }
    }
}
