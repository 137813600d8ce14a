//! A run: found files, their program, and what the rules found; files can be given another text and are then looked at again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentcheck_catalog::{Catalog, Safety, Severity};
use agentcheck_lint::{FileFindings, Finding, Linter, Notice, NoticeKind, Report, Settings, SourceFile, Summary};
use agentcheck_model::{Program, ProgramFile};
use agentcheck_syntax::{FileId, SourceType};
use rayon::prelude::*;

use crate::config::ConfigError;
use crate::effective::{Choice, Configs};
use crate::files::Files;
use crate::gate::Gate;
use crate::load::{Loader, folder_of};
use crate::overlay::Overlay;
use crate::paths::shown;
use crate::versions::VersionResolver;
use crate::walk::{FoundFile, Walk, WalkError, WalkOptions, walk};

/// What to run on.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Absolute.
    pub cwd: PathBuf,
    /// Files and folders to report on; empty: the working directory.
    pub paths: Vec<PathBuf>,
    /// A text to take for the content of a file, instead of walking: standard input.
    pub stdin: Option<(PathBuf, String)>,
    pub choice: Choice,
    /// Parse every file, also those that name no SDK. For tests: the findings must be the same.
    pub no_gate: bool,
}

/// Why a run could not begin.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Walk(#[from] WalkError),
    #[error("the configuration is wrong")]
    Config(Vec<ConfigError>),
}

/// A run in progress.
pub struct Session<'a> {
    request: &'a Request,
    catalog: &'a Catalog,
    files: Overlay<'a>,
    found: Vec<FoundFile>,
    configs: Configs,
    settings: Vec<Settings>,
    program: Program,
    /// By the file whose rules found them; places may lie in other files.
    findings: BTreeMap<FileId, FileFindings>,
    notices: Vec<Notice>,
    skipped: usize,
    naming_sdk: usize,
}

impl<'a> Session<'a> {
    /// Walks, loads and lints.
    pub fn start(request: &'a Request, disk: &'a dyn Files, catalog: &'a Catalog) -> Result<Self, RunError> {
        let mut files = Overlay::new(disk);
        let walked = match &request.stdin {
            Some((path, text)) => {
                let path = request.cwd.join(path);
                files.lay(path.clone(), Arc::from(text.as_str()));
                Walk { files: vec![FoundFile { path, explicit: true }], notices: Vec::new() }
            }
            None => {
                let here = [request.cwd.clone()];
                let paths = if request.paths.is_empty() { &here } else { request.paths.as_slice() };
                walk(paths, &WalkOptions { cwd: request.cwd.clone(), force_exclude: false })?
            }
        };
        let found = walked.files;
        let configs = Configs::read(&found, &files, catalog).map_err(RunError::Config)?;
        let settings = configs.all.iter().map(|config| request.choice.settings(catalog, config)).collect();
        let mut session = Self {
            request,
            catalog,
            files,
            configs,
            settings,
            found,
            program: Program::new(Arc::new(catalog.types.clone()), []),
            findings: BTreeMap::new(),
            notices: walked.notices,
            skipped: 0,
            naming_sdk: 0,
        };
        session.load_all();
        session.lint(&session.program.file_ids());
        Ok(session)
    }

    /// The program as it is now.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The path of a found file.
    pub fn path(&self, file: FileId) -> &Path {
        &self.found[file.0 as usize].path
    }

    /// How many files were found.
    pub fn file_count(&self) -> u32 {
        self.found.len() as u32
    }

    /// The found file at a path.
    pub fn file_at(&self, path: &Path) -> Option<FileId> {
        let index = self.found.iter().position(|found| found.path == path)?;
        Some(FileId(index as u32))
    }

    /// The settings that hold for a file.
    pub fn settings_of(&self, file: FileId) -> &Settings {
        &self.settings[self.configs.of_file[file.0 as usize]]
    }

    /// Whether a finding fails the run: it is as severe as `given`, else as its file's configuration says, else a warning.
    pub fn fails(&self, finding: &Finding, given: Option<Severity>) -> bool {
        let config = &self.configs.all[self.configs.of_file[finding.place.file.0 as usize]];
        finding.severity >= given.or(config.fail_on).unwrap_or(Severity::Warning)
    }

    fn load_all(&mut self) {
        let mut parsed = Vec::new();
        for (index, config) in self.configs.all.iter().enumerate() {
            let members: Vec<usize> =
                (0..self.found.len()).filter(|file| self.configs.of_file[*file] == index).collect();
            if members.is_empty() {
                continue;
            }
            let targets = config.targets.iter().chain(&self.request.choice.targets).cloned().collect();
            let resolver = VersionResolver::new(&self.files, self.catalog, targets, &self.request.cwd);
            let gate = (!self.request.no_gate).then(|| Gate::new(self.catalog, [&self.settings[index]]));
            let loader =
                Loader { files: &self.files, catalog: self.catalog, resolver: &resolver, cwd: &self.request.cwd, gate };
            let found: Vec<FoundFile> = members.iter().map(|file| self.found[*file].clone()).collect();
            let loaded = loader.load(&found);
            parsed.extend(loaded.parsed.into_iter().map(|(id, file)| (FileId(members[id.0 as usize] as u32), file)));
            self.notices.extend(loaded.notices);
            self.notices.extend(resolver.notices());
            self.skipped += loaded.skipped;
            self.naming_sdk += loaded.naming_sdk;
        }
        self.program = Program::new(Arc::clone(&self.program.types), parsed);
    }

    fn lint(&mut self, files: &[FileId]) {
        let linters: Vec<Linter<'_>> =
            self.settings.iter().map(|settings| Linter::new(self.catalog, settings)).collect();
        let found: Vec<(FileId, FileFindings)> = files
            .par_iter()
            .map(|file| (*file, linters[self.configs.of_file[file.0 as usize]].lint(&self.program, *file)))
            .collect();
        self.findings.extend(found);
    }

    /// Gives files another text and looks again at every file whose findings may change by it.
    pub fn replace(&mut self, texts: &BTreeMap<FileId, Arc<str>>) {
        for (file, text) in texts {
            self.files.lay(self.found[file.0 as usize].path.clone(), Arc::clone(text));
        }
        let types = &self.catalog.types;
        let parsed: Vec<(FileId, ProgramFile)> = texts
            .par_iter()
            .filter_map(|(file, text)| {
                let source_type = SourceType::of_path(self.path(*file))?;
                Some((*file, self.program.file(*file)?.with_text(source_type, Arc::clone(text), types)))
            })
            .collect();
        self.program = self.program.with_files(parsed);
        self.lint(&self.program.dependants(texts.keys().copied()));
    }

    /// The text of a parsed file.
    pub fn text(&self, file: FileId) -> &Arc<str> {
        &self.program.module(file).source
    }

    /// Everything that the rules found, settled and sorted.
    pub fn report(&self) -> Report {
        let findings: Vec<Finding> = self.findings.values().flat_map(|found| found.findings.iter().cloned()).collect();
        let linter = Linter::new(self.catalog, &self.settings[0]);
        let paths: Vec<String> = self.found.iter().map(|found| shown(&found.path, &self.request.cwd)).collect();
        let (findings, suppressed) = linter.finish(
            &self.program,
            findings,
            |file| paths[file.0 as usize].as_str(),
            |file| self.settings_of(file),
        );
        let mut report = Report { findings, suppressed, ..Report::default() };
        self.add_files(&mut report, &paths);
        report.notices.clone_from(&self.notices);
        self.add_notices(&mut report, &paths);
        report.summary = self.summary(&report);
        report
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
            let path = &self.found[file.0 as usize].path;
            let root = self.configs.all[self.configs.of_file[file.0 as usize]].root.clone();
            let root = root.or_else(|| git_root(path, &self.files)).unwrap_or_else(|| self.request.cwd.clone());
            let source =
                SourceFile::new(paths[file.0 as usize].clone(), shown(path, &root), Arc::clone(self.text(file)));
            report.files.insert(file, source);
        }
    }

    fn add_notices(&self, report: &mut Report, paths: &[String]) {
        for (file, found) in &self.findings {
            for (rule, what) in &found.failed {
                let message = format!("{rule} failed on this file and reports nothing for it: {what}");
                let path = paths[file.0 as usize].clone();
                report.notices.push(Notice { path, kind: NoticeKind::Internal, message });
            }
        }
        for file in self.program.file_ids() {
            let module = self.program.module(file);
            if let Some(first) = module.syntax_errors.first() {
                let line = module.source[..first.start as usize].matches('\n').count() + 1;
                let message = format!("line {line}: syntax that could not be read; the rest of the file was inspected");
                report.notices.push(Notice { path: paths[file.0 as usize].clone(), kind: NoticeKind::Parse, message });
            }
        }
        for package in &self.catalog.packages {
            let beyond = self.program.file_ids().into_iter().find_map(|file| {
                let evidence = self.program.evidence(file, &package.name)?;
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
        if self.found.is_empty() {
            let message = "nothing to inspect: no TypeScript or JavaScript files here".to_owned();
            report.notices.push(Notice { path: String::new(), kind: NoticeKind::NotInspected, message });
        } else if self.naming_sdk == 0 && self.skipped == 0 {
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
            files: self.found.len(),
            parsed: self.program.file_ids().len(),
            skipped: self.skipped,
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
