//! Who calls a function of the project: by its name, as a method, as a constructor; in its own file and in others.

use std::rc::Rc;

use agentcheck_syntax::FileId;
use rustc_hash::FxHashMap;

use super::{Infer, Loc};
use crate::hir::{
    BindingDef, BindingId, ClassId, ClassMemberKind, ExportKind, ExprId, ExprKind, FuncId, Module, Parent, PatKind,
    PropKey, PropKind, StmtKind,
};

/// The calls of a function.
#[derive(Debug, Default)]
pub(super) struct Callers {
    /// The call expressions.
    pub calls: Vec<Loc>,
    /// Whether nobody else can call it.
    pub is_complete: bool,
    /// Files whose importers may call it and were not read.
    pub unread: Vec<FileId>,
}

/// Name of a method → the calls of methods of that name: callee and call.
pub(super) type MethodCalls = FxHashMap<String, Vec<(ExprId, ExprId)>>;

impl Infer<'_> {
    /// The calls of a function that the program shows.
    pub(super) fn callers(&mut self, file: FileId, function: FuncId) -> Rc<Callers> {
        if let Some(known) = self.callers.get(&(file, function)) {
            let known = Rc::clone(known);
            self.want_callers(file, function, &known.unread);
            return known;
        }
        // While it is worked out, nobody is known to call it.
        self.callers.insert((file, function), Rc::default());
        let module = self.module(file);
        let callers = match module.binding_of_function(function) {
            Some(binding) => self.callers_of_name(file, binding),
            None => match own_place(module, function) {
                Some(OwnPlace::Method(name)) => {
                    let mut callers = self.callers_of_method(file, function, name);
                    self.callers_of_export(file, function, name, &mut callers);
                    callers
                }
                Some(OwnPlace::Constructor(class)) => {
                    let mut callers = Callers::default();
                    self.constructions(file, class, &mut callers);
                    callers
                }
                None => Callers::default(),
            },
        };
        self.want_callers(file, function, &callers.unread);
        let callers = Rc::new(callers);
        self.callers.insert((file, function), Rc::clone(&callers));
        callers
    }

    fn want_callers(&mut self, file: FileId, function: FuncId, unread: &[FileId]) {
        if file == self.home || self.module(file).binding_of_function(function).is_some() {
            self.want_importers(unread);
        }
    }

    /// The arguments that a function of the project is called with at a position, and whether those are all its calls.
    pub fn arguments(&mut self, file: FileId, function: FuncId, index: usize) -> (Vec<Loc>, bool) {
        let callers = self.callers(file, function);
        let mut complete = callers.is_complete;
        let mut arguments = Vec::new();
        for call in &callers.calls {
            let module = self.module(call.file);
            let (ExprKind::Call { args, .. } | ExprKind::New { args, .. }) = module.expr(call.expr).kind else {
                continue;
            };
            let args = module.exprs(args);
            if args.iter().take(index + 1).any(|arg| matches!(module.expr(*arg).kind, ExprKind::Spread(_))) {
                complete = false;
            } else {
                arguments.extend(args.get(index).map(|arg| call.at(*arg)));
            }
        }
        (arguments, complete)
    }

    fn callers_of_name(&mut self, file: FileId, binding: BindingId) -> Callers {
        let uses = self.uses(file, binding);
        let mut callers = Callers { calls: Vec::new(), is_complete: !uses.is_exported, unread: uses.unread.clone() };
        for place in &uses.places {
            let module = self.module(place.file);
            match called_by(module, place.expr) {
                Some(call) => callers.calls.push(place.at(call)),
                // Passed on as a value: called by somebody else.
                None => callers.is_complete = false,
            }
        }
        callers
    }

    /// The calls `x.name(…)` in which `x.name` is the function.
    fn callers_of_method(&mut self, file: FileId, function: FuncId, name: &str) -> Callers {
        let mut callers = Callers::default();
        for caller in self.importing_files(file, &mut callers.unread) {
            let by_name = self.method_calls(caller);
            for (callee, call) in by_name.get(name).into_iter().flatten() {
                if self.is_function(Loc::new(caller, *callee), file, function) {
                    callers.calls.push(Loc::new(caller, *call));
                }
            }
        }
        callers
    }

    /// The calls of a function that is exported under its key: `module.exports = { run() {} }`, `exports.run = () => {}`.
    fn callers_of_export(&mut self, file: FileId, function: FuncId, name: &str, into: &mut Callers) {
        let module = self.module(file);
        let is_assigned = module
            .exports
            .iter()
            .any(|export| matches!(export.kind, ExportKind::Whole(_) | ExportKind::Assigned { .. }));
        if !is_assigned {
            return;
        }
        let uses = self.uses_of_export(file, name);
        into.unread.extend(&uses.unread);
        for place in uses.places {
            let Some(call) = called_by(self.module(place.file), place.expr) else { continue };
            let call = place.at(call);
            if !into.calls.contains(&call) && self.is_function(place, file, function) {
                into.calls.push(call);
            }
        }
    }

    fn method_calls(&mut self, file: FileId) -> Rc<MethodCalls> {
        if let Some(known) = self.method_calls.get(&file) {
            return Rc::clone(known);
        }
        let module = self.module(file);
        let mut calls = MethodCalls::default();
        for (id, node) in module.all_exprs() {
            if let ExprKind::Call { callee, .. } = node.kind
                && let ExprKind::Member { property, .. } = module.expr(module.peel(callee)).kind
            {
                calls.entry(module.name(property).to_owned()).or_default().push((callee, id));
            }
        }
        let calls = Rc::new(calls);
        self.method_calls.insert(file, Rc::clone(&calls));
        calls
    }

    /// `new Class(…)`, and `super(…)` in the classes that extend it.
    fn constructions(&mut self, file: FileId, class: ClassId, into: &mut Callers) {
        if !self.step() {
            return;
        }
        let Some(binding) = binding_of_class(self.module(file), class) else { return };
        self.depth += 1;
        let uses = self.uses(file, binding);
        into.unread.extend(&uses.unread);
        for place in &uses.places {
            let module = self.module(place.file);
            if let Some(subclass) = extended_by(module, place.expr) {
                match super_call(module, subclass) {
                    Some(call) => into.calls.push(place.at(call)),
                    // Without a constructor of its own it hands on what it is given.
                    None if (place.file, subclass) != (file, class) => self.constructions(place.file, subclass, into),
                    None => {}
                }
            } else if let Parent::Expr(parent) = module.expr_parent(place.expr)
                && matches!(module.expr(parent).kind, ExprKind::New { callee, .. } if callee == place.expr)
            {
                into.calls.push(place.at(parent));
            }
        }
        self.depth -= 1;
    }
}

/// Where a function without a name of its own is kept.
enum OwnPlace<'m> {
    /// Under this key of an object or class.
    Method(&'m str),
    Constructor(ClassId),
}

fn own_place(module: &Module, function: FuncId) -> Option<OwnPlace<'_>> {
    let expr = module.function(function).expr?;
    match module.expr_parent(expr) {
        Parent::Prop(prop) => match (module.prop(prop).kind, module.prop(prop).key) {
            (PropKind::Getter | PropKind::Setter, _) => None,
            (_, PropKey::Name(name)) => Some(OwnPlace::Method(module.name(name))),
            _ => None,
        },
        Parent::ClassMember(id) => {
            let member = module.class_member(id);
            match (member.kind, member.key) {
                (ClassMemberKind::Constructor, _) => module.class_of_member(id).map(OwnPlace::Constructor),
                (ClassMemberKind::Field | ClassMemberKind::Method, PropKey::Name(name)) => {
                    Some(OwnPlace::Method(module.name(name)))
                }
                _ => None,
            }
        }
        // `exports.run = (…) => …`, `this.run = …`
        Parent::Root(root) => match module.pat(module.root(root).pattern).kind {
            PatKind::Target(target) => match module.expr(target).kind {
                ExprKind::Member { property, .. } => Some(OwnPlace::Method(module.name(property))),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// The call whose callee an expression is.
fn called_by(module: &Module, mut callee: ExprId) -> Option<ExprId> {
    loop {
        let Parent::Expr(parent) = module.expr_parent(callee) else { return None };
        match module.expr(parent).kind {
            ExprKind::Call { callee: called, .. } if called == callee => return Some(parent),
            ExprKind::Cast { .. } | ExprKind::NonNull(_) => callee = parent,
            _ => return None,
        }
    }
}

fn binding_of_class(module: &Module, class: ClassId) -> Option<BindingId> {
    let declared = module.all_bindings().find(|(_, binding)| binding.def == BindingDef::Class(class));
    if let Some((binding, _)) = declared {
        return Some(binding);
    }
    let (expr, _) = module.all_exprs().find(|(_, expr)| expr.kind == ExprKind::Class(class))?;
    module.binding_of_value(expr)
}

/// The class that extends what an expression names.
fn extended_by(module: &Module, base: ExprId) -> Option<ClassId> {
    let class = match module.expr_parent(base) {
        Parent::Stmt(stmt) => match module.stmt(stmt).kind {
            StmtKind::Class(class) => class,
            _ => return None,
        },
        Parent::Expr(expr) => match module.expr(expr).kind {
            ExprKind::Class(class) => class,
            _ => return None,
        },
        _ => return None,
    };
    (module.class(class).extends == Some(base)).then_some(class)
}

/// `super(…)` in the constructor of a class.
fn super_call(module: &Module, class: ClassId) -> Option<ExprId> {
    module
        .exprs_within(module.class(class).span)
        .find(|(id, expr)| match expr.kind {
            ExprKind::Call { callee, .. } => {
                module.expr(callee).kind == ExprKind::Super && module.class_of_this(*id) == Some(class)
            }
            _ => false,
        })
        .map(|(id, _)| id)
}
