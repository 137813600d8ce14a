//! What a rule sees: the model, its options, and a way to report. It cannot read files, print, or see other rules.

use std::sync::Arc;

use agentcheck_catalog::{Case, Catalog, Holds, Intervals, Rule, Severity};
use agentcheck_model::hir::Module;
use agentcheck_model::rust::RustView;
use agentcheck_model::{Evidence, Infer, Sites, VersionSource};
use agentcheck_syntax::{FileId, Place};

use crate::finding::{Finding, Fix, Related};
use crate::settings::RuleSettings;

/// One rule at work on one file.
pub struct Context<'p> {
    pub file: FileId,
    pub infer: Infer<'p>,
    /// The SDK calls of the file and the objects that reach them.
    pub sites: Arc<Sites>,
    /// All that is known of the SDKs.
    pub catalog: &'p Catalog,
    pub(crate) rule: &'p Rule,
    pub(crate) settings: &'p RuleSettings,
    pub(crate) findings: Vec<Finding>,
}

/// A case that was chosen for a place.
pub struct Verdict<'p> {
    pub case: &'p Case,
    pub evidence: Arc<Evidence>,
    /// Where it holds.
    pub versions: Intervals,
    /// The case holds in some of the possible versions only.
    pub partly: bool,
}

/// What a case's message needs beside the version.
#[derive(Default)]
pub struct Details {
    /// `{slot}` → text.
    pub slots: Vec<(&'static str, String)>,
    pub related: Vec<Related>,
    pub fixes: Vec<Fix>,
}

impl<'p> Context<'p> {
    /// The module under inspection.
    pub fn module(&self) -> &'p Module {
        self.infer.module(self.file)
    }

    /// The file as Rust, if it is.
    pub fn rust(&self) -> Option<RustView<'p>> {
        RustView::new(self.infer.program, self.file)
    }

    /// The values of one of the rule's options.
    pub fn option(&self, name: &str) -> &'p [String] {
        self.settings.option(name)
    }

    /// What is known of a package's version in the file.
    pub fn evidence(&self, package: &str) -> Option<Arc<Evidence>> {
        self.infer.program.evidence(self.file, package).cloned()
    }

    /// Whether anything says which version of a package is installed.
    pub fn is_declared(&self, package: &str) -> bool {
        self.evidence(package).is_some_and(|evidence| evidence.source != VersionSource::Assumed)
    }

    /// The first of the named cases that holds in every possible version, else the first that holds in some. `None`: the
    /// rule has nothing to say in the found versions.
    pub fn judge(&self, package: &str, names: &[&str]) -> Option<Verdict<'p>> {
        let evidence = self.evidence(package)?;
        let cases: Vec<&'p Case> = names
            .iter()
            .filter_map(|name| {
                let case = self.rule.cases.iter().find(|case| case.name == *name);
                debug_assert!(case.is_some(), "{} has no case `{name}`", self.rule.id);
                case
            })
            .collect();
        choose(&cases, evidence)
    }

    /// A case that holds where `versions` says, which a table knows rather than the case.
    pub fn judge_in(&self, package: &str, name: &str, versions: &Intervals) -> Option<Verdict<'p>> {
        let evidence = self.evidence(package)?;
        let case = self.rule.cases.iter().find(|case| case.name == name)?;
        let versions = versions.and(&case.versions);
        let partly = match evidence.versions.holds(&versions) {
            Holds::All => false,
            Holds::Some => true,
            Holds::None => return None,
        };
        Some(Verdict { case, evidence, versions, partly })
    }

    /// Reports a chosen case at a place.
    pub fn report(&mut self, verdict: &Verdict<'_>, place: Place, details: Details) {
        let finding = finding(self.rule, self.settings, verdict, place, details);
        self.findings.push(finding);
    }
}

/// The first case that holds on the whole set of versions, else the first that holds on a part.
pub(crate) fn choose<'c>(cases: &[&'c Case], evidence: Arc<Evidence>) -> Option<Verdict<'c>> {
    let holding = |wanted: Holds| cases.iter().find(|case| evidence.versions.holds(&case.versions) == wanted).copied();
    match (holding(Holds::All), holding(Holds::Some)) {
        (Some(case), _) => Some(Verdict { case, evidence, versions: case.versions.clone(), partly: false }),
        (None, Some(case)) => Some(Verdict { case, evidence, versions: case.versions.clone(), partly: true }),
        (None, None) => None,
    }
}

pub(crate) fn finding(
    rule: &Rule,
    settings: &RuleSettings,
    verdict: &Verdict<'_>,
    place: Place,
    details: Details,
) -> Finding {
    let Verdict { case, evidence, versions, partly } = verdict;
    let version = if *partly { versions.to_string() } else { evidence.shown_version() };
    let fill = |text: &str| fill(text, &evidence.package, &version, &details.slots);
    let mut message = fill(&case.message);
    let mut severity = settings.severity.unwrap_or(case.severity);
    if *partly {
        // True in some of the versions that may be installed: worth knowing, not worth failing for.
        severity = Severity::Info;
        message.push_str(&match &evidence.range {
            Some(range) => format!(" Such a version is possible here: package.json says `{range}`."),
            None => format!(" Such a version is possible here: nothing says which {} is installed.", evidence.package),
        });
    } else if evidence.beyond_known {
        severity = severity.min(Severity::Warning);
    }
    Finding {
        rule: Arc::from(rule.id.as_str()),
        category: rule.category,
        severity,
        pedantic: case.pedantic,
        message,
        help: case.help.as_deref().map(fill),
        place,
        related: details.related,
        packages: vec![Arc::clone(evidence)],
        // A fix that is right in part of the versions is wrong in the others.
        fixes: if *partly { Vec::new() } else { details.fixes },
    }
}

fn fill(text: &str, package: &str, version: &str, slots: &[(&'static str, String)]) -> String {
    let mut filled = text.replace("{package}", package).replace("{version}", version);
    for (slot, value) in slots {
        filled = filled.replace(&format!("{{{slot}}}"), value);
    }
    filled
}
