//! Findings that a project has accepted for now: known by rule, path and flagged text, not by line.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::fingerprint::fingerprints;
use crate::report::Report;

/// The version of the file's form.
const VERSION: u32 = 1;

/// Accepted findings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Baseline {
    entries: BTreeSet<Entry>,
}

/// An accepted finding. Path and rule are there for the people who read the file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// Below the project's root, with forward slashes.
    path: String,
    rule: String,
    fingerprint: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    findings: Vec<Entry>,
}

impl Baseline {
    /// Reads the text of a baseline. The error says what is wrong and in which line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if file.version != VERSION {
            return Err(format!("its version is {}, and this agentcheck reads version {VERSION}", file.version));
        }
        Ok(Self { entries: file.findings.into_iter().collect() })
    }

    /// The text of the file, in an order that makes small differences of small changes.
    pub fn to_text(&self) -> String {
        let file = File { version: VERSION, findings: self.entries.iter().cloned().collect() };
        let mut text = serde_json::to_string_pretty(&file).unwrap_or_default();
        text.push('\n');
        text
    }

    /// How many findings it holds.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it holds no finding.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The findings of a report, those that a baseline took out of it included, and of `before` the entries that `keeps`
    /// wants to keep by their path.
    pub fn of(report: &Report, before: &Self, keeps: impl Fn(&str) -> bool) -> Self {
        let found = report.findings.iter().chain(&report.baselined);
        let path = |file| report.files.get(file).map_or_else(String::new, |file| file.root_path.clone());
        let found = found.zip(fingerprints(report)).map(|(finding, fingerprint)| Entry {
            path: path(&finding.place.file),
            rule: finding.rule.to_string(),
            fingerprint,
        });
        let kept = before.entries.iter().filter(|entry| keeps(&entry.path)).cloned();
        Self { entries: found.chain(kept).collect() }
    }

    /// Without the entries that a report no longer has, but for those that `keeps` wants to keep by their path.
    pub fn pruned(&self, report: &Report, keeps: impl Fn(&str) -> bool) -> Self {
        let found: FxHashSet<String> = fingerprints(report).into_iter().collect();
        let entries = self.entries.iter().filter(|entry| found.contains(&entry.fingerprint) || keeps(&entry.path));
        Self { entries: entries.cloned().collect() }
    }

    /// The fingerprints, to look findings up.
    pub fn fingerprints(&self) -> FxHashSet<&str> {
        self.entries.iter().map(|entry| entry.fingerprint.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{
  "version": 1,
  "findings": [
    {
      "path": "a.ts",
      "rule": "ai-sdk/max-steps",
      "fingerprint": "0a"
    },
    {
      "path": "b.ts",
      "rule": "ai-sdk/max-steps",
      "fingerprint": "0b"
    }
  ]
}
"#;

    #[test]
    fn what_is_read_is_written() {
        let baseline = Baseline::parse(TEXT).expect("a baseline");
        assert_eq!(baseline.len(), 2);
        assert_eq!(baseline.to_text(), TEXT);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let error = |text: &str| Baseline::parse(text).expect_err(text);
        assert!(error("{\n  \"version\": 1\n}").contains("missing field `findings` at line 3"));
        assert!(error("{\"version\": 2, \"findings\": []}").contains("its version is 2"));
        assert!(error("<<<<<<< HEAD").contains("line 1"));
    }

    #[test]
    fn pruning_keeps_what_was_not_looked_at() {
        let baseline = Baseline::parse(TEXT).expect("a baseline");
        let pruned = baseline.pruned(&Report::default(), |path| path == "b.ts");
        assert_eq!(pruned.fingerprints().into_iter().collect::<Vec<_>>(), ["0b"]);
        assert!(baseline.pruned(&Report::default(), |_| false).is_empty());
        assert_eq!(Baseline::of(&Report::default(), &baseline, |path| path == "b.ts"), pruned);
    }
}
