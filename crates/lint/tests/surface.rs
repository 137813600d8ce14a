//! The tables of names hold together: with the types, with each other, and with what is known of them for sure.

use std::collections::BTreeSet;

use agentcheck_catalog::{Names, Release};
use agentcheck_lint::builtin::catalog;

fn options(record: &str) -> &'static Names {
    let id = catalog().types.record_named(record).expect("a type");
    catalog().surface.options(id).expect("a type with options")
}

fn has(names: &Names, name: &str, release: (u32, u32, u32)) -> bool {
    let release = Release::new(release.0, release.1, release.2);
    names.versions_of(name).is_some_and(|versions| versions.contains(release))
}

#[test]
fn the_types_name_no_property_that_no_version_has() {
    let types = &catalog().types;
    for (id, names) in catalog().surface.of_types() {
        let record = types.record(id);
        for (property, _) in &record.props {
            assert!(names.versions_of(property).is_some(), "no version has `{property}` of {}", record.name);
        }
    }
}

#[test]
fn every_name_stands_in_one_group_where_its_thing_exists() {
    let surface = &catalog().surface;
    let exports = ["ai", "ai/test", "ai/rsc", "@ai-sdk/react"].map(|entry| surface.exports(entry).expect("an entry"));
    for names in surface.of_types().map(|(_, names)| names).chain(exports) {
        let mut seen = BTreeSet::new();
        for (name, versions) in names.iter() {
            assert!(!name.is_empty() && seen.insert(name), "`{name}` stands in two groups");
            assert!(
                versions.and(&names.known.complement()).is_empty(),
                "`{name}` in {versions}, beyond {}",
                names.known
            );
        }
    }
}

#[test]
fn what_is_said_of_newer_names_is_said_of_names_that_are_newer() {
    let surface = &catalog().surface;
    let of_types: Vec<&Names> = surface.of_types().map(|(_, names)| names).collect();
    let exports = vec![surface.exports("ai").expect("an entry")];
    for (newer, tables) in surface.newer().into_iter().zip([&of_types, &of_types, &exports]) {
        for entry in newer {
            let later = |names: &&Names| names.lacking(&entry.name).is_some_and(|(newer, _)| !newer.is_empty());
            assert!(tables.iter().any(later), "nothing lacks `{}` at first", entry.name);
            for former in &entry.former {
                assert!(tables.iter().any(|names| names.versions_of(former).is_some()), "`{former}` is no name");
            }
        }
    }
}

#[test]
fn thresholds_that_were_run_are_in_the_tables() {
    let text = options("GenerateTextOptions");
    for (name, release, expected) in [
        ("instructions", (6, 0, 325), false),
        ("instructions", (7, 0, 0), true),
        ("stopWhen", (4, 3, 19), false),
        ("stopWhen", (5, 0, 0), true),
        ("maxSteps", (5, 0, 0), false),
        ("output", (5, 0, 277), false),
        ("output", (6, 0, 0), true),
        ("repairToolCall", (7, 0, 19), false),
        ("repairToolCall", (7, 0, 20), true),
        ("toolCallConcurrency", (7, 0, 139), false),
        ("toolCallConcurrency", (7, 0, 140), true),
        ("allowSystemInMessages", (5, 0, 183), false),
        ("allowSystemInMessages", (5, 0, 184), true),
        ("allowSystemInMessages", (6, 0, 169), false),
        ("allowSystemInMessages", (6, 0, 170), true),
        ("onFinish", (5, 0, 277), false),
        ("onFinish", (6, 0, 0), true),
    ] {
        assert_eq!(has(text, name, release), expected, "{name} in {release:?}");
    }
    let exports = catalog().surface.exports("ai").expect("an entry");
    for (name, release, expected) in [
        ("stepCountIs", (5, 0, 0), true),
        ("isStepCount", (6, 0, 325), false),
        ("isStepCount", (7, 0, 0), true),
        ("isLoopFinished", (6, 0, 141), false),
        ("isLoopFinished", (6, 0, 142), true),
        ("CoreMessage", (6, 0, 0), false),
        ("experimental_createMCPClient", (5, 0, 50), true),
        ("experimental_createMCPClient", (5, 0, 100), false),
    ] {
        assert_eq!(has(exports, name, release), expected, "{name} in {release:?}");
    }
    assert!(exports.is_type("ModelMessage") && !exports.is_type("generateText"));
}
