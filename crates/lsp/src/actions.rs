//! Fixes and suppressions as code actions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use agentcheck_catalog::Safety;
use agentcheck_lint::{Finding, Report, SourceFile, choose};
use agentcheck_syntax::{Encoding, FileId, Position, Span};
use serde_json::{Map, Value, json};

use crate::diagnostics::{diagnostic, range};
use crate::uri;

/// The kind of the action that fixes a whole file.
pub(crate) const FIX_ALL: &str = "source.fixAll.agentcheck";

/// What a request for actions is about.
pub(crate) struct Wanted<'a> {
    pub report: &'a Report,
    pub root: &'a Path,
    pub file: FileId,
    pub encoding: Encoding,
    pub range: (Position, Position),
    /// The kinds that were asked for; empty: all.
    pub only: Vec<String>,
}

impl Wanted<'_> {
    fn wants(&self, kind: &str) -> bool {
        let is_within = |asked: &String| kind == asked || kind.starts_with(&format!("{asked}."));
        self.only.is_empty() || self.only.iter().any(is_within)
    }

    /// The actions, those that are safe first.
    pub fn actions(&self) -> Vec<Value> {
        let Some(source) = self.report.files.get(&self.file) else { return Vec::new() };
        let lines = source.line_index();
        let (start, end) = self.range;
        let (start, end) =
            (lines.offset(&source.text, start, self.encoding), lines.offset(&source.text, end, self.encoding));
        let touched: Vec<&Finding> = self
            .report
            .findings
            .iter()
            .filter(|finding| finding.place.file == self.file)
            .filter(|finding| finding.place.span.start <= end && start <= finding.place.span.end)
            .collect();
        let mut actions = Vec::new();
        if self.wants("quickfix") {
            for safety in [Safety::Safe, Safety::Unsafe] {
                for finding in &touched {
                    actions.extend(
                        finding.fixes.iter().filter(|fix| fix.safety == safety && !fix.edits.is_empty()).map(|fix| {
                            let edits =
                                fix.edits.iter().map(|edit| (edit.place.file, edit.place.span, edit.text.clone()));
                            let unsafe_note = if safety == Safety::Unsafe { " (unsafe: needs a look)" } else { "" };
                            json!({
                                "title": format!("{}{unsafe_note}", fix.title),
                                "kind": "quickfix",
                                "isPreferred": safety == Safety::Safe,
                                "diagnostics": [diagnostic(self.report, finding, self.root, self.encoding)],
                                "edit": self.edit(edits),
                            })
                        }),
                    );
                }
            }
            actions.extend(touched.iter().map(|finding| self.ignore(source, finding)));
        }
        if self.wants(FIX_ALL) {
            actions.extend(self.fix_all());
        }
        actions
    }

    /// A comment above the line.
    fn ignore(&self, source: &SourceFile, finding: &Finding) -> Value {
        let before = &source.text[..finding.place.span.start as usize];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = &source.text[start..];
        let indentation = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
        let newline = if source.text.contains("\r\n") { "\r\n" } else { "\n" };
        let comment = format!("{indentation}// agentcheck-ignore {}{newline}", finding.rule);
        json!({
            "title": format!("Ignore {} on this line", finding.rule),
            "kind": "quickfix",
            "diagnostics": [diagnostic(self.report, finding, self.root, self.encoding)],
            "edit": self.edit([(self.file, Span::empty(start as u32), comment)]),
        })
    }

    /// Every safe fix of the file that does not touch another one.
    fn fix_all(&self) -> Option<Value> {
        let own = self.report.findings.iter().enumerate().filter(|(_, finding)| finding.place.file == self.file);
        let chosen = choose(own, Safety::Safe, &BTreeSet::new());
        if chosen.edits.is_empty() {
            return None;
        }
        let edits = chosen
            .edits
            .into_iter()
            .flat_map(|(file, edits)| edits.into_iter().map(move |(span, text)| (file, span, text)));
        Some(json!({
            "title": "Apply all safe fixes of agentcheck",
            "kind": FIX_ALL,
            "edit": self.edit(edits),
        }))
    }

    fn edit(&self, edits: impl IntoIterator<Item = (FileId, Span, String)>) -> Value {
        let mut changes: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for (file, span, text) in edits {
            let Some(source) = self.report.files.get(&file) else { continue };
            let uri = uri::of_path(&self.root.join(&source.path));
            let edit = json!({ "range": range(source, span, self.encoding), "newText": text });
            changes.entry(uri).or_default().push(edit);
        }
        let changes: Map<String, Value> = changes.into_iter().map(|(uri, edits)| (uri, json!(edits))).collect();
        json!({ "changes": changes })
    }
}
