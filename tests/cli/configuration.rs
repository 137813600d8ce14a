//! `include`, `exclude`, `[[overrides]]`, `[per-file-ignores]` and `extends` of agentcheck.toml.

use crate::support::{CAPPED, Project};

fn project() -> Project {
    Project::new("7.0.173", &[("src/a.ts", CAPPED), ("src/a.test.ts", CAPPED), ("vendor/b.ts", CAPPED)])
}

#[test]
fn excluded_files_are_left_out_unless_they_are_named() {
    let project = project();
    project.write("agentcheck.toml", "exclude = [\"vendor\", \"*.test.ts\"]\n");
    assert_eq!(project.found(&[]), ["src/a.ts:4:33 error ai-sdk/max-tokens"]);
    assert_eq!(project.found(&["vendor"]).len(), 0);
    assert_eq!(project.found(&["vendor/b.ts"]).len(), 1);
    // A hook names every changed file.
    assert_eq!(project.found(&["vendor/b.ts", "src/a.ts", "--force-exclude"]).len(), 1);
    let said = ["nothing to inspect: agentcheck.toml excludes every file here"];
    project.run(&["vendor/b.ts", "--force-exclude"]).expect(0).says(&said);
    project.write("agentcheck.toml", "exclude = [\"./src\", \"vendor/\"]\n");
    project.run(&[]).expect(0).says(&said);
}

#[test]
fn excluded_files_are_still_known() {
    let project = Project::new(
        "7.0.173",
        &[
            ("generated/options.ts", "export const options = { maxTokens: 100 };\n"),
            (
                "a.ts",
                "import { generateText } from 'ai';\nimport { options } from './generated/options';\n\
                      generateText({ model, prompt, ...options });\n",
            ),
        ],
    );
    let before = project.found(&[]);
    assert_eq!(before.len(), 1, "{before:?}");
    project.write("agentcheck.toml", "exclude = \"a.ts\"\n");
    assert_eq!(project.found(&[]), before, "reported where it is written");
}

#[test]
fn only_what_is_included_is_reported() {
    let project = project();
    project.write("agentcheck.toml", "include = \"src\"\n");
    assert_eq!(project.found(&[]).len(), 2);
}

#[test]
fn some_files_are_set_otherwise() {
    let project = project();
    let config = "[[overrides]]\nfiles = [\"vendor/**\"]\nrules = { \"ai-sdk/max-tokens\" = \"info\" }\n\n\
                  [per-file-ignores]\n\"*.test.ts\" = [\"ai-sdk/*\"]\n";
    project.write("agentcheck.toml", config);
    let expected = ["src/a.ts:4:33 error ai-sdk/max-tokens", "vendor/b.ts:4:33 info ai-sdk/max-tokens"];
    assert_eq!(project.found(&[]), expected);
}

#[test]
fn a_target_holds_for_some_files() {
    let project = project();
    project.write("agentcheck.toml", "[[overrides]]\nfiles = \"vendor\"\ntarget = { ai = \"4.3.19\" }\n");
    assert_eq!(project.found(&[]).len(), 2);
}

#[test]
fn a_base_is_extended_and_its_mistakes_are_told_there() {
    let project = project();
    project.write("agentcheck.toml", "extends = \"./tools/base.toml\"\n");
    project.write("tools/base.toml", "[rules]\n\"ai-sdk/max-tokens\" = \"warning\"\n");
    assert_eq!(project.found(&["src/a.ts"]), ["src/a.ts:4:33 warning ai-sdk/max-tokens"]);
    project.write("tools/base.toml", "[rules]\n\"ai-sdk/max-token\" = \"warning\"\n");
    project.run(&[]).expect(2).says(&["tools/base.toml:2:1", "did you mean `ai-sdk/max-tokens`?"]);
}
