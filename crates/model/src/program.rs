//! All modules of a run, linked: a value, shared between threads and never changed.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use agentcheck_catalog::{EntryId, TypeTable};
use agentcheck_syntax::FileId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Evidence;
use crate::hir::Module;
use crate::linkage::{Incoming, Stars, incoming};
use crate::rust::{RustIndex, RustPackage};

/// What a module specifier leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// An entry point of an SDK.
    Sdk(EntryId),
    /// A file of the project.
    File(FileId),
}

/// What a module specifier leads to, as far as the program goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// An entry point of an SDK.
    Sdk(EntryId),
    /// A file of the program.
    File(FileId),
    /// A file of the project that was not read: nobody asked for it yet.
    Unread(FileId),
}

/// A file of the program.
#[derive(Debug, Clone)]
pub struct ProgramFile {
    /// Absolute, with forward slashes.
    pub path: Arc<str>,
    pub module: Arc<Module>,
    /// Module specifier → what it leads to; specifiers that lead out of the project are missing.
    pub links: FxHashMap<String, Link>,
    /// What is known of the version of each tracked package here, by every name under which it is imported.
    pub versions: Vec<Arc<Evidence>>,
    /// The Cargo package that a Rust file belongs to.
    pub package: Option<Arc<RustPackage>>,
}

/// The modules of a run.
#[derive(Debug, Clone)]
pub struct Program {
    pub types: Arc<TypeTable>,
    files: FxHashMap<FileId, Arc<ProgramFile>>,
    /// File → what the other files of the program take from it.
    incoming: Arc<FxHashMap<FileId, Incoming>>,
    /// What comes in by `export *`, worked out when somebody asks.
    stars: Arc<Mutex<FxHashMap<FileId, Arc<Stars>>>>,
    /// What names mean across the Rust files, worked out when somebody asks.
    rust: Arc<OnceLock<Arc<RustIndex>>>,
    /// The files all of whose importers are files of the program.
    with_importers: FxHashSet<FileId>,
    /// Whether every file of the project that names an SDK is part of the program.
    has_every_sdk_file: bool,
}

impl Program {
    /// A program of these files.
    pub fn new(types: Arc<TypeTable>, files: impl IntoIterator<Item = (FileId, ProgramFile)>) -> Self {
        let files = files.into_iter().map(|(id, file)| (id, Arc::new(file))).collect();
        let with_importers = FxHashSet::default();
        Self {
            types,
            incoming: incoming_of(&files),
            stars: Arc::default(),
            rust: Arc::default(),
            files,
            with_importers,
            has_every_sdk_file: false,
        }
    }

    /// The same program with further files, or another content of some. Everything else is shared.
    pub fn with_files(&self, changed: impl IntoIterator<Item = (FileId, ProgramFile)>) -> Self {
        let mut files = self.files.clone();
        files.extend(changed.into_iter().map(|(id, file)| (id, Arc::new(file))));
        Self {
            types: Arc::clone(&self.types),
            incoming: incoming_of(&files),
            stars: Arc::default(),
            rust: Arc::default(),
            files,
            with_importers: self.with_importers.clone(),
            has_every_sdk_file: self.has_every_sdk_file,
        }
    }

    /// The same program, to which no file of the project is missing that names an SDK.
    pub fn with_every_sdk_file(mut self) -> Self {
        self.has_every_sdk_file = true;
        self
    }

    /// Whether every file of the project that names an SDK is part of the program.
    pub fn has_every_sdk_file(&self) -> bool {
        self.has_every_sdk_file
    }

    /// The same program, in which all importers of some files are known to be among the files.
    pub fn with_importers_of(mut self, files: impl IntoIterator<Item = FileId>) -> Self {
        self.with_importers.extend(files);
        self
    }

    /// Whether every file that imports `file` is part of the program.
    pub fn has_importers_of(&self, file: FileId) -> bool {
        self.with_importers.contains(&file)
    }

    /// The files of the program that import `file`.
    pub fn importers(&self, file: FileId) -> &[FileId] {
        self.incoming.get(&file).map_or(&[], |incoming| incoming.files.as_slice())
    }

    /// What the files of the program take from `file`.
    pub(crate) fn incoming(&self, file: FileId) -> Option<&Incoming> {
        self.incoming.get(&file)
    }

    /// What comes into `file` by `export *`.
    pub(crate) fn stars(&self, file: FileId) -> Arc<Stars> {
        if let Some(known) = self.stars.lock().unwrap_or_else(PoisonError::into_inner).get(&file) {
            return Arc::clone(known);
        }
        // Worked out without the lock: two threads may do it at once and come to the same.
        let stars = Arc::new(Stars::of(self, file));
        self.stars.lock().unwrap_or_else(PoisonError::into_inner).insert(file, Arc::clone(&stars));
        stars
    }

    /// What names mean across the Rust files.
    pub fn rust_index(&self) -> Arc<RustIndex> {
        Arc::clone(self.rust.get_or_init(|| Arc::new(RustIndex::new(self))))
    }

    /// The files whose findings may change when those of `changed` do: themselves and, over any number of hops, those that
    /// import them.
    pub fn dependants(&self, changed: impl IntoIterator<Item = FileId>) -> BTreeSet<FileId> {
        let mut found: BTreeSet<FileId> = changed.into_iter().collect();
        let mut left: Vec<FileId> = found.iter().copied().collect();
        while let Some(target) = left.pop() {
            for importer in self.importers(target) {
                if found.insert(*importer) {
                    left.push(*importer);
                }
            }
        }
        found
    }

    /// A file that was parsed.
    pub fn file(&self, id: FileId) -> Option<&ProgramFile> {
        self.files.get(&id).map(AsRef::as_ref)
    }

    /// The module of a file that is known to be parsed: every id that inference returns is.
    pub fn module(&self, id: FileId) -> &Module {
        &self.files[&id].module
    }

    /// The parsed files, in order.
    pub fn file_ids(&self) -> Vec<FileId> {
        let mut ids: Vec<FileId> = self.files.keys().copied().collect();
        ids.sort_unstable();
        ids
    }

    /// What a specifier in `file` leads to.
    pub fn target(&self, file: FileId, specifier: &str) -> Option<Target> {
        Some(match *self.files[&file].links.get(specifier)? {
            Link::Sdk(entry) => Target::Sdk(entry),
            Link::File(file) if self.files.contains_key(&file) => Target::File(file),
            Link::File(file) => Target::Unread(file),
        })
    }

    /// What is known of a package's version in `file`, by the name under which it is imported there.
    pub fn evidence(&self, file: FileId, dependency: &str) -> Option<&Arc<Evidence>> {
        self.files[&file].versions.iter().find(|evidence| *evidence.dependency == *dependency)
    }
}

fn incoming_of(files: &FxHashMap<FileId, Arc<ProgramFile>>) -> Arc<FxHashMap<FileId, Incoming>> {
    let mut in_order: Vec<(FileId, &ProgramFile)> = files.iter().map(|(id, file)| (*id, &**file)).collect();
    in_order.sort_unstable_by_key(|(id, _)| *id);
    Arc::new(incoming(in_order.into_iter()))
}
