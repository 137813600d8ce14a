//! `agentcheck.toml`: text → settings, or everything that is wrong with it, each where it stands.

mod globs;
mod read;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentcheck_catalog::{Catalog, Category, Rule, Severity, Version};
use agentcheck_syntax::Span;

use crate::files::{FileKind, Files};
use crate::paths::clean;
use globs::Globs;

/// The name of the configuration file.
pub const CONFIG_NAME: &str = "agentcheck.toml";

/// Nobody writes a longer one.
const LONGEST_CONFIG: u64 = 4 * 1024 * 1024;

/// What a rule is set to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    Off,
    /// Replaces the severity of all the rule's cases.
    At(Severity),
}

/// The settings of a project; the default when it has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// The file that was read.
    pub path: Option<PathBuf>,
    /// The folder of that file.
    pub root: Option<PathBuf>,
    /// `pedantic = true`: show the pedantic cases too.
    pub pedantic: Option<bool>,
    /// `fail-on`: the severity from which findings fail the run.
    pub fail_on: Option<Severity>,
    /// `baseline`: the file of accepted findings, relative to this one.
    pub baseline: Option<PathBuf>,
    /// `[target]`: versions to take for installed.
    pub targets: Vec<(String, Version)>,
    /// Later ones win.
    layers: Vec<Layer>,
    /// `include`: only these files are reported on.
    include: Option<Globs>,
    /// `exclude`: these are not.
    exclude: Option<Globs>,
    /// `[[overrides]]` and `[per-file-ignores]`, in order.
    overrides: Vec<Override>,
}

/// `[rules]` of one file or override.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Layer {
    rules: BTreeMap<String, Setting>,
    packs: BTreeMap<String, Setting>,
    categories: Vec<(Category, Setting)>,
    /// Rule → option → values.
    options: BTreeMap<String, BTreeMap<String, Vec<String>>>,
}

/// What is set otherwise for some files.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Override {
    files: Globs,
    config: Config,
}

/// Something wrong with a configuration file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {message}", path.display())]
pub struct ConfigError {
    pub path: PathBuf,
    pub text: Arc<str>,
    /// The key or value that is wrong.
    pub span: Span,
    pub message: String,
    pub help: Option<String>,
}

impl Config {
    /// Reads the configuration at `path` and those that it extends. All errors are returned, not just the first.
    pub fn load(path: &Path, files: &dyn Files, catalog: &Catalog) -> Result<Self, Vec<ConfigError>> {
        let root = path.parent().unwrap_or(Path::new(""));
        let mut config = Self::load_extended(path, root, files, catalog, &mut Vec::new())?;
        config.path = Some(path.to_path_buf());
        config.root = Some(root.to_path_buf());
        Ok(config)
    }

    /// Globs and paths in the file are relative to `root`; `open` holds the files that are being read.
    fn load_extended(
        path: &Path,
        root: &Path,
        files: &dyn Files,
        catalog: &Catalog,
        open: &mut Vec<PathBuf>,
    ) -> Result<Self, Vec<ConfigError>> {
        let mut content = Vec::new();
        let unreadable = |message: String| {
            let (path, text) = (path.to_path_buf(), Arc::from(""));
            vec![ConfigError { path, text, span: Span::default(), message, help: None }]
        };
        files
            .read_into(path, LONGEST_CONFIG, &mut content)
            .map_err(|error| unreadable(format!("cannot be read: {error}")))?;
        let text: Arc<str> = String::from_utf8(content).map_err(|_| unreadable("not UTF-8".to_owned()))?.into();
        let (own, extends) = read::read(path, Arc::clone(&text), root, catalog)?;
        open.push(path.to_path_buf());
        let mut config = Self::default();
        let mut errors = Vec::new();
        for (name, span) in extends {
            let wrong = |message: String, help: &str| {
                let (path, text, help) = (path.to_path_buf(), Arc::clone(&text), Some(help.to_owned()));
                vec![ConfigError { path, text, span, message, help }]
            };
            let extended = match extended_path(&name, path, files) {
                None => Err(wrong(
                    format!("`{name}` cannot be found"),
                    "a path like `./base.toml`, or an installed npm package",
                )),
                Some(extended) if open.contains(&extended) => {
                    Err(wrong(format!("`{name}` extends this file in turn"), "remove one of the two"))
                }
                Some(extended) => Self::load_extended(&extended, root, files, catalog, open),
            };
            match extended {
                Ok(extended) => config = config.with(&extended),
                Err(wrong) => errors.extend(wrong),
            }
        }
        open.pop();
        if errors.is_empty() { Ok(config.with(&own)) } else { Err(errors) }
    }

    /// Reads the text of the configuration at `path`, without what it extends.
    pub fn parse(path: &Path, text: Arc<str>, catalog: &Catalog) -> Result<Self, Vec<ConfigError>> {
        let root = path.parent().unwrap_or(Path::new(""));
        let (config, _) = read::read(path, text, root, catalog)?;
        Ok(Self { path: Some(path.to_path_buf()), root: Some(root.to_path_buf()), ..config })
    }

    /// These settings and on top of them others, which win.
    fn with(&self, over: &Self) -> Self {
        Self {
            path: self.path.clone(),
            root: self.root.clone(),
            pedantic: over.pedantic.or(self.pedantic),
            fail_on: over.fail_on.or(self.fail_on),
            baseline: over.baseline.clone().or_else(|| self.baseline.clone()),
            targets: self.targets.iter().chain(&over.targets).cloned().collect(),
            layers: self.layers.iter().chain(&over.layers).cloned().collect(),
            include: over.include.clone().or_else(|| self.include.clone()),
            exclude: over.exclude.clone().or_else(|| self.exclude.clone()),
            overrides: self.overrides.iter().chain(&over.overrides).cloned().collect(),
        }
    }

    /// Whether the run leaves out a file, unless it was named.
    pub fn excludes(&self, file: &Path) -> bool {
        self.exclude.as_ref().is_some_and(|globs| globs.matches(file))
            || self.include.as_ref().is_some_and(|globs| !globs.matches(file))
    }

    /// Which of the overrides hold for a file.
    pub(crate) fn overrides_of(&self, file: &Path) -> Vec<usize> {
        let holds = |index: &usize| self.overrides[*index].files.matches(file);
        (0..self.overrides.len()).filter(holds).collect()
    }

    /// The settings with these of the overrides on top.
    pub(crate) fn with_overrides(&self, overrides: &[usize]) -> Self {
        overrides.iter().fold(self.clone(), |config, index| config.with(&self.overrides[*index].config))
    }

    /// What `rule` is set to: by its id, else by its pack, else by its category. What an override says wins over the file,
    /// and the file over those that it extends.
    pub fn severity_of(&self, rule: &Rule) -> Option<Setting> {
        self.layers.iter().rev().find_map(|layer| layer.severity_of(rule))
    }

    /// The values of a rule's option; none when it is not set.
    pub fn options_of(&self, rule: &str, option: &str) -> &[String] {
        let of_layer = |layer: &'_ Layer| layer.options.get(rule).is_some_and(|options| options.contains_key(option));
        let layer = self.layers.iter().rev().find(|layer| of_layer(layer));
        layer.and_then(|layer| layer.options.get(rule)?.get(option)).map_or(&[], Vec::as_slice)
    }
}

impl Layer {
    fn severity_of(&self, rule: &Rule) -> Option<Setting> {
        let by_category = || self.categories.iter().find(|(category, _)| *category == rule.category);
        let by_id = self.rules.get(&rule.id).or_else(|| self.packs.get(rule.pack())).copied();
        by_id.or_else(|| by_category().map(|(_, setting)| *setting))
    }
}

/// The file that an `extends` names: by a path, or by an npm package through the `node_modules` above.
fn extended_path(name: &str, from: &Path, files: &dyn Files) -> Option<PathBuf> {
    let folder = from.parent()?;
    let is_file = |path: &PathBuf| files.kind(path) == Some(FileKind::File);
    if name.starts_with('.') || Path::new(name).is_absolute() {
        return Some(clean(&folder.join(name))).filter(is_file);
    }
    let within = |folder: &Path| folder.join("node_modules").join(name);
    folder.ancestors().find_map(|folder| {
        let path = within(folder);
        [path.clone(), path.join(CONFIG_NAME)].into_iter().find(is_file)
    })
}

#[cfg(test)]
mod tests;
