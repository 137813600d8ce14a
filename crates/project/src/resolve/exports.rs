//! `exports` and `imports` of package.json: a subpath → the files it may mean, best first.

use crate::json::Json;

/// No package that somebody wrote nests deeper or has more targets for one subpath.
const DEEPEST: usize = 8;
const MOST_TARGETS: usize = 64;

/// Either field: keys (`.`, `./sub`, `./lib/*`, `#internal/*`) and what they stand for.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Subpaths(Vec<(String, Target)>);

#[derive(Debug, PartialEq)]
enum Target {
    Path(String),
    Conditions(Vec<(String, Target)>),
    /// A list of alternatives.
    Any(Vec<Target>),
    /// `null`: not to be imported.
    Blocked,
}

impl Subpaths {
    /// Reads `exports`: a target for `.`, or an object of subpaths.
    pub fn of_exports(json: &Json<'_>) -> Self {
        if json.entries().iter().any(|(key, _)| key.starts_with('.')) {
            return Self::of_keys(json, '.');
        }
        Self(Target::of(json, 0).into_iter().map(|target| (".".to_owned(), target)).collect())
    }

    /// Reads `imports`.
    pub fn of_imports(json: &Json<'_>) -> Self {
        Self::of_keys(json, '#')
    }

    fn of_keys(json: &Json<'_>, start: char) -> Self {
        let entries = json.entries().iter().filter(|(key, _)| key.starts_with(start));
        Self(entries.filter_map(|(key, value)| Some((key.to_string(), Target::of(value, 0)?))).collect())
    }

    /// Whether there is no key at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What `key` may stand for, best first: none when it is blocked, `None` when no key matches.
    pub fn targets(&self, key: &str) -> Option<Vec<String>> {
        let exact = self.0.iter().find(|(name, _)| name == key && !name.contains('*'));
        let (target, rest) = match exact {
            Some((_, target)) => (target, None),
            None => {
                let matching = self.0.iter().filter_map(|(name, target)| {
                    let (prefix, suffix) = pattern(name)?;
                    let rest = key.strip_prefix(prefix)?.strip_suffix(suffix).filter(|rest| !rest.is_empty())?;
                    Some((prefix.len(), name.len(), target, rest))
                });
                let (_, _, target, rest) = matching.max_by_key(|(prefix, length, ..)| (*prefix, *length))?;
                (target, Some(rest))
            }
        };
        let mut leaves = Vec::new();
        target.collect(&mut Vec::new(), &mut leaves);
        // Stable: of equals the first stays first, as for Node.
        leaves.sort_by(|(a, _), (b, _)| a.cmp(b));
        let fill = |leaf: &str| match rest {
            None => leaf.to_owned(),
            // `"./features/": "./src/features/"` is the old spelling of a star at both ends.
            Some(rest) if leaf.ends_with('/') => format!("{leaf}{rest}"),
            Some(rest) => leaf.replace('*', rest),
        };
        Some(leaves.into_iter().map(|(_, leaf)| fill(leaf)).collect())
    }
}

/// What comes before and after the star of a key.
fn pattern(key: &str) -> Option<(&str, &str)> {
    key.split_once('*').or_else(|| key.ends_with('/').then_some((key, "")))
}

/// How good a target is: TypeScript before everything, then by the conditions that lead to it, outermost first.
type Rank = (bool, Vec<u8>);

impl Target {
    fn of(json: &Json<'_>, depth: usize) -> Option<Self> {
        if depth > DEEPEST {
            return None;
        }
        match json {
            Json::Text(text) => Some(Self::Path(text.to_string())),
            Json::Other("null") => Some(Self::Blocked),
            Json::List(list) => Some(Self::Any(list.iter().filter_map(|json| Self::of(json, depth + 1)).collect())),
            Json::Object(entries) => {
                let conditions =
                    entries.iter().filter_map(|(name, json)| Some((name.to_string(), Self::of(json, depth + 1)?)));
                Some(Self::Conditions(conditions.collect()))
            }
            _ => None,
        }
    }

    fn collect<'t>(&'t self, conditions: &mut Vec<u8>, leaves: &mut Vec<(Rank, &'t str)>) {
        match self {
            Self::Path(_) if leaves.len() >= MOST_TARGETS => {}
            Self::Path(path) => leaves.push(((!is_typescript(path), conditions.clone()), path)),
            Self::Any(list) => list.iter().for_each(|target| target.collect(conditions, leaves)),
            Self::Conditions(entries) => {
                for (name, target) in entries {
                    conditions.push(preference(name));
                    target.collect(conditions, leaves);
                    conditions.pop();
                }
            }
            Self::Blocked => {}
        }
    }
}

/// Whether a target is source, whatever its condition is called (`bun`, `deno`, `@acme/source`).
fn is_typescript(path: &str) -> bool {
    let is_declaration = [".d.ts", ".d.mts", ".d.cts"].iter().any(|ending| path.ends_with(ending));
    !is_declaration && [".ts", ".tsx", ".mts", ".cts"].iter().any(|ending| path.ends_with(ending))
}

/// The order in which conditions are tried. Conditions of one platform come late: the others hold code that most of
/// the callers get.
fn preference(condition: &str) -> u8 {
    match condition {
        _ if condition.contains("source") => 0,
        "development" => 1,
        "import" | "module" => 2,
        "default" => 3,
        "require" => 4,
        "types" => 6,
        _ => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    fn exports(text: &str) -> Subpaths {
        Subpaths::of_exports(&json::read(text, |_, _| true).0)
    }

    fn targets(text: &str, key: &str) -> Option<Vec<String>> {
        exports(text).targets(key)
    }

    #[test]
    fn a_target_alone_is_the_package_itself() {
        assert_eq!(targets(r#""./a.js""#, "."), Some(vec!["./a.js".to_owned()]));
        assert_eq!(targets(r#""./a.js""#, "./a.js"), None);
        assert_eq!(targets(r#"["./a.js", {"default": "./b.js"}]"#, ".").map(|targets| targets.len()), Some(2));
        assert_eq!(targets(r#"{".": null}"#, "."), Some(Vec::new()));
        assert!(exports("{}").targets(".").is_some_and(|targets| targets.is_empty()));
        assert!(exports("5").is_empty());
    }

    #[test]
    fn conditions_are_ranked_not_taken_in_their_order() {
        let text = r#"{
            "types": "./dist/a.d.ts",
            "node": {"require": "./n.cjs", "import": "./n.mjs"},
            "require": "./r.cjs",
            "import": {"types": "./i.d.ts", "default": "./i.js"},
            "default": "./d.js",
            "@acme/source": "./s.js",
            "bun": "./src/index.ts",
            "development": "./dev.js"
        }"#;
        let expected = [
            "./src/index.ts",
            "./s.js",
            "./dev.js",
            "./i.js",
            "./i.d.ts",
            "./d.js",
            "./r.cjs",
            "./n.mjs",
            "./n.cjs",
            "./dist/a.d.ts",
        ];
        assert_eq!(targets(text, "."), Some(expected.map(str::to_owned).to_vec()));
    }

    #[test]
    fn the_longest_pattern_wins_and_null_blocks() {
        let text = r#"{
            ".": "./index.js", "./*": "./src/*.js", "./lib/*": "./lib/*/*.js", "./lib/*.css": "./css/*.css",
            "./lib/secret/*": null, "./old/": "./src/old/", "./lib/exact": "./exact.js"
        }"#;
        let one = |key: &str| targets(text, key).map(|targets| targets.join(" "));
        assert_eq!(one("./a/b").as_deref(), Some("./src/a/b.js"));
        assert_eq!(one("./lib/a").as_deref(), Some("./lib/a/a.js"));
        assert_eq!(one("./lib/a.css").as_deref(), Some("./css/a.css"));
        assert_eq!(one("./lib/secret/a").as_deref(), Some(""));
        assert_eq!(one("./lib/exact").as_deref(), Some("./exact.js"));
        assert_eq!(one("./old/a/b").as_deref(), Some("./src/old/a/b"));
        assert_eq!(targets(r#"{".": "./a.js"}"#, "./b"), None);
    }

    #[test]
    fn imports_keep_only_their_own_keys() {
        let text = r##"{"#a/*": {"default": "./src/*.ts"}, "#dep": "other", "b": "./b.js"}"##;
        let imports = Subpaths::of_imports(&json::read(text, |_, _| true).0);
        assert_eq!(imports.targets("#a/x/y"), Some(vec!["./src/x/y.ts".to_owned()]));
        assert_eq!(imports.targets("#dep"), Some(vec!["other".to_owned()]));
        assert_eq!(imports.targets("b"), None);
        assert_eq!(imports.targets("#a/"), None);
    }

    #[test]
    fn hostile_nesting_and_numbers_are_cut() {
        let deep = format!("{}\"./x\"{}", "{\"a\":".repeat(100), "}".repeat(100));
        assert_eq!(targets(&deep, "."), Some(Vec::new()));
        let many = vec!["\"./x\""; 10_000].join(",");
        assert_eq!(targets(&format!("[{many}]"), ".").map(|targets| targets.len()), Some(MOST_TARGETS));
    }
}
