//! Options that the installed version does not know yet.

use agentcheck_catalog::{Names, Newer, Safety};
use agentcheck_model::{Key, Keys, Typed};

use crate::context::{Context, Details};
use crate::finding::Fix;
use crate::fix::{entry, exclusive};
use crate::keys::{holds_something, leads_to};
use crate::standing::{Standing, is_everywhere, since, standing};

/// Options whose absence means that a tool runs without asking: `approval-not-enforced` decides when that is so.
const APPROVALS: [&str; 2] = ["needsApproval", "toolApproval"];

pub(crate) fn check(cx: &mut Context<'_>) {
    let sites = std::sync::Arc::clone(&cx.sites);
    for typed in &sites.typed {
        let Some(names) = cx.catalog.surface.options(typed.record) else { continue };
        let Some(evidence) = cx.evidence(&typed.reach.package) else { continue };
        for key in cx.infer.keys(typed.value).known {
            if let Standing::Newer(versions) = standing(cx, names, &key.name, &evidence)
                && !APPROVALS.contains(&key.name.as_str())
                && holds_something(&mut cx.infer, &key)
            {
                let newer = cx.catalog.surface.newer_option(&key.name);
                let former = newer.and_then(|newer| newer.former.iter().find(|name| is_everywhere(names, name, &evidence)));
                let worlds = cx.infer.worlds(typed.value);
                // Beside the former name it is there for other versions.
                if former.is_some_and(|former| worlds.iter().any(|world| has_both(world, &key, former))) {
                    continue;
                }
                let case = match (newer, former) {
                    (Some(newer), Some(_)) if newer.same_value => "renamed",
                    (Some(_), Some(_)) => "reshaped",
                    _ => "new",
                };
                let Some(verdict) = cx.judge_in(&typed.reach.package, case, &versions) else { continue };
                let details = Details {
                    slots: vec![
                        ("name", key.name.clone()),
                        ("former", former.cloned().unwrap_or_default()),
                        ("since", since(names, &key.name)),
                        ("effect", effect(cx, newer, names, &key, typed)),
                    ],
                    related: leads_to(&typed.reach, &key),
                    fixes: fix(cx, newer, former, &key).into_iter().collect(),
                };
                cx.report(&verdict, key.place, details);
            }
        }
    }
}

fn has_both(world: &Keys, key: &Key, former: &str) -> bool {
    world.get(former).is_some() && world.known.iter().any(|own| own.place == key.place)
}

fn effect(cx: &Context<'_>, newer: Option<&Newer>, names: &Names, key: &Key, typed: &Typed) -> String {
    match newer.and_then(|newer| newer.effect.clone()) {
        Some(effect) => effect,
        None => {
            let thing = cx.catalog.surface.thing(typed.record).unwrap_or(&typed.reach.name);
            format!("{thing} has it since {} only", since(names, &key.name))
        }
    }
}

fn fix(cx: &mut Context<'_>, newer: Option<&Newer>, former: Option<&String>, key: &Key) -> Option<Fix> {
    let former = former.filter(|_| newer.is_some_and(|newer| newer.same_value))?;
    let safety = match exclusive::readers(&mut cx.infer, key) {
        exclusive::Readers::None => Safety::Safe,
        exclusive::Readers::Possible => Safety::Unsafe,
        exclusive::Readers::Certain => return None,
    };
    let module = cx.infer.module(key.place.file);
    let edits = entry::rename_key(module, key, former)?;
    Some(Fix { title: format!("Call it `{former}`"), safety, edits })
}
