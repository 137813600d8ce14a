//! The record: `repositories.toml`, and a file of findings for each repository.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use agentcheck_catalog::Severity;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::verdict::Verdict;
use crate::Done;
use crate::pages::{read, write};

pub(super) const REPOSITORIES: &str = "repositories.toml";
const FINDINGS: &str = "findings";

const REPOSITORIES_HEAD: &str = "\
# Which public repositories agentcheck was run on, and how that went. `about` is written by hand, everything else by
# `cargo xtask ecosystem`. To remove a repository, remove it here and its file in findings/.

";
const FINDINGS_HEAD: &str = "\
# What agentcheck finds there. Written by `cargo xtask ecosystem`, except for `verdict` (true, false or unjudged) and
# `reason`, which a reader of the code writes and which stay as long as the fingerprint does.

";

/// A repository, or a folder of one, and the last run on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Repository {
    /// `owner/name` on GitHub.
    pub(super) name: String,
    /// The folder that was looked at, if not all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) folder: Option<String>,
    /// In full: no abbreviation can be fetched.
    pub(super) commit: String,
    pub(super) about: String,
    #[serde(default)]
    pub(super) run: Run,
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Run {
    /// The versions of `ai` that agentcheck found, or ranges where it found no version.
    pub(super) ai: Vec<String>,
    pub(super) files: usize,
    pub(super) parsed: usize,
    /// Files that were not looked at.
    pub(super) skipped: usize,
    /// Everything else it had to say: syntax that could not be read, broken manifests.
    pub(super) notices: usize,
    /// Rules or files that failed inside agentcheck, or 1 if it died.
    pub(super) crashes: usize,
    /// Wall time of the process, the best of some runs.
    pub(super) seconds: f64,
    /// The most memory that was resident, where it could be measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) peak_mib: Option<u64>,
    /// How many cores the machine had.
    pub(super) cores: usize,
}

/// A finding: its place, and what a reader says of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Finding {
    pub(super) fingerprint: String,
    pub(super) rule: String,
    pub(super) severity: Severity,
    /// Below the root of the repository.
    pub(super) path: String,
    pub(super) line: u32,
    pub(super) verdict: Verdict,
    pub(super) reason: String,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RepositoriesFile {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    repository: Vec<Repository>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FindingsFile {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    finding: Vec<Finding>,
}

/// Everything on record.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Tables {
    /// Sorted by name and folder.
    pub(super) repositories: Vec<Repository>,
    /// By the name of the file.
    findings: BTreeMap<String, Vec<Finding>>,
}

impl Repository {
    /// `owner/name`, and the folder if there is one.
    pub(super) fn title(&self) -> String {
        match &self.folder {
            Some(folder) => format!("{} {folder}", self.name),
            None => self.name.clone(),
        }
    }

    /// Where its findings lie, below the folder of the record.
    pub(super) fn findings_file(&self) -> String {
        let folder = self.folder.iter().map(|folder| format!("--{}", folder.replace('/', "--"))).collect::<String>();
        format!("{FINDINGS}/{}{folder}.toml", self.name.replace('/', "__"))
    }

    fn key(&self) -> (&str, Option<&str>) {
        (&self.name, self.folder.as_deref())
    }
}

impl Tables {
    /// Reads the record. No folder is an empty record.
    pub(super) fn load(folder: &Path) -> Done<Self> {
        let RepositoriesFile { repository: mut repositories } = load(&folder.join(REPOSITORIES))?;
        repositories.sort_by(|a, b| a.key().cmp(&b.key()));
        if let Some(twice) = repositories.windows(2).find(|pair| pair[0].key() == pair[1].key()) {
            return Err(format!("{REPOSITORIES} has {} twice", twice[0].title()));
        }
        let mut findings = BTreeMap::new();
        for repository in &repositories {
            let file = repository.findings_file();
            let FindingsFile { finding } = load(&folder.join(&file))?;
            findings.insert(file, finding);
        }
        // Verdicts that belong to nothing would be lost without a word.
        for entry in fs::read_dir(folder.join(FINDINGS)).into_iter().flatten().flatten() {
            let file = format!("{FINDINGS}/{}", entry.file_name().to_string_lossy());
            if !findings.contains_key(&file) {
                return Err(format!(
                    "{file} belongs to no repository in {REPOSITORIES}: remove it, or bring that back"
                ));
            }
        }
        Ok(Self { repositories, findings })
    }

    pub(super) fn save(&self, folder: &Path) -> Done<()> {
        let repositories = RepositoriesFile { repository: self.repositories.clone() };
        write(&folder.join(REPOSITORIES), &to_text(REPOSITORIES_HEAD, &repositories)?)?;
        for (file, finding) in &self.findings {
            let findings = FindingsFile { finding: finding.clone() };
            write(&folder.join(file), &to_text(FINDINGS_HEAD, &findings)?)?;
        }
        Ok(())
    }

    pub(super) fn repository(&self, name: &str, folder: Option<&str>) -> Option<&Repository> {
        self.repositories.iter().find(|repository| repository.key() == (name, folder))
    }

    pub(super) fn findings(&self, repository: &Repository) -> &[Finding] {
        self.findings.get(&repository.findings_file()).map_or(&[], Vec::as_slice)
    }

    pub(super) fn all_findings(&self) -> impl Iterator<Item = &Finding> {
        self.findings.values().flatten()
    }

    pub(super) fn put(&mut self, repository: Repository, findings: Vec<Finding>) {
        self.findings.insert(repository.findings_file(), findings);
        self.repositories.retain(|other| other.key() != repository.key());
        self.repositories.push(repository);
        self.repositories.sort_by(|a, b| a.key().cmp(&b.key()));
    }
}

fn load<T: DeserializeOwned + Default>(path: &Path) -> Done<T> {
    let Some(text) = read(path)? else { return Ok(T::default()) };
    toml::from_str(&text).map_err(|error| format!("{}: {}", path.display(), error.to_string().trim_end()))
}

fn to_text<T: Serialize>(head: &str, value: &T) -> Done<String> {
    let text = toml::to_string(value).map_err(|error| format!("cannot be written as TOML: {error}"))?;
    Ok(format!("{head}{text}").trim_end().to_owned() + "\n")
}

#[cfg(test)]
pub(super) mod samples {
    use super::*;

    pub(in super::super) fn finding(fingerprint: &str) -> Finding {
        Finding {
            fingerprint: fingerprint.to_owned(),
            rule: "ai-sdk/max-steps".to_owned(),
            severity: Severity::Error,
            path: "src/a.ts".to_owned(),
            line: 3,
            verdict: Verdict::Unjudged,
            reason: String::new(),
        }
    }

    pub(in super::super) fn repository(name: &str, folder: Option<&str>) -> Repository {
        Repository {
            name: name.to_owned(),
            folder: folder.map(str::to_owned),
            commit: "0123456789012345678901234567890123456789".to_owned(),
            about: "a sample".to_owned(),
            run: Run { ai: vec!["7.0.77".to_owned()], files: 5, parsed: 2, cores: 2, ..Run::default() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::samples::{finding, repository};
    use super::*;

    #[test]
    fn what_is_saved_is_what_is_loaded() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(Tables::load(folder.path()), Ok(Tables::default()));
        let mut tables = Tables::default();
        let mut judged = finding("b");
        (judged.verdict, judged.reason) = (Verdict::False, "reads \"ai\" of\nits own".to_owned());
        tables.put(repository("vercel/ai", Some("examples/next")), vec![finding("a"), judged]);
        tables.put(repository("vercel/ai", None), Vec::new());
        tables.put(repository("a/b", None), Vec::new());
        tables.save(folder.path()).expect("saved");
        assert_eq!(Tables::load(folder.path()), Ok(tables));
        assert!(folder.path().join("findings/vercel__ai--examples--next.toml").exists());
    }

    #[test]
    fn findings_of_no_repository_are_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut tables = Tables::default();
        tables.put(repository("a/b", None), vec![finding("a")]);
        tables.save(folder.path()).expect("saved");
        fs::remove_file(folder.path().join(REPOSITORIES)).expect("removed");
        assert!(Tables::load(folder.path()).is_err_and(|error| error.contains("findings/a__b.toml belongs to no")));
    }

    #[test]
    fn a_mistake_is_shown_where_it_stands() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(REPOSITORIES), "[[repository]]\nname = \"a/b\"\nwhat = 1\n").expect("written");
        let error = Tables::load(folder.path()).expect_err("a wrong key");
        assert!(error.contains("repositories.toml: ") && error.contains("line 3"), "{error}");
    }
}
