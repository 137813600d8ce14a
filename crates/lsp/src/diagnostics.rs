//! Findings → what an editor shows.

use std::path::Path;

use agentcheck_catalog::{Category, Severity};
use agentcheck_lint::{Finding, Report, SourceFile};
use agentcheck_syntax::{Encoding, Position, Span};
use serde_json::{Value, json};

use crate::uri;

/// The range of a span in the units that were agreed on.
pub(crate) fn range(file: &SourceFile, span: Span, encoding: Encoding) -> Value {
    let lines = file.line_index();
    let at = |offset| {
        let Position { line, column } = lines.position(&file.text, offset, encoding);
        json!({ "line": line, "character": column })
    };
    json!({ "start": at(span.start), "end": at(span.end) })
}

/// A finding as a diagnostic. `root` is what the report's paths are relative to.
pub(crate) fn diagnostic(report: &Report, finding: &Finding, root: &Path, encoding: Encoding) -> Value {
    let file = &report.files[&finding.place.file];
    let severity = match finding.severity {
        Severity::Error => 1,
        Severity::Warning => 2,
        Severity::Info => 3,
    };
    let message = match &finding.help {
        Some(help) => format!("{}\n{help}", finding.message),
        None => finding.message.clone(),
    };
    let related: Vec<Value> = finding
        .related
        .iter()
        .filter_map(|related| {
            let file = report.files.get(&related.place.file)?;
            let location = json!({
                "uri": uri::of_path(&root.join(&file.path)),
                "range": range(file, related.place.span, encoding),
            });
            Some(json!({ "location": location, "message": related.message }))
        })
        .collect();
    let mut diagnostic = json!({
        "range": range(file, finding.place.span, encoding),
        "severity": severity,
        "code": &*finding.rule,
        "source": "agentcheck",
        "message": message,
    });
    if !related.is_empty() {
        diagnostic["relatedInformation"] = json!(related);
    }
    if finding.category == Category::Deprecated {
        // Struck through.
        diagnostic["tags"] = json!([2]);
    }
    diagnostic
}
