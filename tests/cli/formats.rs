//! `--format`, colours, width, and what goes where.

use std::io::Read as _;
use std::process::Stdio;

use crate::support::{CAPPED, Project, THROWING};

const ESCAPE: char = '\u{1b}';

#[test]
fn full_shows_the_source_the_help_and_a_summary() {
    let project = Project::new("7.0.173", &[("src/a.ts", CAPPED)]);
    let run = project.run(&[]).expect(1);
    insta::assert_snapshot!(run.stdout, @r"
    error ai-sdk/max-tokens
      × `maxTokens` is ignored by ai 7.0.173: no token cap is sent to the provider.
       ╭─[src/a.ts:4:33]
     3 │ export const answer = (model, prompt) =>
     4 │   generateText({ model, prompt, maxTokens: 100 });
       ·                                 ─────────
       ╰────
      help: Call it `maxOutputTokens`.
      fix:  Rename `maxTokens` to `maxOutputTokens`  (--fix)
      found ai 7.0.173 (package.json)

    Found 1 error in 1 file (1 checked, 1 parsed). 1 fixable with --fix.
    ");
}

#[test]
fn concise_is_a_line_a_finding_and_nothing_else() {
    let project = Project::new("7.0.173", &[("src/a.ts", CAPPED), ("b.ts", THROWING)]);
    let run = project.run(&["--format", "concise"]).expect(1);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{run:?}");
    assert!(lines[0].starts_with("b.ts:10:7: warning ai-sdk/throw-in-execute: "), "{run:?}");
    assert!(lines[0].ends_with(" (unsafe fix available)"), "{run:?}");
    assert!(lines[1].starts_with("src/a.ts:4:33: error ai-sdk/max-tokens: "), "{run:?}");
    assert!(lines[1].ends_with(" (fix available)"), "{run:?}");
    assert_eq!(run.stderr, "");
}

#[test]
fn columns_count_utf16_units_and_offsets_bytes() {
    let text = "import { generateText } from 'ai';\nconst ä = '🙂'; generateText({ model, maxTokens: 1 });\n";
    let project = Project::new("7.0.173", &[("a.ts", text)]);
    let json = project.json(&[]);
    let start = &json["findings"][0]["start"];
    let offset = text.find("maxTokens").expect("there");
    let line = text.lines().nth(1).expect("a line");
    let column = line[..line.find("maxTokens").expect("there")].encode_utf16().count() + 1;
    assert_eq!(start, &serde_json::json!({ "line": 2, "column": column, "offset": offset }));
    project.run(&["--format", "concise"]).expect(1).prints(&[&format!("a.ts:2:{column}: ")]);
}

#[test]
fn a_byte_order_mark_is_no_column() {
    let project = Project::new("7.0.173", &[("a.ts", &format!("\u{feff}{}", CAPPED.replace('\n', "\r\n")))]);
    assert_eq!(project.found(&[]), ["a.ts:4:33 error ai-sdk/max-tokens"]);
    let text = "\u{feff}require('ai').generateText({ maxTokens: 1 });\n";
    let project = Project::new("6.0.325", &[("a.js", text)]);
    let column = text.find("maxTokens").expect("there") - '\u{feff}'.len_utf8() + 1;
    let found = project.found(&[]);
    // Editors do not count it as a column, and neither does anybody who looks at the file.
    assert_eq!(found, [format!("a.js:1:{column} error ai-sdk/max-tokens")]);
}

#[test]
fn no_colours_in_a_pipe_and_colours_on_demand() {
    let project = Project::new("7.0.173", &[("a.ts", CAPPED), ("empty/package.json", "{")]);
    for format in ["full", "concise", "json"] {
        let run = project.run(&["--format", format]).expect(1);
        assert!(!run.stdout.contains(ESCAPE) && !run.stderr.contains(ESCAPE), "{run:?}");
        let run = project.run(&["--format", format, "--color", "always"]).expect(1);
        assert_eq!(run.stdout.contains(ESCAPE), format != "json", "{run:?}");
        let run = project.run(&["--format", format, "--color", "never"]).expect(1);
        assert!(!run.stdout.contains(ESCAPE));
    }
    project.run(&["--diff", "--color", "always"]).expect(1).prints(&["\u{1b}["]);
    project.run(&["explain", "ai-sdk/max-tokens", "--color", "always"]).expect(0).prints(&["\u{1b}["]);
    project.run(&["rules", "--color", "always"]).expect(0).prints(&["\u{1b}["]);
}

#[test]
fn no_color_is_honoured_unless_colours_are_asked_for() {
    let project = Project::new("7.0.173", &[("a.ts", CAPPED)]);
    let with = |args: &[&str], name: &str, value: &str| {
        let output = project.command(args).env(name, value).output().expect("it runs");
        String::from_utf8(output.stdout).expect("UTF-8").contains(ESCAPE)
    };
    assert!(!with(&[], "NO_COLOR", "1"));
    assert!(with(&["--color", "always"], "NO_COLOR", "1"), "what is said on the command line wins");
    assert!(!with(&["--color", "never"], "CLICOLOR_FORCE", "1"));
    assert!(with(&[], "CLICOLOR_FORCE", "1") || with(&[], "FORCE_COLOR", "1"), "one of the two is usual in CI");
}

#[test]
fn the_width_is_that_of_the_terminal() {
    let project = Project::new("7.0.173", &[("a.ts", CAPPED)]);
    // The summary is one line whatever the width.
    let widest = |columns: &str| {
        let output = project.command(&[]).env("COLUMNS", columns).output().expect("it runs");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let lines = text.lines().filter(|line| !line.starts_with("Found "));
        lines.map(|line| line.chars().count()).max().unwrap_or(0)
    };
    assert!(widest("60") <= 60, "{}", widest("60"));
    assert!(widest("120") > 70, "{}", widest("120"));
    // Nonsense counts for nothing.
    for columns in ["0", "1", "-5", "many", "99999999999999999999"] {
        assert!(widest(columns) > 20, "COLUMNS={columns}");
    }
}

#[test]
fn a_reader_who_leaves_early_is_no_error() {
    let many: String = (0..3000).map(|n| format!("generateText({{ model, maxTokens: {n} }});\n")).collect();
    let project = Project::new("7.0.173", &[("a.ts", &format!("import {{ generateText }} from 'ai';\n{many}"))]);
    for format in ["full", "concise", "json"] {
        let mut command = project.command(&["--format", format]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
        let mut first = [0; 16];
        child.stdout.take().expect("piped").read_exact(&mut first).expect("some bytes");
        // The pipe is closed now.
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{format}");
        assert_eq!(output.status.code(), Some(1), "{format}: the exit code says what was found");
    }
}

#[test]
fn quiet_says_nothing_but_findings_and_verbose_the_time() {
    let project =
        Project::new("7.0.173", &[("a.ts", CAPPED), ("package.json", "{ \"dependencies\": { \"ai\": \"7.0.173\" }, ")]);
    let run = project.run(&["--format", "concise"]).expect(1).says(&["package.json"]);
    let quiet = project.run(&["--format", "concise", "--quiet"]).expect(1);
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), (run.stdout.as_str(), ""));
    project.run(&["--verbose"]).expect(1).says(&[" s\n"]);
}

#[test]
fn names_with_odd_characters_break_no_line() {
    let project = Project::new("7.0.173", &[]);
    project.write("a\nb\u{1b}[31m.ts", CAPPED);
    project.write("ü 🙂/ä.ts", CAPPED);
    let run = project.run(&["--format", "concise"]).expect(1);
    assert_eq!(run.stdout.lines().count(), 2, "{run:?}");
    assert!(!run.stdout.contains(ESCAPE), "{run:?}");
    assert!(run.stdout.contains("ü 🙂/ä.ts:4:33: "), "{run:?}");
    let run = project.run(&[]).expect(1);
    assert!(!run.stdout.contains(ESCAPE), "{run:?}");
    let json = project.json(&[]);
    assert_eq!(json["findings"][0]["path"], "a\nb\u{1b}[31m.ts");
}

#[test]
fn every_format_leaves_the_exit_code_and_stderr_alone() {
    let project = Project::new("7.0.173", &[("src/a.ts", CAPPED)]);
    for (format, begins) in [
        ("jsonl", "{\"rule\":"),
        ("sarif", "{\"$schema\":"),
        ("github", "::error file=src/a.ts,line=4"),
        ("gitlab", "[{"),
        ("junit", "<?xml"),
        ("agent", "src/a.ts:4:33 error ai-sdk/max-tokens"),
        ("markdown", "### agentcheck: 1 errors"),
    ] {
        let run = project.run(&["--format", format]).expect(1);
        assert!(run.stdout.starts_with(begins), "{format}: {}", run.stdout);
        assert_eq!(run.stderr, "", "{format}");
    }
}

#[test]
fn several_formats_are_written_at_once() {
    let project = Project::new("7.0.173", &[("a.ts", CAPPED)]);
    let run = project.run(&["--output", "sarif=out.sarif", "--output", "junit=out.xml"]).expect(1);
    assert!(run.stdout.contains("maxTokens"), "the usual output stays");
    let sarif: serde_json::Value = serde_json::from_str(&project.read("out.sarif")).expect("JSON");
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "ai-sdk/max-tokens");
    assert!(project.read("out.xml").contains("<testcase"));
    project.run(&["--output", "sarif"]).expect(2).says(&["FORMAT=FILE"]);
    project.run(&["--output", "pdf=x"]).expect(2).says(&["pdf"]);
    project.run(&["--output", "sarif=no/such/folder.sarif"]).expect(3).says(&["cannot write no/such/folder.sarif"]);
}
