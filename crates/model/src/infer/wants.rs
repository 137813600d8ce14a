//! What inference asks of the project: which files would have to be read to say more. Reading them is somebody else's
//! work; the answers come with the next program.

use std::collections::BTreeSet;

use agentcheck_catalog::{Ty, TyId};
use agentcheck_syntax::FileId;

use super::value::Env;
use super::{Infer, Loc, Unknown, Value, ValueKind};
use crate::hir::{BindingDef, ClassMemberKind, ExportKind, ExprId, ExprKind};
use crate::program::Target;

/// The files of the project that one file's answers hang on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    /// Files that were looked into, or would have been if they had been read.
    pub files: BTreeSet<FileId>,
    /// Files whose importers were looked for.
    pub importers: BTreeSet<FileId>,
    pub wants: Wants,
}

impl Trace {
    /// Adds what other answers hang on.
    pub fn extend(&mut self, other: Self) {
        self.files.extend(other.files);
        self.importers.extend(other.importers);
        self.wants.files.extend(other.wants.files);
        self.wants.named.extend(other.wants.named);
        self.wants.importers.extend(other.wants.importers);
    }
}

/// What would have to be read to say more.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wants {
    /// Files that define something which flows into an SDK position.
    pub files: BTreeSet<FileId>,
    /// Files of a barrel that matter if they export this name, themselves or by a barrel of their own.
    pub named: BTreeSet<(FileId, String)>,
    /// Files whose importers matter: those pass arguments, or receive SDK values.
    pub importers: BTreeSet<FileId>,
    /// Every file that names an SDK: something may stand anywhere in the project.
    pub every_sdk_file: bool,
}

/// An exported object is looked into this deep for SDK values.
const DEPTH: u32 = 3;

impl Infer<'_> {
    /// Every file of the project that names an SDK, as far as they are read: for what may stand anywhere.
    pub fn every_sdk_file(&mut self) -> Vec<FileId> {
        self.trace.wants.every_sdk_file = true;
        if self.program.has_every_sdk_file() { self.program.file_ids() } else { Vec::new() }
    }

    /// Answers questions to which "not read" is an answer: no file is wanted for them. Whether something is an SDK value is
    /// such a question: files that come by SDK values are read without it (see [`Infer::explore`]).
    pub fn idly<T>(&mut self, ask: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.idle, true);
        let answer = ask(self);
        self.idle = outer;
        answer
    }

    /// What a specifier in `file` leads to, noted as something that the answer hangs on.
    pub(super) fn target(&mut self, file: FileId, specifier: &str) -> Option<Target> {
        let target = self.program.target(file, specifier)?;
        if let Target::File(other) | Target::Unread(other) = target {
            self.trace.files.insert(other);
        }
        Some(target)
    }

    /// Notes the files that would have to be read to know a value.
    pub(super) fn note(&mut self, value: Value) {
        if self.idle {
            return;
        }
        match self.kind(value) {
            ValueKind::Unknown(Unknown::Unread(file), _) => {
                let file = *file;
                self.trace.wants.files.insert(file);
            }
            ValueKind::Unknown(Unknown::Barrel(barrel), _) => {
                let (files, name) = &self.barrels[*barrel as usize];
                self.trace.wants.named.extend(files.iter().map(|file| (*file, name.clone())));
            }
            // Only its own: from the methods of one class to those of the next it would never end.
            ValueKind::Unknown(Unknown::MethodCallers(_), at) if at.file != self.home => {}
            ValueKind::Unknown(Unknown::Callers(file) | Unknown::MethodCallers(file), _) => {
                let file = *file;
                self.trace.wants.importers.insert(file);
            }
            ValueKind::Promise(inner) => self.note(*inner),
            ValueKind::Union(members) => members.clone().into_iter().for_each(|member| self.note(member)),
            _ => {}
        }
    }

    /// Notes what is wanted beside the values that the rules ask for: the files whose functions receive SDK values, and the
    /// importers of a file that hands SDK values out.
    pub(super) fn explore(&mut self, file: FileId) {
        if self.idly(|this| this.hands_out(file)) {
            self.trace.importers.insert(file);
            if !self.program.has_importers_of(file) {
                self.trace.wants.importers.insert(file);
            }
        }
        let module = self.module(file);
        for (_, node) in module.all_exprs() {
            if let ExprKind::Call { callee, args } = node.kind
                && let Some(target) = self.unread_callee(file, callee)
                && module.exprs(args).iter().any(|arg| self.is_given(Loc::new(file, *arg)))
            {
                self.trace.wants.files.insert(target);
            }
        }
    }

    /// The unread file that a callee begins with: `run(…)`, `llm.run(…)`.
    fn unread_callee(&mut self, file: FileId, callee: ExprId) -> Option<FileId> {
        let module = self.module(file);
        let mut expr = module.peel(callee);
        while let ExprKind::Member { object, .. } = module.expr(expr).kind {
            expr = module.peel(object);
        }
        let ExprKind::Ident { binding: Some(binding), .. } = module.expr(expr).kind else { return None };
        let BindingDef::Import(import) = module.binding(binding).def else { return None };
        let source = module.name(module.import_decl(module.import(import).decl).source);
        match self.target(file, source)? {
            Target::Unread(target) => Some(target),
            Target::Sdk(_) | Target::File(_) => None,
        }
    }

    /// Whether an argument is an SDK value or holds one.
    fn is_given(&mut self, argument: Loc) -> bool {
        self.idly(|this| {
            let value = this.eval(argument);
            this.holds_sdk(value, DEPTH)
        })
    }

    /// Whether importers of a file may receive SDK values, types or functions from it.
    fn hands_out(&mut self, file: FileId) -> bool {
        let module = self.module(file);
        module.exports.iter().any(|export| match export.kind {
            ExportKind::Local { binding, .. } => match module.binding(binding).def {
                BindingDef::Type(ty) => self.annotated(file, ty).is_some_and(|ty| self.says_something(ty)),
                _ => {
                    let Some(at) = self.any_loc_of(file) else { return false };
                    let value = self.eval_binding(Env::any(file), binding, at);
                    self.holds_sdk(value, DEPTH)
                }
            },
            ExportKind::Default(value) | ExportKind::Whole(value) | ExportKind::Assigned { value, .. } => {
                let value = self.eval_in(file, value);
                self.holds_sdk(value, DEPTH)
            }
            ExportKind::From { source, imported, .. } => match self.target(file, module.name(source)) {
                Some(Target::Sdk(_)) => true,
                Some(Target::File(target)) => {
                    let Some(at) = self.any_loc_of(file) else { return true };
                    let value = self.export_of_file(target, module.name(imported), at);
                    self.holds_sdk(value, DEPTH)
                }
                Some(Target::Unread(_)) | None => false,
            },
            ExportKind::Star { source } | ExportKind::Namespace { source, .. } => {
                match self.target(file, module.name(source)) {
                    Some(Target::Sdk(_)) => true,
                    Some(Target::File(target)) => target != file && self.step() && self.hands_out(target),
                    Some(Target::Unread(_)) | None => false,
                }
            }
        })
    }

    pub(super) fn any_loc_of(&self, file: FileId) -> Option<Loc> {
        self.module(file).all_exprs().next().map(|(expr, _)| Loc::new(file, expr))
    }

    /// Whether a value is one of an SDK that rules ask about, or gives one: when called, read from, constructed.
    fn holds_sdk(&mut self, value: Value, depth: u32) -> bool {
        if depth == 0 || !self.step() {
            return false;
        }
        self.alternatives(value).into_iter().any(|member| match self.kind(member).clone() {
            ValueKind::Sdk(sdk) => self.says_something(sdk.ty),
            ValueKind::Export(_) | ValueKind::Namespace(_) => true,
            ValueKind::Promise(inner) | ValueKind::Tail(inner, _) | ValueKind::Rest(inner, _) => {
                self.holds_sdk(inner, depth)
            }
            ValueKind::Function(file, function, _) => {
                let Some(at) = self.any_loc_of(file) else { return false };
                let returned = self.eval_returned(file, function, at);
                self.holds_sdk(returned, depth - 1)
            }
            ValueKind::Object(_) | ValueKind::Merged(_) => {
                let keys = self.keys(member).known;
                keys.into_iter().any(|key| {
                    let value = self.eval(key.value);
                    self.holds_sdk(value, depth - 1)
                })
            }
            ValueKind::Array(_) | ValueKind::Derived(_) => {
                let elements = self.elements(member);
                !elements.sdk.is_empty()
                    || elements.known.iter().any(|element| {
                        let value = self.eval(element.loc);
                        self.holds_sdk(value, depth - 1)
                    })
            }
            ValueKind::Class(file, class) | ValueKind::Instance(file, class) => {
                let module = self.module(file);
                if let Some(base) = module.class(class).extends {
                    let base = self.eval_in(file, base);
                    if self.holds_sdk(base, depth - 1) {
                        return true;
                    }
                }
                module.class_members(module.class(class).members).any(|(_, member)| {
                    let is_read = matches!(
                        member.kind,
                        ClassMemberKind::Field | ClassMemberKind::Method | ClassMemberKind::Getter
                    );
                    member.value.filter(|_| is_read).is_some_and(|value| {
                        let value = self.eval_in(file, value);
                        self.holds_sdk(value, depth - 1)
                    })
                })
            }
            _ => false,
        })
    }

    /// Whether the table says anything of what values of a type hold.
    fn says_something(&self, ty: TyId) -> bool {
        let types = &self.program.types;
        match types.ty(ty) {
            Ty::Any | Ty::Plain => false,
            Ty::Record(record) => types.has_properties(*record),
            Ty::Function(_) | Ty::Class(_) => true,
            Ty::Promise(inner) | Ty::Array(inner) | Ty::Stream(inner) | Ty::Dict(inner) => self.says_something(*inner),
            Ty::Union(members) => members.iter().any(|member| self.says_something(*member)),
        }
    }
}
