//! The list of all rules.

use agentcheck_catalog::{Case, Rule, Safety, Severity};
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use crate::slots::readable;
use crate::style::{Paint, Style};
use crate::text::{count, prose};

/// The rules as a table: id, severities, category, whether there is a fix, and what the rule is about. Long lines are left
/// long, so that the list can be searched line by line.
pub fn rules_text(rules: &[Rule], style: &Style) -> String {
    let rows: Vec<[String; 4]> = rules
        .iter()
        .map(|rule| [rule.id.clone(), severities(rule), rule.category.name().to_owned(), fix(rule).to_owned()])
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].width()).max().unwrap_or(0);
    let widths: [usize; 4] = std::array::from_fn(width);
    let mut out = String::new();
    for (rule, row) in rules.iter().zip(&rows) {
        for (column, cell) in row.iter().enumerate() {
            let paint = match column {
                0 => Some(Paint::Strong),
                1 => rule.cases.iter().map(|case| case.severity).max().map(Paint::severity),
                _ => None,
            };
            match paint {
                Some(paint) => out.push_str(&style.paint(paint, cell).to_string()),
                None => out.push_str(cell),
            }
            // Painting adds no columns, so the padding is counted and not left to formatting.
            out.extend(std::iter::repeat_n(' ', widths[column] - cell.width() + 2));
        }
        out.push_str(&prose(&rule.summary));
        out.push('\n');
    }
    out.push_str(&format!("{}\n", count(rules.len(), "rule")));
    out
}

/// The severities that a rule reports with, the worst first; those in brackets only with `--pedantic`.
fn severities(rule: &Rule) -> String {
    let mut severities: Vec<Severity> = rule.cases.iter().map(|case| case.severity).collect();
    severities.sort_unstable_by(|a, b| b.cmp(a));
    severities.dedup();
    let shown = |severity: &Severity| {
        let is_pedantic = |case: &Case| case.severity != *severity || case.pedantic;
        if rule.cases.iter().all(is_pedantic) { format!("({})", severity.name()) } else { severity.name().to_owned() }
    };
    severities.iter().map(shown).collect::<Vec<_>>().join(" ")
}

fn fix(rule: &Rule) -> &'static str {
    match rule.best_fix() {
        Some(Safety::Safe) => "fix",
        Some(Safety::Unsafe) => "unsafe fix",
        Some(Safety::Manual) => "by hand",
        None => "-",
    }
}

#[derive(Serialize)]
struct RuleJson<'a> {
    id: &'a str,
    pack: &'a str,
    category: &'static str,
    cases: Vec<CaseJson>,
    fix: Option<&'static str>,
    url: Option<String>,
}

#[derive(Serialize)]
struct CaseJson {
    severity: &'static str,
    pedantic: bool,
    versions: String,
    summary: String,
}

/// The rules as JSON: one array. The summary of a case is its message, with `<name>` for what is filled in; `fix` is the
/// safest class of fix that the rule offers, or null.
pub fn rules_json(rules: &[Rule]) -> String {
    let rules: Vec<RuleJson<'_>> = rules
        .iter()
        .map(|rule| RuleJson {
            id: &rule.id,
            pack: rule.pack(),
            category: rule.category.name(),
            cases: rule
                .cases
                .iter()
                .map(|case| CaseJson {
                    severity: case.severity.name(),
                    pedantic: case.pedantic,
                    versions: case.versions.to_string(),
                    summary: readable(&case.message),
                })
                .collect(),
            fix: rule.best_fix().map(Safety::name),
            url: crate::rule_url(&rule.id),
        })
        .collect();
    crate::json::to_line(&rules)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{ASCII, COLORED, rule};

    fn two() -> [Rule; 2] {
        let (mut second, _) = rule();
        second.id = "mcp/result".to_owned();
        second.summary = "A tool's failure\nis not looked at".to_owned();
        second.cases.truncate(1);
        second.cases[0].pedantic = true;
        second.cases[0].severity = Severity::Warning;
        second.cases[0].fix_safety.clear();
        [rule().0, second]
    }

    #[test]
    fn the_table_is_aligned() {
        let expected = "\
ai-sdk/max-steps  error (info)  silent-break  fix  `maxSteps` has no effect
mcp/result        (warning)     silent-break  -    A tool's failure is not looked at
2 rules
";
        assert_eq!(rules_text(&two(), &ASCII), expected);
        let colored = rules_text(&two(), &COLORED);
        assert!(colored.contains("\u{1b}[1mmcp/result\u{1b}[0m        \u{1b}[1;33m(warning)\u{1b}[0m     silent"));
    }

    #[test]
    fn the_json_is_the_contract() {
        let json: serde_json::Value = serde_json::from_str(&rules_json(&two())).expect("JSON");
        assert_eq!(
            json[0],
            serde_json::json!({
                "id": "ai-sdk/max-steps",
                "pack": "ai-sdk",
                "category": "silent-break",
                "cases": [
                    {
                        "severity": "error",
                        "pedantic": false,
                        "versions": ">=5.0.0",
                        "summary": "`maxSteps` is ignored by `<callee>`: the run ends after one step"
                    },
                    { "severity": "info", "pedantic": true, "versions": ">=4.0.0 <5.0.0", "summary": "`maxSteps` is old" }
                ],
                "fix": "safe",
                "url": null
            })
        );
        assert_eq!(json[1]["fix"], serde_json::Value::Null);
    }
}
