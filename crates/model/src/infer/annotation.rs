//! Types as written → what is known of a value that has them.

use agentcheck_catalog::{Ty, TyId};
use agentcheck_syntax::FileId;

use super::{Infer, Loc, Value, ValueKind};
use crate::hir::{BindingDef, BindingId, ClassId, ExportKind, ImportId, ImportKind, TypeExprId, TypeKind};
use crate::program::Target;

/// A type that the project declares.
enum NamedType {
    /// An object type or interface.
    Object(FileId, TypeExprId),
    Class(FileId, ClassId),
}

impl Infer<'_> {
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
        match self.named_type(file, annotation)? {
            NamedType::Object(file, members) => Some(self.make(ValueKind::Declared(file, members, loc))),
            NamedType::Class(file, class) => Some(self.make(ValueKind::Instance(file, class))),
        }
    }

    /// The SDK type that a type as written names.
    pub fn annotated(&mut self, file: FileId, annotation: TypeExprId) -> Option<TyId> {
        if let Some(known) = self.annotations.get(&(file, annotation)) {
            return *known;
        }
        if !self.step() {
            return None;
        }
        self.annotations.insert((file, annotation), None);
        self.depth += 1;
        let ty = self.annotated_new(file, annotation);
        self.depth -= 1;
        self.annotations.insert((file, annotation), ty);
        ty
    }

    fn annotated_new(&mut self, file: FileId, annotation: TypeExprId) -> Option<TyId> {
        let module = self.module(file);
        let types = &self.program.types;
        match module.type_expr(annotation).kind {
            TypeKind::Name { binding: Some(binding), .. } => match module.binding(binding).def {
                BindingDef::Import(import) => self.annotated_import(file, import),
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
                let source = module.name(module.import_decl(module.import(import).decl).source);
                self.annotated_from(file, source, module.name(name))
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

    /// The SDK type that a file exports under a name.
    fn annotated_export(&mut self, file: FileId, name: &str) -> Option<TyId> {
        if !self.step() {
            return None;
        }
        self.depth += 1;
        let module = self.module(file);
        let found = module.exports.iter().find_map(|export| match export.kind {
            ExportKind::Local { binding, exported } if module.name(exported) == name => {
                match module.binding(binding).def {
                    BindingDef::Type(ty) => self.annotated(file, ty),
                    BindingDef::Import(import) => self.annotated_import(file, import),
                    _ => None,
                }
            }
            ExportKind::From { source, imported, exported } if module.name(exported) == name => {
                self.annotated_from(file, module.name(source), module.name(imported))
            }
            _ => None,
        });
        let found = found.or_else(|| self.annotated_by_star(file, name));
        self.depth -= 1;
        found
    }

    /// The SDK type that comes into a file as `name` by `export *`.
    fn annotated_by_star(&mut self, file: FileId, name: &str) -> Option<TyId> {
        let stars = self.program.stars(file);
        if let Some(exporting) = stars.find(name) {
            self.trace.files.insert(exporting);
            return self.annotated_export(exporting, name);
        }
        self.trace.files.extend(&stars.files);
        self.trace.files.extend(&stars.unread);
        let types = &self.program.types;
        stars.entries.iter().find_map(|entry| types.annotation(&types.entry(*entry).specifier, name))
    }

    /// The SDK type that an imported name stands for.
    fn annotated_import(&mut self, file: FileId, import: ImportId) -> Option<TyId> {
        let module = self.module(file);
        let import = module.import(import);
        let source = module.name(module.import_decl(import.decl).source);
        match import.kind {
            ImportKind::Named { imported, .. } => self.annotated_from(file, source, module.name(imported)),
            ImportKind::Default => self.annotated_from(file, source, "default"),
            ImportKind::Namespace => None,
        }
    }

    /// The SDK type called `name` in the module that `source` means in `file`.
    fn annotated_from(&mut self, file: FileId, source: &str, name: &str) -> Option<TyId> {
        match self.target(file, source)? {
            Target::Sdk(entry) => self.program.types.annotation(&self.program.types.entry(entry).specifier, name),
            Target::File(target) => self.annotated_export(target, name),
            Target::Unread(_) => None,
        }
    }

    /// The id of a type that the table mentions somewhere.
    fn find_type(&self, ty: &Ty) -> Option<TyId> {
        self.program.types.find(ty)
    }

    /// The object type or class of the project that a type stands for, through aliases, interfaces and imports.
    fn named_type(&mut self, file: FileId, annotation: TypeExprId) -> Option<NamedType> {
        if !self.step() {
            return None;
        }
        self.depth += 1;
        let module = self.module(file);
        let found = match module.type_expr(annotation).kind {
            TypeKind::Object(_) => Some(NamedType::Object(file, annotation)),
            TypeKind::Name { binding: Some(binding), .. } => self.type_of_binding(file, binding),
            _ => None,
        };
        self.depth -= 1;
        found
    }

    fn type_of_binding(&mut self, file: FileId, binding: BindingId) -> Option<NamedType> {
        let module = self.module(file);
        match module.binding(binding).def {
            BindingDef::Type(ty) => self.named_type(file, ty),
            BindingDef::Class(class) => Some(NamedType::Class(file, class)),
            BindingDef::Import(import) => {
                let import = module.import(import);
                let source = module.name(module.import_decl(import.decl).source);
                let name = match import.kind {
                    ImportKind::Named { imported, .. } => module.name(imported),
                    ImportKind::Default => "default",
                    ImportKind::Namespace => return None,
                };
                self.exported_type(file, source, name)
            }
            _ => None,
        }
    }

    /// The type called `name` in the module of the project that `source` means in `file`.
    fn exported_type(&mut self, file: FileId, source: &str, name: &str) -> Option<NamedType> {
        match self.target(file, source)? {
            Target::File(file) => self.type_in(file, name),
            Target::Sdk(_) | Target::Unread(_) => None,
        }
    }

    /// The type that a file of the project exports as `name`.
    fn type_in(&mut self, file: FileId, name: &str) -> Option<NamedType> {
        if !self.step() {
            return None;
        }
        self.depth += 1;
        let module = self.module(file);
        let found = module.exports.iter().find_map(|export| match export.kind {
            ExportKind::Local { binding, exported } if module.name(exported) == name => {
                self.type_of_binding(file, binding)
            }
            ExportKind::From { source, imported, exported } if module.name(exported) == name => {
                self.exported_type(file, module.name(source), module.name(imported))
            }
            _ => None,
        });
        let found = found.or_else(|| {
            let exporting = self.program.stars(file).find(name)?;
            self.trace.files.insert(exporting);
            self.type_in(exporting, name)
        });
        self.depth -= 1;
        found
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
