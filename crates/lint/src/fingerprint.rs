//! A name for a finding that survives what does not matter to it: other lines coming and going, indentation, line endings,
//! the working directory, the platform. Baselines and code scanning recognise findings by it.

use agentcheck_syntax::{FileId, Place, Span};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use crate::finding::Finding;
use crate::report::{Report, SourceFile};

/// A line that is longer, as in minified code, would make every finding on it look alike: the surroundings count instead.
const LONG_LINE: u32 = 1_000;
const SURROUNDINGS: u32 = 100;

/// The fingerprints of `report.findings` and then of `report.baselined`, in order: 128 bits in hexadecimal, made of the rule,
/// the file's path below the project's root, the flagged lines with their white space evened out, and a number that tells
/// equal ones apart.
pub fn fingerprints(report: &Report) -> Vec<String> {
    let mut all = all(report);
    all.truncate(report.findings.len() + report.baselined.len());
    all
}

/// The fingerprints of `report.suppressed`, in order. They differ from those of the findings: a suppression does not
/// renumber the findings of the same text that stand beside it.
pub fn suppressed_fingerprints(report: &Report) -> Vec<String> {
    all(report).split_off(report.findings.len() + report.baselined.len())
}

/// Findings, those of a baseline, suppressed ones.
fn all(report: &Report) -> Vec<String> {
    let suppressed = report.suppressed.iter().map(|suppressed| &suppressed.finding);
    let keys: Vec<(u128, FileId, Span)> = report
        .findings
        .iter()
        .chain(&report.baselined)
        .chain(suppressed)
        .map(|finding| {
            let Place { file, span } = finding.place;
            (key(finding, report.files.get(&file)), file, span)
        })
        .collect();
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|index| (keys[*index], *index));
    let mut fingerprints = vec![String::new(); keys.len()];
    let mut ordinal = 0u64;
    for (position, index) in order.iter().enumerate() {
        // Equal ones of another file are another root's: which files a run looks at must not matter.
        let is_equal = position > 0 && {
            let (before, now) = (keys[order[position - 1]], keys[*index]);
            (before.0, before.1) == (now.0, now.1)
        };
        ordinal = if is_equal { ordinal + 1 } else { 0 };
        let mut bytes = [0u8; 24];
        bytes[..16].copy_from_slice(&keys[*index].0.to_le_bytes());
        bytes[16..].copy_from_slice(&ordinal.to_le_bytes());
        fingerprints[*index] = format!("{:032x}", xxh3_128(&bytes));
    }
    fingerprints
}

/// What findings that are the same but for their place share.
fn key(finding: &Finding, file: Option<&SourceFile>) -> u128 {
    let mut hasher = Xxh3::new();
    hasher.update(finding.rule.as_bytes());
    hasher.update(b"\0");
    if let Some(file) = file {
        hasher.update(file.root_path.as_bytes());
        hasher.update(b"\0");
        for word in flagged(file, finding.place).split_whitespace() {
            hasher.update(word.as_bytes());
            hasher.update(b" ");
        }
    }
    hasher.digest128()
}

/// The whole lines of a place, or its surroundings where these are too much.
fn flagged(file: &SourceFile, place: Place) -> &str {
    let (index, text, span) = (file.line_index(), &*file.text, place.span);
    let length = text.len() as u32;
    let (start, end) = (span.start.min(length), span.end.clamp(span.start.min(length), length));
    let line_start = index.line_range(index.line_of(start), text).map_or(start, |range| range.start.min(start));
    let line_end = index.line_range(index.line_of(end), text).map_or(end, |range| range.end.max(end));
    let from = if start - line_start > LONG_LINE { start - SURROUNDINGS } else { line_start };
    let to = if line_end - end > LONG_LINE { end + SURROUNDINGS } else { line_end };
    let boundary = |offset: u32| (0..=offset as usize).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[boundary(from)..boundary(to)]
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::finding::{Suppressed, Suppression};
    use agentcheck_catalog::{Category, Severity};

    /// A report with a finding on every `flag` in the text.
    fn report(path: &str, root_path: &str, text: &str) -> Report {
        let mut report = Report::default();
        report.files.insert(FileId(0), SourceFile::new(path.to_owned(), root_path.to_owned(), Arc::from(text)));
        report.findings = text
            .match_indices("flag")
            .map(|(start, flag)| Finding {
                rule: "ai-sdk/max-steps".into(),
                category: Category::SilentBreak,
                severity: Severity::Error,
                pedantic: false,
                message: String::new(),
                help: None,
                place: Place { file: FileId(0), span: Span::new(start as u32, (start + flag.len()) as u32) },
                related: Vec::new(),
                packages: Vec::new(),
                fixes: Vec::new(),
            })
            .collect();
        report
    }

    fn of(text: &str) -> Vec<String> {
        fingerprints(&report("src/a.ts", "src/a.ts", text))
    }

    #[test]
    fn the_value_is_fixed() {
        // Baselines hold it: a change here breaks every one of them.
        assert_eq!(of("  flag: 1,\n"), ["d3d1fce1d6c3f4f6a50b49c21c8027c4"]);
    }

    #[test]
    fn layout_does_not_matter() {
        let expected = of("a;\n  flag: 1, b\nc;\n");
        for text in ["flag: 1, b", "x\n\n\n\tflag:   1,\tb  \ny", "\u{feff}flag: 1, b", "a;\r\n  flag: 1, b\r\nc;\r\n"]
        {
            assert_eq!(of(text), expected, "{text:?}");
        }
        assert_ne!(of("flag: 2, b"), expected);
    }

    #[test]
    fn the_path_below_the_root_matters_and_no_other() {
        let expected = fingerprints(&report("src/a.ts", "web/src/a.ts", "flag"));
        assert_eq!(fingerprints(&report("../a.ts", "web/src/a.ts", "flag")), expected);
        assert_ne!(fingerprints(&report("src/a.ts", "web/src/b.ts", "flag")), expected);
    }

    #[test]
    fn equal_findings_are_numbered_from_the_top() {
        let three = of("flag;\nflag;\nother flag;\n");
        assert_ne!(three[0], three[1]);
        assert_eq!(three[0], of("flag;\n")[0]);
        let moved = of("other flag;\n\nflag;\nflag;\n");
        assert_eq!([&moved[1], &moved[2], &moved[0]], [&three[0], &three[1], &three[2]]);
    }

    #[test]
    fn files_of_other_roots_with_the_same_path_do_not_matter() {
        let mut both = report("a/x.ts", "x.ts", "flag");
        let alone = fingerprints(&both);
        let mut other = report("b/x.ts", "x.ts", "flag");
        other.findings[0].place.file = FileId(1);
        both.files.insert(FileId(1), SourceFile::new("b/x.ts".to_owned(), "x.ts".to_owned(), Arc::from("flag")));
        both.findings.insert(0, other.findings.remove(0));
        assert_eq!(fingerprints(&both), [alone[0].clone(), alone[0].clone()]);
    }

    #[test]
    fn the_order_of_the_findings_does_not_matter() {
        let mut report = report("a.ts", "a.ts", "flag;\nflag;\n");
        let mut expected = fingerprints(&report);
        report.findings.reverse();
        expected.reverse();
        assert_eq!(fingerprints(&report), expected);
    }

    #[test]
    fn suppressing_one_does_not_rename_the_other() {
        let mut report = report("a.ts", "a.ts", "flag;\nflag;\n");
        let before = fingerprints(&report);
        let finding = report.findings.remove(0);
        report.suppressed.push(Suppressed { finding, by: Suppression { comment: Span::empty(0), reason: None } });
        assert_eq!(fingerprints(&report), before[1..]);
        assert_eq!(suppressed_fingerprints(&report), before[..1]);
    }

    #[test]
    fn findings_on_a_minified_line_are_told_apart_by_their_surroundings() {
        let filler = "x();".repeat(1_000);
        let both = of(&format!("{filler}one(flag);{filler}two(flag);{filler}"));
        assert_eq!(of(&format!("{filler}new();{filler}two(flag);{filler}"))[0], both[1]);
    }

    #[test]
    fn any_span_is_survived() {
        for text in ["", "🙂", "\u{feff}", "a\r\n"] {
            let mut report = report("a.ts", "a.ts", "flag");
            report.files.insert(FileId(0), SourceFile::new(String::new(), String::new(), Arc::from(text)));
            for (start, end) in [(0, 0), (1, 2), (3, 1), (9, 9)] {
                report.findings[0].place.span = Span { start, end };
                assert_eq!(fingerprints(&report)[0].len(), 32);
            }
            report.files.clear();
            assert_eq!(fingerprints(&report)[0].len(), 32);
        }
    }
}
