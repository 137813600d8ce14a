//! `pnpm-lock.yaml`, versions 5 to 9.

use std::path::Path;

use rustc_hash::FxHashMap;

use super::{Locked, Query, Tracked, split_name};
use crate::paths::clean;
use crate::problem::Problem;
use crate::yaml_lines::{Line, lines, scalar};

/// pnpm writes two at most: its own tools, then the project.
const MOST_DOCUMENTS: usize = 4;

/// A lockfile of pnpm.
#[derive(Debug, Default)]
pub(crate) struct PnpmLock {
    /// Folder → dependency → what is locked. The root is the empty path.
    importers: FxHashMap<String, FxHashMap<String, Locked>>,
    /// Catalog → package → what is locked.
    catalogs: FxHashMap<String, FxHashMap<String, Locked>>,
}

/// Which part of the file a line is in.
#[derive(Clone, Copy, PartialEq)]
enum Section {
    /// `importers:` and, two blanks in, the folders.
    Importers,
    /// `dependencies:` and the like at the top: the form for a single package.
    Root,
    Catalogs,
    Other,
}

/// The keys that the current line is nested in.
#[derive(Default)]
struct Place {
    /// The folder, or the catalog.
    group: String,
    in_dependencies: bool,
    dependency: String,
}

impl PnpmLock {
    pub fn parse(text: &str, tracked: &Tracked, problems: &mut Vec<Problem>) -> Self {
        let mut lock = Self::default();
        let (mut rest, mut lines_before) = (text, 0);
        for _ in 0..MOST_DOCUMENTS {
            let Some((next, line_count)) = lock.document(rest, lines_before, tracked, problems) else { break };
            (rest, lines_before) = (next, lines_before + line_count);
        }
        lock
    }

    /// Reads one document. Returns the text after it, if another one follows, and how many lines come before that.
    fn document<'t>(
        &mut self,
        text: &'t str,
        lines_before: usize,
        tracked: &Tracked,
        problems: &mut Vec<Problem>,
    ) -> Option<(&'t str, usize)> {
        let (mut section, mut place) = (Section::Other, Place::default());
        for mut line in lines(text) {
            let line_in_document = line.number;
            line.number += lines_before;
            if let Some(problem) = line.conflict() {
                problems.push(problem);
                return None;
            }
            let Some((key, value)) = line.entry() else { continue };
            if line.indent > 0 {
                self.nested(section, &mut place, line, &key, value, tracked);
                continue;
            }
            place = Place::default();
            section = match key.as_ref() {
                "importers" => Section::Importers,
                "catalogs" => Section::Catalogs,
                name if is_dependencies(name) => {
                    place.in_dependencies = true;
                    Section::Root
                }
                // Nine tenths of the file, and nothing in it that was not said above.
                "packages" | "snapshots" => return next_document(text, line_in_document),
                "lockfileVersion" => {
                    check_version(&scalar(value), line.number, problems);
                    Section::Other
                }
                _ => Section::Other,
            };
        }
        None
    }

    fn nested(
        &mut self,
        section: Section,
        place: &mut Place,
        line: Line<'_>,
        key: &str,
        value: &str,
        tracked: &Tracked,
    ) {
        // The depth at which dependencies are named.
        let depth = match section {
            Section::Importers => 6,
            Section::Root => 2,
            Section::Catalogs => 4,
            Section::Other => return,
        };
        let is_dependency = place.in_dependencies || section == Section::Catalogs;
        match (section, line.indent) {
            (_, indent) if indent == depth => {
                place.dependency = key.to_owned();
                // Version 5 writes the version right behind the name.
                if is_dependency && !value.is_empty() {
                    self.version(section, place, value, tracked);
                }
            }
            (_, indent) if indent == depth + 2 && key == "version" && is_dependency => {
                self.version(section, place, value, tracked);
            }
            (Section::Importers, 4) => place.in_dependencies = is_dependencies(key),
            (Section::Importers | Section::Catalogs, 2) => {
                place.group = if key == "." { String::new() } else { key.to_owned() };
                place.in_dependencies = false;
            }
            _ => {}
        }
    }

    fn version(&mut self, section: Section, place: &Place, value: &str, tracked: &Tracked) {
        let Some(locked) = locked(&place.dependency, &scalar(value), &place.group) else { return };
        if tracked.has(&place.dependency) || tracked.has(&locked.package) {
            let groups = if section == Section::Catalogs { &mut self.catalogs } else { &mut self.importers };
            groups.entry(place.group.clone()).or_default().insert(place.dependency.clone(), locked);
        }
    }

    pub fn find(&self, query: Query<'_>) -> Option<Locked> {
        let in_importer = self.importers.get(query.importer).and_then(|locked| locked.get(query.dependency));
        let in_catalog = || {
            let name = query.declared.strip_prefix("catalog:")?;
            self.catalogs.get(if name.is_empty() { "default" } else { name })?.get(query.dependency)
        };
        in_importer.or_else(in_catalog).cloned()
    }
}

fn is_dependencies(key: &str) -> bool {
    matches!(key, "dependencies" | "devDependencies" | "optionalDependencies")
}

/// The version of `dependency` in the folder `importer`: `7.0.173(zod@4.1.5)`, `2.2.37_react@18.2.0`, another package's
/// under an alias (`ai@5.0.1`, `/ai@5.0.1(zod@3.0.0)`, `/ai/5.0.1`), or a folder.
fn locked(dependency: &str, value: &str, importer: &str) -> Option<Locked> {
    // Relative to the importing folder; `file:` is relative to the lockfile.
    if let Some(path) = value.strip_prefix("link:") {
        let folder = clean(&Path::new("/").join(importer).join(path));
        let folder = folder.strip_prefix("/").ok()?.to_str()?;
        return Some(Locked::directory(dependency, folder.replace('\\', "/")));
    }
    let (bare, has_slash) = value.strip_prefix('/').map_or((value, false), |rest| (rest, true));
    let bare = bare.split(['(', '_']).next().unwrap_or_default();
    if let Some(path) = value.strip_prefix("file:") {
        let path = path.split('(').next().unwrap_or_default();
        return Some(Locked::directory(dependency, path));
    }
    if let Some((name, version)) = split_name(bare) {
        return Locked::version(name, version);
    }
    match bare.rsplit_once('/') {
        Some((name, version)) if has_slash => Locked::version(name, version),
        _ => Locked::version(dependency, bare),
    }
}

fn check_version(version: &str, line: usize, problems: &mut Vec<Problem>) {
    let major = version.split('.').next().and_then(|major| major.parse::<u32>().ok());
    if !major.is_some_and(|major| (5..=9).contains(&major)) {
        problems.push(Problem::at_line(line, format!("lockfile version {version} is not known; read as version 9")));
    }
}

/// What follows the next `---` after a line, and how many lines are left out with it.
fn next_document(text: &str, line: usize) -> Option<(&str, usize)> {
    let offset: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let start = text[offset..].find("\n---\n").or_else(|| text[offset..].find("\n---\r\n"))? + offset + 1;
    let next = &text[start..];
    let next = &next[next.find('\n')? + 1..];
    Some((next, text[..text.len() - next.len()].matches('\n').count()))
}

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::super::tests::{find, parse};

    const V9: &str = "lockfileVersion: '9.0'

catalogs:
  default:
    ai:
      specifier: ^6.0.0
      version: 6.0.10
  next:
    ai:
      specifier: ^7
      version: 7.0.1

overrides:
  ai: 1.0.0

importers:

  .:
    devDependencies:
      '@ai-sdk/react':
        specifier: ^3.0.0
        version: 3.0.134(react@19.0.0)(zod@4.1.5)

  examples/mcp: {}

  packages/ai:
    dependencies:
      zod:
        specifier: https://example.com/zod.tgz
        version: https://example.com/zod.tgz

  examples/next:
    configDependencies:
      ai:
        specifier: 1.0.0
        version: 1.0.0
    dependencies:
      ai:
        specifier: workspace:*
        version: link:../../packages/ai
      ai5:
        specifier: npm:ai@^5
        version: ai@5.0.116(zod@4.1.5(x@1.0.0))
      other:
        specifier: ^1
        version: 1.0.0
    optionalDependencies:
      zod:
        specifier: catalog:next
        version: file:packages/zod(x@1.0.0)

packages:

  ai@4.0.0:
    resolution: {integrity: sha512-x}
";

    #[test]
    fn reads_importers_of_version_9() {
        let (lock, problems) = parse(Format::Pnpm, V9);
        assert_eq!(problems, [""; 0]);
        assert_eq!(find(&lock, "", "@ai-sdk/react", "^3.0.0"), "@ai-sdk/react@3.0.134");
        assert_eq!(find(&lock, "", "ai", "^3.0.0"), "none");
        assert_eq!(find(&lock, "examples/next", "ai", "workspace:*"), "ai@packages/ai/");
        assert_eq!(find(&lock, "examples/next", "ai5", "npm:ai@^5"), "ai@5.0.116");
        assert_eq!(find(&lock, "examples/next", "zod", "catalog:next"), "zod@packages/zod/");
        assert_eq!(find(&lock, "examples/next", "other", "^1"), "none");
        assert_eq!(find(&lock, "packages/ai", "zod", ""), "none");
        // A folder that is not listed yet still shares the catalogs.
        assert_eq!(find(&lock, "examples/new", "ai", "catalog:"), "ai@6.0.10");
        assert_eq!(find(&lock, "examples/new", "ai", "catalog:next"), "ai@7.0.1");
    }

    #[test]
    fn reads_the_older_forms() {
        let (lock, problems) = parse(
            Format::Pnpm,
            "lockfileVersion: '6.0'\n\ndependencies:\n  ai:\n    specifier: ^3.0.0\n    version: 3.4.33(react@18.3.1)\n  \
             ai2:\n    specifier: npm:ai@2\n    version: /ai@2.2.37(react@18.3.1)\n\npackages:\n",
        );
        assert_eq!(problems, [""; 0]);
        assert_eq!(find(&lock, "", "ai", ""), "ai@3.4.33");
        assert_eq!(find(&lock, "", "ai2", ""), "ai@2.2.37");

        let (lock, problems) = parse(
            Format::Pnpm,
            "lockfileVersion: 5.4\nspecifiers:\n  ai: ^2\ndependencies:\n  ai: 2.2.37_react@18.2.0\n  ai1: /ai/1.0.0_x\n",
        );
        assert_eq!(problems, [""; 0]);
        assert_eq!(find(&lock, "", "ai", ""), "ai@2.2.37");
        assert_eq!(find(&lock, "", "ai1", ""), "ai@1.0.0");

        let (lock, _) = parse(
            Format::Pnpm,
            "lockfileVersion: 5.4\nimporters:\n  packages/a:\n    specifiers:\n      ai: ^2\n    dependencies:\n      \
             ai: 2.2.37\n",
        );
        assert_eq!(find(&lock, "packages/a", "ai", ""), "ai@2.2.37");
    }

    #[test]
    fn a_second_document_is_read_too() {
        let text = format!(
            "---\nlockfileVersion: '9.0'\nimporters:\n  .:\n    x: {{}}\npackages:\n  a@1:\n    b: c\n---\n{V9}"
        );
        let (lock, problems) = parse(Format::Pnpm, &text);
        assert_eq!(problems, [""; 0]);
        assert_eq!(find(&lock, "examples/next", "ai5", ""), "ai@5.0.116");
        let (_, problems) = parse(Format::Pnpm, &text.replace("  examples/mcp", "<<<<<<< HEAD\n  examples/mcp"));
        assert_eq!(problems, ["33: unresolved merge conflict; the rest is not read"]);
    }

    #[test]
    fn what_is_not_known_is_said() {
        let (lock, problems) = parse(Format::Pnpm, &V9.replace("'9.0'", "'12.0'"));
        assert_eq!(problems, ["1: lockfile version 12.0 is not known; read as version 9"]);
        assert_eq!(find(&lock, "examples/next", "ai5", ""), "ai@5.0.116");
    }
}
