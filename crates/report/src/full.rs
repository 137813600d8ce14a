//! The format for people: one block a finding, then the summary.

use std::io;

use agentcheck_lint::{Finding, Report};

use crate::excerpt::{Excerpt, Mark};
use crate::fixes::{INDENT, push_fix};
use crate::found::found_lines;
use crate::graphical::Block;
use crate::style::{Paint, Style};
use crate::summary::summary_line;
use crate::text::{one_line, prose, wrap};

/// Writes every finding as a block, and the summary.
pub(crate) fn write(report: &Report, style: &Style, out: &mut dyn io::Write) -> io::Result<()> {
    for finding in &report.findings {
        writeln!(out, "{}", render(report, finding, style))?;
    }
    writeln!(out, "{}", summary_line(report, style))
}

/// A finding as a block of lines: what happens, where, what to do, how it can be fixed and what was found installed.
fn render(report: &Report, finding: &Finding, style: &Style) -> String {
    let mut marks: Vec<Mark<'_>> = Vec::with_capacity(1 + finding.related.len());
    let own = report.files.get(&finding.place.file);
    marks.extend(own.map(|file| Mark { file, span: finding.place.span, text: None }));
    // Without its own place a finding would wear the address of another.
    if own.is_some() {
        marks.extend(finding.related.iter().filter_map(|related| {
            let file = report.files.get(&related.place.file)?;
            Some(Mark { file, span: related.place.span, text: Some(&related.message) })
        }));
    }
    let block = Block {
        heading: format!("{} {}", finding.severity.name(), one_line(&finding.rule)),
        severity: finding.severity,
        message: prose(&finding.message).into_owned(),
        help: finding.help.as_deref().map(|help| prose(help).into_owned()),
        url: crate::rule_url(&finding.rule),
        excerpt: Excerpt::new(&marks, style),
    };
    let mut text = block.render(style);
    for fix in &finding.fixes {
        push_fix(&mut text, report, fix, style);
    }
    for line in found_lines(finding) {
        for line in wrap(&line, style.prose_width(), "  ", INDENT).lines() {
            text.push_str(&format!("{}\n", style.paint(Paint::Dim, line)));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use agentcheck_catalog::{Safety, Severity};
    use agentcheck_syntax::{FileId, Place, Span};

    use super::*;
    use crate::samples::{AGENT, ASCII, COLORED, UNICODE, assumed, declared, finding, fix, place, related, report};

    /// The block of a finding on the first `needle` of a file with this text.
    fn drawn(text: &str, needle: &str, style: &Style) -> String {
        let report = report(&[("src/a.ts", text)]);
        let mut finding = finding(place(&report, 0, needle));
        finding.message = "no".to_owned();
        (finding.help, finding.packages) = (None, Vec::new());
        render(&report, &finding, style)
    }

    #[test]
    fn a_finding_is_one_compact_block() {
        let mut report = report(&[("src/agent.ts", AGENT)]);
        let mut own = finding(place(&report, 0, "maxSteps"));
        let edit = (place(&report, 0, "maxSteps: 5"), "stopWhen: stepCountIs(5)");
        own.fixes.push(fix("Replace `maxSteps: 5` with `stopWhen: stepCountIs(5)`", Safety::Safe, &[edit]));
        report.findings.push(own);
        let mut out = Vec::new();
        write(&report, &UNICODE, &mut out).expect("writing into memory");
        let expected = "\
error ai-sdk/max-steps
  × `maxSteps` is ignored: the run ends after one step, so the model never
  │ reads a tool result
   ╭─[src/agent.ts:6:3]
 5 │   tools: { search },
 6 │   maxSteps: 5,
   ·   ────────
 7 │ });
   ╰────
  help: Say when to stop with `stopWhen`.
  fix:  Replace `maxSteps: 5` with `stopWhen: stepCountIs(5)`  (--fix)
  found ai 7.0.173 (node_modules)

Found 1 error in 1 file (1 checked, 1 parsed). 1 fixable with --fix.
";
        assert_eq!(String::from_utf8(out).expect("UTF-8"), expected);
    }

    #[test]
    fn related_places_are_labels_or_frames_of_their_own() {
        let tool = "import { query } from './db';\nexport const lookup = tool({\n  execute: () => query(),\n});\n";
        let database = "export function query() {\n  throw new Error(secret);\n}\n";
        let report = report(&[("src/lookup.ts", tool), ("src/db.ts", database)]);
        let mut own = finding(place(&report, 0, "query()"));
        own.severity = Severity::Warning;
        own.message = "the model receives the error's text".to_owned();
        own.related.push(related(place(&report, 1, "throw new Error(secret);"), "thrown here"));
        own.related.push(related(place(&report, 0, "tool"), "by this tool"));
        own.packages = vec![declared("ai", "^7.0.0").into(), assumed("zod").into()];
        let expected = "\
warning ai-sdk/max-steps
  ! the model receives the error's text
   ,-[src/lookup.ts:3:18]
 1 | import { query } from './db';
 2 | export const lookup = tool({
   :                       ^^|^
   :                         `-- by this tool
 3 |   execute: () => query(),
   :                  ^^^^^^^
 4 | });
   `----
   ,-[src/db.ts:2:3]
 1 | export function query() {
 2 |   throw new Error(secret);
   :   ^^^^^^^^^^^^|^^^^^^^^^^^
   :               `-- thrown here
 3 | }
   `----
  help: Say when to stop with `stopWhen`.
  found ai ^7.0.0 (package.json range; no lockfile)
  no version of zod found: all known majors considered
";
        assert_eq!(render(&report, &own, &ASCII), expected);
    }

    #[test]
    fn columns_count_utf16_units_and_carets_count_cells() {
        let expected = "\
error ai-sdk/max-steps
  × no
   ╭─[src/a.ts:1:13]
 1 │ f('🙂漢字', { maxSteps: 5 });
   ·               ────────
 2 │ next();
   ╰────
";
        assert_eq!(drawn("f('🙂漢字', { maxSteps: 5 });\r\nnext();\r\n", "maxSteps", &UNICODE), expected);
        assert_eq!(drawn("\u{feff}f('🙂漢字', { maxSteps: 5 });\nnext();", "maxSteps", &UNICODE), expected);
    }

    #[test]
    fn tabs_are_shown_as_spaces() {
        let block = drawn("\tcall({\n\t\tmaxSteps: 5,\n\t});\n", "maxSteps", &UNICODE);
        assert!(block.contains("[src/a.ts:2:3]\n 1 │     call({\n 2 │         maxSteps: 5,\n   ·         ────────\n"));
    }

    #[test]
    fn a_place_far_to_the_right_is_shown_with_its_surroundings() {
        let text = format!("{}maxSteps: 5{}", "x".repeat(69_999), "y".repeat(69_999));
        let block = drawn(&text, "maxSteps", &UNICODE);
        let lines: Vec<&str> = block.lines().collect();
        assert_eq!(lines[2], "   ╭─[src/a.ts:1:70000]");
        let caret = lines[4].chars().position(|character| character == '─');
        let shown: String = lines[3].chars().skip(caret.expect("a caret")).take(8).collect();
        assert_eq!(shown, "maxSteps");
        assert!(lines.iter().all(|line| line.chars().count() <= UNICODE.width), "{block}");
        assert!(lines[3].contains("│ …xxx") && lines[3].ends_with("yyy…"), "{block}");
    }

    #[test]
    fn places_of_several_lines_and_of_none_are_drawn() {
        let block = drawn("call({\n  a,\n});\nnext;\n", "call({\n  a,\n});", &ASCII);
        assert!(block.contains("1 | ,-> call({\n 2 | |     a,\n 3 | `-> });\n 4 |     next;\n"), "{block}");
        assert!(drawn("", "", &ASCII).contains("[src/a.ts:1:1]\n 1 | \n   : ^\n"));
        let report = report(&[("src/a.ts", "a\nb\n")]);
        for (offset, expected) in [(1, " 1 | a\n   :  ^\n"), (4, " 2 | b\n 3 | \n   : ^\n"), (999, " 3 | \n   : ^\n")] {
            let block = render(&report, &finding(Place { file: FileId(0), span: Span::empty(offset) }), &ASCII);
            assert!(block.contains(expected), "{block}");
        }
    }

    #[test]
    fn nothing_of_the_source_or_the_words_reaches_the_terminal_raw() {
        let mut report = report(&[("src/\u{1b}]0;a.ts", "maxSteps('\u{1b}[2J\u{9b}1m\u{202e}')")]);
        let mut own = finding(place(&report, 0, "maxSteps"));
        own.message = "a\u{1b}[31m\nb".to_owned();
        own.help = Some("c\u{7}".to_owned());
        own.related.push(related(place(&report, 0, "'"), "d\u{1b}\n"));
        own.fixes.push(fix("e\u{1b}", Safety::Manual, &[(own.place, "\u{1b}[0m")]));
        report.findings.push(own);
        let block = render(&report, &report.findings[0], &ASCII);
        assert!(!block.chars().any(|character| character.is_control() && character != '\n'), "{block:?}");
        assert!(!block.contains('\u{202e}') && block.contains("maxSteps('\\u{1b}[2J\\u{9b}1m\\u{202e}')"), "{block}");
    }

    #[test]
    fn colours_change_nothing_but_colours() {
        let mut report = report(&[("src/agent.ts", AGENT)]);
        let mut own = finding(place(&report, 0, "maxSteps"));
        own.related.push(related(place(&report, 0, "tools"), "these"));
        own.fixes.push(fix("Replace it", Safety::Unsafe, &[]));
        report.findings.push(own);
        let [plain, mut colored] = [UNICODE, COLORED].map(|style| render(&report, &report.findings[0], &style));
        assert!(!plain.contains('\u{1b}') && colored.contains("\u{1b}[31merror ai-sdk/max-steps\u{1b}[0m"));
        while let Some(start) = colored.find('\u{1b}') {
            let end = colored[start..].find('m').expect("the end of a colour");
            colored.replace_range(start..=start + end, "");
        }
        assert_eq!(colored, plain);
    }

    #[test]
    fn a_finding_without_its_file_still_speaks() {
        let mut report = report(&[("src/agent.ts", AGENT)]);
        let finding = finding(place(&report, 0, "maxSteps"));
        report.files.clear();
        assert!(render(&report, &finding, &ASCII).starts_with("error ai-sdk/max-steps\n  x `maxSteps` is ignored"));
    }

    proptest::proptest! {
        #[test]
        fn any_places_in_any_text_are_drawn(
            text in "(\u{feff})?[ab🙂漢\t\r\n\u{301}\u{1b} ]{0,120}",
            long in 0usize..2,
            places in proptest::collection::vec((0u32..200, 0u32..60), 1..6),
        ) {
            let text = if long == 1 { format!("{}{text}", "x".repeat(70_000)) } else { text };
            let report = report(&[("src/a.ts", &text)]);
            let shift = long as u32 * 70_000;
            let mut places = places.iter().map(|(start, length)| Place {
                file: FileId(0),
                span: Span::new(shift + start, shift + start + length),
            });
            let mut own = finding(places.next().expect("at least one"));
            own.related = places.map(|place| related(place, "here")).collect();
            for style in [ASCII, COLORED] {
                let block = render(&report, &own, &style);
                proptest::prop_assert!(block.contains("src/a.ts:") && !block.contains("Failed to read"));
                proptest::prop_assert!(block.len() < 20_000);
            }
        }
    }
}
