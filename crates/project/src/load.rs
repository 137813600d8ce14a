//! Found files → parsed modules, linked and with their versions: read, scan, parse, lower, in parallel.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentcheck_catalog::{Catalog, Ecosystem, Package, TypeTable};
use agentcheck_lint::{Notice, NoticeKind};
use agentcheck_model::hir::Module;
use agentcheck_model::{Evidence, Link, ProgramFile, lower};
use agentcheck_syntax::{FileId, Language, SourceType};
use memchr::memmem;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::cargo::CargoVersions;
use crate::files::Files;
use crate::gate::{Gate, READ_LIMIT, machine_made};
use crate::paths::shown;
use crate::resolve::ModuleResolver;
use crate::specifiers::specifiers;
use crate::versions::VersionResolver;
use crate::walk::FoundFile;

/// What loading needs to know.
pub(crate) struct Loader<'a> {
    pub files: &'a dyn Files,
    pub catalog: &'a Catalog,
    pub types: &'a TypeTable,
    pub cwd: &'a Path,
    /// The id of a file is its position here.
    pub found: &'a [FoundFile],
    /// Path of a found file → its id.
    pub ids: &'a FxHashMap<PathBuf, FileId>,
    /// One for each configuration: they may set targets.
    pub versions: Vec<VersionResolver<'a>>,
    /// The same for Rust.
    pub cargo: Vec<CargoVersions<'a>>,
    /// For each found file, the index of its configuration.
    pub config_of: &'a [usize],
    pub modules: ModuleResolver<'a>,
}

/// A file that was not looked at, and why.
pub(crate) struct Skipped {
    pub file: FileId,
    pub notice: Notice,
}

/// The text of a file that is to be parsed; `None`: it does not pass the gate. The error says why it is not looked at.
type Admitted = Result<Option<Arc<str>>, String>;

/// What a look at a file's bytes tells.
pub(crate) struct Scanned {
    /// The found files that it imports.
    pub imports: Vec<FileId>,
    /// Of a reported file, so that it need not be read again.
    admitted: Option<Admitted>,
}

/// What became of files.
#[derive(Default)]
pub(crate) struct Loaded {
    pub parsed: Vec<(FileId, ProgramFile)>,
    pub skipped: Vec<Skipped>,
}

thread_local! {
    /// Read into a reused buffer: mapping files is four times slower, and most files are only scanned.
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

impl Loader<'_> {
    /// Every found file.
    pub fn file_ids(&self) -> impl Iterator<Item = FileId> {
        (0..self.found.len() as u32).map(FileId)
    }

    /// Parses those of the files that pass the gate; all of them without one.
    pub fn load(&self, files: &BTreeSet<FileId>, gate: Option<&Gate>) -> Loaded {
        self.load_scanned(files.iter().map(|file| (*file, None)).collect(), gate)
    }

    /// The same for files that may have been read already by [`Loader::scan`].
    pub fn load_scanned(&self, files: Vec<(FileId, Option<Scanned>)>, gate: Option<&Gate>) -> Loaded {
        let outcomes: Vec<_> = files
            .into_par_iter()
            .map(|(file, scanned)| {
                let admitted = scanned.and_then(|scanned| scanned.admitted).unwrap_or_else(|| self.read(file, gate));
                let parsed = admitted.map(|text| {
                    let (source_type, text) = SourceType::of_path(self.path(file)).zip(text)?;
                    Some(self.program_file(file, lower(source_type, text)))
                });
                (file, parsed)
            })
            .collect();
        let mut loaded = Loaded::default();
        for (file, outcome) in outcomes {
            match outcome {
                Ok(Some(parsed)) => loaded.parsed.push((file, parsed)),
                Ok(None) => {}
                Err(message) => {
                    let path = shown(self.path(file), self.cwd);
                    let notice = Notice { path, kind: NoticeKind::NotInspected, message };
                    loaded.skipped.push(Skipped { file, notice });
                }
            }
        }
        loaded
    }

    /// What knows the versions of a Rust file.
    fn cargo_of(&self, file: FileId) -> Option<&CargoVersions<'_>> {
        let is_rust = SourceType::of_path(self.path(file)) == Some(SourceType::Script(Language::Rust));
        is_rust.then(|| &self.cargo[self.config_of[file.0 as usize]])
    }

    /// The crate that a Rust file belongs to, by its folder.
    pub fn crate_root(&self, file: FileId) -> Option<String> {
        Some(self.cargo_of(file)?.crate_of(self.path(file))?.package.root.clone())
    }

    fn path(&self, file: FileId) -> &Path {
        &self.found[file.0 as usize].path
    }

    fn read(&self, file: FileId, gate: Option<&Gate>) -> Admitted {
        BUFFER.with_borrow_mut(|buffer| {
            self.files.read_into(self.path(file), READ_LIMIT, buffer).map_err(|error| describe(&error))?;
            self.admit(file, buffer, gate)
        })
    }

    fn admit(&self, file: FileId, bytes: &[u8], gate: Option<&Gate>) -> Admitted {
        let is_admitted = |gate: &Gate| match self.cargo_of(file) {
            // Types and helpers lie anywhere in a crate: it is read as a whole, if it can use an SDK.
            Some(cargo) => cargo.uses_sdk(self.path(file)),
            None => gate.admits(bytes),
        };
        if gate.is_some_and(|gate| !is_admitted(gate)) {
            return Ok(None);
        }
        let text =
            std::str::from_utf8(bytes).map_err(|error| format!("not valid UTF-8 at byte {}", error.valid_up_to()))?;
        match machine_made(text) {
            Some(why) if !self.found[file.0 as usize].explicit => Err(why),
            _ => Ok(Some(Arc::from(text))),
        }
    }

    /// A module as a part of the program.
    pub fn program_file(&self, file: FileId, module: Module) -> ProgramFile {
        let path = self.path(file);
        if let Some(cargo) = self.cargo_of(file) {
            let found = cargo.crate_of(path);
            return ProgramFile {
                path: Arc::from(shown(path, Path::new(""))),
                module: Arc::new(module),
                links: FxHashMap::default(),
                versions: found.as_ref().map(|found| found.evidence.clone()).unwrap_or_default(),
                package: found.map(|found| Arc::clone(&found.package)),
            };
        }
        let versions = &self.versions[self.config_of[file.0 as usize]];
        let mut evidence: Vec<Arc<Evidence>> =
            self.npm_packages().map(|package| versions.evidence(path, &package.name)).collect();
        let mut links = FxHashMap::default();
        for specifier in module.specifiers() {
            if let Some(entry) = self.types.find_entry(specifier) {
                let dependency = self.types.entry(entry).package.as_str();
                if !evidence.iter().any(|evidence| &*evidence.dependency == dependency) {
                    // An alias, where package.json says so; elsewhere the same name is somebody else's.
                    let Some(package) = versions.alias(path, dependency) else { continue };
                    evidence.push(versions.evidence_for(path, dependency, &package));
                }
                links.insert(specifier.to_owned(), Link::Sdk(entry));
            } else if let Some(target) = self.resolve(path, specifier) {
                links.insert(specifier.to_owned(), Link::File(target));
            }
        }
        let path = Arc::from(shown(path, Path::new("")));
        ProgramFile { path, module: Arc::new(module), links, versions: evidence, package: None }
    }

    fn npm_packages(&self) -> impl Iterator<Item = &Package> {
        self.catalog.packages.iter().filter(|package| package.ecosystem == Ecosystem::Npm)
    }

    /// The found file that a specifier leads to. An SDK is none, not even in its own repository.
    fn resolve(&self, from: &Path, specifier: &str) -> Option<FileId> {
        if self.types.find_entry(specifier).is_some() || self.catalog.is_sdk(specifier) {
            return None;
        }
        self.ids.get(&self.modules.resolve(from, specifier)?).copied()
    }

    /// Whether a file's bytes hold a name, or hand on another file as a whole.
    pub fn may_export(&self, file: FileId, name: &str) -> bool {
        BUFFER.with_borrow_mut(|buffer| {
            let is_read = self.files.read_into(self.path(file), READ_LIMIT, buffer).is_ok();
            is_read
                && [name.as_bytes(), b"export *", b"export*"].iter().any(|part| memmem::find(buffer, part).is_some())
        })
    }

    /// Looks at the bytes of files: what they import, and whether they pass the gate.
    pub fn scan(&self, files: &[FileId], gate: Option<&Gate>) -> Vec<Scanned> {
        files.par_iter().map(|file| self.scan_file(*file, gate)).collect()
    }

    fn scan_file(&self, file: FileId, gate: Option<&Gate>) -> Scanned {
        let FoundFile { path, reported, .. } = &self.found[file.0 as usize];
        BUFFER.with_borrow_mut(|buffer| {
            if self.files.read_into(path, READ_LIMIT, buffer).is_err() {
                return Scanned { imports: Vec::new(), admitted: None };
            }
            // Rust has no specifiers.
            let is_rust = self.cargo_of(file).is_some();
            let mut imports: Vec<FileId> = specifiers(if is_rust { &[] } else { buffer })
                .filter_map(|specifier| self.resolve(path, specifier))
                .collect();
            imports.sort_unstable();
            imports.dedup();
            let is_loaded = gate.is_some() && *reported;
            Scanned { imports, admitted: is_loaded.then(|| self.admit(file, buffer, gate)) }
        })
    }

    /// What could not be read of manifests, lockfiles and configuration files so far.
    pub fn notices(&self) -> Vec<Notice> {
        let mut notices: Vec<Notice> = self.versions.iter().flat_map(VersionResolver::notices).collect();
        notices.extend(self.modules.notices());
        notices.extend(self.cargo.iter().flat_map(CargoVersions::notices));
        notices
    }
}

fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::FileTooLarge => format!("larger than {} MiB", READ_LIMIT >> 20),
        io::ErrorKind::PermissionDenied => "no permission to read it".to_owned(),
        io::ErrorKind::InvalidInput => "not a regular file".to_owned(),
        _ => error.to_string(),
    }
}

/// The folder that a path lies in.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    path.parent().map(Path::to_path_buf).unwrap_or_default()
}
