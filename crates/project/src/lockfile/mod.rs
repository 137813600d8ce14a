//! Lockfiles: text → which version of a package is locked for which folder. One file per format; only the packages
//! whose versions matter are looked at.

mod bun;
mod npm;
mod pnpm;
mod yarn;

use agentcheck_catalog::{Catalog, Ecosystem, Version};
use rustc_hash::FxHashSet;

use crate::problem::{Problem, decode};

/// Who wrote a lockfile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Pnpm,
    Bun,
    Yarn,
    Npm,
}

/// The lockfiles to look for in a folder. npm's come last: `npm install` leaves one behind in many a project that uses
/// another package manager, hardly ever the other way round.
pub(crate) const LOCKFILES: [(&str, Format); 5] = [
    ("pnpm-lock.yaml", Format::Pnpm),
    ("bun.lock", Format::Bun),
    ("yarn.lock", Format::Yarn),
    ("npm-shrinkwrap.json", Format::Npm),
    ("package-lock.json", Format::Npm),
];

/// Real lockfiles reach ten megabytes.
pub(crate) const LONGEST_LOCKFILE: u64 = 64 * 1024 * 1024;

/// The packages that are looked for.
#[derive(Debug)]
pub(crate) struct Tracked(FxHashSet<String>);

impl Tracked {
    pub fn new(catalog: &Catalog) -> Self {
        let npm = catalog.packages.iter().filter(|package| package.ecosystem == Ecosystem::Npm);
        Self(npm.map(|package| package.name.clone()).collect())
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

/// What a lockfile says of one dependency of one folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Locked {
    /// The package's real name; another than the dependency's for an alias.
    pub package: String,
    pub at: At,
}

/// Where a locked package comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum At {
    Version(Version),
    /// A folder of the workspace, relative to the lockfile, with forward slashes.
    Directory(String),
}

impl Locked {
    /// `package` at a version text, unless the text is no version: an address, for example.
    fn version(package: &str, text: &str) -> Option<Self> {
        Some(Self { package: package.to_owned(), at: At::Version(text.parse().ok()?) })
    }

    fn directory(package: &str, path: impl Into<String>) -> Self {
        Self { package: package.to_owned(), at: At::Directory(path.into()) }
    }
}

/// A question to a lockfile.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Query<'q> {
    /// The folder of the declaring manifest, relative to the lockfile, with forward slashes; empty for the same folder.
    pub importer: &'q str,
    /// The name under which the package is declared.
    pub dependency: &'q str,
    /// The declared text.
    pub declared: &'q str,
    /// The declared text, or what the catalog says that it refers to.
    pub spec: &'q str,
}

/// A lockfile that was read.
#[derive(Debug)]
pub(crate) enum Lockfile {
    Pnpm(pnpm::PnpmLock),
    Bun(bun::BunLock),
    Yarn(yarn::YarnLock),
    Npm(npm::NpmLock),
}

impl Lockfile {
    /// Reads a lockfile as far as it makes sense, and says where it does not.
    pub fn parse(format: Format, content: Vec<u8>, tracked: &Tracked) -> (Self, Vec<Problem>) {
        let mut problems = Vec::new();
        let text = decode(content, &mut problems);
        let lockfile = match format {
            Format::Pnpm => Self::Pnpm(pnpm::PnpmLock::parse(&text, tracked, &mut problems)),
            Format::Bun => Self::Bun(bun::BunLock::parse(&text, tracked, &mut problems)),
            Format::Yarn => Self::Yarn(yarn::YarnLock::parse(&text, tracked, &mut problems)),
            Format::Npm => Self::Npm(npm::NpmLock::parse(&text, tracked, &mut problems)),
        };
        (lockfile, problems)
    }

    /// What is locked. Nothing when the folder does not belong to this lockfile or does not have the dependency.
    pub fn find(&self, query: Query<'_>) -> Option<Locked> {
        match self {
            Self::Pnpm(lock) => lock.find(query),
            Self::Bun(lock) => lock.find(query),
            Self::Yarn(lock) => lock.find(query),
            Self::Npm(lock) => lock.find(query),
        }
    }

    /// Whether the lockfile can tell for itself which folders belong to it. Yarn 1 cannot: there the root's manifest
    /// tells.
    pub fn knows_its_folders(&self) -> bool {
        !matches!(self, Self::Yarn(lock) if !lock.knows_its_folders())
    }
}

/// `name@version` in two, at the last `@` that does not begin a scope.
fn split_name(text: &str) -> Option<(&str, &str)> {
    let at = text.rfind('@').filter(|at| *at > 0)?;
    Some((&text[..at], &text[at + 1..]))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Reads a lockfile that tracks `ai`, `@ai-sdk/react` and `zod`.
    pub fn parse(format: Format, text: &str) -> (Lockfile, Vec<String>) {
        let names = ["ai", "@ai-sdk/react", "zod"].map(str::to_owned);
        let (lockfile, problems) =
            Lockfile::parse(format, text.as_bytes().to_vec(), &Tracked(names.into_iter().collect()));
        (lockfile, problems.iter().map(|problem| problem.notice(String::new()).message).collect())
    }

    /// What is locked, as `package@version` or `package@folder`.
    pub fn find(lockfile: &Lockfile, importer: &str, dependency: &str, spec: &str) -> String {
        match lockfile.find(Query { importer, dependency, declared: spec, spec }) {
            Some(Locked { package, at: At::Version(version) }) => format!("{package}@{version}"),
            Some(Locked { package, at: At::Directory(folder) }) => format!("{package}@{folder}/"),
            None => "none".to_owned(),
        }
    }

    #[test]
    fn hostile_content_never_panics() {
        let deep = ["[", "{\"packages\":", "  ", "a:\n ", "'", "\"", "- "].map(|part| part.repeat(20_000));
        let odd =
            ["", "\u{feff}", "\0", "packages:", "importers:\n\n  .:\n    dependencies:\n      ai:\n        version:"];
        for (_, format) in LOCKFILES {
            for text in deep.iter().map(String::as_str).chain(odd) {
                let (lockfile, _) = parse(format, text);
                assert_eq!(find(&lockfile, "", "ai", "^7"), "none");
            }
            let tracked = Tracked(FxHashSet::default());
            assert!(!Lockfile::parse(format, b"\xff\xfe".to_vec(), &tracked).1.is_empty());
        }
    }
}
