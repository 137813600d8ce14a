//! What the files of a program take from each other, by name: an import is found from what it imports, and a name that a
//! barrel hands on is found without asking each of its files.

use agentcheck_catalog::EntryId;
use agentcheck_syntax::FileId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::hir::{BindingId, ExportKind, ImportKind, Module, NameId, RootId};
use crate::program::{Program, ProgramFile, Target};

/// How other files use what a file exports.
#[derive(Debug, Clone, Default)]
pub(crate) struct Incoming {
    /// The importing files, sorted.
    pub files: Vec<FileId>,
    named: FxHashMap<Box<str>, Vec<(FileId, NamedUse)>>,
    /// Uses that may be of any name.
    pub whole: Vec<(FileId, WholeUse)>,
}

/// A use of one exported name.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NamedUse {
    /// `import { name as binding }`, `import binding`.
    Import(BindingId),
    /// `export { name as other } from`: the other name.
    ReExport(NameId),
}

/// A use of all that a file exports.
#[derive(Debug, Clone, Copy)]
pub(crate) enum WholeUse {
    /// `import * as binding`.
    Namespace(BindingId),
    /// `export * from`.
    Star,
    /// `export * as name from`: the name.
    Gathered(NameId),
    /// `const … = require(…)`, `const … = await import(…)`.
    Load(RootId),
}

impl Incoming {
    /// The uses of what is exported as `name`, by that name.
    pub fn named(&self, name: &str) -> &[(FileId, NamedUse)] {
        self.named.get(name).map_or(&[], Vec::as_slice)
    }
}

/// The uses of every file, in the order of the importing files. `files` is in order.
pub(crate) fn incoming<'f>(files: impl Iterator<Item = (FileId, &'f ProgramFile)>) -> FxHashMap<FileId, Incoming> {
    let mut incoming: FxHashMap<FileId, Incoming> = FxHashMap::default();
    for (importer, file) in files {
        let module = &*file.module;
        let target = |source: &str| match file.links.get(source) {
            Some(crate::Link::File(target)) => Some(*target),
            _ => None,
        };
        let targets: FxHashSet<FileId> = file.links.keys().filter_map(|source| target(source)).collect();
        for target in targets {
            incoming.entry(target).or_default().files.push(importer);
        }
        for (binding, import) in module.import_bindings() {
            let Some(target) = target(module.name(module.import_decl(import.decl).source)) else { continue };
            let of_target = incoming.entry(target).or_default();
            match import.kind {
                ImportKind::Named { imported, .. } => {
                    of_target.add(module, imported, importer, NamedUse::Import(binding));
                }
                ImportKind::Default => {
                    of_target.named.entry("default".into()).or_default().push((importer, NamedUse::Import(binding)));
                }
                ImportKind::Namespace => of_target.whole.push((importer, WholeUse::Namespace(binding))),
            }
        }
        for export in &module.exports {
            match export.kind {
                ExportKind::From { source, imported, exported } => {
                    if let Some(target) = target(module.name(source)) {
                        let of_target = incoming.entry(target).or_default();
                        of_target.add(module, imported, importer, NamedUse::ReExport(exported));
                    }
                }
                ExportKind::Star { source } => {
                    if let Some(target) = target(module.name(source)) {
                        incoming.entry(target).or_default().whole.push((importer, WholeUse::Star));
                    }
                }
                ExportKind::Namespace { source, exported } => {
                    if let Some(target) = target(module.name(source)) {
                        incoming.entry(target).or_default().whole.push((importer, WholeUse::Gathered(exported)));
                    }
                }
                _ => {}
            }
        }
        for (root, source) in module.loads() {
            if let Some(target) = target(source) {
                incoming.entry(target).or_default().whole.push((importer, WholeUse::Load(root)));
            }
        }
    }
    incoming
}

impl Incoming {
    fn add(&mut self, module: &Module, name: NameId, importer: FileId, used: NamedUse) {
        let name = module.name(name);
        match self.named.get_mut(name) {
            Some(uses) => uses.push((importer, used)),
            None => {
                self.named.insert(name.into(), vec![(importer, used)]);
            }
        }
    }
}

/// What comes into a file by `export *`, over any number of files.
#[derive(Debug, Default)]
pub(crate) struct Stars {
    /// Exported name → the file that exports it itself.
    named: FxHashMap<Box<str>, FileId>,
    /// Every file that was asked.
    pub files: Vec<FileId>,
    pub entries: Vec<EntryId>,
    pub unread: Vec<FileId>,
}

impl Stars {
    /// What comes into `file`.
    pub fn of(program: &Program, file: FileId) -> Self {
        let mut stars = Self { files: vec![file], ..Self::default() };
        let mut next = 0;
        let mut seen: FxHashSet<FileId> = FxHashSet::from_iter([file]);
        while let Some(current) = stars.files.get(next).copied() {
            next += 1;
            let module = program.module(current);
            for export in &module.exports {
                let name = match export.kind {
                    ExportKind::Star { source } => {
                        match program.target(current, module.name(source)) {
                            Some(Target::File(target)) if seen.insert(target) => stars.files.push(target),
                            Some(Target::Unread(target)) if seen.insert(target) => stars.unread.push(target),
                            Some(Target::Sdk(entry)) if !stars.entries.contains(&entry) => stars.entries.push(entry),
                            _ => {}
                        }
                        continue;
                    }
                    ExportKind::Local { exported, .. }
                    | ExportKind::From { exported, .. }
                    | ExportKind::Namespace { exported, .. }
                    | ExportKind::Assigned { exported, .. } => module.name(exported),
                    ExportKind::Default(_) | ExportKind::Whole(_) => continue,
                };
                // `export *` does not hand on the default, and what is nearer hides what is further away.
                if current != file && name != "default" && !stars.named.contains_key(name) {
                    stars.named.insert(name.into(), current);
                }
            }
        }
        stars
    }

    /// The file that exports `name` itself.
    pub fn find(&self, name: &str) -> Option<FileId> {
        self.named.get(name).copied()
    }
}
