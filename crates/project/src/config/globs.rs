//! Patterns for files below a folder, as in `.gitignore`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Patterns that hold below a folder, and nowhere else.
#[derive(Debug, Clone)]
pub(super) struct Globs {
    root: PathBuf,
    patterns: Vec<String>,
    matcher: Arc<Gitignore>,
}

impl Globs {
    /// The patterns; for one that is none, its index and what is wrong with it.
    pub fn new(root: &Path, patterns: Vec<String>) -> Result<Self, (usize, String)> {
        let mut builder = GitignoreBuilder::new(root);
        for (index, pattern) in patterns.iter().enumerate() {
            // Git knows no `./`; whoever writes it means the folder itself.
            let plain = match pattern.strip_prefix("./") {
                Some(below) => format!("/{below}"),
                None => pattern.clone(),
            };
            builder.add_line(None, &plain).map_err(|error| (index, error.to_string()))?;
        }
        let matcher = builder.build().map_err(|error| (0, error.to_string()))?;
        Ok(Self { root: root.to_path_buf(), patterns, matcher: Arc::new(matcher) })
    }

    /// Whether a pattern names the file or a folder that it lies in.
    pub fn matches(&self, file: &Path) -> bool {
        file.strip_prefix(&self.root)
            .is_ok_and(|below| self.matcher.matched_path_or_any_parents(below, false).is_ignore())
    }
}

impl PartialEq for Globs {
    fn eq(&self, other: &Self) -> bool {
        self.root == other.root && self.patterns == other.patterns
    }
}

impl Eq for Globs {}
