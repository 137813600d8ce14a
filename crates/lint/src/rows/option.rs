//! Rows of kind `option`: keys of objects that flow into an SDK position.

use std::sync::Arc;

use agentcheck_catalog::{Case, EditRow, FixRow, Holds, Rename, Rule, Safety, Severity, When};
use agentcheck_model::hir::Module;
use agentcheck_model::{Evidence, Infer, Key, Keys, Sites, Typed, ValueKind};
use agentcheck_syntax::FileId;

use super::{Rows, filled, slots};
use crate::context::{Details, choose, finding};
use crate::finding::{Edit, Finding, Fix};
use crate::fix::{entry, exclusive, import};
use crate::keys::leads_to;
use crate::runs;
use crate::settings::Settings;

/// Reports the keys of the objects in `sites`.
pub(super) fn check(
    rows: &Rows<'_>,
    file: FileId,
    infer: &mut Infer<'_>,
    sites: &Sites,
    settings: &Settings,
    findings: &mut Vec<Finding>,
) {
    for typed in &sites.typed {
        let Some(evidence) = infer.program.evidence(file, &typed.reach.package).cloned() else { continue };
        let worlds = infer.worlds(typed.value);
        for key in infer.keys(typed.value).known {
            for (index, rename) in rows.options.get(key.name.as_str()).into_iter().flatten() {
                let rule = &rows.catalog.rules[*index];
                let found = case_of(infer, rule, rename, typed, &worlds, &key, &evidence);
                let Some((case, on_some_paths)) = found else { continue };
                let Some(verdict) = choose(&[case], Arc::clone(&evidence)) else { continue };
                let mut slots = slots(rename);
                slots.push(("callee", typed.reach.name.clone()));
                let details = Details {
                    slots,
                    related: leads_to(&typed.reach, &key),
                    fixes: fix(infer, typed, &key, rename, &case.fixes, &evidence).into_iter().collect(),
                };
                let mut found = finding(rule, &settings.rules[*index], &verdict, key.place, details);
                // On the other paths it does no harm.
                if on_some_paths {
                    found.severity = found.severity.min(Severity::Warning);
                }
                findings.push(found);
            }
        }
    }
}

/// The case to report of a key, the worst of the ways in which the object may come out; and whether others are less bad.
fn case_of<'c>(
    infer: &mut Infer<'_>,
    rule: &'c Rule,
    rename: &Rename,
    typed: &Typed,
    worlds: &[Keys],
    key: &Key,
    evidence: &Arc<Evidence>,
) -> Option<(&'c Case, bool)> {
    let mut found: Vec<&Case> = Vec::new();
    for world in worlds {
        // `{ maxSteps: undefined }` asks for nothing.
        if !world.known.iter().any(|own| own.place == key.place) || !is_present(infer, world, &key.name) {
            continue;
        }
        let cases: Vec<&Case> =
            rule.cases.iter().filter(|case| applies(infer, case, rename, typed, world, key)).collect();
        let case = choose(&cases, Arc::clone(evidence))?.case;
        if !found.iter().any(|other| other.name == case.name) {
            found.push(case);
        }
    }
    let worst = found.iter().copied().max_by_key(|case| case.severity)?;
    Some((worst, found.iter().any(|case| case.severity == Severity::Info)))
}

fn applies(infer: &mut Infer<'_>, case: &Case, rename: &Rename, typed: &Typed, keys: &Keys, key: &Key) -> bool {
    let types = Arc::clone(&infer.program.types);
    let When { with, without, value } = &case.when;
    case.on.iter().any(|on| types.is_a(typed.record, *on))
        && with.iter().all(|name| is_present(infer, keys, &filled(name, rename)))
        && without.iter().all(|name| keys.open.is_empty() && !is_present(infer, keys, &filled(name, rename)))
        && value.as_ref().is_none_or(|value| literal(infer, key).as_ref() == Some(value))
}

/// Whether a key is there and holds something: `undefined` and `{}` ask for nothing.
fn is_present(infer: &mut Infer<'_>, keys: &Keys, name: &str) -> bool {
    let Some(key) = keys.get(name) else { return false };
    let value = infer.eval(key.value);
    match *infer.kind(value) {
        ValueKind::Undefined => false,
        ValueKind::Object(_) => {
            infer.worlds(value).iter().any(|world| !world.known.is_empty() || !world.open.is_empty())
        }
        _ => true,
    }
}

/// The text of a literal value, through constants.
fn literal(infer: &mut Infer<'_>, key: &Key) -> Option<String> {
    let value = infer.eval(key.value);
    match infer.kind(value) {
        ValueKind::Bool(value) => Some(value.to_string()),
        _ => infer.literal_text(key.value),
    }
}

fn fix(
    infer: &mut Infer<'_>,
    typed: &Typed,
    key: &Key,
    rename: &Rename,
    rows: &[FixRow],
    evidence: &Evidence,
) -> Option<Fix> {
    let row = rows.iter().find(|row| evidence.versions.holds(&row.versions) == Holds::All)?;
    // Beside a key of that name the new one would win or lose by its place.
    if let EditRow::RenameKey { to: new } | EditRow::ReplaceEntry { key: new, .. } = &row.edit {
        let new = filled(new, rename);
        let has_both = |world: &Keys| world.get(&new).is_some() && world.known.iter().any(|own| own.place == key.place);
        if infer.worlds(typed.value).iter().any(has_both) {
            return None;
        }
    }
    let mut safety = row.safety;
    match exclusive::readers(infer, key) {
        exclusive::Readers::None => {}
        exclusive::Readers::Possible => safety = safety.max(Safety::Unsafe),
        exclusive::Readers::Certain => return None,
    }
    if row.only_for_counts {
        // A stop condition of nothing, of a text or of 0 never stops.
        match infer.literal_text(key.value).map(|text| text.parse::<u32>()) {
            Some(Ok(1..)) => {}
            Some(_) => return None,
            None if runs::count(infer, key.value).is_some() => return None,
            None => safety = safety.max(Safety::Unsafe),
        }
    }
    let module = infer.module(key.place.file);
    let edits = match &row.edit {
        EditRow::RenameKey { to } => entry::rename_key(module, key, &filled(to, rename))?,
        EditRow::RemoveKey if entry::has_effects(module, key) => return None,
        EditRow::RemoveKey => entry::remove_key(module, key)?,
        EditRow::ReplaceEntry { key: name, value } => {
            let mut edits = Vec::new();
            let value = expand(module, key, &filled(value, rename), &typed.reach.package, &mut edits)?;
            edits.extend(entry::replace_entry(module, key, &filled(name, rename), &value)?);
            edits
        }
        _ => return None,
    };
    Some(Fix { title: filled(&row.title, rename), safety, edits })
}

/// Fills the template of a new value: `{value}` and `{import:name}`.
fn expand(module: &Module, key: &Key, template: &str, package: &str, edits: &mut Vec<Edit>) -> Option<String> {
    let mut text = template.replace("{value}", &entry::expr_text(module, key.value.expr));
    while let Some(start) = text.find("{import:") {
        let end = start + text[start..].find('}')?;
        let at = key.place.span.start;
        let (local, more) = import::use_export(module, key.place.file, package, &text[start + 8..end], at);
        text.replace_range(start..=end, &local);
        edits.extend(more);
    }
    Some(text)
}
