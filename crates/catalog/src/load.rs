//! The one loader: TOML files as written → the validated [`Catalog`] and its [`RuleDocs`]. Used by the build script for the
//! built-in tables and at start for a project's own.

use std::collections::BTreeMap;
use std::ops::Range;
use std::str::FromStr;

use serde::de::DeserializeOwned;
use toml::Spanned;

use crate::rule::{Case, EditRow, Example, FixRow, Rename, Rule, RuleDocs, RuleKind, When};
use crate::source::{
    CaseSource, ExampleSource, FixSource, NamesSource, NewerFile, PackFile, ProvidersFile, RowsFile, RuleSource,
    SurfaceFile, TypesFile,
};
use crate::surface::{Names, Newer};
use crate::type_expr::{self, Interner};
use crate::types::{Entry, Export, Record, RecordId};
use crate::version::{Intervals, Release};
use crate::{Catalog, Ecosystem, Package};

/// A file of a table: its path, relative to the folder of the packs (`ai-sdk/types.toml`), and its text.
pub struct TableFile {
    pub path: String,
    pub text: String,
}

/// What is wrong with a table, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}:{line}:{column}: {message}")]
pub struct LoadError {
    pub path: String,
    /// 1-based.
    pub line: usize,
    /// 1-based, in bytes.
    pub column: usize,
    pub message: String,
}

/// What a folder of tables becomes.
#[derive(Debug)]
pub struct Loaded {
    pub catalog: Catalog,
    /// Rule id → docs.
    pub docs: BTreeMap<String, RuleDocs>,
}

/// Loads the files of all packs. Which loader reads a file is decided by its place: `<pack>/pack.toml`,
/// `<pack>/types.toml`, `<pack>/newer.toml`, `<pack>/providers.toml`, `<pack>/surface/*.toml`, `<pack>/migrations/*.toml`, `<pack>/checks/*.toml`. All errors are returned, not just the first.
pub fn load(files: &[TableFile]) -> Result<Loaded, Vec<LoadError>> {
    let mut loader = Loader::default();
    for file in files {
        if file.path.ends_with("/pack.toml") {
            loader.packages(file);
        }
    }
    loader.types(files.iter().filter(|file| file.path.ends_with("/types.toml")));
    for file in files {
        let mut parts = file.path.split('/');
        let (pack, folder, name) = (parts.next(), parts.next(), parts.next());
        match (pack, folder, name.and_then(|name| name.strip_suffix(".toml"))) {
            (Some(_), Some("newer.toml"), None) => loader.newer(file),
            (Some(_), Some("providers.toml"), None) => {
                let providers = loader.read::<ProvidersFile>(file).map(|read| read.provider);
                loader.catalog.surface.providers.extend(providers.into_iter().flatten());
            }
            (Some(_), Some("surface"), Some(_)) => loader.surface(file),
            (Some(pack), Some("migrations"), Some(_)) => loader.rows(file, pack),
            (Some(pack), Some("checks"), Some(name)) => loader.check(file, pack, name),
            _ => {}
        }
    }
    loader.finish()
}

#[derive(Default)]
struct Loader {
    catalog: Catalog,
    docs: BTreeMap<String, RuleDocs>,
    records: BTreeMap<String, RecordId>,
    errors: Vec<LoadError>,
}

impl Loader {
    fn error(&mut self, file: &TableFile, span: Range<usize>, message: impl Into<String>) {
        let before = &file.text[..span.start.min(file.text.len())];
        self.errors.push(LoadError {
            path: file.path.clone(),
            line: before.matches('\n').count() + 1,
            column: before.len() - before.rfind('\n').map_or(0, |newline| newline + 1) + 1,
            message: message.into(),
        });
    }

    fn read<T: DeserializeOwned>(&mut self, file: &TableFile) -> Option<T> {
        match toml::from_str(&file.text) {
            Ok(value) => Some(value),
            Err(error) => {
                self.error(file, error.span().unwrap_or_default(), error.message());
                None
            }
        }
    }

    /// Reads a value that has a textual form of its own, such as an interval.
    fn text<T: FromStr>(&mut self, file: &TableFile, text: &Spanned<String>) -> Option<T>
    where
        T::Err: std::fmt::Display,
    {
        text.get_ref().parse().map_err(|error: T::Err| self.error(file, text.span(), error.to_string())).ok()
    }

    fn packages(&mut self, file: &TableFile) {
        let Some(pack) = self.read::<PackFile>(file) else { return };
        for package in pack.package {
            let newest: Vec<Release> = package.newest.iter().filter_map(|text| self.text(file, text)).collect();
            let is_imported = package.ecosystem == Ecosystem::Npm && !package.version_only;
            let own = is_imported.then_some(&package.name);
            for specifier in own.into_iter().chain(&package.entries) {
                self.catalog.types.entries.push(Entry { specifier: specifier.clone(), package: package.name.clone() });
            }
            let (name, ecosystem) = (package.name, package.ecosystem);
            let folder = file.path.split('/').next().unwrap_or_default().to_owned();
            self.catalog.packages.push(Package { name, pack: folder, ecosystem, newest, thresholds: Vec::new() });
        }
        self.catalog.types.entries.sort_by(|a, b| a.specifier.cmp(&b.specifier));
    }

    fn types<'f>(&mut self, files: impl Iterator<Item = &'f TableFile>) {
        let read: Vec<(&TableFile, TypesFile)> =
            files.filter_map(|file| self.read(file).map(|types| (file, types))).collect();
        // Names first, so that types may mention each other in any order and across packs.
        for (_, types) in &read {
            for name in types.types.keys() {
                let next = RecordId(self.records.len() as u32);
                self.records.entry(name.clone()).or_insert(next);
            }
        }
        let mut interner = Interner::default();
        let names = self.records.clone();
        let resolve = |name: &str| names.get(name).copied();
        let mut records: Vec<Option<Record>> = vec![None; names.len()];
        for (file, types) in &read {
            for (name, source) in &types.types {
                let mut record = Record { name: name.clone(), extends: Vec::new(), props: Vec::new() };
                for base in &source.extends {
                    match resolve(base.get_ref()) {
                        Some(id) => record.extends.push(id),
                        None => self.error(file, base.span(), format!("`{}` is not a type", base.get_ref())),
                    }
                }
                for (key, text) in &source.props {
                    match type_expr::parse(text.get_ref(), &mut interner, &resolve) {
                        Ok(ty) => record.props.push((key.clone(), ty)),
                        Err(message) => self.error(file, text.span(), message),
                    }
                }
                records[names[name].0 as usize] = Some(record);
            }
            for (exports, annotation) in [(&types.values, false), (&types.annotations, true)] {
                for (entry, names) in exports {
                    for (name, text) in names {
                        match type_expr::parse(text.get_ref(), &mut interner, &resolve) {
                            Ok(ty) => {
                                let export = Export { entry: entry.clone(), name: name.clone(), ty };
                                let table = &mut self.catalog.types;
                                if annotation { table.annotations.push(export) } else { table.values.push(export) }
                            }
                            Err(message) => self.error(file, text.span(), message),
                        }
                    }
                }
            }
        }
        let table = &mut self.catalog.types;
        table.types = interner.types;
        table.records = records.into_iter().flatten().collect();
        for exports in [&mut table.values, &mut table.annotations] {
            exports.sort_by(|a, b| (&a.entry, &a.name).cmp(&(&b.entry, &b.name)));
        }
    }

    fn surface(&mut self, file: &TableFile) {
        let Some(surface) = self.read::<SurfaceFile>(file) else { return };
        let package = surface.package.get_ref();
        if self.catalog.package(package).is_none() {
            self.error(file, surface.package.span(), format!("`{package}` is not a package of pack.toml"));
        }
        for (entry, source) in &surface.exports {
            if let Some(names) = self.names(file, package, source) {
                self.catalog.surface.exports.push((entry.clone(), names));
            }
        }
        for (tables, is_options) in [(&surface.options, true), (&surface.properties, false)] {
            for (record, source) in tables {
                let Some(names) = self.names(file, package, source) else { continue };
                let Some(id) = self.records.get(record.get_ref()).copied() else {
                    self.error(file, record.span(), format!("`{}` is not a type of types.toml", record.get_ref()));
                    continue;
                };
                let surface = &mut self.catalog.surface;
                if is_options { surface.options.push((id, names)) } else { surface.properties.push((id, names)) }
            }
        }
    }

    fn names(&mut self, file: &TableFile, package: &str, source: &NamesSource) -> Option<Names> {
        let mut names = Names::new(package.to_owned(), Intervals::none(), Vec::new(), String::new());
        for (key, text) in source {
            match key.get_ref().as_str() {
                "known" => names.known = self.text(file, text)?,
                "types" => names.types.clone_from(text.get_ref()),
                _ => names.groups.push((self.text(file, key)?, text.get_ref().clone())),
            }
        }
        Some(names)
    }

    fn newer(&mut self, file: &TableFile) {
        let Some(newer) = self.read::<NewerFile>(file) else { return };
        for (record, thing) in newer.things {
            match self.records.get(record.get_ref()).copied() {
                Some(id) => self.catalog.surface.things.push((id, thing)),
                None => self.error(file, record.span(), format!("`{}` is not a type of types.toml", record.get_ref())),
            }
        }
        let surface = &mut self.catalog.surface;
        for (names, into) in [
            (newer.options, &mut surface.newer_options),
            (newer.properties, &mut surface.newer_properties),
            (newer.exports, &mut surface.newer_exports),
        ] {
            into.extend(names.into_iter().map(|(name, source)| Newer {
                name,
                former: source.former,
                same_value: source.same_value,
                effect: source.effect,
            }));
        }
    }

    fn rows(&mut self, file: &TableFile, pack: &str) {
        let Some(rows) = self.read::<RowsFile>(file) else { return };
        for row in rows.row {
            let Some(id) = &row.id else {
                self.error(file, row.case.span(), "this row has no `id`");
                continue;
            };
            let Some(kind) = self.row_kind(file, id.span(), &row) else { continue };
            let id = format!("{pack}/{}", id.get_ref());
            self.rule(file, id, kind, row);
        }
    }

    fn row_kind(&mut self, file: &TableFile, id: Range<usize>, row: &RuleSource) -> Option<RuleKind> {
        let mut names: Vec<Rename> = row
            .names
            .iter()
            .map(|(old, new)| Rename { old: old.clone(), new: (!new.is_empty()).then(|| new.clone()) })
            .collect();
        names.extend(row.old.as_ref().map(|old| Rename { old: old.get_ref().clone(), new: row.new.clone() }));
        if names.is_empty() {
            self.error(file, id, "a row needs `old`, the name it looks for, or `names`");
            return None;
        }
        // The first package is the one that a pack is about.
        let first = || self.catalog.packages.first().map(|package| package.name.clone()).unwrap_or_default();
        let package = row.package.clone().unwrap_or_else(first);
        let span = row.kind.as_ref().map_or(id.clone(), Spanned::span);
        match row.kind.as_ref().map(|kind| kind.get_ref().as_str()) {
            Some("option") => Some(RuleKind::Option { names }),
            Some("property") => Some(RuleKind::Property { package, names }),
            Some("literal") => match &row.property {
                Some(property) => Some(RuleKind::Literal { package, property: property.clone(), names }),
                None => {
                    self.error(file, span, "a row of kind `literal` needs `property`, the name that is compared");
                    None
                }
            },
            Some("import") if row.entries.is_empty() => {
                self.error(file, span, "a row of kind `import` needs `entries`, the entry points it looks at");
                None
            }
            Some("import") => Some(RuleKind::Import { entries: row.entries.clone(), names }),
            Some("entry") => Some(RuleKind::Entry { names }),
            Some("await") => Some(RuleKind::Await { names }),
            kind => {
                let message = format!(
                    "`{}` is not a kind of row; there are option, property, literal, import, entry and await",
                    kind.unwrap_or_default()
                );
                self.error(file, span, message);
                None
            }
        }
    }

    fn check(&mut self, file: &TableFile, pack: &str, name: &str) {
        let Some(source) = self.read::<RuleSource>(file) else { return };
        if let Some(id) = &source.id {
            self.error(file, id.span(), "a check is called after its file; remove `id`");
        }
        let kind = if pack == "meta" { RuleKind::Engine } else { RuleKind::Check };
        self.rule(file, format!("{pack}/{name}"), kind, source);
    }

    fn rule(&mut self, file: &TableFile, id: String, kind: RuleKind, source: RuleSource) {
        if self.catalog.rules.iter().any(|rule| rule.id == id) {
            self.error(file, source.case.span(), format!("there are two rules called `{id}`"));
            return;
        }
        let default_on = self.record_ids(file, &source.on);
        if source.case.get_ref().is_empty() {
            self.error(file, source.case.span(), format!("`{id}` has no case"));
        }
        let cases: Vec<Case> =
            source.case.get_ref().iter().filter_map(|case| self.case(file, case, &default_on)).collect();
        if matches!(kind, RuleKind::Option { .. } | RuleKind::Property { .. } | RuleKind::Literal { .. })
            && let Some(case) = cases.iter().find(|case| case.on.is_empty())
        {
            let message = format!("case `{}` of `{id}` does not say which types it is `on`", case.name);
            self.error(file, source.case.span(), message);
        }
        let needs = match &kind {
            RuleKind::Check | RuleKind::Engine => source.needs,
            row => row.names().iter().map(|name| name.old.clone()).collect(),
        };
        if kind == RuleKind::Check && needs.is_empty() {
            let message = "a check says which words a file `needs` to be worth parsing for it";
            self.error(file, source.case.span(), message);
        }
        let examples = source.example.iter().filter_map(|example| self.example(file, example, &cases)).collect();
        self.docs.insert(
            id.clone(),
            RuleDocs { details: source.details, silent: source.silent, source: source.source, examples },
        );
        self.catalog.rules.push(Rule {
            id,
            renamed_from: source.renamed_from,
            category: source.category,
            summary: source.summary,
            kind,
            cases,
            yields_to: source.yields_to,
            options: source.options,
            needs,
        });
    }

    fn record_ids(&mut self, file: &TableFile, names: &[Spanned<String>]) -> Vec<RecordId> {
        let mut ids = Vec::new();
        for name in names {
            match self.records.get(name.get_ref()) {
                Some(id) => ids.push(*id),
                None => self.error(file, name.span(), format!("`{}` is not a type of types.toml", name.get_ref())),
            }
        }
        ids
    }

    fn case(&mut self, file: &TableFile, source: &CaseSource, default_on: &[RecordId]) -> Option<Case> {
        let on = self.record_ids(file, &source.on);
        let fixes: Vec<FixRow> = source.fix.iter().filter_map(|fix| self.fix(file, fix)).collect();
        let mut fix_safety = source.fixes.clone();
        fix_safety.extend(fixes.iter().map(|fix| fix.safety));
        fix_safety.sort_unstable();
        fix_safety.dedup();
        Some(Case {
            name: source.name.get_ref().clone(),
            versions: self.text(file, &source.versions)?,
            severity: source.severity,
            pedantic: source.pedantic,
            message: source.message.get_ref().clone(),
            help: source.help.as_ref().map(|help| help.get_ref().clone()),
            on: if on.is_empty() { default_on.to_vec() } else { on },
            when: When { with: source.with.clone(), without: source.without.clone(), value: source.value.clone() },
            fixes,
            fix_safety,
        })
    }

    fn fix(&mut self, file: &TableFile, source: &FixSource) -> Option<FixRow> {
        let text = |text: &Spanned<String>| text.get_ref().clone();
        let edit = match (source.edit.get_ref().as_str(), &source.to, &source.key, &source.value, &source.from) {
            ("rename-key", Some(to), None, None, None) => EditRow::RenameKey { to: text(to) },
            ("remove-key", None, None, None, None) => EditRow::RemoveKey,
            ("replace-entry", None, Some(key), Some(value), None) => {
                EditRow::ReplaceEntry { key: text(key), value: text(value) }
            }
            ("rename-import", None, None, None, None) => EditRow::RenameImport,
            ("move-import", None, None, None, Some(from)) => EditRow::MoveImport { from: text(from) },
            ("rename-property", Some(to), None, None, None) => EditRow::RenameProperty { to: text(to) },
            ("replace-text", None, None, None, None) => EditRow::ReplaceText,
            ("add-await", None, None, None, None) => EditRow::AddAwait,
            _ => {
                let message = "a fix is `rename-key` with `to`, `remove-key`, `replace-entry` with `key` and `value`, \
                               `rename-import`, `move-import` with `from`, `rename-property` with `to`, `replace-text`, \
                               or `add-await`";
                self.error(file, source.edit.span(), message);
                return None;
            }
        };
        let versions = match &source.versions {
            Some(text) => self.text(file, text)?,
            None => Intervals::all(),
        };
        Some(FixRow {
            versions,
            safety: source.safety,
            title: source.title.clone(),
            edit,
            only_for_counts: source.only_for_counts,
        })
    }

    fn example(&mut self, file: &TableFile, source: &ExampleSource, cases: &[Case]) -> Option<Example> {
        let Some((package, version)) = source.with.get_ref().rsplit_once('@') else {
            self.error(file, source.with.span(), "`with` is `package@version`");
            return None;
        };
        if let Some(case) = &source.case
            && !cases.iter().any(|known| known.name == *case.get_ref())
        {
            self.error(file, case.span(), format!("there is no case called `{}`", case.get_ref()));
        }
        Some(Example {
            package: package.to_owned(),
            version: version.to_owned(),
            before: source.before.clone(),
            after: source.after.clone(),
            case: source.case.as_ref().map(|case| case.get_ref().clone()),
        })
    }

    fn finish(mut self) -> Result<Loaded, Vec<LoadError>> {
        self.catalog.rules.sort_by(|a, b| a.id.cmp(&b.id));
        let mut thresholds: Vec<Release> = Vec::new();
        for case in self.catalog.rules.iter().flat_map(|rule| &rule.cases) {
            thresholds.extend(case.versions.thresholds());
            thresholds.extend(case.fixes.iter().flat_map(|fix| fix.versions.thresholds().collect::<Vec<_>>()));
        }
        let surface = &mut self.catalog.surface;
        surface.options.sort_by_key(|(record, _)| *record);
        surface.things.sort_by_key(|(record, _)| *record);
        surface.properties.sort_by_key(|(record, _)| *record);
        surface.exports.sort_by(|(a, _), (b, _)| a.cmp(b));
        for newer in [&mut surface.newer_options, &mut surface.newer_properties, &mut surface.newer_exports] {
            newer.sort_by(|a, b| a.name.cmp(&b.name));
        }
        for package in &mut self.catalog.packages {
            package.thresholds.clone_from(&thresholds);
            for names in self.catalog.surface.all().filter(|names| names.package == package.name) {
                let groups = names.groups.iter().map(|(versions, _)| versions);
                package.thresholds.extend(groups.chain([&names.known]).flat_map(Intervals::thresholds));
            }
            package.thresholds.sort_unstable();
            package.thresholds.dedup();
        }
        if self.errors.is_empty() { Ok(Loaded { catalog: self.catalog, docs: self.docs }) } else { Err(self.errors) }
    }
}
