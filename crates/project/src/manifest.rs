//! package.json: the few fields that say which versions a project uses. What can be read is used, whatever else is
//! wrong.

use std::collections::BTreeMap;

use crate::json::{self, Json};
use crate::problem::{Problem, decode};

/// Names and versions as a manifest writes them.
pub type Dependencies = BTreeMap<String, String>;

/// The fields of a package.json that matter here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    pub name: Option<String>,
    pub version: Option<String>,
    pub dependencies: Dependencies,
    pub optional_dependencies: Dependencies,
    pub dev_dependencies: Dependencies,
    pub peer_dependencies: Dependencies,
    /// Patterns of the workspace's package folders; `None` when this is no workspace root.
    pub workspaces: Option<Vec<String>>,
    pub catalogs: Catalogs,
}

/// Versions that the packages of a workspace share: `catalog:` and `catalog:name`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Catalogs(BTreeMap<String, Dependencies>);

impl Catalogs {
    /// What the catalog called `name` says of a package. The default catalog has no name, or the name `default`.
    pub fn get(&self, name: &str, package: &str) -> Option<&str> {
        let name = if name.is_empty() { "default" } else { name };
        self.0.get(name)?.get(package).map(String::as_str)
    }

    /// Whether there is no catalog at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn insert(&mut self, name: &str, package: String, version: String) {
        let name = if name.is_empty() { "default" } else { name };
        self.0.entry(name.to_owned()).or_default().insert(package, version);
    }
}

/// How a manifest declares a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Declaration<'m> {
    /// The text that decides what is installed next to this manifest.
    pub installs: &'m str,
    /// The range that a library promises to work with: its peer range, unless it also depends on the package outright.
    pub promises: Option<&'m str>,
}

impl Manifest {
    /// Reads a package.json. What is wrong with it is told beside; it never fails as a whole.
    pub fn parse(bytes: Vec<u8>) -> (Self, Vec<Problem>) {
        let mut problems = Vec::new();
        let text = decode(bytes, &mut problems);
        let (json, problem) = json::read(&text, |depth, name| depth > 0 || FIELDS.contains(&name));
        let mut reader = Reader { text: &text, problems };
        let manifest = reader.manifest(&json);
        reader.problems.extend(problem);
        (manifest, reader.problems)
    }

    /// How the package `name` is declared, if it is.
    pub fn declaration(&self, name: &str) -> Option<Declaration<'_>> {
        let get = |dependencies: &'_ Dependencies| dependencies.contains_key(name);
        let peer = self.peer_dependencies.get(name).map(String::as_str);
        for dependencies in [&self.dependencies, &self.optional_dependencies] {
            if get(dependencies) {
                return dependencies.get(name).map(|text| Declaration { installs: text, promises: None });
            }
        }
        let installs = self.dev_dependencies.get(name).map(String::as_str).or(peer)?;
        Some(Declaration { installs, promises: peer })
    }

    /// Every declared name, with its text; a name may come several times.
    pub fn declared(&self) -> impl Iterator<Item = (&str, &str)> {
        [&self.dependencies, &self.optional_dependencies, &self.dev_dependencies, &self.peer_dependencies]
            .into_iter()
            .flatten()
            .map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// Whether it says nothing of a package: `{"type": "module"}` in a folder of sources is no package of its own.
    pub fn is_marker(&self) -> bool {
        self.name.is_none() && self.workspaces.is_none() && self.declared().next().is_none()
    }
}

const FIELDS: [&str; 9] = [
    "name",
    "version",
    "dependencies",
    "optionalDependencies",
    "devDependencies",
    "peerDependencies",
    "workspaces",
    "catalog",
    "catalogs",
];

/// One notice after the other helps nobody, and each has to find its line.
const MOST_PROBLEMS: usize = 20;

struct Reader<'t> {
    text: &'t str,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn manifest(&mut self, json: &Json<'_>) -> Manifest {
        let mut manifest = Manifest::default();
        if !matches!(json, Json::Object(_) | Json::Other("nothing")) {
            self.problems.push(Problem { line: 1, column: 1, message: wrong("the manifest", json, "an object") });
        }
        for (name, value) in json.entries() {
            match name.as_ref() {
                "name" => manifest.name = self.text(name, value),
                "version" => manifest.version = self.text(name, value),
                "dependencies" => manifest.dependencies = self.dependencies(name, value),
                "optionalDependencies" => manifest.optional_dependencies = self.dependencies(name, value),
                "devDependencies" => manifest.dev_dependencies = self.dependencies(name, value),
                "peerDependencies" => manifest.peer_dependencies = self.dependencies(name, value),
                "workspaces" => self.workspaces(name, value, &mut manifest),
                // Bun reads catalogs here as well as under `workspaces`.
                "catalog" | "catalogs" => self.catalogs(name, value, &mut manifest.catalogs),
                _ => {}
            }
        }
        manifest
    }

    fn wrong_type(&mut self, name: &str, value: &Json<'_>, expected: &str) {
        if self.problems.len() >= MOST_PROBLEMS {
            return;
        }
        let offset = json::offset_in(self.text, name).map_or(0, |offset| offset.saturating_sub(1));
        let message = wrong(&format!("`{name}`"), value, expected);
        self.problems.push(Problem::at_offset(self.text, offset, message));
    }

    fn text(&mut self, name: &str, value: &Json<'_>) -> Option<String> {
        if value.text().is_none() {
            self.wrong_type(name, value, "a string");
        }
        value.text().map(str::to_owned)
    }

    fn dependencies(&mut self, name: &str, value: &Json<'_>) -> Dependencies {
        let Json::Object(entries) = value else {
            self.wrong_type(name, value, "an object");
            return Dependencies::new();
        };
        entries.iter().filter_map(|(name, value)| Some((name.to_string(), self.text(name, value)?))).collect()
    }

    fn catalogs(&mut self, name: &str, value: &Json<'_>, catalogs: &mut Catalogs) {
        if name == "catalog" {
            for (package, version) in self.dependencies(name, value) {
                catalogs.insert("", package, version);
            }
            return;
        }
        if !matches!(value, Json::Object(_)) {
            self.wrong_type(name, value, "an object");
        }
        for (name, value) in value.entries() {
            for (package, version) in self.dependencies(name, value) {
                catalogs.insert(name, package, version);
            }
        }
    }

    fn workspaces(&mut self, name: &str, value: &Json<'_>, manifest: &mut Manifest) {
        let patterns = match value {
            Json::List(patterns) => patterns.as_slice(),
            Json::Object(entries) => {
                for (name, value) in entries.iter().filter(|(name, _)| matches!(name.as_ref(), "catalog" | "catalogs"))
                {
                    self.catalogs(name, value, &mut manifest.catalogs);
                }
                match value.get("packages") {
                    Some(Json::List(patterns)) => patterns.as_slice(),
                    Some(other) => {
                        self.wrong_type(name, other, "a list of patterns in `packages`");
                        &[]
                    }
                    None => &[],
                }
            }
            other => return self.wrong_type(name, other, "a list or an object"),
        };
        if let Some(other) = patterns.iter().find(|pattern| pattern.text().is_none()) {
            self.wrong_type(name, other, "strings only");
        }
        manifest.workspaces = Some(patterns.iter().filter_map(|pattern| pattern.text().map(str::to_owned)).collect());
    }
}

fn wrong(what: &str, value: &Json<'_>, expected: &str) -> String {
    format!("{what} is {}; expected {expected}", value.describe())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> (Manifest, Vec<String>) {
        let (manifest, problems) = Manifest::parse(text.as_bytes().to_vec());
        (manifest, problems.iter().map(|problem| problem.notice(String::new()).message).collect())
    }

    #[test]
    fn reads_the_fields_that_matter() {
        let (manifest, problems) = parse(
            r#"{"name": "app", "version": "1.2.3", "private": true, "scripts": {"ai": "x"},
                "dependencies": {"ai": "^7.0.0"}, "devDependencies": {"ai": "^6", "zod": "4"},
                "peerDependencies": {"react": "^18 || ^19"}, "workspaces": ["packages/*"]}"#,
        );
        assert_eq!(problems, [""; 0]);
        assert_eq!((manifest.name.as_deref(), manifest.version.as_deref()), (Some("app"), Some("1.2.3")));
        assert_eq!(manifest.declaration("ai"), Some(Declaration { installs: "^7.0.0", promises: None }));
        let react = Declaration { installs: "^18 || ^19", promises: Some("^18 || ^19") };
        assert_eq!(manifest.declaration("react"), Some(react));
        assert_eq!(manifest.declaration("zod"), Some(Declaration { installs: "4", promises: None }));
        assert_eq!(manifest.declaration("next"), None);
        assert_eq!(manifest.workspaces, Some(vec!["packages/*".to_owned()]));
        assert!(!manifest.is_marker());
        assert!(parse(r#"{"type": "module"}"#).0.is_marker());
    }

    #[test]
    fn reads_both_forms_of_workspaces_and_catalogs() {
        let (manifest, problems) = parse(
            r#"{"workspaces": {"packages": ["apps/*"], "catalog": {"ai": "^6"}, "catalogs": {"next": {"ai": "^7"}}},
                "catalog": {"zod": "^4"}}"#,
        );
        assert_eq!(problems, [""; 0]);
        assert_eq!(manifest.workspaces, Some(vec!["apps/*".to_owned()]));
        assert_eq!(manifest.catalogs.get("", "ai"), Some("^6"));
        assert_eq!(manifest.catalogs.get("default", "zod"), Some("^4"));
        assert_eq!(manifest.catalogs.get("next", "ai"), Some("^7"));
        assert_eq!(manifest.catalogs.get("none", "ai"), None);
    }

    #[test]
    fn a_wrong_type_costs_only_its_own_field() {
        let (manifest, problems) = parse(
            "\u{feff}{\n  \"name\": 5,\n  \"version\": \"1.0.0\",\n  \"dependencies\": [\"ai\"],\n  \
             \"devDependencies\": { \"ai\": \"^7\", \"zod\": null },\n  \"workspaces\": \"packages/*\"\n}",
        );
        assert_eq!(manifest.version.as_deref(), Some("1.0.0"));
        assert_eq!(manifest.dev_dependencies.get("ai").map(String::as_str), Some("^7"));
        assert_eq!(
            problems,
            [
                "2:3: `name` is a number; expected a string",
                "4:3: `dependencies` is a list; expected an object",
                "5:36: `zod` is null; expected a string",
                "6:3: `workspaces` is a string; expected a list or an object",
            ]
        );
    }

    #[test]
    fn broken_json_is_used_up_to_the_error() {
        let (manifest, problems) =
            parse("{\"name\": \"app\",\n\"dependencies\": {\n\"ai\": \"^7\",\n<<<<<<< HEAD\n\"zod\": \"^3\",\n=======");
        assert_eq!(manifest.name.as_deref(), Some("app"));
        assert_eq!(manifest.dependencies.get("ai").map(String::as_str), Some("^7"));
        assert_eq!(problems, ["4:1: key must be a string"]);
        let wrong: Vec<String> = (0..30).map(|index| format!("\"p{index}\": 1")).collect();
        assert_eq!(parse(&format!("{{\"dependencies\": {{{}}}}}", wrong.join(","))).1.len(), MOST_PROBLEMS);
        assert_eq!(parse("[]").1, ["1:1: the manifest is a list; expected an object"]);
        assert_eq!(parse("").1.len(), 1);
        let (manifest, problems) = Manifest::parse(b"{\"name\": \"\xff\", \"version\": \"1.0.0\"}".to_vec());
        assert_eq!(manifest.version.as_deref(), Some("1.0.0"));
        assert_eq!(problems.len(), 1);
    }
}
