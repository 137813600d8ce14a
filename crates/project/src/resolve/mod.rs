//! Which file of the project an import means.
//!
//! Answered like TypeScript, Node and the bundlers do where they agree, and for a checkout as it is before anything was
//! installed or built: a workspace's package is found by its name, and where its package.json points at build output,
//! the source is meant. Where tools disagree, the more generous one is followed; a path that no tool would take leads
//! to a file only by accident, while a link that is not found hides code from the rules.
//!
//! | file | job |
//! | --- | --- |
//! | `lookup` | a path → the file: extensions, index files |
//! | `tsconfig`, `configs` | `paths`, `baseUrl`, `extends`, `references` |
//! | `frameworks` | `$lib`, `~/` where no tsconfig.json says so yet |
//! | `packages`, `exports` | workspace packages, self-references, `#imports` |
//! | `output` | build output → source |

mod configs;
mod exports;
mod frameworks;
mod lookup;
mod output;
mod packages;
#[cfg(test)]
mod tests;
mod tsconfig;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use agentcheck_catalog::Catalog;
use agentcheck_lint::Notice;
use agentcheck_syntax::FileId;
use rustc_hash::FxHashMap;

use crate::files::Files;
use crate::lockfile::Tracked;
use crate::memo::Memo;
use crate::paths::clean;
use crate::problem::Problem;
use crate::sources::{Folder, Sources};

use lookup::Lookup;
use output::{may_be_output, sources_of};
use packages::{Package, installed_root, is_builtin, split_name};
use tsconfig::{Config, Written};

/// No import that somebody wrote is longer.
const LONGEST_SPECIFIER: usize = 1024;

/// Answers which file of the project an import means. One for a whole run; threads share it.
pub struct ModuleResolver<'a> {
    files: &'a dyn Files,
    sources: Sources<'a>,
    lookup: Lookup<'a>,
    /// Folder of importing files as given → what is known of it.
    places: Memo<OsString, Arc<Place>>,
    homes: Memo<PathBuf, Arc<Home>>,
    packages: Memo<PathBuf, Option<Arc<Package>>>,
    /// Folder → the configuration file in it.
    config_in: Memo<OsString, Option<PathBuf>>,
    written: Memo<OsString, Option<Arc<Written>>>,
    configs: Memo<OsString, Arc<Config>>,
    notices: Mutex<BTreeSet<Notice>>,
}

/// What the imports of all files in a folder have in common.
struct Place {
    /// The folder without links. Everything is resolved from here, as Node and TypeScript do.
    real: PathBuf,
    /// When the folder was reached through a link: it and those above it, as given and without links.
    linked: Vec<(PathBuf, PathBuf)>,
    configs: Vec<Arc<Config>>,
    home: Arc<Home>,
    /// Specifier that is no path → the file. Files of a folder import the same.
    bare: Memo<String, Option<PathBuf>>,
}

/// A folder with a package.json or `node_modules`, and what names mean in it.
struct Home {
    folder: Option<Arc<Folder>>,
    /// Specifier of a package or of a file in it → the file. The same few are asked for from every file.
    named: Memo<String, Option<PathBuf>>,
}

impl Home {
    /// The folders at and above this one that hold a package.
    fn manifests(&self) -> impl Iterator<Item = &Folder> {
        let folders = self.folder.iter().flat_map(|folder| folder.upward());
        folders.filter(|folder| folder.manifest.is_some())
    }
}

impl<'a> ModuleResolver<'a> {
    /// A resolver for a run in `cwd`: importing files may be given relative to it.
    pub fn new(files: &'a dyn Files, cwd: &Path) -> Self {
        Self {
            files,
            // No lockfile is read, so that no package needs to be looked for in one.
            sources: Sources::new(files, Tracked::new(&Catalog::default()), cwd),
            lookup: Lookup::new(files),
            places: Memo::default(),
            homes: Memo::default(),
            packages: Memo::default(),
            config_in: Memo::default(),
            written: Memo::default(),
            configs: Memo::default(),
            notices: Mutex::default(),
        }
    }

    /// The same, for a run that found these files: they are resolved without asking the disk again.
    pub fn with_found(self, found: &'a FxHashMap<PathBuf, FileId>) -> Self {
        Self { lookup: self.lookup.with_found(found), ..self }
    }

    /// The source file of the project that `from` means by `specifier`: absolute, and spelled as a walk that found
    /// `from` spells it. `None` for packages from elsewhere, modules of the platform, declarations and what is no code.
    pub fn resolve(&self, from: &Path, specifier: &str) -> Option<PathBuf> {
        // What a bundler does with `./x?raw` or `loader!./x` is not to run the file.
        if specifier.is_empty() || specifier.len() > LONGEST_SPECIFIER || specifier.contains(['?', '!', '\0', '\\']) {
            return None;
        }
        let from = self.sources.absolute(from);
        let place = self.place(from.parent()?);
        let real = if specifier.starts_with('/') || is_relative(specifier) {
            self.path(&place.real.join(specifier), specifier)
        } else {
            place.bare.get(specifier, || self.bare(&place, specifier))
        }?;
        // A relative path, an alias or a link may lead into somebody else's package; one's own stays one's own.
        let is_foreign = installed_root(&real).is_some_and(|root| !place.real.starts_with(root));
        (!is_foreign).then(|| place.spelled(real))
    }

    /// What could not be read so far: sorted, each once.
    pub fn notices(&self) -> Vec<Notice> {
        let mut notices: BTreeSet<Notice> = self.sources.notices().into_iter().collect();
        notices.extend(self.notices.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned());
        notices.into_iter().collect()
    }

    fn report(&self, path: &Path, problem: Problem) {
        let notice = problem.notice(self.sources.shown(path));
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).insert(notice);
    }

    fn place(&self, folder: &Path) -> Arc<Place> {
        self.places.get(folder.as_os_str(), || {
            let real = self.files.canonical(folder);
            let with_links = |above: &Path| (above.to_path_buf(), self.files.canonical(above));
            let linked = if real == folder { Vec::new() } else { folder.ancestors().map(with_links).collect() };
            // Asked for as the folder of a file in it.
            let home = self.home(self.sources.folder_of(&real.join("file")));
            Arc::new(Place { configs: self.configs_of(&real), real, linked, home, bare: Memo::default() })
        })
    }

    fn home(&self, folder: Option<Arc<Folder>>) -> Arc<Home> {
        let path = folder.as_ref().map_or(Path::new(""), |folder| &folder.path).to_path_buf();
        self.homes.get(&path, || Arc::new(Home { folder, named: Memo::default() }))
    }

    /// The file that a path means. How it was `written` tells whether only a folder can be meant.
    fn path(&self, path: &Path, written: &str) -> Option<PathBuf> {
        let path = clean(path);
        let is_folder = matches!(written, "." | "..") || ["/", "/.", "/.."].iter().any(|end| written.ends_with(end));
        let file = if is_folder { None } else { self.lookup.file(&path) };
        file.or_else(|| self.file_of_folder(&path)).or_else(|| self.source_of_missing(&path))
    }

    /// The source of build output that is not there, named by its path: tests and examples do so.
    fn source_of_missing(&self, path: &Path) -> Option<PathBuf> {
        // Asked first: almost nothing that is not there is called like this, and what follows looks at the disk.
        let folder = may_be_output(path).then(|| self.sources.folder_of(path))??;
        let root = folder.upward().find(|folder| folder.manifest.is_some())?;
        let candidates = sources_of(&root.path, path);
        candidates.iter().filter(|candidate| candidate.in_src).find_map(|candidate| self.source_at(&candidate.path))
    }

    /// The file that a specifier means which is no path: an alias, or a package.
    fn bare(&self, place: &Place, specifier: &str) -> Option<PathBuf> {
        let by_config = place.configs.iter().flat_map(|config| config.candidates(specifier));
        if let Some(file) = by_config.into_iter().find_map(|path| self.path(&path, specifier)) {
            return Some(file);
        }
        let root = place.home.manifests().find(|folder| !is_marker(folder));
        if let Some(root) = root {
            let config = place.configs.first().map(Arc::as_ref);
            let by_framework = frameworks::candidates(&self.lookup, &root.path, config, specifier);
            if let Some(file) = by_framework.iter().find_map(|path| self.path(path, specifier)) {
                return Some(file);
            }
        }
        if specifier.starts_with('#') {
            return self.internal(place, specifier);
        }
        self.in_package(place, specifier)
    }

    /// The file that `imports` of the package around `place` says.
    fn internal(&self, place: &Place, specifier: &str) -> Option<PathBuf> {
        let packages = place.home.manifests().filter_map(|folder| Some((folder, self.package(&folder.path)?)));
        // A package.json that only marks a folder as ESM hides no package.
        let is_own = |(folder, package): &(&Folder, Arc<Package>)| !package.imports.is_empty() || !is_marker(folder);
        let (_, package) = packages.into_iter().find(is_own)?;
        package.imports.targets(specifier)?.iter().find_map(|target| {
            if is_relative(target) {
                self.source_of(&package.folder, &package.inside(target)?)
            } else {
                self.in_package(place, target)
            }
        })
    }

    /// The file that a package's name and what follows it mean.
    fn in_package(&self, place: &Place, specifier: &str) -> Option<PathBuf> {
        let (name, sub) = split_name(specifier).filter(|_| !is_builtin(specifier))?;
        place.home.named.get(specifier, || {
            let package = self.named_package(place.home.folder.as_deref()?, name)?;
            self.file_of_package(&package, sub)
        })
    }
}

impl Place {
    /// `real` as it looks from here: below the nearest folder that holds both.
    fn spelled(&self, real: PathBuf) -> PathBuf {
        let below = |(given, above): &(PathBuf, PathBuf)| Some(given.join(real.strip_prefix(above).ok()?));
        self.linked.iter().find_map(below).unwrap_or(real)
    }
}

fn is_relative(specifier: &str) -> bool {
    matches!(specifier, "." | "..") || specifier.starts_with("./") || specifier.starts_with("../")
}

fn is_marker(folder: &Folder) -> bool {
    folder.manifest.as_ref().is_none_or(|manifest| manifest.is_marker())
}
