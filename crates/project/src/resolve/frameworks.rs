//! Import paths that a framework brings along, for checkouts in which its tool has yet to write them into a
//! tsconfig.json.

use std::path::{Path, PathBuf};

use super::lookup::Lookup;
use super::tsconfig::Config;
use crate::paths::clean;

/// The paths that `specifier` may mean in the package in `root`, in the order in which they are to be tried.
pub(super) fn candidates(lookup: &Lookup<'_>, root: &Path, config: Option<&Config>, specifier: &str) -> Vec<PathBuf> {
    let (alias, rest) = specifier.split_once('/').unwrap_or((specifier, ""));
    // Asked first: almost no import starts like this, and what follows looks at the disk.
    let folders: &[&str] = match alias {
        "$lib" => &["src/lib"],
        // Nuxt 4 keeps its sources in `app`; Nuxt 3 has a few files of its own there.
        "~" | "@" => &["app", ""],
        "~~" | "@@" => &[""],
        "#shared" => &["shared"],
        _ => return Vec::new(),
    };
    let root = match alias {
        "$lib" => lookup.has_stem(root, "svelte.config").then(|| root.to_path_buf()),
        _ => nuxt_root(config)
            .map(Path::to_path_buf)
            .or_else(|| lookup.has_stem(root, "nuxt.config").then(|| root.to_path_buf())),
    };
    root.map_or_else(Vec::new, |root| folders.iter().map(|folder| clean(&root.join(folder).join(rest))).collect())
}

/// The folder whose `.nuxt` a configuration refers to and does not find.
fn nuxt_root(config: Option<&Config>) -> Option<&Path> {
    let missing = config?.missing.iter();
    missing.flat_map(|path| path.ancestors()).find(|path| path.ends_with(".nuxt"))?.parent()
}
