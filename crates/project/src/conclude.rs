//! A run as it stands → what outputs need.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentcheck_catalog::{Safety, Severity};
use agentcheck_lint::{Finding, Linter, Notice, NoticeKind, Report, SourceFile, Summary};
use agentcheck_syntax::FileId;

use crate::config::CONFIG_NAME;
use crate::files::Files;
use crate::load::folder_of;
use crate::paths::shown;
use crate::session::Session;

impl Session<'_> {
    /// Everything that the rules found, settled and sorted.
    pub fn report(&self) -> Report {
        let findings: Vec<Finding> =
            self.rounds.findings.values().flat_map(|found| found.findings.iter().cloned()).collect();
        let linter = Linter::new(self.catalog, &self.settings[0]);
        let paths: Vec<String> = self.found.iter().map(|found| shown(&found.path, &self.request.cwd)).collect();
        let (findings, suppressed) = linter.finish(
            &self.rounds.program,
            findings,
            |file| paths[file.0 as usize].as_str(),
            |file| self.settings_of(file),
        );
        let findings = findings.into_iter().filter(|finding| self.is_reported(finding.place.file)).collect();
        let suppressed =
            suppressed.into_iter().filter(|suppressed| self.is_reported(suppressed.finding.place.file)).collect();
        let mut report = Report { findings, suppressed, ..Report::default() };
        self.add_files(&mut report, &paths);
        report.notices.clone_from(&self.notices);
        self.add_notices(&mut report, &paths);
        self.set_aside(&mut report);
        report.summary = self.summary(&report);
        report
    }

    /// Whether the run reports on a file.
    pub(crate) fn is_reported(&self, file: FileId) -> bool {
        self.found[file.0 as usize].reported
    }

    /// How many of the found files are reported on and not only known.
    fn reported_count(&self) -> usize {
        self.found.iter().filter(|file| file.reported).count()
    }

    /// The parsed files that the run reports on.
    pub fn reported(&self) -> Vec<FileId> {
        self.rounds.program.file_ids().into_iter().filter(|file| self.is_reported(*file)).collect()
    }

    fn skipped(&self) -> impl Iterator<Item = &Notice> {
        self.rounds.skipped.iter().filter(|(file, _)| self.is_reported(**file)).map(|(_, notice)| notice)
    }

    fn add_files(&self, report: &mut Report, paths: &[String]) {
        let places = report.findings.iter().chain(report.suppressed.iter().map(|suppressed| &suppressed.finding));
        let mut needed = BTreeSet::new();
        for finding in places {
            needed.insert(finding.place.file);
            needed.extend(finding.related.iter().map(|related| related.place.file));
            needed.extend(finding.fixes.iter().flat_map(|fix| fix.edits.iter().map(|edit| edit.place.file)));
        }
        for file in needed {
            let source =
                SourceFile::new(paths[file.0 as usize].clone(), self.root_path(file), Arc::clone(self.text(file)));
            report.files.insert(file, source);
        }
    }

    /// The path of a found file below its configuration's folder, else below the repository, else below the working
    /// directory.
    pub(crate) fn root_path(&self, file: FileId) -> String {
        let path = &self.found[file.0 as usize].path;
        let root = self.configs.all[self.configs.of_file[file.0 as usize]].root.clone();
        let root = root.or_else(|| git_root(path, &self.files)).unwrap_or_else(|| self.request.cwd.clone());
        shown(path, &root)
    }

    fn add_notices(&self, report: &mut Report, paths: &[String]) {
        for (file, found) in &self.rounds.findings {
            for (rule, what) in &found.failed {
                let message = format!("{rule} failed on this file and reports nothing for it: {what}");
                let path = paths[file.0 as usize].clone();
                report.notices.push(Notice { path, kind: NoticeKind::Internal, message });
            }
        }
        report.notices.extend(self.skipped().cloned());
        for file in self.reported() {
            let module = self.rounds.program.module(file);
            if let Some(first) = module.syntax_errors.first() {
                let line = module.source[..first.start as usize].matches('\n').count() + 1;
                let message = format!("line {line}: syntax that could not be read; the rest of the file was inspected");
                report.notices.push(Notice { path: paths[file.0 as usize].clone(), kind: NoticeKind::Parse, message });
            }
        }
        for package in &self.catalog.packages {
            let beyond = self.reported().into_iter().find_map(|file| {
                let evidence = self.rounds.program.evidence(file, &package.name)?;
                evidence.beyond_known.then(|| (paths[file.0 as usize].clone(), evidence.shown_version()))
            });
            if let Some((path, version)) = beyond {
                let newest = package.newest.last().map_or_else(String::new, ToString::to_string);
                let message = format!(
                    "{} {version} is newer than the newest version agentcheck knows ({newest}): findings are warnings at most",
                    package.name
                );
                report.notices.push(Notice { path, kind: NoticeKind::Manifest, message });
            }
        }
        if self.all_excluded {
            let message = format!("nothing to inspect: {CONFIG_NAME} excludes every file here");
            report.notices.push(Notice { path: String::new(), kind: NoticeKind::NotInspected, message });
        } else if self.reported_count() == 0 {
            let message = "nothing to inspect: no TypeScript, JavaScript or Rust files here".to_owned();
            report.notices.push(Notice { path: String::new(), kind: NoticeKind::NotInspected, message });
        } else if self.reported().is_empty() && self.skipped().next().is_none() {
            let message = "nothing to inspect: no file imports an SDK that agentcheck knows".to_owned();
            report.notices.push(Notice { path: String::new(), kind: NoticeKind::NotInspected, message });
        }
        report.notices.sort();
        report.notices.dedup();
    }

    fn summary(&self, report: &Report) -> Summary {
        let count = |severity| report.findings.iter().filter(|finding| finding.severity == severity).count();
        let fixable = |finding: &&Finding| finding.fixes.iter().any(|fix| fix.safety < Safety::Manual);
        Summary {
            files: self.reported_count(),
            parsed: self.reported().len(),
            skipped: self.skipped().count(),
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            infos: count(Severity::Info),
            suppressed: report.suppressed.len(),
            fixable: report.findings.iter().filter(fixable).count(),
        }
    }
}

/// The folder of the git repository that holds a file.
fn git_root(path: &Path, files: &dyn Files) -> Option<PathBuf> {
    let folder = folder_of(path);
    folder.ancestors().find(|folder| files.kind(&folder.join(".git")).is_some()).map(Path::to_path_buf)
}
