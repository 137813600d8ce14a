//! Suppression comments, as far as they show in the output. Their forms are in `fixtures/meta`.

use crate::support::{CAPPED, Project, found_in};

#[test]
fn suppressed_findings_are_listed_with_what_silenced_them() {
    let text = CAPPED
        .replace("  generateText", "  // agentcheck-ignore ai-sdk/max-tokens -- until we\u{a0}move 🙂\n  generateText");
    let project = Project::new("7.0.173", &[("src/a.ts", &text)]);
    project.run(&[]).expect(0);
    let json = project.json(&[]);
    assert_eq!(found_in(&json), [""; 0]);
    let suppressed = &json["suppressed"][0];
    assert_eq!(suppressed["rule"], "ai-sdk/max-tokens");
    assert_eq!(suppressed["start"]["line"], 5);
    assert_eq!(suppressed["by"]["reason"], "until we\u{a0}move 🙂");
    assert_eq!(suppressed["by"]["path"], "src/a.ts");
    assert_eq!(suppressed["by"]["start"]["line"], 4);
    assert_eq!(suppressed["by"]["start"]["column"], 3);
    assert_eq!(json["summary"]["suppressed"], 1);
    assert_eq!(json["summary"]["errors"], 0);
}

#[test]
fn a_suppressed_finding_is_not_fixed() {
    let text = CAPPED.replace("  generateText", "  // agentcheck-ignore ai-sdk/max-tokens\n  generateText");
    let project = Project::new("7.0.173", &[("a.ts", &text)]);
    project.run(&["--fix", "--unsafe-fixes"]).expect(0);
    assert_eq!(project.read("a.ts"), text);
    assert_eq!(project.run(&["--diff"]).expect(0).stdout, "");
}

#[test]
fn fixing_takes_out_comments_that_silence_nothing() {
    let text = CAPPED.replace("maxTokens", "maxOutputTokens");
    let text = text.replace("  generateText", "  /* agentcheck-ignore ai-sdk/max-tokens */\n  generateText");
    let project = Project::new("7.0.173", &[("a.ts", &text)]);
    assert_eq!(project.found(&[]), ["a.ts:4:24 warning meta/unused-ignore"]);
    project.run(&["--fix"]).expect(0);
    assert_eq!(project.read("a.ts"), CAPPED.replace("maxTokens", "maxOutputTokens"));
}

#[test]
fn a_rule_that_did_not_run_leaves_its_comments_alone() {
    let text = CAPPED.replace("  generateText", "  // agentcheck-ignore ai-sdk/max-tokens\n  generateText");
    let project = Project::new("7.0.173", &[("a.ts", &text)]);
    for args in [&["--ignore", "ai-sdk/max-tokens"][..], &["--only", "meta/*"], &["--only", "ai-sdk/max-steps"]] {
        assert_eq!(project.found(args), [""; 0], "{args:?}");
    }
    project.run(&["--fix", "--only", "meta/unused-ignore"]).expect(0);
    assert_eq!(project.read("a.ts"), text);
}

#[test]
fn the_meta_rules_can_be_turned_off_and_made_worse() {
    let text = "import 'ai';\n// agentcheck-ignore ai-sdk/max-step\nexport const maxSteps = 1;\n";
    let project = Project::new("7.0.173", &[("a.ts", text)]);
    assert_eq!(project.found(&[]), ["a.ts:2:22 warning meta/unknown-rule-in-ignore"]);
    assert_eq!(project.found(&["--ignore", "meta/*"]), [""; 0]);
    project.write("agentcheck.toml", "[rules]\n\"meta/unknown-rule-in-ignore\" = \"error\"\n");
    assert_eq!(project.found(&[]), ["a.ts:2:22 error meta/unknown-rule-in-ignore"]);
}

#[test]
fn fingerprints_survive_moving_a_finding() {
    let fingerprint = |text: &str, path: &str| {
        let project = Project::new("7.0.173", &[(path, text)]);
        let json = project.json(&[]);
        json["findings"][0]["fingerprint"].as_str().expect("a text").to_owned()
    };
    let first = fingerprint(CAPPED, "a.ts");
    assert_eq!(fingerprint(&format!("// a new line\n\n{CAPPED}"), "a.ts"), first);
    assert_ne!(fingerprint(CAPPED, "b.ts"), first);
}

#[test]
fn fingerprints_do_not_depend_on_the_working_directory() {
    let project = Project::new("7.0.173", &[("src/a.ts", CAPPED), ("agentcheck.toml", "")]);
    let root = project.json(&[]);
    let mut command = project.command(&["--format", "json"]);
    let inside = command.current_dir(project.path("src")).output().expect("it runs");
    let inside: serde_json::Value = serde_json::from_slice(&inside.stdout).expect("JSON");
    assert_eq!(inside["findings"][0]["path"], "a.ts");
    assert_eq!(inside["findings"][0]["fingerprint"], root["findings"][0]["fingerprint"]);
}
