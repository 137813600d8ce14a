//! Found files → parsed modules with their versions: read, scan, parse, lower, in parallel.

use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentcheck_catalog::Catalog;
use agentcheck_lint::{Notice, NoticeKind};
use agentcheck_model::{ProgramFile, Target, lower};
use agentcheck_syntax::{FileId, SourceType};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::files::Files;
use crate::gate::{Gate, READ_LIMIT, machine_made};
use crate::paths::shown;
use crate::versions::VersionResolver;
use crate::walk::FoundFile;

/// What loading needs to know.
pub struct Loader<'a> {
    pub files: &'a dyn Files,
    pub catalog: &'a Catalog,
    pub resolver: &'a VersionResolver<'a>,
    pub cwd: &'a Path,
    /// Off: every file is parsed. A test runs both ways and must find the same.
    pub gate: Option<Gate>,
}

/// What became of the found files.
#[derive(Default)]
pub struct Loaded {
    pub parsed: Vec<(FileId, ProgramFile)>,
    pub notices: Vec<Notice>,
    /// Files that were not looked at; each has a notice.
    pub skipped: usize,
    /// Files that name an SDK, parsed or not.
    pub naming_sdk: usize,
}

/// What became of one file.
enum Outcome {
    /// It names no SDK.
    Irrelevant,
    /// It names one, but no rule could report anything in it.
    Silent,
    Parsed(Box<ProgramFile>),
}

thread_local! {
    /// Read into a reused buffer: mapping files is four times slower, and most files are only scanned.
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

impl Loader<'_> {
    /// Loads all files. The id of a file is its position in `found`.
    pub fn load(&self, found: &[FoundFile]) -> Loaded {
        let outcomes: Vec<_> = found.par_iter().map(|file| self.load_file(file)).collect();
        let mut loaded = Loaded::default();
        for (index, outcome) in outcomes.into_iter().enumerate() {
            match outcome {
                Ok(Outcome::Parsed(file)) => {
                    loaded.naming_sdk += 1;
                    loaded.parsed.push((FileId(index as u32), *file));
                }
                Ok(Outcome::Silent) => loaded.naming_sdk += 1,
                Ok(Outcome::Irrelevant) => {}
                Err(message) => {
                    loaded.skipped += 1;
                    let path = shown(&found[index].path, self.cwd);
                    loaded.notices.push(Notice { path, kind: NoticeKind::NotInspected, message });
                }
            }
        }
        loaded
    }

    /// The error says why the file was not looked at.
    fn load_file(&self, found: &FoundFile) -> Result<Outcome, String> {
        let Some(source_type) = SourceType::of_path(&found.path) else { return Ok(Outcome::Irrelevant) };
        BUFFER.with_borrow_mut(|buffer| {
            self.files.read_into(&found.path, READ_LIMIT, buffer).map_err(|error| describe(&error))?;
            if let Some(gate) = &self.gate {
                if !gate.names_sdk(buffer) {
                    return Ok(Outcome::Irrelevant);
                }
                if !gate.may_report(buffer) {
                    return Ok(Outcome::Silent);
                }
            }
            let text = std::str::from_utf8(buffer)
                .map_err(|error| format!("not valid UTF-8 at byte {}", error.valid_up_to()))?;
            match machine_made(text) {
                Some(why) if !found.explicit => Err(why),
                _ => Ok(Outcome::Parsed(Box::new(self.program_file(&found.path, source_type, Arc::from(text))))),
            }
        })
    }

    /// Parses a text as the content of `path`.
    pub fn program_file(&self, path: &Path, source_type: SourceType, text: Arc<str>) -> ProgramFile {
        let module = lower(source_type, text);
        let types = &self.catalog.types;
        let mut links = FxHashMap::default();
        for specifier in module.specifiers() {
            let entry = types.find_entry(specifier).or_else(|| {
                // `import { tool } from 'ai5'`, where package.json says `"ai5": "npm:ai@^5"`.
                let real = self.resolver.alias(path, specifier)?;
                types.find_entry(&real)
            });
            if let Some(entry) = entry {
                links.insert(specifier.to_owned(), Target::Sdk(entry));
            }
        }
        let versions =
            self.catalog.packages.iter().map(|package| self.resolver.evidence(path, &package.name)).collect();
        ProgramFile { path: Arc::from(shown(path, Path::new(""))), module: Arc::new(module), links, versions }
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
