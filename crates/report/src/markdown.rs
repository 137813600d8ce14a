//! Markdown for a comment on a pull request or the summary of a CI step.

use std::io;

use agentcheck_lint::{Finding, Report};

use crate::location::Location;

/// Writes a heading with the counts and one table a file.
pub(crate) fn write(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    let summary = report.summary;
    if report.findings.is_empty() {
        return writeln!(out, "### agentcheck: no findings in {} files", summary.files);
    }
    writeln!(
        out,
        "### agentcheck: {} errors, {} warnings, {} infos in {} files",
        summary.errors, summary.warnings, summary.infos, summary.files
    )?;
    let all: Vec<&Finding> = report.findings.iter().collect();
    for findings in all.chunk_by(|a, b| a.place.file == b.place.file) {
        let path = Location::of(report, findings[0].place).path;
        writeln!(out, "\n**{}**\n\n| line | severity | rule | |\n| ---: | --- | --- | --- |", cell(path))?;
        for finding in findings {
            let line = Location::of(report, finding.place).start.line + 1;
            let help = finding.help.as_deref().map(|help| format!("<br>{}", cell(help))).unwrap_or_default();
            writeln!(
                out,
                "| {line} | {} | {} | {}{help} |",
                finding.severity.name(),
                cell(&finding.rule),
                cell(&finding.message)
            )?;
        }
    }
    if summary.fixable > 0 {
        writeln!(out, "\n{} can be fixed by `agentcheck --fix` or `--unsafe-fixes`.", summary.fixable)?;
    }
    Ok(())
}

/// A text within a cell. What stands in backticks is left as code; elsewhere nothing of it is markup.
fn cell(text: &str) -> String {
    let mut out = String::new();
    let mut in_code = false;
    for character in text.chars() {
        match character {
            '`' => {
                in_code = !in_code;
                out.push('`');
            }
            '|' => out.push_str("\\|"),
            '\n' | '\r' => out.push(' '),
            '<' if !in_code => out.push_str("&lt;"),
            '*' | '_' | '[' | ']' | '\\' if !in_code => {
                out.push('\\');
                out.push(character);
            }
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
    fn a_file_is_a_table() {
        let mut report = report(&[("src/a_b.ts", AGENT)]);
        let mut own = finding(place(&report, 0, "maxSteps"));
        own.message = "`a|b` is <i>".to_owned();
        own.help = Some("Do *it*.".to_owned());
        report.findings.push(own);
        report.summary.errors = 1;
        let mut out = Vec::new();
        write(&report, &mut out).expect("writing into memory");
        let text = String::from_utf8(out).expect("UTF-8");
        assert!(text.contains("**src/a\\_b.ts**"), "{text}");
        assert!(text.contains("| 6 | error | ai-sdk/max-steps | `a\\|b` is &lt;i><br>Do \\*it\\*. |"), "{text}");
    }
}
