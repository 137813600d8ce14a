//! Meaning → findings: rules, suppressions, fixes. No I/O.

mod baseline;
pub mod builtin;
mod caught;
mod checks;
mod completion;
mod context;
mod engine;
mod finding;
mod fingerprint;
mod fix;
mod keys;
mod mcp;
mod output_parts;
mod outside;
mod reads;
mod report;
mod rows;
mod runs;
mod schemas;
mod settings;
mod standing;
mod suppress;
mod tool_functions;
mod tool_output;
mod why;
mod zod;

pub use baseline::Baseline;
pub use engine::{FileFindings, Linter};
pub use finding::{Edit, Finding, Fix, Related, Suppressed, Suppression};
pub use fingerprint::{fingerprints, suppressed_fingerprints};
pub use fix::{Applied, Chosen, apply_edits, choose};
pub use report::{Notice, NoticeKind, Report, SourceFile, Summary};
pub use settings::{RuleSettings, Selector, SelectorError, Settings, nearest, suggest_rule};
pub use why::{Why, WhySection, why};
