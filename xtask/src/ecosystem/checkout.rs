//! Which repository a folder is, and at which commit.

use std::path::{Component, Path, PathBuf};
use std::process::Command;

use super::table::{Repository, Run, Tables};
use crate::Done;

/// A checked-out repository.
#[derive(Debug)]
pub(super) struct Checkout {
    /// Its root: agentcheck runs from here, so that paths and fingerprints are the same on every machine.
    pub(super) root: PathBuf,
    /// What is on record, or will be; without a run yet.
    pub(super) repository: Repository,
}

/// What was said about a folder on the command line.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Asked<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) folder: Option<&'a str>,
    pub(super) commit: Option<&'a str>,
    pub(super) about: Option<&'a str>,
}

impl Checkout {
    /// The checkout that `dir` is, or is a folder of.
    pub(super) fn find(dir: &Path, asked: Asked<'_>, recorded: &Tables) -> Done<Self> {
        let (root, name, folder) = match asked.name {
            Some(name) => (dir.to_path_buf(), name.to_owned(), asked.folder.map(tidy).transpose()?),
            None => by_folder_name(dir)?,
        };
        if !root.is_dir() {
            return Err(format!("there is no folder {}", root.display()));
        }
        if !is_name(&name) {
            return Err(format!("`{name}` is no repository's name; write OWNER/NAME"));
        }
        let known = recorded.repository(&name, folder.as_deref());
        let commit = commit(&root, asked.commit, known.map(|known| known.commit.as_str()))?;
        let about = asked.about.or(known.map(|known| known.about.as_str())).unwrap_or_default().to_owned();
        Self { root, repository: Repository { name, folder, commit, about, run: Run::default() } }.checked()
    }

    /// The checkout of a repository on record, below a folder of checkouts.
    pub(super) fn below(parent: &Path, repository: &Repository) -> Done<Self> {
        let root = parent.join(repository.name.replace('/', "__"));
        if !root.is_dir() {
            return Err(format!("{} is not checked out: there is no {}", repository.name, root.display()));
        }
        let commit = commit(&root, None, Some(&repository.commit))?;
        Self { root, repository: Repository { commit, ..repository.clone() } }.checked()
    }

    /// Makes sure that what agentcheck will be run on is there, and stands for itself.
    fn checked(self) -> Done<Self> {
        let looked_at = self.root.join(self.repository.folder.as_deref().unwrap_or_default());
        if !looked_at.is_dir() {
            return Err(format!("there is no folder {}", looked_at.display()));
        }
        let root = absolute(&self.root)?;
        let above = || root.ancestors().skip(1).find(|folder| folder.join(".git").exists());
        if !root.join(".git").exists()
            && let Some(above) = above()
        {
            return Err(format!(
                "{} is no git checkout but lies within one ({}), from where fingerprints would be counted: \
                 make it a checkout, or move it",
                root.display(),
                above.display()
            ));
        }
        Ok(Self { root, ..self })
    }
}

/// Reads `…/owner__name/folder`: the root, the name and the folder.
fn by_folder_name(dir: &Path) -> Done<(PathBuf, String, Option<String>)> {
    let path = absolute(dir)?;
    for root in path.ancestors() {
        let name = root.file_name().and_then(|name| name.to_str()).and_then(|name| name.split_once("__"));
        if let Some((owner, name)) = name
            && is_name(&format!("{owner}/{name}"))
        {
            let below = path.strip_prefix(root).map_err(|error| error.to_string())?;
            let folder = (!below.as_os_str().is_empty()).then(|| tidy(&below.to_string_lossy())).transpose()?;
            return Ok((root.to_path_buf(), format!("{owner}/{name}"), folder));
        }
    }
    Err(format!(
        "which repository is {}? Call its folder OWNER__NAME, or add --name OWNER/NAME --commit SHA",
        dir.display()
    ))
}

fn absolute(path: &Path) -> Done<PathBuf> {
    std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// A folder below a repository, with forward slashes.
fn tidy(folder: &str) -> Done<String> {
    let mut parts = Vec::new();
    for part in Path::new(folder).components() {
        match part {
            Component::Normal(part) => parts.push(part.to_string_lossy().into_owned()),
            Component::CurDir => {}
            _ => return Err(format!("`{folder}` is no folder below the repository")),
        }
    }
    if parts.is_empty() { Err(format!("`{folder}` is the repository itself")) } else { Ok(parts.join("/")) }
}

/// Whether a text is `owner/name` as GitHub spells it. An owner holds no underscore.
fn is_name(text: &str) -> bool {
    let is_word = |word: &str, others: &[char]| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || others.contains(&c))
    };
    text.split_once('/').is_some_and(|(owner, name)| is_word(owner, &['-']) && is_word(name, &['-', '_', '.']))
}

/// The commit that a checkout is at: what git says, what was given, or what is on record. They must agree, else the
/// verdicts on record would be compared with other code; only a given commit moves the record.
fn commit(root: &Path, given: Option<&str>, recorded: Option<&str>) -> Done<String> {
    if let Some(given) = given
        && !(given.len() == 40 && given.bytes().all(|byte| byte.is_ascii_hexdigit()))
    {
        return Err(format!("--commit {given}: write all 40 digits, no abbreviation can be fetched"));
    }
    let head = head(root)?;
    let (shown, at) = (root.display(), head.as_deref());
    match (given, recorded, at) {
        (Some(given), _, Some(head)) if !given.eq_ignore_ascii_case(head) => {
            Err(format!("{shown} is at {head}, not at {given}"))
        }
        (Some(given), _, _) => Ok(given.to_ascii_lowercase()),
        (None, Some(recorded), Some(head)) if recorded != head => Err(format!(
            "{shown} is at {head}, the record at {recorded}: check that out, or add --commit {head} to move the record"
        )),
        (None, Some(commit), _) | (None, None, Some(commit)) => Ok(commit.to_owned()),
        (None, None, None) => Err(format!("{shown} is no git checkout: say which commit it is with --commit SHA")),
    }
}

/// What git says, if it is a git checkout.
fn head(root: &Path) -> Done<Option<String>> {
    if !root.join(".git").exists() {
        return Ok(None);
    }
    let output = Command::new("git").arg("-C").arg(root).args(["rev-parse", "HEAD"]).output();
    let output = output.map_err(|error| format!("cannot run git: {error}"))?;
    if output.status.success() {
        Ok(Some(String::from_utf8_lossy(&output.stdout).trim().to_owned()))
    } else {
        Err(format!("git: {}", String::from_utf8_lossy(&output.stderr).trim()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::samples::repository;
    use super::*;

    const SHA: &str = "ed857f50f112e23930b0c2dd8d532cc8bebbc911";

    #[test]
    fn folders_name_their_repository() {
        let read = |path: &str| {
            by_folder_name(Path::new(path)).map(|(root, name, folder)| (root.display().to_string(), name, folder))
        };
        let all = ("/x/vercel__ai".to_owned(), "vercel/ai".to_owned(), None);
        assert_eq!(read("/x/vercel__ai"), Ok(all.clone()));
        assert_eq!(read("/x/vercel__ai/./packages/ai/"), Ok((all.0, all.1, Some("packages/ai".to_owned()))));
        assert_eq!(read("/x/a__b_c.d/__tests__").map(|(_, name, _)| name), Ok("a/b_c.d".to_owned()));
        assert!(read("/x/checkout").is_err_and(|error| error.contains("OWNER__NAME")));
    }

    #[test]
    fn the_commit_is_never_changed_in_passing() {
        let folder = tempfile::tempdir().expect("a folder");
        let other = SHA.replace('e', "f");
        let commit = |given, recorded| commit(folder.path(), given, recorded);
        assert_eq!(commit(Some(SHA), Some(&other)), Ok(SHA.to_owned()));
        assert_eq!(commit(None, Some(SHA)), Ok(SHA.to_owned()));
        assert!(commit(None, None).is_err_and(|error| error.contains("--commit SHA")));
        assert!(commit(Some("ed857f5"), None).is_err_and(|error| error.contains("40 digits")));
    }

    #[test]
    fn what_is_on_record_is_found_below_a_folder() {
        let parent = tempfile::tempdir().expect("a folder");
        let wanted = repository("a/b", Some("web"));
        let find = || Checkout::below(parent.path(), &wanted);
        assert!(find().is_err_and(|error| error.contains("a/b is not checked out")));
        std::fs::create_dir(parent.path().join("a__b")).expect("created");
        assert!(find().is_err_and(|error| error.contains("there is no folder")));
        std::fs::create_dir(parent.path().join("a__b/web")).expect("created");
        assert_eq!(find().map(|checkout| checkout.repository), Ok(wanted.clone()));
        std::fs::create_dir(parent.path().join(".git")).expect("created");
        assert!(find().is_err_and(|error| error.contains("lies within one")));
    }
}
