//! Paths: as text to show, and made absolute.

use std::path::{Component, Path, PathBuf};

/// `path` as text for a reader who stands in `cwd`: relative where the two have a folder in common, with forward
/// slashes on every platform. Bytes that are no text are replaced; line breaks in a name are kept, outputs escape them.
pub fn shown(path: &Path, cwd: &Path) -> String {
    if let Ok(below) = path.strip_prefix(cwd) {
        return if below.as_os_str().is_empty() { ".".to_owned() } else { slashes(below.components()) };
    }
    let shared = path.components().zip(cwd.components()).take_while(|(a, b)| a == b).count();
    let has_common_folder = path.components().take(shared).any(|part| matches!(part, Component::Normal(_)));
    if !has_common_folder {
        let text = path.to_string_lossy();
        return if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() };
    }
    let up = "../".repeat(cwd.components().count() - shared);
    let down = slashes(path.components().skip(shared));
    let text = format!("{up}{down}");
    text.strip_suffix('/').map_or(text.clone(), str::to_owned)
}

/// The part of `path` below `folder` with forward slashes, empty for the folder itself; `None` when it lies elsewhere.
pub(crate) fn relative(path: &Path, folder: &Path) -> Option<String> {
    Some(slashes(path.strip_prefix(folder).ok()?.components()))
}

fn slashes<'p>(components: impl Iterator<Item = Component<'p>>) -> String {
    let mut text = String::new();
    for component in components {
        if !text.is_empty() {
            text.push('/');
        }
        text.push_str(&component.as_os_str().to_string_lossy());
    }
    text
}

/// `path` without `.` and `..`, by its text alone. Right for paths in manifests and lockfiles, which package managers
/// join by their text too; a path that a user typed may go up from behind a link and is not cleaned with this.
pub(crate) fn clean(path: &Path) -> PathBuf {
    let mut cleaned = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                cleaned.pop();
            }
            other => cleaned.push(other),
        }
    }
    cleaned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_paths_relative_to_the_working_directory() {
        let shown = |path: &str| shown(Path::new(path), Path::new("/home/me/repo/packages/a"));
        assert_eq!(shown("/home/me/repo/packages/a/src/x.ts"), "src/x.ts");
        assert_eq!(shown("/home/me/repo/packages/a"), ".");
        assert_eq!(shown("/home/me/repo/packages"), "..");
        assert_eq!(shown("/home/me/repo/node_modules/ai/package.json"), "../../node_modules/ai/package.json");
        assert_eq!(shown("/etc/package.json"), "/etc/package.json");
        assert_eq!(shown("/home/me/repo/packages/a/odd\nname.ts"), "odd\nname.ts");
    }

    #[test]
    fn cleans_by_text() {
        assert_eq!(clean(Path::new("/a/./b/../c/../../d")), Path::new("/d"));
        assert_eq!(clean(Path::new("/../../etc")), Path::new("/etc"));
        assert_eq!(relative(Path::new("/a/b/c"), Path::new("/a")), Some("b/c".to_owned()));
        assert_eq!(relative(Path::new("/a"), Path::new("/a")), Some(String::new()));
        assert_eq!(relative(Path::new("/b"), Path::new("/a")), None);
    }
}
