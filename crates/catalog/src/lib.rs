//! What agentcheck knows about the SDKs, as data: their packages and versions, their types, the migration rows and the
//! metadata of every rule. The files under `rules/` are read by one loader, at build time for the built-in tables (embedded
//! as two binary blobs) and at start for a project's own.

mod load;
mod rule;
mod source;
mod surface;
mod type_expr;
mod types;
mod version;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use load::{LoadError, Loaded, TableFile, load};
pub use rule::{Case, Category, EditRow, Example, FixRow, Rename, Rule, RuleDocs, RuleKind, Safety, Severity, When};
pub use surface::{Names, Newer, Surface};
pub use types::{Alias, Entry, EntryId, Export, ExportId, Record, RecordId, Signature, Ty, TyId, TypeTable};
pub use version::{Holds, Intervals, Release, Version, VersionError, Versions};

/// A package whose versions decide what is true.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Package {
    pub name: String,
    /// The folder of tables that it belongs to: packages of one pack are released in step.
    pub pack: String,
    pub ecosystem: Ecosystem,
    /// The newest release of each major that the tables were checked against, oldest first.
    pub newest: Vec<Release>,
    /// Every release at which some claim begins or ends.
    pub thresholds: Vec<Release>,
}

/// Where a package is published, and so which files say its version.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ecosystem {
    #[default]
    Npm,
    Cargo,
}

impl Package {
    /// Whether `release` belongs to a major that the tables do not know yet.
    pub fn is_newer_than_known(&self, release: Release) -> bool {
        self.newest.last().is_some_and(|newest| release.major > newest.major)
    }

    /// The releases that the tables can tell apart: the newest of each known major, and every threshold in between. A range
    /// is represented by those of them that satisfy it.
    pub fn known(&self) -> Vec<Release> {
        let mut known: Vec<Release> = self.newest.clone();
        let majors: Vec<u32> = self.newest.iter().map(|release| release.major).collect();
        known.extend(self.thresholds.iter().filter(|release| majors.contains(&release.major)));
        known.extend(majors.iter().map(|major| Release::new(*major, 0, 0)));
        known.sort_unstable();
        known.dedup();
        known
    }
}

/// All that is known, validated.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Catalog {
    pub packages: Vec<Package>,
    pub types: TypeTable,
    pub surface: Surface,
    /// Sorted by id.
    pub rules: Vec<Rule>,
}

impl Catalog {
    /// Whether a module specifier names a package of an SDK, be it one that the tables say nothing of: all under `@ai-sdk/`
    /// are.
    pub fn is_sdk(&self, specifier: &str) -> bool {
        let Some((scope, _)) = specifier.split_once('/') else { return false };
        scope.starts_with('@')
            && self.packages.iter().any(|package| package.name.split_once('/').is_some_and(|(own, _)| own == scope))
    }

    /// The package called `name`, if it is one whose versions matter.
    pub fn package(&self, name: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.name == name)
    }

    /// The rule with this id or former id, and its index.
    pub fn rule(&self, id: &str) -> Option<(usize, &Rule)> {
        match self.rules.binary_search_by(|rule| rule.id.as_str().cmp(id)) {
            Ok(index) => Some((index, &self.rules[index])),
            Err(_) => self.rules.iter().enumerate().find(|(_, rule)| rule.renamed_from.iter().any(|old| old == id)),
        }
    }

    /// The catalog as bytes, for embedding.
    pub fn encode(&self) -> Vec<u8> {
        postcard::to_allocvec(self).expect("a catalog holds only plain data")
    }

    /// The catalog that [`Catalog::encode`] wrote. Panics on other bytes: they are embedded by our own build.
    pub fn decode(bytes: &[u8]) -> Self {
        postcard::from_bytes(bytes).expect("the catalog embedded by the build script")
    }
}

/// The docs of every rule as bytes, for embedding.
pub fn encode_docs(docs: &BTreeMap<String, RuleDocs>) -> Vec<u8> {
    postcard::to_allocvec(docs).expect("docs hold only plain data")
}

/// The docs that [`encode_docs`] wrote. Panics on other bytes.
pub fn decode_docs(bytes: &[u8]) -> BTreeMap<String, RuleDocs> {
    postcard::from_bytes(bytes).expect("the docs embedded by the build script")
}
