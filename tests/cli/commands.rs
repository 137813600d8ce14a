//! `explain`, `rules`, `why`, `versions`.

use serde_json::Value;

use crate::support::{CAPPED, Project, THROWING};

#[test]
fn rules_lists_every_rule_in_text_and_json() {
    let project = Project::empty();
    let text = project.run(&["rules"]).expect(0).stdout;
    let run = project.run(&["rules", "--format", "json"]).expect(0);
    let json: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let rules = json.as_array().expect("a list");
    assert!(rules.len() >= 8, "{json}");
    let mut ids = Vec::new();
    for rule in rules {
        let mut keys: Vec<&str> = rule.as_object().expect("an object").keys().map(String::as_str).collect();
        keys.sort_unstable();
        assert_eq!(keys, ["cases", "category", "fix", "id", "pack", "url"], "{rule}");
        let id = rule["id"].as_str().expect("a text");
        assert_eq!(rule["pack"].as_str(), id.split('/').next());
        assert!(text.contains(id), "{id}");
        assert!(rule["fix"].is_null() || ["safe", "unsafe", "manual"].contains(&rule["fix"].as_str().expect("a text")));
        for case in rule["cases"].as_array().expect("a list") {
            let mut keys: Vec<&str> = case.as_object().expect("an object").keys().map(String::as_str).collect();
            keys.sort_unstable();
            assert_eq!(keys, ["pedantic", "severity", "summary", "versions"], "{case}");
            assert!(case["pedantic"].is_boolean());
        }
        assert!(!rule["cases"].as_array().expect("a list").is_empty(), "{id}");
        ids.push(id.to_owned());
    }
    let mut sorted = ids.clone();
    sorted.sort();
    assert_eq!(ids, sorted);
}

#[test]
fn every_rule_is_explained_in_every_format() {
    let project = Project::empty();
    let json = project.run(&["rules", "--format", "json"]).expect(0).stdout;
    let json: Value = serde_json::from_str(&json).expect("JSON");
    for rule in json.as_array().expect("a list") {
        let id = rule["id"].as_str().expect("a text");
        let text = project.run(&["explain", id]).expect(0).prints(&[id]).stdout;
        assert!(text.lines().count() > 3, "{text}");
        let markdown = project.run(&["explain", id, "--format", "markdown"]).expect(0).prints(&[id]).stdout;
        assert!(markdown.contains('#'), "{markdown}");
        // No slot of a message is left unfilled without a word for it.
        assert!(!text.contains("{package}") && !text.contains("{version}"), "{text}");
        let run = project.run(&["explain", id, "--format", "json"]).expect(0);
        let explained: Value = serde_json::from_str(&run.stdout).expect("JSON");
        assert_eq!(explained["id"], rule["id"]);
    }
}

#[test]
fn explain_shows_the_examples_of_a_row() {
    let project = Project::empty();
    let run = project.run(&["explain", "ai-sdk/max-tokens"]).expect(0);
    run.prints(&["ai-sdk/max-tokens", "maxOutputTokens", "silent-break", "streamText({ model, prompt, maxTokens })"]);
}

#[test]
fn why_says_what_is_believed_of_a_line() {
    let project = Project::new("7.0.173", &[("src/a.ts", CAPPED), ("b.ts", THROWING)]);
    let run = project.run(&["why", "src/a.ts:4"]).expect(0);
    run.prints(&["7.0.173", "package.json", "generateText", "ai-sdk/max-tokens"]);
    // A column, as editors copy it.
    project.run(&["why", "src/a.ts:4:33"]).expect(0).prints(&["ai-sdk/max-tokens"]);
    project.run(&["why", "b.ts:10"]).expect(0).prints(&["ai-sdk/throw-in-execute"]);
    project.run(&["why", "src/a.ts:4", "--target", "ai@4"]).expect(0).prints(&["4.3.19"]);
}

#[test]
fn why_answers_for_silent_lines_and_other_files() {
    let project = Project::new("4.3.19", &[("a.ts", CAPPED), ("plain.ts", "export const a = 1;\n")]);
    project.run(&["why", "a.ts:4"]).expect(0).prints(&["4.3.19"]);
    project.run(&["why", "plain.ts:1"]).expect(0);
    project.run(&["why", "a.ts:2"]).expect(0);
    project.write("a.txt", "x");
    project.run(&["why", "a.txt:1"]).expect(2).says(&["a.txt"]);
}

#[test]
fn why_of_a_line_that_is_not_there_is_a_usage_error() {
    let project = Project::new("7.0.173", &[("a.ts", CAPPED)]);
    project.run(&["why", "a.ts:4000"]).expect(2).says(&["lines"]);
}

#[test]
fn why_of_an_open_object_says_where_knowledge_ends() {
    let text =
        "import { generateText } from 'ai';\nexport const a = (more) =>\n  generateText({ ...more, maxSteps: 3 });\n";
    let project = Project::new("7.0.173", &[("a.ts", text)]);
    project.run(&["why", "a.ts:3"]).expect(0).prints(&["ai-sdk/max-steps", "more"]);
}

#[test]
fn why_names_paths_with_colons() {
    if cfg!(windows) {
        return;
    }
    let project = Project::new("7.0.173", &[("a:1.ts", CAPPED)]);
    project.run(&["why", "a:1.ts:4"]).expect(0).prints(&["ai-sdk/max-tokens"]);
    project.run(&["why", "a:1.ts:4:33"]).expect(0).prints(&["ai-sdk/max-tokens"]);
}

#[test]
fn versions_lists_what_was_found_and_where() {
    let project = Project::new("^7.0.0", &[]);
    project.write("node_modules/ai/package.json", r#"{"name": "ai", "version": "7.0.42"}"#);
    project.write("apps/a/package.json", r#"{"name": "a", "dependencies": {"ai": "5.0.277", "zod": "4"}}"#);
    let run = project.run(&["versions"]).expect(0);
    run.prints(&["package.json", "7.0.42", "node_modules", "^7.0.0", "apps/a/package.json", "5.0.277", "manifest"]);
    let run = project.run(&["versions", "--format", "json"]).expect(0);
    let json: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let of = |index: usize| (json[index]["manifest"].clone(), json[index]["packages"][0]["version"].clone());
    let mut found = [of(0), of(1)].map(|(manifest, version)| format!("{manifest} {version}"));
    found.sort();
    assert_eq!(found, ["\"apps/a/package.json\" \"5.0.277\"", "\"package.json\" \"7.0.42\""]);
    project.run(&["versions", "apps"]).expect(0).prints(&["5.0.277"]);
    Project::empty().run(&["versions"]).expect(0).prints(&["No package.json"]);
}
