//! A rule for the terminal.

use agentcheck_catalog::{Example, Rule, RuleDocs};

use super::{fixes, when};
use crate::slots::readable;
use crate::style::{Paint, Style};
use crate::text::{one_line, prose, push_printable, wrap};

const INDENT: &str = "  ";
const CODE_INDENT: &str = "    ";

pub(super) fn explain(rule: &Rule, docs: &RuleDocs, style: &Style) -> String {
    let mut page = Page { text: String::new(), style };
    page.line(style.paint(Paint::Strong, &rule.id));
    page.wrapped(&prose(&rule.summary), "", "");
    page.line("");
    page.fact("category", rule.category.name());
    page.fact(
        "fix",
        &rule.best_fix().map_or("none".to_owned(), |safety| format!("{} ({})", safety.name(), super::how(safety))),
    );
    if !rule.renamed_from.is_empty() {
        page.fact("formerly", &rule.renamed_from.join(", "));
    }
    if !rule.options.is_empty() {
        page.fact("options", &rule.options.join(", "));
    }

    page.heading("Reports");
    for case in &rule.cases {
        let severity = style.paint(Paint::severity(case.severity), case.severity.name());
        page.line(format_args!("{INDENT}{severity} {}", when(case)));
        page.wrapped(&prose(&readable(&case.message)), CODE_INDENT, CODE_INDENT);
        if let Some(help) = &case.help {
            page.wrapped(&format!("help: {}", prose(&readable(help))), CODE_INDENT, "          ");
        }
        for fix in fixes(case) {
            page.wrapped(&format!("fix:  {}", prose(&fix)), CODE_INDENT, "          ");
        }
    }
    page.section("Why", &docs.details);
    let (reported, silent): (Vec<&Example>, Vec<&Example>) =
        docs.examples.iter().partition(|example| example.case.is_some());
    for example in reported {
        page.heading(&format!("Example with {} {}", example.package, example.version));
        page.code(&example.before);
        if let Some(after) = &example.after {
            page.line(format_args!("{INDENT}becomes"));
            page.code(after);
        }
    }
    if !docs.silent.trim().is_empty() || !silent.is_empty() {
        page.heading("Not reported");
        page.markdown(&docs.silent);
        for example in silent {
            page.line(format_args!("{INDENT}with {} {}", example.package, example.version));
            page.code(&example.before);
        }
    }
    page.section("Source", &docs.source);
    page.text
}

struct Page<'s> {
    text: String,
    style: &'s Style,
}

impl Page<'_> {
    fn line(&mut self, text: impl std::fmt::Display) {
        self.text.push_str(&text.to_string());
        self.text.push('\n');
    }

    fn wrapped(&mut self, text: &str, first: &str, rest: &str) {
        let text = wrap(text, self.style.prose_width(), first, rest);
        self.line(text);
    }

    fn fact(&mut self, name: &str, value: &str) {
        let name = format!("{name:<10}");
        self.line(format_args!("{}{}", self.style.paint(Paint::Dim, name), one_line(value)));
    }

    fn heading(&mut self, text: &str) {
        self.line("");
        self.line(self.style.paint(Paint::Strong, one_line(text)));
    }

    fn section(&mut self, heading: &str, text: &str) {
        if !text.trim().is_empty() {
            self.heading(heading);
            self.markdown(text);
        }
    }

    fn code(&mut self, code: &str) {
        for line in code.trim_matches('\n').lines() {
            self.code_line(line);
        }
    }

    fn code_line(&mut self, line: &str) {
        let mut printable = String::with_capacity(line.len());
        for character in line.chars() {
            if character == '\t' { printable.push(character) } else { push_printable(&mut printable, character) }
        }
        self.line(format_args!("{CODE_INDENT}{printable}").to_string().trim_end());
    }

    /// Paragraphs and list items wrapped, code and tables as they are. Everything else of Markdown reads well enough raw.
    fn markdown(&mut self, text: &str) {
        let mut paragraph: Vec<&str> = Vec::new();
        let mut fence: Option<&str> = None;
        for line in text.trim_matches('\n').lines() {
            let content = line.trim();
            let ticks = &content[..content.len() - content.trim_start_matches('`').len()];
            match fence {
                Some(open) if content == open => fence = None,
                Some(_) => self.code_line(line),
                None if ticks.len() >= 3 => {
                    self.paragraph(&mut paragraph);
                    fence = Some(ticks);
                }
                None if content.is_empty() => {
                    self.paragraph(&mut paragraph);
                    self.line("");
                }
                None if content.starts_with('|') => {
                    self.paragraph(&mut paragraph);
                    self.code_line(content);
                }
                None => {
                    if is_item(content) {
                        self.paragraph(&mut paragraph);
                    }
                    paragraph.push(content);
                }
            }
        }
        self.paragraph(&mut paragraph);
    }

    fn paragraph(&mut self, lines: &mut Vec<&str>) {
        if let Some(first) = lines.first() {
            let rest = if is_item(first) { CODE_INDENT } else { INDENT };
            self.wrapped(&prose(&lines.join(" ")), INDENT, rest);
            lines.clear();
        }
    }
}

/// Whether a line begins an item of a list.
fn is_item(line: &str) -> bool {
    let number = line.trim_start_matches(|character: char| character.is_ascii_digit());
    line.starts_with("- ") || line.starts_with("* ") || (number.len() < line.len() && number.starts_with(". "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{ASCII, COLORED, rule};

    #[test]
    fn is_a_page() {
        let (rule, docs) = rule();
        let expected = "\
ai-sdk/max-steps
`maxSteps` has no effect

category  silent-break
fix       safe (--fix)
formerly  ai-sdk/steps

Reports
  error in >=5.0.0
    `maxSteps` is ignored by `<callee>`: the run ends after one step
    help: Say when to stop with `stopWhen`.
    fix:  Replace `maxSteps: <value>` with `stopWhen: stepCountIs(<value>)`
          (--fix, in >=5.0.0 <7.0.0)
  info in >=4.0.0 <5.0.0, only with --pedantic
    `maxSteps` is old

Why
  Version 5 moved the step budget to `stopWhen`.

  - one item
  - another

    const kept   = 'as it is';

Example with ai 7.0.173
    generateText({ maxSteps: 5 });
  becomes
    generateText({ stopWhen: stepCountIs(5) });

Not reported
  Objects that do not reach the SDK.
  with ai 7.0.173
    plan({ maxSteps: 5 });

Source
  node_modules/ai/dist/index.mjs
";
        assert_eq!(explain(&rule, &docs, &ASCII), expected);
    }

    #[test]
    fn headings_and_severities_are_coloured() {
        let (rule, docs) = rule();
        let page = explain(&rule, &docs, &COLORED);
        assert!(page.contains("\u{1b}[1mReports\u{1b}[0m\n  \u{1b}[1;31merror\u{1b}[0m in >=5.0.0\n"), "{page:?}");
    }

    #[test]
    fn a_rule_without_docs_is_explained_by_its_cases() {
        let page = explain(&rule().0, &RuleDocs::default(), &ASCII);
        assert!(page.ends_with("`maxSteps` is old\n"), "{page}");
    }
}
