//! Reads `rules/` with the loader, embeds it as two blobs, and wires every check to the code of the same name. A rule
//! without its other half fails the build and names it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use agentcheck_catalog::{RuleKind, TableFile, encode_docs, load};

fn main() {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    let rules = here.join("../../rules");
    let checks = here.join("src/checks");
    println!("cargo::rerun-if-changed={}", rules.display());
    println!("cargo::rerun-if-changed={}", checks.display());

    let mut files = Vec::new();
    read_tables(&rules, &rules, &mut files);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let loaded = load(&files).unwrap_or_else(|errors| {
        let lines: Vec<String> = errors.iter().map(|error| format!("rules/{error}")).collect();
        panic!("\n{}\n", lines.join("\n"));
    });
    fs::write(out.join("catalog.bin"), loaded.catalog.encode()).expect("OUT_DIR is writable");
    fs::write(out.join("docs.bin"), encode_docs(&loaded.docs)).expect("OUT_DIR is writable");

    let mut wired = String::new();
    let mut known = Vec::new();
    for (index, rule) in loaded.catalog.rules.iter().enumerate() {
        if rule.kind != RuleKind::Check {
            continue;
        }
        // A rule of one file, or a folder when it has parts.
        let path = rule.id.replace('-', "_");
        let (alone, folder) = (checks.join(format!("{path}.rs")), checks.join(&path));
        let file = if alone.exists() { alone.clone() } else { folder.join("mod.rs") };
        assert!(file.exists(), "\nthe rule {} has no code: crates/lint/src/checks/{path}.rs is missing\n", rule.id);
        known.extend([alone, folder]);
        let name = rule.id.replace(['-', '/'], "_");
        writeln!(wired, "#[path = {file:?}]\nmod {name};").expect("writing to a string");
        writeln!(wired, "const RULE_{index}: (&str, Check) = ({:?}, {name}::check);", rule.id).expect("as above");
    }
    let entries: Vec<String> = loaded
        .catalog
        .rules
        .iter()
        .enumerate()
        .filter(|(_, rule)| rule.kind == RuleKind::Check)
        .map(|(index, _)| format!("RULE_{index}"))
        .collect();
    writeln!(wired, "pub(super) const CHECKS: &[(&str, Check)] = &[{}];", entries.join(", ")).expect("as above");
    fs::write(out.join("checks.rs"), wired).expect("OUT_DIR is writable");

    for pack in fs::read_dir(&checks).expect("the folder of checks").flatten().filter(|entry| entry.path().is_dir()) {
        for code in fs::read_dir(pack.path()).expect("a folder").flatten() {
            assert!(
                known.contains(&code.path()),
                "\n{} has no rule: rules/{}/checks/<same name>.toml is missing\n",
                code.path().display(),
                pack.file_name().to_string_lossy().replace('_', "-"),
            );
        }
    }
}

fn read_tables(root: &Path, folder: &Path, files: &mut Vec<TableFile>) {
    for entry in fs::read_dir(folder).expect("a folder of rules").flatten() {
        let path = entry.path();
        if path.is_dir() {
            read_tables(root, &path, files);
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            let relative = path.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
            files.push(TableFile { path: relative, text: fs::read_to_string(&path).expect("a readable table") });
        }
    }
}
