//! Workspaces: which folders belong together, and the versions that they share.

use std::path::{Path, PathBuf};

use crate::files::{FileKind, Files};
use crate::manifest::{Catalogs, Manifest};
use crate::problem::Problem;
use crate::yaml_lines::{flow_list, lines, scalar};

/// The root of a workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Workspace {
    /// The folder that the patterns start from.
    pub root: PathBuf,
    /// The file that defines the catalogs.
    pub definition: PathBuf,
    patterns: Vec<String>,
    pub catalogs: Catalogs,
}

/// No workspace nests deeper, and none has more folders; a pattern such as `**` over something else stops there.
const DEEPEST: usize = 12;
const MOST_FOLDERS: usize = 20_000;
const MOST_PATTERNS: usize = 1_000;

impl Workspace {
    /// The workspace that the package.json at `root` defines, if it defines one.
    pub fn of_manifest(root: &Path, manifest: &Manifest) -> Option<Self> {
        if manifest.workspaces.is_none() && manifest.catalogs.is_empty() {
            return None;
        }
        Some(Self {
            root: root.to_path_buf(),
            definition: root.join("package.json"),
            patterns: manifest.workspaces.iter().flatten().take(MOST_PATTERNS).cloned().collect(),
            catalogs: manifest.catalogs.clone(),
        })
    }

    /// The workspace of pnpm-workspace.yaml: `packages`, `catalog` and `catalogs`. Yarn writes its catalogs into
    /// .yarnrc.yml in the same way.
    pub fn of_yaml(definition: &Path, text: &str, problems: &mut Vec<Problem>) -> Self {
        let root = definition.parent().unwrap_or(Path::new("")).to_path_buf();
        let mut workspace = Self { root, definition: definition.to_path_buf(), ..Self::default() };
        let (mut section, mut catalog) = (String::new(), String::new());
        // How far names of catalogs are indented.
        let mut catalog_indent = 0;
        for line in lines(text) {
            if let Some(problem) = line.conflict() {
                problems.push(problem);
                break;
            }
            // The elements of a list may stand as far left as its key.
            if let Some(element) = line.text.strip_prefix("- ") {
                if section == "packages" {
                    workspace.patterns.push(scalar(element).into_owned());
                }
                continue;
            }
            let Some((key, value)) = line.entry() else { continue };
            if line.indent == 0 {
                section = key.into_owned();
                (catalog, catalog_indent) = (String::new(), 0);
                if section == "packages" {
                    workspace.patterns.extend(flow_list(value).unwrap_or_default());
                }
                continue;
            }
            match section.as_str() {
                "catalog" => workspace.catalogs.insert("", key.into_owned(), scalar(value).into_owned()),
                "catalogs" if catalog_indent == 0 || line.indent <= catalog_indent => {
                    (catalog, catalog_indent) = (key.into_owned(), line.indent);
                }
                "catalogs" => workspace.catalogs.insert(&catalog, key.into_owned(), scalar(value).into_owned()),
                _ => {}
            }
        }
        workspace.patterns.truncate(MOST_PATTERNS);
        workspace
    }

    /// Whether the folder `relative` to the root, with forward slashes, is a package of the workspace. The root always
    /// is.
    pub fn has(&self, relative: &str) -> bool {
        let matches = |pattern: &str| {
            let pattern: Vec<&str> = segments(pattern).collect();
            let folder: Vec<&str> = relative.split('/').collect();
            wildcard(&pattern, &folder, |segment| *segment == "**", |segment, name| matches_name(segment, name))
        };
        relative.is_empty()
            || (self.patterns.iter().filter(|pattern| !pattern.starts_with('!')).any(|pattern| matches(pattern))
                && !self.patterns.iter().filter_map(|pattern| pattern.strip_prefix('!')).any(matches))
    }

    /// The folders that the patterns lead to and that have a package.json, in a fixed order.
    pub fn members(&self, files: &dyn Files) -> Vec<PathBuf> {
        let mut search = Search { files, found: Vec::new(), visited: 0 };
        for pattern in self.patterns.iter().filter(|pattern| !pattern.starts_with('!')) {
            let pattern: Vec<&str> = segments(pattern).collect();
            search.expand(&self.root, &pattern, 0);
        }
        let mut members = search.found;
        members.sort_unstable();
        members.dedup();
        members.retain(|member| crate::paths::relative(member, &self.root).is_some_and(|relative| self.has(&relative)));
        members
    }
}

fn segments(pattern: &str) -> impl Iterator<Item = &str> {
    pattern.split('/').filter(|segment| !matches!(*segment, "" | "."))
}

struct Search<'f> {
    files: &'f dyn Files,
    found: Vec<PathBuf>,
    visited: usize,
}

impl Search<'_> {
    fn expand(&mut self, folder: &Path, pattern: &[&str], depth: usize) {
        self.visited += 1;
        if depth > DEEPEST || self.visited > MOST_FOLDERS {
            return;
        }
        match pattern {
            [] => {
                if self.files.kind(&folder.join("package.json")) == Some(FileKind::File) {
                    self.found.push(folder.to_path_buf());
                }
            }
            ["..", rest @ ..] => {
                if let Some(parent) = folder.parent() {
                    self.expand(parent, rest, depth + 1);
                }
            }
            ["**", rest @ ..] => {
                self.expand(folder, rest, depth + 1);
                for child in self.children(folder, "*") {
                    self.expand(&child, pattern, depth + 1);
                }
            }
            [name, rest @ ..] if name.contains(['*', '?', '{']) => {
                for child in self.children(folder, name) {
                    self.expand(&child, rest, depth + 1);
                }
            }
            [name, rest @ ..] => self.expand(&folder.join(name), rest, depth + 1),
        }
    }

    fn children(&self, folder: &Path, pattern: &str) -> Vec<PathBuf> {
        let names = self.files.list(folder).unwrap_or_default();
        let wanted = names.iter().filter(|name| {
            name.to_str().is_some_and(|name| {
                name != "node_modules"
                    && (!name.starts_with('.') || pattern.starts_with('.'))
                    && matches_name(pattern, name)
            })
        });
        wanted
            .map(|name| folder.join(name))
            .filter(|child| self.files.kind(child) == Some(FileKind::Directory))
            .collect()
    }
}

/// Whether a name matches one segment of a pattern: `*`, `?` and `{a,b}`.
fn matches_name(pattern: &str, name: &str) -> bool {
    // Each pair of braces multiplies the work; nobody writes more than two.
    if pattern.matches('{').count() <= 2
        && let Some((before, rest)) = pattern.split_once('{')
        && let Some((alternatives, after)) = rest.split_once('}')
        && !alternatives.contains('{')
    {
        return alternatives.split(',').any(|choice| matches_name(&format!("{before}{choice}{after}"), name));
    }
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    wildcard(&pattern, &name, |part| *part == '*', |part, character| *part == '?' || part == character)
}

/// Whether `parts` match `pattern`, in which a star stands for any number of parts. Goes back to the last star only,
/// which is enough and never exponential.
fn wildcard<P, T>(pattern: &[P], parts: &[T], is_star: impl Fn(&P) -> bool, matches: impl Fn(&P, &T) -> bool) -> bool {
    let (mut at, mut index) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while index < parts.len() {
        if at < pattern.len() && is_star(&pattern[at]) {
            star = Some((at, index));
            at += 1;
        } else if at < pattern.len() && matches(&pattern[at], &parts[index]) {
            at += 1;
            index += 1;
        } else if let Some((star_at, star_index)) = star {
            star = Some((star_at, star_index + 1));
            at = star_at + 1;
            index = star_index + 1;
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(is_star)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryFiles;

    fn of_yaml(text: &str) -> Workspace {
        Workspace::of_yaml(Path::new("/repo/pnpm-workspace.yaml"), text, &mut Vec::new())
    }

    #[test]
    fn reads_packages_and_catalogs_of_yaml() {
        let workspace = of_yaml(
            "packages:\n  - 'packages/*' # all\n  - apps/**\n  - '!**/test/**'\n\ncatalog:\n  ai: ^6.0.0\n  '@ai-sdk/react': \
             \"^3.0.0\"\ncatalogs:\n    next:\n        ai: ^7.0.0-beta.1\n    old:\n        ai: '5'\nminimumReleaseAge: 4320\n\
             overrides:\n  ai: 1.0.0\n",
        );
        assert_eq!(workspace.root, Path::new("/repo"));
        assert_eq!(workspace.catalogs.get("", "ai"), Some("^6.0.0"));
        assert_eq!(workspace.catalogs.get("default", "@ai-sdk/react"), Some("^3.0.0"));
        assert_eq!(workspace.catalogs.get("next", "ai"), Some("^7.0.0-beta.1"));
        assert_eq!(workspace.catalogs.get("old", "ai"), Some("5"));
        for (folder, expected) in [
            ("", true),
            ("packages/a", true),
            ("packages/a/b", false),
            ("apps", true),
            ("apps/x/y", true),
            ("apps/test/y", false),
            ("examples/a", false),
        ] {
            assert_eq!(workspace.has(folder), expected, "{folder}");
        }
        assert!(of_yaml("packages:\n- a/*\n").has("a/b"));
        assert!(of_yaml("packages: ['a/*', \"b\"]\n").has("b"));
        assert!(!of_yaml("catalog:\n  ai: 5\n").has("a"));
    }

    #[test]
    fn finds_the_folders_of_a_workspace() {
        let paths = [
            "packages/a/package.json",
            "packages/b/package.json",
            "packages/b/nested/package.json",
            "packages/none/x.ts",
            "apps/web/admin/package.json",
            "apps/web/node_modules/ai/package.json",
            "apps/web/.next/package.json",
            "tools/cli/package.json",
            "examples/x/package.json",
        ];
        let files: MemoryFiles = paths.into_iter().map(|path| (Path::new("/repo").join(path), "{}")).collect();
        let workspace = of_yaml("packages:\n- packages/*\n- apps/**\n- ./tools/cli/\n- '!packages/b'\n- ../other\n");
        let members: Vec<_> = workspace
            .members(&files)
            .iter()
            .filter_map(|path| crate::paths::relative(path, Path::new("/repo")))
            .collect();
        assert_eq!(members, ["apps/web/admin", "packages/a", "tools/cli"]);
    }

    #[test]
    fn names_match_stars_and_braces() {
        for (pattern, name, expected) in [
            ("*", "a", true),
            ("a*", "abc", true),
            ("*-sdk", "ai-sdk", true),
            ("a*c*e", "abcde", true),
            ("a*c*e", "abcd", false),
            ("a?c", "abc", true),
            ("{ai,mcp}-*", "mcp-x", true),
            ("{ai,mcp}-*", "rig-x", false),
            ("a{", "a{", true),
        ] {
            assert_eq!(matches_name(pattern, name), expected, "{pattern} {name}");
        }
        let stars = "*a".repeat(2_000);
        assert!(!matches_name(&stars, &"a".repeat(1_000)));
    }
}
