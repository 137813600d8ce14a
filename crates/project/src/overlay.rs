//! Texts laid over another file system: standard input, fixed files that are not written yet.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::files::{FileKind, Files};
use crate::memo::Memo;

/// A file system in which some files have another content.
pub struct Overlay<'f> {
    below: &'f dyn Files,
    texts: BTreeMap<PathBuf, Arc<str>>,
    /// Folder → the folder without links. Asked for every folder with code, by all who look something up around it.
    canonical: Memo<OsString, PathBuf>,
}

impl<'f> Overlay<'f> {
    /// Lays nothing over `below` yet.
    pub fn new(below: &'f dyn Files) -> Self {
        Self { below, texts: BTreeMap::new(), canonical: Memo::default() }
    }

    /// Lays `text` over the file at `path`, which need not exist below.
    pub fn lay(&mut self, path: PathBuf, text: Arc<str>) {
        self.texts.insert(path, text);
    }
}

impl Files for Overlay<'_> {
    fn read_into(&self, path: &Path, limit: u64, buffer: &mut Vec<u8>) -> io::Result<()> {
        match self.texts.get(path) {
            Some(text) => {
                buffer.clear();
                buffer.extend_from_slice(text.as_bytes());
                Ok(())
            }
            None => self.below.read_into(path, limit, buffer),
        }
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        if self.texts.contains_key(path) { Some(FileKind::File) } else { self.below.kind(path) }
    }

    fn canonical(&self, path: &Path) -> PathBuf {
        self.canonical.get(path.as_os_str(), || self.below.canonical(path))
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<OsString>> {
        self.below.list(directory)
    }
}
