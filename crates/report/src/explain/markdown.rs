//! A rule as a page.

use agentcheck_catalog::{Example, Rule, RuleDocs};

use super::{fixes, when};
use crate::slots::readable;

pub(super) fn explain(rule: &Rule, docs: &RuleDocs) -> String {
    let mut page = Page::default();
    page.paragraph(&format!("# {}", rule.id));
    page.paragraph(&rule.summary);
    let mut facts = vec![format!("- Category: `{}`", rule.category.name())];
    facts.extend(rule.best_fix().map(|safety| format!("- Fix: {} ({})", safety.name(), super::how(safety))));
    if !rule.renamed_from.is_empty() {
        facts.push(format!("- Formerly: {}", code_list(&rule.renamed_from)));
    }
    if !rule.options.is_empty() {
        facts.push(format!("- Options: {}", code_list(&rule.options)));
    }
    page.paragraph(&facts.join("\n"));

    page.paragraph("## What is reported");
    for case in &rule.cases {
        page.paragraph(&format!("**{}** {}", case.severity.name(), escape(&when(case))));
        page.paragraph(&escape(&readable(&case.message)));
        if let Some(help) = &case.help {
            page.paragraph(&escape(&readable(help)));
        }
        let fixes: Vec<String> = fixes(case).iter().map(|fix| format!("- Fix: {}", escape(fix))).collect();
        page.paragraph(&fixes.join("\n"));
    }
    page.section("## Why", &docs.details);
    let (reported, silent): (Vec<&Example>, Vec<&Example>) =
        docs.examples.iter().partition(|example| example.case.is_some());
    let language = if matches!(rule.pack(), "rig" | "rmcp") { "rust" } else { "ts" };
    if !reported.is_empty() {
        page.paragraph("## Examples");
        for example in reported {
            page.paragraph(&format!("With `{}` {}:", example.package, example.version));
            page.code(&example.before, language);
            if let Some(after) = &example.after {
                page.paragraph("becomes");
                page.code(after, language);
            }
        }
    }
    if !docs.silent.trim().is_empty() || !silent.is_empty() {
        page.paragraph("## What is not reported");
        page.paragraph(&docs.silent);
        for example in silent {
            page.paragraph(&format!("With `{}` {}:", example.package, example.version));
            page.code(&example.before, language);
        }
    }
    page.section("## Source", &docs.source);
    page.text
}

#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn paragraph(&mut self, text: &str) {
        let text = text.trim_matches('\n');
        if text.trim().is_empty() {
            return;
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn section(&mut self, heading: &str, text: &str) {
        if !text.trim().is_empty() {
            self.paragraph(heading);
            self.paragraph(text);
        }
    }

    fn code(&mut self, code: &str, language: &str) {
        // A fence must be longer than any in the code itself.
        let mut fence = "```".to_owned();
        while code.contains(&fence) {
            fence.push('`');
        }
        self.paragraph(&format!("{fence}{language}\n{}\n{fence}", code.trim_matches('\n')));
    }
}

fn code_list(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Outside of code, `<name>` and comparison signs would be read as HTML or a quote.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_code = false;
    for character in text.chars() {
        match character {
            '`' => is_code = !is_code,
            '<' | '>' if !is_code => out.push('\\'),
            _ => {}
        }
        out.push(character);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::rule;

    #[test]
    fn is_a_page() {
        let (rule, docs) = rule();
        let expected = "\
# ai-sdk/max-steps

`maxSteps` has no effect

- Category: `silent-break`
- Fix: safe (--fix)
- Formerly: `ai-sdk/steps`

## What is reported

**error** in \\>=5.0.0

`maxSteps` is ignored by `<callee>`: the run ends after one step

Say when to stop with `stopWhen`.

- Fix: Replace `maxSteps: <value>` with `stopWhen: stepCountIs(<value>)`  (--fix, in \\>=5.0.0 \\<7.0.0)

**info** in \\>=4.0.0 \\<5.0.0, only with --pedantic

`maxSteps` is old

## Why

Version 5 moved the
step budget to `stopWhen`.

- one item
- another

```ts
const kept   = 'as it is';
```

## Examples

With `ai` 7.0.173:

```ts
generateText({ maxSteps: 5 });
```

becomes

```ts
generateText({ stopWhen: stepCountIs(5) });
```

## What is not reported

Objects that do not reach the SDK.

With `ai` 7.0.173:

```ts
plan({ maxSteps: 5 });
```

## Source

node_modules/ai/dist/index.mjs
";
        assert_eq!(explain(&rule, &docs), expected);
    }

    #[test]
    fn a_rule_without_docs_has_no_empty_sections() {
        let page = explain(&rule().0, &RuleDocs::default());
        assert!(page.ends_with("`maxSteps` is old\n"), "{page}");
    }

    #[test]
    fn code_keeps_its_fences() {
        let mut page = Page::default();
        page.code("const a = '```';", "ts");
        assert_eq!(page.text, "````ts\nconst a = '```';\n````\n");
    }
}
