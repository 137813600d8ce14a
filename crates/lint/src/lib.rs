//! Meaning → findings.

mod finding;
mod report;

pub use finding::{Edit, Finding, Fix, Related, Suppressed, Suppression};
pub use report::{Notice, NoticeKind, Report, SourceFile, Summary};
