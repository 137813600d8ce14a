//! A run: found files, their program, and what the rules found; files can be given another text and are then looked at again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentcheck_catalog::{Catalog, Severity};
use agentcheck_lint::{Finding, Notice, Settings};
use agentcheck_model::{Program, ProgramFile, lower};
use agentcheck_syntax::{FileId, SourceType};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::baselines::Baselines;
use crate::cargo::CargoVersions;
use crate::config::ConfigError;
use crate::effective::{Choice, Configs};
use crate::files::Files;
use crate::gate::Gate;
use crate::load::Loader;
use crate::overlay::Overlay;
use crate::resolve::ModuleResolver;
use crate::rounds::{Rounds, Rules};
use crate::versions::VersionResolver;
use crate::walk::{FoundFile, Walk, WalkError, WalkOptions, walk, walk_around};

/// What to run on.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Absolute.
    pub cwd: PathBuf,
    /// Files and folders to report on; empty: the working directory. What lies around them is known all the same.
    pub paths: Vec<PathBuf>,
    /// A text to take for the content of a file, instead of walking: standard input.
    pub stdin: Option<(PathBuf, String)>,
    pub choice: Choice,
    /// The file of accepted findings; wins over those of configurations.
    pub baseline: Option<PathBuf>,
    /// Leave out what is ignored or excluded even when it was named.
    pub force_exclude: bool,
    /// Parse every file, also those that name no SDK. For tests: the findings must be the same.
    pub no_gate: bool,
}

/// Why a run could not begin.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// The path as it is shown, and what is wrong with the file.
    #[error("the baseline {0} cannot be used: {1}")]
    Baseline(String, String),
    #[error("the configuration is wrong")]
    Config(Vec<ConfigError>),
}

/// A run in progress.
pub struct Session<'a> {
    pub(crate) request: &'a Request,
    pub(crate) catalog: &'a Catalog,
    pub(crate) files: Overlay<'a>,
    /// The id of a file is its position here.
    pub(crate) found: Vec<FoundFile>,
    ids: FxHashMap<PathBuf, FileId>,
    pub(crate) configs: Configs,
    pub(crate) settings: Vec<Settings>,
    /// There were files to report on, and configurations exclude every one.
    pub(crate) all_excluded: bool,
    /// One for each configuration.
    pub(crate) baselines: Baselines,
    pub(crate) rounds: Rounds,
    pub(crate) notices: Vec<Notice>,
}

impl<'a> Session<'a> {
    /// Walks, loads and lints.
    pub fn start(request: &'a Request, disk: &'a dyn Files, catalog: &'a Catalog) -> Result<Self, RunError> {
        let mut files = Overlay::new(disk);
        let walked = find_files(request, &mut files)?;
        let mut found = walked.files;
        let configs = Configs::read(&found, &files, catalog).map_err(RunError::Config)?;
        let mut all_excluded = false;
        for (file, config) in found.iter_mut().zip(&configs.of_file) {
            // What is excluded is still known to the files that are not.
            let is_named = file.explicit && !request.force_exclude;
            let is_excluded = !is_named && configs.all[*config].excludes(&file.path);
            all_excluded |= file.reported && is_excluded;
            file.reported &= !is_excluded;
        }
        all_excluded &= found.iter().all(|file| !file.reported);
        let settings = configs.all.iter().map(|config| request.choice.settings(catalog, config)).collect();
        let baselines = Baselines::read(request, &configs, &files)?;
        let aliases = VersionResolver::new(&files, catalog, Vec::new(), &request.cwd).aliases(&walked.manifests);
        let types = Arc::new(catalog.types.with_aliases(&aliases));
        let ids = found.iter().enumerate().map(|(index, file)| (file.path.clone(), FileId(index as u32))).collect();
        let mut session = Self {
            request,
            catalog,
            files,
            configs,
            settings,
            all_excluded,
            baselines,
            found,
            ids,
            rounds: Rounds::new(types),
            notices: walked.notices,
        };
        session.begin();
        Ok(session)
    }

    fn begin(&mut self) {
        let loader = self.loader();
        let gate = (!self.request.no_gate).then(|| Gate::new(loader.types));
        let mut rounds = Rounds::new(Arc::clone(&self.rounds.program.types));
        let loaded = match &gate {
            Some(gate) => rounds.load_leading(&loader, gate),
            None => loader.load(&loader.file_ids().collect(), None),
        };
        rounds.skipped.extend(loaded.skipped.into_iter().map(|skipped| (skipped.file, skipped.notice)));
        if self.request.no_gate {
            rounds.program = rounds.program.with_importers_of(loader.file_ids()).with_every_sdk_file();
        }
        rounds.settle(loaded.parsed, &loader, &self.rules());
        let notices = loader.notices();
        self.rounds = rounds;
        self.notices.extend(notices);
    }

    /// Gives files another text and looks again at every file whose findings may change by it.
    pub fn replace(&mut self, texts: &BTreeMap<FileId, Arc<str>>) {
        for (file, text) in texts {
            self.files.lay(self.found[file.0 as usize].path.clone(), Arc::clone(text));
        }
        let nothing = Rounds::new(Arc::clone(&self.rounds.program.types));
        let mut rounds = std::mem::replace(&mut self.rounds, nothing);
        let loader = self.loader();
        let parsed: Vec<(FileId, ProgramFile)> = texts
            .par_iter()
            .filter_map(|(file, text)| {
                let source_type = SourceType::of_path(self.path(*file))?;
                Some((*file, loader.program_file(*file, lower(source_type, Arc::clone(text)))))
            })
            .collect();
        rounds.settle(parsed, &loader, &self.rules());
        drop(loader);
        self.rounds = rounds;
    }

    fn loader(&self) -> Loader<'_> {
        let cwd = &self.request.cwd;
        let versions = self.configs.all.iter().map(|config| {
            let targets = config.targets.iter().chain(&self.request.choice.targets).cloned().collect();
            VersionResolver::new(&self.files, self.catalog, targets, cwd).raising(self.request.choice.raise)
        });
        let cargo = self.configs.all.iter().map(|config| {
            let targets = config.targets.iter().chain(&self.request.choice.targets).cloned().collect();
            CargoVersions::new(&self.files, self.catalog, targets, cwd)
        });
        Loader {
            cargo: cargo.collect(),
            files: &self.files,
            catalog: self.catalog,
            types: &self.rounds.program.types,
            cwd,
            found: &self.found,
            ids: &self.ids,
            versions: versions.collect(),
            config_of: &self.configs.of_file,
            modules: ModuleResolver::new(&self.files, cwd).with_found(&self.ids),
        }
    }

    fn rules(&self) -> Rules<'_> {
        Rules { catalog: self.catalog, settings: &self.settings, config_of: &self.configs.of_file }
    }

    /// The program as it is now.
    pub fn program(&self) -> &Program {
        &self.rounds.program
    }

    /// The path of a found file.
    pub fn path(&self, file: FileId) -> &Path {
        &self.found[file.0 as usize].path
    }

    /// How many files were found, those included that are only known.
    pub fn file_count(&self) -> u32 {
        self.found.len() as u32
    }

    /// Every found file.
    pub(crate) fn file_ids(&self) -> impl Iterator<Item = FileId> + use<> {
        (0..self.file_count()).map(FileId)
    }

    /// The found file at a path.
    pub fn file_at(&self, path: &Path) -> Option<FileId> {
        self.ids.get(path).copied()
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

    /// The text of a parsed file.
    pub fn text(&self, file: FileId) -> &Arc<str> {
        &self.rounds.program.module(file).source
    }
}

/// The files to know, and which of them to report on.
fn find_files(request: &Request, files: &mut Overlay<'_>) -> Result<Walk, WalkError> {
    let options =
        WalkOptions { cwd: request.cwd.clone(), force_exclude: request.force_exclude, with_surroundings: true };
    let Some((path, text)) = &request.stdin else {
        let here = [request.cwd.clone()];
        let paths = if request.paths.is_empty() { &here } else { request.paths.as_slice() };
        return walk(paths, &options);
    };
    let path = request.cwd.join(path);
    files.lay(path.clone(), Arc::from(text.as_str()));
    let mut walked = walk_around(&path, &options)?;
    // The file need not exist.
    match walked.files.iter_mut().find(|file| file.path == path) {
        Some(file) => (file.explicit, file.reported) = (true, true),
        None => {
            let index = walked.files.partition_point(|file| file.path < path);
            walked.files.insert(index, FoundFile { path, explicit: true, reported: true });
        }
    }
    Ok(walked)
}
