//! Which version a file runs with, in projects as package managers lay them out.

use serde_json::Value;

use crate::support::{CAPPED, Project};

/// What the first finding in `path` was decided by: version, range, source.
fn decided(project: &Project, path: &str) -> Option<(Value, Value, String)> {
    let json = project.json(&[]);
    let findings = json["findings"].as_array().expect("a list");
    let finding = findings.iter().find(|finding| finding["path"] == path)?;
    let packages = finding["packages"].as_array().expect("a list");
    assert_eq!(packages.len(), 1, "{finding}");
    let package = &packages[0];
    Some((package["version"].clone(), package["range"].clone(), package["source"].as_str()?.to_owned()))
}

#[track_caller]
fn expect(project: &Project, path: &str, version: &str, range: Option<&str>, source: &str) {
    let found = decided(project, path).unwrap_or_else(|| panic!("nothing found in {path}"));
    let version = if version.is_empty() { Value::Null } else { version.into() };
    assert_eq!(found, (version, range.map_or(Value::Null, Value::from), source.to_owned()));
}

fn manifest(ai: &str) -> String {
    format!(r#"{{"name": "app", "private": true, "dependencies": {{"ai": "{ai}", "zod": "^4.1.8"}}}}"#)
}

fn package(version: &str) -> String {
    format!(r#"{{"name": "ai", "version": "{version}", "main": "./dist/index.js"}}"#)
}

/// An empty project with a source file and a manifest.
fn project(ai: &str) -> Project {
    let project = Project::empty();
    project.write("package.json", manifest(ai));
    project.write("src/a.ts", CAPPED);
    project
}

#[test]
fn what_is_installed_counts() {
    let project = project("^5.0.0");
    project.write("node_modules/ai/package.json", package("5.0.210"));
    expect(&project, "src/a.ts", "5.0.210", Some("^5.0.0"), "node_modules");
    project.write("node_modules/ai/package.json", package("4.3.19"));
    assert_eq!(decided(&project, "src/a.ts"), None);
    project.write("node_modules/ai/package.json", package("7.0.0-beta.12"));
    expect(&project, "src/a.ts", "7.0.0-beta.12", Some("^5.0.0"), "node_modules");
}

#[test]
fn an_installation_without_a_version_counts_for_nothing() {
    let project = project("5.0.277");
    for broken in ["{", "{\"name\": \"ai\"}", "{\"name\": \"ai\", \"version\": 5}", "", "[]"] {
        project.write("node_modules/ai/package.json", broken);
        expect(&project, "src/a.ts", "5.0.277", Some("5.0.277"), "manifest");
    }
}

#[test]
fn package_lock_2_and_3() {
    for version in [2, 3] {
        let project = project("^6.0.0");
        let lock = serde_json::json!({
            "name": "app", "lockfileVersion": version, "requires": true,
            "packages": {
                "": { "name": "app", "dependencies": { "ai": "^6.0.0", "zod": "^4.1.8" } },
                "node_modules/ai": {
                    "version": "6.0.169", "resolved": "https://registry.npmjs.org/ai/-/ai-6.0.169.tgz",
                    "dependencies": { "@ai-sdk/gateway": "3.0.0" },
                },
                "node_modules/zod": { "version": "4.1.8" },
                "node_modules/other/node_modules/ai": { "version": "4.0.0" },
            },
        });
        project.write("package-lock.json", lock.to_string());
        expect(&project, "src/a.ts", "6.0.169", Some("^6.0.0"), "lockfile");
        // What is installed says more.
        project.write("node_modules/ai/package.json", package("6.0.300"));
        expect(&project, "src/a.ts", "6.0.300", Some("^6.0.0"), "node_modules");
    }
}

#[test]
fn package_lock_of_a_workspace() {
    let project = Project::empty();
    project.write("package.json", r#"{"name": "root", "workspaces": ["packages/*"]}"#);
    for (name, ai) in [("old", "^4.0.0"), ("new", "^7.0.0")] {
        project.write(&format!("packages/{name}/package.json"), manifest(ai));
        project.write(&format!("packages/{name}/a.ts"), CAPPED);
    }
    let lock = serde_json::json!({
        "name": "root", "lockfileVersion": 3,
        "packages": {
            "": { "name": "root", "workspaces": ["packages/*"] },
            "node_modules/ai": { "version": "4.3.19" },
            "node_modules/old": { "resolved": "packages/old", "link": true },
            "packages/old": { "dependencies": { "ai": "^4.0.0" } },
            "packages/new": { "dependencies": { "ai": "^7.0.0" } },
            "packages/new/node_modules/ai": { "version": "7.0.100" },
        },
    });
    project.write("package-lock.json", lock.to_string());
    assert_eq!(decided(&project, "packages/old/a.ts"), None);
    expect(&project, "packages/new/a.ts", "7.0.100", Some("^7.0.0"), "lockfile");
}

#[test]
fn pnpm_lock_9() {
    let project = project("^6.0.0");
    project.write(
        "pnpm-lock.yaml",
        "lockfileVersion: '9.0'\n\nsettings:\n  autoInstallPeers: true\n\nimporters:\n\n  .:\n    dependencies:\n      \
         ai:\n        specifier: ^6.0.0\n        version: 6.0.250(zod@4.1.8)\n      zod:\n        specifier: ^4.1.8\n        \
         version: 4.1.8\n\n  packages/old:\n    dependencies:\n      ai:\n        specifier: ^4.3.0\n        version: \
         4.3.19(react@19.0.0)(zod@3.25.76)\n\npackages:\n\n  ai@6.0.250:\n    resolution: {integrity: sha512-a}\n    engines: \
         {node: '>=18'}\n\n  ai@4.3.19:\n    resolution: {integrity: sha512-b}\n\nsnapshots:\n\n  ai@6.0.250(zod@4.1.8): \
         {}\n",
    );
    project.write("pnpm-workspace.yaml", "packages:\n  - packages/*\n");
    project.write("packages/old/package.json", manifest("^4.3.0"));
    project.write("packages/old/a.ts", CAPPED);
    expect(&project, "src/a.ts", "6.0.250", Some("^6.0.0"), "lockfile");
    assert_eq!(decided(&project, "packages/old/a.ts"), None);
}

#[test]
fn pnpm_catalogs() {
    let project = Project::empty();
    project.write("package.json", r#"{"name": "root"}"#);
    project.write(
        "pnpm-workspace.yaml",
        "packages:\n  - packages/*\ncatalog:\n  ai: ^7.0.0\ncatalogs:\n  old:\n    ai: ^4.3.0\n",
    );
    for (name, ai) in [("new", "catalog:"), ("old", "catalog:old")] {
        project.write(&format!("packages/{name}/package.json"), manifest(ai));
        project.write(&format!("packages/{name}/a.ts"), CAPPED);
    }
    assert_eq!(decided(&project, "packages/old/a.ts"), None);
    let found = decided(&project, "packages/new/a.ts").expect("found");
    assert_eq!(found.2, "manifest");
    // A lockfile says which.
    project.write(
        "pnpm-lock.yaml",
        "lockfileVersion: '9.0'\ncatalogs:\n  default:\n    ai:\n      specifier: ^7.0.0\n      version: \
         7.0.50\nimporters:\n  packages/new:\n    dependencies:\n      ai:\n        specifier: 'catalog:'\n        version: \
         7.0.50(zod@4.1.8)\n",
    );
    let found = decided(&project, "packages/new/a.ts").expect("found");
    assert_eq!((found.0, found.2.as_str()), ("7.0.50".into(), "lockfile"));
}

#[test]
fn yarn_locks() {
    let classic = project("^5.0.0");
    classic.write(
        "yarn.lock",
        "# yarn lockfile v1\n\n\n\"@ai-sdk/gateway@2.0.0\":\n  version \"2.0.0\"\n\nai@^5.0.0:\n  version \"5.0.99\"\n  \
         resolved \"https://registry.yarnpkg.com/ai/-/ai-5.0.99.tgz#abc\"\n",
    );
    expect(&classic, "src/a.ts", "5.0.99", Some("^5.0.0"), "lockfile");
    let berry = project("^5.0.0");
    berry.write(
        "yarn.lock",
        "__metadata:\n  version: 8\n\n\"ai@npm:^5.0.0\":\n  version: 5.0.98\n  resolution: \"ai@npm:5.0.98\"\n  languageName: \
         node\n\n\"app@workspace:.\":\n  version: 0.0.0-use.local\n  resolution: \"app@workspace:.\"\n  \
         dependencies:\n    ai: \"npm:^5.0.0\"\n  linkType: soft\n",
    );
    expect(&berry, "src/a.ts", "5.0.98", Some("^5.0.0"), "lockfile");
}

#[test]
fn bun_lock() {
    let project = project("^5.0.0");
    project.write(
        "bun.lock",
        "{\n  \"lockfileVersion\": 1,\n  \"workspaces\": {\n    \"\": {\n      \"name\": \"app\",\n      \"dependencies\": {\n        \
         \"ai\": \"^5.0.0\",\n      },\n    },\n  },\n  \"packages\": {\n    \"ai\": [\"ai@5.0.97\", \"\", {}, \
         \"sha512-x==\"],\n  }\n}\n",
    );
    expect(&project, "src/a.ts", "5.0.97", Some("^5.0.0"), "lockfile");
}

#[test]
fn a_monorepo_with_two_majors() {
    let project = Project::empty();
    project.write("package.json", r#"{"name": "root", "private": true, "workspaces": ["apps/*", "packages/*"]}"#);
    project.write("node_modules/ai/package.json", package("6.0.325"));
    project.write("apps/web/package.json", manifest("^6.0.0"));
    project.write("apps/web/src/a.ts", CAPPED);
    project.write("apps/legacy/package.json", manifest("^4.3.0"));
    project.write("apps/legacy/node_modules/ai/package.json", package("4.3.19"));
    project.write("apps/legacy/src/a.ts", CAPPED);
    // Not installed, and what lies further up does not satisfy it.
    project.write("apps/next/package.json", manifest("7.0.173"));
    project.write("apps/next/src/a.ts", CAPPED);
    // A library that works with several majors, whatever its own tests run with.
    project.write(
        "packages/lib/package.json",
        r#"{"name": "lib", "peerDependencies": {"ai": "^4.3.0 || ^6.0.0"}, "devDependencies": {"ai": "^6.0.0"}}"#,
    );
    project.write("packages/lib/src/a.ts", CAPPED);
    expect(&project, "apps/web/src/a.ts", "6.0.325", Some("^6.0.0"), "node_modules");
    assert_eq!(decided(&project, "apps/legacy/src/a.ts"), None);
    expect(&project, "apps/next/src/a.ts", "7.0.173", Some("7.0.173"), "manifest");
    expect(&project, "packages/lib/src/a.ts", "", Some("^4.3.0 || ^6.0.0"), "manifest");
    let found = project.found(&["packages/lib"]);
    assert_eq!(found, ["packages/lib/src/a.ts:4:33 info ai-sdk/max-tokens"]);
    project.run(&["--fix", "packages/lib"]).expect(0);
    assert_eq!(project.read("packages/lib/src/a.ts"), CAPPED);
}

#[test]
fn a_range_alone_is_a_range() {
    let project = project("^6.0.0");
    expect(&project, "src/a.ts", "", Some("^6.0.0"), "manifest");
    assert_eq!(project.found(&[]), ["src/a.ts:4:33 error ai-sdk/max-tokens"]);
    project.write("package.json", manifest(">=4"));
    assert_eq!(project.found(&[]), ["src/a.ts:4:33 info ai-sdk/max-tokens"]);
    project.write("package.json", manifest("latest"));
    assert_eq!(project.found(&[]), ["src/a.ts:4:33 info ai-sdk/max-tokens"]);
    project.write("package.json", "{\"name\": \"app\"}");
    expect(&project, "src/a.ts", "", None, "assumed");
    std::fs::remove_file(project.path("package.json")).expect("removed");
    expect(&project, "src/a.ts", "", None, "assumed");
}

#[test]
fn a_target_wins_over_everything() {
    let project = project("^4.0.0");
    project.write("node_modules/ai/package.json", package("4.3.19"));
    assert_eq!(project.found(&[]), [""; 0]);
    let json = project.json(&["--target", "ai@6.0.100"]);
    assert_eq!(json["findings"][0]["packages"][0]["version"], "6.0.100");
    assert_eq!(json["findings"][0]["packages"][0]["source"], "target");
}

#[test]
fn a_marker_manifest_is_passed_over() {
    let project = project("7.0.173");
    project.write("src/package.json", r#"{"type": "module"}"#);
    expect(&project, "src/a.ts", "7.0.173", Some("7.0.173"), "manifest");
}

#[test]
fn dev_optional_and_peer_dependencies_count() {
    for field in ["devDependencies", "optionalDependencies", "peerDependencies"] {
        let project = Project::empty();
        project.write("package.json", format!(r#"{{"name": "app", "{field}": {{"ai": "6.0.325"}}}}"#));
        project.write("a.ts", CAPPED);
        expect(&project, "a.ts", "6.0.325", Some("6.0.325"), "manifest");
    }
}

#[test]
fn a_newer_major_than_known_is_a_warning_at_most_and_says_so() {
    let project = project("9.1.0");
    assert_eq!(project.found(&[]), ["src/a.ts:4:33 warning ai-sdk/max-tokens"]);
    let notices = project.notices(&[]);
    assert!(
        notices.iter().any(|(_, _, message)| message.contains("9.1.0") && message.contains("newer")),
        "{notices:?}"
    );
}

#[test]
fn a_broken_manifest_is_a_notice_with_its_place() {
    let project = Project::empty();
    project.write(
        "package.json",
        "{\n  \"name\": \"app\",\n  \"dependencies\": {\n    \"ai\": \"7.0.173\"\n<<<<<<< HEAD\n  }\n}\n",
    );
    project.write("a.ts", CAPPED);
    // What stands before the error is used.
    let run = project.run(&["--format", "concise"]).expect(1).says(&["package.json", "5:1"]);
    assert!(run.stdout.starts_with("a.ts:4:33: error"), "{run:?}");
    let notices = project.notices(&[]);
    assert!(notices.iter().any(|(kind, path, _)| kind == "manifest" && path.contains("package.json")), "{notices:?}");
    project.write("package.json", "{\n  \"dependencies\": [\"ai\"]\n}\n");
    project.run(&[]).says(&["package.json", "2:3", "expected an object"]);
}

#[test]
fn broken_lockfiles_are_notices_and_no_reason_to_stop() {
    for (name, text) in [
        ("package-lock.json", "{\n  \"packages\": {\n<<<<<<< HEAD\n"),
        ("pnpm-lock.yaml", "lockfileVersion: '9.0'\n<<<<<<< HEAD\nimporters:\n"),
        ("yarn.lock", "<<<<<<< HEAD\nai@^6.0.0:\n"),
        ("bun.lock", "{ \"packages\": { "),
    ] {
        let project = project("^6.0.0");
        project.write(name, text);
        let found = decided(&project, "src/a.ts").unwrap_or_else(|| panic!("{name}"));
        assert_eq!(found.2, "manifest", "{name}");
        project.run(&[]).expect(1);
    }
    let project = project("^6.0.0");
    project.write("package-lock.json", [0xff, 0x00, 0xfe]);
    project.run(&[]).expect(1);
}

#[test]
fn a_manifest_is_shared_by_many_files_and_told_once() {
    let project = Project::empty();
    project.write("package.json", "{ \"dependencies\": { \"ai\": \"7.0.173\" }, \"name\": 5 }");
    for n in 0..20 {
        project.write(&format!("src/{n}/a.ts"), CAPPED);
    }
    assert_eq!(project.notices(&[]).len(), 1);
    assert_eq!(project.found(&[]).len(), 20);
}
