//! Which versions of a package the code in a file runs with.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentcheck_catalog::{Alias, Catalog, Package, Release, Version, Versions};
use agentcheck_lint::Notice;
use agentcheck_model::{Evidence, VersionSource};
use rustc_hash::FxHashMap;

use crate::files::Files;
use crate::lockfile::{At, Query, Tracked};
use crate::manifest::Declaration;
use crate::memo::Memo;
use crate::paths::{clean, relative};
use crate::sources::{Folder, Sources};
use crate::spec::{Spec, satisfies, spans_majors, versions_of_range};

/// Answers which versions of a package a file's code runs with. One for a whole run; threads share it.
///
/// In this order: a given target; the package itself, for its own files; what is installed, looked up like Node does;
/// the lockfile that the declaring manifest belongs to; the workspace's own package; the declared range; and if nobody
/// says anything, every release that the tables can tell apart. Two rules keep the obvious from being wrong:
///
/// - An installation further up than the declaring manifest counts only if it satisfies the declared range. Otherwise
///   it belongs to another project, and this one is just not installed.
/// - A library's peer range over several majors stands for all of them: that is what it promises to its users. Its tests
///   and examples run with what is installed here.
pub struct VersionResolver<'a> {
    catalog: &'a Catalog,
    sources: Sources<'a>,
    targets: FxHashMap<String, Arc<Evidence>>,
    assumed: Memo<String, Arc<Evidence>>,
    raise: bool,
}

/// A package.json that declares packages whose versions matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurveyedManifest {
    /// As a path to show.
    pub path: String,
    /// Sorted by the declared name.
    pub packages: Vec<SurveyedPackage>,
}

/// What is known of one declared package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurveyedPackage {
    /// The declared name; another than the package's for an alias.
    pub dependency: String,
    pub evidence: Arc<Evidence>,
}

/// How the nearest manifest that declares a dependency does so.
struct Declared<'f> {
    folder: &'f Folder,
    declaration: Declaration<'f>,
    /// The declared text, or what the catalog says.
    text: String,
    /// The file that says it.
    file: PathBuf,
}

/// One version, and the file that says so.
struct Exact {
    version: Version,
    file: PathBuf,
    source: VersionSource,
}

impl<'a> VersionResolver<'a> {
    /// A resolver for the packages of `catalog`. Of several targets for a package the last counts.
    pub fn new(files: &'a dyn Files, catalog: &'a Catalog, targets: Vec<(String, Version)>, cwd: &Path) -> Self {
        let target = |(package, version): (String, Version)| {
            let known = catalog.package(&package);
            let evidence = evidence(&package, known, Versions::exact(version), None, VersionSource::Target, None);
            (package, evidence)
        };
        Self {
            catalog,
            sources: Sources::new(files, Tracked::new(catalog), cwd),
            targets: targets.into_iter().map(target).collect(),
            assumed: Memo::default(),
            raise: false,
        }
    }

    /// Targets count only where an older version is found, or none.
    pub fn raising(mut self, raise: bool) -> Self {
        self.raise = raise;
        self
    }

    /// What is known of `package` for the code in `file`.
    pub fn evidence(&self, file: &Path, package: &str) -> Arc<Evidence> {
        self.evidence_for(file, package, package)
    }

    /// What is known of `package` for the code in `file`, which imports it as `dependency`: see
    /// [`VersionResolver::alias`].
    pub fn evidence_for(&self, file: &Path, dependency: &str, package: &str) -> Arc<Evidence> {
        let evidence = |folder: Option<&Folder>, for_users| match (self.targets.get(package), folder) {
            (Some(target), Some(folder)) if self.raise => {
                let found = self.decide(folder, dependency, package, for_users);
                let is_older = found.versions.members()[0].release < target.versions.newest().release;
                if is_older { Arc::clone(target) } else { found }
            }
            (Some(target), _) => Arc::clone(target),
            (None, Some(folder)) => self.decide(folder, dependency, package, for_users),
            (None, None) => self.assumed(package),
        };
        let Some(folder) = self.sources.folder_of(file) else { return evidence(None, true) };
        let found = |for_users: bool| {
            if dependency == package && for_users {
                return folder.evidence.get(package, || evidence(Some(&folder), true));
            }
            // No package name holds a line break.
            let key = format!("{dependency}\n{package}\n{for_users}");
            let named = || Evidence { dependency: dependency.into(), ..(*evidence(Some(&folder), for_users)).clone() };
            folder.evidence.get(&key, || Arc::new(named()))
        };
        let promised = found(true);
        if promised.promised && stays_here(file.strip_prefix(&folder.path).unwrap_or(file)) {
            return found(false);
        }
        promised
    }

    /// The package that `file` means by the name `dependency`, if that is another one: `"ai5": "npm:ai@^5"`.
    pub fn alias(&self, file: &Path, dependency: &str) -> Option<String> {
        let folder = self.sources.folder_of(file)?;
        let declared = declaring(&folder, dependency)?;
        let (text, _) = self.through_catalog(declared.0, declared.1.installs, dependency);
        real_package(&text).filter(|real| *real != dependency).map(str::to_owned)
    }

    /// The other names that these package.json files give to packages of the catalog, each once.
    pub fn aliases(&self, manifests: &[PathBuf]) -> Vec<Alias> {
        let mut aliases = BTreeSet::new();
        // Most manifests of a large repository have none and need not be read as JSON.
        for path in manifests.iter().filter(|path| self.sources.mentions(path, b"npm:")) {
            let Some(manifest) = self.sources.manifest(path) else { continue };
            for (name, text) in manifest.declared() {
                let package = real_package(text).filter(|real| *real != name && self.catalog.package(real).is_some());
                aliases.extend(package.map(|package| Alias { name: name.to_owned(), package: package.to_owned() }));
            }
        }
        aliases.into_iter().collect()
    }

    /// What could not be read so far: sorted, each once.
    pub fn notices(&self) -> Vec<Notice> {
        self.sources.notices()
    }

    /// For each of these package.json files that declares a package whose versions matter: what is known of those
    /// packages.
    pub fn survey(&self, manifests: &[PathBuf]) -> Vec<SurveyedManifest> {
        let mut surveyed = Vec::new();
        for path in manifests {
            let Some(manifest) = self.sources.manifest(&self.sources.absolute(path)) else { continue };
            let mut packages: Vec<SurveyedPackage> = Vec::new();
            for (dependency, _) in manifest.declared() {
                let package = self.alias(path, dependency).unwrap_or_else(|| dependency.to_owned());
                if self.sources.tracked().has(&package) {
                    let evidence = self.evidence_for(path, dependency, &package);
                    packages.push(SurveyedPackage { dependency: dependency.to_owned(), evidence });
                }
            }
            packages.sort_by(|a, b| a.dependency.cmp(&b.dependency));
            packages.dedup_by(|a, b| a.dependency == b.dependency);
            if !packages.is_empty() {
                surveyed.push(SurveyedManifest { path: self.sources.shown(&self.sources.absolute(path)), packages });
            }
        }
        surveyed
    }

    /// What is known in a folder: for code that a library hands to its users, or for code that stays in the project.
    fn decide(&self, folder: &Folder, dependency: &str, package: &str, for_users: bool) -> Arc<Evidence> {
        let known = self.catalog.package(package);
        let evidence = |versions, range, source, file: &Path| {
            evidence(package, known, versions, range, source, Some(self.sources.shown(file)))
        };
        if let Some(own) = own_version(folder, package) {
            return evidence(Versions::exact(own.version), None, own.source, &own.file);
        }
        let is_package = |declared: &Declared<'_>| real_package(&declared.text).is_none_or(|real| real == package);
        let declared = self.declared(folder, dependency).filter(is_package);
        let range = declared.as_ref().map(|declared| shown_range(&declared.text).to_owned());

        let installed = self.installed(folder, dependency, package, declared.as_ref());
        let exact = installed.or_else(|| self.locked(declared.as_ref()?, dependency, package));
        if let (Some(declared), Some(known)) = (&declared, known)
            && let Some((promise, versions)) = self.promised(declared, dependency, known)
            && (for_users || exact.is_none())
        {
            let installed = exact.into_iter().map(|exact| exact.version);
            let members = versions.members().iter().cloned().chain(installed).collect();
            let versions = Versions::of(members).unwrap_or(versions);
            let manifest = declared.folder.path.join("package.json");
            let evidence = evidence(versions, Some(promise), VersionSource::Manifest, &manifest);
            return Arc::new(Evidence { promised: true, ..(*evidence).clone() });
        }
        if let Some(exact) = exact {
            return evidence(Versions::exact(exact.version), range, exact.source, &exact.file);
        }
        let by_text = declared.as_ref().zip(known).and_then(|(declared, known)| self.by_text(declared, known));
        match (by_text, range) {
            (Some((versions, file)), range) => evidence(versions, range, VersionSource::Manifest, &file),
            (None, None) => self.assumed(package),
            // A tag or an address: worth showing, but any version may be behind it.
            (None, range) => Arc::new(Evidence { range, ..(*self.assumed(package)).clone() }),
        }
    }

    fn assumed(&self, package: &str) -> Arc<Evidence> {
        self.assumed.get(package, || {
            let known = self.catalog.package(package);
            let releases = known.map(Package::known).unwrap_or_default();
            let versions = Versions::of(releases.into_iter().map(Version::from).collect());
            // A package that the tables do not know: no claim is made about it.
            let versions = versions.unwrap_or_else(|| Versions::exact(Release::new(0, 0, 0).into()));
            evidence(package, known, versions, None, VersionSource::Assumed, None)
        })
    }

    fn declared<'f>(&self, folder: &'f Folder, dependency: &str) -> Option<Declared<'f>> {
        let (folder, declaration) = declaring(folder, dependency)?;
        let (text, catalog) = self.through_catalog(folder, declaration.installs, dependency);
        let file = catalog.unwrap_or_else(|| folder.path.join("package.json"));
        Some(Declared { folder, declaration, text, file })
    }

    /// The text itself, or what the catalog that it names says, and where that is written.
    fn through_catalog(&self, folder: &Folder, text: &str, dependency: &str) -> (String, Option<PathBuf>) {
        let Spec::Catalog(name) = Spec::parse(text) else { return (text.to_owned(), None) };
        let found = self.sources.workspaces_of(&folder.path).find_map(|workspace| {
            let text = workspace.catalogs.get(name.trim(), dependency)?.to_owned();
            Some((text, Some(workspace.definition.clone())))
        });
        found.unwrap_or_else(|| (text.to_owned(), None))
    }

    /// The nearest installation. The first `node_modules` that has the name decides, as it does for Node.
    fn installed(
        &self,
        folder: &Folder,
        dependency: &str,
        package: &str,
        declared: Option<&Declared<'_>>,
    ) -> Option<Exact> {
        if !is_package_name(dependency) {
            return None;
        }
        let (at, file, manifest) = folder.upward().filter(|folder| folder.has_node_modules).find_map(|folder| {
            let file = folder.path.join("node_modules").join(dependency).join("package.json");
            let manifest = self.sources.manifest(&file)?;
            Some((folder, file, manifest))
        })?;
        let version: Version = manifest.version.as_deref()?.parse().ok()?;
        if manifest.name.as_deref().is_some_and(|name| name != package) {
            return None;
        }
        if let Some(declared) = declared
            && declared.folder.path != at.path
            && declared.folder.path.starts_with(&at.path)
            && satisfies(&version, shown_range(&declared.text)) == Some(false)
        {
            return None;
        }
        Some(Exact { version, file, source: VersionSource::NodeModules })
    }

    /// What the nearest lockfile says that knows of the declaring manifest.
    fn locked(&self, declared: &Declared<'_>, dependency: &str, package: &str) -> Option<Exact> {
        for directory in declared.folder.path.ancestors() {
            let Some(importer) = relative(&declared.folder.path, directory) else { continue };
            for (path, format) in self.sources.lockfiles_in(directory).iter() {
                let Some(lockfile) = self.sources.lockfile(path, *format) else { continue };
                let is_listed = || self.sources.workspace_at(directory).is_some_and(|root| root.has(&importer));
                if !lockfile.knows_its_folders() && !importer.is_empty() && !is_listed() {
                    continue;
                }
                let query = Query {
                    importer: &importer,
                    dependency,
                    declared: declared.declaration.installs.trim(),
                    spec: declared.text.trim(),
                };
                let Some(locked) = lockfile.find(query).filter(|locked| locked.package == package) else { continue };
                match locked.at {
                    At::Version(version) => {
                        return Some(Exact { version, file: path.clone(), source: VersionSource::Lockfile });
                    }
                    At::Directory(folder) => {
                        if let Some(exact) = self.version_in(&directory.join(folder), package) {
                            return Some(exact);
                        }
                    }
                }
            }
        }
        None
    }

    /// The version of the package that lies in a folder of the project.
    fn version_in(&self, folder: &Path, package: &str) -> Option<Exact> {
        let file = clean(folder).join("package.json");
        let manifest = self.sources.manifest(&file)?;
        if manifest.name.as_deref().is_some_and(|name| name != package) {
            return None;
        }
        let version = manifest.version.as_deref()?.parse().ok()?;
        Some(Exact { version, file, source: VersionSource::Manifest })
    }

    /// What the declared text alone says.
    fn by_text(&self, declared: &Declared<'_>, package: &Package) -> Option<(Versions, PathBuf)> {
        let of_range = |range| Some((versions_of_range(range, package)?, declared.file.clone()));
        let in_folder = |path: &str| {
            let exact = self.version_in(&declared.folder.path.join(path), &package.name)?;
            Some((Versions::exact(exact.version), exact.file))
        };
        match Spec::parse(&declared.text) {
            Spec::Range(range) => of_range(range),
            Spec::Alias { spec, .. } => match Spec::parse(spec) {
                Spec::Range(range) => of_range(range),
                _ => None,
            },
            Spec::Directory(path) => in_folder(path),
            Spec::Workspace(path) if path.starts_with(['.', '/']) => in_folder(path),
            Spec::Workspace(range) => {
                let member = self.sources.workspaces_of(&declared.folder.path).find_map(|workspace| {
                    let folder = self.sources.member(&workspace, &package.name)?;
                    self.version_in(&folder, &package.name)
                });
                match (member, Spec::parse(range)) {
                    (Some(exact), _) => Some((Versions::exact(exact.version), exact.file)),
                    (None, Spec::Range(range)) if range.contains(|c: char| c.is_ascii_digit()) => of_range(range),
                    (None, _) => None,
                }
            }
            Spec::Catalog(_) | Spec::Unknown => None,
        }
    }

    /// The peer range, if it is open to several majors.
    fn promised(&self, declared: &Declared<'_>, dependency: &str, package: &Package) -> Option<(String, Versions)> {
        let (text, _) = self.through_catalog(declared.folder, declared.declaration.promises?, dependency);
        let Spec::Range(range) = Spec::parse(&text) else { return None };
        let versions = versions_of_range(range, package).filter(spans_majors)?;
        Some((range.to_owned(), versions))
    }
}

fn evidence(
    package: &str,
    known: Option<&Package>,
    versions: Versions,
    range: Option<String>,
    source: VersionSource,
    file: Option<String>,
) -> Arc<Evidence> {
    let beyond_known = known.is_some_and(|known| known.is_newer_than_known(versions.newest().release));
    Arc::new(Evidence {
        package: package.into(),
        dependency: package.into(),
        versions,
        range,
        source,
        file: file.map(Into::into),
        beyond_known,
        promised: false,
    })
}

/// The nearest manifest that declares a dependency; those that do not are passed over.
fn declaring<'f>(folder: &'f Folder, dependency: &str) -> Option<(&'f Folder, Declaration<'f>)> {
    folder.upward().find_map(|folder| Some((folder, folder.manifest.as_ref()?.declaration(dependency)?)))
}

/// The version of the package that the code itself belongs to. An application may be called like a package that it
/// uses; it then declares it, which no package does with itself.
fn own_version(folder: &Folder, package: &str) -> Option<Exact> {
    let own = |folder: &&Folder| folder.manifest.as_ref().is_some_and(|manifest| !manifest.is_marker());
    let folder = folder.upward().find(own)?;
    let manifest = folder.manifest.as_ref()?;
    if manifest.name.as_deref() != Some(package) || manifest.declaration(package).is_some() {
        return None;
    }
    let version = manifest.version.as_deref()?.parse().ok()?;
    Some(Exact { version, file: folder.path.join("package.json"), source: VersionSource::Manifest })
}

/// The package that a version text names, if it names one: `npm:ai@^5`, `workspace:ai@*`.
fn real_package(text: &str) -> Option<&str> {
    match Spec::parse(text) {
        Spec::Alias { package, .. } => Some(package),
        Spec::Workspace(rest) if !rest.starts_with(['.', '/']) => {
            let at = rest.rfind('@').filter(|at| *at > 0)?;
            Some(&rest[..at])
        }
        _ => None,
    }
}

/// The declared text without the name that an alias puts in front.
fn shown_range(text: &str) -> &str {
    match Spec::parse(text) {
        Spec::Alias { spec, .. } => spec,
        Spec::Range(range) => range,
        _ => text.trim(),
    }
}

/// Whether a file of a library is for those who work on it: it runs with what is installed here. `path` is relative to
/// the library's folder.
fn stays_here(path: &Path) -> bool {
    const FOLDERS: [&str; 9] =
        ["test", "tests", "__tests__", "spec", "e2e", "examples", "example", "benchmarks", "__mocks__"];
    const KINDS: [&str; 5] = ["test", "spec", "e2e", "stories", "config"];
    let folders = path.parent().into_iter().flat_map(Path::iter);
    let is_named = |name: &str| name.split('.').skip(1).any(|part| KINDS.contains(&part));
    folders.filter_map(OsStr::to_str).any(|name| FOLDERS.contains(&name))
        || path.file_name().and_then(OsStr::to_str).is_some_and(is_named)
}

/// Whether `name` stays inside `node_modules` when it is joined to it.
fn is_package_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['\\', '\0']) && name.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

#[cfg(test)]
#[path = "versions_tests.rs"]
mod tests;
