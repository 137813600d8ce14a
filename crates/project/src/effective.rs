//! Configuration and command line → the settings of every rule, for each configuration that holds somewhere in the run.

use std::path::{Path, PathBuf};

use agentcheck_catalog::{Catalog, Version};
use agentcheck_lint::{RuleSettings, Selector, Settings};
use rustc_hash::FxHashMap;

use crate::config::{CONFIG_NAME, Config, ConfigError, Setting};
use crate::files::{FileKind, Files};
use crate::walk::FoundFile;

/// What the command line says about rules and versions.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// Exactly these rules, pedantic cases included.
    pub only: Vec<Selector>,
    /// These too, pedantic cases included.
    pub select: Vec<Selector>,
    /// Not these, whatever else is said.
    pub ignore: Vec<Selector>,
    pub pedantic: bool,
    /// `--target`: wins over `[target]`.
    pub targets: Vec<(String, Version)>,
    /// Targets count only where an older version was found.
    pub raise: bool,
}

impl Choice {
    /// The settings under a configuration.
    pub fn settings(&self, catalog: &Catalog, config: &Config) -> Settings {
        let mut settings = Settings::new(catalog);
        for (index, (rule, own)) in catalog.rules.iter().zip(&mut settings.rules).enumerate() {
            let named = |selectors: &[Selector]| selectors.iter().any(|selector| selector.matches(index, rule));
            let configured = config.severity_of(rule);
            *own = RuleSettings {
                off: configured == Some(Setting::Off),
                severity: match configured {
                    Some(Setting::At(severity)) => Some(severity),
                    _ => None,
                },
                pedantic: self.pedantic || config.pedantic.unwrap_or_default(),
                options: rule
                    .options
                    .iter()
                    .map(|option| (option.clone(), config.options_of(&rule.id, option).to_vec()))
                    .collect(),
            };
            if !self.only.is_empty() {
                own.off = !named(&self.only);
                own.pedantic |= named(&self.only);
            }
            if named(&self.select) {
                own.off = false;
                own.pedantic = true;
            }
            if named(&self.ignore) {
                own.off = true;
            }
        }
        settings
    }
}

/// The configurations of a run: the closest one holds for a file.
pub struct Configs {
    /// Distinct configurations; the first is the default one, for files without any.
    pub all: Vec<Config>,
    /// For each found file, the index of its configuration.
    pub of_file: Vec<usize>,
}

impl Configs {
    /// Reads every configuration that holds for one of the files. The errors of all of them are returned.
    pub fn read(found: &[FoundFile], files: &dyn Files, catalog: &Catalog) -> Result<Self, Vec<ConfigError>> {
        let mut configs = Self { all: vec![Config::default()], of_file: Vec::with_capacity(found.len()) };
        let mut of_folder: FxHashMap<PathBuf, usize> = FxHashMap::default();
        let mut overridden: FxHashMap<(usize, Vec<usize>), usize> = FxHashMap::default();
        let mut errors = Vec::new();
        for file in found {
            let folder = file.path.parent().unwrap_or(Path::new(""));
            // From the top down, so that each folder is looked into once.
            let unknown: Vec<&Path> =
                folder.ancestors().take_while(|folder| !of_folder.contains_key(*folder)).collect();
            for folder in unknown.into_iter().rev() {
                let above = folder.parent().and_then(|above| of_folder.get(above)).copied().unwrap_or_default();
                let path = folder.join(CONFIG_NAME);
                let index = if files.kind(&path) == Some(FileKind::File) {
                    match Config::load(&path, files, catalog) {
                        Ok(config) => configs.all.push(config),
                        Err(wrong) => {
                            errors.extend(wrong);
                            configs.all.push(Config::default());
                        }
                    }
                    configs.all.len() - 1
                } else {
                    above
                };
                of_folder.insert(folder.to_path_buf(), index);
            }
            let base = of_folder[folder];
            let overrides = configs.all[base].overrides_of(&file.path);
            let index = if overrides.is_empty() {
                base
            } else {
                *overridden.entry((base, overrides)).or_insert_with_key(|(base, overrides)| {
                    let config = configs.all[*base].with_overrides(overrides);
                    configs.all.push(config);
                    configs.all.len() - 1
                })
            };
            configs.of_file.push(index);
        }
        if errors.is_empty() { Ok(configs) } else { Err(errors) }
    }
}
