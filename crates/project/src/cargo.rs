//! Which versions of a crate the code in a Rust file runs with: Cargo.toml, the workspace around it, Cargo.lock.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use agentcheck_catalog::{Catalog, Ecosystem, Package, Version, Versions};
use agentcheck_lint::{Notice, NoticeKind};
use agentcheck_model::rust::RustPackage;
use agentcheck_model::{Evidence, VersionSource};
use rustc_hash::FxHashMap;
use toml::{Table, Value};

use crate::files::{Files, is_absent};
use crate::memo::Memo;
use crate::paths::{clean, shown};
use crate::spec::{satisfies, versions_of_range};

const MANIFEST: &str = "Cargo.toml";
const LOCKFILE: &str = "Cargo.lock";

/// No manifest or lockfile that somebody keeps is longer.
const LONGEST: u64 = 16 << 20;

/// The tables of a manifest that declare dependencies.
const TABLES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// Answers what is known of crates around a file. One for a whole run; threads share it.
pub(crate) struct CargoVersions<'a> {
    files: &'a dyn Files,
    catalog: &'a Catalog,
    cwd: PathBuf,
    /// `--target` and `[target]`.
    targets: Vec<(String, Version)>,
    crates: Memo<OsString, Option<Arc<Crate>>>,
    manifests: Memo<PathBuf, Option<Arc<Table>>>,
    locks: Memo<PathBuf, Option<Arc<Lock>>>,
    notices: Mutex<Vec<Notice>>,
}

/// A package of Rust, and what is known of the SDKs in it.
pub(crate) struct Crate {
    pub package: Arc<RustPackage>,
    /// Of the crates that the tables know, those that it declares.
    pub evidence: Vec<Arc<Evidence>>,
}

/// Name of a package → its versions in a lockfile.
type Lock = FxHashMap<String, Vec<Version>>;

/// A dependency as its manifest declares it.
struct Declared {
    /// The key of the table.
    key: String,
    package: String,
    requirement: Option<String>,
    /// Where it lies, for a package of the project itself.
    folder: Option<PathBuf>,
    /// The manifest that says the version.
    manifest: PathBuf,
}

impl<'a> CargoVersions<'a> {
    pub fn new(files: &'a dyn Files, catalog: &'a Catalog, targets: Vec<(String, Version)>, cwd: &Path) -> Self {
        Self {
            files,
            catalog,
            cwd: cwd.to_path_buf(),
            targets,
            crates: Memo::default(),
            manifests: Memo::default(),
            locks: Memo::default(),
            notices: Mutex::default(),
        }
    }

    /// The package that a file belongs to.
    pub fn crate_of(&self, file: &Path) -> Option<Arc<Crate>> {
        let folder = file.parent()?;
        self.crates.get(folder.as_os_str(), || {
            let is_package = |folder: &&Path| {
                self.manifest(&folder.join(MANIFEST)).is_some_and(|manifest| manifest.contains_key("package"))
            };
            let root = folder.ancestors().find(is_package)?;
            Some(Arc::new(self.read(root)?))
        })
    }

    /// Whether the package around a file declares a crate that the tables know: only then can a rule say anything.
    pub fn uses_sdk(&self, file: &Path) -> bool {
        self.crate_of(file).is_some_and(|found| !found.evidence.is_empty())
    }

    /// What could not be read so far.
    pub fn notices(&self) -> Vec<Notice> {
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner).clone();
        notices.sort();
        notices
    }

    fn report(&self, path: &Path, message: String) {
        let path = shown(path, &self.cwd);
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).push(Notice {
            path,
            kind: NoticeKind::Manifest,
            message,
        });
    }

    fn text(&self, path: &Path) -> Option<String> {
        let mut content = Vec::new();
        match self.files.read_into(path, LONGEST, &mut content) {
            Ok(()) => Some(String::from_utf8_lossy(&content).into_owned()),
            Err(error) => {
                if !is_absent(&error) {
                    self.report(path, format!("cannot be read: {error}"));
                }
                None
            }
        }
    }

    fn manifest(&self, path: &Path) -> Option<Arc<Table>> {
        self.manifests.get(path, || match self.text(path)?.parse::<Table>() {
            Ok(table) => Some(Arc::new(table)),
            Err(error) => {
                self.report(path, format!("no valid TOML: {}", error.message()));
                None
            }
        })
    }

    fn read(&self, root: &Path) -> Option<Crate> {
        let manifest = self.manifest(&root.join(MANIFEST))?;
        let named = |table: &str| manifest.get(table)?.get("name")?.as_str();
        let library = named("lib").or_else(|| named("package")).unwrap_or_default().replace('-', "_");
        let declared = self.declared(root, &manifest);
        let mut evidence: Vec<Arc<Evidence>> = Vec::new();
        let known = self.catalog.packages.iter().filter(|package| package.ecosystem == Ecosystem::Cargo);
        for package in known {
            if let Some(declared) = declared.iter().find(|declared| declared.package == package.name) {
                evidence.push(Arc::new(self.evidence(root, package, declared)));
            }
        }
        let mut dependencies = Vec::new();
        for declared in &declared {
            dependencies.push((declared.key.replace('-', "_"), declared.package.clone()));
        }
        // Up to 0.36 the library of rig-core was called `rig`.
        if declared.iter().all(|declared| declared.key != "rig") && declared.iter().any(|other| other.key == "rig-core")
        {
            dependencies.push(("rig".to_owned(), "rig-core".to_owned()));
        }
        let root = root.to_string_lossy().replace('\\', "/");
        Some(Crate { package: Arc::new(RustPackage { root, library, dependencies }), evidence })
    }

    /// Every dependency of a manifest, those for some platforms included.
    fn declared(&self, root: &Path, manifest: &Table) -> Vec<Declared> {
        let for_platforms = manifest
            .get("target")
            .and_then(Value::as_table)
            .into_iter()
            .flat_map(|targets| targets.values().filter_map(Value::as_table));
        let tables = std::iter::once(manifest)
            .chain(for_platforms)
            .flat_map(|table| TABLES.iter().filter_map(|name| table.get(*name)?.as_table()));
        let mut found = Vec::new();
        for (key, value) in tables.flatten() {
            let inherited = value.get("workspace").and_then(Value::as_bool) == Some(true);
            let from_workspace = inherited.then(|| self.in_workspace(root, key)).flatten();
            let (value, folder) = match &from_workspace {
                Some((value, folder)) => (value, folder.as_path()),
                None => (value, root),
            };
            let of = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
            let requirement = value.as_str().map(str::to_owned).or_else(|| of("version"));
            let package = of("package").unwrap_or_else(|| key.clone());
            let manifest = folder.join(MANIFEST);
            let folder = of("path").map(|path| clean(&folder.join(path)));
            found.push(Declared { key: key.clone(), package, requirement, folder, manifest });
        }
        found
    }

    /// What the workspace around a package says of a dependency, and the folder of its root.
    fn in_workspace(&self, root: &Path, key: &str) -> Option<(Value, PathBuf)> {
        root.ancestors().find_map(|folder| {
            let manifest = self.manifest(&folder.join(MANIFEST))?;
            let value = manifest.get("workspace")?.get("dependencies")?.get(key)?.clone();
            Some((value, folder.to_path_buf()))
        })
    }

    fn evidence(&self, root: &Path, package: &Package, declared: &Declared) -> Evidence {
        let range = declared.requirement.clone();
        let evidence = |versions: Versions, source, file: Option<&Path>| Evidence {
            package: package.name.as_str().into(),
            dependency: package.name.as_str().into(),
            beyond_known: package.is_newer_than_known(versions.newest().release),
            versions,
            range: range.clone(),
            source,
            file: file.map(|file| shown(file, &self.cwd).into()),
            promised: false,
        };
        if let Some((_, version)) = self.targets.iter().rev().find(|(name, _)| *name == package.name) {
            return evidence(Versions::exact(version.clone()), VersionSource::Target, None);
        }
        let requirement = declared.requirement.as_deref().map(as_range);
        if let Some((version, file)) = self.locked(root, &package.name, requirement.as_deref()) {
            return evidence(Versions::exact(version), VersionSource::Lockfile, Some(&file));
        }
        if let Some((version, file)) = declared.folder.as_deref().and_then(|folder| self.own_version(folder)) {
            return evidence(Versions::exact(version), VersionSource::Manifest, Some(&file));
        }
        match requirement.and_then(|range| versions_of_range(&range, package)) {
            Some(versions) => evidence(versions, VersionSource::Manifest, Some(&declared.manifest)),
            None => {
                let all = package.known().into_iter().map(Version::from).collect();
                let versions = Versions::of(all)
                    .unwrap_or_else(|| Versions::exact(agentcheck_catalog::Release::new(0, 0, 0).into()));
                evidence(versions, VersionSource::Assumed, None)
            }
        }
    }

    /// The version of a package of the project, which it may have from its workspace.
    fn own_version(&self, folder: &Path) -> Option<(Version, PathBuf)> {
        let path = folder.join(MANIFEST);
        let manifest = self.manifest(&path)?;
        let version = manifest.get("package")?.get("version")?;
        if let Some(text) = version.as_str() {
            return Some((text.parse().ok()?, path));
        }
        folder.ancestors().find_map(|folder| {
            let path = folder.join(MANIFEST);
            let manifest = self.manifest(&path)?;
            let version = manifest.get("workspace")?.get("package")?.get("version")?.as_str()?;
            Some((version.parse().ok()?, path))
        })
    }

    /// The version in the nearest lockfile that has the package. Of several the one that the manifest asks for.
    fn locked(&self, root: &Path, package: &str, range: Option<&str>) -> Option<(Version, PathBuf)> {
        root.ancestors().find_map(|folder| {
            let path = clean(&folder.join(LOCKFILE));
            let lock = self.locks.get(&path, || Some(Arc::new(read_lock(&self.text(&path)?))))?;
            let versions = lock.get(package)?;
            let fits = |version: &&Version| range.is_none_or(|range| satisfies(version, range) == Some(true));
            let version = versions.iter().filter(fits).max_by_key(|version| version.release);
            // A fork from a repository has whatever version it has.
            let version = version.or_else(|| versions.iter().max_by_key(|version| version.release))?;
            Some((version.clone(), path))
        })
    }
}

/// A requirement of Cargo as a range of npm: `1.2` means `^1.2`, and commas join.
fn as_range(requirement: &str) -> String {
    let comparator = |part: &str| {
        let part = part.trim();
        if part.starts_with(|first: char| first.is_ascii_digit()) { format!("^{part}") } else { part.to_owned() }
    };
    requirement.split(',').map(comparator).collect::<Vec<_>>().join(" ")
}

/// The packages of a lockfile. Read by lines, which a lockfile is written in: as TOML it takes twenty times as long.
fn read_lock(text: &str) -> Lock {
    let mut lock = Lock::default();
    let mut name = None;
    for line in text.lines() {
        let value = |key: &str| line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"');
        if let Some(found) = value("name") {
            name = Some(found);
        } else if let Some(version) = value("version")
            && let Some(name) = name.take()
            && let Ok(version) = version.parse()
        {
            lock.entry(name.to_owned()).or_default().push(version);
        }
    }
    lock
}

#[cfg(test)]
mod tests {
    use agentcheck_lint::builtin;

    use super::*;
    use crate::files::MemoryFiles;

    fn shown_evidence(files: &[(&str, &str)], file: &str) -> Vec<String> {
        let files: MemoryFiles = files.iter().map(|(path, text)| (format!("/repo/{path}"), *text)).collect();
        let cargo = CargoVersions::new(&files, builtin::catalog(), Vec::new(), Path::new("/repo"));
        let found = cargo.crate_of(&Path::new("/repo").join(file));
        let line = |evidence: &Arc<Evidence>| {
            let file = evidence.file.as_deref().unwrap_or("-");
            format!("{} {} {} {file}", evidence.package, evidence.shown_version(), evidence.source.name())
        };
        found.iter().flat_map(|found| found.evidence.iter().map(line)).collect()
    }

    #[test]
    fn reads_the_lockfile_for_what_the_manifest_declares() {
        let files = [
            (
                "Cargo.lock",
                "[[package]]\nname = \"rmcp\"\nversion = \"0.6.4\"\n\n[[package]]\nname = \"rmcp\"\nversion = \"3.11.0\"\n",
            ),
            ("Cargo.toml", "[workspace]\nmembers = [\"a\"]\n[workspace.dependencies]\nrmcp = { version = \"3\" }\n"),
            ("a/Cargo.toml", "[package]\nname = \"a\"\n[dependencies]\nrmcp.workspace = true\n"),
            (
                "b/Cargo.toml",
                "[package]\nname = \"b\"\n[dependencies]\nmcp = { package = \"rmcp\", version = \"0.6\" }\n",
            ),
            ("c/Cargo.toml", "[package]\nname = \"c\"\n[dependencies]\nserde = \"1\"\n"),
        ];
        assert_eq!(shown_evidence(&files, "a/src/lib.rs"), ["rmcp 3.11.0 lockfile Cargo.lock"]);
        assert_eq!(shown_evidence(&files, "b/src/deep/x.rs"), ["rmcp 0.6.4 lockfile Cargo.lock"]);
        assert!(shown_evidence(&files, "c/src/lib.rs").is_empty());
        assert!(shown_evidence(&files, "x.rs").is_empty());
    }

    #[test]
    fn without_a_lockfile_the_requirement_counts() {
        let manifest = "[package]\nname = \"a\"\n[target.'cfg(unix)'.dependencies]\nrmcp = \">=3.1, <4\"\n";
        assert_eq!(shown_evidence(&[("Cargo.toml", manifest)], "src/lib.rs"), ["rmcp >=3.1, <4 manifest Cargo.toml"]);
        let files = [
            ("Cargo.toml", "[workspace.package]\nversion = \"3.1.4\"\n"),
            ("rmcp/Cargo.toml", "[package]\nname = \"rmcp\"\nversion.workspace = true\n"),
            ("b/Cargo.toml", "[package]\nname = \"b\"\n[dependencies]\nrmcp = { path = \"../rmcp\" }\n"),
        ];
        assert_eq!(shown_evidence(&files, "b/src/main.rs"), ["rmcp 3.1.4 manifest Cargo.toml"]);
        assert_eq!(as_range("0.6"), "^0.6");
        assert_eq!(as_range(">=1, 1.4"), ">=1 ^1.4");
    }
}
