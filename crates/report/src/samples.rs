//! Findings and reports for the tests of this crate.

use std::sync::Arc;

use agentcheck_catalog::{
    Case, Category, EditRow, Example, FixRow, Rule, RuleDocs, RuleKind, Safety, Severity, Version, Versions, When,
};
use agentcheck_lint::{Edit, Finding, Fix, Related, Report, SourceFile};
use agentcheck_model::{Evidence, VersionSource};
use agentcheck_syntax::{FileId, Place, Span};

use crate::style::Style;

pub(crate) const ASCII: Style = Style { color: false, unicode: false, width: 80, links: false };
pub(crate) const UNICODE: Style = Style { unicode: true, ..ASCII };
pub(crate) const COLORED: Style = Style { color: true, ..UNICODE };

pub(crate) const AGENT: &str = "\
import { generateText } from 'ai';

export const answer = await generateText({
  model,
  tools: { search },
  maxSteps: 5,
});
";

pub(crate) fn evidence(package: &str, versions: &[&str], range: Option<&str>, source: VersionSource) -> Evidence {
    let versions = versions.iter().map(|text| text.parse::<Version>().expect("a version")).collect();
    Evidence {
        package: package.into(),
        dependency: package.into(),
        versions: Versions::of(versions).expect("at least one version"),
        range: range.map(str::to_owned),
        source,
        file: None,
        beyond_known: false,
        promised: false,
    }
}

pub(crate) fn installed(package: &str, versions: &[&str]) -> Evidence {
    evidence(package, versions, None, VersionSource::NodeModules)
}

pub(crate) fn declared(package: &str, range: &str) -> Evidence {
    evidence(package, &["7.0.0", "7.0.173"], Some(range), VersionSource::Manifest)
}

pub(crate) fn assumed(package: &str) -> Evidence {
    evidence(package, &["4.3.19", "7.0.173"], None, VersionSource::Assumed)
}

/// The place of the first `needle` in a file of `report`.
pub(crate) fn place(report: &Report, file: u32, needle: &str) -> Place {
    let start = report.files[&FileId(file)].text.find(needle).expect("the needle is in the file") as u32;
    Place { file: FileId(file), span: Span::new(start, start + needle.len() as u32) }
}

/// A report without findings over these files.
pub(crate) fn report(files: &[(&str, &str)]) -> Report {
    let mut report = Report::default();
    for (index, (path, text)) in files.iter().enumerate() {
        let file = SourceFile::new((*path).to_owned(), (*path).to_owned(), Arc::from(*text));
        report.files.insert(FileId(index as u32), file);
    }
    report.summary.files = files.len();
    report.summary.parsed = files.len();
    report
}

/// A finding on `maxSteps` in [`AGENT`], without fixes.
pub(crate) fn max_steps() -> Finding {
    let report = report(&[("src/agent.ts", AGENT)]);
    finding(place(&report, 0, "maxSteps"))
}

pub(crate) fn finding(place: Place) -> Finding {
    Finding {
        rule: "ai-sdk/max-steps".into(),
        category: Category::SilentBreak,
        severity: Severity::Error,
        pedantic: false,
        message: "`maxSteps` is ignored: the run ends after one step, so the model never reads a tool result"
            .to_owned(),
        help: Some("Say when to stop with `stopWhen`.".to_owned()),
        place,
        related: Vec::new(),
        packages: vec![Arc::new(installed("ai", &["7.0.173"]))],
        fixes: Vec::new(),
    }
}

pub(crate) fn related(place: Place, message: &str) -> Related {
    Related { place, message: message.to_owned() }
}

pub(crate) fn fix(title: &str, safety: Safety, edits: &[(Place, &str)]) -> Fix {
    let edits = edits.iter().map(|(place, text)| Edit { place: *place, text: (*text).to_owned() }).collect();
    Fix { title: title.to_owned(), safety, edits }
}

/// A rule with two cases and everything that its docs can hold.
pub(crate) fn rule() -> (Rule, RuleDocs) {
    let case = |name: &str, versions: &str, severity, message: &str| Case {
        name: name.to_owned(),
        versions: versions.parse().expect("intervals"),
        severity,
        pedantic: false,
        message: message.to_owned(),
        help: None,
        on: Vec::new(),
        when: When::default(),
        fixes: Vec::new(),
        fix_safety: Vec::new(),
    };
    let message = "`maxSteps` is ignored by `{callee}`: the run ends after one step";
    let mut gone = case("gone", ">=5", Severity::Error, message);
    gone.help = Some("Say when to stop with `stopWhen`.".to_owned());
    gone.fixes.push(FixRow {
        only_for_counts: false,
        versions: ">=5 <7".parse().expect("intervals"),
        safety: Safety::Safe,
        title: "Replace `maxSteps: {value}` with `stopWhen: stepCountIs({value})`".to_owned(),
        edit: EditRow::RemoveKey,
    });
    gone.fix_safety.push(Safety::Safe);
    let mut old = case("old", ">=4 <5", Severity::Info, "`maxSteps` is old");
    old.pedantic = true;
    let rule = Rule {
        needs: Vec::new(),
        id: "ai-sdk/max-steps".to_owned(),
        renamed_from: vec!["ai-sdk/steps".to_owned()],
        category: Category::SilentBreak,
        summary: "`maxSteps` has no effect".to_owned(),
        kind: RuleKind::Option { names: vec![agentcheck_catalog::Rename { old: "maxSteps".to_owned(), new: None }] },
        cases: vec![gone, old],
        yields_to: Vec::new(),
        options: Vec::new(),
    };
    let example = |before: &str, after: Option<&str>, case: Option<&str>| Example {
        package: "ai".to_owned(),
        version: "7.0.173".to_owned(),
        before: before.to_owned(),
        after: after.map(str::to_owned),
        case: case.map(str::to_owned),
    };
    let docs = RuleDocs {
        details: "Version 5 moved the\nstep budget to `stopWhen`.\n\n- one item\n- another\n\n```ts\nconst kept   = 'as it is';\n```\n"
            .to_owned(),
        silent: "Objects that do not reach the SDK.".to_owned(),
        source: "node_modules/ai/dist/index.mjs".to_owned(),
        examples: vec![
            example("generateText({ maxSteps: 5 });\n", Some("generateText({ stopWhen: stepCountIs(5) });\n"), Some("gone")),
            example("plan({ maxSteps: 5 });\n", None, None),
        ],
    };
    (rule, docs)
}
