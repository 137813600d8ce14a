//! Workflow commands of GitHub Actions: an annotation a finding.

use std::io;

use agentcheck_catalog::Severity;
use agentcheck_lint::Report;

use crate::location::Location;

/// Writes `::error file=…,line=…::message` for every finding. GitHub shows ten of each severity a step.
pub(crate) fn write(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    for finding in &report.findings {
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let Location { path, start, end } = Location::of(report, finding.place);
        let mut message = finding.message.clone();
        if let Some(help) = &finding.help {
            message.push('\n');
            message.push_str(help);
        }
        write!(out, "::{command} file={},line={}", property(path), start.line + 1)?;
        // Columns over several lines are refused.
        match start.line == end.line {
            true => write!(out, ",col={},endColumn={}", start.column + 1, end.column + 1)?,
            false => write!(out, ",endLine={}", end.line + 1)?,
        }
        writeln!(out, ",title={}::{}", property(&format!("agentcheck {}", finding.rule)), data(&message))?;
    }
    Ok(())
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{AGENT, finding, place, report};

    #[test]
    fn nothing_in_a_finding_ends_the_command() {
        let mut report = report(&[("src/a,b:c.ts", AGENT)]);
        let mut own = finding(place(&report, 0, "maxSteps"));
        own.message = "100 %\n::error::x".to_owned();
        own.help = None;
        report.findings.push(own);
        let mut out = Vec::new();
        write(&report, &mut out).expect("writing into memory");
        assert_eq!(
            String::from_utf8(out).expect("UTF-8"),
            "::error file=src/a%2Cb%3Ac.ts,line=6,col=3,endColumn=11,title=agentcheck ai-sdk/max-steps::100 %25%0A::error::x\n"
        );
    }
}
