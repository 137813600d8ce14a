//! How far a run looks around what it reports on: a file means what it means whatever was named on the command line.

use std::path::{Path, PathBuf};

/// The folder whose files are known when `path` is reported on: the git repository around it, else the project or
/// workspace, else the working directory, else the folder itself.
///
/// `path` is without links; `is_directory` says what it is.
pub(crate) fn known_root(path: &Path, is_directory: bool, cwd: &Path) -> PathBuf {
    let folder = if is_directory { path } else { path.parent().unwrap_or(path) };
    if let Some(repository) = folder.ancestors().find(|folder| folder.join(".git").exists()) {
        return repository.to_path_buf();
    }
    if let Some(project) = project_root(folder) {
        return project.to_path_buf();
    }
    let is_everything = cwd.parent().is_none() || std::env::home_dir().is_some_and(|home| home == cwd);
    if folder.starts_with(cwd) && !is_everything { cwd.to_path_buf() } else { folder.to_path_buf() }
}

/// The workspace around a folder, else the nearest folder that is set up as a project.
fn project_root(folder: &Path) -> Option<&Path> {
    let marks = ["package.json", "agentcheck.toml", "pnpm-workspace.yaml"];
    let mut projects = folder.ancestors().filter(|folder| marks.iter().any(|mark| folder.join(mark).exists()));
    let nearest = projects.next()?;
    Some(std::iter::once(nearest).chain(projects).find(|folder| is_workspace(folder)).unwrap_or(nearest))
}

fn is_workspace(folder: &Path) -> bool {
    let lists_members = || {
        let manifest = std::fs::read(folder.join("package.json")).unwrap_or_default();
        memchr::memmem::find(&manifest, b"\"workspaces\"").is_some()
    };
    folder.join("pnpm-workspace.yaml").exists() || lists_members()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_the_workspace_the_project_or_the_working_directory() {
        let temporary = tempfile::tempdir().expect("a folder");
        let root = temporary.path().canonicalize().expect("it is there");
        let inner = root.join("repo/packages/a/src");
        std::fs::create_dir_all(&inner).expect("made");
        let known = |cwd: &Path| known_root(&inner, true, cwd);
        assert_eq!(known(&root), root);
        assert_eq!(known(&inner.join("elsewhere")), inner);
        assert_eq!(known(Path::new("/")), inner);
        std::fs::write(root.join("repo/packages/a/package.json"), "{}").expect("written");
        std::fs::write(root.join("package.json"), "{}").expect("written");
        assert_eq!(known(&root), root.join("repo/packages/a"));
        std::fs::write(root.join("repo/package.json"), "{\"workspaces\": [\"packages/*\"]}").expect("written");
        assert_eq!(known(&root), root.join("repo"));
        assert_eq!(known_root(&inner.join("x.ts"), false, &root), root.join("repo"));
        std::fs::create_dir(root.join("repo/packages/.git")).expect("made");
        assert_eq!(known(&root), root.join("repo/packages"));
    }
}
