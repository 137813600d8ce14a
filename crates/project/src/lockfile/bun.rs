//! `bun.lock`, Bun's text format: JSON with trailing commas.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use rustc_hash::FxHashMap;

use super::{Locked, Query, Tracked, split_name};
use crate::problem::Problem;

/// A lockfile of Bun.
#[derive(Debug, Default)]
pub(crate) struct BunLock {
    /// Key (`ai`, or `parent/ai` where the parent has its own) → what is locked.
    packages: FxHashMap<String, Locked>,
    /// Folder of the workspace → the name of the package there. The root is the empty path.
    importers: FxHashMap<String, String>,
}

impl BunLock {
    pub fn parse(text: &str, tracked: &Tracked, problems: &mut Vec<Problem>) -> Self {
        let value = match parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default()) {
            Ok(parsed) => parsed.value,
            Err(error) => {
                problems.push(Problem::at_offset(text, error.range().start, error.kind().to_string()));
                return Self::default();
            }
        };
        let Some(Value::Object(root)) = value else {
            problems.push(Problem::of_file("not an object"));
            return Self::default();
        };
        if let Some(version) = root.get_number("lockfileVersion")
            && !matches!(version.value, "0" | "1")
        {
            let message = format!("lockfile version {} is not known; read as version 1", version.value);
            problems.push(Problem::at_offset(text, version.range.start, message));
        }
        let mut lock = Self::default();
        for (folder, importer) in objects(root.get_object("workspaces")) {
            let name = importer.get_string("name").map_or_else(String::new, |name| name.value.to_string());
            lock.importers.insert(folder.to_owned(), name);
        }
        for property in root.get_object("packages").map_or(&[][..], |packages| &packages.properties) {
            let Value::Array(fields) = &property.value else { continue };
            let Some(Value::StringLit(resolution)) = fields.elements.first() else { continue };
            lock.package(property.name.as_str(), &resolution.value, tracked);
        }
        lock
    }

    fn package(&mut self, key: &str, resolution: &str, tracked: &Tracked) {
        // `ai@7.0.66`, `@acme/ui@workspace:packages/ui`
        let Some((name, version)) = resolution.split_once("@workspace:").or_else(|| split_name(resolution)) else {
            return;
        };
        // The last part of the key is the name under which it is imported.
        let is_dependency = || {
            let parts = key.split('/').rev().take(2).collect::<Vec<_>>();
            match parts.as_slice() {
                [last, scope] if scope.starts_with('@') => tracked.has(&format!("{scope}/{last}")),
                [last, ..] => tracked.has(last),
                [] => false,
            }
        };
        if !tracked.has(name) && !is_dependency() {
            return;
        }
        let locked = if resolution.contains("@workspace:") {
            Some(Locked::directory(name, version))
        } else {
            Locked::version(name, version)
        };
        if let Some(locked) = locked {
            self.packages.insert(key.to_owned(), locked);
        }
    }

    pub fn find(&self, query: Query<'_>) -> Option<Locked> {
        let name = self.importers.get(query.importer)?;
        let own = self.packages.get(&format!("{name}/{}", query.dependency));
        own.or_else(|| self.packages.get(query.dependency)).cloned()
    }
}

/// The entries of an object that are objects themselves.
fn objects<'o, 't>(object: Option<&'o Object<'t>>) -> impl Iterator<Item = (&'o str, &'o Object<'t>)> {
    object.into_iter().flat_map(|object| &object.properties).filter_map(|property| match &property.value {
        Value::Object(value) => Some((property.name.as_str(), value)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::super::tests::{find, parse};

    const LOCK: &str = r#"{
  "lockfileVersion": 1,
  "workspaces": {
    "": { "name": "root", "dependencies": { "ai": "^6.0.132", }, },
    "packages/a": { "name": "@acme/a", "dependencies": { "ai": "^7" }, },
    "packages/b": { "name": "@acme/b", },
  },
  "packages": {
    "@acme/a": ["@acme/a@workspace:packages/a"],
    "@acme/a/ai": ["ai@7.0.66", "", { "dependencies": {} }, "sha512-x"],

    "@ai-sdk/react": ["@ai-sdk/react@workspace:packages/react"],
    "@supermemory/tools/ai": ["ai@5.0.116", "", {}, "sha512-x"],
    "ai": ["ai@6.0.132", "", { "peerDependencies": { "zod": "^4" } }, "sha512-x"],
    "ai5": ["ai@5.0.116", "", {}, "sha512-x"],
    "zod": ["other@github:x/y#abc", {}],
  },
}"#;

    #[test]
    fn a_package_of_its_own_comes_before_the_shared_one() {
        let (lock, problems) = parse(Format::Bun, LOCK);
        assert_eq!(problems, [""; 0]);
        assert_eq!(find(&lock, "", "ai", ""), "ai@6.0.132");
        assert_eq!(find(&lock, "packages/a", "ai", ""), "ai@7.0.66");
        assert_eq!(find(&lock, "packages/b", "ai", ""), "ai@6.0.132");
        assert_eq!(find(&lock, "packages/b", "ai5", ""), "ai@5.0.116");
        assert_eq!(find(&lock, "", "@ai-sdk/react", ""), "@ai-sdk/react@packages/react/");
        assert_eq!(find(&lock, "", "zod", ""), "none");
        assert_eq!(find(&lock, "examples/x", "ai", ""), "none");
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let (_, problems) = parse(Format::Bun, "{\n  \"lockfileVersion\": 9,\n}");
        assert_eq!(problems, ["2:22: lockfile version 9 is not known; read as version 1"]);
        let (lock, problems) = parse(Format::Bun, "{\n  \"packages\": {");
        assert_eq!(problems, ["2:15: Unterminated object"]);
        assert_eq!(find(&lock, "", "ai", ""), "none");
        assert_eq!(parse(Format::Bun, "[]").1, ["not an object"]);
    }
}
