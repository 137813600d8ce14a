//! `docs/ecosystem/README.md`: the record as tables for people, and how to make it again.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use agentcheck_catalog::Severity;

use super::table::{Finding, Repository, Tables};
use super::verdict::Verdict;
use crate::pages::mark;

/// Where the reproduction keeps its checkouts: below the target folder, which git ignores.
const CHECKOUTS: &str = "target/ecosystem";

const INTRODUCTION: &str = "\
# What agentcheck finds in public code

Errors and warnings that it reports on these repositories are read by somebody who did not write the rule, and judged: *true*
if in the found version of the SDK that code does what the finding says, else *false*. Precision is the share of the judged
findings that are true. Places, verdicts and reasons are in `findings/`.
";

pub(super) fn render(tables: &Tables) -> String {
    let mut text = mark("ecosystem", "repositories.toml and findings/");
    text.push_str(INTRODUCTION);
    text.push_str(&progress(tables));
    rules(tables, &mut text);
    repositories(tables, &mut text);
    text.push_str(HOW_TO_JUDGE);
    reproduce(tables, &mut text);
    text
}

/// How far the judging has come.
fn progress(tables: &Tables) -> String {
    let counted = || tables.all_findings().filter(|finding| finding.severity > Severity::Info);
    match (counted().filter(|finding| finding.verdict == Verdict::Unjudged).count(), counted().count()) {
        (0, total) => format!("\nAll {total} errors and warnings are judged.\n"),
        (unjudged, total) => format!("\n{unjudged} of {total} errors and warnings are not judged yet.\n"),
    }
}

fn rules(tables: &Tables, text: &mut String) {
    let mut rules: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in tables.all_findings() {
        rules.entry(&finding.rule).or_default().push(finding);
    }
    text.push_str(
        "\n## Rules\n\n| rule | errors | warnings | infos | judged | true | precision |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for (rule, findings) in &rules {
        let _ = writeln!(text, "| {rule} |{}", rule_cells(findings));
    }
    let all: Vec<&Finding> = tables.all_findings().collect();
    let _ = writeln!(text, "| **all** |{}", rule_cells(&all));
}

fn rule_cells(findings: &[&Finding]) -> String {
    let [errors, warnings, infos] = by_severity(findings.iter().copied());
    let count = |verdict| findings.iter().filter(|finding| finding.verdict == verdict).count();
    let (right, wrong) = (count(Verdict::True), count(Verdict::False));
    let judged = right + wrong;
    // Rounded down: 100 % means that none is wrong.
    let precision = (right * 100).checked_div(judged).map_or("–".to_owned(), |percent| format!("{percent} %"));
    format!(" {errors} | {warnings} | {infos} | {judged} | {right} | {precision} |")
}

fn by_severity<'a>(findings: impl Iterator<Item = &'a Finding> + Clone) -> [usize; 3] {
    [Severity::Error, Severity::Warning, Severity::Info]
        .map(|severity| findings.clone().filter(|finding| finding.severity == severity).count())
}

const REPOSITORIES_HEAD: &str = "
## Repositories

`ai` is the version that agentcheck found, or several where a repository has several packages. Time is wall time of the whole
process, the best of some runs with warm file caches; memory is the peak of what was resident; `repositories.toml` has the
number of cores. Not inspected are files that were left out with a notice; crashes are failures inside agentcheck.

| repository | what it is | `ai` | files | parsed | not inspected | errors | warnings | infos | crashes | s | MiB |
| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
";

fn repositories(tables: &Tables, text: &mut String) {
    text.push_str(REPOSITORIES_HEAD);
    for repository in &tables.repositories {
        let run = &repository.run;
        let [errors, warnings, infos] = by_severity(tables.findings(repository).iter());
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {errors} | {warnings} | {infos} | {} | {:.2} | {} |",
            link(repository),
            repository.about.replace('|', "\\|"),
            if run.ai.is_empty() { "–".to_owned() } else { run.ai.join(", ").replace('|', "\\|") },
            run.files,
            run.parsed,
            run.skipped,
            run.crashes,
            run.seconds,
            run.peak_mib.map_or_else(String::new, |mib| mib.to_string()),
        );
    }
}

/// The repository as it was at its commit.
fn link(repository: &Repository) -> String {
    let Repository { name, commit, folder, .. } = repository;
    let below = folder.as_ref().map_or_else(String::new, |folder| format!("/{folder}"));
    format!("[{}](https://github.com/{name}/tree/{commit}{below})", repository.title())
}

const HOW_TO_JUDGE: &str = "
## How to judge

Open the file at its commit, in the `findings/` file of its repository set `verdict` to `\"true\"` or `\"false\"` and say why
in `reason`, in words of your own: no code of these repositories is kept here. Then run `cargo xtask ecosystem`, which brings
this page up to date. A verdict stays with its finding as long as the fingerprint is the same; a finding that is new is
`\"unjudged\"`, and one that is gone is dropped.

`cargo xtask ecosystem --check` exits 1 if an error or a warning is unjudged or this page is out of date; with checkouts
(see below) also if agentcheck now finds something else. Run without `--check` it shows the effect of a change to a rule:
what appeared (`+`), what vanished (`-`, with the verdict it had) and what has another severity (`~`).
";

fn reproduce(tables: &Tables, text: &mut String) {
    let _ = write!(
        text,
        "\n## Do it again\n\nFrom the root of this repository:\n\n```sh\n\
         checkout() {{\n  \
         git init -q \"{CHECKOUTS}/$1\"\n  \
         git -C \"{CHECKOUTS}/$1\" fetch -q --depth 1 \"https://github.com/$2\" \"$3\"\n  \
         git -C \"{CHECKOUTS}/$1\" checkout -q FETCH_HEAD\n\
         }}\n"
    );
    let mut checkouts: Vec<(&str, &str)> =
        tables.repositories.iter().map(|repository| (&*repository.name, &*repository.commit)).collect();
    checkouts.dedup();
    for (name, commit) in checkouts {
        let _ = writeln!(text, "checkout {} {name} {commit}", name.replace('/', "__"));
    }
    let _ = write!(
        text,
        "cargo xtask ecosystem --all {CHECKOUTS}\n```\n\n\
         To add a repository, check it out likewise and run\n\
         `cargo xtask ecosystem {CHECKOUTS}/OWNER__NAME --about 'what it is'`; to record a folder of it alone, name that folder.\n"
    );
}

#[cfg(test)]
mod tests {
    use super::super::table::samples::{finding, repository};
    use super::*;

    fn judged(fingerprint: &str, verdict: Verdict) -> Finding {
        Finding { verdict, ..finding(fingerprint) }
    }

    #[test]
    fn counts_verdicts_by_rule() {
        let mut tables = Tables::default();
        let other = Finding { rule: "ai-sdk/max-tokens".to_owned(), severity: Severity::Info, ..finding("d") };
        let findings = vec![judged("a", Verdict::True), judged("b", Verdict::True), judged("c", Verdict::False), other];
        tables.put(repository("a/b", Some("web")), findings);
        tables.put(repository("a/c", None), vec![finding("e")]);
        let page = render(&tables);
        for line in [
            "\n1 of 4 errors and warnings are not judged yet.\n",
            "| ai-sdk/max-steps | 4 | 0 | 0 | 3 | 2 | 66 % |\n",
            "| ai-sdk/max-tokens | 0 | 0 | 1 | 0 | 0 | – |\n",
            "| **all** | 4 | 0 | 1 | 3 | 2 | 66 % |\n",
            "| [a/b web](https://github.com/a/b/tree/0123456789012345678901234567890123456789/web) | a sample | 7.0.77 | \
             5 | 2 | 0 | 3 | 0 | 1 | 0 | 0.00 |  |\n",
        ] {
            assert!(page.contains(line), "{line}\nin\n{page}");
        }
    }

    #[test]
    fn a_repository_is_checked_out_once() {
        let mut tables = Tables::default();
        tables.put(repository("a/b", Some("one")), Vec::new());
        tables.put(repository("a/b", Some("two")), Vec::new());
        assert_eq!(render(&tables).matches("\ncheckout a__b a/b ").count(), 1);
    }
}
