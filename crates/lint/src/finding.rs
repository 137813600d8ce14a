//! One finding type for every output: terminal, JSON, SARIF, editor.

use std::sync::Arc;

use agentcheck_catalog::{Category, Safety, Severity};
use agentcheck_model::Evidence;
use agentcheck_syntax::{Place, Span};

/// Something that a rule found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// `pack/kebab-name`.
    pub rule: Arc<str>,
    pub category: Category,
    pub severity: Severity,
    /// Shown only with `--pedantic` or when the rule is named.
    pub pedantic: bool,
    /// What happens at run time, in the found version.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    pub place: Place,
    /// Other places that belong to the story, each with a few words.
    pub related: Vec<Related>,
    /// The packages and versions that the claim was decided by.
    pub packages: Vec<Arc<Evidence>>,
    pub fixes: Vec<Fix>,
}

/// A place that helps to understand a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    pub place: Place,
    pub message: String,
}

/// A way to mend the code. All edits of a fix are applied or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// An imperative sentence without a full stop.
    pub title: String,
    pub safety: Safety,
    /// Never overlapping; in any order.
    pub edits: Vec<Edit>,
}

/// Replace `place` by `text`. An empty span inserts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    pub place: Place,
    pub text: String,
}

/// A finding that does not count, and what silenced it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppressed {
    pub finding: Finding,
    pub by: Suppression,
}

/// What silenced a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppression {
    /// The comment, in the finding's file.
    pub comment: Span,
    /// The text after `--`.
    pub reason: Option<String>,
}
