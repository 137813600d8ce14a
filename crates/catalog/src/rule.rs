//! Rules as data: what a finding says, in which versions, how severe it is, and how a row's fix edits the code.

use serde::{Deserialize, Serialize};

use crate::types::RecordId;
use crate::version::Intervals;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Deprecated but working.
    Info,
    /// Wrong in a common case, or data leaves the process that nobody chose to publish.
    Warning,
    /// Wrong at run time with certainty in the found version.
    Error,
}

impl Severity {
    /// `info`, `warning` or `error`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// What kind of harm a rule is about. Selectable as `category:NAME`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    SilentBreak,
    Crash,
    Leak,
    Loop,
    DataLoss,
    Security,
    Deprecated,
    Upgrade,
    Hygiene,
}

impl Category {
    /// Every category, in the order in which they are listed.
    pub const ALL: [Self; 9] = [
        Self::SilentBreak,
        Self::Crash,
        Self::Leak,
        Self::Loop,
        Self::DataLoss,
        Self::Security,
        Self::Deprecated,
        Self::Upgrade,
        Self::Hygiene,
    ];

    /// The name used in configuration and output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SilentBreak => "silent-break",
            Self::Crash => "crash",
            Self::Leak => "leak",
            Self::Loop => "loop",
            Self::DataLoss => "data-loss",
            Self::Security => "security",
            Self::Deprecated => "deprecated",
            Self::Upgrade => "upgrade",
            Self::Hygiene => "hygiene",
        }
    }
}

/// How much a fix can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Safety {
    /// Applied by `--fix`: the code does what it was meant to do.
    Safe,
    /// Applied by `--unsafe-fixes`: needs a look.
    Unsafe,
    /// Shown only.
    Manual,
}

impl Safety {
    /// `safe`, `unsafe` or `manual`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
            Self::Manual => "manual",
        }
    }
}

/// A rule: one id, one cause, one or more cases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// `pack/kebab-name`.
    pub id: String,
    /// Former ids, which suppressions and configuration may still use.
    pub renamed_from: Vec<String>,
    pub category: Category,
    pub summary: String,
    pub kind: RuleKind,
    /// In the order in which they are tried: the first that applies is reported.
    pub cases: Vec<Case>,
    /// Rules that win when both report on the same span; `rows` stands for every migration row.
    pub yields_to: Vec<String>,
    /// Names of options that the configuration may set, each a list of strings.
    pub options: Vec<String>,
    /// A file in which none of these words stands can hold no finding of this rule, and is not parsed for it.
    pub needs: Vec<String>,
}

impl Rule {
    /// The part of the id before the slash.
    pub fn pack(&self) -> &str {
        self.id.split('/').next().unwrap_or_default()
    }

    /// Whether it is a migration row, data without code of its own.
    pub fn is_row(&self) -> bool {
        !matches!(self.kind, RuleKind::Check | RuleKind::Engine)
    }

    /// Whether any case offers a fix, and the safest one.
    pub fn best_fix(&self) -> Option<Safety> {
        self.cases.iter().flat_map(|case| case.fix_safety.iter().copied()).min()
    }
}

/// An old name and the one that took its place, if one did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rename {
    pub old: String,
    pub new: Option<String>,
}

impl RuleKind {
    /// The names that a row looks for; none for checks.
    pub fn names(&self) -> &[Rename] {
        match self {
            Self::Option { names }
            | Self::Property { names, .. }
            | Self::Literal { names, .. }
            | Self::Import { names, .. }
            | Self::Entry { names }
            | Self::Await { names } => names,
            Self::Check | Self::Engine => &[],
        }
    }
}

/// How a rule finds its places.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RuleKind {
    /// A key of an object that flows into an SDK position.
    Option { names: Vec<Rename> },
    /// A property that is read off a value of an SDK type.
    Property { package: String, names: Vec<Rename> },
    /// A text that a property of an SDK value is compared with.
    Literal { package: String, property: String, names: Vec<Rename> },
    /// A name imported from one of some entry points.
    Import { entries: Vec<String>, names: Vec<Rename> },
    /// An entry point that is imported, whatever is imported from it.
    Entry { names: Vec<Rename> },
    /// A call of one of these exports whose promise is used as if it were the value.
    Await { names: Vec<Rename> },
    /// Code: `crates/lint/src/checks/<pack>/<rule>.rs`.
    Check,
    /// Reported by the engine itself, for example an unused suppression.
    Engine,
}

/// One thing that a rule can say, and when it is true.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    pub name: String,
    pub versions: Intervals,
    pub severity: Severity,
    /// Shown only with `--pedantic` or when the rule is named.
    pub pedantic: bool,
    /// One sentence on what happens at run time, with `{slots}`.
    pub message: String,
    /// One sentence on what to do, with `{slots}`.
    pub help: Option<String>,
    /// Rows: the SDK types whose objects this case looks at.
    pub on: Vec<RecordId>,
    pub when: When,
    /// Rows: alternatives by version, the first that fits the whole found set is offered.
    pub fixes: Vec<FixRow>,
    /// The safety classes of the fixes that this case can offer, for rows and checks alike.
    pub fix_safety: Vec<Safety>,
}

/// What must be known of the object beside the key itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct When {
    /// Each of these keys is there.
    pub with: Vec<String>,
    /// Each of these keys is certainly not there.
    pub without: Vec<String>,
    /// The key's value is this literal.
    pub value: Option<String>,
}

/// A fix of a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixRow {
    pub versions: Intervals,
    pub safety: Safety,
    pub title: String,
    pub edit: EditRow,
    /// Safe only where the value is a whole number above 0; unsafe where it is unknown; not offered for other literals.
    pub only_for_counts: bool,
}

/// The edit language of rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum EditRow {
    /// `{ old: v }` becomes `{ to: v }`; `{ old }` becomes `{ to: old }`.
    RenameKey { to: String },
    /// The whole entry goes, with its comma.
    RemoveKey,
    /// The whole entry becomes `key: value`; `{value}` in the text is the old value and `{import:name}` the local name of
    /// an import that is added when missing.
    ReplaceEntry { key: String, value: String },
    /// An imported name becomes `{new}`, and so do its uses.
    RenameImport,
    /// The name is imported from another entry point, as `{new}`.
    MoveImport { from: String },
    /// `x.old` becomes `x.to`, and `{ old }` taken apart becomes `{ to: old }`. `to` may lead further in: `a.b`.
    RenameProperty { to: String },
    /// A text becomes `{new}`; an entry point too.
    ReplaceText,
    /// `f()` becomes `await f()`.
    AddAwait,
}

/// What `explain` and the generated pages add to a rule. Decoded only by them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleDocs {
    /// Why it happens, in Markdown.
    pub details: String,
    /// What is not reported and why, in Markdown.
    pub silent: String,
    /// Where the claim comes from.
    pub source: String,
    pub examples: Vec<Example>,
}

/// Code before and after, run as a test and printed in the docs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    /// `package@version` under which the example is linted.
    pub package: String,
    pub version: String,
    pub before: String,
    /// The text after all fixes, unsafe ones included. None: no fix is offered.
    pub after: Option<String>,
    /// The case that reports, or none for a look-alike that must stay silent.
    pub case: Option<String>,
}
