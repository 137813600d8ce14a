//! The SDKs' types as data: what a call returns, what a property of it is, what a callback receives.
//!
//! Types over-approximate: a property that only some versions have is listed, because the rules decide which versions a
//! use is right in. Shapes were read from the published type definitions of every major.

use serde::{Deserialize, Serialize};

/// Index of a [`Ty`] in its [`TypeTable`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TyId(pub u32);

/// Index of a [`Record`] in its [`TypeTable`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RecordId(pub u32);

/// Index of an exported value in its [`TypeTable`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExportId(pub u32);

/// Index of an [`Entry`] in its [`TypeTable`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryId(pub u32);

/// A type of the small language in `types.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Ty {
    /// `any`: nothing is known.
    Any,
    /// `plain`, `string`, `number`, `boolean`: a value that holds nothing of the SDK.
    Plain,
    /// A named type with properties.
    Record(RecordId),
    /// `Promise<T>`.
    Promise(TyId),
    /// `T[]`.
    Array(TyId),
    /// `Stream<T>`: something that `for await` yields `T` from.
    Stream(TyId),
    /// `Dict<T>`: an object whose keys the user chooses.
    Dict(TyId),
    /// `fn(A, B) -> R`.
    Function(Signature),
    /// `class(A) -> R`: called with `new`.
    Class(Signature),
    /// `A | B`.
    Union(Vec<TyId>),
}

/// Parameters and result of a function or constructor.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Signature {
    pub params: Vec<TyId>,
    pub result: TyId,
}

/// A named type: its properties and those of the types it extends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub name: String,
    pub extends: Vec<RecordId>,
    /// Sorted by name.
    pub props: Vec<(String, TyId)>,
}

/// A name that an entry point of a package exports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    /// The module specifier, for example `ai` or `@ai-sdk/react`.
    pub entry: String,
    pub name: String,
    pub ty: TyId,
}

/// A module specifier and the package it belongs to: `ai/test` belongs to `ai`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub specifier: String,
    /// The name under which the package is imported: its own, or an alias of a project.
    pub package: String,
}

/// Another name for a package: `"ai5": "npm:ai@^5"` in a package.json.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Alias {
    pub name: String,
    pub package: String,
}

/// All types of all packs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeTable {
    pub(crate) types: Vec<Ty>,
    pub(crate) records: Vec<Record>,
    /// Values, sorted by entry and name.
    pub(crate) values: Vec<Export>,
    /// Type names usable in annotations, sorted by entry and name.
    pub(crate) annotations: Vec<Export>,
    /// Sorted by specifier.
    pub(crate) entries: Vec<Entry>,
}

impl TypeTable {
    /// The type with index `id`.
    pub fn ty(&self, id: TyId) -> &Ty {
        &self.types[id.0 as usize]
    }

    /// The id of a type, if the table mentions it somewhere.
    pub fn find(&self, ty: &Ty) -> Option<TyId> {
        self.types.iter().position(|known| known == ty).map(|index| TyId(index as u32))
    }

    /// The record with index `id`.
    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.0 as usize]
    }

    /// The record called `name`.
    pub fn record_named(&self, name: &str) -> Option<RecordId> {
        self.records.iter().position(|record| record.name == name).map(|index| RecordId(index as u32))
    }

    /// The value `name` exported by `entry`.
    pub fn find_value(&self, entry: &str, name: &str) -> Option<ExportId> {
        Some(ExportId(position(&self.values, entry, name)? as u32))
    }

    /// The exported value with index `id`.
    pub fn value(&self, id: ExportId) -> &Export {
        &self.values[id.0 as usize]
    }

    /// The type that the exported type name `name` of `entry` stands for.
    pub fn annotation(&self, entry: &str, name: &str) -> Option<TyId> {
        Some(self.annotations[position(&self.annotations, entry, name)?].ty)
    }

    /// The entry point that a module specifier names, if it is one of a package we know.
    pub fn find_entry(&self, specifier: &str) -> Option<EntryId> {
        let index = self.entries.binary_search_by(|entry| entry.specifier.as_str().cmp(specifier)).ok()?;
        Some(EntryId(index as u32))
    }

    /// The entry point with index `id`.
    pub fn entry(&self, id: EntryId) -> &Entry {
        &self.entries[id.0 as usize]
    }

    /// The package that an entry point belongs to. Falls back to the specifier itself, which is right for packages with one
    /// entry point.
    pub fn package_of<'a>(&'a self, specifier: &'a str) -> &'a str {
        self.find_entry(specifier).map_or(specifier, |id| &self.entry(id).package)
    }

    /// The packages that have a name for a record in annotations, each once.
    pub fn packages_naming(&self, record: RecordId) -> Vec<&str> {
        let names_it = |export: &&Export| *self.ty(export.ty) == Ty::Record(record);
        let mut packages: Vec<&str> =
            self.annotations.iter().filter(names_it).map(|export| self.package_of(&export.entry)).collect();
        packages.dedup();
        packages
    }

    /// Whether an entry point has exports that the table describes.
    pub fn says_something_of(&self, specifier: &str) -> bool {
        self.values.iter().chain(&self.annotations).any(|export| export.entry == specifier)
    }

    /// This table, in which packages are also known by other names.
    pub fn with_aliases(&self, aliases: &[Alias]) -> Self {
        let mut table = self.clone();
        for alias in aliases {
            // `ai/react` → `ai5/react`
            let renamed = |specifier: &str| {
                let below = specifier.strip_prefix(alias.package.as_str())?;
                (below.is_empty() || below.starts_with('/')).then(|| format!("{}{below}", alias.name))
            };
            let exports = |exports: &[Export]| -> Vec<Export> {
                let of_package = |export: &Export| Some(Export { entry: renamed(&export.entry)?, ..export.clone() });
                exports.iter().filter_map(of_package).collect()
            };
            table.values.extend(exports(&self.values));
            table.annotations.extend(exports(&self.annotations));
            let of_package =
                |entry: &Entry| Some(Entry { specifier: renamed(&entry.specifier)?, package: alias.name.clone() });
            table.entries.extend(self.entries.iter().filter_map(of_package));
        }
        let by_name = |a: &Export, b: &Export| (&a.entry, &a.name).cmp(&(&b.entry, &b.name));
        table.values.sort_by(by_name);
        table.annotations.sort_by(by_name);
        table.entries.sort_by(|a, b| a.specifier.cmp(&b.specifier));
        table
    }

    /// Every entry point of every package we know.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The type of property `name`, looked up in `id` and in what it extends.
    pub fn property(&self, id: RecordId, name: &str) -> Option<TyId> {
        let record = self.record(id);
        match record.props.binary_search_by(|(key, _)| key.as_str().cmp(name)) {
            Ok(index) => Some(record.props[index].1),
            Err(_) => record.extends.iter().find_map(|base| self.property(*base, name)),
        }
    }

    /// Whether anything is known of what values of a record hold.
    pub fn has_properties(&self, id: RecordId) -> bool {
        let record = self.record(id);
        !record.props.is_empty() || record.extends.iter().any(|base| self.has_properties(*base))
    }

    /// Whether `id` is `base` or extends it.
    pub fn is_a(&self, id: RecordId, base: RecordId) -> bool {
        id == base || self.record(id).extends.iter().any(|parent| self.is_a(*parent, base))
    }
}

fn position(exports: &[Export], entry: &str, name: &str) -> Option<usize> {
    exports.binary_search_by(|export| (export.entry.as_str(), export.name.as_str()).cmp(&(entry, name))).ok()
}
