//! A package's build output → the source that it is made from. A checkout has no output, and where it has one, the
//! source is the file that is looked at.

use std::path::{Component, Path, PathBuf};

/// What build output is written into.
const OUTPUTS: [&str; 9] = ["build", "cjs", "dist", "distribution", "es", "esm", "lib", "out", "output"];

/// Folders inside the output that say which form it has, or that repeat where the sources lay.
const FORMS: [&str; 12] =
    ["browser", "cjs", "commonjs", "es", "es6", "esm", "lib", "mjs", "module", "node", "src", "types"];

/// Whether any folder of a path is called like build output.
pub(super) fn may_be_output(path: &Path) -> bool {
    path.iter().any(|part| part.to_str().is_some_and(|part| OUTPUTS.contains(&part)))
}

/// Where the source of a file may lie.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// Without an extension.
    pub path: PathBuf,
    /// In `src`: what lies there is the source of a file of the same name in `lib`, whatever language it is in.
    /// Outside, `index.js` may be another file than `lib/index.js`.
    pub in_src: bool,
}

/// Where the source of `target`, a file of the package in `root`, may lie, best first. Nowhere when it does not lie in
/// an output folder.
pub(super) fn sources_of(root: &Path, target: &Path) -> Vec<Candidate> {
    let parts: Option<Vec<&str>> = target.strip_prefix(root).ok().and_then(|relative| {
        relative
            .components()
            .map(|part| match part {
                Component::Normal(name) => name.to_str(),
                _ => None,
            })
            .collect()
    });
    let Some(parts) = parts else { return Vec::new() };
    // Below `src` no build writes: `src/locales/es` is Spanish.
    let mut above_src = parts.iter().take_while(|name| **name != "src");
    let Some(at) = above_src.position(|name| OUTPUTS.contains(name)) else { return Vec::new() };
    // The folder itself stands for its index.
    let (folders, stem) = match parts.split_last() {
        Some((file, folders)) if at < folders.len() => (folders, stem(file)),
        _ => (parts.as_slice(), Some("index")),
    };
    let Some(stem) = stem else { return Vec::new() };
    let above = root.join(folders[..at].iter().collect::<PathBuf>());
    let mut inner = &folders[at + 1..];
    let mut candidates = Vec::new();
    loop {
        let below: PathBuf = inner.iter().copied().chain([stem]).collect();
        candidates.push(Candidate { path: above.join("src").join(&below), in_src: true });
        candidates.push(Candidate { path: above.join(&below), in_src: below.starts_with("src") });
        match inner {
            [form, rest @ ..] if FORMS.contains(form) => inner = rest,
            _ => return candidates,
        }
    }
}

/// A compiled file's name without its extension; `None` for what is no code.
fn stem(file: &str) -> Option<&str> {
    let extensions = [".d.ts", ".d.mts", ".d.cts", ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"];
    let found = extensions.iter().find_map(|extension| file.strip_suffix(extension));
    found.or_else(|| (!file.contains('.')).then_some(file)).filter(|stem| !stem.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(target: &str) -> Vec<String> {
        let root = Path::new("/repo/pkg");
        let relative = |candidate: &Candidate| crate::paths::relative(&candidate.path, root);
        sources_of(root, &root.join(target)).iter().filter_map(relative).collect()
    }

    #[test]
    fn output_folders_give_way_to_src_or_nothing() {
        assert_eq!(sources("dist/index.mjs"), ["src/index", "index"]);
        assert_eq!(sources("dist/a/b.d.ts"), ["src/a/b", "a/b"]);
        assert_eq!(sources("client/build/x"), ["client/src/x", "client/x"]);
        assert_eq!(sources("dist"), ["src/index", "index"]);
        assert_eq!(sources("dist/esm"), ["src/esm", "esm"]);
        assert_eq!(sources("dist/esm/src/x.js"), ["src/esm/src/x", "esm/src/x", "src/src/x", "src/x", "src/x", "x"]);
    }

    #[test]
    fn what_is_no_output_or_no_code_has_no_source() {
        for target in
            ["src/index.js", "src/lib/es/x.js", "index.js", "dist.js", "dist/style.css", "dist/.js", "", "../dist/x.js"]
        {
            assert_eq!(sources(target), [""; 0], "{target}");
        }
    }
}
