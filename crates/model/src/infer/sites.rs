//! The SDK calls of a file, and the objects that flow into positions of an SDK type.

use agentcheck_catalog::{RecordId, Ty, TyId};
use agentcheck_syntax::{FileId, Place, Span};
use rustc_hash::FxHashSet;

use super::value::Env;
use super::{Infer, Loc, Sdk, Value, ValueKind};
use crate::evidence::VersionSource;
use crate::hir::{ExprId, ExprKind, RootSource, TypeExprId};

/// A call of an SDK function, method or constructor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SdkCall {
    pub loc: Loc,
    pub callee: ExprId,
    /// `generateText`, `new ToolLoopAgent`, `Agent.generate`.
    pub name: String,
    pub ty: TyId,
    /// The package that decides the version.
    pub package: String,
    pub args: Vec<ExprId>,
    /// For a method, the value it is called on.
    pub receiver: Option<Value>,
}

/// An object that flows into a position of an SDK record type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    /// The value: an object of the project.
    pub value: Value,
    pub record: RecordId,
    pub reach: Reach,
    /// The keys on the way from the call's argument: `tools`, `lookup`.
    pub path: Vec<String>,
}

/// What an object flows into.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reach {
    /// Index in [`Sites::calls`]; none when only an annotation says what the object is.
    pub call: Option<usize>,
    /// The name of the call or type.
    pub name: String,
    /// The package that decides the version.
    pub package: String,
    /// The callee, or the annotated value.
    pub place: Place,
    /// The whole call or value.
    pub span: Span,
}

/// What the rules of a file start from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sites {
    /// In source order.
    pub calls: Vec<SdkCall>,
    pub typed: Vec<Typed>,
}

impl Infer<'_> {
    /// The SDK calls of `file` and the objects that reach them.
    pub fn sites(&mut self, file: FileId) -> Sites {
        // Callees that lead to unread files are none of an SDK as far as anybody knows: whatever hands SDK functions out has
        // its importers read.
        let mut sites = Sites { calls: self.idly(|this| this.sdk_calls(file)), typed: Vec::new() };
        let mut seen = FxHashSet::default();
        for index in 0..sites.calls.len() {
            let call = sites.calls[index].clone();
            let (Ty::Function(signature) | Ty::Class(signature)) = self.program.types.ty(call.ty) else { continue };
            let module = self.module(file);
            let reach = Reach {
                call: Some(index),
                name: call.name,
                package: call.package,
                place: Place { file, span: module.name_span(call.callee) },
                span: module.expr(call.loc.expr).span,
            };
            for (ty, arg) in signature.params.iter().zip(&call.args) {
                let value = self.eval_in(file, *arg);
                self.flow(value, *ty, &reach, &mut Vec::new(), &mut seen, &mut sites.typed);
            }
        }
        for (value, ty) in self.annotated_values(file) {
            let module = self.module(file);
            let span = module.expr(value).span;
            let name = match self.program.types.ty(ty) {
                Ty::Record(record) => self.program.types.record(*record).name.clone(),
                _ => "the annotation".to_owned(),
            };
            let package = self.package_naming(file, ty);
            let reach = Reach { call: None, name, package, place: Place { file, span }, span };
            let value = self.eval_in(file, value);
            self.flow(value, ty, &reach, &mut Vec::new(), &mut seen, &mut sites.typed);
        }
        sites
    }

    /// Values that an annotation, `as` or `satisfies` gives an SDK type.
    fn annotated_values(&mut self, file: FileId) -> Vec<(ExprId, TyId)> {
        let module = self.module(file);
        let mut written: Vec<(ExprId, TypeExprId)> = module
            .all_roots()
            .filter_map(|root| match (root.source, root.annotation) {
                (RootSource::Value(value), Some(ty)) => Some((value, ty)),
                _ => None,
            })
            .collect();
        written.extend(module.all_exprs().filter_map(|(_, node)| match node.kind {
            ExprKind::Cast { value, ty, .. } => Some((value, ty)),
            _ => None,
        }));
        written.extend(module.all_class_members().filter_map(|member| Some((member.value?, member.annotation?))));
        for (id, function) in module.all_functions() {
            if let Some(ty) = function.return_type {
                written.extend(super::call::returned(module, id).into_iter().map(|value| (value, ty)));
            }
        }
        written.sort_by_key(|(value, _)| module.expr(*value).span.start);
        written.into_iter().filter_map(|(value, ty)| Some((value, self.annotated(file, ty)?))).collect()
    }

    fn sdk_calls(&mut self, file: FileId) -> Vec<SdkCall> {
        let module = self.module(file);
        let mut calls: Vec<SdkCall> =
            module.all_exprs().filter_map(|(expr, _)| self.sdk_call_at(Loc::new(file, expr))).collect();
        calls.sort_by_key(|call| module.expr(call.loc.expr).span.start);
        calls
    }

    /// The SDK call that an expression is.
    pub fn sdk_call_at(&mut self, loc: Loc) -> Option<SdkCall> {
        let module = self.module(loc.file);
        let (ExprKind::Call { callee, args } | ExprKind::New { callee, args }) = module.expr(loc.expr).kind else {
            return None;
        };
        if !self.may_be_sdk(loc.file, callee) {
            return None;
        }
        // `super({…})` constructs the class that is extended.
        let value = match module.expr(callee).kind {
            ExprKind::Super => {
                let class = module.class_of_this(loc.expr)?;
                self.eval(loc.at(module.class(class).extends?))
            }
            _ => self.eval(loc.at(callee)),
        };
        let (name, ty, package, receiver) =
            self.alternatives(value).into_iter().find_map(|member| self.callable(loc, callee, member))?;
        Some(SdkCall { loc, callee, name, ty, package, args: module.exprs(args).to_vec(), receiver })
    }

    /// Whether it is worth asking: a callee that begins with a global or a literal is none of an SDK.
    fn may_be_sdk(&self, file: FileId, callee: ExprId) -> bool {
        let module = self.module(file);
        let mut expr = callee;
        loop {
            expr = match module.expr(expr).kind {
                ExprKind::Ident { binding, name } => {
                    return binding.is_some() || module.name(name) == "require";
                }
                ExprKind::Member { object, .. } | ExprKind::Index { object, .. } => object,
                ExprKind::Call { callee, .. } | ExprKind::New { callee, .. } => callee,
                ExprKind::Await(inner) | ExprKind::NonNull(inner) | ExprKind::Cast { value: inner, .. } => inner,
                ExprKind::This
                | ExprKind::Super
                | ExprKind::Import(_)
                | ExprKind::Conditional { .. }
                | ExprKind::Binary(..) => {
                    return true;
                }
                _ => return false,
            }
        }
    }

    fn callable(&mut self, loc: Loc, callee: ExprId, value: Value) -> Option<(String, TyId, String, Option<Value>)> {
        let types = &self.program.types;
        match *self.kind(value) {
            // `class Support extends ToolLoopAgent {}` is called as what it extends.
            ValueKind::Class(file, class) => {
                let base = self.sdk_base(file, class)?;
                let base = self.make(ValueKind::Export(base));
                self.callable(loc, callee, base)
            }
            ValueKind::Export(export) => {
                let export = types.value(export);
                matches!(types.ty(export.ty), Ty::Function(_) | Ty::Class(_))
                    .then(|| (export.name.clone(), export.ty, types.package_of(&export.entry).to_owned(), None))
            }
            ValueKind::Sdk(Sdk { ty, origin }) if matches!(types.ty(ty), Ty::Function(_)) => {
                let module = self.module(loc.file);
                let callee = module.peel(callee);
                let (receiver, method) = match module.expr(callee).kind {
                    ExprKind::Member { object, property } => (Some(object), module.name(property)),
                    _ => (None, module.text(module.expr(callee).span)),
                };
                let receiver = receiver.map(|object| self.eval(loc.at(object)));
                let owner = receiver.and_then(|receiver| self.record_of(receiver));
                let name = match owner {
                    Some(owner) => format!("{}.{method}", types.record(owner).name),
                    None => method.to_owned(),
                };
                let package = match (origin, owner) {
                    (None, Some(owner)) => self.package_of_record(loc.file, owner),
                    _ => self.package_of_origin(origin)?,
                };
                Some((name, ty, package, receiver))
            }
            _ => None,
        }
    }

    /// The package that made an SDK value.
    pub fn package_of_origin(&mut self, origin: Option<Loc>) -> Option<String> {
        let mut origin = origin;
        for _ in 0..8 {
            let Some(loc) = origin else { return Some("ai".to_owned()) };
            let module = self.module(loc.file);
            let (ExprKind::Call { callee, .. } | ExprKind::New { callee, .. }) = module.expr(loc.expr).kind else {
                return None;
            };
            let callee = self.eval(loc.at(callee));
            for member in self.alternatives(callee) {
                match *self.kind(member) {
                    ValueKind::Export(export) => {
                        let types = &self.program.types;
                        return Some(types.package_of(&types.value(export).entry).to_owned());
                    }
                    ValueKind::Class(file, class) => {
                        let base = self.sdk_base(file, class)?;
                        let types = &self.program.types;
                        return Some(types.package_of(&types.value(base).entry).to_owned());
                    }
                    ValueKind::Sdk(sdk) => origin = sdk.origin,
                    _ => {}
                }
            }
        }
        None
    }

    /// The package whose type an annotation of `file` names.
    fn package_naming(&self, file: FileId, ty: TyId) -> String {
        match self.program.types.ty(ty) {
            Ty::Record(record) => self.package_of_record(file, *record),
            Ty::Array(inner) | Ty::Promise(inner) | Ty::Dict(inner) => self.package_naming(file, *inner),
            _ => "ai".to_owned(),
        }
    }

    /// The package that an annotation of `file` names a record after: of several, one that the project declares.
    fn package_of_record(&self, file: FileId, record: RecordId) -> String {
        let packages = self.program.types.packages_naming(record);
        let is_declared = |package: &&str| {
            self.program.evidence(file, package).is_some_and(|evidence| evidence.source != VersionSource::Assumed)
        };
        let found = packages.iter().copied().find(is_declared).or_else(|| packages.first().copied());
        found.unwrap_or("ai").to_owned()
    }

    /// The record type of an SDK value.
    pub fn record_of(&self, value: Value) -> Option<RecordId> {
        match self.kind(value) {
            ValueKind::Sdk(sdk) => match self.program.types.ty(sdk.ty) {
                Ty::Record(record) => Some(*record),
                _ => None,
            },
            _ => None,
        }
    }

    /// Follows a value into a position of type `ty` and notes the objects that get a record type there.
    fn flow(
        &mut self,
        value: Value,
        ty: TyId,
        reach: &Reach,
        path: &mut Vec<String>,
        seen: &mut FxHashSet<(Value, TyId, Span)>,
        into: &mut Vec<Typed>,
    ) {
        if !self.step() || !seen.insert((value, ty, reach.span)) {
            return;
        }
        self.depth += 1;
        let types = std::sync::Arc::clone(&self.program.types);
        for member in self.alternatives(value) {
            let member = match *self.kind(member) {
                ValueKind::Promise(inner) => inner,
                _ => member,
            };
            match types.ty(ty) {
                Ty::Union(parts) => {
                    for part in parts {
                        self.flow(member, *part, reach, path, seen, into);
                    }
                }
                Ty::Record(record) => {
                    let object = match *self.kind(member) {
                        ValueKind::Sdk(sdk) => self.definition(sdk),
                        ValueKind::Object(_) | ValueKind::Rest(..) | ValueKind::Merged(_) => Some(member),
                        _ => None,
                    };
                    for object in object.map(|object| self.alternatives(object)).unwrap_or_default() {
                        if matches!(
                            self.kind(object),
                            ValueKind::Object(_) | ValueKind::Rest(..) | ValueKind::Merged(_)
                        ) {
                            into.push(Typed {
                                value: object,
                                record: *record,
                                reach: reach.clone(),
                                path: path.clone(),
                            });
                            for key in self.keys(object).known {
                                if let Some(ty) = types.property(*record, &key.name) {
                                    let value = self.eval(key.value);
                                    path.push(key.name);
                                    self.flow(value, ty, reach, path, seen, into);
                                    path.pop();
                                }
                            }
                        }
                    }
                }
                Ty::Dict(element) => {
                    if matches!(self.kind(member), ValueKind::Object(_) | ValueKind::Rest(..) | ValueKind::Merged(_)) {
                        for key in self.keys(member).known {
                            let value = self.eval(key.value);
                            path.push(key.name);
                            self.flow(value, *element, reach, path, seen, into);
                            path.pop();
                        }
                    }
                }
                Ty::Array(element) => {
                    if matches!(self.kind(member), ValueKind::Array(_) | ValueKind::Derived(_) | ValueKind::Tail(..)) {
                        for item in &self.elements(member).known {
                            let value = self.eval(item.loc);
                            self.flow(value, *element, reach, path, seen, into);
                        }
                    }
                }
                Ty::Promise(inner) => self.flow(member, *inner, reach, path, seen, into),
                Ty::Function(signature) => {
                    if let ValueKind::Function(file, function, ctx) = *self.kind(member)
                        && !matches!(types.ty(signature.result), Ty::Any | Ty::Plain)
                        && let Some(at) = self.module(file).function(function).expr
                    {
                        let result = self.returned_value(Env { file, ctx }, function, Loc { file, expr: at, ctx });
                        let result = self.awaited(result);
                        self.flow(result, signature.result, reach, path, seen, into);
                    }
                }
                Ty::Any | Ty::Plain | Ty::Stream(_) | Ty::Class(_) => {}
            }
        }
        self.depth -= 1;
    }
}
