//! `--write-baseline`, `--baseline`, `--prune`, and `baseline` in the configuration.

use serde_json::Value;

use crate::support::{CAPPED, CAPPED_FIXED, Project, THROWING};

const FILE: &str = "agentcheck-baseline.json";

fn entries(project: &Project, file: &str) -> Vec<(String, String)> {
    let json: Value = serde_json::from_str(&project.read(file)).expect("JSON");
    let text = |entry: &Value, key: &str| entry[key].as_str().expect("a text").to_owned();
    json["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|entry| (text(entry, "path"), text(entry, "rule")))
        .collect()
}

fn pair(path: &str, rule: &str) -> (String, String) {
    (path.to_owned(), rule.to_owned())
}

#[test]
fn what_is_accepted_is_left_out_and_what_is_new_is_not() {
    let project = Project::new("7.0.173", &[("src/a.ts", CAPPED), ("b.ts", THROWING)]);
    project.run(&["--write-baseline"]).expect(0).says(&["agentcheck-baseline.json accepts 2 findings, 2 of them new."]);
    let accepted = [pair("b.ts", "ai-sdk/throw-in-execute"), pair("src/a.ts", "ai-sdk/max-tokens")];
    assert_eq!(entries(&project, FILE), accepted);

    project.run(&["--baseline", FILE]).expect(0).prints(&["No findings in 2 files (2 parsed, 2 in the baseline)."]);
    // Lines come and go above it.
    project.write("src/a.ts", format!("// A comment.\n\n{CAPPED}"));
    project.run(&["--baseline", FILE]).expect(0);
    // The same mistake once more is a new one.
    project.write(
        "src/a.ts",
        format!("{CAPPED}{}", CAPPED.lines().skip(1).collect::<Vec<_>>().join("\n").replace("answer", "more")),
    );
    assert_eq!(project.found(&["--baseline", FILE]), ["src/a.ts:7:33 error ai-sdk/max-tokens"]);
}

#[test]
fn a_configuration_names_it() {
    let project = Project::new("7.0.173", &[("src/a.ts", CAPPED)]);
    project.write("agentcheck.toml", "baseline = \"known.json\"\n");
    let notices = project.notices(&[]);
    assert_eq!(notices[0].1, "known.json");
    assert!(notices[0].2.contains("does not exist"), "{notices:?}");
    project.run(&[]).expect(1);
    project.run(&["--write-baseline"]).expect(0).says(&["known.json accepts 1 finding, 1 of them new."]);
    project.run(&[]).expect(0);
    assert!(project.notices(&[]).is_empty());
    // From elsewhere too, and for one file.
    project.run(&["src"]).expect(0);
    project.run(&["src/a.ts"]).expect(0);
}

#[test]
fn pruning_drops_what_is_gone_and_keeps_what_was_not_looked_at() {
    let project = Project::new("7.0.173", &[("src/a.ts", CAPPED), ("b.ts", THROWING), ("c.ts", CAPPED)]);
    project.run(&["--write-baseline"]).expect(0);
    project.write("src/a.ts", CAPPED_FIXED);
    std::fs::remove_file(project.path("c.ts")).expect("a file");
    project.run(&["src", "--baseline", FILE, "--prune"]).expect(0).says(&["accepts 1 finding."]);
    assert_eq!(entries(&project, FILE), [pair("b.ts", "ai-sdk/throw-in-execute")]);
    // Writing it anew for a part keeps the rest as well.
    project.write("src/a.ts", CAPPED);
    project.run(&["src", "--write-baseline"]).expect(0).says(&["accepts 2 findings, 1 of them new."]);
}

#[test]
fn sarif_has_all_of_them() {
    let project = Project::new("7.0.173", &[("a.ts", CAPPED)]);
    project.run(&["--write-baseline"]).expect(0);
    project.write("b.ts", CAPPED);
    let run = project.run(&["--baseline", FILE, "--format", "sarif"]).expect(1);
    let sarif: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("a list");
    let state = |result: &Value| (result["baselineState"].clone(), result["suppressions"][0]["kind"].clone());
    let states: Vec<_> = results.iter().map(state).collect();
    assert_eq!(states, [("new".into(), Value::Null), ("unchanged".into(), "external".into())]);
}

#[test]
fn one_that_cannot_be_used_is_an_error() {
    let project = Project::new("7.0.173", &[("a.ts", CAPPED)]);
    project.run(&["--baseline", "none.json"]).expect(2).says(&["the baseline none.json cannot be used"]);
    project.write("broken.json", "{\n  \"version\": 1,\n<<<<<<<\n");
    project.run(&["--baseline", "broken.json"]).expect(2).says(&["broken.json", "line 3"]);
    // It is not written over.
    project.run(&["--write-baseline=broken.json"]).expect(2).says(&["line 3"]);
    assert!(project.read("broken.json").contains("<<<<<<<"));
    project.run(&["--write-baseline", "--only", "ai-sdk/max-tokens"]).expect(2);
}
