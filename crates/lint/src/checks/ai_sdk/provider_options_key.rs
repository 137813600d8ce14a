//! Keys of `providerOptions` that no provider reads.

use agentcheck_catalog::Safety;
use agentcheck_model::{Key, ValueKind};

use crate::context::{Context, Details};
use crate::finding::Fix;
use crate::fix::{entry, exclusive};
use crate::keys::leads_to;

pub(crate) fn check(cx: &mut Context<'_>) {
    // A provider of one's own has a name of one's own.
    let module = cx.module();
    if ["createOpenAICompatible", "customProvider"].iter().any(|name| module.names.get(name).is_some()) {
        return;
    }
    let sites = std::sync::Arc::clone(&cx.sites);
    let message = cx.infer.program.types.record_named("ModelMessage");
    for typed in &sites.typed {
        let takes = cx.catalog.surface.options(typed.record).is_some_and(|names| names.versions_of("providerOptions").is_some());
        if !takes && Some(typed.record) != message {
            continue;
        }
        let keys = cx.infer.keys(typed.value);
        for options in keys.known.iter().filter(|key| key.name == "providerOptions") {
            let value = cx.infer.eval(options.value);
            let inner = cx.infer.keys(value);
            for key in &inner.known {
                let Some((case, meant)) = judge(cx, key) else { continue };
                let Some(verdict) = cx.judge(&typed.reach.package, &[case]) else { continue };
                let fixes = meant.as_deref().and_then(|meant| fix(cx, key, meant, inner.get(meant).is_some()));
                let slots = vec![("name", key.name.clone()), ("meant", meant.unwrap_or_default())];
                let related = leads_to(&typed.reach, key);
                cx.report(&verdict, key.place, Details { slots, related, fixes: fixes.into_iter().collect() });
            }
        }
    }
}

/// The case of a key, and the provider that is meant.
fn judge(cx: &mut Context<'_>, key: &Key) -> Option<(&'static str, Option<String>)> {
    let providers = cx.catalog.surface.providers();
    if providers.iter().any(|(name, _)| *name == key.name) {
        return None;
    }
    let bare = |name: &str| name.replace(['_', '-', '.', ' '], "").to_lowercase();
    let wanted = bare(&key.name);
    let is_meant = |(name, also): &&(String, Vec<String>)| {
        bare(name) == wanted || also.iter().any(|other| bare(other) == wanted)
    };
    if let Some((name, _)) = providers.iter().find(is_meant) {
        return Some(("misnamed", Some(name.clone())));
    }
    // The id of a provider, `openai.responses`, of which the first part is read.
    if let Some((first, _)) = key.name.split_once('.')
        && providers.iter().any(|(name, _)| name == first)
    {
        return Some(("misnamed", Some(first.to_owned())));
    }
    let value = cx.infer.eval(key.value);
    let holds_no_options = |member| {
        matches!(cx.infer.kind(member), ValueKind::Bool(_) | ValueKind::Literal(_) | ValueKind::Array(_))
    };
    let all = cx.infer.alternatives(value).into_iter().all(holds_no_options);
    all.then_some(("no-provider", None))
}

fn fix(cx: &mut Context<'_>, key: &Key, meant: &str, has_both: bool) -> Option<Fix> {
    if has_both || exclusive::readers(&mut cx.infer, key) == exclusive::Readers::Certain {
        return None;
    }
    let module = cx.infer.module(key.place.file);
    let edits = entry::rename_key(module, key, meant)?;
    Some(Fix { title: format!("Call it `{meant}`"), safety: Safety::Unsafe, edits })
}
