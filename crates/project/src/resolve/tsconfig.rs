//! tsconfig.json and jsconfig.json: text → what they say of import paths, and the files that they extend laid over each
//! other.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use crate::paths::clean;
use crate::problem::Problem;

/// Nobody writes more; each pattern is compared with each import.
const MOST_PATTERNS: usize = 2_000;
const MOST_TARGETS: usize = 32;
const MOST_REFERENCES: usize = 256;

/// The fields of one file, as written.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Written {
    pub extends: Vec<String>,
    pub references: Vec<String>,
    base_url: Option<String>,
    paths: Option<Vec<(String, Vec<String>)>>,
    files: Option<Vec<String>>,
    include: Option<Vec<String>>,
}

impl Written {
    /// Reads a file; comments and trailing commas are allowed. A field of a wrong type is passed over.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
        let parsed = parse_to_ast(bare, &CollectOptions::default(), &ParseOptions::default())
            .map_err(|error| Problem::at_offset(bare, error.range().start, error.kind().to_string()))?;
        let Some(Value::Object(root)) = parsed.value else { return Ok(Self::default()) };
        let options = root.get_object("compilerOptions");
        let extends = root.get("extends").map(|property| match &property.value {
            Value::StringLit(one) => vec![one.value.to_string()],
            Value::Array(several) => strings(several, MOST_TARGETS),
            _ => Vec::new(),
        });
        let reference = |value: &Value<'_>| Some(value.as_object()?.get_string("path")?.value.to_string());
        let references = root.get_array("references").map_or(&[][..], |list| &list.elements);
        let list = |name: &str| root.get_array(name).map(|list| strings(list, MOST_REFERENCES));
        Ok(Self {
            extends: extends.unwrap_or_default(),
            references: references.iter().take(MOST_REFERENCES).filter_map(reference).collect(),
            base_url: options.and_then(|options| Some(options.get_string("baseUrl")?.value.to_string())),
            paths: options.and_then(|options| options.get_object("paths")).map(paths),
            files: list("files"),
            include: list("include"),
        })
    }
}

fn strings(list: &Array<'_>, most: usize) -> Vec<String> {
    let strings = list.elements.iter().filter_map(Value::as_string_lit);
    strings.take(most).map(|text| text.value.to_string()).collect()
}

fn paths(object: &Object<'_>) -> Vec<(String, Vec<String>)> {
    let entries = object.properties.iter().filter_map(|property| {
        let targets = strings(property.value.as_array()?, MOST_TARGETS);
        Some((property.name.as_str().to_owned(), targets))
    });
    entries.take(MOST_PATTERNS).collect()
}

/// A file and what it extends. Each field comes with the folder of the file that says it, because paths in it are
/// relative to that.
#[derive(Debug, Default)]
pub(super) struct Layers {
    base_url: Option<Layer>,
    paths: Option<Layer>,
    files: Option<Layer>,
    include: Option<Layer>,
}

type Layer = (PathBuf, Arc<Written>);

impl Layers {
    /// Lays the file in `folder` over what there is so far: a field replaces that of the same name as a whole.
    pub fn lay(&mut self, folder: &Path, written: &Arc<Written>) {
        let here = || Some((folder.to_path_buf(), Arc::clone(written)));
        if written.base_url.is_some() {
            self.base_url = here();
        }
        if written.paths.is_some() {
            self.paths = here();
        }
        if written.files.is_some() {
            self.files = here();
        }
        if written.include.is_some() {
            self.include = here();
        }
    }

    /// What holds for the file in `folder` that extends all the others.
    pub fn finish(self, folder: &Path) -> Config {
        let base_url = self.base_url.as_ref();
        let base_url = base_url.and_then(|(from, written)| Some(place(folder, from, written.base_url.as_deref()?)));
        let mut patterns = Vec::new();
        if let Some((from, written)) = self.paths {
            let base = base_url.as_deref().unwrap_or(&from);
            let written = written.paths.iter().flatten();
            patterns.extend(written.filter_map(|(key, targets)| Pattern::new(folder, base, key, targets)));
        }
        let covered = match (self.include, &self.files) {
            (Some((from, written)), _) => {
                written.include.iter().flatten().map(|text| Covered::new(&place(folder, &from, text))).collect()
            }
            (None, Some(_)) => Vec::new(),
            (None, None) => vec![Covered::Below(folder.to_path_buf())],
        };
        Config { base_url, patterns, covered, references: Vec::new(), missing: Vec::new() }
    }
}

/// Where a path in the file in `from` leads; `configDir` is the folder of the file that extends all others.
fn place(config_dir: &Path, from: &Path, text: &str) -> PathBuf {
    clean(&match text.strip_prefix("${configDir}") {
        Some(rest) => config_dir.join(rest.trim_start_matches('/')),
        None => from.join(text),
    })
}

/// What one configuration says, with everything that it extends.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Config {
    base_url: Option<PathBuf>,
    patterns: Vec<Pattern>,
    covered: Vec<Covered>,
    /// Other configurations that share the folder's files with this one.
    pub references: Vec<PathBuf>,
    /// Files that it extends or references and that are not there, for example because a tool has yet to write them.
    pub missing: Vec<PathBuf>,
}

impl Config {
    /// The paths that a specifier may mean, in the order in which they are to be tried.
    pub fn candidates(&self, specifier: &str) -> Vec<PathBuf> {
        let best = self.patterns.iter().filter_map(|pattern| Some((pattern.rank(), pattern, pattern.star(specifier)?)));
        // Of equals the first, as in TypeScript.
        let best = best.min_by_key(|(rank, ..)| *rank);
        let by_pattern = best.into_iter().flat_map(|(_, pattern, star)| pattern.paths(star));
        by_pattern.chain(self.base_url.iter().map(|base| clean(&base.join(specifier)))).collect()
    }

    /// Whether files in `folder` are part of this project, as far as can be told from the beginning of its patterns.
    pub fn covers(&self, folder: &Path) -> bool {
        self.covered.iter().any(|covered| match covered {
            Covered::Below(above) => folder.starts_with(above),
            Covered::In(parent) => folder == parent,
        })
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Covered {
    /// All that lies below a folder.
    Below(PathBuf),
    /// Some files of a folder.
    In(PathBuf),
}

impl Covered {
    /// What an element of `include` leads to: a folder, a file, or up to its first wildcard.
    fn new(pattern: &Path) -> Self {
        let is_wild = |part: &std::ffi::OsStr| part.to_string_lossy().contains(['*', '?']);
        if pattern.iter().any(is_wild) {
            return Self::Below(pattern.iter().take_while(|part| !is_wild(part)).collect());
        }
        match (pattern.extension(), pattern.parent()) {
            (Some(_), Some(parent)) => Self::In(parent.to_path_buf()),
            _ => Self::Below(pattern.to_path_buf()),
        }
    }
}

/// An entry of `paths`.
#[derive(Debug, PartialEq, Eq)]
struct Pattern {
    prefix: String,
    /// What follows the star; `None` when there is none and the specifier must be the same.
    suffix: Option<String>,
    /// With the star still in the text.
    targets: Vec<(PathBuf, String)>,
}

impl Pattern {
    fn new(config_dir: &Path, base: &Path, key: &str, targets: &[String]) -> Option<Self> {
        let (prefix, suffix) = match key.split_once('*') {
            Some((_, suffix)) if suffix.contains('*') => return None,
            Some((prefix, suffix)) => (prefix, Some(suffix.to_owned())),
            None => (key, None),
        };
        let target = |text: &String| match text.strip_prefix("${configDir}") {
            Some(rest) => (config_dir.to_path_buf(), rest.trim_start_matches('/').to_owned()),
            None => (base.to_path_buf(), text.clone()),
        };
        Some(Self { prefix: prefix.to_owned(), suffix, targets: targets.iter().map(target).collect() })
    }

    /// An exact entry comes first, then the longest prefix.
    fn rank(&self) -> (bool, std::cmp::Reverse<usize>) {
        (self.suffix.is_some(), std::cmp::Reverse(self.prefix.len()))
    }

    /// What the star stands for when the specifier matches.
    fn star<'s>(&self, specifier: &'s str) -> Option<&'s str> {
        match &self.suffix {
            None => (specifier == self.prefix).then_some(""),
            Some(suffix) => specifier.strip_prefix(self.prefix.as_str())?.strip_suffix(suffix.as_str()),
        }
    }

    fn paths(&self, star: &str) -> impl Iterator<Item = PathBuf> {
        self.targets.iter().map(move |(base, text)| clean(&base.join(text.replacen('*', star, 1))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The configuration of `/repo/tsconfig.json` with this text over those of `/base/tsconfig.json` with others.
    fn config(below: &[&str], text: &str) -> Config {
        let mut layers = Layers::default();
        for text in below {
            layers.lay(Path::new("/base"), &Arc::new(Written::parse(text).expect("it parses")));
        }
        layers.lay(Path::new("/repo"), &Arc::new(Written::parse(text).expect("it parses")));
        layers.finish(Path::new("/repo"))
    }

    fn candidates(config: &Config, specifier: &str) -> Vec<String> {
        config.candidates(specifier).iter().map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn exact_entries_then_the_longest_prefix_with_all_its_targets() {
        let text = "\u{feff}{ // comment\n \"compilerOptions\": { \"paths\": {\n \"*\": [\"any/*\"], \"@/*\": \
                    [\"./src/*\", \"./gen/*\"], \"@/lib/*\": [\"lib/*.ts\"], \"@/lib/x\": [\"x.ts\"], /* two */ \
                    \"a*b*\": [\"c\"], \"@/*.css\": [\"css/*\"], \"/abs\": [\"/other/abs.ts\"], }, } }";
        let config = config(&[], text);
        assert_eq!(candidates(&config, "@/a/b"), ["/repo/src/a/b", "/repo/gen/a/b"]);
        assert_eq!(candidates(&config, "@/lib/y"), ["/repo/lib/y.ts"]);
        assert_eq!(candidates(&config, "@/lib/x"), ["/repo/x.ts"]);
        assert_eq!(candidates(&config, "aXbX"), ["/repo/any/aXbX"]);
        assert_eq!(candidates(&config, "@/../../etc"), ["/etc", "/repo/gen/../../etc"].map(|_| "/etc"));
        assert_eq!(candidates(&config, "/abs"), ["/other/abs.ts"]);
        assert_eq!(candidates(&Config::default(), "x"), [""; 0]);
    }

    #[test]
    fn paths_start_from_base_url_or_from_the_file_that_has_them() {
        let base = r#"{"compilerOptions": {"paths": {"@/*": ["src/*"]}}}"#;
        assert_eq!(candidates(&config(&[base], "{}"), "@/x"), ["/base/src/x"]);
        let url = r#"{"compilerOptions": {"baseUrl": "./code"}}"#;
        assert_eq!(candidates(&config(&[base], url), "@/x"), ["/repo/code/src/x", "/repo/code/@/x"]);
        assert_eq!(candidates(&config(&[url], base), "@/x"), ["/base/code/src/x", "/base/code/@/x"]);
        let none = r#"{"compilerOptions": {"paths": {}}}"#;
        assert_eq!(candidates(&config(&[base], none), "@/x"), [""; 0]);
        let here = r#"{"compilerOptions": {"baseUrl": "${configDir}/a", "paths": {"@/*": ["${configDir}/b/*"]}}}"#;
        assert_eq!(candidates(&config(&[here], "{}"), "@/x"), ["/repo/b/x", "/repo/a/@/x"]);
    }

    #[test]
    fn covers_what_include_begins_with() {
        let covers = |text: &str, folder: &str| config(&[], text).covers(Path::new(folder));
        assert!(covers("{}", "/repo/a"));
        assert!(!covers("{}", "/other"));
        assert!(!covers(r#"{"files": []}"#, "/repo/a"));
        let include = r#"{"include": ["src/**/*.ts", "types", "../shared/*", "vite.config.ts"]}"#;
        for (folder, expected) in [
            ("/repo/src/a", true),
            ("/repo/types", true),
            ("/shared", true),
            ("/repo", true),
            ("/repo/test", false),
            ("/repo/srcs", false),
        ] {
            assert_eq!(covers(include, folder), expected, "{folder}");
        }
    }

    #[test]
    fn wrong_types_are_passed_over_and_broken_files_have_a_place() {
        let odd = r#"{"extends": 5, "references": [1, {"path": 2}, {"path": "./a"}], "include": "x", "files": {},
            "compilerOptions": {"baseUrl": [], "paths": {"a": "b", "c": [1, "d"]}}}"#;
        let written = Written::parse(odd).expect("it parses");
        assert_eq!(written.references, ["./a"]);
        assert_eq!(written.paths, Some(vec![("c".to_owned(), vec!["d".to_owned()])]));
        assert!(written.extends.is_empty() && written.base_url.is_none() && written.include.is_none());
        for text in ["", "[]", "null", "5"] {
            assert_eq!(Written::parse(text), Ok(Written::default()));
        }
        let problem = Written::parse("{\n  \"extends\": \"./a\",\n<<<<<<< HEAD").expect_err("broken");
        assert_eq!(problem.line, 3);
        assert!(Written::parse(&"[".repeat(100_000)).is_err());
    }
}
