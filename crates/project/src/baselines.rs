//! The accepted findings of a run: read, taken out of a report, written again.

use std::path::{Path, PathBuf};

use agentcheck_lint::{Baseline, Finding, Notice, NoticeKind, Report, fingerprints};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::effective::Configs;
use crate::files::Files;
use crate::paths::shown;
use crate::session::{Request, RunError, Session};

/// The name of a baseline when none is given.
pub const BASELINE_NAME: &str = "agentcheck-baseline.json";

/// The baselines of a run.
#[derive(Debug, Default)]
pub(crate) struct Baselines {
    all: FxHashMap<PathBuf, Baseline>,
    /// For each configuration the file that holds for it.
    of_config: Vec<Option<PathBuf>>,
    /// Files that a configuration names and that are not there.
    missing: Vec<PathBuf>,
}

impl Baselines {
    /// Reads every baseline that somebody names.
    pub fn read(request: &Request, configs: &Configs, files: &dyn Files) -> Result<Self, RunError> {
        let given = request.baseline.as_ref().map(|path| request.cwd.join(path));
        let of_config: Vec<_> =
            configs.all.iter().map(|config| given.clone().or_else(|| config.baseline.clone())).collect();
        let mut all = FxHashMap::default();
        let mut missing = Vec::new();
        for path in of_config.iter().flatten() {
            // A configuration may name it before it is written.
            if given.is_none() && files.kind(path).is_none() {
                missing.push(path.clone());
            } else if !all.contains_key(path) {
                let wrong = |message: String| RunError::Baseline(shown(path, &request.cwd), message);
                let bytes = files.read(path).map_err(|error| wrong(error.to_string()))?;
                let text = std::str::from_utf8(&bytes).map_err(|_| wrong("not UTF-8".to_owned()))?;
                all.insert(path.clone(), Baseline::parse(text).map_err(wrong)?);
            }
        }
        missing.sort();
        missing.dedup();
        Ok(Self { all, of_config, missing })
    }

    fn of(&self, config: usize) -> Option<&Baseline> {
        self.all.get(self.of_config.get(config)?.as_ref()?)
    }
}

impl Session<'_> {
    /// Moves the accepted findings of a report to where they belong.
    pub(crate) fn set_aside(&self, report: &mut Report) {
        for path in &self.baselines.missing {
            let message = "this baseline does not exist; `agentcheck --write-baseline` writes it".to_owned();
            report.notices.push(Notice { path: shown(path, &self.request.cwd), kind: NoticeKind::Config, message });
        }
        report.has_baseline = !self.baselines.all.is_empty();
        if !report.has_baseline {
            return;
        }
        let known: Vec<Option<FxHashSet<&str>>> =
            (0..self.configs.all.len()).map(|config| self.baselines.of(config).map(Baseline::fingerprints)).collect();
        let all = fingerprints(report);
        let accepted = |(finding, fingerprint): &(Finding, String)| {
            let config = self.configs.of_file[finding.place.file.0 as usize];
            known[config].as_ref().is_some_and(|known| known.contains(fingerprint.as_str()))
        };
        let (baselined, findings): (Vec<_>, Vec<_>) =
            std::mem::take(&mut report.findings).into_iter().zip(all).partition(accepted);
        report.findings = findings.into_iter().map(|(finding, _)| finding).collect();
        report.baselined = baselined.into_iter().map(|(finding, _)| finding).collect();
    }

    /// The baselines that hold somewhere in the run, whether they exist or not.
    pub fn baseline_paths(&self) -> Vec<&Path> {
        let mut paths: Vec<&Path> = self.baselines.of_config.iter().flatten().map(PathBuf::as_path).collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// The baseline that a file would hold after this run: the findings of the report, and what the file says of files that
    /// were not looked at and still exist. With `only_prune` nothing is added.
    pub fn baseline_after(&self, report: &Report, file: &Path, only_prune: bool) -> Result<Baseline, RunError> {
        let wrong = |message: String| RunError::Baseline(shown(file, &self.request.cwd), message);
        let before = match self.files.kind(file) {
            None if !only_prune => Baseline::default(),
            _ => {
                let bytes = self.files.read(file).map_err(|error| wrong(error.to_string()))?;
                let text = std::str::from_utf8(&bytes).map_err(|_| wrong("not UTF-8".to_owned()))?;
                Baseline::parse(text).map_err(wrong)?
            }
        };
        let others: FxHashSet<String> =
            self.file_ids().filter(|file| !self.is_reported(*file)).map(|file| self.root_path(file)).collect();
        let keeps = |path: &str| others.contains(path);
        Ok(if only_prune { before.pruned(report, keeps) } else { Baseline::of(report, &before, keeps) })
    }
}
