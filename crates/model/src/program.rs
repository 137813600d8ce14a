//! All modules of a run, linked: a value, shared between threads and never changed.

use std::sync::Arc;

use agentcheck_catalog::{EntryId, TypeTable};
use agentcheck_syntax::FileId;
use rustc_hash::FxHashMap;

use crate::Evidence;
use crate::hir::Module;

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

/// The modules of a run.
#[derive(Debug, Clone)]
pub struct Program {
    pub types: Arc<TypeTable>,
    files: FxHashMap<FileId, ProgramFile>,
}

impl Program {
    /// A program of these files.
    pub fn new(types: Arc<TypeTable>, files: impl IntoIterator<Item = (FileId, ProgramFile)>) -> Self {
        Self { types, files: files.into_iter().collect() }
    }

    /// A file that was parsed.
    pub fn file(&self, id: FileId) -> Option<&ProgramFile> {
        self.files.get(&id)
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
