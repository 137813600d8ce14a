//! The fixes of a finding, as they are told below it.

use std::ops::Range;

use agentcheck_catalog::Safety;
use agentcheck_lint::{Edit, Fix, Report, SourceFile};

use crate::clip::ShownLine;
use crate::style::{Paint, Style};
use crate::text::{count, prose, wrap};

/// Where the values of `help:`, `fix:` and `found` begin.
pub(crate) const INDENT: &str = "        ";
/// Lines of one side of a preview.
const MOST_LINES: usize = 6;
/// Bytes of source beyond which a preview shows the edited text alone: a minified file is one line.
const MOST_BYTES: usize = 4_096;

/// `fix:  Rename it to `stopWhen`  (--fix)`, and for a fix by hand the lines before and after it.
pub(crate) fn push_fix(out: &mut String, report: &Report, fix: &Fix, style: &Style) {
    let how = match fix.safety {
        Safety::Safe => "--fix",
        Safety::Unsafe => "--unsafe-fixes",
        Safety::Manual => "by hand",
    };
    let key = format!("  {}  ", style.paint(Paint::Key, "fix:"));
    // Two spaces set the flag apart from the sentence; wrapping would keep them, and break between them at worst.
    let text = format!("{}  ({how})", prose(&fix.title));
    out.push_str(&wrap(&text, style.prose_width(), &key, INDENT));
    out.push('\n');
    if fix.safety == Safety::Manual {
        push_preview(out, report, &fix.edits, style);
    }
}

/// The lines that the edits touch, before and after.
fn push_preview(out: &mut String, report: &Report, edits: &[Edit], style: &Style) {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|edit| edit.place);
    for edits in edits.chunk_by(|a, b| a.place.file == b.place.file) {
        let Some(file) = report.files.get(&edits[0].place.file) else { continue };
        for edits in edits.chunk_by(|a, b| lines_of(file, b).start <= lines_of(file, a).end) {
            let (old, new) = before_and_after(file, edits);
            push_side(out, &old, '-', Paint::Removed, style);
            push_side(out, &new, '+', Paint::Added, style);
        }
    }
}

/// The byte range of the whole lines that `edit` touches.
fn lines_of(file: &SourceFile, edit: &Edit) -> Range<usize> {
    let (index, span) = (file.line_index(), edit.place.span);
    let line = |offset: u32| index.line_range(index.line_of(offset), &file.text);
    let start = line(span.start).map_or(0, |range| range.start) as usize;
    let end = line(span.end).map_or(file.text.len(), |range| range.end as usize);
    start.min(span.start as usize)..end.max(span.end as usize)
}

/// The lines that neighbouring edits change, without the lines and the indentation that both sides have in common.
fn before_and_after(file: &SourceFile, edits: &[&Edit]) -> (Vec<String>, Vec<String>) {
    let mut range = lines_of(file, edits[0]);
    range.end = lines_of(file, edits[edits.len() - 1]).end;
    if range.len() > MOST_BYTES {
        range = edits[0].place.span.range();
        range.end = edits[edits.len() - 1].place.span.end as usize;
    }
    let old = file.text.get(range.clone()).unwrap_or_default();
    let mut new = String::with_capacity(old.len());
    let mut done = range.start;
    for edit in edits {
        let span = edit.place.span.range();
        new.push_str(file.text.get(done..span.start).unwrap_or_default());
        new.push_str(&edit.text);
        done = span.end;
    }
    new.push_str(file.text.get(done..range.end).unwrap_or_default());

    let (mut old, mut new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    old.drain(..same);
    new.drain(..same);
    while old.last().is_some() && old.last() == new.last() {
        old.pop();
        new.pop();
    }
    let indent = |line: &&&str| line.len() - line.trim_start().len();
    let common = old.iter().chain(&new).filter(|line| !line.trim().is_empty()).map(|line| indent(&line)).min();
    let cut = |lines: Vec<&str>| -> Vec<String> {
        lines.into_iter().map(|line| line.get(common.unwrap_or(0)..).unwrap_or_default().to_owned()).collect()
    };
    (cut(old), cut(new))
}

fn push_side(out: &mut String, lines: &[String], sign: char, paint: Paint, style: &Style) {
    // One line more is not worth a line that says so.
    let shown = if lines.len() > MOST_LINES + 1 { MOST_LINES } else { lines.len() };
    let columns = style.width.saturating_sub(INDENT.len() + 2);
    for line in &lines[..shown] {
        let line = ShownLine::new(line, &[], columns, style.ellipsis()).text;
        let line = format!("{sign} {line}");
        out.push_str(&format!("{INDENT}{}\n", style.paint(paint, line.trim_end())));
    }
    if shown < lines.len() {
        let more = format!("{sign} {} {} more", style.ellipsis(), count(lines.len() - shown, "line"));
        out.push_str(&format!("{INDENT}{}\n", style.paint(paint, more)));
    }
}

#[cfg(test)]
mod tests {
    use agentcheck_syntax::{FileId, Place, Span};

    use super::*;
    use crate::samples::{AGENT, ASCII, COLORED, UNICODE, fix, place, report};

    fn drawn(report: &Report, fix: &Fix, style: &Style) -> String {
        let mut out = String::new();
        push_fix(&mut out, report, fix, style);
        out
    }

    #[test]
    fn says_how_a_fix_is_applied() {
        let report = report(&[]);
        assert_eq!(drawn(&report, &fix("Rename it", Safety::Safe, &[]), &ASCII), "  fix:  Rename it  (--fix)\n");
        assert_eq!(
            drawn(&report, &fix("Wrap\nthe body", Safety::Unsafe, &[]), &ASCII),
            "  fix:  Wrap the body  (--unsafe-fixes)\n"
        );
    }

    #[test]
    fn a_fix_by_hand_is_shown() {
        let report = report(&[("src/agent.ts", AGENT)]);
        let edits = [
            (place(&report, 0, "  maxSteps: 5,\n"), ""),
            (place(&report, 0, "model,"), "model,\n  stopWhen: stepCountIs(5),"),
        ];
        assert_eq!(
            drawn(&report, &fix("Say when to stop", Safety::Manual, &edits), &ASCII),
            "  fix:  Say when to stop  (by hand)\n        + stopWhen: stepCountIs(5),\n        - maxSteps: 5,\n"
        );
    }

    #[test]
    fn edits_on_one_line_are_shown_together() {
        let report = report(&[("src/agent.ts", AGENT)]);
        let edits = [(place(&report, 0, "maxSteps"), "stopWhen"), (place(&report, 0, "5"), "stepCountIs(5)")];
        let fix = fix("Say when to stop", Safety::Manual, &edits);
        assert!(
            drawn(&report, &fix, &ASCII).ends_with("        - maxSteps: 5,\n        + stopWhen: stepCountIs(5),\n")
        );
        assert!(drawn(&report, &fix, &COLORED).contains("\u{1b}[32m+ stopWhen: stepCountIs(5),\u{1b}[0m"));
    }

    #[test]
    fn a_preview_is_short_and_printable() {
        let report = report(&[("min.js", &"x".repeat(100_000))]);
        let at = Place { file: FileId(0), span: Span::new(70_000, 70_003) };
        let text: String = (0..20).map(|line| format!("\u{1b}[31mline {line}\n")).collect();
        let drawn = drawn(&report, &fix("Replace it", Safety::Manual, &[(at, &text)]), &UNICODE);
        assert_eq!(drawn.lines().count(), 9, "{drawn}");
        assert!(drawn.contains("- xxx\n") && drawn.ends_with("+ … 14 lines more\n"), "{drawn}");
        assert!(!drawn.contains('\u{1b}') && drawn.len() < 1_000);
    }
}
