//! The outside world. What agentcheck wants to know of the machine it runs on is asked here: which files there are to
//! look at ([`walk()`]), what the project has set ([`Config`]), and which version of a package the code in a file runs
//! with ([`VersionResolver`]). Content comes through [`Files`], so that an editor's unsaved text or the git index can
//! stand in for the disk.
//!
//! Nothing that a project contains stops a run: a broken manifest, a lockfile with conflict markers or a folder that
//! cannot be opened is told as a notice, and what can be read is used. Only what the user asked for in so many words is
//! an error: a path that does not exist, a configuration that is wrong.

mod baselines;
mod cargo;
mod conclude;
mod config;
mod effective;
mod files;
mod fix;
mod gate;
mod ignore_rules;
mod json;
mod load;
mod lockfile;
mod manifest;
mod memo;
mod overlay;
mod paths;
mod problem;
mod resolve;
mod rounds;
mod scope;
mod session;
mod sources;
mod spec;
mod specifiers;
mod upgrade;
mod versions;
mod walk;
mod workspace;
mod yaml_lines;

pub use agentcheck_syntax::FileId;
pub use baselines::BASELINE_NAME;
pub use config::{CONFIG_NAME, Config, ConfigError, Setting};
pub use effective::{Choice, Configs};
pub use files::{Disk, FileKind, Files, MemoryFiles};
pub use fix::{Fixed, WriteError, fix, write as write_file};
pub use gate::Gate;
pub use manifest::{Catalogs, Declaration, Dependencies, Manifest};
pub use overlay::Overlay;
pub use paths::shown;
pub use problem::Problem;
pub use resolve::ModuleResolver;
pub use session::{Request, RunError, Session};
pub use upgrade::{Upgraded, has_uncommitted_changes, moved_manifest, upgrade};
pub use versions::{SurveyedManifest, SurveyedPackage, VersionResolver};
pub use walk::{FoundFile, Walk, WalkError, WalkOptions, walk, walk_manifests};
