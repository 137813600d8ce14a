//! The names and strings of a module, each stored once.

use rustc_hash::FxHashMap;

use super::NameId;

/// The interned texts of a module: identifiers, property names, string and number literals.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Names {
    text: String,
    /// End offset of each name in `text`; it starts where the one before ends.
    ends: Vec<u32>,
    /// Ids sorted by their text, for looking a text up.
    sorted: Vec<NameId>,
}

impl Names {
    /// The text of a name.
    pub fn text(&self, id: NameId) -> &str {
        let start = if id.index() == 0 { 0 } else { self.ends[id.index() - 1] };
        &self.text[start as usize..self.ends[id.index()] as usize]
    }

    /// The id of `text`, or `None` when it occurs nowhere in the module.
    pub fn get(&self, text: &str) -> Option<NameId> {
        let index = self.sorted.binary_search_by(|id| self.text(*id).cmp(text)).ok()?;
        Some(self.sorted[index])
    }
}

/// Interns while a module is lowered.
#[derive(Default)]
pub(crate) struct Interner {
    names: Names,
    ids: FxHashMap<Box<str>, NameId>,
}

impl Interner {
    pub(crate) fn intern(&mut self, text: &str) -> NameId {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        let id = NameId::new(self.names.ends.len());
        self.names.text.push_str(text);
        self.names.ends.push(self.names.text.len() as u32);
        self.ids.insert(text.into(), id);
        id
    }

    /// The id of a text that was interned already.
    pub(crate) fn find(&self, text: &str) -> Option<NameId> {
        self.ids.get(text).copied()
    }

    pub(crate) fn finish(mut self) -> Names {
        let mut sorted: Vec<NameId> = (0..self.names.ends.len()).map(NameId::new).collect();
        sorted.sort_by(|a, b| self.names.text(*a).cmp(self.names.text(*b)));
        self.names.sorted = sorted;
        self.names.text.shrink_to_fit();
        self.names.ends.shrink_to_fit();
        self.names
    }
}
