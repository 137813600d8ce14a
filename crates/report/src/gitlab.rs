//! GitLab's code quality report.

use std::io;

use agentcheck_catalog::Severity;
use agentcheck_lint::Report;
use serde_json::{Value, json};

/// Writes one array of issues. Paths are relative to the repository.
pub(crate) fn write(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    let fingerprints = agentcheck_lint::fingerprints(report);
    let issues: Vec<Value> = report
        .findings
        .iter()
        .zip(fingerprints)
        .map(|(finding, fingerprint)| {
            let severity = match finding.severity {
                Severity::Error => "major",
                Severity::Warning => "minor",
                Severity::Info => "info",
            };
            let file = report.files.get(&finding.place.file);
            let lines = file.map(|file| file.positions(finding.place.span));
            let (begin, end) = lines.map_or((1, 1), |(start, end)| (start.line + 1, end.line + 1));
            json!({
                "type": "issue",
                "check_name": &*finding.rule,
                "description": finding.message,
                "categories": ["Bug Risk"],
                "severity": severity,
                "fingerprint": fingerprint,
                "location": {
                    "path": file.map_or("", |file| file.root_path.as_str()),
                    "lines": { "begin": begin, "end": end },
                },
            })
        })
        .collect();
    serde_json::to_writer(&mut *out, &issues)?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{AGENT, finding, place, report};

    #[test]
    fn an_issue_has_what_gitlab_asks_for() {
        let mut report = report(&[("src/a.ts", AGENT)]);
        report.findings.push(finding(place(&report, 0, "maxSteps")));
        let mut out = Vec::new();
        write(&report, &mut out).expect("writing into memory");
        let issues: Value = serde_json::from_slice(&out).expect("JSON");
        assert_eq!(issues[0]["severity"], "major");
        assert_eq!(issues[0]["location"], json!({ "path": "src/a.ts", "lines": { "begin": 6, "end": 6 } }));
        assert!(issues[0]["fingerprint"].as_str().is_some_and(|text| !text.is_empty()));
    }
}
