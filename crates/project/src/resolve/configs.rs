//! Which tsconfig.json holds for a folder, read with everything that it extends.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::ModuleResolver;
use super::packages::split_name;
use super::tsconfig::{Config, Layers, Written};
use crate::files::{FileKind, is_absent};
use crate::paths::clean;
use crate::problem::{Problem, decode};

/// Nobody writes a longer one.
const LONGEST_CONFIG: u64 = 1024 * 1024;

/// No chain of extended files is longer, and no configuration consists of more files.
const DEEPEST: usize = 16;
const MOST_FILES: usize = 64;

/// The files on the way from a configuration to those that it extends.
#[derive(Default)]
struct Chain {
    open: Vec<PathBuf>,
    files: usize,
    layers: Layers,
    missing: Vec<PathBuf>,
}

impl ModuleResolver<'_> {
    /// The configurations that hold for the files of a folder, best first: the nearest one, and those that it
    /// references and whose `include` covers the folder.
    pub(super) fn configs_of(&self, folder: &Path) -> Vec<Arc<Config>> {
        let Some(nearest) = folder.ancestors().find_map(|above| self.config_in(above)) else { return Vec::new() };
        let nearest = self.config(&nearest);
        let referenced = nearest.references.iter().map(|path| self.config(path));
        let covering: Vec<_> = referenced.filter(|config| config.covers(folder)).collect();
        std::iter::once(nearest).chain(covering).collect()
    }

    fn config_in(&self, folder: &Path) -> Option<PathBuf> {
        self.config_in.get(folder.as_os_str(), || {
            let names = ["tsconfig.json", "jsconfig.json"];
            names.iter().map(|name| folder.join(name)).find(|path| self.is_file(path))
        })
    }

    /// The configuration in the file at `path`.
    fn config(&self, path: &Path) -> Arc<Config> {
        self.configs.get(path.as_os_str(), || {
            let folder = path.parent().unwrap_or(path);
            let mut chain = Chain::default();
            self.lay(path, &mut chain);
            let mut config = chain.layers.finish(folder);
            config.missing = chain.missing;
            for reference in self.written(path).iter().flat_map(|written| &written.references) {
                let target = clean(&folder.join(reference));
                match self.files.kind(&target) {
                    Some(FileKind::Directory) => config.references.push(target.join("tsconfig.json")),
                    Some(_) if target != path => config.references.push(target),
                    Some(_) => {}
                    None => config.missing.push(target),
                }
            }
            Arc::new(config)
        })
    }

    /// Lays the file at `path` over the layers, after those that it extends.
    fn lay(&self, path: &Path, chain: &mut Chain) {
        let is_bounded = chain.files < MOST_FILES && chain.open.len() < DEEPEST;
        if !is_bounded || chain.open.iter().any(|open| open == path) {
            return;
        }
        chain.files += 1;
        let Some(written) = self.written(path) else { return };
        let folder = path.parent().unwrap_or(path);
        chain.open.push(path.to_path_buf());
        for base in &written.extends {
            match self.extended(folder, base) {
                Ok(base) => self.lay(&base, chain),
                Err(missing) => chain.missing.push(missing),
            }
        }
        chain.open.pop();
        chain.layers.lay(folder, &written);
    }

    fn written(&self, path: &Path) -> Option<Arc<Written>> {
        self.written.get(path.as_os_str(), || {
            let mut content = Vec::new();
            if let Err(error) = self.files.read_into(path, LONGEST_CONFIG, &mut content) {
                if !is_absent(&error) {
                    self.report(path, Problem::of_file(format!("cannot be read: {error}")));
                }
                return None;
            }
            let text = decode(content, &mut Vec::new());
            let written = Written::parse(&text).unwrap_or_else(|problem| {
                self.report(path, problem);
                Written::default()
            });
            Some(Arc::new(written))
        })
    }

    /// The file that one in `folder` means by `"extends": text`, or where it should have been.
    fn extended(&self, folder: &Path, text: &str) -> Result<PathBuf, PathBuf> {
        if !text.starts_with(['.', '/']) {
            return self.extended_package(folder, text).ok_or_else(|| folder.join("node_modules").join(text));
        }
        let path = clean(&folder.join(text));
        if let Some(found) = self.json_file(&path) {
            return Ok(found);
        }
        // `./node_modules/@acme/tsconfig/base.json` of a package that is not installed may lie in the workspace.
        let package = text.split_once("node_modules/").map(|(_, package)| package);
        package.and_then(|package| self.extended_package(folder, package)).ok_or(path)
    }

    fn extended_package(&self, folder: &Path, specifier: &str) -> Option<PathBuf> {
        let (name, sub) = split_name(specifier)?;
        // Asked for as the folder of a file in it.
        let home = self.sources.folder_of(&folder.join("tsconfig.json"))?;
        let root = self.folder_of_package(&home, name)?;
        if sub.is_empty() {
            let package = self.package(&root);
            let named = package.as_ref().and_then(|package| package.inside(package.tsconfig.as_deref()?));
            return self.json_file(&named.unwrap_or_else(|| root.join("tsconfig.json")));
        }
        let path = clean(&root.join(sub));
        let exported = || self.package(&root)?.exported(sub)?.into_iter().find(|path| self.is_file(path));
        self.json_file(&path).or_else(exported).or_else(|| self.json_file(&path.join("tsconfig.json")))
    }

    /// `path`, or the file of that name with `.json`.
    fn json_file(&self, path: &Path) -> Option<PathBuf> {
        if self.is_file(path) {
            return Some(path.to_path_buf());
        }
        let mut name = path.file_name()?.to_os_string();
        name.push(".json");
        let path = path.with_file_name(name);
        self.is_file(&path).then_some(path)
    }

    fn is_file(&self, path: &Path) -> bool {
        self.files.kind(path) == Some(FileKind::File)
    }
}
