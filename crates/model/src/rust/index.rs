//! What names mean across the files of a crate: items by name, implementations by type, and paths through `use`.

use agentcheck_syntax::{FileId, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use super::hir::{FnId, ImplId, RustModule, ScopeId, UseKind};
use crate::program::Program;

/// Re-exports of re-exports are followed this far.
const HOPS: u32 = 12;

/// The Cargo package around a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RustPackage {
    /// Its folder, absolute, with forward slashes.
    pub root: String,
    /// The name that code of other packages calls it by.
    pub library: String,
    /// Name in code → package, for every dependency that it declares.
    pub dependencies: Vec<(String, String)>,
}

/// A definition somewhere in the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    pub file: FileId,
    pub kind: ItemKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemKind {
    /// Index into [`RustModule::types`].
    Type(u32),
    Function(FnId),
    /// Index into [`RustModule::constants`].
    Constant(u32),
}

/// What a path means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    Item(Item),
    /// Something of another package: its name and the path in it. `certain` is false behind a glob, where it may come from
    /// elsewhere.
    External {
        package: String,
        path: Vec<String>,
        certain: bool,
    },
}

/// The root of a package and a name.
type InPackage = (String, String);

/// A module: its package and its path in it.
type ModulePath = (String, Vec<String>);

/// The Rust files of a program.
#[derive(Debug, Default)]
pub struct RustIndex {
    /// Package root and name → definitions, each with the module that it stands in.
    items: FxHashMap<InPackage, Vec<(Vec<String>, Item)>>,
    /// Package root and name of a type → its implementations.
    impls: FxHashMap<InPackage, Vec<(FileId, ImplId)>>,
    modules: FxHashMap<ModulePath, (FileId, ScopeId)>,
    /// The module that each scope belongs to.
    module_of: FxHashMap<(FileId, ScopeId), ModulePath>,
    /// Name of a library of the project → root of its package.
    libraries: FxHashMap<String, String>,
}

impl RustIndex {
    /// The index of a program's Rust files.
    pub fn new(program: &Program) -> Self {
        let mut index = Self::default();
        for file in program.file_ids() {
            let Some(program_file) = program.file(file) else { continue };
            let (Some(module), Some(package)) = (program_file.module.rust.as_deref(), &program_file.package) else {
                continue;
            };
            index.libraries.entry(package.library.clone()).or_insert_with(|| package.root.clone());
            let text = &*program_file.module.source;
            index.add(file, module, text, &package.root, file_module(&program_file.path, &package.root));
        }
        index
    }

    fn add(&mut self, file: FileId, module: &RustModule, text: &str, root: &str, path: Vec<String>) {
        let name = |span: Span| span.text(text).to_owned();
        for (number, scope) in module.scopes.iter().enumerate() {
            let id = ScopeId(number as u32);
            let around = scope.parent.map(|parent| self.module_of[&(file, parent)].1.clone());
            let own = match (around, scope.module) {
                (Some(mut around), Some(inner)) => {
                    around.push(name(inner));
                    around
                }
                (Some(around), None) => around,
                (None, _) => path.clone(),
            };
            if !scope.is_block {
                self.modules.entry((root.to_owned(), own.clone())).or_insert((file, id));
            }
            self.module_of.insert((file, id), (root.to_owned(), own));
        }
        let of_types = module.types.iter().enumerate().map(|(n, ty)| (ty.scope, ty.name, ItemKind::Type(n as u32)));
        let of_functions = module
            .all_functions()
            .filter(|(_, function)| function.of_impl.is_none())
            .map(|(id, function)| (function.scope, function.name, ItemKind::Function(id)));
        let constants = module.constants.iter().enumerate();
        let of_constants = constants.map(|(n, item)| (item.scope, item.name, ItemKind::Constant(n as u32)));
        for (scope, named, kind) in of_types.chain(of_functions).chain(of_constants) {
            let place = self.module_of[&(file, scope)].1.clone();
            self.items.entry((root.to_owned(), name(named))).or_default().push((place, Item { file, kind }));
        }
        for (id, imp) in module.all_impls() {
            if let super::hir::TypeKind::Path { path, .. } = &imp.self_type.kind
                && let Some(last) = path.last()
            {
                self.impls.entry((root.to_owned(), name(*last))).or_default().push((file, id));
            }
        }
    }

    /// The implementations for a type of this name in the package around `file`.
    pub fn impls_of(&self, program: &Program, file: FileId, name: &str) -> &[(FileId, ImplId)] {
        let Some(package) = program.file(file).and_then(|file| file.package.as_ref()) else { return &[] };
        self.impls.get(&(package.root.clone(), name.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// What a path means where it is written.
    pub fn resolve(&self, program: &Program, file: FileId, scope: ScopeId, path: &[&str]) -> Option<Named> {
        let path: Vec<String> = path.iter().map(|segment| (*segment).to_owned()).collect();
        Search { index: self, program, globs: FxHashSet::default() }.resolve(file, scope, &path, HOPS, true)
    }

    /// A definition that stands in the module of a scope.
    fn declared(&self, file: FileId, scope: ScopeId, name: &str) -> Option<Item> {
        let (root, module) = self.module_of.get(&(file, scope))?;
        let items = self.items.get(&(root.clone(), name.to_owned()))?;
        items.iter().find(|(place, item)| place == module && item.file == file).map(|(_, item)| *item)
    }
}

/// A path on its way through `use`.
struct Search<'i> {
    index: &'i RustIndex,
    program: &'i Program,
    /// What was looked for behind the globs of a scope already: modules that bring each other in lead in circles.
    globs: FxHashSet<(FileId, ScopeId, String)>,
}

impl Search<'_> {
    /// The first segment may come in by a glob, except that of a glob's own path.
    fn resolve(&mut self, file: FileId, scope: ScopeId, path: &[String], hops: u32, by_glob: bool) -> Option<Named> {
        let hops = hops.checked_sub(1)?;
        let (first, rest) = path.split_first()?;
        let (root, module) = self.index.module_of.get(&(file, scope))?;
        let below = |module: &[String], rest: &[String]| [module, rest].concat();
        match first.as_str() {
            "crate" => return self.in_package(root, rest, hops),
            "self" => return self.in_package(root, &below(module, rest), hops),
            "super" => {
                let (_, above) = module.split_last()?;
                let mut above = above.to_vec();
                let mut rest = rest;
                while let Some((next, after)) = rest.split_first()
                    && next == "super"
                {
                    above.pop()?;
                    rest = after;
                }
                return self.in_package(root, &below(&above, rest), hops);
            }
            "Self" => return None,
            _ => {}
        }
        if let Some(found) = self.in_scopes(file, scope, path, hops) {
            return Some(found);
        }
        // A module beside this one.
        if !rest.is_empty() && self.index.modules.contains_key(&(root.clone(), below(module, &path[..1]))) {
            return self.in_package(root, &below(module, path), hops);
        }
        let package = self.program.file(file)?.package.as_ref()?;
        if let Some((_, package)) = package.dependencies.iter().find(|(name, _)| name == first) {
            if let Some(root) = self.index.libraries.get(&package.replace('-', "_")) {
                return self.in_package(root, rest, hops);
            }
            return Some(Named::External { package: package.clone(), path: rest.to_vec(), certain: true });
        }
        if *first == package.library {
            return self.in_package(root, rest, hops);
        }
        if matches!(first.as_str(), "std" | "core" | "alloc") {
            return Some(Named::External { package: "std".to_owned(), path: rest.to_vec(), certain: true });
        }
        by_glob.then(|| self.by_glob(file, scope, path, hops)).flatten()
    }

    /// Through what the scopes around a place declare and bring in by name.
    fn in_scopes(&mut self, file: FileId, scope: ScopeId, path: &[String], hops: u32) -> Option<Named> {
        let (first, rest) = path.split_first()?;
        let (module, text) = rust(self.program, file)?;
        let mut at = Some(scope);
        while let Some(scope) = at {
            for brought in module.uses.iter().filter(|brought| brought.scope == scope) {
                let name = match brought.kind {
                    UseKind::Plain => brought.path.last().copied(),
                    UseKind::Renamed(name) => Some(name),
                    UseKind::Glob => None,
                };
                if name.is_none_or(|name| name.text(text) != first) {
                    continue;
                }
                let target: Vec<String> = brought.path.iter().map(|segment| segment.text(text).to_owned()).collect();
                // `use tool::x` beside `mod tool`: the name does not mean itself.
                if target.first() == Some(first) && target.len() == 1 {
                    continue;
                }
                return self.resolve(file, scope, &[target.as_slice(), rest].concat(), hops, true);
            }
            if rest.is_empty()
                && let Some(item) = self.index.declared(file, scope, first)
            {
                return Some(Named::Item(item));
            }
            let inner = module.scope(scope);
            at = inner.is_block.then_some(inner.parent).flatten();
        }
        None
    }

    fn by_glob(&mut self, file: FileId, scope: ScopeId, path: &[String], hops: u32) -> Option<Named> {
        if !self.globs.insert((file, scope, path.join("::"))) {
            return None;
        }
        let (module, text) = rust(self.program, file)?;
        let mut at = Some(scope);
        let mut external = None;
        while let Some(scope) = at {
            for glob in module.uses.iter().filter(|glob| glob.scope == scope && glob.kind == UseKind::Glob) {
                let mut target: Vec<String> = glob.path.iter().map(|segment| segment.text(text).to_owned()).collect();
                // A glob of this very module would lead back here.
                if target.first().is_some_and(|first| first == "self") && target.len() == 1 {
                    continue;
                }
                // Another package may hold the name or not; a module of this one is looked into.
                let is_inside =
                    !matches!(self.resolve(file, scope, &target, hops, false), Some(Named::External { .. }));
                target.extend_from_slice(path);
                match self.resolve(file, scope, &target, hops, false) {
                    Some(found @ Named::Item(_)) => return Some(found),
                    Some(Named::External { package, path, certain }) => {
                        external.get_or_insert(Named::External { package, path, certain: certain && is_inside });
                    }
                    None => {}
                }
            }
            let inner = module.scope(scope);
            at = inner.is_block.then_some(inner.parent).flatten();
        }
        external
    }

    /// What a path from the root of a package means.
    fn in_package(&mut self, root: &str, path: &[String], hops: u32) -> Option<Named> {
        let (name, place) = path.split_last()?;
        let candidates = self.index.items.get(&(root.to_owned(), name.clone())).map_or(&[][..], Vec::as_slice);
        if let Some((_, item)) = candidates.iter().find(|(module, _)| module == place) {
            return Some(Named::Item(*item));
        }
        // A name that a module on the way brings in: `crate::prelude::tool`.
        for length in (0..path.len()).rev() {
            let Some((file, scope)) = self.index.modules.get(&(root.to_owned(), path[..length].to_vec())) else {
                continue;
            };
            let rest = &path[length..];
            let found = self
                .in_scopes(*file, *scope, rest, hops)
                .or_else(|| self.by_glob(*file, *scope, rest, hops.checked_sub(1)?));
            if found.is_some() {
                return found;
            }
            break;
        }
        // Re-exported in a way that is not followed: the only one of its name.
        match candidates {
            [(_, item)] => Some(Named::Item(*item)),
            _ => None,
        }
    }
}

fn rust(program: &Program, file: FileId) -> Option<(&RustModule, &str)> {
    let file = program.file(file)?;
    Some((file.module.rust.as_deref()?, &file.module.source))
}

/// The module that a file is: `src/a/b.rs` → `a::b`. Every file below `bin`, `examples`, `tests` is a crate of its own.
fn file_module(path: &str, root: &str) -> Vec<String> {
    let below = path.strip_prefix(root).unwrap_or(path).trim_start_matches('/');
    let below = below.strip_suffix(".rs").unwrap_or(below);
    let mut segments: Vec<&str> = below.split('/').collect();
    match segments.first() {
        Some(&"src") => {
            segments.remove(0);
            if segments.first() == Some(&"bin") {
                return vec![format!("bin:{}", segments[1..].join("::"))];
            }
        }
        _ => return vec![format!("file:{below}")],
    }
    if matches!(segments.last(), Some(&("mod" | "lib" | "main"))) {
        segments.pop();
    }
    segments.into_iter().map(str::to_owned).collect()
}
