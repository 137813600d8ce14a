//! Paths given on the command line → the files to look at.

use std::collections::BTreeSet;
use std::collections::hash_map::Entry;
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

use agentcheck_lint::{Notice, NoticeKind};
use agentcheck_syntax::SourceType;
use rustc_hash::FxHashMap;
use walkdir::WalkDir;

use crate::ignore_rules::IgnoreRules;
use crate::paths::{clean, shown};
use crate::scope::known_root;

/// How to walk.
#[derive(Debug, Clone, Default)]
pub struct WalkOptions {
    /// The working directory, absolute: relative paths start here, and paths in notices are relative to it.
    pub cwd: PathBuf,
    /// Leave out what is ignored even when it was named: for callers that pass every changed file, such as commit
    /// hooks.
    pub force_exclude: bool,
    /// Also find what lies around the named paths, in the project that each belongs to: files that are only known, not
    /// reported on.
    pub with_surroundings: bool,
}

/// A file to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFile {
    /// Absolute, in the spelling of the path that led to it.
    pub path: PathBuf,
    /// Named on the command line, not just found below a folder.
    pub explicit: bool,
    /// Named, or below a folder that was; otherwise the file is only there to be known.
    pub reported: bool,
}

/// What a walk found.
#[derive(Debug, Clone, Default)]
pub struct Walk {
    /// Each file once, sorted by the bytes of its path, `/` before everything else.
    pub files: Vec<FoundFile>,
    /// Every package.json that the walk came across.
    pub manifests: Vec<PathBuf>,
    /// What could not be looked at, sorted.
    pub notices: Vec<Notice>,
}

/// Why there is nothing to walk.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WalkError {
    /// A path that was named does not exist.
    #[error("{}: no such file or directory", .0.display())]
    Missing(PathBuf),
}

/// The source files at and below `paths`.
///
/// A file that is named is taken even if it is ignored, and a folder that is named is entered even if it is ignored;
/// then rules from above it do not count, those inside it do. Links to files are followed as long as they stay in the
/// repository (without one: in the walked folders), links to folders are not: a workspace's packages are reached by
/// their real path.
pub fn walk(paths: &[PathBuf], options: &WalkOptions) -> Result<Walk, WalkError> {
    find(paths, options, SOURCES)
}

const SOURCES: Wanted = Wanted { walked: is_source, named: |path| SourceType::of_path(path).is_some() };

/// What is known of the project around a file, which need not exist. Nothing of it is reported on.
pub(crate) fn walk_around(file: &Path, options: &WalkOptions) -> Result<Walk, WalkError> {
    let folder = file.ancestors().skip(1).find(|folder| folder.is_dir()).unwrap_or(&options.cwd);
    let folder = fs::canonicalize(folder).map_err(|_| WalkError::Missing(folder.to_path_buf()))?;
    let mut walker = Walker::new(options, SOURCES);
    walker.reporting = false;
    let root = known_root(&folder, true, &options.cwd);
    walker.directory(&root, &root);
    Ok(walker.finish())
}

/// The package.json files at and below `paths`, by the same rules as [`walk`].
pub fn walk_manifests(paths: &[PathBuf], options: &WalkOptions) -> Result<Walk, WalkError> {
    let is_manifest = |path: &Path| path.file_name() == Some(OsStr::new(MANIFEST));
    find(paths, options, Wanted { walked: is_manifest, named: is_manifest })
}

const MANIFEST: &str = "package.json";

/// Which files a walk takes, by their path.
#[derive(Clone, Copy)]
struct Wanted {
    /// Among those that it comes across.
    walked: fn(&Path) -> bool,
    /// Among those that are named.
    named: fn(&Path) -> bool,
}

/// Whether a walk takes this file. Declaration files hold no code that runs.
fn is_source(path: &Path) -> bool {
    let is_declaration = || {
        let stem = path.file_stem().map(Path::new);
        stem.and_then(Path::extension) == Some(OsStr::new("d"))
            && matches!(path.extension().and_then(OsStr::to_str), Some("ts" | "mts" | "cts"))
    };
    SourceType::of_path(path).is_some() && !is_declaration()
}

/// Folders that tools own by their very name: dependencies, version control, caches and build output that nobody writes
/// by hand. Never entered on the way down; one that is named is walked.
///
/// Plain words are not in the list. `build`, `out`, `dist`, `target` and `coverage` are output in most projects and
/// source in others (`src/build`, a package called `target`); where they are output, git ignores them. Those that
/// nobody told git about are recognised by what their tool puts into them, see [`is_output`].
const TOOL_FOLDERS: [&str; 34] = [
    ".angular",
    ".astro",
    ".cache",
    ".docusaurus",
    ".eggs",
    ".expo",
    ".git",
    ".hg",
    ".jj",
    ".mypy_cache",
    ".netlify",
    ".next",
    ".nitro",
    ".nuxt",
    ".nx",
    ".nyc_output",
    ".open-next",
    ".output",
    ".parcel-cache",
    ".pnpm-store",
    ".react-router",
    ".serverless",
    ".sst",
    ".svelte-kit",
    ".svn",
    ".tox",
    ".turbo",
    ".venv",
    ".vercel",
    ".wrangler",
    ".yarn",
    "__pycache__",
    "bower_components",
    "node_modules",
];

fn is_tool_folder(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| TOOL_FOLDERS.binary_search(&name).is_ok())
}

/// Whether a folder with an ambiguous name holds the mark of the tool that made it: cargo and others write
/// `CACHEDIR.TAG`, the coverage reporters their reports.
fn is_output(name: &OsStr, path: &Path) -> bool {
    let marks: &[&str] = match name.to_str() {
        Some("target" | "build" | "out" | "dist") => &["CACHEDIR.TAG"],
        Some("coverage") => &["lcov.info", "lcov-report", "coverage-final.json", "clover.xml"],
        _ => return false,
    };
    marks.iter().any(|mark| path.join(mark).exists())
}

fn find(paths: &[PathBuf], options: &WalkOptions, wanted: Wanted) -> Result<Walk, WalkError> {
    let mut walker = Walker::new(options, wanted);
    let mut known = BTreeSet::new();
    for path in paths {
        let absolute = absolute(path, &options.cwd);
        let real = fs::canonicalize(&absolute).map_err(|_| WalkError::Missing(path.clone()))?;
        let metadata = fs::metadata(&real).map_err(|_| WalkError::Missing(path.clone()))?;
        if options.force_exclude && walker.is_excluded(&real, metadata.is_dir()) {
            continue;
        }
        if options.with_surroundings {
            known.insert(known_root(&real, metadata.is_dir(), &options.cwd));
        }
        if metadata.is_dir() {
            walker.directory(&absolute, &real);
        } else if !(wanted.named)(&absolute) {
            walker.notice(&absolute, "not a kind of file that agentcheck reads");
        } else if !metadata.is_file() {
            walker.notice(&absolute, "not a regular file");
        } else {
            let linked = absolute != real;
            let real = linked.then_some(real);
            walker.found.push(Found { path: absolute, real, linked, explicit: true, reported: true });
        }
    }
    walker.reporting = false;
    let mut walked: Vec<PathBuf> = walker.entered.clone();
    for root in known {
        // Roots come before what lies in them.
        if !walked.iter().any(|above| root.starts_with(above)) {
            walker.directory(&root, &root);
            walked.push(root);
        }
    }
    Ok(walker.finish())
}

/// `path` from the file system's root. What comes before a `..` is resolved by the file system, because it may be a
/// link.
fn absolute(path: &Path, cwd: &Path) -> PathBuf {
    let joined = cwd.join(path);
    let components: Vec<Component<'_>> = joined.components().collect();
    match components.iter().rposition(|component| matches!(component, Component::ParentDir)) {
        None => components.into_iter().collect(),
        Some(last) => {
            let before: PathBuf = components[..=last].iter().collect();
            let mut path = fs::canonicalize(&before).unwrap_or_else(|_| clean(&before));
            path.extend(&components[last + 1..]);
            path
        }
    }
}

struct Found {
    path: PathBuf,
    /// The path without links, where that is another one.
    real: Option<PathBuf>,
    /// Reached through a link.
    linked: bool,
    explicit: bool,
    reported: bool,
}

impl Found {
    fn real(&self) -> &Path {
        self.real.as_deref().unwrap_or(&self.path)
    }
}

struct Walker<'a> {
    options: &'a WalkOptions,
    wanted: Wanted,
    /// The rules above a folder, and whether they ignore it.
    rules: FxHashMap<PathBuf, (IgnoreRules, bool)>,
    found: Vec<Found>,
    manifests: Vec<PathBuf>,
    notices: Vec<Notice>,
    /// Folders that were walked, without links.
    entered: Vec<PathBuf>,
    /// What is found now is reported on.
    reporting: bool,
    /// Where links may lead: the repository of each walked folder, or the folder itself.
    roots: Vec<PathBuf>,
    /// Links and where they lead; decided when all roots are known.
    leaving: Vec<(PathBuf, PathBuf, bool)>,
}

impl<'a> Walker<'a> {
    fn new(options: &'a WalkOptions, wanted: Wanted) -> Self {
        Self {
            options,
            wanted,
            rules: FxHashMap::default(),
            found: Vec::new(),
            manifests: Vec::new(),
            notices: Vec::new(),
            entered: Vec::new(),
            reporting: true,
            roots: Vec::new(),
            leaving: Vec::new(),
        }
    }

    fn notice(&mut self, path: &Path, message: impl Into<String>) {
        if !self.reporting {
            return;
        }
        let path = shown(path, &self.options.cwd);
        self.notices.push(Notice { path, kind: NoticeKind::NotInspected, message: message.into() });
    }

    fn rules_above(&mut self, directory: &Path) -> &(IgnoreRules, bool) {
        match self.rules.entry(directory.to_path_buf()) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let above = IgnoreRules::above(directory);
                entry.insert(above)
            }
        }
    }

    /// Whether a walk from further up would not have come here.
    fn is_excluded(&mut self, real: &Path, is_directory: bool) -> bool {
        let below = real.strip_prefix(&self.options.cwd).unwrap_or(real);
        let folders = if is_directory { Some(below) } else { below.parent() };
        if folders.is_some_and(|folders| folders.iter().any(is_tool_folder)) {
            return true;
        }
        if is_directory {
            return self.rules_above(real).1;
        }
        let Some(parent) = real.parent() else { return false };
        let (above, ignored) = self.rules_above(parent);
        let mut rules = above.clone();
        *ignored || {
            rules.enter(parent, 0);
            rules.ignores(real, false)
        }
    }

    fn directory(&mut self, given: &Path, real: &Path) {
        self.entered.push(real.to_path_buf());
        let (above, ignored) = self.rules_above(real);
        let (mut rules, ignored) = (above.clone(), *ignored);
        if ignored {
            rules.forget();
        }
        // Below here nothing is a link, so that the walked path is a file's identity without asking the file system.
        let renamed = given != real;
        let mut entries = WalkDir::new(real).sort_by_file_name().into_iter();
        while let Some(entry) = entries.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let path = error.path().unwrap_or(real).to_path_buf();
                    let reason = error.io_error().map_or_else(|| error.to_string(), |error| error.to_string());
                    self.notice(&path, format!("cannot be read: {reason}"));
                    continue;
                }
            };
            let (path, depth, kind) = (entry.path(), entry.depth(), entry.file_type());
            rules.leave(depth);
            if kind.is_dir() {
                let name = entry.file_name();
                if depth > 0 && (is_tool_folder(name) || rules.ignores(path, true) || is_output(name, path)) {
                    entries.skip_current_dir();
                } else {
                    rules.enter(path, depth);
                    if depth == 0 {
                        self.roots.push(rules.repository().unwrap_or(real).to_path_buf());
                    }
                }
                continue;
            }
            if kind.is_file() && entry.file_name() == MANIFEST {
                self.manifests.push(path.to_path_buf());
            }
            let is_link = kind.is_symlink();
            let is_wanted = is_link || (kind.is_file() && (self.wanted.walked)(path));
            if !is_wanted || rules.ignores(path, false) {
                continue;
            }
            let as_given = |path: PathBuf| match path.strip_prefix(real) {
                Ok(below) if renamed => given.join(below),
                _ => path,
            };
            if is_link {
                self.link(as_given(path.to_path_buf()), path);
            } else {
                let path = entry.into_path();
                let real = renamed.then(|| path.clone());
                let (path, reported) = (as_given(path), self.reporting);
                self.found.push(Found { path, real, linked: renamed, explicit: false, reported });
            }
        }
        for (path, reason) in std::mem::take(&mut rules.problems).into_iter().filter(|_| self.reporting) {
            let path = shown(&path, &self.options.cwd);
            let message = format!("ignore rules cannot be read: {reason}");
            self.notices.push(Notice { path, kind: NoticeKind::Config, message });
        }
    }

    /// A link on the way. One that leads nowhere is left alone, as is one into dependencies.
    fn link(&mut self, shown: PathBuf, path: &Path) {
        let Ok(target) = fs::canonicalize(path) else { return };
        let Ok(metadata) = fs::metadata(&target) else { return };
        if metadata.is_dir() {
            self.leaving.push((shown, target, self.reporting));
        } else if metadata.is_file() && (self.wanted.walked)(path) && !target.iter().any(|name| name == "node_modules")
        {
            self.leaving.push((shown.clone(), target.clone(), self.reporting));
            let reported = self.reporting;
            self.found.push(Found { path: shown, real: Some(target), linked: true, explicit: false, reported });
        }
    }

    fn finish(mut self) -> Walk {
        let leaving = std::mem::take(&mut self.leaving);
        let roots = std::mem::take(&mut self.roots);
        let stays = |target: &Path| roots.iter().any(|root| target.starts_with(root));
        for (path, target, reported) in &leaving {
            if *reported && !stays(target) {
                self.reporting = true;
                let target = shown(target, &self.options.cwd);
                self.notice(path, format!("a link out of the project, to {target}; not followed"));
            }
        }
        if !leaving.is_empty() {
            self.found.retain(|found| found.explicit || !found.linked || stays(found.real()));
        }
        // Of several paths to a file the one without a link is kept, else the first.
        if self.found.iter().any(|found| found.explicit) || self.entered.len() > 1 || !leaving.is_empty() {
            self.found.sort_by(|a, b| (a.real(), a.linked, &a.path).cmp(&(b.real(), b.linked, &b.path)));
            self.found.dedup_by(|next, kept| {
                let same = next.real() == kept.real();
                kept.explicit |= same && next.explicit;
                kept.reported |= same && next.reported;
                same
            });
        }
        // `Path` compares component by component, which is byte order with the separator first.
        self.found.sort_by(|a, b| a.path.cmp(&b.path));
        self.notices.sort_unstable();
        self.notices.dedup();
        self.manifests.sort_unstable();
        self.manifests.dedup();
        let files = self
            .found
            .into_iter()
            .map(|Found { path, explicit, reported, .. }| FoundFile { path, explicit, reported })
            .collect();
        Walk { files, manifests: self.manifests, notices: self.notices }
    }
}

#[cfg(test)]
#[path = "walk_tests.rs"]
mod tests;
