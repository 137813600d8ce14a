//! JUnit's XML: a test case a finding, for systems that show test results.

use std::io;

use agentcheck_catalog::Severity;
use agentcheck_lint::{Finding, Report};

use crate::location::Location;

/// Writes one suite a file. Errors and warnings are failures; infos are skipped cases, which fail nothing.
pub(crate) fn write(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    let failures = |findings: &[&Finding]| findings.iter().filter(|finding| finding.severity > Severity::Info).count();
    let all: Vec<&Finding> = report.findings.iter().collect();
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites name=\"agentcheck\" tests=\"{}\" failures=\"{}\">", all.len(), failures(&all))?;
    for findings in all.chunk_by(|a, b| a.place.file == b.place.file) {
        let path = Location::of(report, findings[0].place).path;
        let (tests, failed) = (findings.len(), failures(findings));
        writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{tests}\" failures=\"{failed}\" skipped=\"{}\">",
            escaped(path),
            tests - failed
        )?;
        for finding in findings {
            case(report, finding, out)?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

fn case(report: &Report, finding: &Finding, out: &mut dyn io::Write) -> io::Result<()> {
    let Location { path, start, .. } = Location::of(report, finding.place);
    let (line, column) = (start.line + 1, start.column + 1);
    writeln!(
        out,
        "    <testcase name=\"{} {line}:{column}\" classname=\"{}\" file=\"{}\" line=\"{line}\">",
        escaped(&finding.rule),
        escaped(path),
        escaped(path)
    )?;
    let message = escaped(&finding.message);
    match finding.severity {
        Severity::Info => writeln!(out, "      <skipped message=\"{message}\"/>")?,
        severity => {
            let help = finding.help.as_deref().unwrap_or_default();
            writeln!(
                out,
                "      <failure type=\"{}\" message=\"{message}\">{}:{line}:{column} {}</failure>",
                severity.name(),
                escaped(path),
                escaped(help)
            )?;
        }
    }
    writeln!(out, "    </testcase>")
}

/// Text for XML: what XML cannot hold at all is replaced.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push('\t'),
            character if character.is_control() || matches!(character, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            character => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{AGENT, finding, place, report};

    #[test]
    fn a_finding_is_a_failed_case() {
        let mut report = report(&[("src/a.ts", AGENT)]);
        let mut own = finding(place(&report, 0, "maxSteps"));
        own.message = "<b> & \"c\"\u{1}".to_owned();
        own.help = None;
        let mut info = finding(place(&report, 0, "tools"));
        info.severity = Severity::Info;
        report.findings.extend([own, info]);
        let mut out = Vec::new();
        write(&report, &mut out).expect("writing into memory");
        let text = String::from_utf8(out).expect("UTF-8");
        assert!(text.contains("<testsuite name=\"src/a.ts\" tests=\"2\" failures=\"1\" skipped=\"1\">"), "{text}");
        assert!(text.contains("message=\"&lt;b&gt; &amp; &quot;c&quot;\u{fffd}\""), "{text}");
    }
}
