//! A rule for programs. Every key is always present.

use agentcheck_catalog::{Rule, RuleDocs, Safety};
use serde::Serialize;

use crate::slots::readable;

#[derive(Serialize)]
struct RuleJson<'a> {
    id: &'a str,
    pack: &'a str,
    category: &'static str,
    summary: &'a str,
    aliases: &'a [String],
    options: &'a [String],
    cases: Vec<CaseJson<'a>>,
    fix: Option<&'static str>,
    details: &'a str,
    silent: &'a str,
    source: &'a str,
    examples: Vec<ExampleJson<'a>>,
    url: Option<String>,
}

#[derive(Serialize)]
struct CaseJson<'a> {
    name: &'a str,
    severity: &'static str,
    pedantic: bool,
    versions: String,
    summary: String,
    help: Option<String>,
    fixes: Vec<FixJson>,
}

/// A row's fix. The title of a check's fix is made by its code and null here.
#[derive(Serialize)]
struct FixJson {
    title: Option<String>,
    safety: &'static str,
    versions: Option<String>,
}

#[derive(Serialize)]
struct ExampleJson<'a> {
    package: &'a str,
    version: &'a str,
    before: &'a str,
    after: Option<&'a str>,
    case: Option<&'a str>,
}

pub(super) fn explain(rule: &Rule, docs: &RuleDocs) -> String {
    let cases = rule.cases.iter().map(|case| CaseJson {
        name: &case.name,
        severity: case.severity.name(),
        pedantic: case.pedantic,
        versions: case.versions.to_string(),
        summary: readable(&case.message),
        help: case.help.as_deref().map(readable),
        fixes: if case.fixes.is_empty() {
            case.fix_safety
                .iter()
                .map(|safety| FixJson { title: None, safety: safety.name(), versions: None })
                .collect()
        } else {
            case.fixes
                .iter()
                .map(|fix| FixJson {
                    title: Some(readable(&fix.title)),
                    safety: fix.safety.name(),
                    versions: Some(fix.versions.to_string()),
                })
                .collect()
        },
    });
    let examples = docs.examples.iter().map(|example| ExampleJson {
        package: &example.package,
        version: &example.version,
        before: &example.before,
        after: example.after.as_deref(),
        case: example.case.as_deref(),
    });
    crate::json::to_line(&RuleJson {
        id: &rule.id,
        pack: rule.pack(),
        category: rule.category.name(),
        summary: &rule.summary,
        aliases: &rule.renamed_from,
        options: &rule.options,
        cases: cases.collect(),
        fix: rule.best_fix().map(Safety::name),
        details: &docs.details,
        silent: &docs.silent,
        source: &docs.source,
        examples: examples.collect(),
        url: crate::rule_url(&rule.id),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::rule;

    #[test]
    fn holds_everything() {
        let (mut rule, docs) = rule();
        rule.cases[1].fix_safety.push(Safety::Manual);
        let json: serde_json::Value = serde_json::from_str(&explain(&rule, &docs)).expect("JSON");
        assert_eq!(json["id"], "ai-sdk/max-steps");
        assert_eq!(json["aliases"], serde_json::json!(["ai-sdk/steps"]));
        assert_eq!(
            json["cases"][0]["fixes"],
            serde_json::json!([{
                "title": "Replace `maxSteps: <value>` with `stopWhen: stepCountIs(<value>)`",
                "safety": "safe",
                "versions": ">=5.0.0 <7.0.0"
            }])
        );
        assert_eq!(
            json["cases"][1]["fixes"],
            serde_json::json!([{ "title": null, "safety": "manual", "versions": null }])
        );
        assert_eq!(json["examples"][0]["after"], "generateText({ stopWhen: stepCountIs(5) });\n");
        assert_eq!(json["examples"][1]["case"], serde_json::Value::Null);
    }
}
