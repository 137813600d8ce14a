//! Names and patterns → values: declarations, imports, parameters, annotations.

use agentcheck_catalog::{Ty, TyId};
use agentcheck_syntax::FileId;

use super::value::Env;
use super::{Infer, Loc, Unknown, Value, ValueKind};
use crate::hir::{
    BindingDef, BindingId, ExportKind, ExprKind, FuncId, Import, ImportKind, Parent, PatId, PatKind, PatRole, PropKey,
    RootSource, TypeExprId, TypeKind,
};
use crate::program::Target;

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
        let target = self.program.target(file, specifier);
        let name = match import.kind {
            ImportKind::Named { imported, .. } => module.name(imported),
            // `import ai from 'ai'`: no SDK has a default export; bundlers give the namespace.
            ImportKind::Default if !matches!(target, Some(Target::File(_))) => return self.namespace(target, loc),
            ImportKind::Default => "default",
            ImportKind::Namespace => return self.namespace(target, loc),
        };
        match target {
            Some(Target::Sdk(entry)) => self.export_of_entry(entry, name, loc),
            Some(Target::File(target)) => self.export_of_file(target, name, loc),
            None => self.unknown(Unknown::Import, loc),
        }
    }

    /// What an entry point of an SDK exports as `name`.
    pub(super) fn export_of_entry(&mut self, entry: agentcheck_catalog::EntryId, name: &str, loc: Loc) -> Value {
        let types = &self.program.types;
        match types.find_value(&types.entry(entry).specifier, name) {
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
        let mut stars = Vec::new();
        for export in &module.exports {
            match export.kind {
                ExportKind::Local { binding, exported } if module.name(exported) == name => {
                    return self.eval_binding(Env::any(file), binding, loc);
                }
                ExportKind::Default(expr) if name == "default" => return self.eval_in(file, expr),
                ExportKind::From { source, imported, exported } if module.name(exported) == name => {
                    return match self.program.target(file, module.name(source)) {
                        Some(Target::Sdk(entry)) => self.export_of_entry(entry, module.name(imported), loc),
                        Some(Target::File(target)) => self.export_of_file(target, module.name(imported), loc),
                        None => self.unknown(Unknown::Import, loc),
                    };
                }
                ExportKind::Namespace { source, exported } if module.name(exported) == name => {
                    let target = self.program.target(file, module.name(source));
                    return self.namespace(target, loc);
                }
                ExportKind::Star { source } if name != "default" => {
                    stars.extend(self.program.target(file, module.name(source)));
                }
                _ => {}
            }
        }
        for star in stars {
            let value = match star {
                Target::Sdk(entry) => self.export_of_entry(entry, name, loc),
                Target::File(target) => self.export_of_file(target, name, loc),
            };
            if !matches!(self.kind(value), ValueKind::Unknown(..)) {
                return value;
            }
        }
        self.unknown(Unknown::Import, loc)
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
                    RootSource::Param { function, index, rest, default } => {
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
        let (arguments, all_in_sight) = self.arguments(file, function, index as usize);
        let mut values: Vec<Value> = arguments.into_iter().map(|argument| self.eval(argument)).collect();
        if !all_in_sight || values.is_empty() {
            values.push(self.unknown(Unknown::Parameter, loc));
        }
        self.join_or_unknown(values, loc)
    }

    /// The arguments that a function of the project is called with at a position, and whether those are all its calls.
    pub fn arguments(&mut self, file: FileId, function: FuncId, index: usize) -> (Vec<Loc>, bool) {
        let module = self.module(file);
        let Some(binding) = module.binding_of_function(function) else { return (Vec::new(), false) };
        let mut arguments = Vec::new();
        let mut all_in_sight = !module
            .exports
            .iter()
            .any(|export| matches!(export.kind, ExportKind::Local { binding: exported, .. } if exported == binding));
        for reference in module.refs(binding) {
            let args = match module.expr_parent(*reference) {
                Parent::Expr(parent) => match module.expr(parent).kind {
                    ExprKind::Call { callee, args } if callee == *reference => Some(args),
                    _ => None,
                },
                _ => None,
            };
            match args.map(|args| module.exprs(args)) {
                Some(args) if args.iter().any(|arg| matches!(module.expr(*arg).kind, ExprKind::Spread(_))) => {
                    all_in_sight = false;
                }
                Some(args) => arguments.extend(args.get(index).map(|expr| Loc::new(file, *expr))),
                // Passed on as a value: called by somebody else.
                None => all_in_sight = false,
            }
        }
        (arguments, all_in_sight)
    }

    /// `value`, unless nothing is known of it and an annotation says more.
    pub(super) fn or_annotated(
        &mut self,
        value: Value,
        file: FileId,
        annotation: Option<TypeExprId>,
        loc: Loc,
    ) -> Value {
        let Some(annotation) = annotation else { return value };
        if !matches!(self.kind(value), ValueKind::Unknown(..)) {
            return value;
        }
        self.declared(file, annotation, loc).unwrap_or(value)
    }

    /// A value of which only the type is known, if the type says anything.
    pub(super) fn declared(&mut self, file: FileId, annotation: TypeExprId, loc: Loc) -> Option<Value> {
        if let Some(ty) = self.annotated(file, annotation) {
            return Some(self.sdk_value(ty, None, loc));
        }
        let (file, members) = self.object_type(file, annotation)?;
        Some(self.make(ValueKind::Declared(file, members, loc)))
    }

    /// The SDK type that a type as written names.
    pub fn annotated(&mut self, file: FileId, annotation: TypeExprId) -> Option<TyId> {
        if !self.step() {
            return None;
        }
        self.depth += 1;
        let ty = self.annotated_new(file, annotation);
        self.depth -= 1;
        ty
    }

    fn annotated_new(&mut self, file: FileId, annotation: TypeExprId) -> Option<TyId> {
        let module = self.module(file);
        let types = &self.program.types;
        match module.type_expr(annotation).kind {
            TypeKind::Name { binding: Some(binding), .. } => match module.binding(binding).def {
                BindingDef::Import(import) => {
                    let import = module.import(import);
                    let ImportKind::Named { imported, .. } = import.kind else { return None };
                    let specifier = module.name(module.import_decl(import.decl).source);
                    match self.program.target(file, specifier)? {
                        Target::Sdk(entry) => types.annotation(&types.entry(entry).specifier, module.name(imported)),
                        Target::File(target) => self.annotated_export(target, module.name(imported)),
                    }
                }
                BindingDef::Type(ty) => self.annotated(file, ty),
                _ => None,
            },
            // `Promise`, `Array` and `Partial` of the language.
            TypeKind::Name { name, binding: None, args } => {
                let inner = *module.type_exprs(args).first()?;
                let inner = self.annotated(file, inner)?;
                match module.name(name) {
                    "Promise" | "PromiseLike" | "Awaited" => self.find_type(&Ty::Promise(inner)).or(Some(inner)),
                    "Array" | "ReadonlyArray" => self.find_type(&Ty::Array(inner)),
                    "AsyncIterable" | "ReadableStream" | "AsyncIterator" => self.find_type(&Ty::Stream(inner)),
                    "Partial" | "Readonly" | "Required" | "NonNullable" | "Omit" | "Pick" => Some(inner),
                    _ => None,
                }
            }
            TypeKind::Qualified { name, binding: Some(binding), .. } => {
                let BindingDef::Import(import) = module.binding(binding).def else { return None };
                let specifier = module.name(module.import_decl(module.import(import).decl).source);
                match self.program.target(file, specifier)? {
                    Target::Sdk(entry) => types.annotation(&types.entry(entry).specifier, module.name(name)),
                    Target::File(target) => self.annotated_export(target, module.name(name)),
                }
            }
            TypeKind::Array(element) => {
                let element = self.annotated(file, element)?;
                self.find_type(&Ty::Array(element))
            }
            TypeKind::Union(members) => {
                // `T | undefined` is as good as `T`.
                let mut known = Vec::new();
                for member in module.type_exprs(members) {
                    if module.type_expr(*member).kind != TypeKind::Plain {
                        known.push(self.annotated(file, *member)?);
                    }
                }
                known.dedup();
                match known.as_slice() {
                    [only] => Some(*only),
                    _ => None,
                }
            }
            TypeKind::Indexed { object, key } => {
                let object = self.annotated(file, object)?;
                match types.ty(object) {
                    Ty::Record(record) => types.property(*record, module.name(key)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn annotated_export(&mut self, file: FileId, name: &str) -> Option<TyId> {
        if let Some((file, ty)) = self.exported_type(file, name) {
            return self.annotated(file, ty);
        }
        // `export type { ModelMessage } from 'ai'`
        let module = self.module(file);
        let types = &self.program.types;
        module.exports.iter().find_map(|export| match export.kind {
            ExportKind::From { source, imported, exported } if module.name(exported) == name => {
                match self.program.target(file, module.name(source))? {
                    Target::Sdk(entry) => types.annotation(&types.entry(entry).specifier, module.name(imported)),
                    Target::File(_) => None,
                }
            }
            _ => None,
        })
    }

    /// The id of a type that the table mentions somewhere.
    fn find_type(&self, ty: &Ty) -> Option<TyId> {
        self.program.types.find(ty)
    }

    /// The object type that a type written in the project stands for, through aliases, interfaces and imports.
    fn object_type(&mut self, file: FileId, annotation: TypeExprId) -> Option<(FileId, TypeExprId)> {
        if !self.step() {
            return None;
        }
        self.depth += 1;
        let module = self.module(file);
        let found = match module.type_expr(annotation).kind {
            TypeKind::Object(_) => Some((file, annotation)),
            TypeKind::Name { binding: Some(binding), .. } => match module.binding(binding).def {
                BindingDef::Type(ty) => self.object_type(file, ty),
                BindingDef::Import(import) => {
                    let import = module.import(import);
                    let specifier = module.name(module.import_decl(import.decl).source);
                    match (import.kind, self.program.target(file, specifier)) {
                        (ImportKind::Named { imported, .. }, Some(Target::File(target))) => self
                            .exported_type(target, module.name(imported))
                            .and_then(|(file, ty)| self.object_type(file, ty)),
                        _ => None,
                    }
                }
                _ => None,
            },
            _ => None,
        };
        self.depth -= 1;
        found
    }

    /// The type that a file of the project exports under a name, and the file that declares it.
    fn exported_type(&mut self, file: FileId, name: &str) -> Option<(FileId, TypeExprId)> {
        if !self.step() {
            return None;
        }
        let module = self.module(file);
        module.exports.iter().find_map(|export| match export.kind {
            ExportKind::Local { binding, exported } if module.name(exported) == name => {
                match module.binding(binding).def {
                    BindingDef::Type(ty) => Some((file, ty)),
                    _ => None,
                }
            }
            ExportKind::From { source, imported, exported } if module.name(exported) == name => {
                match self.program.target(file, module.name(source))? {
                    Target::File(target) => self.exported_type(target, module.name(imported)),
                    Target::Sdk(_) => None,
                }
            }
            ExportKind::Star { source } => match self.program.target(file, module.name(source))? {
                Target::File(target) => self.exported_type(target, name),
                Target::Sdk(_) => None,
            },
            _ => None,
        })
    }

    /// What a property of a value of an object type is.
    pub(super) fn declared_property(
        &mut self,
        file: FileId,
        members: TypeExprId,
        name: &str,
        loc: Loc,
    ) -> Option<Value> {
        let module = self.module(file);
        let TypeKind::Object(members) = module.type_expr(members).kind else { return None };
        let member = module.type_members(members).iter().find(|member| module.name(member.name) == name)?;
        self.declared(file, member.ty, loc)
    }
}
