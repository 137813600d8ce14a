//! What is said about a run as a whole: the notices and the last line.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use agentcheck_catalog::{Safety, Severity};
use agentcheck_lint::{Notice, NoticeKind, Report};

use crate::style::{Paint, Style};
use crate::text::{count, one_line, prose};

/// Notices that say the same of different files are listed up to this number and counted from there on.
const MOST_ALIKE: usize = 5;

/// Writes the notices of a report, one a line, for standard error. Syntax that could not be read is only counted unless
/// `verbose`: it is seldom the reader's mistake.
pub fn write_notices(report: &Report, verbose: bool, style: &Style, out: &mut dyn io::Write) -> io::Result<()> {
    let (unread, notices): (Vec<&Notice>, Vec<&Notice>) =
        report.notices.iter().partition(|notice| notice.kind == NoticeKind::Parse && !verbose);
    let mut alike: BTreeMap<(NoticeKind, &str), usize> = BTreeMap::new();
    for notice in &notices {
        *alike.entry((notice.kind, &notice.message)).or_default() += 1;
    }
    let mut written: BTreeMap<(NoticeKind, &str), usize> = BTreeMap::new();
    for notice in notices {
        let key = (notice.kind, notice.message.as_str());
        let total = alike.get(&key).copied().unwrap_or_default();
        let so_far = written.entry(key).or_default();
        *so_far += 1;
        // One line more is not worth a line that says so.
        if total <= MOST_ALIKE + 1 || *so_far <= MOST_ALIKE {
            write_notice(notice, &one_line(&notice.path), style, out)?;
        } else if *so_far == total {
            write_notice(notice, &count(total - MOST_ALIKE, "more file"), style, out)?;
        }
    }
    if let Some(first) = unread.first() {
        let message = "syntax that could not be read; the rest was inspected (-v says where)".to_owned();
        let notice = Notice { path: String::new(), kind: NoticeKind::Parse, message };
        let place = if unread.len() == 1 { first.path.clone() } else { count(unread.len(), "file") };
        write_notice(&notice, &one_line(&place), style, out)?;
    }
    Ok(())
}

fn write_notice(notice: &Notice, place: &str, style: &Style, out: &mut dyn io::Write) -> io::Result<()> {
    let (word, paint) = match notice.kind {
        // A notice about the whole run says itself what was not inspected.
        NoticeKind::NotInspected if !notice.path.is_empty() => ("not inspected", Paint::Strong),
        NoticeKind::NotInspected => ("note", Paint::Strong),
        NoticeKind::Config | NoticeKind::Manifest | NoticeKind::Parse => ("note", Paint::Strong),
        NoticeKind::Internal => ("internal error", Paint::Error),
    };
    write!(out, "{}: ", style.paint(paint, word))?;
    if !place.is_empty() {
        write!(out, "{}: ", style.paint(Paint::Key, place))?;
    }
    writeln!(out, "{}", prose(&notice.message))
}

/// `Found 3 errors, 1 warning in 2 files (12 checked, 5 parsed). 2 fixable with --fix, 1 more with --unsafe-fixes.`
pub fn summary_line(report: &Report, style: &Style) -> String {
    let summary = &report.summary;
    let mut counts = vec![format!("{} parsed", summary.parsed)];
    let mut add = |number: usize, word: &str| {
        if number > 0 {
            counts.push(format!("{number} {word}"));
        }
    };
    add(summary.skipped, "not inspected");
    add(summary.suppressed, "suppressed");
    add(report.baselined.len(), "in the baseline");
    if report.findings.is_empty() {
        return format!("No findings in {} ({}).", count(summary.files, "file"), counts.join(", "));
    }

    let of = |severity: Severity| report.findings.iter().filter(|finding| finding.severity == severity).count();
    let found: Vec<String> = [Severity::Error, Severity::Warning, Severity::Info]
        .into_iter()
        .filter(|severity| of(*severity) > 0)
        .map(|severity| style.paint(Paint::severity(severity), count(of(severity), severity.name())).to_string())
        .collect();
    let files: BTreeSet<_> = report.findings.iter().map(|finding| finding.place.file).collect();
    let mut line = format!(
        "Found {} in {} ({} checked, {}).",
        found.join(", "),
        count(files.len(), "file"),
        summary.files,
        counts.join(", ")
    );
    let fixable_by = |wanted: Safety| {
        let safest = |finding: &agentcheck_lint::Finding| finding.fixes.iter().map(|fix| fix.safety).min();
        report.findings.iter().filter(|finding| safest(finding) == Some(wanted)).count()
    };
    match (fixable_by(Safety::Safe), fixable_by(Safety::Unsafe)) {
        (0, 0) => {}
        (safe, 0) => line.push_str(&format!(" {safe} fixable with --fix.")),
        (0, more) => line.push_str(&format!(" {more} fixable with --unsafe-fixes.")),
        (safe, more) => line.push_str(&format!(" {safe} fixable with --fix, {more} more with --unsafe-fixes.")),
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{AGENT, ASCII, COLORED, finding, fix, place, report};

    fn notice(kind: NoticeKind, path: &str, message: &str) -> Notice {
        Notice { path: path.to_owned(), kind, message: message.to_owned() }
    }

    fn notices(notices: Vec<Notice>) -> String {
        let mut out = Vec::new();
        let report = Report { notices, ..Report::default() };
        write_notices(&report, true, &ASCII, &mut out).expect("writing into memory");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn counts_what_was_found() {
        let mut report = report(&[("a.ts", AGENT), ("b.ts", AGENT)]);
        (report.summary.files, report.summary.parsed) = (12, 5);
        for (file, severity, fixes) in [
            (0, Severity::Error, vec![fix("Do", Safety::Safe, &[])]),
            (0, Severity::Error, vec![fix("Do", Safety::Unsafe, &[]), fix("Do", Safety::Safe, &[])]),
            (1, Severity::Error, vec![fix("Do", Safety::Unsafe, &[])]),
            (1, Severity::Warning, vec![fix("Do", Safety::Manual, &[])]),
        ] {
            let mut finding = finding(place(&report, file, "maxSteps"));
            (finding.severity, finding.fixes) = (severity, fixes);
            report.findings.push(finding);
        }
        assert_eq!(
            summary_line(&report, &ASCII),
            "Found 3 errors, 1 warning in 2 files (12 checked, 5 parsed). 2 fixable with --fix, 1 more with --unsafe-fixes."
        );
        assert!(summary_line(&report, &COLORED).starts_with("Found \u{1b}[1;31m3 errors\u{1b}[0m, "));
        report.findings.drain(..2);
        assert_eq!(
            summary_line(&report, &ASCII),
            "Found 1 error, 1 warning in 1 file (12 checked, 5 parsed). 1 fixable with --unsafe-fixes."
        );
    }

    #[test]
    fn finding_nothing_is_said_too() {
        let mut report = Report::default();
        report.summary.files = 12;
        assert_eq!(summary_line(&report, &ASCII), "No findings in 12 files (0 parsed).");
        (report.summary.files, report.summary.parsed) = (1, 1);
        (report.summary.skipped, report.summary.suppressed) = (2, 3);
        assert_eq!(summary_line(&report, &ASCII), "No findings in 1 file (1 parsed, 2 not inspected, 3 suppressed).");
    }

    #[test]
    fn notices_say_what_they_are_about() {
        let text = notices(vec![
            notice(NoticeKind::NotInspected, "", "Nothing to inspect: no file names an SDK"),
            notice(NoticeKind::NotInspected, "dist/a\u{1b}.js", "2.1 MB is over the limit"),
            notice(NoticeKind::Internal, "src/a.ts", "the rule ai-sdk/max-steps\nfailed"),
            notice(NoticeKind::Parse, "src/b.ts", "syntax error in line 3"),
        ]);
        assert_eq!(
            text,
            "note: Nothing to inspect: no file names an SDK\n\
             not inspected: dist/a\\u{1b}.js: 2.1 MB is over the limit\n\
             internal error: src/a.ts: the rule ai-sdk/max-steps failed\n\
             note: src/b.ts: syntax error in line 3\n"
        );
    }

    #[test]
    fn many_notices_alike_are_counted() {
        let alike = |number: usize| {
            notices((0..number).map(|at| notice(NoticeKind::NotInspected, &format!("{at}.js"), "generated")).collect())
        };
        assert_eq!(alike(6).lines().count(), 6);
        assert_eq!(alike(50).lines().count(), 6);
        assert!(alike(50).ends_with("not inspected: 45 more files: generated\n"));
    }
}
