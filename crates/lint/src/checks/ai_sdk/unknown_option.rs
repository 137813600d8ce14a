//! Options that no version knows: most often misspelt.

use agentcheck_catalog::{RuleKind, Safety};
use agentcheck_model::{Key, Typed};

use crate::context::{Context, Details};
use crate::finding::Fix;
use crate::fix::{entry, exclusive};
use crate::keys::{holds_something, leads_to};
use crate::standing::{Standing, nearest, standing};

pub(crate) fn check(cx: &mut Context<'_>) {
    let sites = std::sync::Arc::clone(&cx.sites);
    for typed in &sites.typed {
        for key in cx.infer.keys(typed.value).known {
            look_at(cx, typed, &key);
        }
    }
}

fn look_at(cx: &mut Context<'_>, typed: &Typed, key: &Key) {
    let package = &typed.reach.package;
    let (Some(names), Some(evidence)) = (cx.catalog.surface.options(typed.record), cx.evidence(package)) else { return };
    let meant = match standing(cx, names, &key.name, &evidence) {
        Standing::Known | Standing::Newer(_) => return,
        // Old names are the rows' business, also where they choose to be silent.
        Standing::Gone(_) if has_row(cx, &key.name) => return,
        Standing::Gone(_) => None,
        Standing::Never => nearest(cx.catalog, names, &key.name, &evidence),
    };
    // Somebody else reads it by its name: it is the project's own.
    let readers = exclusive::readers(&mut cx.infer, key);
    if readers == exclusive::Readers::Certain || !holds_something(&mut cx.infer, key) {
        return;
    }
    // Beside the right name it is no misspelling of it.
    let worlds = cx.infer.worlds(typed.value);
    let meant = meant.filter(|(name, _)| !worlds.iter().any(|world| world.get(name).is_some()));
    let is_tool = types_name(cx, typed) == "Tool";
    let (case, fixes) = match &meant {
        Some((name, same)) if readers == exclusive::Readers::None => {
            let safety = if *same { Safety::Safe } else { Safety::Unsafe };
            let edits = entry::rename_key(cx.infer.module(key.place.file), key, name);
            ("misspelt", edits.map(|edits| Fix { title: format!("Call it `{name}`"), safety, edits }))
        }
        // Projects put things of their own on tools.
        _ if is_tool => return,
        _ => ("unknown", None),
    };
    let Some(verdict) = cx.judge(package, &[case]) else { return };
    let details = Details {
        slots: vec![
            ("name", key.name.clone()),
            ("callee", typed.reach.name.clone()),
            ("meant", meant.map(|(name, _)| name).unwrap_or_default()),
        ],
        related: leads_to(&typed.reach, key),
        fixes: fixes.into_iter().collect(),
    };
    cx.report(&verdict, key.place, details);
}

fn types_name<'p>(cx: &Context<'p>, typed: &Typed) -> &'p str {
    let program = cx.infer.program;
    &program.types.record(typed.record).name
}

fn has_row(cx: &Context<'_>, name: &str) -> bool {
    cx.catalog.rules.iter().any(|rule| {
        matches!(&rule.kind, RuleKind::Option { names } if names.iter().any(|rename| rename.old == name))
    })
}
