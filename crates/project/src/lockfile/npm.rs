//! `package-lock.json` and `npm-shrinkwrap.json`, versions 1 to 3.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Locked, Query, Tracked};
use crate::json::{self, Json};
use crate::problem::Problem;

/// A lockfile of npm.
#[derive(Debug, Default)]
pub(crate) struct NpmLock {
    /// Path of an installed package (`packages/a/node_modules/ai`) → what is there.
    installed: FxHashMap<String, Locked>,
    /// The folders of the workspace, the root as the empty path.
    importers: FxHashSet<String>,
}

const FIELDS: [&str; 4] = ["version", "name", "resolved", "link"];

/// Version 1 has `dependencies` by name, nested like the folders; later versions have `packages` by path, and version 2
/// has both. The nested ones of version 1 belong to dependencies, never to the project's own code.
fn keep(depth: usize, name: &str) -> bool {
    match depth {
        0 => matches!(name, "lockfileVersion" | "packages" | "dependencies"),
        1 => true,
        _ => FIELDS.contains(&name),
    }
}

impl NpmLock {
    pub fn parse(text: &str, tracked: &Tracked, problems: &mut Vec<Problem>) -> Self {
        let (json, problem) = json::read(text, keep);
        problems.extend(problem);
        if let Some(Json::Integer(version @ 4..)) = json.get("lockfileVersion") {
            problems.push(Problem::of_file(format!("lockfile version {version} is newer than 3; read as version 3")));
        }
        let mut lock = Self::default();
        match json.get("packages") {
            Some(packages) => {
                for (path, entry) in packages.entries() {
                    lock.package(path, entry, tracked);
                }
            }
            None => {
                lock.importers.insert(String::new());
                for (name, entry) in json.get("dependencies").map_or(&[][..], Json::entries) {
                    lock.dependency(name, entry, tracked);
                }
            }
        }
        lock
    }

    fn package(&mut self, path: &str, entry: &Json<'_>, tracked: &Tracked) {
        let text = |name| entry.get(name).and_then(Json::text);
        let Some((_, dependency)) = path.rsplit_once("node_modules/") else {
            self.importers.insert(path.to_owned());
            return;
        };
        // `name` is there only when it differs from the folder's.
        let name = text("name").unwrap_or(dependency);
        if !tracked.has(name) && !tracked.has(dependency) {
            return;
        }
        let locked = match (entry.get("link"), text("resolved"), text("version")) {
            (Some(Json::Bool(true)), Some(folder), _) => Some(Locked::directory(name, folder)),
            (_, _, Some(version)) => Locked::version(name, version),
            _ => None,
        };
        if let Some(locked) = locked {
            self.installed.insert(path.to_owned(), locked);
        }
    }

    fn dependency(&mut self, dependency: &str, entry: &Json<'_>, tracked: &Tracked) {
        let Some(version) = entry.get("version").and_then(Json::text) else { return };
        let (name, locked) = if let Some(alias) = version.strip_prefix("npm:") {
            let Some((name, version)) = super::split_name(alias) else { return };
            (name, Locked::version(name, version))
        } else if let Some(folder) = version.strip_prefix("file:") {
            (dependency, Some(Locked::directory(dependency, folder)))
        } else {
            (dependency, Locked::version(dependency, version))
        };
        if let Some(locked) = locked
            && (tracked.has(name) || tracked.has(dependency))
        {
            self.installed.insert(format!("node_modules/{dependency}"), locked);
        }
    }

    /// The nearest `node_modules` at or above the folder that has the dependency, like Node looks it up.
    pub fn find(&self, query: Query<'_>) -> Option<Locked> {
        if !self.importers.contains(query.importer) {
            return None;
        }
        let mut folder = query.importer;
        loop {
            let prefix = if folder.is_empty() { Cow::Borrowed("") } else { Cow::Owned(format!("{folder}/")) };
            if let Some(locked) = self.installed.get(&format!("{prefix}node_modules/{}", query.dependency)) {
                return Some(locked.clone());
            }
            if folder.is_empty() {
                return None;
            }
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::super::tests::{find, parse};

    const V3: &str = r#"{
  "name": "repo", "lockfileVersion": 3, "requires": true,
  "packages": {
    "": { "name": "repo", "workspaces": ["packages/*"], "dependencies": { "ai": "^6.0.0" } },
    "node_modules/ai": { "version": "6.0.132", "resolved": "https://registry.npmjs.org/ai/-/ai-6.0.132.tgz", "license": "x" },
    "node_modules/ai5": { "name": "ai", "version": "5.0.116" },
    "node_modules/zod": { "name": "other", "version": "1.0.0" },
    "node_modules/@ai-sdk/react": { "resolved": "packages/react", "link": true },
    "node_modules/x/node_modules/ai": { "version": "4.0.0" },
    "packages/a": { "version": "1.0.0" },
    "packages/a/node_modules/ai": { "version": "7.0.66" },
    "packages/b": { "version": 5 }
  }
}"#;

    #[test]
    fn looks_packages_up_like_node() {
        let (lock, problems) = parse(Format::Npm, V3);
        assert_eq!(problems, [""; 0]);
        assert_eq!(find(&lock, "", "ai", ""), "ai@6.0.132");
        assert_eq!(find(&lock, "packages/a", "ai", ""), "ai@7.0.66");
        assert_eq!(find(&lock, "packages/b", "ai", ""), "ai@6.0.132");
        assert_eq!(find(&lock, "packages/b", "ai5", ""), "ai@5.0.116");
        assert_eq!(find(&lock, "", "zod", ""), "other@1.0.0");
        assert_eq!(find(&lock, "", "@ai-sdk/react", ""), "@ai-sdk/react@packages/react/");
        assert_eq!(find(&lock, "examples/c", "ai", ""), "none");
    }

    #[test]
    fn reads_version_1() {
        let (lock, problems) = parse(
            Format::Npm,
            r#"{"lockfileVersion": 1, "dependencies": {
                "ai": {"version": "4.3.19", "requires": {"zod": "^3"}, "dependencies": {"zod": {"version": "3.0.0"}}},
                "ai3": {"version": "npm:ai@3.4.33"},
                "@ai-sdk/react": {"version": "file:packages/react"},
                "zod": {"version": "github:x/zod"}}}"#,
        );
        assert_eq!(problems, [""; 0]);
        assert_eq!(find(&lock, "", "ai", ""), "ai@4.3.19");
        assert_eq!(find(&lock, "", "ai3", ""), "ai@3.4.33");
        assert_eq!(find(&lock, "", "@ai-sdk/react", ""), "@ai-sdk/react@packages/react/");
        assert_eq!(find(&lock, "", "zod", ""), "none");
        assert_eq!(find(&lock, "packages/a", "ai", ""), "none");
    }

    #[test]
    fn broken_files_are_used_up_to_the_error() {
        let cut = V3.find("packages/a/node").expect("there");
        let (lock, problems) = parse(Format::Npm, &V3[..cut]);
        assert_eq!(find(&lock, "", "ai", ""), "ai@6.0.132");
        assert_eq!(problems, ["11:5: EOF while parsing a string"]);
        let (_, problems) = parse(Format::Npm, r#"{"lockfileVersion": 4}"#);
        assert_eq!(problems, ["lockfile version 4 is newer than 3; read as version 3"]);
    }
}
