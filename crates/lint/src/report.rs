//! What a run returns: everything that an output needs, and nothing that it has to look up elsewhere.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use agentcheck_catalog::Severity;
use agentcheck_syntax::{FileId, LineIndex, Position, Span};

use crate::finding::{Finding, Suppressed};

/// A file that a finding or notice points into.
#[derive(Debug)]
pub struct SourceFile {
    /// Relative to the working directory where possible, with forward slashes.
    pub path: String,
    /// Relative to the config root, else the git root, with forward slashes: what fingerprints use.
    pub root_path: String,
    pub text: Arc<str>,
    line_index: OnceLock<LineIndex>,
}

impl SourceFile {
    /// A file with its shown path, its path below the project's root, and its text.
    pub fn new(path: String, root_path: String, text: Arc<str>) -> Self {
        Self { path, root_path, text, line_index: OnceLock::new() }
    }

    /// The line index, built at the first use.
    pub fn line_index(&self) -> &LineIndex {
        self.line_index.get_or_init(|| LineIndex::new(&self.text))
    }

    /// Start and end of `span`, 0-based, columns in UTF-16 units.
    pub fn positions(&self, span: Span) -> (Position, Position) {
        let at = |offset| self.line_index().position(&self.text, offset, agentcheck_syntax::Encoding::Utf16);
        (at(span.start), at(span.end))
    }
}

/// What a notice is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoticeKind {
    /// A file, or the whole run, was not looked at.
    NotInspected,
    Config,
    /// A package.json or lockfile could not be used.
    Manifest,
    /// A file has syntax errors; the rest of it was inspected.
    Parse,
    /// A rule failed on a file; all other findings still stand. Exit code 3.
    Internal,
}

impl NoticeKind {
    /// The name in machine-readable output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotInspected => "not-inspected",
            Self::Config => "config",
            Self::Manifest => "manifest",
            Self::Parse => "parse",
            Self::Internal => "internal",
        }
    }
}

/// Something the user should know that is no finding.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Notice {
    /// The path to show, with `:line:column` left to the message; empty for the whole run.
    pub path: String,
    pub kind: NoticeKind,
    pub message: String,
}

/// Counts of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Source files that were looked at, parsed or not.
    pub files: usize,
    pub parsed: usize,
    /// Files that were not looked at; each has a notice.
    pub skipped: usize,
    pub errors: usize,
    pub warnings: usize,
    pub infos: usize,
    pub suppressed: usize,
    /// Findings with a safe or unsafe fix.
    pub fixable: usize,
}

/// The outcome of a run.
#[derive(Debug, Default)]
pub struct Report {
    /// Every file that a finding points into.
    pub files: BTreeMap<FileId, SourceFile>,
    /// Sorted by path, offset, rule.
    pub findings: Vec<Finding>,
    pub suppressed: Vec<Suppressed>,
    /// Findings that a baseline accepts; in the order of `findings`.
    pub baselined: Vec<Finding>,
    /// Whether a baseline was used, if only an empty one.
    pub has_baseline: bool,
    /// Sorted by path.
    pub notices: Vec<Notice>,
    pub summary: Summary,
}

impl Report {
    /// The worst severity among the findings.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }

    /// Whether a rule or a file failed inside agentcheck itself.
    pub fn has_internal_error(&self) -> bool {
        self.notices.iter().any(|notice| notice.kind == NoticeKind::Internal)
    }
}
