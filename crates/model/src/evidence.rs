//! Which versions of a package a file's code runs with, and how that is known.

use std::sync::Arc;

use agentcheck_catalog::Versions;

/// Where a version was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VersionSource {
    /// The installed package's own package.json.
    NodeModules,
    Lockfile,
    /// The range in the package.json that declares it; no lockfile says more.
    Manifest,
    /// `--target` or `[target]`.
    Target,
    /// Nothing says anything: every known major.
    Assumed,
}

impl VersionSource {
    /// The name in machine-readable output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NodeModules => "node_modules",
            Self::Lockfile => "lockfile",
            Self::Manifest => "manifest",
            Self::Target => "target",
            Self::Assumed => "assumed",
        }
    }
}

/// What is known of one package's version for one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    pub package: Arc<str>,
    /// The name under which the code imports the package: its own, or an alias of package.json.
    pub dependency: Arc<str>,
    pub versions: Versions,
    /// The declared range, if a manifest declares one.
    pub range: Option<String>,
    pub source: VersionSource,
    /// The file that says so, as a path to show; `None` when assumed or given as a target.
    pub file: Option<Arc<str>>,
    /// The version belongs to a major that the tables do not know: what they say still holds as far as anybody knows.
    pub beyond_known: bool,
    /// The range is what a library promises its users to work with: what is installed here does not narrow it.
    pub promised: bool,
}

impl Evidence {
    /// For claims that no version decides.
    pub fn none() -> Self {
        Self {
            package: Arc::from(""),
            dependency: Arc::from(""),
            versions: Versions::exact(agentcheck_catalog::Release::new(0, 0, 0).into()),
            range: None,
            source: VersionSource::Assumed,
            file: None,
            beyond_known: false,
            promised: false,
        }
    }

    /// The version to show: the exact one, else the declared range, else how many are possible.
    pub fn shown_version(&self) -> String {
        match (self.versions.single(), &self.range) {
            (Some(version), _) => version.to_string(),
            (None, Some(range)) => range.clone(),
            (None, None) => {
                let members = self.versions.members();
                let majors = |index: usize| members[index].release.major;
                format!("{} to {}", majors(0), majors(members.len() - 1))
            }
        }
    }
}
