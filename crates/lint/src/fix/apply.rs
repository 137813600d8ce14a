//! Many fixes → one round of edits. A fix is applied whole or not at all; of two that touch the same text the first in source
//! order is applied, and the other gets its turn in the next round, on the text as it then is.

use std::collections::{BTreeMap, BTreeSet};

use agentcheck_catalog::Safety;
use agentcheck_syntax::{FileId, Span};

use crate::finding::{Edit, Finding};

/// The edits of one round, by file, sorted and free of overlaps.
#[derive(Debug, Default)]
pub struct Chosen {
    pub edits: BTreeMap<FileId, Vec<(Span, String)>>,
    /// The findings whose fixes are in, by the index they were given with.
    pub findings: Vec<usize>,
}

/// How many fixes of each rule were applied, over all rounds.
pub type Applied = BTreeMap<std::sync::Arc<str>, usize>;

/// Picks the fixes of one round: of each finding the first that is safe enough. The files in `one_by_one` get one fix at most.
pub fn choose<'f>(
    findings: impl IntoIterator<Item = (usize, &'f Finding)>,
    at_most: Safety,
    one_by_one: &BTreeSet<FileId>,
) -> Chosen {
    let mut chosen = Chosen::default();
    for (index, finding) in findings {
        let Some(fix) = finding.fixes.iter().find(|fix| fix.safety <= at_most && !fix.edits.is_empty()) else {
            continue;
        };
        let waits = fix
            .edits
            .iter()
            .any(|edit| one_by_one.contains(&edit.place.file) && chosen.edits.contains_key(&edit.place.file));
        if !waits && fix.edits.iter().all(|edit| fits(&chosen, edit)) {
            for edit in &fix.edits {
                insert(&mut chosen, edit);
            }
            chosen.findings.push(index);
        }
    }
    chosen
}

/// Whether an edit neither overlaps an accepted one nor inserts at the same place. The same edit twice is one edit: two fixes
/// may add the same import.
fn fits(chosen: &Chosen, edit: &Edit) -> bool {
    let Some(edits) = chosen.edits.get(&edit.place.file) else { return true };
    let span = edit.place.span;
    // Sorted and apart: only the neighbours can be in the way.
    let first = edits.partition_point(|(other, _)| other.end < span.start);
    edits[first..].iter().take_while(|(other, _)| other.start <= span.end).all(|(other, text)| {
        let same = *other == span && *text == edit.text;
        let apart = span.end < other.start || other.end < span.start;
        // Touching ranges are apart unless one of them is an insertion, whose order would be a guess.
        let touching =
            (span.end == other.start || other.end == span.start) && span.start != span.end && other.start != other.end;
        same || apart || touching
    })
}

fn insert(chosen: &mut Chosen, edit: &Edit) {
    let edits = chosen.edits.entry(edit.place.file).or_default();
    let entry = (edit.place.span, edit.text.clone());
    if let Err(at) = edits.binary_search(&entry) {
        edits.insert(at, entry);
    }
}

/// `source` with sorted, non-overlapping edits applied.
pub fn apply_edits(source: &str, edits: &[(Span, String)]) -> String {
    let mut result = String::with_capacity(source.len());
    let mut at = 0;
    for (span, text) in edits {
        result.push_str(&source[at..span.start as usize]);
        result.push_str(text);
        at = span.end as usize;
    }
    result.push_str(&source[at..]);
    result
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use agentcheck_catalog::{Category, Severity};
    use agentcheck_syntax::Place;

    use super::*;
    use crate::finding::Fix;

    fn finding(edits: &[(u32, u32, &str)]) -> Finding {
        let file = FileId(0);
        let edits = edits
            .iter()
            .map(|(start, end, text)| Edit {
                place: Place { file, span: Span::new(*start, *end) },
                text: (*text).to_owned(),
            })
            .collect();
        Finding {
            rule: Arc::from("ai-sdk/x"),
            category: Category::Hygiene,
            severity: Severity::Error,
            pedantic: false,
            message: String::new(),
            help: None,
            place: Place { file, span: Span::new(0, 1) },
            related: Vec::new(),
            packages: Vec::new(),
            fixes: vec![Fix { title: String::new(), safety: Safety::Safe, edits }],
        }
    }

    fn applied(findings: &[Finding]) -> (String, usize) {
        let chosen = choose(findings.iter().enumerate(), Safety::Safe, &BTreeSet::new());
        let edits = chosen.edits.get(&FileId(0)).cloned().unwrap_or_default();
        (apply_edits("abcdef", &edits), chosen.findings.len())
    }

    #[test]
    fn a_fix_that_overlaps_an_accepted_one_waits_whole() {
        let first = finding(&[(1, 3, "X")]);
        let second = finding(&[(0, 1, "Y"), (2, 4, "Z")]);
        assert_eq!(applied(&[first, second]), ("aXdef".to_owned(), 1));
    }

    #[test]
    fn the_same_edit_of_two_fixes_is_made_once() {
        let first = finding(&[(0, 0, "import;"), (1, 2, "B")]);
        let second = finding(&[(0, 0, "import;"), (4, 5, "E")]);
        assert_eq!(applied(&[first, second]), ("import;aBcdEf".to_owned(), 2));
    }

    #[test]
    fn different_insertions_at_one_place_take_two_rounds() {
        let first = finding(&[(2, 2, "1")]);
        let second = finding(&[(2, 2, "2")]);
        assert_eq!(applied(&[first, second]), ("ab1cdef".to_owned(), 1));
    }

    #[test]
    fn unsafe_fixes_need_leave() {
        let mut unsafe_one = finding(&[(0, 1, "X")]);
        unsafe_one.fixes[0].safety = Safety::Unsafe;
        assert_eq!(applied(&[unsafe_one.clone()]).1, 0);
        assert_eq!(choose([(0, &unsafe_one)], Safety::Unsafe, &BTreeSet::new()).findings.len(), 1);
    }
}
