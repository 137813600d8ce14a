//! A rule in full: what it reports and when, what happens, what to do, examples, and what it stays silent on.

mod json;
mod markdown;
mod text;

use agentcheck_catalog::{Case, Intervals, Rule, RuleDocs, Safety};

use crate::slots::readable;
use crate::style::Style;

/// How a rule is explained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExplainFormat {
    /// For the terminal.
    #[default]
    Text,
    /// What the pages of the documentation are made of.
    Markdown,
    /// One object for programs.
    Json,
}

/// Explains a rule. The result ends with a newline.
pub fn explain(rule: &Rule, docs: &RuleDocs, format: ExplainFormat, style: &Style) -> String {
    match format {
        ExplainFormat::Text => text::explain(rule, docs, style),
        ExplainFormat::Markdown => markdown::explain(rule, docs),
        ExplainFormat::Json => json::explain(rule, docs),
    }
}

/// When a case reports, in words.
fn when(case: &Case) -> String {
    let versions = versions(&case.versions);
    if case.pedantic { format!("{versions}, only with --pedantic") } else { versions }
}

fn versions(intervals: &Intervals) -> String {
    match intervals.to_string().as_str() {
        "*" => "in every version".to_owned(),
        intervals => format!("in {intervals}"),
    }
}

const fn how(safety: Safety) -> &'static str {
    match safety {
        Safety::Safe => "--fix",
        Safety::Unsafe => "--unsafe-fixes",
        Safety::Manual => "by hand",
    }
}

/// The fixes that a case offers, a sentence each. The titles of a check's fixes are made by its code; of these only their
/// safety is known here.
fn fixes(case: &Case) -> Vec<String> {
    if case.fixes.is_empty() {
        return case.fix_safety.iter().map(|safety| format!("offered  ({})", how(*safety))).collect();
    }
    let sentence = |fix: &agentcheck_catalog::FixRow| {
        let title = readable(&fix.title);
        // Most fixes fit wherever their case reports.
        if fix.versions == Intervals::all() || fix.versions == case.versions {
            format!("{title}  ({})", how(fix.safety))
        } else {
            format!("{title}  ({}, {})", how(fix.safety), versions(&fix.versions))
        }
    };
    case.fixes.iter().map(sentence).collect()
}
