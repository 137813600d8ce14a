//! One line a finding, for editors, `grep` and `wc`.

use std::io;

use agentcheck_catalog::Safety;
use agentcheck_lint::{Finding, Report};

use crate::location::Location;
use crate::style::{Paint, Style};
use crate::text::one_line;

/// Writes `path:line:column: severity rule: message` for every finding, and nothing else.
pub(crate) fn write(report: &Report, style: &Style, out: &mut dyn io::Write) -> io::Result<()> {
    for finding in &report.findings {
        writeln!(
            out,
            "{}: {} {}: {}{}",
            style.paint(Paint::Key, Location::of(report, finding.place).shown()),
            style.paint(Paint::severity(finding.severity), finding.severity.name()),
            style.paint(Paint::Strong, one_line(&finding.rule)),
            one_line(&finding.message),
            fix_note(finding),
        )?;
    }
    Ok(())
}

fn fix_note(finding: &Finding) -> &'static str {
    match finding.fixes.iter().map(|fix| fix.safety).min() {
        Some(Safety::Safe) => " (fix available)",
        Some(Safety::Unsafe) => " (unsafe fix available)",
        Some(Safety::Manual) | None => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{AGENT, ASCII, COLORED, finding, fix, place, report};

    fn written(report: &Report, style: &Style) -> String {
        let mut out = Vec::new();
        write(report, style, &mut out).expect("writing into memory");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn a_finding_is_one_line_whatever_it_says() {
        let mut report = report(&[("src/a\n.ts", AGENT)]);
        let mut first = finding(place(&report, 0, "maxSteps"));
        first.message = "ignored\r\n\u{1b}[2Jhere".to_owned();
        first.fixes.push(fix("Do", Safety::Safe, &[]));
        report.findings.push(first);
        assert_eq!(
            written(&report, &ASCII),
            "src/a\\n.ts:6:3: error ai-sdk/max-steps: ignored\\r\\n\\u{1b}[2Jhere (fix available)\n"
        );
    }

    #[test]
    fn colours_leave_the_words_alone() {
        let mut report = report(&[("a.ts", AGENT)]);
        report.findings.push(finding(place(&report, 0, "maxSteps")));
        let colored = written(&report, &COLORED);
        assert!(colored.starts_with("\u{1b}[36ma.ts:6:3\u{1b}[0m: \u{1b}[1;31merror\u{1b}[0m "));
    }

    #[test]
    fn a_file_that_is_missing_does_not_panic() {
        let mut report = report(&[("a.ts", AGENT)]);
        report.findings.push(finding(place(&report, 0, "maxSteps")));
        report.files.clear();
        assert!(written(&report, &ASCII).starts_with("<unknown file>:1:1: error"));
    }
}
