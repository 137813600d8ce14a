//! `yarn.lock` of Yarn 1 and of the later ones ("berry").

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Locked, Query, Tracked, split_name};
use crate::problem::Problem;
use crate::yaml_lines::{Line, lines, scalar};

/// A lockfile of Yarn.
#[derive(Debug, Default)]
pub(crate) struct YarnLock {
    /// Descriptor (`ai@^7.0.0`, `ai@npm:^7.0.0`) → what is locked.
    locked: FxHashMap<String, Locked>,
    /// The folders of the workspace, the root as the empty path. Only berry lists them.
    importers: FxHashSet<String>,
    is_berry: bool,
}

/// An entry in the making.
#[derive(Default)]
struct Entry<'t> {
    descriptors: Vec<&'t str>,
    version: Option<&'t str>,
    /// `ai@npm:7.0.66`, `ai@workspace:packages/ai`; berry only.
    resolution: Option<String>,
}

impl YarnLock {
    pub fn parse(text: &str, tracked: &Tracked, problems: &mut Vec<Problem>) -> Self {
        let mut lock = Self::default();
        let mut entry = Entry::default();
        for line in lines(text) {
            if let Some(problem) = line.conflict() {
                problems.push(problem);
                break;
            }
            if line.indent == 0 {
                lock.add(std::mem::take(&mut entry), tracked);
                if line.text == "__metadata:" {
                    lock.is_berry = true;
                } else if let Some(key) = line.text.strip_suffix(':') {
                    entry.descriptors = descriptors(key).collect();
                } else {
                    problems.push(Problem::at_line(line.number, "not a line of a yarn.lock"));
                    break;
                }
            } else if line.indent == 2 && !entry.descriptors.is_empty() {
                if let Some(version) = field(line, "version") {
                    entry.version = Some(version);
                } else if let Some(resolution) = field(line, "resolution") {
                    entry.resolution = Some(scalar(resolution).into_owned());
                }
            }
        }
        lock.add(entry, tracked);
        lock
    }

    fn add(&mut self, entry: Entry<'_>, tracked: &Tracked) {
        let resolution = entry.resolution.as_deref().and_then(split_resolution);
        if let Some((_, place)) = resolution
            && let Some(folder) = place.strip_prefix("workspace:")
        {
            self.importers.insert(if folder == "." { String::new() } else { folder.to_owned() });
        }
        for descriptor in entry.descriptors {
            let Some((dependency, spec)) = split_descriptor(descriptor) else { continue };
            let alias = spec.strip_prefix("npm:").and_then(|spec| split_name(spec)).map(|(name, _)| name);
            let package = resolution.map(|(name, _)| name).or(alias).unwrap_or(dependency);
            if !tracked.has(dependency) && !tracked.has(package) {
                continue;
            }
            let folder = resolution.and_then(|(_, place)| place.strip_prefix("workspace:"));
            let locked = match (folder, entry.version) {
                (Some(folder), _) => Some(Locked::directory(package, folder)),
                (None, Some(version)) => Locked::version(package, &scalar(version)),
                (None, None) => None,
            };
            if let Some(locked) = locked {
                self.locked.insert(descriptor.to_owned(), locked);
            }
        }
    }

    /// Whether this lockfile lists the folders of its workspace.
    pub fn knows_its_folders(&self) -> bool {
        self.is_berry
    }

    pub fn find(&self, query: Query<'_>) -> Option<Locked> {
        if self.is_berry && !self.importers.contains(query.importer) {
            return None;
        }
        let Query { dependency, spec, .. } = query;
        let exact = self.locked.get(&format!("{dependency}@{spec}"));
        if let Some(locked) = exact.or_else(|| self.locked.get(&format!("{dependency}@npm:{spec}"))) {
            return Some(locked.clone());
        }
        // A patched package's descriptor goes on with a hash and a locator that the manifest does not have.
        let patched = format!("{dependency}@patch:");
        let is_patch = spec.starts_with("patch:");
        self.locked
            .iter()
            .filter(|(key, _)| is_patch && key.starts_with(&patched))
            .min_by_key(|(key, _)| *key)
            .map(|(_, locked)| locked.clone())
    }
}

/// The descriptors of a key: `a@^1, b@^2` or `"a@^1", "b@^2"` or `"a@npm:^1, b@npm:^2"`.
fn descriptors(key: &str) -> impl Iterator<Item = &str> {
    key.split(", ").map(|descriptor| descriptor.trim_matches('"'))
}

/// The name and the range of a descriptor: the first `@` that does not begin a scope parts them.
fn split_descriptor(descriptor: &str) -> Option<(&str, &str)> {
    let at = descriptor.char_indices().skip(1).find(|(_, character)| *character == '@')?.0;
    Some((&descriptor[..at], &descriptor[at + 1..]))
}

fn split_resolution(resolution: &str) -> Option<(&str, &str)> {
    split_descriptor(resolution)
}

/// The value of a field: `version "1.0.0"` in Yarn 1, `version: 1.0.0` later.
fn field<'t>(line: Line<'t>, name: &str) -> Option<&'t str> {
    let rest = line.text.strip_prefix(name)?;
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    rest.starts_with(' ').then(|| rest.trim())
}

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::super::tests::{find, parse};

    #[test]
    fn reads_yarn_1() {
        let (lock, problems) = parse(
            Format::Yarn,
            "# yarn lockfile v1\n\n\n\"@ai-sdk/react@^1.0.0\", \"@ai-sdk/react@^1.1.0\":\n  version \"1.2.12\"\n  \
             resolved \"x\"\n  dependencies:\n    ai \"1.0.0\"\n    version \"9.9.9\"\n\nai@4.x, ai@^4.0.0:\n  version \
             \"4.3.19\"\n\n\"ai5@npm:ai@^5\":\n  version \"5.0.116\"\n\nother@^1:\n  version \"1.0.0\"\n\n\"zod@^3 || ^4\":\n  \
             version \"4.1.5\"\n",
        );
        assert_eq!(problems, [""; 0]);
        assert!(!lock.knows_its_folders());
        assert_eq!(find(&lock, "", "@ai-sdk/react", "^1.1.0"), "@ai-sdk/react@1.2.12");
        assert_eq!(find(&lock, "packages/a", "ai", "^4.0.0"), "ai@4.3.19");
        assert_eq!(find(&lock, "", "ai", "^5"), "none");
        assert_eq!(find(&lock, "", "ai5", "npm:ai@^5"), "ai@5.0.116");
        assert_eq!(find(&lock, "", "zod", "^3 || ^4"), "zod@4.1.5");
        assert_eq!(find(&lock, "", "other", "^1"), "none");
    }

    #[test]
    fn reads_berry() {
        let (lock, problems) = parse(
            Format::Yarn,
            "# This file is generated\n\n__metadata:\n  version: 8\n  cacheKey: 10c0\n\n\"ai@npm:^7.0.0, ai@npm:^7.0.1\":\n  \
             version: 7.0.66\n  resolution: \"ai@npm:7.0.66\"\n\n\"ai5@npm:ai@^5.0.0\":\n  version: 5.0.116\n  resolution: \
             \"ai@npm:5.0.116\"\n\n\"@ai-sdk/react@workspace:*, @ai-sdk/react@workspace:packages/react\":\n  version: \
             0.0.0-use.local\n  resolution: \"@ai-sdk/react@workspace:packages/react\"\n  languageName: unknown\n\n\
             \"zod@patch:zod@npm%3A4.1.5#~/.yarn/patches/zod.patch::version=4.1.5&hash=1\":\n  version: 4.1.5\n  resolution: \
             \"zod@patch:zod@npm%3A4.1.5#~/x\"\n\n\"root@workspace:.\":\n  version: 0.0.0-use.local\n  resolution: \
             \"root@workspace:.\"\n",
        );
        assert_eq!(problems, [""; 0]);
        assert!(lock.knows_its_folders());
        assert_eq!(find(&lock, "", "ai", "^7.0.1"), "ai@7.0.66");
        assert_eq!(find(&lock, "packages/react", "ai", "^7.0.0"), "ai@7.0.66");
        assert_eq!(find(&lock, "examples/x", "ai", "^7.0.0"), "none");
        assert_eq!(find(&lock, "", "ai5", "npm:ai@^5.0.0"), "ai@5.0.116");
        assert_eq!(find(&lock, "", "@ai-sdk/react", "workspace:*"), "@ai-sdk/react@packages/react/");
        assert_eq!(find(&lock, "", "zod", "patch:zod@npm%3A4.1.5#~/.yarn/patches/zod.patch"), "zod@4.1.5");
    }

    #[test]
    fn what_is_no_lockfile_is_said() {
        let (lock, problems) =
            parse(Format::Yarn, "ai@^4:\n  version \"4.0.0\"\n<<<<<<< HEAD\nai@^5:\n  version \"5.0.0\"\n");
        assert_eq!(problems, ["3: unresolved merge conflict; the rest is not read"]);
        assert_eq!(find(&lock, "", "ai", "^4"), "ai@4.0.0");
        assert_eq!(parse(Format::Yarn, "{\"a\": 1}").1, ["1: not a line of a yarn.lock"]);
    }
}
