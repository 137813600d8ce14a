//! Upgrading: one major after the other, the fixes of each over the texts of the last.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentcheck_catalog::{Catalog, Package, Release, Safety, Severity, Version};
use agentcheck_lint::{Applied, Notice, Report};

use crate::files::Files;
use crate::fix::fix;
use crate::overlay::Overlay;
use crate::paths::shown;
use crate::session::{Request, RunError, Session};

/// What an upgrade comes to. Nothing is written yet.
#[derive(Debug, Default)]
pub struct Upgraded {
    /// Changed files: the text before and after.
    pub changed: BTreeMap<PathBuf, (Arc<str>, Arc<str>)>,
    pub applied: Applied,
    pub notices: Vec<Notice>,
    /// What is left by hand.
    pub left: Report,
}

/// Takes the code from the version that each package of the workspace has to `to`, in memory. Packages that are there
/// already are left as they are.
pub fn upgrade(
    request: &Request,
    disk: &dyn Files,
    catalog: &Catalog,
    (package, to): (&Package, Release),
    at_most: Safety,
) -> Result<Upgraded, RunError> {
    let mut upgraded = Upgraded::default();
    let found = Session::start(request, disk, catalog)?;
    let lowest = found
        .program()
        .file_ids()
        .into_iter()
        .filter_map(|file| found.program().evidence(file, &package.name))
        .map(|evidence| evidence.versions.members()[0].release.major)
        .min();
    // What was wrong before is no part of the upgrade.
    let before = left(&found.report(), &Report::default());
    drop(found);
    let steps: Vec<Release> = package
        .newest
        .iter()
        .map(|newest| if newest.major == to.major { to } else { *newest })
        .filter(|step| step.major <= to.major && lowest.is_some_and(|lowest| step.major > lowest))
        .collect();
    for (number, step) in steps.iter().enumerate() {
        let mut files = Overlay::new(disk);
        for (path, (_, after)) in &upgraded.changed {
            files.lay(path.clone(), Arc::clone(after));
        }
        let mut request = request.clone();
        request.choice.raise = true;
        request.choice.targets = targets(catalog, package, *step);
        let mut session = Session::start(&request, &files, catalog)?;
        let paths: Vec<String> =
            (0..session.file_count()).map(|file| shown(session.path(crate::FileId(file)), &request.cwd)).collect();
        let fixed = fix(&mut session, at_most, |file| paths[file.0 as usize].clone());
        for (file, (old, new)) in fixed.changed {
            let path = session.path(file).to_path_buf();
            upgraded.changed.entry(path).and_modify(|change| change.1 = Arc::clone(&new)).or_insert((old, new));
        }
        for (rule, count) in fixed.applied {
            *upgraded.applied.entry(rule).or_default() += count;
        }
        upgraded.notices.extend(fixed.notices);
        if number + 1 == steps.len() {
            upgraded.left = left(&session.report(), &before);
        }
    }
    upgraded.changed.retain(|_, (old, new)| old != new);
    Ok(upgraded)
}

/// The step's version of the package, and of each other package the release that came out with it: majors go in step.
fn targets(catalog: &Catalog, package: &Package, step: Release) -> Vec<(String, Version)> {
    let index = package.newest.iter().position(|newest| newest.major == step.major);
    catalog
        .packages
        .iter()
        .filter(|other| other.pack == package.pack)
        .filter_map(|other| {
            let release = if other.name == package.name { step } else { *other.newest.get(index?)? };
            Some((other.name.clone(), Version::from(release)))
        })
        .collect()
}

/// What a report holds from warnings up, without what was there before.
fn left(report: &Report, before: &Report) -> Report {
    let place = |report: &Report, finding: &agentcheck_lint::Finding| {
        let file = &report.files[&finding.place.file];
        (Arc::clone(&finding.rule), file.path.clone(), finding.place.span.text(&file.text).to_owned())
    };
    let known: Vec<_> = before.findings.iter().map(|finding| place(before, finding)).collect();
    let findings: Vec<_> = report
        .findings
        .iter()
        .filter(|finding| finding.severity >= Severity::Warning && !known.contains(&place(report, finding)))
        .cloned()
        .collect();
    let file = |source: &agentcheck_lint::SourceFile| {
        agentcheck_lint::SourceFile::new(source.path.clone(), source.root_path.clone(), Arc::clone(&source.text))
    };
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let summary = agentcheck_lint::Summary {
        errors: count(Severity::Error),
        warnings: count(Severity::Warning),
        infos: 0,
        suppressed: 0,
        fixable: findings.iter().filter(|finding| !finding.fixes.is_empty()).count(),
        ..report.summary
    };
    Report {
        files: report.files.iter().map(|(id, source)| (*id, file(source))).collect(),
        findings,
        summary,
        notices: report.notices.clone(),
        ..Report::default()
    }
}

/// A package.json with the ranges of `packages` moved to the releases that go with `to`, and the names that were moved.
/// What is no plain range (`workspace:`, `catalog:`, an alias, a tag) stays.
pub fn moved_manifest(text: &str, catalog: &Catalog, package: &Package, to: Release) -> (String, Vec<String>) {
    let mut text = text.to_owned();
    let mut moved = Vec::new();
    for (name, version) in targets(catalog, package, to) {
        let key = format!("\"{name}\"");
        let mut from = 0;
        while let Some(at) = text[from..].find(&key).map(|at| from + at) {
            from = at + key.len();
            let rest = text[from..].trim_start();
            let Some(value) = rest.strip_prefix(':').map(str::trim_start).and_then(|rest| rest.strip_prefix('"'))
            else {
                continue;
            };
            let Some(range) = value.split('"').next() else { continue };
            let sign = range.trim_start_matches(['^', '~']);
            let is_plain = sign.starts_with(|c: char| c.is_ascii_digit()) && !sign.contains([' ', '|', '<', '>']);
            let major = sign.split('.').next().and_then(|major| major.parse::<u32>().ok());
            if !is_plain || major.is_none_or(|major| major >= version.release.major) {
                continue;
            }
            let start = text.len() - value.len();
            let new = format!("{}{version}", &range[..range.len() - sign.len()]);
            moved.push(format!("{name}@{new}"));
            text.replace_range(start..start + range.len(), &new);
        }
    }
    (text, moved)
}

/// Whether a folder's git repository has changes that are not committed. `None`: there is no repository, or no git.
pub fn has_uncommitted_changes(folder: &Path) -> Option<bool> {
    let output =
        std::process::Command::new("git").arg("-C").arg(folder).args(["status", "--porcelain"]).output().ok()?;
    output.status.success().then_some(!output.stdout.is_empty())
}

#[cfg(test)]
mod tests {
    use agentcheck_lint::builtin;

    use super::*;

    #[test]
    fn ranges_move_with_their_sign() {
        let catalog = builtin::catalog();
        let package = catalog.package("ai").expect("ai is known");
        let text = r#"{ "name": "ai", "dependencies": { "ai": "^4.3.0", "@ai-sdk/react": "1.2.0" },
  "peerDependencies": { "ai": "^4 || ^5" } }"#;
        let to = *package.newest.last().expect("a release");
        let (after, moved) = moved_manifest(text, catalog, package, to);
        assert_eq!(moved.len(), 2, "{moved:?}");
        assert!(after.contains(&format!("\"ai\": \"^{to}\"")), "{after}");
        assert!(after.contains("\"^4 || ^5\"") && after.contains("\"name\": \"ai\""), "{after}");
        assert_eq!(moved_manifest(&after, catalog, package, to), (after.clone(), Vec::new()));
    }
}
