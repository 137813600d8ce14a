//! Names and patterns → values: declarations, imports, parameters.

use agentcheck_catalog::Ty;
use agentcheck_syntax::FileId;

use super::value::Env;
use super::{Infer, Loc, Unknown, Value, ValueKind};
use crate::hir::{
    BindingDef, BindingId, ExportKind, FuncId, Import, ImportKind, PatId, PatKind, PatRole, PropKey, RootSource,
    TypeExprId,
};
use crate::program::Target;

/// Files are read for what a wrapper is called with, and for what that caller is called with; not further up.
const FROM_CALLERS: u32 = 2;

impl Infer<'_> {
    /// What a name stands for; `loc` is where it is used.
    pub(super) fn eval_binding(&mut self, env: Env, binding: BindingId, loc: Loc) -> Value {
        let file = env.file;
        let module = self.module(file);
        let env = self.within(env, module.binding(binding).span.start);
        match self.bindings.get(&(env, binding)) {
            Some(Some(value)) => return *value,
            Some(None) => return self.unknown(Unknown::Cycle, loc),
            None => {}
        }
        self.bindings.insert((env, binding), None);
        let value = match module.binding(binding).def {
            BindingDef::Pattern { pattern, constant } => {
                let mut values = Vec::new();
                let declared = self.pattern_value(env, pattern, loc);
                let unassigned = matches!(self.kind(declared), ValueKind::Unknown(Unknown::Unassigned, _));
                let writes: Vec<PatId> = if constant { Vec::new() } else { module.writes(binding).collect() };
                // `let x;` is only undefined until it is assigned.
                if !unassigned || writes.is_empty() {
                    values.push(declared);
                }
                for write in writes {
                    values.push(self.pattern_value(env, write, loc));
                }
                self.join_or_unknown(values, loc)
            }
            BindingDef::Import(import) => self.eval_import(file, module.import(import), loc),
            BindingDef::Function(function) => self.make(ValueKind::Function(file, function, env.ctx)),
            BindingDef::Class(class) => self.make(ValueKind::Class(file, class)),
            BindingDef::Enum => self.make(ValueKind::Opaque),
            BindingDef::Type(_) | BindingDef::Namespace => self.unknown(Unknown::Syntax, loc),
        };
        self.bindings.insert((env, binding), Some(value));
        value
    }

    fn eval_import(&mut self, file: FileId, import: &Import, loc: Loc) -> Value {
        let module = self.module(file);
        let specifier = module.name(module.import_decl(import.decl).source);
        let target = self.target(file, specifier);
        let name = match import.kind {
            ImportKind::Named { imported, .. } => module.name(imported),
            // `import ai from 'ai'`: no SDK has a default export; bundlers give the namespace.
            ImportKind::Default if !matches!(target, Some(Target::File(_))) => return self.namespace(target, loc),
            ImportKind::Default => "default",
            ImportKind::Namespace => return self.namespace(target, loc),
        };
        self.export_of_target(target, name, loc)
    }

    /// What an entry point of an SDK exports as `name`.
    pub(super) fn export_of_entry(&mut self, entry: agentcheck_catalog::EntryId, name: &str, loc: Loc) -> Value {
        let types = &self.program.types;
        match types.find_value(&types.entry(entry).specifier, name) {
            // A namespace of functions, such as `Output`.
            Some(export) if matches!(types.ty(types.value(export).ty), Ty::Record(_)) => {
                let ty = types.value(export).ty;
                self.sdk_value(ty, None, loc)
            }
            Some(export) => self.make(ValueKind::Export(export)),
            None => self.unknown(Unknown::Import, loc),
        }
    }

    /// What a file of the project exports as `name`.
    pub(super) fn export_of_file(&mut self, file: FileId, name: &str, loc: Loc) -> Value {
        if !self.step() {
            return self.unknown(Unknown::Budget, loc);
        }
        self.depth += 1;
        let value = self.export_of_file_new(file, name, loc);
        self.depth -= 1;
        value
    }

    fn export_of_file_new(&mut self, file: FileId, name: &str, loc: Loc) -> Value {
        let module = self.module(file);
        let mut has_stars = false;
        let mut whole = None;
        for export in &module.exports {
            match export.kind {
                ExportKind::Local { binding, exported } if module.name(exported) == name => {
                    return self.eval_binding(Env::any(file), binding, loc);
                }
                ExportKind::Default(expr) if name == "default" => return self.eval_in(file, expr),
                ExportKind::Whole(expr) if name == "default" => return self.eval_in(file, expr),
                ExportKind::Whole(expr) => whole = Some(expr),
                ExportKind::Assigned { exported, value } if module.name(exported) == name => {
                    return self.eval_in(file, value);
                }
                ExportKind::From { source, imported, exported } if module.name(exported) == name => {
                    let target = self.target(file, module.name(source));
                    return self.export_of_target(target, module.name(imported), loc);
                }
                ExportKind::Namespace { source, exported } if module.name(exported) == name => {
                    let target = self.target(file, module.name(source));
                    return self.namespace(target, loc);
                }
                ExportKind::Star { .. } => has_stars = name != "default",
                _ => {}
            }
        }
        // `import { run } from './llm.cjs'`, where that says `module.exports = { run }`.
        if let Some(whole) = whole {
            let whole = self.eval_in(file, whole);
            return self.property(whole, name, loc);
        }
        if has_stars { self.export_by_star(file, name, loc) } else { self.unknown(Unknown::Import, loc) }
    }

    /// What comes into a file as `name` by `export *`.
    fn export_by_star(&mut self, file: FileId, name: &str, loc: Loc) -> Value {
        let stars = self.program.stars(file);
        if let Some(exporting) = stars.find(name) {
            self.trace.files.insert(exporting);
            return self.export_of_file(exporting, name, loc);
        }
        self.trace.files.extend(&stars.files);
        self.trace.files.extend(&stars.unread);
        for entry in &stars.entries {
            let value = self.export_of_entry(*entry, name, loc);
            if !matches!(self.kind(value), ValueKind::Unknown(..)) {
                return value;
            }
        }
        if stars.unread.is_empty() {
            return self.unknown(Unknown::Import, loc);
        }
        // Any of them may have it.
        self.barrels.push((stars.unread.as_slice().into(), name.to_owned()));
        let value = self.unknown(Unknown::Barrel(self.barrels.len() as u32 - 1), loc);
        self.note(value);
        value
    }

    fn export_of_target(&mut self, target: Option<Target>, name: &str, loc: Loc) -> Value {
        match target {
            Some(Target::Sdk(entry)) => self.export_of_entry(entry, name, loc),
            Some(Target::File(file)) => self.export_of_file(file, name, loc),
            Some(Target::Unread(file)) => self.unknown(Unknown::Unread(file), loc),
            None => self.unknown(Unknown::Import, loc),
        }
    }

    /// The value that a pattern receives, whoever calls the function around it.
    pub fn eval_pattern(&mut self, file: FileId, pattern: PatId, loc: Loc) -> Value {
        self.pattern_value(Env::any(file), pattern, loc)
    }

    fn pattern_value(&mut self, env: Env, pattern: PatId, loc: Loc) -> Value {
        let env = self.within(env, self.module(env.file).pat(pattern).span.start);
        match self.patterns.get(&(env, pattern)) {
            Some(Some(value)) => return *value,
            Some(None) => return self.unknown(Unknown::Cycle, loc),
            None => {}
        }
        if !self.step() {
            return self.unknown(Unknown::Budget, loc);
        }
        self.patterns.insert((env, pattern), None);
        self.depth += 1;
        let value = self.pattern_value_new(env, pattern, loc);
        self.depth -= 1;
        self.patterns.insert((env, pattern), Some(value));
        value
    }

    fn pattern_value_new(&mut self, env: Env, pattern: PatId, loc: Loc) -> Value {
        let file = env.file;
        let module = self.module(file);
        match module.pat(pattern).role {
            PatRole::Root(root) => {
                let root = module.root(root);
                let value = match root.source {
                    RootSource::Value(expr) => self.eval(env.at(expr)),
                    RootSource::None => self.unknown(Unknown::Unassigned, loc),
                    RootSource::Catch => self.unknown(Unknown::Caught, loc),
                    RootSource::Param { function, index, rest, default, .. } => {
                        let value = self.eval_param(env, function, index, rest, root.annotation, loc);
                        match default {
                            Some(default) => {
                                let values = [value, self.eval(env.at(default))];
                                self.join_or_unknown(values, loc)
                            }
                            None => value,
                        }
                    }
                    RootSource::ForOf { iterable, .. } => {
                        let iterable = self.eval(env.at(iterable));
                        let element = self.element(iterable, loc);
                        self.awaited(element)
                    }
                    RootSource::ForIn(_) => self.make(ValueKind::Opaque),
                };
                self.or_annotated(value, file, root.annotation, loc)
            }
            PatRole::Key(parent, prop) => {
                let object = self.pattern_value(env, parent, loc);
                let PropKey::Name(name) = module.pat_prop(prop).key else {
                    return self.unknown(Unknown::Property, loc);
                };
                self.property(object, module.name(name), loc)
            }
            PatRole::ObjectRest(parent) => {
                let object = self.pattern_value(env, parent, loc);
                let PatKind::Object(props) = module.pat(parent).kind else { return object };
                let taken: Vec<String> = module
                    .pat_props(props)
                    .filter_map(|(_, prop)| match prop.key {
                        PropKey::Name(name) => Some(module.name(name).to_owned()),
                        _ => None,
                    })
                    .collect();
                self.make(ValueKind::Rest(object, taken))
            }
            PatRole::Element(parent, index) => {
                let array = self.pattern_value(env, parent, loc);
                let element = self.element_at(array, index as usize, loc);
                // `const [a, b] = await Promise.all([x, y])`; arrays of bare promises are not taken apart like this.
                self.awaited(element)
            }
            PatRole::ArrayRest(parent, from) => {
                let array = self.pattern_value(env, parent, loc);
                if from == 0 { array } else { self.make(ValueKind::Tail(array, from)) }
            }
            PatRole::Inner(parent) if parent == pattern => self.unknown(Unknown::Syntax, loc),
            PatRole::Inner(parent) => {
                let received = self.pattern_value(env, parent, loc);
                match module.pat(parent).kind {
                    PatKind::Default { value, .. } => {
                        let default = self.eval(env.at(value));
                        match self.kind(received) {
                            ValueKind::Undefined => default,
                            _ => self.join_or_unknown([received, default], loc),
                        }
                    }
                    _ => received,
                }
            }
        }
    }

    fn eval_param(
        &mut self,
        env: Env,
        function: FuncId,
        index: u32,
        rest: bool,
        annotation: Option<TypeExprId>,
        loc: Loc,
    ) -> Value {
        let file = env.file;
        if !rest && let Some(passed) = self.passed(env, function, index as usize) {
            return match passed {
                Some(argument) => {
                    let value = self.eval(argument);
                    self.or_annotated(value, file, annotation, loc)
                }
                None => self.make(ValueKind::Undefined),
            };
        }
        if let Some(value) = self.contextual_param(file, function, index as usize, rest, loc) {
            return value;
        }
        if let Some(value) = annotation.and_then(|annotation| self.declared(file, annotation, loc)) {
            return value;
        }
        if rest {
            return self.unknown(Unknown::Parameter, loc);
        }
        let is_method = self.module(file).binding_of_function(function).is_none();
        if self.from_callers >= if is_method { 1 } else { FROM_CALLERS } {
            let value = self.idly(|this| this.eval_arguments(file, function, index, loc));
            return self.map(value, |this, member| match this.kind(member) {
                // No longer something that reading a file would tell.
                ValueKind::Unknown(
                    Unknown::Callers(_) | Unknown::MethodCallers(_) | Unknown::Unread(_) | Unknown::Barrel(_),
                    at,
                ) => {
                    let at = *at;
                    this.unknown(Unknown::Parameter, at)
                }
                _ => member,
            });
        }
        self.from_callers += 1;
        let value = self.eval_arguments(file, function, index, loc);
        self.from_callers -= 1;
        value
    }

    /// What a parameter is as far as the calls in sight tell.
    fn eval_arguments(&mut self, file: FileId, function: FuncId, index: u32, loc: Loc) -> Value {
        let (arguments, complete) = self.arguments(file, function, index as usize);
        let mut values: Vec<Value> = Vec::new();
        for argument in arguments {
            let value = self.idly(|this| this.eval(argument));
            // Methods that are called with what methods are called with: too many to go on from one to the next.
            let value = self.map(value, |this, member| match *this.kind(member) {
                ValueKind::Unknown(Unknown::MethodCallers(_), at) => this.unknown(Unknown::Parameter, at),
                _ => member,
            });
            self.note(value);
            values.push(value);
        }
        if !complete || values.is_empty() {
            let is_method = self.module(file).binding_of_function(function).is_none();
            let why = match self.callers(file, function).unread.first() {
                _ if complete => Unknown::Parameter,
                Some(file) if is_method => Unknown::MethodCallers(*file),
                Some(file) => Unknown::Callers(*file),
                None => Unknown::Parameter,
            };
            values.push(self.unknown(why, loc));
        }
        self.join_or_unknown(values, loc)
    }
}
