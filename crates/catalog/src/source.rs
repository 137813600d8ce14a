//! The shape of the TOML files under `rules/`, as written. Every field that validation can reject carries its span.
//! Flat on purpose: spans do not survive tagged enums or `flatten`.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use crate::Ecosystem;
use crate::rule::{Category, Safety, Severity};

/// `pack.toml`: the packages of a pack.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct PackFile {
    pub package: Vec<PackageSource>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct PackageSource {
    pub name: String,
    #[serde(default)]
    pub ecosystem: Ecosystem,
    /// The newest release of each major that the tables were checked against.
    pub newest: Vec<Spanned<String>>,
    /// Only its version matters: what is imported from it is followed like any other code.
    #[serde(default)]
    pub version_only: bool,
    /// Module specifiers beside the package's own name.
    #[serde(default)]
    pub entries: Vec<String>,
}

/// `types.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct TypesFile {
    /// entry → exported value → type
    pub values: BTreeMap<String, BTreeMap<String, Spanned<String>>>,
    /// entry → exported type name → type
    #[serde(default)]
    pub annotations: BTreeMap<String, BTreeMap<String, Spanned<String>>>,
    #[serde(default)]
    pub types: BTreeMap<String, RecordSource>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RecordSource {
    #[serde(default)]
    pub extends: Vec<Spanned<String>>,
    #[serde(default)]
    pub props: BTreeMap<String, Spanned<String>>,
}

/// `surface/*.toml`: the names of one package. In every table `known` says where the thing itself exists, `types` which
/// exports are types; any other key is an interval, its value the names in it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SurfaceFile {
    pub package: Spanned<String>,
    #[serde(default)]
    pub exports: BTreeMap<String, NamesSource>,
    #[serde(default)]
    pub options: BTreeMap<Spanned<String>, NamesSource>,
    #[serde(default)]
    pub properties: BTreeMap<Spanned<String>, NamesSource>,
}

pub(crate) type NamesSource = BTreeMap<Spanned<String>, Spanned<String>>;

/// `newer.toml`: what is said of names that an installed version does not have yet.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewerFile {
    pub options: BTreeMap<String, NewerSource>,
    pub properties: BTreeMap<String, NewerSource>,
    pub exports: BTreeMap<String, NewerSource>,
    /// Type → what messages call a value of it.
    #[serde(default)]
    pub things: BTreeMap<Spanned<String>, String>,
}

/// `providers.toml`: keys of `providerOptions`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProvidersFile {
    pub provider: BTreeMap<String, Vec<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct NewerSource {
    #[serde(default)]
    pub former: Vec<String>,
    #[serde(default = "yes")]
    pub same_value: bool,
    pub effect: Option<String>,
}

fn yes() -> bool {
    true
}

/// `migrations/*.toml`: rows, each a rule.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RowsFile {
    pub row: Vec<RuleSource>,
}

/// A row, or a whole file under `checks/`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RuleSource {
    /// Rows only; a check is called after its file.
    pub id: Option<Spanned<String>>,
    pub kind: Option<Spanned<String>>,
    pub old: Option<Spanned<String>>,
    pub new: Option<String>,
    /// Instead of `old` and `new`: several names, each with the one that took its place, or "".
    #[serde(default)]
    pub names: BTreeMap<String, String>,
    /// Rows of kind `import`: the entry points.
    #[serde(default)]
    pub entries: Vec<String>,
    /// Rows of kind `property` and `literal`: the package whose version decides.
    pub package: Option<String>,
    /// Rows of kind `literal`: the property that is compared.
    pub property: Option<String>,
    #[serde(default)]
    pub on: Vec<Spanned<String>>,
    #[serde(default)]
    pub renamed_from: Vec<String>,
    pub category: Category,
    pub summary: String,
    #[serde(default)]
    pub yields_to: Vec<String>,
    #[serde(default)]
    pub options: Vec<String>,
    /// Checks only: words without one of which the rule cannot report. A row needs its key.
    #[serde(default)]
    pub needs: Vec<String>,
    #[serde(default)]
    pub details: String,
    #[serde(default)]
    pub silent: String,
    #[serde(default)]
    pub source: String,
    pub case: Spanned<Vec<CaseSource>>,
    #[serde(default)]
    pub example: Vec<ExampleSource>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct CaseSource {
    pub name: Spanned<String>,
    pub versions: Spanned<String>,
    pub severity: Severity,
    #[serde(default)]
    pub pedantic: bool,
    pub message: Spanned<String>,
    pub help: Option<Spanned<String>>,
    #[serde(default)]
    pub on: Vec<Spanned<String>>,
    #[serde(default)]
    pub with: Vec<String>,
    #[serde(default)]
    pub without: Vec<String>,
    pub value: Option<String>,
    /// Checks only: the safety of the fixes that the code can offer.
    #[serde(default)]
    pub fixes: Vec<Safety>,
    #[serde(default)]
    pub fix: Vec<FixSource>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct FixSource {
    pub edit: Spanned<String>,
    pub versions: Option<Spanned<String>>,
    #[serde(default = "safe")]
    pub safety: Safety,
    pub title: String,
    pub to: Option<Spanned<String>>,
    pub key: Option<Spanned<String>>,
    pub value: Option<Spanned<String>>,
    pub from: Option<Spanned<String>>,
    #[serde(default)]
    pub only_for_counts: bool,
}

fn safe() -> Safety {
    Safety::Safe
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ExampleSource {
    pub with: Spanned<String>,
    pub before: String,
    pub after: Option<String>,
    pub case: Option<Spanned<String>>,
}
