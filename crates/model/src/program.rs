//! All modules of a run, linked: a value, shared between threads and never changed.

use std::collections::BTreeSet;
use std::sync::Arc;

use agentcheck_catalog::{EntryId, TypeTable};
use agentcheck_syntax::{FileId, SourceType};
use rustc_hash::FxHashMap;

use crate::Evidence;
use crate::hir::Module;
use crate::lower;

/// What a module specifier leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// An entry point of an SDK.
    Sdk(EntryId),
    /// A file of the project.
    File(FileId),
}

/// A file of the program.
#[derive(Debug, Clone)]
pub struct ProgramFile {
    /// Absolute, with forward slashes.
    pub path: Arc<str>,
    pub module: Arc<Module>,
    /// Module specifier → what it leads to; specifiers that lead elsewhere are missing.
    pub links: FxHashMap<String, Target>,
    /// What is known of the version of each tracked package here.
    pub versions: Vec<Arc<Evidence>>,
}

impl ProgramFile {
    /// The same file with another text. Imports of SDKs keep the meaning that the file's specifiers have; new ones are looked
    /// up in the table.
    pub fn with_text(&self, source_type: SourceType, text: Arc<str>, types: &TypeTable) -> Self {
        let module = lower(source_type, text);
        let mut links = FxHashMap::default();
        for specifier in module.specifiers() {
            let target = self.links.get(specifier).copied().or_else(|| types.find_entry(specifier).map(Target::Sdk));
            links.extend(target.map(|target| (specifier.to_owned(), target)));
        }
        Self { path: Arc::clone(&self.path), module: Arc::new(module), links, versions: self.versions.clone() }
    }
}

/// The modules of a run.
#[derive(Debug, Clone)]
pub struct Program {
    pub types: Arc<TypeTable>,
    files: FxHashMap<FileId, Arc<ProgramFile>>,
    /// File → the files that import it.
    importers: FxHashMap<FileId, Vec<FileId>>,
}

impl Program {
    /// A program of these files.
    pub fn new(types: Arc<TypeTable>, files: impl IntoIterator<Item = (FileId, ProgramFile)>) -> Self {
        let files = files.into_iter().map(|(id, file)| (id, Arc::new(file))).collect();
        Self { types, importers: importers(&files), files }
    }

    /// The same program with another content of some files. Everything else is shared.
    pub fn with_files(&self, changed: impl IntoIterator<Item = (FileId, ProgramFile)>) -> Self {
        let mut files = self.files.clone();
        files.extend(changed.into_iter().map(|(id, file)| (id, Arc::new(file))));
        Self { types: Arc::clone(&self.types), importers: importers(&files), files }
    }

    /// The files whose findings may change when those of `changed` do: themselves and, over any number of hops, those that
    /// import them.
    pub fn dependants(&self, changed: impl IntoIterator<Item = FileId>) -> Vec<FileId> {
        let mut found: BTreeSet<FileId> = changed.into_iter().collect();
        let mut left: Vec<FileId> = found.iter().copied().collect();
        while let Some(target) = left.pop() {
            for importer in self.importers.get(&target).into_iter().flatten() {
                if found.insert(*importer) {
                    left.push(*importer);
                }
            }
        }
        found.into_iter().collect()
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
        self.files[&file].links.get(specifier).copied()
    }

    /// What is known of a package's version in `file`.
    pub fn evidence(&self, file: FileId, package: &str) -> Option<&Arc<Evidence>> {
        self.files[&file].versions.iter().find(|evidence| *evidence.package == *package)
    }
}

fn importers(files: &FxHashMap<FileId, Arc<ProgramFile>>) -> FxHashMap<FileId, Vec<FileId>> {
    let mut importers: FxHashMap<FileId, Vec<FileId>> = FxHashMap::default();
    for (id, file) in files {
        for target in file.links.values() {
            if let Target::File(target) = target {
                importers.entry(*target).or_default().push(*id);
            }
        }
    }
    importers
}
