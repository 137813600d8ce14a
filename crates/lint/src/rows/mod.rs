//! The interpreter of migration rows: one file a kind of row.

mod awaits;
mod import;
mod literal;
mod option;
mod property;

use std::sync::Arc;

use agentcheck_catalog::{Case, Catalog, EditRow, FixRow, Holds, Rename, RuleKind};
use agentcheck_model::{Evidence, Infer, Sites, Value, ValueKind};
use agentcheck_syntax::{FileId, Place};
use rustc_hash::FxHashMap;

use crate::context::{Details, choose, finding};
use crate::finding::{Edit, Finding, Fix};
use crate::settings::Settings;

/// Old name → the rows that look for it, by their index in the catalog.
type ByName<'c> = FxHashMap<&'c str, Vec<(usize, &'c Rename)>>;

/// The rows of a catalog by kind and by the name they look for.
pub(crate) struct Rows<'c> {
    catalog: &'c Catalog,
    options: ByName<'c>,
    properties: ByName<'c>,
    literals: ByName<'c>,
    imports: ByName<'c>,
    entries: ByName<'c>,
    awaits: ByName<'c>,
}

impl<'c> Rows<'c> {
    /// The rows that `settings` leaves on.
    pub(crate) fn new(catalog: &'c Catalog, settings: &Settings) -> Self {
        let mut rows = Self {
            catalog,
            options: ByName::default(),
            properties: ByName::default(),
            literals: ByName::default(),
            imports: ByName::default(),
            entries: ByName::default(),
            awaits: ByName::default(),
        };
        for (index, rule) in catalog.rules.iter().enumerate().filter(|(index, _)| !settings.rules[*index].off) {
            let by_name = match &rule.kind {
                RuleKind::Option { .. } => &mut rows.options,
                RuleKind::Property { .. } => &mut rows.properties,
                RuleKind::Literal { .. } => &mut rows.literals,
                RuleKind::Import { .. } => &mut rows.imports,
                RuleKind::Entry { .. } => &mut rows.entries,
                RuleKind::Await { .. } => &mut rows.awaits,
                RuleKind::Check | RuleKind::Engine => continue,
            };
            for rename in rule.kind.names() {
                by_name.entry(&rename.old).or_default().push((index, rename));
            }
        }
        rows
    }

    /// Reports what the rows find in a file.
    pub(crate) fn check(
        &self,
        file: FileId,
        infer: &mut Infer<'_>,
        sites: &Sites,
        settings: &Settings,
        findings: &mut Vec<Finding>,
    ) {
        option::check(self, file, infer, sites, settings, findings);
        let mut found = Found { rows: self, file, settings, findings };
        property::check(&mut found, infer);
        literal::check(&mut found, infer);
        import::check(&mut found, infer);
        awaits::check(&mut found, infer, sites);
    }
}

/// Where the rows of the simpler kinds put their findings.
struct Found<'r, 'c> {
    rows: &'r Rows<'c>,
    file: FileId,
    settings: &'r Settings,
    findings: &'r mut Vec<Finding>,
}

impl Found<'_, '_> {
    /// Reports the first case of a row that holds at `place`, with its first fix that is right in all possible versions and
    /// can be made.
    fn report(
        &mut self,
        (index, rename): (usize, &Rename),
        evidence: &Arc<Evidence>,
        place: Place,
        holds: impl Fn(&Case) -> bool,
        edits: impl FnOnce(&EditRow) -> Option<Vec<Edit>>,
    ) {
        let rule = &self.rows.catalog.rules[index];
        let cases: Vec<&Case> = rule.cases.iter().filter(|case| holds(case)).collect();
        let Some(verdict) = choose(&cases, Arc::clone(evidence)) else { return };
        let fix = fix_of(verdict.case, evidence).and_then(|row| {
            let edits = edits(&row.edit)?;
            Some(Fix { title: filled(&row.title, rename), safety: row.safety, edits })
        });
        let details = Details { slots: slots(rename), fixes: fix.into_iter().collect(), ..Details::default() };
        self.findings.push(finding(rule, &self.settings.rules[index], &verdict, place, details));
    }
}

/// The first fix that is right in every version that may be installed.
fn fix_of<'c>(case: &'c Case, evidence: &Evidence) -> Option<&'c FixRow> {
    case.fixes.iter().find(|row| evidence.versions.holds(&row.versions) == Holds::All)
}

/// Whether a value is of one of a case's types; and whether it can be nothing else.
fn is_of(infer: &Infer<'_>, case: &Case, value: Value) -> (bool, bool) {
    let types = &infer.program.types;
    let of = |member: &Value| {
        let record = infer.record_of(*member);
        record.is_some_and(|record| case.on.iter().any(|on| types.is_a(record, *on)))
    };
    let members = infer.alternatives(value);
    // A property of a promise is read by nobody who means it.
    let is_promise = |member: &Value| matches!(infer.kind(*member), ValueKind::Promise(_));
    (members.iter().any(of), members.iter().all(|member| of(member) || is_promise(member)))
}

/// What a row's texts call the names.
fn slots(rename: &Rename) -> Vec<(&'static str, String)> {
    vec![("old", rename.old.clone()), ("new", rename.new.clone().unwrap_or_default())]
}

/// A text of a row with its names filled in.
fn filled(text: &str, rename: &Rename) -> String {
    text.replace("{old}", &rename.old).replace("{new}", rename.new.as_deref().unwrap_or_default())
}
