//! Names that providers do not take for tools.

use crate::context::{Context, Details};
use crate::keys::leads_to;
use crate::runs::runs;

/// The longest name that OpenAI takes.
const LONGEST: usize = 64;

pub(crate) fn check(cx: &mut Context<'_>) {
    for run in runs(cx) {
        let Some(tools) = run.keys.get("tools").cloned() else { continue };
        let value = cx.infer.eval(tools.value);
        for key in cx.infer.keys(value).known {
            let is_known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
            let case = match key.name.chars().find(|c| !is_known(*c)) {
                Some(_) => "character",
                None if key.name.is_empty() => "empty",
                None if key.name.len() > LONGEST => "long",
                None => continue,
            };
            let Some(verdict) = cx.judge(&run.typed.reach.package, &[case]) else { continue };
            let bad = key.name.chars().find(|c| !is_known(*c)).map(String::from).unwrap_or_default();
            let slots = vec![("bad", bad), ("length", key.name.len().to_string())];
            let related = leads_to(&run.typed.reach, &key);
            cx.report(&verdict, key.place, Details { slots, related, ..Details::default() });
        }
    }
}
