//! The format for programs. What is here is a promise (`version` 1): every key is always present, unknown values are null,
//! and a change that could break a reader needs a new version.

use std::io;

use agentcheck_lint::{Finding, Fix, Notice, Report, Suppression};
use agentcheck_model::{Evidence, VersionSource};
use agentcheck_syntax::{Place, Position};
use serde::Serialize;

use crate::location::Location;

/// Writes the report as one object on one line.
pub(crate) fn write(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Document::of(report))?;
    out.write_all(b"\n")
}

/// Writes each finding as one object on a line of its own.
pub(crate) fn write_findings(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    for (finding, fingerprint) in report.findings.iter().zip(agentcheck_lint::fingerprints(report)) {
        serde_json::to_writer(&mut *out, &FindingJson::of(report, finding, fingerprint))?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    tool: Tool,
    findings: Vec<FindingJson<'a>>,
    suppressed: Vec<SuppressedJson<'a>>,
    notices: Vec<NoticeJson<'a>>,
    summary: SummaryJson,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct FindingJson<'a> {
    rule: &'a str,
    severity: &'static str,
    category: &'static str,
    message: &'a str,
    help: Option<&'a str>,
    url: Option<String>,
    #[serde(flatten)]
    place: PlaceJson<'a>,
    related: Vec<RelatedJson<'a>>,
    packages: Vec<PackageJson<'a>>,
    fixes: Vec<FixJson<'a>>,
    fingerprint: String,
}

#[derive(Serialize)]
struct SuppressedJson<'a> {
    #[serde(flatten)]
    finding: FindingJson<'a>,
    by: SuppressionJson<'a>,
}

/// What silenced a finding: the comment's place, and the text after `--`.
#[derive(Serialize)]
struct SuppressionJson<'a> {
    #[serde(flatten)]
    place: PlaceJson<'a>,
    reason: Option<&'a str>,
}

#[derive(Serialize)]
struct PlaceJson<'a> {
    path: &'a str,
    start: PositionJson,
    end: PositionJson,
}

/// Line and column count from 1, the column in UTF-16 units; the offset counts bytes from 0.
#[derive(Serialize)]
struct PositionJson {
    line: u32,
    column: u32,
    offset: u32,
}

#[derive(Serialize)]
struct RelatedJson<'a> {
    #[serde(flatten)]
    place: PlaceJson<'a>,
    message: &'a str,
}

/// A version that the claim was decided by. Exactly known versions are listed one by one. Where only a range is known, or
/// nothing, `version` is null: any member of the range would be a guess.
#[derive(Serialize)]
struct PackageJson<'a> {
    name: &'a str,
    version: Option<&'a str>,
    range: Option<&'a str>,
    source: &'static str,
}

#[derive(Serialize)]
struct FixJson<'a> {
    title: &'a str,
    safety: &'static str,
    edits: Vec<EditJson<'a>>,
}

#[derive(Serialize)]
struct EditJson<'a> {
    #[serde(flatten)]
    place: PlaceJson<'a>,
    text: &'a str,
}

#[derive(Serialize)]
struct NoticeJson<'a> {
    kind: &'static str,
    path: &'a str,
    message: &'a str,
}

#[derive(Serialize)]
struct SummaryJson {
    files: usize,
    parsed: usize,
    skipped: usize,
    errors: usize,
    warnings: usize,
    infos: usize,
    suppressed: usize,
    fixable: usize,
}

impl<'a> Document<'a> {
    fn of(report: &'a Report) -> Self {
        let fingerprints = agentcheck_lint::fingerprints(report);
        let suppressed_fingerprints = agentcheck_lint::suppressed_fingerprints(report);
        let summary = report.summary;
        Self {
            version: 1,
            tool: Tool { name: "agentcheck", version: env!("CARGO_PKG_VERSION") },
            findings: report
                .findings
                .iter()
                .zip(fingerprints)
                .map(|(finding, fingerprint)| FindingJson::of(report, finding, fingerprint))
                .collect(),
            suppressed: report
                .suppressed
                .iter()
                .zip(suppressed_fingerprints)
                .map(|(suppressed, fingerprint)| SuppressedJson {
                    finding: FindingJson::of(report, &suppressed.finding, fingerprint),
                    by: SuppressionJson::of(report, &suppressed.finding, &suppressed.by),
                })
                .collect(),
            notices: report.notices.iter().map(NoticeJson::of).collect(),
            summary: SummaryJson {
                files: summary.files,
                parsed: summary.parsed,
                skipped: summary.skipped,
                errors: summary.errors,
                warnings: summary.warnings,
                infos: summary.infos,
                suppressed: summary.suppressed,
                fixable: summary.fixable,
            },
        }
    }
}

impl<'a> FindingJson<'a> {
    fn of(report: &'a Report, finding: &'a Finding, fingerprint: String) -> Self {
        Self {
            rule: &finding.rule,
            severity: finding.severity.name(),
            category: finding.category.name(),
            message: &finding.message,
            help: finding.help.as_deref(),
            url: crate::rule_url(&finding.rule),
            place: PlaceJson::of(report, finding.place),
            related: finding
                .related
                .iter()
                .map(|related| RelatedJson { place: PlaceJson::of(report, related.place), message: &related.message })
                .collect(),
            packages: finding.packages.iter().flat_map(|evidence| PackageJson::of(evidence)).collect(),
            fixes: finding.fixes.iter().map(|fix| FixJson::of(report, fix)).collect(),
            fingerprint,
        }
    }
}

impl<'a> SuppressionJson<'a> {
    fn of(report: &'a Report, finding: &Finding, by: &'a Suppression) -> Self {
        let place = Place { file: finding.place.file, span: by.comment };
        Self { place: PlaceJson::of(report, place), reason: by.reason.as_deref() }
    }
}

impl<'a> PlaceJson<'a> {
    fn of(report: &'a Report, place: Place) -> Self {
        let Location { path, start, end } = Location::of(report, place);
        let position = |position: Position, offset: u32| PositionJson {
            line: position.line + 1,
            column: position.column + 1,
            offset,
        };
        Self { path, start: position(start, place.span.start), end: position(end, place.span.end) }
    }
}

impl<'a> PackageJson<'a> {
    fn of(evidence: &'a Evidence) -> Vec<Self> {
        let package = |version: Option<&'a str>| Self {
            name: &evidence.package,
            version,
            range: evidence.range.as_deref(),
            source: evidence.source.name(),
        };
        let is_found = !matches!(evidence.source, VersionSource::Manifest | VersionSource::Assumed)
            || evidence.versions.single().is_some();
        if is_found {
            evidence.versions.members().iter().map(|version| package(Some(&version.text))).collect()
        } else {
            vec![package(None)]
        }
    }
}

impl<'a> FixJson<'a> {
    fn of(report: &'a Report, fix: &'a Fix) -> Self {
        Self {
            title: &fix.title,
            safety: fix.safety.name(),
            edits: fix
                .edits
                .iter()
                .map(|edit| EditJson { place: PlaceJson::of(report, edit.place), text: &edit.text })
                .collect(),
        }
    }
}

impl<'a> NoticeJson<'a> {
    fn of(notice: &'a Notice) -> Self {
        Self { kind: notice.kind.name(), path: &notice.path, message: &notice.message }
    }
}

/// A value as JSON on one line.
pub(crate) fn to_line<T: Serialize>(value: &T) -> String {
    let mut line = serde_json::to_string(value).expect("our structs hold strings, numbers and lists only");
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use agentcheck_catalog::Safety;
    use agentcheck_lint::{NoticeKind, Suppressed};
    use agentcheck_syntax::Span;
    use serde_json::{Value, json};

    use super::*;
    use crate::samples::{AGENT, assumed, declared, finding, fix, installed, place, related, report};

    fn written(report: &Report) -> Value {
        let mut out = Vec::new();
        write(report, &mut out).expect("writing into memory");
        assert_eq!(out.iter().filter(|byte| **byte == b'\n').count(), 1, "one line");
        serde_json::from_slice(&out).expect("JSON")
    }

    #[test]
    fn a_finding_has_every_key() {
        let mut report = report(&[("src/agent.ts", AGENT), ("src/b.ts", "'🙂', b")]);
        let mut own = finding(place(&report, 0, "maxSteps"));
        own.related.push(related(place(&report, 1, "b"), "there"));
        own.fixes.push(fix("Rename it", Safety::Safe, &[(own.place, "stopWhen")]));
        report.findings.push(own);
        let place = json!({
            "start": { "line": 6, "column": 3, "offset": 111 },
            "end": { "line": 6, "column": 11, "offset": 119 },
        });
        let fingerprint = agentcheck_lint::fingerprints(&report).remove(0);
        assert_eq!(
            written(&report)["findings"][0],
            json!({
                "rule": "ai-sdk/max-steps",
                "severity": "error",
                "category": "silent-break",
                "message": "`maxSteps` is ignored: the run ends after one step, so the model never reads a tool result",
                "help": "Say when to stop with `stopWhen`.",
                "url": null,
                "path": "src/agent.ts",
                "start": place["start"],
                "end": place["end"],
                "related": [{
                    "path": "src/b.ts",
                    "start": { "line": 1, "column": 7, "offset": 8 },
                    "end": { "line": 1, "column": 8, "offset": 9 },
                    "message": "there",
                }],
                "packages": [{ "name": "ai", "version": "7.0.173", "range": null, "source": "node_modules" }],
                "fixes": [{
                    "title": "Rename it",
                    "safety": "safe",
                    "edits": [{
                        "path": "src/agent.ts",
                        "start": place["start"],
                        "end": place["end"],
                        "text": "stopWhen",
                    }],
                }],
                "fingerprint": fingerprint,
            })
        );
    }

    #[test]
    fn the_document_has_every_key() {
        let mut report = report(&[("src/agent.ts", AGENT)]);
        report.summary.infos = 2;
        report.notices.push(Notice {
            path: "dist/a.js".to_owned(),
            kind: NoticeKind::NotInspected,
            message: "generated".to_owned(),
        });
        assert_eq!(
            written(&report),
            json!({
                "version": 1,
                "tool": { "name": "agentcheck", "version": env!("CARGO_PKG_VERSION") },
                "findings": [],
                "suppressed": [],
                "notices": [{ "kind": "not-inspected", "path": "dist/a.js", "message": "generated" }],
                "summary": {
                    "files": 1, "parsed": 1, "skipped": 0, "errors": 0, "warnings": 0, "infos": 2, "suppressed": 0,
                    "fixable": 0,
                },
            })
        );
    }

    #[test]
    fn a_suppressed_finding_says_by_what() {
        let mut report = report(&[("src/agent.ts", AGENT)]);
        let by = Suppression { comment: Span::new(0, 6), reason: Some("known".to_owned()) };
        let finding = finding(place(&report, 0, "maxSteps"));
        report.suppressed.push(Suppressed { finding, by });
        let suppressed = &written(&report)["suppressed"][0];
        assert_eq!(suppressed["rule"], "ai-sdk/max-steps");
        assert_eq!(suppressed["fingerprint"].as_str().map(str::len), Some(32));
        assert_eq!(
            suppressed["by"],
            json!({
                "path": "src/agent.ts",
                "start": { "line": 1, "column": 1, "offset": 0 },
                "end": { "line": 1, "column": 7, "offset": 6 },
                "reason": "known",
            })
        );
    }

    #[test]
    fn no_version_is_claimed_that_was_not_found() {
        let mut report = report(&[("src/agent.ts", AGENT)]);
        let mut finding = finding(place(&report, 0, "maxSteps"));
        finding.packages = [installed("ai", &["6.0.325", "7.0.173"]), declared("zod", "^7.0.0"), assumed("rig")]
            .map(std::sync::Arc::new)
            .to_vec();
        report.findings.push(finding);
        assert_eq!(
            written(&report)["findings"][0]["packages"],
            json!([
                { "name": "ai", "version": "6.0.325", "range": null, "source": "node_modules" },
                { "name": "ai", "version": "7.0.173", "range": null, "source": "node_modules" },
                { "name": "zod", "version": null, "range": "^7.0.0", "source": "manifest" },
                { "name": "rig", "version": null, "range": null, "source": "assumed" },
            ])
        );
    }
}
