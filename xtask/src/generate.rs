//! `cargo xtask generate`: a page for every rule, and an index. They are checked in so that they can be read and linked
//! without building anything; `--check` keeps them true.

use std::fmt::Write as _;
use std::path::Path;

use agentcheck_catalog::{Catalog, Rule};
use agentcheck_lint::builtin;
use agentcheck_report::{ExplainFormat, Style, explain};

use crate::pages::{Pages, mark};
use crate::{Done, Outcome};

/// Where the pages lie.
const FOLDER: &str = "docs/rules";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write nothing; exit 1 if a page is missing or out of date
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(args: &Args, root: &Path) -> Done<Outcome> {
    let pages = pages();
    let folder = root.join(FOLDER);
    if !args.check {
        pages.write(&folder)?;
        println!("{FOLDER}: {} pages", pages.len());
        return Ok(Outcome::Good);
    }
    let stale = pages.stale(&folder)?;
    if stale.is_empty() {
        println!("{FOLDER}: {} pages, up to date", pages.len());
        return Ok(Outcome::Good);
    }
    for problem in &stale {
        println!("{FOLDER}/{problem}");
    }
    println!("Run `cargo xtask generate`.");
    Ok(Outcome::Bad)
}

fn pages() -> Pages {
    let (catalog, mut docs) = (builtin::catalog(), builtin::docs());
    let mut pages = Pages::default();
    for rule in &catalog.rules {
        let docs = docs.remove(&rule.id).unwrap_or_default();
        let text = explain(rule, &docs, ExplainFormat::Markdown, &Style::plain());
        pages.add(page(rule), mark("generate", &format!("rules/{}/", rule.pack())) + &text);
    }
    pages.add("README.md", mark("generate", "rules/") + &index(catalog));
    pages
}

fn page(rule: &Rule) -> String {
    format!("{}.md", rule.id)
}

fn index(catalog: &Catalog) -> String {
    let mut rules: Vec<&Rule> = catalog.rules.iter().collect();
    rules.sort_by(|a, b| a.id.cmp(&b.id));
    let mut text = format!(
        "# Rules\n\n{} rules. A severity in brackets is shown only with `--pedantic`; which case holds in which version \
         stands on the page of the rule, and in `agentcheck explain RULE`.\n",
        rules.len()
    );
    for pack in rules.chunk_by(|a, b| a.pack() == b.pack()) {
        let name = pack.first().map_or_else(String::new, |rule| rule.pack().to_owned());
        let _ =
            write!(text, "\n## {name}\n\n| rule | severity | category | fix | |\n| --- | --- | --- | --- | --- |\n");
        for rule in pack {
            let fix = rule.best_fix().map_or("", |safety| safety.name());
            let _ = writeln!(
                text,
                "| [{}]({}) | {} | {} | {fix} | {} |",
                rule.id,
                page(rule),
                severities(rule),
                rule.category.name(),
                cell(&rule.summary),
            );
        }
    }
    text
}

/// The severities that a rule's cases have, worst first, each once.
fn severities(rule: &Rule) -> String {
    let mut cases: Vec<_> = rule.cases.iter().map(|case| (case.severity, !case.pedantic)).collect();
    cases.sort_unstable();
    cases.dedup();
    // A severity that is shown anyway needs no second mention in brackets.
    let shown = cases.iter().rev().filter(|(severity, on)| *on || !cases.contains(&(*severity, true)));
    let names =
        shown.map(|(severity, on)| if *on { severity.name().to_owned() } else { format!("({})", severity.name()) });
    names.collect::<Vec<_>>().join(", ")
}

/// Text within a table: a bar would end the cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_page_and_a_line() {
        let catalog = builtin::catalog();
        let index = index(catalog);
        for rule in &catalog.rules {
            assert!(index.contains(&format!("| [{0}]({0}.md) | ", rule.id)), "{}", rule.id);
        }
        assert_eq!(pages().len(), catalog.rules.len() + 1);
    }

    #[test]
    fn severities_are_listed_once_and_worst_first() {
        let mut rule = builtin::catalog().rules[0].clone();
        let case = rule.cases[0].clone();
        let with = |severity, pedantic| agentcheck_catalog::Case { severity, pedantic, ..case.clone() };
        use agentcheck_catalog::Severity::{Error, Info, Warning};
        rule.cases = vec![with(Info, true), with(Warning, false), with(Error, false), with(Error, true)];
        assert_eq!(severities(&rule), "error, warning, (info)");
    }
}
