//! A path that an import leads to → the file that lies there: extensions that are left out, `.js` that means `.ts`, the
//! index of a folder.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentcheck_syntax::{FileId, SourceType};
use rustc_hash::FxHashMap;

use crate::files::{FileKind, Files};
use crate::memo::Memo;

/// What may be left out, in the order in which it is tried: where a file and its compiled form lie side by side, the
/// source is meant. Other kinds of files (`.vue`) must be written out.
const EXTENSIONS: [&str; 8] = ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"];

/// The endings that a written one may stand for, in the order of TypeScript: code names the file that the compiler
/// will write.
const MEANINGS: [(&str, &[&str]); 4] = [
    ("js", &["ts", "tsx", "js", "jsx"]),
    ("jsx", &["tsx", "ts", "jsx", "js"]),
    ("mjs", &["mts", "mjs"]),
    ("cjs", &["cts", "cjs"]),
];

/// Looks for source files. Folders are listed once instead of asking for each spelling: most of them do not exist.
pub(super) struct Lookup<'a> {
    files: &'a dyn Files,
    /// Folder → the names in it, sorted. Keyed by bytes, which hash faster than paths.
    names: Memo<OsString, Arc<Vec<OsString>>>,
    /// Path of a source file → the path without links.
    real: Memo<OsString, Option<PathBuf>>,
    /// Source files that a walk found under these paths: nothing more needs to be asked of the disk about them.
    found: Option<&'a FxHashMap<PathBuf, FileId>>,
}

impl<'a> Lookup<'a> {
    pub fn new(files: &'a dyn Files) -> Self {
        Self { files, names: Memo::default(), real: Memo::default(), found: None }
    }

    pub fn with_found(self, found: &'a FxHashMap<PathBuf, FileId>) -> Self {
        Self { found: Some(found), ..self }
    }

    /// The file that `base` means, without looking into a folder of that name.
    pub fn file(&self, base: &Path) -> Option<PathBuf> {
        let (folder, name) = (base.parent()?, base.file_name()?.to_str()?);
        let names = self.names(folder);
        let mut candidate = String::with_capacity(name.len() + 4);
        if let Some((stem, extension)) = name.rsplit_once('.') {
            let meant = MEANINGS.iter().find(|(written, _)| *written == extension).map_or(&[][..], |(_, meant)| meant);
            let written = [extension];
            for extension in if meant.is_empty() { &written } else { meant } {
                candidate.clear();
                candidate.push_str(stem);
                candidate.push('.');
                candidate.push_str(extension);
                if let Some(file) = self.named(folder, &names, &candidate) {
                    return Some(file);
                }
            }
        }
        self.with_extension(folder, &names, name, &mut candidate)
    }

    /// The file called like `base` and one more extension.
    pub fn stem(&self, base: &Path) -> Option<PathBuf> {
        let (folder, name) = (base.parent()?, base.file_name()?.to_str()?);
        self.with_extension(folder, &self.names(folder), name, &mut String::new())
    }

    /// The index file of a folder.
    pub fn index(&self, folder: &Path) -> Option<PathBuf> {
        self.with_extension(folder, &self.names(folder), "index", &mut String::new())
    }

    /// Whether something called `name` lies in a folder.
    pub fn has(&self, folder: &Path, name: &str) -> bool {
        contains(&self.names(folder), name)
    }

    /// Whether a file called `stem` and a JavaScript or TypeScript extension lies in a folder.
    pub fn has_stem(&self, folder: &Path, stem: &str) -> bool {
        let names = self.names(folder);
        EXTENSIONS.iter().any(|extension| contains(&names, &format!("{stem}.{extension}")))
    }

    fn with_extension(&self, folder: &Path, names: &[OsString], stem: &str, candidate: &mut String) -> Option<PathBuf> {
        candidate.clear();
        candidate.push_str(stem);
        candidate.push('.');
        let length = candidate.len();
        EXTENSIONS.iter().find_map(|extension| {
            candidate.truncate(length);
            candidate.push_str(extension);
            self.named(folder, names, candidate)
        })
    }

    fn named(&self, folder: &Path, names: &[OsString], name: &str) -> Option<PathBuf> {
        if !contains(names, name) {
            return None;
        }
        let path = folder.join(name);
        if self.found.is_some_and(|found| found.contains_key(&path)) {
            return Some(path);
        }
        self.real.get(path.as_os_str(), || {
            if !is_source(&path) || self.files.kind(&path) != Some(FileKind::File) {
                return None;
            }
            // A walk names a linked file by where it really is.
            let real = self.files.canonical(&path);
            Some(if is_source(&real) { real } else { path.clone() })
        })
    }

    fn names(&self, folder: &Path) -> Arc<Vec<OsString>> {
        self.names.get(folder.as_os_str(), || Arc::new(self.files.list(folder).unwrap_or_default()))
    }
}

fn contains(names: &[OsString], name: &str) -> bool {
    names.binary_search_by(|entry| entry.as_os_str().cmp(OsStr::new(name))).is_ok()
}

/// Whether a walk would take this file: declarations hold no code that runs.
fn is_source(path: &Path) -> bool {
    let stem = path.file_stem().map(Path::new);
    let is_declaration = stem.and_then(Path::extension) == Some(OsStr::new("d"))
        && matches!(path.extension().and_then(OsStr::to_str), Some("ts" | "mts" | "cts"));
    SourceType::of_path(path).is_some() && !is_declaration
}
