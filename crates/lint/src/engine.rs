//! Runs the rules over a program: each file on its own, then what needs all findings at once.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use agentcheck_catalog::{Catalog, Rule};
use agentcheck_model::{Infer, Program, Trace};
use agentcheck_syntax::FileId;
use rustc_hash::FxHashMap;

use crate::checks::{CHECKS, Check};
use crate::context::Context;
use crate::finding::{Finding, Related, Suppressed};
use crate::rows::Rows;
use crate::settings::Settings;
use crate::suppress::suppress;

/// The rules of a catalog under some settings.
pub struct Linter<'c> {
    catalog: &'c Catalog,
    settings: &'c Settings,
    rows: Rows<'c>,
    checks: Vec<(usize, Check)>,
}

/// What one file's rules found. Places may lie in other files.
#[derive(Debug, Default)]
pub struct FileFindings {
    pub findings: Vec<Finding>,
    /// Rules that failed, with what they said.
    pub failed: Vec<(String, String)>,
    /// The files that the findings hang on.
    pub trace: Trace,
}

impl<'c> Linter<'c> {
    /// The rules that `settings` leaves on.
    pub fn new(catalog: &'c Catalog, settings: &'c Settings) -> Self {
        let checks = CHECKS
            .iter()
            .filter_map(|(id, check)| catalog.rule(id).map(|(index, _)| (index, *check)))
            .filter(|(index, _)| !settings.rules[*index].off)
            .collect();
        Self { catalog, settings, rows: Rows::new(catalog, settings), checks }
    }

    /// Runs every rule on one file. A rule that panics loses its own findings there and nothing else.
    pub fn lint(&self, program: &Program, file: FileId) -> FileFindings {
        let mut found = FileFindings::default();
        let mut infer = Infer::new(program, file);
        let explored = catch_unwind(AssertUnwindSafe(|| {
            infer.trace.extend(Infer::explored(program, file));
            infer.sites(file)
        }));
        let sites = match explored {
            Ok(sites) => Arc::new(sites),
            Err(panic) => {
                found.failed.push(("the model".to_owned(), panic_message(panic)));
                return found;
            }
        };
        let rows = catch_unwind(AssertUnwindSafe(|| {
            let mut findings = Vec::new();
            self.rows.check(file, &mut infer, &sites, self.settings, &mut findings);
            findings
        }));
        match rows {
            Ok(findings) => found.findings.extend(findings),
            Err(panic) => found.failed.push(("the migration rows".to_owned(), panic_message(panic))),
        }
        for (index, check) in &self.checks {
            let rule = &self.catalog.rules[*index];
            let mut context = Context {
                file,
                infer,
                sites: Arc::clone(&sites),
                catalog: self.catalog,
                rule,
                settings: &self.settings.rules[*index],
                findings: Vec::new(),
            };
            match catch_unwind(AssertUnwindSafe(|| check(&mut context))) {
                Ok(()) => found.findings.append(&mut context.findings),
                Err(panic) => found.failed.push((rule.id.clone(), panic_message(panic))),
            }
            infer = context.infer;
        }
        found.trace = infer.trace;
        found
    }

    /// Settles what needs the findings of all files: duplicates, rules that yield, pedantic cases, suppressions, order.
    /// `path` gives the sort key of a file, `settings` what holds for it.
    pub fn finish<'p>(
        &self,
        program: &Program,
        findings: Vec<Finding>,
        path: impl Fn(FileId) -> &'p str,
        settings: impl Fn(FileId) -> &'p Settings,
    ) -> (Vec<Finding>, Vec<Suppressed>) {
        let pedantic = |finding: &Finding| {
            let rule = self.catalog.rule(&finding.rule);
            rule.is_some_and(|(index, _)| settings(finding.place.file).rules[index].pedantic)
        };
        let (hidden, shown): (Vec<Finding>, Vec<Finding>) =
            findings.into_iter().partition(|finding| finding.pedantic && !pedantic(finding));
        let merged = self.settle(merge(shown));
        let mut by_file: FxHashMap<FileId, Vec<Finding>> = FxHashMap::default();
        for finding in merged {
            by_file.entry(finding.place.file).or_default().push(finding);
        }
        let mut hidden_by_file: FxHashMap<FileId, Vec<Finding>> = FxHashMap::default();
        for finding in hidden {
            hidden_by_file.entry(finding.place.file).or_default().push(finding);
        }
        // Files without findings may still hold comments that suppress nothing.
        for file in program.file_ids() {
            if !program.module(file).comments.is_empty() {
                by_file.entry(file).or_default();
            }
        }
        let mut suppressed = Vec::new();
        let mut left = Vec::new();
        for (file, mut findings) in by_file {
            findings.sort_by(|a, b| (a.place.span, &a.rule).cmp(&(b.place.span, &b.rule)));
            let hidden = hidden_by_file.get(&file).map_or(&[][..], Vec::as_slice);
            left.extend(suppress(program, self.catalog, settings(file), file, findings, hidden, &mut suppressed));
        }
        left.sort_by(|a, b| {
            (path(a.place.file), a.place.span, &a.rule, &a.message).cmp(&(
                path(b.place.file),
                b.place.span,
                &b.rule,
                &b.message,
            ))
        });
        suppressed.sort_by(|a, b| {
            (path(a.finding.place.file), a.finding.place.span, &a.finding.rule).cmp(&(
                path(b.finding.place.file),
                b.finding.place.span,
                &b.finding.rule,
            ))
        });
        (left, suppressed)
    }

    /// Drops the findings of rules that yield to another rule at the same place; their words stay as a note.
    fn settle(&self, mut findings: Vec<Finding>) -> Vec<Finding> {
        let mut rules_at: FxHashMap<agentcheck_syntax::Place, Vec<usize>> = FxHashMap::default();
        for (index, finding) in findings.iter().enumerate() {
            rules_at.entry(finding.place).or_default().push(index);
        }
        let mut lost: FxHashMap<usize, usize> = FxHashMap::default();
        for indices in rules_at.values().filter(|indices| indices.len() > 1) {
            for loser in indices {
                let Some((_, rule)) = self.catalog.rule(&findings[*loser].rule) else { continue };
                let winner = indices.iter().find(|winner| self.yields(rule, &findings[**winner].rule));
                lost.extend(winner.map(|winner| (*loser, *winner)));
            }
        }
        for (loser, winner) in &lost {
            let note = Related { place: findings[*loser].place, message: findings[*loser].message.clone() };
            findings[*winner].related.push(note);
        }
        let mut index = 0;
        findings.retain(|_| {
            index += 1;
            !lost.contains_key(&(index - 1))
        });
        findings
    }

    /// Whether a rule leaves a place to another one.
    fn yields(&self, rule: &Rule, winner: &str) -> bool {
        rule.yields_to.iter().any(|other| match other.as_str() {
            // Every migration row.
            "rows" => self.catalog.rule(winner).is_some_and(|(_, rule)| rule.is_row()),
            id => id == winner,
        })
    }
}

/// Joins the findings of one rule at one place: the worst speaks, the packages of all are listed.
fn merge(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by(|a, b| {
        (a.place, &a.rule, std::cmp::Reverse(a.severity), &a.message).cmp(&(
            b.place,
            &b.rule,
            std::cmp::Reverse(b.severity),
            &b.message,
        ))
    });
    let mut merged: Vec<Finding> = Vec::new();
    for finding in findings {
        match merged.last_mut() {
            Some(last) if last.place == finding.place && last.rule == finding.rule => {
                for package in finding.packages {
                    let known = |other: &Arc<agentcheck_model::Evidence>| {
                        other.package == package.package && other.versions == package.versions
                    };
                    if !last.packages.iter().any(known) {
                        last.packages.push(package);
                    }
                }
            }
            _ => merged.push(finding),
        }
    }
    merged
}

fn panic_message(panic: Box<dyn std::any::Any + Send>) -> String {
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => panic.downcast::<&str>().map_or_else(|_| "no message".to_owned(), |text| (*text).to_owned()),
    }
}
