//! What is said of a finding under the cursor.

use agentcheck_lint::{Report, builtin};
use agentcheck_syntax::{Encoding, FileId, Position};
use serde_json::{Value, json};

use crate::diagnostics::range;

/// The rule's page in short, with the versions that decided; null where there is no finding.
pub(crate) fn hover(report: &Report, file: FileId, position: Position, encoding: Encoding) -> Value {
    let Some(source) = report.files.get(&file) else { return Value::Null };
    let offset = source.line_index().offset(&source.text, position, encoding);
    let found = report.findings.iter().find(|finding| {
        finding.place.file == file && finding.place.span.start <= offset && offset <= finding.place.span.end
    });
    let Some(finding) = found else { return Value::Null };
    let mut text = format!("**{}**\n\n{}\n", finding.rule, finding.message);
    if let Some(help) = &finding.help {
        text.push_str(&format!("\n{help}\n"));
    }
    if let Some(docs) = builtin::docs().get(&*finding.rule) {
        text.push_str(&format!("\n---\n\n{}\n", docs.details.trim()));
    }
    let packages: Vec<String> = finding
        .packages
        .iter()
        .map(|evidence| {
            let source = evidence.file.as_deref().unwrap_or(evidence.source.name());
            format!("{} {} ({source})", evidence.package, evidence.shown_version())
        })
        .collect();
    if !packages.is_empty() {
        text.push_str(&format!("\nFound: {}\n", packages.join(", ")));
    }
    json!({
        "contents": { "kind": "markdown", "value": text },
        "range": range(source, finding.place.span, encoding),
    })
}
