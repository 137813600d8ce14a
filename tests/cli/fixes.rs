//! `--fix`, `--unsafe-fixes`, `--fix-only`, `--diff`.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::support::{CAPPED, CAPPED_FIXED, Project, THROWING};

#[test]
fn fix_applies_safe_fixes_and_reports_what_is_left() {
    let project = Project::new("7.0.173", &[("a.ts", CAPPED), ("b.ts", THROWING)]);
    let run = project.run(&["--fix", "--format", "concise"]).expect(1).says(&["Fixed 1 finding in 1 file."]);
    assert!(run.stdout.starts_with("b.ts:10:7: warning ai-sdk/throw-in-execute"), "{run:?}");
    assert_eq!(run.stdout.lines().count(), 1);
    assert_eq!(project.read("a.ts"), CAPPED_FIXED);
    assert_eq!(project.read("b.ts"), THROWING);
    // The exit code is that of what is left.
    project.run(&["--fix", "a.ts"]).expect(0);
}

#[test]
fn unsafe_fixes_implies_fixing() {
    let project = Project::new("7.0.173", &[("a.ts", CAPPED), ("b.ts", THROWING)]);
    project.run(&["--unsafe-fixes"]).expect(0).says(&["Fixed 2 findings in 2 files."]);
    assert_eq!(project.read("a.ts"), CAPPED_FIXED);
    assert!(project.read("b.ts").contains("return { ok: false, error: 'stock failed' };"));
    project.run(&["--fix", "--unsafe-fixes"]).expect(0);
}

#[test]
fn fix_only_reports_nothing() {
    let project = Project::new("7.0.173", &[("a.ts", CAPPED), ("b.ts", THROWING)]);
    let run = project.run(&["--fix-only"]).expect(0);
    assert_eq!(run.stdout, "");
    assert_eq!(project.read("a.ts"), CAPPED_FIXED);
    assert_eq!(project.run(&["--fix-only", "--quiet"]).expect(0).stderr, "");
}

#[test]
fn only_the_files_that_were_asked_for_are_fixed() {
    let project = Project::new("7.0.173", &[("a.ts", CAPPED), ("b.ts", CAPPED)]);
    project.run(&["--fix", "b.ts"]).expect(0);
    assert_eq!(project.read("a.ts"), CAPPED);
    project.run(&["--fix", "--ignore", "ai-sdk/max-tokens"]).expect(0);
    assert_eq!(project.read("a.ts"), CAPPED);
}

#[test]
fn fixes_go_on_until_none_is_left() {
    let source = "import { generateText } from 'ai';\nimport { model, tools } from './setup';\n\nexport const a = () =>\n  \
                  generateText({ model, tools, maxSteps: 3, maxTokens: 5 });\nexport const b = () => generateText({ model, \
                  maxSteps: 3 });\n";
    let project = Project::new("7.0.173", &[("a.ts", source)]);
    project.run(&["--fix"]).expect(0).says(&["Fixed 3 findings in 1 file."]);
    let fixed = project.read("a.ts");
    assert!(fixed.contains("import { generateText, isStepCount } from 'ai';"), "{fixed}");
    assert!(fixed.contains("stopWhen: isStepCount(3), maxOutputTokens: 5 }"), "{fixed}");
    assert!(fixed.contains("generateText({ model });"), "{fixed}");
}

#[test]
fn a_fixed_run_says_the_same_in_json() {
    let project = Project::new("7.0.173", &[("a.ts", CAPPED), ("b.ts", THROWING)]);
    let json = project.json(&["--fix"]);
    assert_eq!(crate::support::found_in(&json), ["b.ts:10:7 warning ai-sdk/throw-in-execute"]);
    assert_eq!(project.json(&[])["findings"], json["findings"]);
}

#[test]
fn diff_writes_nothing_and_exits_1_if_it_would_change_anything() {
    let project = Project::new("7.0.173", &[("src/a.ts", CAPPED), ("b.ts", THROWING)]);
    let run = project.run(&["--diff"]).expect(1);
    insta::assert_snapshot!(run.stdout, @r"
    --- a/src/a.ts
    +++ b/src/a.ts
    @@ -1,4 +1,4 @@
     import { generateText } from 'ai';
     
     export const answer = (model, prompt) =>
    -  generateText({ model, prompt, maxTokens: 100 });
    +  generateText({ model, prompt, maxOutputTokens: 100 });
    ");
    assert_eq!(project.read("src/a.ts"), CAPPED);
    // Unsafe fixes only when they are asked for.
    assert_eq!(project.run(&["--diff", "b.ts"]).expect(0).stdout, "");
    project.run(&["--diff", "--unsafe-fixes", "b.ts"]).expect(1).prints(&["--- a/b.ts", "+      return { ok: false"]);
    project.run(&["--diff", "--fix", "src"]).expect(1);
    assert_eq!(project.read("src/a.ts"), CAPPED);
}

#[test]
fn diff_of_nothing_is_clean_whatever_is_found() {
    let source = "import { generateText } from 'ai';\n\nexport const a = (options) => generateText({ ...options, maxSteps: 3 \
                  });\n";
    let project = Project::new("7.0.173", &[("a.ts", source)]);
    project.run(&[]).expect(1);
    assert_eq!(project.run(&["--diff"]).expect(0).stdout, "");
}

#[test]
fn patch_applies_a_diff() {
    if Command::new("patch").arg("--version").stdout(Stdio::null()).status().is_err() {
        eprintln!("skipped: there is no `patch` here");
        return;
    }
    // With and without a line ending at the end, with a path that holds a space.
    let bare = CAPPED.trim_end();
    let crlf = CAPPED.replace('\n', "\r\n");
    let files = [("src/a b.ts", CAPPED), ("bare.ts", bare), ("crlf.ts", &crlf), ("b.ts", THROWING)];
    let project = Project::new("7.0.173", &files);
    let diff = project.run(&["--diff", "--unsafe-fixes"]).expect(1).stdout;
    let mut patch = Command::new("patch");
    patch.args(["-p1", "--binary"]).current_dir(project.root()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = patch.spawn().expect("it runs");
    child.stdin.take().expect("piped").write_all(diff.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}\n{diff}", String::from_utf8_lossy(&output.stdout));

    let fixed = Project::new("7.0.173", &files);
    fixed.run(&["--unsafe-fixes"]).expect(0);
    for (path, _) in files {
        assert_eq!(project.read(path), fixed.read(path), "{path}");
    }
    assert_eq!(project.run(&["--diff", "--unsafe-fixes"]).expect(0).stdout, "");
}

#[test]
fn git_applies_a_diff() {
    if Command::new("git").arg("--version").stdout(Stdio::null()).status().is_err() {
        eprintln!("skipped: there is no `git` here");
        return;
    }
    let project = Project::new("7.0.173", &[("src/a.ts", CAPPED), ("src/b.ts", THROWING)]);
    let diff = project.run(&["--diff", "--unsafe-fixes"]).expect(1).stdout;
    let mut git = Command::new("git");
    git.args(["apply", "-"]).current_dir(project.root()).stdin(Stdio::piped()).stderr(Stdio::piped());
    std::fs::remove_dir(project.path(".git")).expect("removed");
    let mut child = git.spawn().expect("it runs");
    child.stdin.take().expect("piped").write_all(diff.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}\n{diff}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(project.read("src/a.ts"), CAPPED_FIXED);
}

#[test]
fn a_range_that_lies_in_two_majors_gets_no_fix_that_is_wrong_in_one() {
    let project = Project::new("^4 || ^5", &[("a.ts", CAPPED)]);
    project.run(&["--fix", "--fail-on", "info"]).expect(1);
    assert_eq!(project.read("a.ts"), CAPPED);
}
