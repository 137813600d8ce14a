//! SARIF 2.1.0, for code scanning.
//!
//! Paths are relative to the root of the repository or configuration, which is what services compare with; columns count
//! UTF-16 units; a finding that was suppressed by a comment is a result with a suppression.

use std::collections::BTreeMap;
use std::io;

use agentcheck_catalog::Severity;
use agentcheck_lint::{Finding, Notice, NoticeKind, Report, builtin};
use agentcheck_syntax::{FileId, Place, Span};
use serde::Serialize;
use serde_json::{Value, json};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Writes the report as one document.
pub(crate) fn write(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    let rules = rules_of(report);
    let fingerprints = agentcheck_lint::fingerprints(report);
    let suppressed_fingerprints = agentcheck_lint::suppressed_fingerprints(report);
    let mut results: Vec<Value> = Vec::with_capacity(report.findings.len() + report.suppressed.len());
    let (new, known) = fingerprints.split_at(report.findings.len());
    for (finding, fingerprint) in report.findings.iter().zip(new) {
        let mut result = result(report, finding, fingerprint, &rules);
        if report.has_baseline {
            result["baselineState"] = json!("new");
        }
        results.push(result);
    }
    for (finding, fingerprint) in report.baselined.iter().zip(known) {
        let mut result = result(report, finding, fingerprint, &rules);
        result["baselineState"] = json!("unchanged");
        result["suppressions"] = json!([{ "kind": "external", "justification": "in the baseline" }]);
        results.push(result);
    }
    for (suppressed, fingerprint) in report.suppressed.iter().zip(suppressed_fingerprints) {
        let mut result = result(report, &suppressed.finding, &fingerprint, &rules);
        let mut suppression = json!({ "kind": "inSource" });
        if let Some(reason) = &suppressed.by.reason {
            suppression["justification"] = json!(reason);
        }
        result["suppressions"] = json!([suppression]);
        results.push(result);
    }
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "agentcheck",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.keys().map(|id| rule(id)).collect::<Vec<_>>(),
            }},
            "columnKind": "utf16CodeUnits",
            "invocations": [{
                "executionSuccessful": !report.has_internal_error(),
                "toolExecutionNotifications": report.notices.iter().map(notification).collect::<Vec<_>>(),
            }],
            "results": results,
        }],
    });
    serde_json::to_writer(&mut *out, &document)?;
    out.write_all(b"\n")
}

/// The rules that have results, each with its position.
fn rules_of(report: &Report) -> BTreeMap<&str, usize> {
    let found = report
        .findings
        .iter()
        .chain(&report.baselined)
        .chain(report.suppressed.iter().map(|suppressed| &suppressed.finding));
    let mut rules: BTreeMap<&str, usize> = found.map(|finding| (&*finding.rule, 0)).collect();
    for (index, position) in rules.values_mut().enumerate() {
        *position = index;
    }
    rules
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn rule(id: &str) -> Value {
    let Some((_, rule)) = builtin::catalog().rule(id) else { return json!({ "id": id }) };
    let worst = rule.cases.iter().map(|case| case.severity).max().unwrap_or(Severity::Info);
    json!({
        "id": id,
        "shortDescription": { "text": rule.summary },
        "defaultConfiguration": { "level": level(worst) },
        "properties": { "tags": [rule.category.name()] },
    })
}

fn result(report: &Report, finding: &Finding, fingerprint: &str, rules: &BTreeMap<&str, usize>) -> Value {
    let text = match &finding.help {
        Some(help) => format!("{} {help}", finding.message),
        None => finding.message.clone(),
    };
    let related: Vec<Value> = finding
        .related
        .iter()
        .enumerate()
        .map(|(index, related)| {
            json!({
                "id": index + 1,
                "physicalLocation": physical(report, related.place),
                "message": { "text": related.message },
            })
        })
        .collect();
    let fixes: Vec<Value> =
        finding.fixes.iter().filter(|fix| !fix.edits.is_empty()).map(|fix| fix_of(report, fix)).collect();
    let packages: Vec<String> =
        finding.packages.iter().map(|evidence| format!("{} {}", evidence.package, evidence.shown_version())).collect();
    let mut result = json!({
        "ruleId": &*finding.rule,
        "ruleIndex": rules[&*finding.rule],
        "level": level(finding.severity),
        "message": { "text": text },
        "locations": [{ "physicalLocation": physical(report, finding.place) }],
        "partialFingerprints": { "agentcheck/v1": fingerprint },
        "properties": { "category": finding.category.name(), "packages": packages },
    });
    if !related.is_empty() {
        result["relatedLocations"] = json!(related);
    }
    if !fixes.is_empty() {
        result["fixes"] = json!(fixes);
    }
    result
}

fn physical(report: &Report, place: Place) -> Value {
    json!({ "artifactLocation": artifact(report, place.file), "region": region(report, place.file, place.span) })
}

fn artifact(report: &Report, file: FileId) -> Value {
    let path = report.files.get(&file).map_or("", |file| file.root_path.as_str());
    json!({ "uri": uri(path), "uriBaseId": "%SRCROOT%" })
}

fn region(report: &Report, file: FileId, span: Span) -> Region {
    let Some(file) = report.files.get(&file) else { return Region::default() };
    let (start, end) = file.positions(span);
    Region {
        start_line: start.line + 1,
        start_column: start.column + 1,
        end_line: end.line + 1,
        end_column: end.column + 1,
    }
}

/// Lines and columns from 1; the end is the first place after.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
}

fn fix_of(report: &Report, fix: &agentcheck_lint::Fix) -> Value {
    let mut by_file: BTreeMap<FileId, Vec<Value>> = BTreeMap::new();
    for edit in &fix.edits {
        by_file.entry(edit.place.file).or_default().push(json!({
            "deletedRegion": region(report, edit.place.file, edit.place.span),
            "insertedContent": { "text": edit.text },
        }));
    }
    let changes: Vec<Value> = by_file
        .into_iter()
        .map(|(file, replacements)| json!({ "artifactLocation": artifact(report, file), "replacements": replacements }))
        .collect();
    json!({ "description": { "text": format!("{} ({})", fix.title, fix.safety.name()) }, "artifactChanges": changes })
}

fn notification(notice: &Notice) -> Value {
    let level = if notice.kind == NoticeKind::Internal { "error" } else { "note" };
    let text =
        if notice.path.is_empty() { notice.message.clone() } else { format!("{}: {}", notice.path, notice.message) };
    json!({ "level": level, "message": { "text": text }, "descriptor": { "id": notice.kind.name() } })
}

/// A path as a relative reference: everything but letters, digits and a few marks is escaped.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'@' | b'+' | b'(' | b')' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use agentcheck_catalog::Safety;
    use agentcheck_lint::{Suppressed, Suppression};

    use super::*;
    use crate::samples::{AGENT, finding, fix, place, related, report};

    fn written(report: &Report) -> Value {
        let mut out = Vec::new();
        write(report, &mut out).expect("writing into memory");
        serde_json::from_slice(&out).expect("JSON")
    }

    #[test]
    fn a_finding_is_a_result_with_everything() {
        let mut report = report(&[("src/my agent.ts", AGENT)]);
        let mut own = finding(place(&report, 0, "maxSteps"));
        own.related.push(related(place(&report, 0, "tools"), "there"));
        own.fixes.push(fix("Rename it", Safety::Safe, &[(own.place, "stopWhen")]));
        report.findings.push(own);
        let document = written(&report);
        let run = &document["runs"][0];
        let result = &run["results"][0];
        assert_eq!(result["ruleId"], "ai-sdk/max-steps");
        assert_eq!(result["level"], "error");
        let location = &result["locations"][0]["physicalLocation"];
        assert_eq!(location["artifactLocation"], json!({ "uri": "src/my%20agent.ts", "uriBaseId": "%SRCROOT%" }));
        assert_eq!(location["region"], json!({ "startLine": 6, "startColumn": 3, "endLine": 6, "endColumn": 11 }));
        assert_eq!(result["relatedLocations"][0]["message"]["text"], "there");
        assert_eq!(result["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"]["text"], "stopWhen");
        let index = result["ruleIndex"].as_u64().expect("a number") as usize;
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], "ai-sdk/max-steps");
        let fingerprint = agentcheck_lint::fingerprints(&report).remove(0);
        assert_eq!(result["partialFingerprints"]["agentcheck/v1"], fingerprint);
        assert_eq!(result["suppressions"], Value::Null);
    }

    #[test]
    fn what_is_suppressed_and_what_went_wrong_is_there() {
        let mut report = report(&[("a.ts", AGENT)]);
        let own = finding(place(&report, 0, "maxSteps"));
        let by = Suppression { comment: own.place.span, reason: Some("on purpose".to_owned()) };
        report.suppressed.push(Suppressed { finding: own, by });
        report.notices.push(Notice {
            path: "b.ts".to_owned(),
            kind: NoticeKind::Internal,
            message: "failed".to_owned(),
        });
        let run = &written(&report)["runs"][0];
        assert_eq!(run["results"][0]["suppressions"], json!([{ "kind": "inSource", "justification": "on purpose" }]));
        assert_eq!(run["invocations"][0]["executionSuccessful"], false);
        assert_eq!(run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"], "b.ts: failed");
    }
}
