//! Which names the SDKs accept and give out, by version: options of calls, properties of results, exports of entry points.
//! Read from the published type definitions; see `xtask/surface/extract.mjs`.

use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::types::RecordId;
use crate::version::Intervals;

/// All that is known of names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surface {
    /// Keys of objects that the user writes, sorted by record.
    pub(crate) options: Vec<(RecordId, Names)>,
    /// Properties of values that the SDK gives out, sorted by record.
    pub(crate) properties: Vec<(RecordId, Names)>,
    /// Module specifier → exports, sorted.
    pub(crate) exports: Vec<(String, Names)>,
    /// What is said of options that an installed version does not have yet, sorted by name.
    pub(crate) newer_options: Vec<Newer>,
    /// The same of properties.
    pub(crate) newer_properties: Vec<Newer>,
    /// The same of exports.
    pub(crate) newer_exports: Vec<Newer>,
    /// Keys of `providerOptions`, and what they are mistaken for.
    pub(crate) providers: Vec<(String, Vec<String>)>,
    /// What messages call a value of a type, sorted by record.
    pub(crate) things: Vec<(RecordId, String)>,
    /// Properties that came with some version rather than with the first.
    #[serde(skip)]
    later: Lazy<FxHashSet<Box<str>>>,
}

/// The names of one thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Names {
    /// The package whose versions are meant.
    pub package: String,
    /// Where the thing itself exists.
    pub known: Intervals,
    /// Names, separated by spaces, by the versions that have them. Few and long, because they are read at every start; an
    /// index is made of those that are looked into.
    pub(crate) groups: Vec<(Intervals, String)>,
    /// Exports that are types, separated by spaces.
    pub(crate) types: String,
    #[serde(skip)]
    index: Lazy<FxHashMap<Box<str>, Place>>,
}

/// Where a name stands in its [`Names`].
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    /// In `groups`; `None` for a type that no group lists.
    group: Option<u32>,
    is_type: bool,
}

/// What is worked out of the tables when somebody first asks, and says nothing that they do not.
#[derive(Debug, Clone)]
struct Lazy<T>(OnceLock<T>);

impl<T> Default for Lazy<T> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<T> PartialEq for Lazy<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Lazy<T> {}

/// What is said of a name that an installed version does not have yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Newer {
    pub name: String,
    /// What earlier versions call it, depending on where it stands.
    pub former: Vec<String>,
    /// Whether the former name means the same value.
    pub same_value: bool,
    /// What happens without it, to follow "is ignored: ".
    pub effect: Option<String>,
}

impl Surface {
    /// The keys that an object in a position of this type may have.
    pub fn options(&self, record: RecordId) -> Option<&Names> {
        find(&self.options, &record)
    }

    /// The properties that a value of this type has.
    pub fn properties(&self, record: RecordId) -> Option<&Names> {
        find(&self.properties, &record)
    }

    /// The exports of an entry point.
    pub fn exports(&self, specifier: &str) -> Option<&Names> {
        let index = self.exports.binary_search_by(|(entry, _)| entry.as_str().cmp(specifier)).ok()?;
        Some(&self.exports[index].1)
    }

    /// What is said of an option that is newer than what is installed.
    pub fn newer_option(&self, name: &str) -> Option<&Newer> {
        newer(&self.newer_options, name)
    }

    /// What is said of a property that is newer than what is installed.
    pub fn newer_property(&self, name: &str) -> Option<&Newer> {
        newer(&self.newer_properties, name)
    }

    /// What is said of an export that is newer than what is installed.
    pub fn newer_export(&self, name: &str) -> Option<&Newer> {
        newer(&self.newer_exports, name)
    }

    /// The keys of `providerOptions` that providers read, each with what it is mistaken for.
    pub fn providers(&self) -> &[(String, Vec<String>)] {
        &self.providers
    }

    /// What messages call a value of a type.
    pub fn thing(&self, record: RecordId) -> Option<&str> {
        find(&self.things, &record).map(String::as_str)
    }

    /// What an option is called now that had another name.
    pub fn successor(&self, former: &str) -> Option<&str> {
        let has = |newer: &&Newer| newer.same_value && newer.former.iter().any(|name| name == former);
        self.newer_options.iter().find(has).map(|newer| newer.name.as_str())
    }

    /// The names of every type: keys of what the user writes and properties of what the SDK gives out.
    pub fn of_types(&self) -> impl Iterator<Item = (RecordId, &Names)> {
        self.options.iter().chain(&self.properties).map(|(record, names)| (*record, names))
    }

    /// What is said of newer names: of options, properties and exports.
    pub fn newer(&self) -> [&[Newer]; 3] {
        [&self.newer_options, &self.newer_properties, &self.newer_exports]
    }

    /// The names of everything, with the package that has them.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Names> {
        let exports = self.exports.iter().map(|(_, names)| names);
        self.options.iter().chain(&self.properties).map(|(_, names)| names).chain(exports)
    }

    /// Whether a property came with some version rather than with the first.
    pub fn is_later_property(&self, name: &str) -> bool {
        let later = self.later.0.get_or_init(|| {
            let groups = self.properties.iter().flat_map(|(_, names)| &names.groups);
            let later = groups.filter(|(intervals, _)| !intervals.before_last_start().is_empty());
            later.flat_map(|(_, names)| names.split(' ')).map(Box::from).collect()
        });
        later.contains(name)
    }
}

impl Names {
    pub(crate) fn new(package: String, known: Intervals, groups: Vec<(Intervals, String)>, types: String) -> Self {
        Self { package, known, groups, types, index: Lazy::default() }
    }

    fn place(&self, name: &str) -> Option<Place> {
        let index = self.index.0.get_or_init(|| {
            let mut index: FxHashMap<Box<str>, Place> = FxHashMap::default();
            for (group, (_, names)) in self.groups.iter().enumerate() {
                for name in names.split(' ') {
                    index.entry(name.into()).or_default().group.get_or_insert(group as u32);
                }
            }
            for name in self.types.split(' ') {
                index.entry(name.into()).or_default().is_type = true;
            }
            index
        });
        index.get(name).copied()
    }

    /// The versions that have a name; `None` when none has.
    pub fn versions_of(&self, name: &str) -> Option<&Intervals> {
        let group = self.place(name)?.group?;
        Some(&self.groups[group as usize].0)
    }

    /// Every name, with the versions that have it.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Intervals)> {
        self.groups.iter().flat_map(|(intervals, names)| names.split(' ').map(move |name| (name, intervals)))
    }

    /// Whether an export is a type, of which nothing is left at run time.
    pub fn is_type(&self, name: &str) -> bool {
        self.place(name).is_some_and(|place| place.is_type)
    }

    /// The versions that have the thing but not yet this name, and those that have it no more.
    pub fn lacking(&self, name: &str) -> Option<(Intervals, Intervals)> {
        let present = self.versions_of(name)?;
        let lacking = self.known.and(&present.complement());
        let before = present.before_last_start();
        Some((lacking.and(&before), lacking.and(&before.complement())))
    }
}

fn newer<'a>(list: &'a [Newer], name: &str) -> Option<&'a Newer> {
    let index = list.binary_search_by(|newer| newer.name.as_str().cmp(name)).ok()?;
    Some(&list[index])
}

fn find<'a, T>(list: &'a [(RecordId, T)], record: &RecordId) -> Option<&'a T> {
    let index = list.binary_search_by(|(known, _)| known.cmp(record)).ok()?;
    Some(&list[index].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(groups: &[(&str, &str)]) -> Names {
        let groups = groups.iter().map(|(versions, names)| (versions.parse().expect("intervals"), (*names).to_owned()));
        Names::new("ai".to_owned(), ">=4".parse().expect("an interval"), groups.collect(), "Tool".to_owned())
    }

    #[test]
    fn a_name_is_newer_before_its_last_appearance_and_gone_after_it() {
        let names =
            names(&[("*", "model prompt"), (">=7", "instructions"), ("<5", "maxSteps"), ("<5 || >=6 <7", "back")]);
        let lacking = |name: &str| {
            let (newer, gone) = names.lacking(name).expect("a known name");
            (newer.to_string(), gone.to_string())
        };
        assert_eq!(lacking("instructions"), (">=4.0.0 <7.0.0".to_owned(), String::new()));
        assert_eq!(lacking("maxSteps"), (String::new(), ">=5.0.0".to_owned()));
        assert_eq!(lacking("back"), (">=5.0.0 <6.0.0".to_owned(), ">=7.0.0".to_owned()));
        assert_eq!(lacking("model"), (String::new(), String::new()));
        assert!(names.lacking("mode").is_none());
        assert!(names.is_type("Tool") && !names.is_type("model"));
    }
}
