//! Which files are parsed, and the findings: rounds of linting and reading until no rule asks for another file.
//!
//! First the files that name an SDK. Linting them tells what else matters: files that define something which flows into
//! an SDK position, files that pass arguments to a wrapper, files that receive an SDK value. Those are parsed, and the
//! files whose answers they may change are linted again. Nothing is parsed twice, and the import closure is not parsed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agentcheck_catalog::{Catalog, TypeTable};
use agentcheck_lint::{FileFindings, Linter, Notice, Settings};
use agentcheck_model::{Link, Program, ProgramFile};
use agentcheck_syntax::FileId;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::gate::Gate;
use crate::load::{Loaded, Loader};

/// A chain of files that lead to each other is followed this far.
const ROUNDS: usize = 16;

/// The program as far as it is read, and what the rules found in it.
pub(crate) struct Rounds {
    pub program: Program,
    /// By the file whose rules found them; places may lie in other files.
    pub findings: BTreeMap<FileId, FileFindings>,
    /// Files that cannot be read or parsed, with the reason.
    pub skipped: BTreeMap<FileId, Notice>,
    /// Files of barrels that do not export the name that was looked for.
    passed_over: FxHashSet<(FileId, String)>,
    /// File → unread files that import it, as a scan of their text tells. Worked out when somebody asks.
    importers: Option<FxHashMap<FileId, Vec<FileId>>>,
}

/// Rules and their settings.
pub(crate) struct Rules<'a> {
    pub catalog: &'a Catalog,
    pub settings: &'a [Settings],
    /// For each found file, the index of its settings.
    pub config_of: &'a [usize],
}

impl Rounds {
    /// An empty program.
    pub fn new(types: Arc<TypeTable>) -> Self {
        Self {
            program: Program::new(types, []),
            findings: BTreeMap::new(),
            skipped: BTreeMap::new(),
            passed_over: FxHashSet::default(),
            importers: None,
        }
    }

    /// Takes files into the program, new or with another text, and lints until nothing is missing.
    pub fn settle(&mut self, parsed: Vec<(FileId, ProgramFile)>, loader: &Loader<'_>, rules: &Rules<'_>) {
        let linters: Vec<Linter<'_>> =
            rules.settings.iter().map(|settings| Linter::new(rules.catalog, settings)).collect();
        let mut dirty = self.take(parsed);
        for _ in 0..ROUNDS {
            self.lint(&dirty, &linters, rules.config_of);
            let mut files = BTreeSet::new();
            let mut importers = BTreeSet::new();
            let mut named = BTreeSet::new();
            for found in self.findings.values() {
                files.extend(&found.trace.wants.files);
                named
                    .extend(found.trace.wants.named.iter().filter(|asked| !self.passed_over.contains(*asked)).cloned());
                importers.extend(&found.trace.wants.importers);
            }
            importers.retain(|file| !self.program.has_importers_of(*file));
            if !importers.is_empty() {
                let known = self.importers(loader);
                files.extend(importers.iter().filter_map(|file| known.get(file)).flatten());
            }
            files.extend(self.exporting(named, loader));
            let unread = |file: &FileId| self.program.file(*file).is_none() && !self.skipped.contains_key(file);
            files.retain(unread);
            let wants_every = |found: &FileFindings| found.trace.wants.every_sdk_file;
            let every = !self.program.has_every_sdk_file() && self.findings.values().any(wants_every);
            if files.is_empty() && importers.is_empty() && !every {
                return;
            }
            let mut loaded = loader.load(&files, None);
            if every {
                let others = loader.file_ids().filter(unread).filter(|file| !files.contains(file)).collect();
                let more = loader.load(&others, Some(&Gate::new(loader.types)));
                loaded.parsed.extend(more.parsed);
            }
            self.skipped.extend(loaded.skipped.into_iter().map(|skipped| (skipped.file, skipped.notice)));
            dirty = self.take(loaded.parsed);
            if every {
                dirty.extend(self.findings.iter().filter(|(_, found)| wants_every(found)).map(|(file, _)| *file));
                self.program = self.program.clone().with_every_sdk_file();
            }
            let satisfied = |found: &FileFindings| !found.trace.wants.importers.is_disjoint(&importers);
            dirty.extend(self.findings.iter().filter(|(_, found)| satisfied(found)).map(|(file, _)| *file));
            self.program = self.program.clone().with_importers_of(importers);
        }
    }

    /// Takes files into the program; returns those whose findings may change by it.
    fn take(&mut self, parsed: Vec<(FileId, ProgramFile)>) -> BTreeSet<FileId> {
        if parsed.is_empty() {
            return BTreeSet::new();
        }
        let targets = |file: &ProgramFile| -> Vec<FileId> {
            let target = |link: &Link| match link {
                Link::File(file) => Some(*file),
                Link::Sdk(_) => None,
            };
            file.links.values().filter_map(target).collect()
        };
        let changed: BTreeSet<FileId> = parsed.iter().map(|(id, _)| *id).collect();
        // Who imports what, before and after.
        let mut imported: BTreeSet<FileId> = parsed.iter().flat_map(|(_, file)| targets(file)).collect();
        imported.extend(changed.iter().filter_map(|file| self.program.file(*file)).flat_map(targets));
        self.program = self.program.with_files(parsed);
        let mut dirty = changed.clone();
        for (file, found) in &self.findings {
            if found.trace.wants.every_sdk_file
                || !found.trace.files.is_disjoint(&changed)
                || !found.trace.importers.is_disjoint(&imported)
            {
                dirty.insert(*file);
            }
        }
        dirty
    }

    fn lint(&mut self, files: &BTreeSet<FileId>, linters: &[Linter<'_>], config_of: &[usize]) {
        let files: Vec<FileId> = files.iter().copied().collect();
        let found: Vec<FileFindings> =
            files.par_iter().map(|file| linters[config_of[file.0 as usize]].lint(&self.program, *file)).collect();
        self.findings.extend(files.into_iter().zip(found));
    }

    /// Loads what passes the gate of the files that lead to the reported ones, over any number of imports, of those that
    /// these lead to, and of these themselves.
    pub fn load_leading(&mut self, loader: &Loader<'_>, gate: &Gate) -> Loaded {
        let reported: BTreeSet<FileId> =
            loader.file_ids().filter(|file| loader.found[file.0 as usize].reported).collect();
        if reported.len() == loader.found.len() {
            return loader.load(&reported, Some(gate));
        }
        let files: Vec<FileId> = loader.file_ids().collect();
        let scanned = loader.scan(&files, Some(gate));
        let mut imports: FxHashMap<FileId, Vec<FileId>> = FxHashMap::default();
        let mut importers: FxHashMap<FileId, Vec<FileId>> = FxHashMap::default();
        for (file, scanned) in files.iter().zip(&scanned) {
            imports.insert(*file, scanned.imports.clone());
            scanned.imports.iter().for_each(|target| importers.entry(*target).or_default().push(*file));
        }
        // A wrapper hands SDK values to a file that names no SDK itself.
        let mut known = reachable(&reported, &imports);
        known.extend(reachable(&reported, &importers));
        // A crate is read as a whole.
        let crates: BTreeSet<String> = reported.iter().filter_map(|file| loader.crate_root(*file)).collect();
        if !crates.is_empty() {
            let is_in = |file: &FileId| loader.crate_root(*file).is_some_and(|root| crates.contains(&root));
            known.extend(files.iter().copied().filter(is_in));
        }
        self.importers = Some(importers);
        let leading = files.into_iter().zip(scanned).filter(|(file, _)| known.contains(file));
        loader.load_scanned(leading.map(|(file, scanned)| (file, Some(scanned))).collect(), Some(gate))
    }

    /// Of the files of barrels, those that may export the name that is looked for, as their bytes tell.
    fn exporting(&mut self, named: BTreeSet<(FileId, String)>, loader: &Loader<'_>) -> Vec<FileId> {
        let asked: Vec<(FileId, String)> =
            named.into_iter().filter(|(file, _)| self.program.file(*file).is_none()).collect();
        let (exporting, others): (Vec<_>, Vec<_>) =
            asked.into_par_iter().partition(|(file, name)| loader.may_export(*file, name));
        self.passed_over.extend(others);
        exporting.into_iter().map(|(file, _)| file).collect()
    }

    fn importers(&mut self, loader: &Loader<'_>) -> &FxHashMap<FileId, Vec<FileId>> {
        let program = &self.program;
        self.importers.get_or_insert_with(|| {
            let mut importers: FxHashMap<FileId, Vec<FileId>> = FxHashMap::default();
            // What is parsed says itself what it imports.
            let unread: Vec<FileId> = loader.file_ids().filter(|file| program.file(*file).is_none()).collect();
            for (file, scanned) in unread.iter().zip(loader.scan(&unread, None)) {
                scanned.imports.iter().for_each(|target| importers.entry(*target).or_default().push(*file));
            }
            importers
        })
    }
}

/// The files that `from` leads to over any number of steps, and these themselves.
fn reachable(from: &BTreeSet<FileId>, next: &FxHashMap<FileId, Vec<FileId>>) -> BTreeSet<FileId> {
    let mut found = from.clone();
    let mut left: Vec<FileId> = from.iter().copied().collect();
    while let Some(file) = left.pop() {
        left.extend(next.get(&file).into_iter().flatten().filter(|file| found.insert(**file)));
    }
    found
}
