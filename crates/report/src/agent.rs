//! For coding agents: one line a finding, with what to do, and a count. No colours, no source.

use std::io;

use agentcheck_catalog::Safety;
use agentcheck_lint::Report;

use crate::location::Location;
use crate::text::one_line;

/// Writes `path:line:column severity rule: message Help. [fix: --fix]`.
pub(crate) fn write(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    for finding in &report.findings {
        let place = Location::of(report, finding.place).shown();
        let severity = finding.severity.name();
        write!(out, "{place} {severity} {}: {}", one_line(&finding.rule), one_line(&finding.message))?;
        if let Some(help) = &finding.help {
            write!(out, " {}", one_line(help))?;
        }
        match finding.fixes.iter().filter(|fix| !fix.edits.is_empty()).map(|fix| fix.safety).min() {
            Some(Safety::Safe) => write!(out, " [fix: agentcheck --fix]")?,
            Some(Safety::Unsafe) => write!(out, " [fix, to be looked at: agentcheck --unsafe-fixes]")?,
            Some(Safety::Manual) | None => {}
        }
        writeln!(out)?;
    }
    let summary = report.summary;
    writeln!(out, "{} errors, {} warnings, {} infos", summary.errors, summary.warnings, summary.infos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{AGENT, finding, fix, place, report};

    #[test]
    fn a_finding_is_one_line_with_what_to_do() {
        let mut report = report(&[("src/a.ts", AGENT)]);
        let mut own = finding(place(&report, 0, "maxSteps"));
        own.fixes.push(fix("Rename it", Safety::Safe, &[(own.place, "stopWhen")]));
        report.findings.push(own);
        report.summary.errors = 1;
        let mut out = Vec::new();
        write(&report, &mut out).expect("writing into memory");
        let text = String::from_utf8(out).expect("UTF-8");
        assert!(text.starts_with("src/a.ts:6:3 error ai-sdk/max-steps: "), "{text}");
        assert!(text.ends_with("[fix: agentcheck --fix]\n1 errors, 0 warnings, 0 infos\n"), "{text}");
    }
}
