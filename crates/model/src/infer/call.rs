//! What calls return: of SDK functions by the type table, of the project's functions by their `return`s, of a few functions
//! of the language by what they do.

use agentcheck_catalog::{ExportId, Ty};
use agentcheck_syntax::FileId;

use super::array::{ArrayMethod, array_method};
use super::value::Env;
use super::{Infer, Loc, Sdk, Unknown, Value, ValueKind};
use crate::hir::{BindingDef, Body, ExprId, ExprKind, FuncId, List, Module, PatRole, RootSource, StmtId, StmtKind};
use crate::program::Target;

impl<'p> Infer<'p> {
    pub(super) fn eval_call(&mut self, loc: Loc, callee: ExprId, args: List<ExprId>) -> Value {
        let module = self.module(loc.file);
        let args = module.exprs(args);
        if let ExprKind::Member { object, property } = module.expr(module.peel(callee)).kind {
            let receiver = self.eval(loc.at(object));
            if let Some(value) = self.method_call(loc, receiver, module.name(property), args) {
                return value;
            }
        }
        if is_made_require(module, callee) {
            return self.required(loc, args);
        }
        if module.expr(callee).kind == ExprKind::Super {
            return self.unknown(Unknown::Call, loc);
        }
        let callee = self.eval(loc.at(callee));
        if let ValueKind::Global(global) = *self.kind(callee)
            && let Some(value) = self.global_call(loc, global, args)
        {
            return value;
        }
        self.called_at(callee, loc)
    }

    pub(super) fn eval_construct(&mut self, loc: Loc, callee: ExprId) -> Value {
        let callee = self.eval(loc.at(callee));
        self.map(callee, |this, member| match this.kind(member).clone() {
            ValueKind::Class(file, class) => match this.sdk_base(file, class).map(|base| this.export_type(base)) {
                Some(Ty::Class(signature)) => {
                    let result = signature.result;
                    this.sdk_value(result, Some(loc), loc)
                }
                _ => this.make(ValueKind::Instance(file, class)),
            },
            ValueKind::Export(export) => match this.program.types.ty(this.program.types.value(export).ty) {
                Ty::Class(signature) => this.sdk_value(signature.result, Some(loc), loc),
                _ => this.unknown(Unknown::Call, loc),
            },
            ValueKind::Global(_) => this.make(ValueKind::Builtin(loc)),
            ValueKind::Unknown(why @ (Unknown::Unread(_) | Unknown::Barrel(_)), _) => this.unknown(why, loc),
            _ => this.unknown(Unknown::Call, loc),
        })
    }

    /// The SDK's class that a class extends without members of its own that we would lose.
    pub(super) fn sdk_base(&mut self, file: FileId, class: crate::hir::ClassId) -> Option<ExportId> {
        let module = self.module(file);
        let class = module.class(class);
        let base = self.eval_in(file, class.extends?);
        if !class.members.is_empty() {
            return None;
        }
        match *self.kind(base) {
            ValueKind::Export(export) => matches!(self.export_type(export), Ty::Class(_)).then_some(export),
            _ => None,
        }
    }

    fn export_type(&self, export: ExportId) -> &'p Ty {
        let types = &self.program.types;
        types.ty(types.value(export).ty)
    }

    /// What calling `callee` at `loc` returns.
    fn called_at(&mut self, callee: Value, loc: Loc) -> Value {
        self.map(callee, |this, member| match this.kind(member).clone() {
            ValueKind::Export(export) => this.sdk_call(this.program.types.value(export).ty, loc),
            ValueKind::Sdk(Sdk { ty, .. }) => this.sdk_call(ty, loc),
            ValueKind::Function(file, function, around) => {
                let ctx = this.called_from(file, function, around, loc);
                this.returned_value(Env { file, ctx }, function, loc)
            }
            ValueKind::Unknown(why @ (Unknown::Import | Unknown::Unread(_) | Unknown::Barrel(_)), _) => {
                this.unknown(why, loc)
            }
            _ => this.unknown(Unknown::Call, loc),
        })
    }

    /// What calling `callee` returns, when no call expression stands for it: a callback, a getter.
    pub(super) fn called(&mut self, callee: Value, loc: Loc) -> Value {
        self.map(callee, |this, member| match *this.kind(member) {
            ValueKind::Function(file, function, ctx) => this.returned_value(Env { file, ctx }, function, loc),
            ValueKind::Unknown(why @ (Unknown::Unread(_) | Unknown::Barrel(_)), _) => this.unknown(why, loc),
            _ => this.unknown(Unknown::Call, loc),
        })
    }

    fn sdk_call(&mut self, ty: agentcheck_catalog::TyId, loc: Loc) -> Value {
        match self.program.types.ty(ty) {
            Ty::Function(signature) => self.sdk_value(signature.result, Some(loc), loc),
            _ => self.unknown(Unknown::Call, loc),
        }
    }

    /// The expressions that the functions called by `call` may return, each as this call makes it; `None` when some of
    /// them cannot be seen.
    pub fn returns_of_call(&mut self, call: Loc) -> Option<Vec<Loc>> {
        let (ExprKind::Call { callee, .. } | ExprKind::New { callee, .. }) =
            self.module(call.file).expr(call.expr).kind
        else {
            return None;
        };
        let callee = self.eval(call.at(callee));
        let mut found = Vec::new();
        for member in self.alternatives(callee) {
            let ValueKind::Function(file, function, around) = *self.kind(member) else { return None };
            let ctx = self.called_from(file, function, around, call);
            found.extend(returned(self.module(file), function).into_iter().map(|expr| Loc { file, expr, ctx }));
        }
        Some(found)
    }

    /// What the call that `loc` is looked at for passes for the parameter that is named there; `Some(None)` when it passes
    /// nothing, `None` for everything else.
    pub fn argument_at(&self, loc: Loc) -> Option<Option<Loc>> {
        let module = self.module(loc.file);
        let ExprKind::Ident { binding: Some(binding), .. } = module.expr(loc.expr).kind else { return None };
        let BindingDef::Pattern { pattern, .. } = module.binding(binding).def else { return None };
        let PatRole::Root(root) = module.pat(pattern).role else { return None };
        let RootSource::Param { function, index, rest: false, .. } = module.root(root).source else { return None };
        self.passed(loc.env(), function, index as usize)
    }

    /// What a function of the project returns, whoever calls it.
    pub fn eval_returned(&mut self, file: FileId, function: FuncId, loc: Loc) -> Value {
        self.returned_value(Env::any(file), function, loc)
    }

    pub(super) fn returned_value(&mut self, env: Env, function: FuncId, loc: Loc) -> Value {
        let file = env.file;
        match self.returns.get(&(env, function)) {
            Some(Some(value)) => return *value,
            Some(None) => return self.unknown(Unknown::Cycle, loc),
            None => {}
        }
        self.returns.insert((env, function), None);
        let module = self.module(file);
        let node = *module.function(function);
        let values: Vec<Value> = returned(module, function).into_iter().map(|expr| self.eval(env.at(expr))).collect();
        let mut value = match self.join(values) {
            // What a generator returns is not what calling it gives.
            _ if node.is_generator => self.unknown(Unknown::Syntax, loc),
            Some(value) if node.is_async => {
                let inner = self.awaited(value);
                self.make(ValueKind::Promise(inner))
            }
            Some(value) => value,
            None if node.body == Body::None => self.unknown(Unknown::Call, loc),
            None if node.is_async => {
                let nothing = self.make(ValueKind::Undefined);
                self.make(ValueKind::Promise(nothing))
            }
            None => self.make(ValueKind::Undefined),
        };
        let unknown = match *self.kind(value) {
            ValueKind::Promise(inner) => matches!(self.kind(inner), ValueKind::Unknown(..)),
            ValueKind::Unknown(..) => true,
            _ => false,
        };
        if unknown && let Some(ty) = node.return_type.and_then(|ty| self.annotated(file, ty)) {
            value = self.sdk_value(ty, None, loc);
        }
        self.returns.insert((env, function), Some(value));
        value
    }

    fn method_call(&mut self, loc: Loc, receiver: Value, method: &str, args: &[ExprId]) -> Option<Value> {
        let at = |expr: ExprId| loc.at(expr);
        match self.kind(receiver).clone() {
            ValueKind::Promise(inner) => {
                let callback = args.first().map(|callback| self.eval(at(*callback)));
                let value = match (method, callback) {
                    ("then", Some(callback)) => {
                        let result = self.called(callback, loc);
                        self.awaited(result)
                    }
                    ("catch", Some(callback)) => {
                        let caught = self.called(callback, loc);
                        let caught = self.awaited(caught);
                        self.join_or_unknown([inner, caught], loc)
                    }
                    ("finally", _) => inner,
                    _ => return None,
                };
                Some(self.make(ValueKind::Promise(value)))
            }
            ValueKind::Array(_) | ValueKind::Derived(_) | ValueKind::Tail(..) => self.array_call(loc, receiver, method),
            // The same function, with its `this` settled.
            ValueKind::Function(..) if method == "bind" => Some(receiver),
            ValueKind::Union(members) => {
                if members.iter().any(|member| self.is_array(*member)) {
                    return self.array_call(loc, receiver, method);
                }
                let promises: Vec<Value> =
                    members.into_iter().filter(|member| matches!(self.kind(*member), ValueKind::Promise(_))).collect();
                let results: Vec<Value> =
                    promises.into_iter().filter_map(|promise| self.method_call(loc, promise, method, args)).collect();
                self.join(results)
            }
            ValueKind::Sdk(_) if self.is_array(receiver) => self.array_call(loc, receiver, method),
            // What `map` makes of something unseen is still made by its callback.
            ValueKind::Unknown(..) | ValueKind::Declared(..)
                if array_method(method).is_some_and(|method| method != ArrayMethod::Pick)
                    && args.first().is_some_and(|callback| self.is_function_literal(at(*callback))) =>
            {
                Some(self.make(ValueKind::Derived(loc)))
            }
            // Whatever is called with `then` or `catch` is a promise.
            ValueKind::Unknown(..)
                if matches!(method, "then" | "catch")
                    && args.first().is_some_and(|callback| self.is_function_literal(at(*callback))) =>
            {
                let callback = self.eval(at(args[0]));
                let result = self.called(callback, loc);
                let result = self.awaited(result);
                let value = match method {
                    "then" => result,
                    _ => self.join_or_unknown([receiver, result], loc),
                };
                Some(self.make(ValueKind::Promise(value)))
            }
            // `fn.call(…)`, `fn.bind(…)` of the project are not followed.
            _ => None,
        }
    }

    fn is_function_literal(&self, loc: Loc) -> bool {
        let module = self.module(loc.file);
        matches!(module.expr(loc.expr).kind, ExprKind::Function(_))
    }

    fn is_array(&self, value: Value) -> bool {
        match self.kind(value) {
            ValueKind::Array(_) | ValueKind::Derived(_) | ValueKind::Tail(..) => true,
            ValueKind::Sdk(sdk) => matches!(self.program.types.ty(sdk.ty), Ty::Array(_)),
            _ => false,
        }
    }

    fn array_call(&mut self, loc: Loc, receiver: Value, method: &str) -> Option<Value> {
        match array_method(method)? {
            ArrayMethod::Derive | ArrayMethod::Map => Some(self.make(ValueKind::Derived(loc))),
            ArrayMethod::Pick => Some(self.element(receiver, loc)),
        }
    }

    /// `require('x')`.
    fn required(&mut self, loc: Loc, args: &[ExprId]) -> Value {
        let module = self.module(loc.file);
        let source = args.first().and_then(|source| module.string(*source));
        let target = source.and_then(|source| self.target(loc.file, source));
        if let Some(Target::File(file)) = target
            && let Some(whole) = self.module(file).whole_export()
        {
            return self.eval_in(file, whole);
        }
        self.namespace(target, loc)
    }

    /// Functions of the language whose result is known from their arguments.
    fn global_call(&mut self, loc: Loc, global: Loc, args: &[ExprId]) -> Option<Value> {
        let module = self.module(global.file);
        let at = |expr: ExprId| loc.at(expr);
        let path = module.text(module.expr(global.expr).span);
        let first = args.first().copied();
        match (path, first) {
            ("require", Some(_)) => Some(self.required(loc, args)),
            ("Promise.resolve", Some(value)) => {
                let value = self.eval(at(value));
                let value = self.awaited(value);
                Some(self.make(ValueKind::Promise(value)))
            }
            // `const [a, b] = await Promise.all([x, y])`: the same places, awaited one by one where they are read.
            ("Promise.all", Some(list)) => {
                let list = self.eval(at(list));
                Some(self.make(ValueKind::Promise(list)))
            }
            ("Object.assign", Some(_)) => {
                let parts: Vec<Value> = args.iter().map(|arg| self.eval(at(*arg))).collect();
                Some(self.make(ValueKind::Merged(parts)))
            }
            ("Object.freeze" | "Object.seal" | "structuredClone", Some(value)) if args.len() == 1 => {
                Some(self.eval(at(value)))
            }
            // Of a `Map` or a `Set` it makes an array of what is in it.
            ("Array.from", Some(value)) if args.len() == 1 => {
                let value = self.eval(at(value));
                let members = self.alternatives(value);
                members.into_iter().all(|member| !matches!(self.kind(member), ValueKind::Builtin(_))).then_some(value)
            }
            ("String" | "Number" | "Boolean" | "JSON.stringify" | "Date.now" | "parseInt" | "parseFloat", _) => {
                Some(self.make(ValueKind::Opaque))
            }
            _ => None,
        }
    }
}

/// Whether a callee is a `require` that `createRequire` made.
pub(crate) fn is_made_require(module: &Module, callee: ExprId) -> bool {
    let ExprKind::Ident { binding: Some(binding), .. } = module.expr(callee).kind else { return false };
    let Some(value) = module.value_of_binding(binding) else { return false };
    let ExprKind::Call { callee, .. } = module.expr(value).kind else { return false };
    module.text(module.expr(callee).span).ends_with("createRequire")
}

/// The expressions that a function returns.
pub fn returned(module: &Module, function: FuncId) -> Vec<ExprId> {
    match module.function(function).body {
        Body::None => Vec::new(),
        Body::Expr(expr) => vec![expr],
        Body::Block(block) => {
            let mut found = Vec::new();
            let mut stack = vec![block];
            while let Some(stmt) = stack.pop() {
                if let StmtKind::Return(Some(value)) = module.stmt(stmt).kind {
                    found.push(value);
                }
                child_stmts(module, stmt, &mut stack);
            }
            found.sort_unstable();
            found
        }
    }
}

/// Appends the statements directly inside a statement. Functions and classes are not entered.
pub(crate) fn child_stmts(module: &Module, stmt: StmtId, into: &mut Vec<StmtId>) {
    match module.stmt(stmt).kind {
        StmtKind::If { then, otherwise, .. } => {
            into.push(then);
            into.extend(otherwise);
        }
        StmtKind::Block(list) => into.extend_from_slice(module.stmts(list)),
        StmtKind::Loop { init, body, .. } => {
            into.extend(init);
            into.push(body);
        }
        StmtKind::ForEach { body, .. }
        | StmtKind::Catch { body, .. }
        | StmtKind::Case { body, .. }
        | StmtKind::Labeled(body) => into.push(body),
        StmtKind::Try { block, catch, finally } => {
            into.push(block);
            into.extend(catch);
            into.extend(finally);
        }
        StmtKind::Switch { cases, .. } => into.extend_from_slice(module.stmts(cases)),
        StmtKind::Nothing
        | StmtKind::Expr(_)
        | StmtKind::Declare(_)
        | StmtKind::Function(_)
        | StmtKind::Class(_)
        | StmtKind::Return(_)
        | StmtKind::Throw(_)
        | StmtKind::Break
        | StmtKind::Continue => {}
    }
}
