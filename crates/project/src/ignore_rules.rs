//! Which paths the project itself asks to leave alone: `.gitignore` and `.git/info/exclude` inside a git repository,
//! `.ignore` everywhere.
//!
//! The user's global excludes (`core.excludesFile`) are not read: a run must find the same on every machine.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::files::{Disk, Files};

/// No hand-written file is longer; one that is would take seconds to compile.
const LONGEST_IGNORE_FILE: u64 = 1024 * 1024;

/// The rules that hold at one place of a walk, outermost folder first.
#[derive(Debug, Clone, Default)]
pub(crate) struct IgnoreRules {
    levels: Vec<Level>,
    /// Ignore files that could not be read, and why.
    pub problems: Vec<(PathBuf, String)>,
}

/// What one folder adds. Folders that add nothing have no level.
#[derive(Debug, Clone)]
struct Level {
    /// How deep in the walk the folder lies; 0 for the walked folder and for those above it.
    depth: usize,
    directory: PathBuf,
    /// `.ignore`
    plain: Option<Arc<Gitignore>>,
    /// `.gitignore`
    git: Option<Arc<Gitignore>>,
    /// Set where a repository begins: git rules from above it do not reach inside.
    repository: Option<Repository>,
}

#[derive(Debug, Clone)]
struct Repository {
    /// `.git/info/exclude`
    exclude: Option<Arc<Gitignore>>,
}

impl IgnoreRules {
    /// The rules of all folders above `directory`, and whether they ignore `directory` or a folder that it lies in.
    pub fn above(directory: &Path) -> (Self, bool) {
        let mut rules = Self::default();
        let mut ancestors: Vec<&Path> = directory.ancestors().skip(1).collect();
        ancestors.reverse();
        let mut ignored = false;
        for ancestor in ancestors {
            ignored |= rules.ignores(ancestor, true);
            rules.enter(ancestor, 0);
        }
        ignored |= rules.ignores(directory, true);
        (rules, ignored)
    }

    /// Forgets what the rules say, but not which repository this is: for a folder that is inspected although it is
    /// ignored.
    pub fn forget(&mut self) {
        let repository = self.repository().map(Path::to_path_buf);
        self.levels.clear();
        if let Some(directory) = repository {
            let repository = Some(Repository { exclude: None });
            self.levels.push(Level { depth: 0, directory, plain: None, git: None, repository });
        }
    }

    /// The folder of the innermost repository.
    pub fn repository(&self) -> Option<&Path> {
        self.levels.iter().rev().find(|level| level.repository.is_some()).map(|level| level.directory.as_path())
    }

    /// Adds the rules of `directory`, which lies `depth` folders below the start of the walk.
    pub fn enter(&mut self, directory: &Path, depth: usize) {
        let repository = self.repository_at(directory);
        let in_repository = repository.is_some() || self.repository().is_some();
        let git = if in_repository { self.read(directory, &directory.join(".gitignore")) } else { None };
        let plain = self.read(directory, &directory.join(".ignore"));
        if plain.is_some() || git.is_some() || repository.is_some() {
            self.levels.push(Level { depth, directory: directory.to_path_buf(), plain, git, repository });
        }
    }

    /// Drops the rules of folders that do not contain an entry `depth` folders below the start of the walk.
    pub fn leave(&mut self, depth: usize) {
        while self.levels.last().is_some_and(|level| level.depth > 0 && level.depth >= depth) {
            self.levels.pop();
        }
    }

    /// Whether the rules of the entered folders ignore `path`. Folders between them and `path` are not asked: a walk
    /// does not get below an ignored folder.
    pub fn ignores(&self, path: &Path, is_directory: bool) -> bool {
        let decide = |rules: &Option<Arc<Gitignore>>| match rules.as_ref()?.matched(path, is_directory) {
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
            Match::None => None,
        };
        if let Some(decision) = self.levels.iter().rev().find_map(|level| decide(&level.plain)) {
            return decision;
        }
        for level in self.levels.iter().rev() {
            if let Some(decision) = decide(&level.git) {
                return decision;
            }
            if let Some(repository) = &level.repository {
                return decide(&repository.exclude).unwrap_or(false);
            }
        }
        false
    }

    fn repository_at(&mut self, directory: &Path) -> Option<Repository> {
        let git = directory.join(".git");
        let metadata = fs::symlink_metadata(&git).ok()?;
        let common = if metadata.is_file() { linked_git_directory(directory, &git) } else { Some(git) };
        let exclude = common.and_then(|common| self.read(directory, &common.join("info/exclude")));
        Some(Repository { exclude })
    }

    /// Reads an ignore file whose patterns are relative to `base`.
    fn read(&mut self, base: &Path, path: &Path) -> Option<Arc<Gitignore>> {
        let mut content = Vec::new();
        if let Err(error) = Disk.read_into(path, LONGEST_IGNORE_FILE, &mut content) {
            if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidInput) {
                self.problems.push((path.to_path_buf(), error.to_string()));
            }
            return None;
        }
        let text = String::from_utf8_lossy(&content);
        let mut builder = GitignoreBuilder::new(base);
        for line in text.strip_prefix('\u{feff}').unwrap_or(&text).lines() {
            // Like git, pass over a pattern that makes no sense.
            let _ = builder.add_line(None, line);
        }
        match builder.build() {
            Ok(rules) => (!rules.is_empty()).then(|| Arc::new(rules)),
            Err(error) => {
                self.problems.push((path.to_path_buf(), error.to_string()));
                None
            }
        }
    }
}

/// The git directory that a `.git` file (submodule, worktree) points at; for a worktree the one it shares with the
/// others.
fn linked_git_directory(directory: &Path, git: &Path) -> Option<PathBuf> {
    let pointer = |path: &Path| {
        let mut content = Vec::new();
        Disk.read_into(path, 64 * 1024, &mut content).ok()?;
        String::from_utf8(content).ok()
    };
    let target = directory.join(pointer(git)?.strip_prefix("gitdir:")?.trim());
    Some(match pointer(&target.join("commondir")) {
        Some(common) => target.join(common.trim()),
        None => target,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(entries: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a path");
        for (path, content) in entries {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("created");
            fs::write(path, content).expect("written");
        }
        (folder, root)
    }

    fn at(directory: &Path) -> IgnoreRules {
        let (mut rules, _) = IgnoreRules::above(directory);
        rules.enter(directory, 0);
        rules
    }

    #[test]
    fn the_innermost_rule_wins_and_ignore_beats_gitignore() {
        let (_folder, root) = tree(&[
            (".git/info/exclude", "secret.ts\n"),
            (".gitignore", "\u{feff}*.gen.ts\n/only-here.ts\n[\n"),
            ("a/.gitignore", "!keep.gen.ts\n"),
            ("a/.ignore", "noisy.ts\n!shown.gen.ts\n"),
        ]);
        let rules = at(&root.join("a"));
        let ignores = |path: &str| rules.ignores(&root.join("a").join(path), false);
        assert!(ignores("x.gen.ts"));
        assert!(!ignores("keep.gen.ts"));
        assert!(!ignores("shown.gen.ts"));
        assert!(ignores("noisy.ts"));
        assert!(ignores("secret.ts"));
        assert!(!ignores("only-here.ts"));
        assert!(rules.ignores(&root.join("only-here.ts"), false));
        assert_eq!(rules.repository(), Some(root.as_path()));
    }

    #[test]
    fn git_rules_stay_in_their_repository_and_ignore_rules_do_not() {
        let (_folder, root) = tree(&[
            (".git/HEAD", ""),
            (".gitignore", "x.ts\n"),
            (".ignore", "y.ts\n"),
            ("sub/.git", "gitdir: ../.git/modules/sub\n"),
            (".git/modules/sub/info/exclude", "z.ts\n"),
        ]);
        let rules = at(&root.join("sub"));
        let ignores = |path: &str| rules.ignores(&root.join("sub").join(path), false);
        assert!(!ignores("x.ts"));
        assert!(ignores("y.ts"));
        assert!(ignores("z.ts"));
    }

    #[test]
    fn without_a_repository_only_ignore_files_count() {
        let (_folder, root) = tree(&[(".gitignore", "x.ts\n"), (".ignore", "y.ts\n")]);
        let rules = at(&root);
        assert!(!rules.ignores(&root.join("x.ts"), false));
        assert!(rules.ignores(&root.join("y.ts"), false));
    }

    #[test]
    fn a_worktree_uses_the_shared_exclude_file() {
        let (_folder, root) = tree(&[
            ("main/.git/info/exclude", "x.ts\n"),
            ("main/.git/worktrees/w/commondir", "../..\n"),
            ("w/.git", "gitdir: ../main/.git/worktrees/w\n"),
        ]);
        assert!(at(&root.join("w")).ignores(&root.join("w/x.ts"), false));
    }

    #[test]
    fn an_ignored_folder_is_known_from_any_depth() {
        let (_folder, root) = tree(&[(".git/HEAD", ""), (".gitignore", "gen/\n"), ("gen/a/b/x.ts", "")]);
        let (mut rules, ignored) = IgnoreRules::above(&root.join("gen/a/b"));
        assert!(ignored);
        rules.forget();
        assert_eq!(rules.repository(), Some(root.as_path()));
        assert!(!rules.ignores(&root.join("gen"), true));
        assert!(!IgnoreRules::above(&root.join("src")).1);
    }
}
