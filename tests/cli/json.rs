//! `--format json` key by key: others read it with scripts.

use serde_json::{Map, Value};

use crate::support::{CAPPED, DEAD_KEY, Project, THROWING};

/// Asserts that an object has exactly these keys, in this order.
#[track_caller]
fn keys<'v>(value: &'v Value, expected: &[&str]) -> &'v Map<String, Value> {
    let object = value.as_object().unwrap_or_else(|| panic!("no object: {value}"));
    let mut keys: Vec<&str> = object.keys().map(String::as_str).collect();
    let mut expected = expected.to_vec();
    keys.sort_unstable();
    expected.sort_unstable();
    assert_eq!(keys, expected, "{value}");
    object
}

fn position(value: &Value) -> u64 {
    let position = keys(value, &["line", "column", "offset"]);
    assert!(position["line"].as_u64().is_some_and(|line| line >= 1), "{value}");
    assert!(position["column"].as_u64().is_some_and(|column| column >= 1), "{value}");
    position["offset"].as_u64().expect("a number")
}

/// Path, start and end of anything that has a place.
fn place(value: &Value, project: &Project) {
    let path = value["path"].as_str().expect("a path");
    assert!(!path.starts_with('/') && !path.contains('\\'), "{path}");
    let (start, end) = (position(&value["start"]), position(&value["end"]));
    let length = project.read(path).len() as u64;
    assert!(start <= end && end <= length, "{value}");
}

fn finding(value: &Value, project: &Project, more: &[&str]) {
    let own = [
        "rule",
        "severity",
        "category",
        "message",
        "help",
        "url",
        "path",
        "start",
        "end",
        "related",
        "packages",
        "fixes",
        "fingerprint",
    ];
    let finding = keys(value, &[&own, more].concat());
    let text = |key: &str| finding[key].as_str().unwrap_or_else(|| panic!("`{key}` is no text: {value}"));
    assert!(text("rule").contains('/'));
    assert!(["error", "warning", "info"].contains(&text("severity")));
    let categories =
        ["silent-break", "crash", "leak", "loop", "data-loss", "security", "deprecated", "upgrade", "hygiene"];
    assert!(categories.contains(&text("category")));
    assert!(!text("message").is_empty() && !text("message").contains(['{', '\n']) || text("message").contains("${"));
    assert!(finding["help"].is_null() || finding["help"].is_string());
    assert!(finding["url"].is_null() || finding["url"].is_string());
    assert!(!text("fingerprint").is_empty());
    place(value, project);
    for related in finding["related"].as_array().expect("a list") {
        keys(related, &["path", "start", "end", "message"]);
        place(related, project);
    }
    for package in finding["packages"].as_array().expect("a list") {
        let package = keys(package, &["name", "version", "range", "source"]);
        assert!(package["name"].is_string());
        assert!(package["version"].is_null() || package["version"].is_string());
        assert!(package["range"].is_null() || package["range"].is_string());
        let sources = ["node_modules", "lockfile", "manifest", "target", "assumed"];
        assert!(package["source"].as_str().is_some_and(|source| sources.contains(&source)));
    }
    for fix in finding["fixes"].as_array().expect("a list") {
        let fix = keys(fix, &["title", "safety", "edits"]);
        assert!(fix["title"].as_str().is_some_and(|title| !title.is_empty() && !title.ends_with('.')));
        assert!(["safe", "unsafe", "manual"].contains(&fix["safety"].as_str().expect("a text")));
        for edit in fix["edits"].as_array().expect("a list") {
            keys(edit, &["path", "start", "end", "text"]);
            place(edit, project);
            assert!(edit["text"].is_string());
        }
    }
}

fn project() -> Project {
    let ignored =
        CAPPED.replace("  generateText", "  // agentcheck-ignore ai-sdk/max-tokens -- for now\n  generateText");
    Project::new(
        "7.0.173",
        &[
            ("src/b.ts", THROWING),
            ("src/a.ts", CAPPED),
            ("src/ignored.ts", &ignored),
            ("lib/dead.js", DEAD_KEY),
            ("lib/broken.ts", &format!("{CAPPED}const = ;\n")),
            ("old/package.json", "{ \"dependencies\": { \"ai\": 5 } }"),
            ("old/a.ts", CAPPED),
        ],
    )
}

#[test]
fn the_report_has_exactly_the_promised_keys() {
    let project = project();
    let json = project.json(&[]);
    keys(&json, &["version", "tool", "findings", "suppressed", "notices", "summary"]);
    assert_eq!(json["version"], 1);
    keys(&json["tool"], &["name", "version"]);
    assert_eq!(json["tool"]["name"], "agentcheck");
    assert_eq!(json["tool"]["version"], env!("CARGO_PKG_VERSION"));
    let findings = json["findings"].as_array().expect("a list");
    assert_eq!(findings.len(), 5, "{json:#}");
    findings.iter().for_each(|value| finding(value, &project, &[]));
    let suppressed = json["suppressed"].as_array().expect("a list");
    assert_eq!(suppressed.len(), 1);
    finding(&suppressed[0], &project, &["by"]);
    let notices = json["notices"].as_array().expect("a list");
    assert!(notices.len() >= 2, "{json:#}");
    for notice in notices {
        let notice = keys(notice, &["kind", "path", "message"]);
        let kinds = ["not-inspected", "config", "manifest", "parse", "internal"];
        assert!(kinds.contains(&notice["kind"].as_str().expect("a text")));
        assert!(notice["path"].is_string() && notice["message"].is_string());
    }
    let summary =
        keys(&json["summary"], &["files", "parsed", "skipped", "errors", "warnings", "infos", "suppressed", "fixable"]);
    let count = |key: &str| summary[key].as_u64().expect("a number");
    assert_eq!(count("files"), 6);
    assert_eq!(count("errors") + count("warnings") + count("infos"), 5);
    assert_eq!(count("suppressed"), 1);
    assert!(count("parsed") + count("skipped") <= count("files"));
}

#[test]
fn findings_are_sorted_by_path_offset_and_rule() {
    let project = project();
    let json = project.json(&[]);
    let order: Vec<(String, u64, String)> = json["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|finding| {
            let text = |key: &str| finding[key].as_str().expect("a text").to_owned();
            (text("path"), finding["start"]["offset"].as_u64().expect("a number"), text("rule"))
        })
        .collect();
    let mut sorted = order.clone();
    sorted.sort();
    assert_eq!(order, sorted);
}

#[test]
fn the_edits_of_a_fix_give_what_fixing_gives() {
    let project = Project::new("7.0.173", &[("a.ts", CAPPED)]);
    let json = project.json(&[]);
    let mut text = CAPPED.to_owned();
    let edits = json["findings"][0]["fixes"][0]["edits"].as_array().expect("a list");
    for edit in edits.iter().rev() {
        let offset = |key: &str| edit[key]["offset"].as_u64().expect("a number") as usize;
        text.replace_range(offset("start")..offset("end"), edit["text"].as_str().expect("a text"));
    }
    project.run(&["--fix"]).expect(0);
    assert_eq!(text, project.read("a.ts"));
}

#[test]
fn an_empty_report_has_the_same_keys() {
    let project = Project::empty();
    let json = project.json(&[]);
    keys(&json, &["version", "tool", "findings", "suppressed", "notices", "summary"]);
    assert_eq!(json["summary"]["files"], 0);
}

#[test]
fn json_is_one_line_and_the_only_thing_on_standard_output() {
    let project = project();
    let run = project.run(&["--format", "json", "--verbose"]).expect(1);
    assert_eq!(run.stdout.matches('\n').count(), 1);
    assert!(run.stdout.starts_with("{\"version\":1,"), "{run:?}");
}

#[test]
fn paths_are_relative_to_the_working_directory() {
    let project = project();
    let mut command = project.command(&["../src", "--format", "json"]);
    let output = command.current_dir(project.path("lib")).output().expect("it runs");
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["findings"][0]["path"], "../src/a.ts");
}
