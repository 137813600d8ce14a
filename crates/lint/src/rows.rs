//! The interpreter of migration rows: keys of objects that flow into an SDK position.

use agentcheck_catalog::{Case, Catalog, EditRow, FixRow, Holds, RuleKind, When};
use agentcheck_model::hir::{ExprKind, Module};
use agentcheck_model::{Evidence, Infer, Key, Keys, SdkCall, Sites, Typed};
use agentcheck_syntax::{FileId, Place};
use rustc_hash::FxHashMap;

use crate::context::{Details, choose, finding};
use crate::finding::{Edit, Finding, Fix, Related};
use crate::fix::{entry, import};
use crate::settings::Settings;

/// The rows of a catalog by the key they look for.
pub(crate) struct Rows<'c> {
    catalog: &'c Catalog,
    by_key: FxHashMap<&'c str, Vec<usize>>,
}

impl<'c> Rows<'c> {
    /// The rows that `settings` leaves on.
    pub(crate) fn new(catalog: &'c Catalog, settings: &Settings) -> Self {
        let mut by_key: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (index, rule) in catalog.rules.iter().enumerate() {
            if let RuleKind::Option { key } = &rule.kind
                && !settings.rules[index].off
            {
                by_key.entry(key).or_default().push(index);
            }
        }
        Self { catalog, by_key }
    }

    /// Reports the keys of the objects in `sites`.
    pub(crate) fn check(
        &self,
        file: FileId,
        infer: &mut Infer<'_>,
        sites: &Sites,
        settings: &Settings,
        findings: &mut Vec<Finding>,
    ) {
        for typed in &sites.typed {
            let keys = infer.keys(typed.value);
            for key in &keys.known {
                for index in self.by_key.get(key.name.as_str()).into_iter().flatten() {
                    let rule = &self.catalog.rules[*index];
                    let cases: Vec<&Case> =
                        rule.cases.iter().filter(|case| applies(infer, case, typed, &keys, key)).collect();
                    let call = &sites.calls[typed.call];
                    let Some(evidence) = infer.program.evidence(file, &call.package).cloned() else { continue };
                    let Some(verdict) = choose(&cases, evidence) else { continue };
                    let module = infer.module(key.place.file);
                    let fixes = fixes(module, key, &verdict.case.fixes, &verdict.evidence, &call.package);
                    let details = Details {
                        slots: vec![("callee", call.name.clone())],
                        related: related(infer.module(file), file, call, key),
                        fixes: fixes.into_iter().collect(),
                    };
                    findings.push(finding(rule, &settings.rules[*index], &verdict, key.place, details));
                }
            }
        }
    }
}

fn applies(infer: &Infer<'_>, case: &Case, typed: &Typed, keys: &Keys, key: &Key) -> bool {
    let types = &infer.program.types;
    let When { with, without, value } = &case.when;
    case.on.iter().any(|on| types.is_a(typed.record, *on))
        && with.iter().all(|name| keys.get(name).is_some())
        && without.iter().all(|name| keys.lacks(name))
        && value.as_ref().is_none_or(|value| literal(infer.module(key.value.file), key) == Some(value))
}

/// The text of a literal value.
fn literal<'m>(module: &'m Module, key: &Key) -> Option<&'m str> {
    match module.expr(module.peel(key.value.expr)).kind {
        ExprKind::Number(name) | ExprKind::String(name) => Some(module.name(name)),
        ExprKind::Bool(true) => Some("true"),
        ExprKind::Bool(false) => Some("false"),
        _ => None,
    }
}

/// The call that a key reaches, when the key is not written in it.
fn related(module: &Module, file: FileId, call: &SdkCall, key: &Key) -> Vec<Related> {
    let span = module.expr(call.loc.expr).span;
    if key.place.file == file && span.contains(key.place.span) {
        return Vec::new();
    }
    let place = Place { file, span: module.name_span(call.callee) };
    vec![Related { place, message: format!("reaches this call of `{}`", call.name) }]
}

fn fixes(module: &Module, key: &Key, rows: &[FixRow], evidence: &Evidence, package: &str) -> Option<Fix> {
    let row = rows.iter().find(|row| evidence.versions.holds(&row.versions) == Holds::All)?;
    let edits = match &row.edit {
        EditRow::RenameKey { to } => entry::rename_key(module, key, to),
        EditRow::RemoveKey => entry::remove_key(module, key)?,
        EditRow::ReplaceEntry { key: name, value } => {
            let mut edits = Vec::new();
            let value = expand(module, key, value, package, &mut edits);
            edits.extend(entry::replace_entry(module, key, name, &value));
            edits
        }
    };
    Some(Fix { title: row.title.clone(), safety: row.safety, edits })
}

/// Fills the template of a new value: `{value}` and `{import:name}`.
fn expand(module: &Module, key: &Key, template: &str, package: &str, edits: &mut Vec<Edit>) -> String {
    let mut text = template.replace("{value}", &entry::value_text(module, key));
    while let Some(start) = text.find("{import:") {
        let Some(end) = text[start..].find('}').map(|end| start + end) else { break };
        let (local, more) = import::use_export(module, key.place.file, package, &text[start + 8..end]);
        text.replace_range(start..=end, &local);
        edits.extend(more);
    }
    text
}
