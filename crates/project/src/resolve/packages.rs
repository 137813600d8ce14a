//! Packages of the project: a name → the folder that it means here, and a subpath → the file in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::exports::Subpaths;
use super::output::sources_of;
use super::{ModuleResolver, is_marker};
use crate::files::FileKind;
use crate::json::{self, Json};
use crate::paths::clean;
use crate::problem::decode;
use crate::sources::Folder;
use crate::spec::{Spec, satisfies};

/// The fields of a package.json that say what an import of the package means.
#[derive(Debug, Default)]
pub(super) struct Package {
    pub folder: PathBuf,
    source: Option<String>,
    /// `module`, `main`, `types`, in the order in which they are tried.
    entries: Vec<String>,
    exports: Subpaths,
    pub imports: Subpaths,
    /// `tsconfig`: what is meant when a tsconfig.json extends the package by its bare name.
    pub tsconfig: Option<String>,
}

const ENTRIES: [&str; 4] = ["module", "main", "types", "typings"];

/// No package.json that somebody wrote is longer.
const LONGEST_MANIFEST: u64 = 8 * 1024 * 1024;

impl Package {
    fn parse(folder: &Path, text: &str) -> Self {
        let keep = |depth, name: &str| {
            depth > 0 || ENTRIES.contains(&name) || matches!(name, "source" | "exports" | "imports" | "tsconfig")
        };
        // What is wrong with the file is told where versions are read.
        let (json, _) = json::read(text, keep);
        let field = |name: &str| json.get(name).and_then(Json::text).map(str::to_owned);
        Self {
            folder: folder.to_path_buf(),
            source: field("source"),
            entries: ENTRIES.iter().filter_map(|name| field(name)).collect(),
            exports: json.get("exports").map(Subpaths::of_exports).unwrap_or_default(),
            imports: json.get("imports").map(Subpaths::of_imports).unwrap_or_default(),
            tsconfig: field("tsconfig"),
        }
    }

    /// What `exports` says of a subpath, as paths in the package.
    pub fn exported(&self, sub: &str) -> Option<Vec<PathBuf>> {
        let key = if sub.is_empty() { ".".to_owned() } else { format!("./{sub}") };
        let targets = self.exports.targets(&key)?;
        Some(targets.iter().filter_map(|target| self.inside(target)).collect())
    }

    /// A path in the package; none that leads out of it.
    pub fn inside(&self, target: &str) -> Option<PathBuf> {
        let path = clean(&self.folder.join(target));
        path.starts_with(&self.folder).then_some(path)
    }
}

/// What Node takes for itself, whatever package has the name too; with a slash behind it, the package is meant.
const BUILTINS: [&str; 35] = [
    "assert",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "domain",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "inspector",
    "module",
    "net",
    "os",
    "path",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "stream",
    "string_decoder",
    "timers",
    "tls",
    "url",
    "util",
    "vm",
    "zlib",
];

/// Whether `specifier` is a module of Node itself that a package could be mistaken for.
pub(super) fn is_builtin(specifier: &str) -> bool {
    BUILTINS.binary_search(&specifier).is_ok()
}

/// `@scope/name/sub/path` → the package's name and what follows. `None` when it can be no package.
pub(super) fn split_name(specifier: &str) -> Option<(&str, &str)> {
    let slashes = if specifier.starts_with('@') { 1 } else { 0 };
    let end = specifier.match_indices('/').nth(slashes).map_or(specifier.len(), |(at, _)| at);
    let (name, sub) = (&specifier[..end], specifier[end..].trim_matches('/'));
    let is_part = |part: &str| !matches!(part, "" | "@") && !part.starts_with('.');
    let is_name = name.split('/').count() == slashes + 1 && name.split('/').all(is_part) && !name.contains(':');
    let stays = sub.split('/').all(|part| !matches!(part, "." | ".."));
    (is_name && stays).then_some((name, sub))
}

/// The part of a path up to the innermost package in `node_modules`.
pub(super) fn installed_root(path: &Path) -> Option<PathBuf> {
    // Asked for every import; most have nothing to do with it.
    if !path.iter().any(|part| part == "node_modules") {
        return None;
    }
    let parts: Vec<_> = path.components().collect();
    let at = parts.iter().rposition(|part| part.as_os_str() == "node_modules")?;
    let is_scope = parts.get(at + 1).is_some_and(|part| part.as_os_str().as_encoded_bytes().starts_with(b"@"));
    let end = at + if is_scope { 3 } else { 2 };
    Some(parts[..end.min(parts.len())].iter().collect())
}

impl ModuleResolver<'_> {
    /// The package in `folder`, if it has a package.json.
    pub(super) fn package(&self, folder: &Path) -> Option<Arc<Package>> {
        self.packages.get(folder, || {
            let mut content = Vec::new();
            self.files.read_into(&folder.join("package.json"), LONGEST_MANIFEST, &mut content).ok()?;
            Some(Arc::new(Package::parse(folder, &decode(content, &mut Vec::new()))))
        })
    }

    /// The package of the project that code in `folder` means by `name`.
    pub(super) fn named_package(&self, folder: &Folder, name: &str) -> Option<Arc<Package>> {
        let found = self.folder_of_package(folder, name)?;
        let is_ours = installed_root(&found).is_none() && self.same_project(folder, &found);
        if is_ours { self.package(&found) } else { None }
    }

    /// The folder of the package that code in `folder` means by `name`, in the project or installed: the package
    /// itself, what is installed, and without an installation what package managers would link.
    pub(super) fn folder_of_package(&self, folder: &Folder, name: &str) -> Option<PathBuf> {
        let own = folder.upward().find(|folder| !is_marker(folder));
        if let Some((folder, manifest)) = own.and_then(|folder| Some((folder, folder.manifest.as_ref()?)))
            && manifest.name.as_deref() == Some(name)
            // An application may be called like a package that it uses.
            && manifest.declaration(name).is_none()
        {
            return Some(folder.path.clone());
        }
        let installed = folder.upward().filter(|folder| folder.has_node_modules).find_map(|folder| {
            let at = folder.path.join("node_modules").join(name);
            (self.files.kind(&at) == Some(FileKind::Directory)).then_some(at)
        });
        if let Some(at) = installed {
            return Some(self.files.canonical(&at));
        }
        let declaring =
            folder.upward().find_map(|folder| Some((folder, folder.manifest.as_ref()?.declaration(name)?.installs)));
        let Some((declaring, text)) = declaring else { return self.member(folder, name) };
        let text = self.through_catalog(declaring, text, name);
        let at = |path: &str| Some(self.files.canonical(&clean(&declaring.path.join(path))));
        match Spec::parse(&text) {
            Spec::Directory(path) => at(path.strip_prefix("//").unwrap_or(path)),
            Spec::Workspace(path) if path.starts_with(['.', '/']) => at(path),
            // `workspace:real-name@*`
            Spec::Workspace(rest) => match rest.rfind('@').filter(|at| *at > 0) {
                Some(end) => self.member(declaring, &rest[..end]),
                None => self.member(declaring, name),
            },
            Spec::Range(range) => {
                let member = self.member(declaring, name)?;
                let manifest = self.sources.manifest(&member.join("package.json"))?;
                let version = manifest.version.as_deref().and_then(|version| version.parse().ok());
                let is_meant = version.is_none_or(|version| satisfies(&version, range) != Some(false));
                is_meant.then_some(member)
            }
            Spec::Alias { .. } | Spec::Catalog(_) | Spec::Unknown => None,
        }
    }

    fn through_catalog(&self, folder: &Folder, text: &str, name: &str) -> String {
        let Spec::Catalog(catalog) = Spec::parse(text) else { return text.to_owned() };
        let shared = self
            .sources
            .workspaces_of(&folder.path)
            .find_map(|workspace| workspace.catalogs.get(catalog.trim(), name).map(str::to_owned));
        shared.unwrap_or_else(|| text.to_owned())
    }

    fn member(&self, folder: &Folder, name: &str) -> Option<PathBuf> {
        self.sources.workspaces_of(&folder.path).find_map(|workspace| self.sources.member(&workspace, name))
    }

    /// Whether `other` belongs to the project of `folder`: its repository, one of its workspaces, or its outermost
    /// package.
    fn same_project(&self, folder: &Folder, other: &Path) -> bool {
        let is_repository = |above: &&Path| self.files.kind(&above.join(".git")).is_some();
        let outermost = folder.upward().last().map(|folder| folder.path.as_path());
        let roots = folder.path.ancestors().find(is_repository).into_iter().chain(outermost);
        roots.into_iter().any(|root| other.starts_with(root))
            || self.sources.workspaces_of(&folder.path).any(|workspace| other.starts_with(&workspace.root))
    }

    /// The file that `sub` of a package means, empty for the package itself.
    pub(super) fn file_of_package(&self, package: &Package, sub: &str) -> Option<PathBuf> {
        let exported = package.exported(sub);
        if exported.as_ref().is_some_and(Vec::is_empty) {
            // `null`: explicitly not to be imported.
            return None;
        }
        let root = &package.folder;
        if sub.is_empty() {
            let index = || [root.join("src"), root.clone()].iter().find_map(|folder| self.lookup.index(folder));
            return self.entry(package).or_else(index);
        }
        let found = exported.iter().flatten().find_map(|target| self.source_of(root, target));
        // Older tools look past `exports`, and what a build writes may be called like its source.
        let plain = || self.source_of(root, &package.inside(sub)?);
        let in_src = || self.plain_file(&root.join("src").join(sub));
        found.or_else(plain).or_else(in_src)
    }

    /// The file that a package.json says its package is.
    fn entry(&self, package: &Package) -> Option<PathBuf> {
        let path = |entry: &String| package.inside(entry);
        let source = package.source.iter().filter_map(path);
        let entries = package.entries.iter().filter_map(path);
        let mut targets = source.chain(package.exported("").unwrap_or_default()).chain(entries);
        targets.find_map(|target| self.source_of(&package.folder, &target))
    }

    /// The source of `target`, a file of the package in `root`: in the output of a build another file.
    pub(super) fn source_of(&self, root: &Path, target: &Path) -> Option<PathBuf> {
        let written = self.plain_file(target);
        if written.as_deref().is_some_and(is_typescript) {
            return written;
        }
        let source = sources_of(root, target).into_iter().find_map(|candidate| {
            let file = self.source_at(&candidate.path)?;
            (written.is_none() || candidate.in_src || is_typescript(&file)).then_some(file)
        });
        source.or(written)
    }

    /// The source file at a path without an extension.
    pub(super) fn source_at(&self, stem: &Path) -> Option<PathBuf> {
        self.lookup.stem(stem).or_else(|| self.lookup.index(stem))
    }

    /// A file, or the index of a folder, whatever a package.json in that folder says.
    fn plain_file(&self, base: &Path) -> Option<PathBuf> {
        self.lookup.file(base).or_else(|| self.lookup.index(base))
    }

    /// The file that a folder means: what its package.json says, else its index.
    pub(super) fn file_of_folder(&self, folder: &Path) -> Option<PathBuf> {
        let package = self.lookup.has(folder, "package.json").then(|| self.package(folder)).flatten();
        package.and_then(|package| self.entry(&package)).or_else(|| self.lookup.index(folder))
    }
}

fn is_typescript(path: &Path) -> bool {
    matches!(path.extension().and_then(|extension| extension.to_str()), Some("ts" | "tsx" | "mts" | "cts"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_names_from_subpaths() {
        for (specifier, expected) in [
            ("ai", Some(("ai", ""))),
            ("ai/react/x", Some(("ai", "react/x"))),
            ("@ai-sdk/openai", Some(("@ai-sdk/openai", ""))),
            ("@ai-sdk/openai/internal/", Some(("@ai-sdk/openai", "internal"))),
            ("@ai-sdk", None),
            ("@/x", None),
            ("@/", None),
            ("", None),
            ("node:fs", None),
            ("~/x", Some(("~", "x"))),
            ("a/../b", None),
            ("@a/../b", None),
            (".a/b", None),
            ("a//b", Some(("a", "b"))),
        ] {
            assert_eq!(split_name(specifier), expected, "{specifier}");
        }
    }

    #[test]
    fn builtins_are_sorted() {
        assert!(BUILTINS.is_sorted());
        assert!(is_builtin("events") && !is_builtin("events/") && !is_builtin("ai"));
    }

    #[test]
    fn finds_the_innermost_installed_package() {
        let root = |path: &str| installed_root(Path::new(path)).map(|root| root.display().to_string());
        assert_eq!(root("/repo/src/a.ts"), None);
        assert_eq!(root("/repo/node_modules/ai/dist/a.js").as_deref(), Some("/repo/node_modules/ai"));
        assert_eq!(
            root("/r/node_modules/.pnpm/ai@5/node_modules/@a/b/c").as_deref(),
            Some("/r/node_modules/.pnpm/ai@5/node_modules/@a/b")
        );
        assert_eq!(root("/repo/node_modules").as_deref(), Some("/repo/node_modules"));
    }
}
