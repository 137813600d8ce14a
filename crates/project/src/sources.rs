//! What lies where: the manifests, lockfiles and workspaces around a file. Everything is read once and kept.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use agentcheck_lint::Notice;
use agentcheck_model::Evidence;
use rustc_hash::FxHashMap;

use crate::files::{FileKind, Files, is_absent};
use crate::lockfile::{Format, LOCKFILES, LONGEST_LOCKFILE, Lockfile, Tracked};
use crate::manifest::Manifest;
use crate::memo::Memo;
use crate::paths::{relative, shown};
use crate::problem::{Problem, decode};
use crate::workspace::Workspace;

/// No package.json or workspace file that somebody wrote is longer.
const LONGEST_MANIFEST: u64 = 8 * 1024 * 1024;

/// A folder that says something about versions: it has a package.json or a `node_modules`.
pub(crate) struct Folder {
    pub path: PathBuf,
    pub manifest: Option<Arc<Manifest>>,
    pub has_node_modules: bool,
    above: Option<Arc<Folder>>,
    /// Dependency → what is known here; filled by the resolver.
    pub evidence: Memo<String, Arc<Evidence>>,
}

impl Folder {
    /// This folder and those above it that say something, nearest first.
    pub fn upward(&self) -> impl Iterator<Item = &Folder> {
        std::iter::successors(Some(self), |folder| folder.above.as_deref())
    }
}

/// Name of a package → the folder of a workspace that holds it.
type Members = FxHashMap<String, PathBuf>;

/// The files around the code, each read at most once.
pub(crate) struct Sources<'a> {
    files: &'a dyn Files,
    /// Without links, like every path here.
    cwd: PathBuf,
    tracked: Tracked,
    /// Folder as given → the nearest folder that says something. Asked for every import: bytes hash faster than paths.
    given: Memo<OsString, Option<Arc<Folder>>>,
    folders: Memo<PathBuf, Option<Arc<Folder>>>,
    manifests: Memo<PathBuf, Option<Arc<Manifest>>>,
    lockfiles_in: Memo<PathBuf, Arc<Vec<(PathBuf, Format)>>>,
    lockfiles: Memo<PathBuf, Option<Arc<Lockfile>>>,
    workspaces: Memo<PathBuf, Option<Arc<Workspace>>>,
    members: Memo<PathBuf, Arc<Members>>,
    notices: Mutex<BTreeSet<Notice>>,
}

impl<'a> Sources<'a> {
    pub fn new(files: &'a dyn Files, tracked: Tracked, cwd: &Path) -> Self {
        Self {
            files,
            cwd: files.canonical(cwd),
            tracked,
            given: Memo::default(),
            folders: Memo::default(),
            manifests: Memo::default(),
            lockfiles_in: Memo::default(),
            lockfiles: Memo::default(),
            workspaces: Memo::default(),
            members: Memo::default(),
            notices: Mutex::default(),
        }
    }

    pub fn tracked(&self) -> &Tracked {
        &self.tracked
    }

    /// `path` from the file system's root.
    pub fn absolute(&self, path: &Path) -> PathBuf {
        self.cwd.join(path)
    }

    /// `path` as text to show.
    pub fn shown(&self, path: &Path) -> String {
        shown(path, &self.cwd)
    }

    /// The notices so far, sorted.
    pub fn notices(&self) -> Vec<Notice> {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    fn report(&self, path: &Path, problems: &[Problem]) {
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        notices.extend(problems.iter().map(|problem| problem.notice(self.shown(path))));
    }

    /// The content of a file that may be missing; any other failure is a notice.
    fn read(&self, path: &Path, limit: u64) -> Option<Vec<u8>> {
        let mut content = Vec::new();
        match self.files.read_into(path, limit, &mut content) {
            Ok(()) => Some(content),
            Err(error) => {
                if !is_absent(&error) {
                    self.report(path, &[Problem::of_file(format!("cannot be read: {error}"))]);
                }
                None
            }
        }
    }

    /// Whether a manifest holds some bytes.
    pub fn mentions(&self, path: &Path, bytes: &[u8]) -> bool {
        let mut content = Vec::new();
        self.files.read_into(path, LONGEST_MANIFEST, &mut content).is_ok()
            && memchr::memmem::find(&content, bytes).is_some()
    }

    /// The nearest folder around `file` that says something about versions. Links are resolved first: Node looks
    /// packages up from where a file really is.
    pub fn folder_of(&self, file: &Path) -> Option<Arc<Folder>> {
        let file = if file.is_absolute() { Cow::Borrowed(file) } else { Cow::Owned(self.absolute(file)) };
        let directory = file.parent()?;
        self.given.get(directory.as_os_str(), || self.folder(&self.files.canonical(directory)))
    }

    fn folder(&self, directory: &Path) -> Option<Arc<Folder>> {
        // From the top down without recursion: a path may be thousands of folders deep.
        let mut nearest = None;
        let mut unknown = Vec::new();
        for ancestor in directory.ancestors() {
            if let Some(known) = self.folders.peek(ancestor) {
                nearest = known;
                break;
            }
            unknown.push(ancestor);
        }
        for ancestor in unknown.into_iter().rev() {
            nearest = self.folders.get(ancestor, || self.make_folder(ancestor, nearest));
        }
        nearest
    }

    fn make_folder(&self, path: &Path, above: Option<Arc<Folder>>) -> Option<Arc<Folder>> {
        let manifest = self.manifest(&path.join("package.json"));
        let has_node_modules = self.files.kind(&path.join("node_modules")) == Some(FileKind::Directory);
        if manifest.is_none() && !has_node_modules {
            return above;
        }
        Some(Arc::new(Folder {
            path: path.to_path_buf(),
            manifest,
            has_node_modules,
            above,
            evidence: Memo::default(),
        }))
    }

    /// The package.json at `path`.
    pub fn manifest(&self, path: &Path) -> Option<Arc<Manifest>> {
        self.manifests.get(path, || {
            let (manifest, problems) = Manifest::parse(self.read(path, LONGEST_MANIFEST)?);
            self.report(path, &problems);
            Some(Arc::new(manifest))
        })
    }

    /// The lockfiles in a folder, in the order in which they are asked.
    pub fn lockfiles_in(&self, directory: &Path) -> Arc<Vec<(PathBuf, Format)>> {
        self.lockfiles_in.get(directory, || {
            let exists = |path: &PathBuf| self.files.kind(path) == Some(FileKind::File);
            let found: Vec<(PathBuf, Format)> = LOCKFILES
                .iter()
                .map(|(name, format)| (directory.join(name), *format))
                .filter(|(path, _)| exists(path))
                .collect();
            let binary = directory.join("bun.lockb");
            if found.is_empty() && exists(&binary) {
                let message = "a binary lockfile is not read; `bun install --save-text-lockfile` writes a text one";
                self.report(&binary, &[Problem::of_file(message)]);
            }
            Arc::new(found)
        })
    }

    /// The lockfile at `path`.
    pub fn lockfile(&self, path: &Path, format: Format) -> Option<Arc<Lockfile>> {
        self.lockfiles.get(path, || {
            let (lockfile, problems) = Lockfile::parse(format, self.read(path, LONGEST_LOCKFILE)?, &self.tracked);
            self.report(path, &problems);
            Some(Arc::new(lockfile))
        })
    }

    /// The workspace whose root is `directory`.
    pub fn workspace_at(&self, directory: &Path) -> Option<Arc<Workspace>> {
        self.workspaces.get(directory, || {
            if let Some(workspace) = self.workspace_file(&directory.join("pnpm-workspace.yaml")) {
                return Some(Arc::new(workspace));
            }
            let manifest = self.manifest(&directory.join("package.json"))?;
            let mut workspace = Workspace::of_manifest(directory, &manifest)?;
            if workspace.catalogs.is_empty()
                && let Some(yarn) = self.workspace_file(&directory.join(".yarnrc.yml"))
            {
                workspace.catalogs = yarn.catalogs;
                workspace.definition = yarn.definition;
            }
            Some(Arc::new(workspace))
        })
    }

    fn workspace_file(&self, path: &Path) -> Option<Workspace> {
        let content = self.read(path, LONGEST_MANIFEST)?;
        let mut problems = Vec::new();
        let text = decode(content, &mut problems);
        let workspace = Workspace::of_yaml(path, &text, &mut problems);
        self.report(path, &problems);
        Some(workspace)
    }

    /// The workspaces at and above `directory`: first the nearest that lists it, then the nearest of all, because the
    /// list may be one that we read only in part.
    pub fn workspaces_of(&self, directory: &Path) -> impl Iterator<Item = Arc<Workspace>> {
        let all: Vec<Arc<Workspace>> = directory.ancestors().filter_map(|root| self.workspace_at(root)).collect();
        let lists = |workspace: &&Arc<Workspace>| {
            relative(directory, &workspace.root).is_some_and(|relative| workspace.has(&relative))
        };
        let listing = all.iter().find(lists).cloned();
        listing.into_iter().chain(all)
    }

    /// The folder of the workspace's package called `name`.
    pub fn member(&self, workspace: &Workspace, name: &str) -> Option<PathBuf> {
        let members = self.members.get(&workspace.root, || {
            let mut members = Members::default();
            for folder in workspace.members(self.files) {
                let manifest = self.manifest(&folder.join("package.json"));
                if let Some(name) = manifest.and_then(|manifest| manifest.name.clone()) {
                    members.entry(name).or_insert(folder);
                }
            }
            Arc::new(members)
        });
        members.get(name).cloned()
    }
}
