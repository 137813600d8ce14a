//! Where content comes from: the disk, or something laid over it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileKind {
    File,
    Directory,
    /// A pipe, a socket, a device: reading it may never end.
    Other,
}

/// A file system to read from. The disk today; an editor's unsaved buffers or the git index are laid over it later.
pub trait Files: Sync {
    /// Replaces `buffer` by the content of a regular file of at most `limit` bytes. A longer file is an error of kind
    /// [`io::ErrorKind::FileTooLarge`], anything but a regular file one of kind [`io::ErrorKind::InvalidInput`].
    fn read_into(&self, path: &Path, limit: u64, buffer: &mut Vec<u8>) -> io::Result<()>;

    /// What is at `path`, links followed; `None` when there is nothing.
    fn kind(&self, path: &Path) -> Option<FileKind>;

    /// The path without symbolic links; the path itself when it leads nowhere.
    fn canonical(&self, path: &Path) -> PathBuf;

    /// The names in a directory, sorted by their bytes.
    fn list(&self, directory: &Path) -> io::Result<Vec<OsString>>;

    /// The content of a regular file. At most 4 GiB: positions in a file are 32-bit.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let mut buffer = Vec::new();
        self.read_into(path, u64::from(u32::MAX), &mut buffer)?;
        Ok(buffer)
    }
}

/// Whether an error of [`Files::read`] only says that there is no such file, which is no news when looking around.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidInput)
}

fn too_large(limit: u64) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {limit} bytes"))
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}

/// The file system of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct Disk;

impl Files for Disk {
    fn read_into(&self, path: &Path, limit: u64, buffer: &mut Vec<u8>) -> io::Result<()> {
        buffer.clear();
        // Asked before opening: opening a pipe without a writer waits for ever.
        let metadata = fs::metadata(path)?;
        if !metadata.is_file() {
            return Err(not_regular());
        }
        if metadata.len() > limit {
            return Err(too_large(limit));
        }
        buffer.reserve(metadata.len() as usize + 1);
        // The file may have grown since.
        File::open(path)?.take(limit + 1).read_to_end(buffer)?;
        if buffer.len() as u64 > limit { Err(too_large(limit)) } else { Ok(()) }
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        let metadata = fs::metadata(path).ok()?;
        Some(if metadata.is_file() {
            FileKind::File
        } else if metadata.is_dir() {
            FileKind::Directory
        } else {
            FileKind::Other
        })
    }

    fn canonical(&self, path: &Path) -> PathBuf {
        fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<OsString>> {
        let mut names: Vec<OsString> =
            fs::read_dir(directory)?.filter_map(|entry| Some(entry.ok()?.file_name())).collect();
        names.sort_unstable();
        Ok(names)
    }
}

/// Files that exist only in memory. A directory is there when a file lies in it; there are no links.
#[derive(Debug, Clone, Default)]
pub struct MemoryFiles {
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl MemoryFiles {
    /// Adds or replaces a file.
    pub fn insert(&mut self, path: impl Into<PathBuf>, content: impl Into<Vec<u8>>) {
        self.files.insert(path.into(), content.into());
    }

    /// The names below `directory`, each with whether it goes on below that name.
    fn below<'f>(&'f self, directory: &'f Path) -> impl Iterator<Item = &'f Path> {
        self.files
            .range(directory.to_path_buf()..)
            .map(|(path, _)| path.as_path())
            .take_while(move |path| path.starts_with(directory))
            .filter_map(move |path| path.strip_prefix(directory).ok())
            .filter(|rest| !rest.as_os_str().is_empty())
    }
}

impl<P: Into<PathBuf>, C: Into<Vec<u8>>> FromIterator<(P, C)> for MemoryFiles {
    fn from_iter<I: IntoIterator<Item = (P, C)>>(entries: I) -> Self {
        Self { files: entries.into_iter().map(|(path, content)| (path.into(), content.into())).collect() }
    }
}

impl Files for MemoryFiles {
    fn read_into(&self, path: &Path, limit: u64, buffer: &mut Vec<u8>) -> io::Result<()> {
        buffer.clear();
        match self.files.get(path) {
            Some(content) if content.len() as u64 > limit => Err(too_large(limit)),
            Some(content) => {
                buffer.extend_from_slice(content);
                Ok(())
            }
            None if self.kind(path).is_some() => Err(not_regular()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        if self.files.contains_key(path) {
            return Some(FileKind::File);
        }
        self.below(path).next().map(|_| FileKind::Directory)
    }

    fn canonical(&self, path: &Path) -> PathBuf {
        path.to_path_buf()
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<OsString>> {
        let mut names: Vec<OsString> =
            self.below(directory).filter_map(|rest| Some(rest.iter().next()?.to_os_string())).collect();
        names.sort_unstable();
        names.dedup();
        if names.is_empty() { Err(io::ErrorKind::NotFound.into()) } else { Ok(names) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disk_reads_only_regular_files_up_to_the_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.ts");
        fs::write(&file, "12345").expect("written");
        let mut buffer = b"old content".to_vec();
        Disk.read_into(&file, 5, &mut buffer).expect("it fits");
        assert_eq!(buffer, b"12345");
        let error = Disk.read_into(&file, 4, &mut buffer).expect_err("too long");
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert!(is_absent(&Disk.read(folder.path()).expect_err("a folder is no file")));
        assert!(is_absent(&Disk.read(&file.join("package.json")).expect_err("a file is no folder")));
        assert_eq!(Disk.kind(&file), Some(FileKind::File));
        assert_eq!(Disk.kind(folder.path()), Some(FileKind::Directory));
        assert_eq!(Disk.kind(&folder.path().join("none")), None);
        assert_eq!(Disk.canonical(Path::new("/no/such/path")), Path::new("/no/such/path"));
        assert_eq!(Disk.list(folder.path()).expect("listed"), ["a.ts"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_not_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let socket = folder.path().join("package.json");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
        assert_eq!(Disk.kind(&socket), Some(FileKind::Other));
        assert_eq!(Disk.read(&socket).expect_err("no file").kind(), io::ErrorKind::InvalidInput);
    }

    #[test]
    fn memory_has_the_directories_of_its_files() {
        let files: MemoryFiles = [("/a/b/c.ts", "c"), ("/a/b.ts", "b"), ("/a/b/d/e.ts", "e")].into_iter().collect();
        assert_eq!(files.kind(Path::new("/a/b")), Some(FileKind::Directory));
        assert_eq!(files.kind(Path::new("/a/b.ts")), Some(FileKind::File));
        assert_eq!(files.kind(Path::new("/b")), None);
        assert_eq!(files.list(Path::new("/a")).expect("listed"), ["b", "b.ts"]);
        assert_eq!(files.list(Path::new("/a/b")).expect("listed"), ["c.ts", "d"]);
        assert_eq!(files.read(Path::new("/a/b.ts")).expect("read"), b"b");
        assert!(files.read(Path::new("/a/b")).is_err());
    }
}
