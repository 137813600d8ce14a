//! Which rules run: `--only`, `--select`, `--ignore`, `--pedantic`, the configuration, and `--target`.

use crate::support::{CAPPED, DEAD_KEY, Project, THROWING};

/// A literal message: a pedantic case.
const LITERAL: &str = "import { tool } from 'ai';\nimport { schema } from './setup';\n\nexport const stock = tool({\n  \
                       parameters: schema,\n  execute: async () => {\n    throw new Error('a literal');\n  },\n});\n";

fn project() -> Project {
    Project::new("7.0.173", &[("a.ts", CAPPED), ("b.ts", THROWING), ("c.ts", LITERAL), ("d.ts", DEAD_KEY)])
}

/// The rules that report, each once a finding, without their pack.
fn rules(project: &Project, args: &[&str]) -> Vec<String> {
    let found = project.found(args);
    found.iter().map(|line| line.rsplit('/').next().expect("a rule").to_owned()).collect()
}

#[test]
fn everything_but_pedantic_cases_runs_by_default() {
    assert_eq!(rules(&project(), &[]), ["max-tokens", "throw-in-execute", "tool-parameters", "max-tokens"]);
}

#[test]
fn pedantic_shows_the_pedantic_cases_too() {
    let (described, throws) = ("tool-description-missing", "throw-in-execute");
    let expected = ["max-tokens", described, throws, described, "tool-parameters", throws, "max-tokens"];
    assert_eq!(rules(&project(), &["--pedantic"]), expected);
    let configured = project();
    configured.write("agentcheck.toml", "pedantic = true\n");
    assert_eq!(rules(&configured, &[]), expected);
}

#[test]
fn only_runs_exactly_these_pedantic_included() {
    let project = project();
    assert_eq!(rules(&project, &["--only", "ai-sdk/throw-in-execute"]), ["throw-in-execute"; 2]);
    assert_eq!(rules(&project, &["--only", "category:leak"]), ["throw-in-execute"; 2]);
    assert_eq!(rules(&project, &["--only", "meta/*"]), [""; 0]);
    let two = ["--only", "ai-sdk/max-tokens,ai-sdk/tool-parameters"];
    assert_eq!(rules(&project, &two), ["max-tokens", "tool-parameters", "max-tokens"]);
    let twice = ["--only", "ai-sdk/max-tokens", "--only", "ai-sdk/tool-parameters"];
    assert_eq!(rules(&project, &twice), ["max-tokens", "tool-parameters", "max-tokens"]);
    assert_eq!(rules(&project, &["--only", "ai-sdk/*"]).len(), 7);
}

#[test]
fn select_adds_pedantic_included_and_ignore_wins() {
    let project = project();
    assert_eq!(rules(&project, &["--select", "ai-sdk/throw-in-execute"]).len(), 5);
    let both = ["--select", "ai-sdk/throw-in-execute", "--ignore", "ai-sdk/throw-in-execute"];
    assert_eq!(rules(&project, &both), ["max-tokens", "tool-parameters", "max-tokens"]);
    let without = ["--only", "ai-sdk/*", "--ignore", "category:silent-break", "--ignore", "category:hygiene"];
    assert_eq!(rules(&project, &without), ["throw-in-execute"; 2]);
    assert_eq!(rules(&project, &["--ignore", "ai-sdk/*"]), [""; 0]);
}

#[test]
fn select_turns_on_what_the_configuration_turned_off() {
    let project = project();
    project.write("agentcheck.toml", "[rules]\n\"ai-sdk/throw-in-execute\" = \"off\"\n");
    assert_eq!(rules(&project, &[]), ["max-tokens", "tool-parameters", "max-tokens"]);
    assert_eq!(rules(&project, &["--select", "ai-sdk/throw-in-execute"]).len(), 5);
    assert_eq!(rules(&project, &["--only", "ai-sdk/throw-in-execute"]), ["throw-in-execute"; 2]);
}

#[test]
fn a_configured_severity_replaces_that_of_all_cases() {
    let project = project();
    project.write("agentcheck.toml", "[rules]\n\"ai-sdk/max-tokens\" = \"warning\"\n\"category:leak\" = \"info\"\n");
    assert_eq!(
        project.found(&[]),
        [
            "a.ts:4:33 warning ai-sdk/max-tokens",
            "b.ts:10:7 info ai-sdk/throw-in-execute",
            "c.ts:5:3 error ai-sdk/tool-parameters",
            "d.ts:4:33 warning ai-sdk/max-tokens",
        ]
    );
    project.run(&["--fail-on", "error", "a.ts", "b.ts"]).expect(0);
}

#[test]
fn the_closest_configuration_holds() {
    let project = project();
    project.write("agentcheck.toml", "[rules]\n\"ai-sdk/*\" = \"off\"\n");
    project.write("sub/agentcheck.toml", "[rules]\n\"ai-sdk/max-tokens\" = \"info\"\n");
    project.write("sub/a.ts", CAPPED);
    assert_eq!(project.found(&[]), ["sub/a.ts:4:33 info ai-sdk/max-tokens"]);
    let sub = project.path("sub");
    let run = project.command(&["--format", "concise"]).current_dir(sub).output().expect("it runs");
    assert!(String::from_utf8_lossy(&run.stdout).starts_with("a.ts:4:33: info"), "{run:?}");
}

#[test]
fn a_target_stands_for_the_installed_version() {
    let project = Project::new("4.3.19", &[("a.ts", CAPPED)]);
    assert_eq!(project.found(&[]), [""; 0]);
    let found = ["a.ts:4:33 error ai-sdk/max-tokens"];
    for target in ["ai@5", "ai@7", "ai@7.0.100", "ai@6.0.0-beta.1"] {
        let json = project.json(&["--target", target]);
        assert_eq!(crate::support::found_in(&json), found, "{target}");
        assert_eq!(json["findings"][0]["packages"][0]["source"], "target");
    }
    assert_eq!(project.json(&["--target", "ai@7"])["findings"][0]["packages"][0]["version"], "7.0.173");
    assert_eq!(project.found(&["--target", "ai@7", "--target", "ai@4"]), [""; 0], "the last one counts");
    assert_eq!(project.found(&["--target", "@ai-sdk/react@3"]), [""; 0]);
    // A diff writes nothing, so it may be taken under a target.
    project
        .run(&["--target", "ai@7", "--diff"])
        .expect(1)
        .prints(&["+  generateText({ model, prompt, maxOutputTokens"]);
    project.write("agentcheck.toml", "[target]\nai = \"5.0.277\"\n");
    assert_eq!(project.found(&[]), found);
    assert_eq!(project.found(&["--target", "ai@4"]), [""; 0], "the command line wins");
}
