//! Exit codes, and what a wrong call or configuration is told.

use crate::support::{CAPPED, CLEAN, DEAD_KEY, Project, THROWING};

#[test]
fn clean_is_0_and_findings_are_1() {
    let project = Project::new("7.0.173", &[("a.ts", CLEAN)]);
    project.run(&["check"]).expect(0).prints(&["No findings in 1 file"]);
    assert_eq!(project.run(&["--format", "concise"]).expect(0).stdout, "");
    project.write("b.ts", CAPPED);
    project.run(&["check"]).expect(1).prints(&["ai-sdk/max-tokens", "b.ts:4:33"]);
    project.run(&[]).expect(1).prints(&["ai-sdk/max-tokens"]);
    project.run(&["a.ts"]).expect(0);
    project.run(&["check", "b.ts", "a.ts"]).expect(1);
}

#[test]
fn the_threshold_is_warning_unless_told_otherwise() {
    let error = Project::new("7.0.173", &[("a.ts", CAPPED)]);
    let warning = Project::new("7.0.173", &[("a.ts", THROWING)]);
    let info = Project::new("7.0.173", &[("a.ts", DEAD_KEY)]);
    for (fail_on, expected) in
        [(None, [1, 1, 0]), (Some("error"), [1, 0, 0]), (Some("warning"), [1, 1, 0]), (Some("info"), [1, 1, 1])]
    {
        let args: Vec<&str> = fail_on.into_iter().flat_map(|level| ["--fail-on", level]).collect();
        let codes = [&error, &warning, &info].map(|project| project.run(&args).code);
        assert_eq!(codes, expected, "--fail-on {fail_on:?}");
    }
}

#[test]
fn the_configured_threshold_counts_unless_the_command_line_says_more() {
    let project = Project::new("7.0.173", &[("a.ts", THROWING), ("agentcheck.toml", "fail-on = \"error\"\n")]);
    project.run(&[]).expect(0).prints(&["ai-sdk/throw-in-execute"]);
    project.run(&["--fail-on", "warning"]).expect(1);
    project.write("packages/b/agentcheck.toml", "fail-on = \"info\"\n");
    project.write("packages/b/b.ts", DEAD_KEY);
    // The closest configuration holds for what is found below it.
    project.run(&[]).expect(1);
}

#[test]
fn a_threshold_holds_in_its_own_folder_only() {
    let project = Project::new("7.0.173", &[("b.ts", THROWING), ("a/agentcheck.toml", "fail-on = \"error\"\n")]);
    project.write("a/a.ts", CLEAN);
    project.run(&[]).expect(1);
}

#[test]
fn the_format_never_changes_the_exit_code() {
    let project = Project::new("7.0.173", &[("a.ts", CAPPED)]);
    for format in ["full", "concise", "json"] {
        project.run(&["--format", format]).expect(1);
        project.run(&["--format", format, "--ignore", "ai-sdk/max-tokens"]).expect(0);
    }
}

#[test]
fn a_missing_path_is_2() {
    let project = Project::new("7.0.173", &[("a.ts", CAPPED)]);
    let run = project.run(&["check", "a.ts", "nowhere.ts"]).expect(2).says(&["nowhere.ts", "no such file"]);
    assert_eq!(run.stdout, "");
    project.run(&["nowhere/"]).expect(2).says(&["nowhere"]);
    project.run(&["why", "nowhere.ts:1"]).expect(2).says(&["nowhere.ts"]);
    project.run(&["versions", "nowhere"]).expect(2).says(&["nowhere"]);
}

#[test]
fn an_unknown_rule_is_2_with_a_suggestion() {
    let project = Project::new("7.0.173", &[("a.ts", CAPPED)]);
    for flag in ["--only", "--select", "--ignore"] {
        project
            .run(&[flag, "ai-sdk/max-token"])
            .expect(2)
            .says(&["ai-sdk/max-token", "did you mean `ai-sdk/max-tokens`?"]);
        project.run(&[flag, "max-tokens"]).expect(2).says(&["did you mean `ai-sdk/max-tokens`?"]);
        project.run(&[flag, "category:leaks"]).expect(2).says(&["did you mean `category:leak`?"]);
        project.run(&[flag, "ai/*"]).expect(2).says(&["no pack called `ai`"]);
        project.run(&[flag, "ai-sdk/max-tokens,zzz"]).expect(2).says(&["zzz"]);
    }
    project.run(&["explain", "ai-sdk/max-token"]).expect(2).says(&["did you mean `ai-sdk/max-tokens`?"]);
    project.run(&["explain", "zzz"]).expect(2).says(&["agentcheck rules"]);
}

#[test]
fn a_pack_that_is_misspelt_is_not_called_a_rule() {
    let project = Project::new("7.0.173", &[("a.ts", CAPPED)]);
    project.run(&["--only", "ai-sdks/*"]).expect(2).says(&["did you mean `ai-sdk/*`?"]);
}

#[test]
fn a_bad_target_is_2() {
    let project = Project::new("7.0.173", &[("a.ts", CAPPED)]);
    for (target, message) in [
        ("ai", "PACKAGE@VERSION"),
        ("ai@", "PACKAGE@VERSION"),
        ("ai@latest", "PACKAGE@VERSION"),
        ("ai@99", "known majors"),
        ("aj@7", "known are ai"),
        ("ai-sdk/react@2", "did you mean `@ai-sdk/react`?"),
        ("left-pad@1.0.0", "left-pad"),
    ] {
        project.run(&["--target", target]).expect(2).says(&[message]);
        project.run(&["why", "a.ts:4", "--target", target]).expect(2).says(&[message]);
    }
    for fixing in ["--fix", "--fix-only", "--unsafe-fixes"] {
        project.run(&["--target", "ai@7", fixing]).expect(2).says(&["--target"]);
    }
    assert_eq!(project.read("a.ts"), CAPPED);
}

#[test]
fn an_unknown_flag_or_value_is_2() {
    let project = Project::new("7.0.173", &[("a.ts", CAPPED)]);
    project.run(&["--fixx"]).expect(2).says(&["--fixx", "--fix"]);
    project.run(&["--format", "yaml"]).expect(2).says(&["yaml", "full"]);
    project.run(&["--fail-on", "off"]).expect(2).says(&["off"]);
    project.run(&["--jobs", "many"]).expect(2);
    project.run(&["--diff", "--fix-only"]).expect(2);
    project.run(&["--quiet", "--verbose"]).expect(2);
    project.run(&["explain"]).expect(2);
    project.run(&["why", "a.ts"]).expect(2).says(&["FILE:LINE"]);
    project.run(&["why", "a.ts:0"]).expect(2).says(&["FILE:LINE"]);
    project.run(&["why", ":3"]).expect(2).says(&["FILE:LINE"]);
}

#[test]
fn help_and_version_are_0() {
    let project = Project::empty();
    project.run(&["--help"]).expect(0).prints(&["Usage: agentcheck", "--fix", "explain"]);
    project.run(&["check", "-h"]).expect(0).prints(&["--unsafe-fixes"]);
    let version = project.run(&["--version"]).expect(0).stdout;
    assert_eq!(version, format!("agentcheck {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_bad_configuration_is_2_and_shows_where() {
    let config = "pedantic = true\nfail_on = \"error\"\n\n[rules]\n\"ai-sdk/max-token\" = \"off\"\n";
    let project = Project::new("7.0.173", &[("a.ts", CAPPED), ("agentcheck.toml", config)]);
    let run = project.run(&[]).expect(2);
    assert_eq!(run.stdout, "");
    let run = run.says(&["agentcheck.toml:2:1", "unknown key `fail_on`", "did you mean `fail-on`?"]);
    let run = run.says(&["agentcheck.toml:5:1", "did you mean `ai-sdk/max-tokens`?"]);
    // The key is underlined: a line of marks as long as it.
    let marks = |line: &str| line.chars().filter(|c| matches!(c, '─' | '┬' | '^' | '╌')).count();
    assert!(run.stderr.lines().any(|line| (5..=9).contains(&marks(line))), "{}", run.stderr);
}

#[test]
fn every_kind_of_bad_configuration_is_2() {
    let project = Project::new("7.0.173", &[("a.ts", CAPPED)]);
    for (config, message) in [
        ("pedantic = \n", "agentcheck.toml:1"),
        ("pedantic = \"yes\"\n", "`true` or `false`"),
        ("[rules]\n\"ai-sdk/max-tokens\" = \"warn\"\n", "did you mean `warning`?"),
        ("[rules]\n\"ai-sdk/max-tokens\" = 3\n", "expected a severity"),
        ("[rules.\"ai-sdk/throw-in-execute\"]\nsafe-error = []\n", "did you mean `safe-errors`?"),
        ("[rules.\"ai-sdk/throw-in-execute\"]\nsafe-errors = \"A\"\n", "a list of strings"),
        ("[target]\nai = \"7\"\n", "full version"),
        ("[target]\nreact = \"19.0.0\"\n", "react"),
        ("excludes = []\n", "did you mean `exclude`?"),
        ("baseline = \"\"\n", "expected a path"),
        ("[[overrides]]\npedantic = true\n", "no `files`"),
        ("extends = \"acme\"\n", "`acme` cannot be found"),
    ] {
        project.write("agentcheck.toml", config);
        let run = project.run(&[]).expect(2).says(&[message, "agentcheck.toml"]);
        assert_eq!(run.stdout, "", "{config}");
    }
    project.write("agentcheck.toml", [0xff, 0xfe, 0x00]);
    project.run(&[]).expect(2).says(&["agentcheck.toml", "UTF-8"]);
    // One that holds for nothing that was asked for is not read.
    project.write("agentcheck.toml", "");
    project.write("other/agentcheck.toml", "nonsense");
    project.run(&["a.ts"]).expect(1);
}

#[test]
fn nothing_to_inspect_is_said_and_clean() {
    let project = Project::empty();
    project.write("README.md", "maxTokens");
    project.run(&[]).expect(0).says(&["nothing to inspect"]);
    project.write("a.ts", "export const a = 1;\n");
    project.run(&[]).expect(0).says(&["nothing to inspect", "no file imports an SDK"]);
    assert_eq!(project.run(&["--quiet"]).expect(0).stderr, "");
    let notices = project.notices(&[]);
    assert_eq!(notices.len(), 1);
    assert_eq!((notices[0].0.as_str(), notices[0].1.as_str()), ("not-inspected", ""));
}

#[cfg(target_os = "linux")]
#[test]
fn an_absurd_number_of_threads_is_refused_or_cut() {
    let project = Project::new("7.0.173", &[("a.ts", CAPPED)]);
    let mut child = project.command(&["-j", "3000"]).stdout(std::process::Stdio::null()).spawn().expect("it runs");
    let mut most = 0;
    while child.try_wait().expect("a child").is_none() && most < 1000 {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", child.id()));
        most = most.max(tasks.map_or(0, Iterator::count));
    }
    let _ = child.kill();
    child.wait().expect("it ends");
    assert!(most < 1000, "{most} threads");
}
