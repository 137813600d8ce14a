//! What of a caught error is in a value: the error as a whole, its message, its stack. Followed through variables, helpers
//! and nesting, from the value back to the `catch`.

use agentcheck_model::hir::{
    BinaryOp, BindingDef, BindingId, ExprId, ExprKind, FuncId, Module, Parent, PatKind, PropKind, RootSource, StmtId,
    StmtKind,
};
use agentcheck_model::{Infer, Loc, ValueKind};

use agentcheck_syntax::Place;

use crate::context::Context;

/// Values in values are followed this deep.
const DEPTH: u32 = 16;

/// What of an error is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// Its message, or the error as a text.
    Text,
    /// What lies behind it: `cause`, `response.data`.
    Detail,
    /// The stack.
    Stack,
    /// The error itself: what becomes JSON of it are its own properties, and not the message.
    Whole,
}

/// A place where a part of a caught error goes into a value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shown {
    pub part: Part,
    pub at: Loc,
    /// The call that hands it to a helper, when it is one that puts it into the value.
    pub through: Option<Loc>,
    /// The clause that caught it; `None` for a callback of `.catch(…)`.
    pub catch: Option<StmtId>,
    /// The function that it is caught in.
    pub function: Option<FuncId>,
}

/// Every part of a caught error in the value of an expression. `safe` are classes whose messages may be shown.
pub(crate) fn shown(cx: &mut Context<'_>, value: Loc, safe: &[String]) -> Vec<Shown> {
    let mut search = Search { infer: &mut cx.infer, safe, through: None, found: Vec::new() };
    search.value(value, DEPTH);
    let mut found = search.found;
    found.sort_by_key(|shown| (shown.at.file, shown.at.expr));
    found.dedup_by_key(|shown| (shown.at.file, shown.at.expr));
    found
}

impl Shown {
    /// How it is called in the code: a call that does not fit a line without its arguments.
    pub fn name(&self, infer: &Infer<'_>) -> String {
        let at = self.through.unwrap_or(self.at);
        let module = infer.module(at.file);
        let text = module.text(module.expr(at.expr).span);
        match module.expr(at.expr).kind {
            ExprKind::Call { callee, .. } if text.len() > 40 || text.contains('\n') => {
                format!("{}(…)", module.text(module.expr(callee).span))
            }
            _ => text.to_owned(),
        }
    }

    /// Where it leaves the function that caught it.
    pub fn place(&self, infer: &Infer<'_>) -> Place {
        let at = self.through.unwrap_or(self.at);
        Place { file: at.file, span: infer.module(at.file).expr(at.expr).span }
    }
}

struct Search<'s, 'p> {
    infer: &'s mut Infer<'p>,
    safe: &'s [String],
    through: Option<Loc>,
    found: Vec<Shown>,
}

impl<'p> Search<'_, 'p> {
    fn module(&self, loc: Loc) -> &'p Module {
        self.infer.module(loc.file)
    }

    fn value(&mut self, loc: Loc, left: u32) {
        let Some(left) = left.checked_sub(1) else { return };
        let module = self.module(loc);
        let loc = loc.at(module.peel(loc.expr));
        if let Some((part, caught)) = self.part(loc, left) {
            self.add(part, loc, caught);
            return;
        }
        match module.expr(loc.expr).kind {
            ExprKind::Object(props) => {
                for (_, prop) in module.props(props) {
                    if matches!(prop.kind, PropKind::Value | PropKind::Shorthand | PropKind::Spread) {
                        self.value(loc.at(prop.value), left);
                    }
                }
            }
            ExprKind::Array(list) | ExprKind::Template(list) => {
                module.exprs(list).iter().for_each(|element| self.value(loc.at(*element), left));
            }
            ExprKind::Spread(inner) | ExprKind::Await(inner) => self.value(loc.at(inner), left),
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Or | BinaryOp::Nullish | BinaryOp::And, one, other) => {
                self.value(loc.at(one), left);
                self.value(loc.at(other), left);
            }
            ExprKind::Conditional { then, otherwise, .. } => {
                self.value(loc.at(then), left);
                self.value(loc.at(otherwise), left);
            }
            ExprKind::Ident { binding: Some(binding), .. } => self.variable(loc, binding, left),
            ExprKind::Call { callee, args } => self.call(loc, callee, module.exprs(args), left),
            _ => {}
        }
    }

    fn add(&mut self, part: Part, at: Loc, caught: Caught) {
        if !is_told_apart(self.module(at), at.expr, self.safe) {
            let through = self.through;
            self.found.push(Shown { part, at, through, catch: caught.catch, function: caught.function });
        }
    }

    fn variable(&mut self, loc: Loc, binding: BindingId, left: u32) {
        let module = self.module(loc);
        match self.infer.argument_at(loc) {
            Some(Some(argument)) => return self.value(argument, left),
            Some(None) => return,
            None => {}
        }
        if let Some(value) = module.value_of_binding(binding) {
            self.value(loc.at(value), left);
        }
        let written: Vec<ExprId> = module
            .writes(binding)
            .filter_map(|pattern| match module.root(module.root_of(pattern)?).source {
                RootSource::Value(value) => Some(value),
                _ => None,
            })
            .collect();
        written.into_iter().for_each(|value| self.value(loc.at(value), left));
    }

    fn call(&mut self, loc: Loc, callee: ExprId, args: &[ExprId], left: u32) {
        let module = self.module(loc);
        if let ExprKind::Member { object, property } = module.expr(module.peel(callee)).kind {
            let name = module.name(property);
            // `work().catch((error) => ({ error: error.message }))`
            if name == "catch" || name == "then" {
                for callback in args {
                    if let ExprKind::Function(function) = module.expr(module.peel(*callback)).kind {
                        for value in agentcheck_model::returned(module, function) {
                            self.value(loc.at(value), left);
                        }
                    }
                }
                self.value(loc.at(object), left);
                return;
            }
            // `${error}`.slice(0, 200), [error.message].join()
            if matches!(name, "slice" | "substring" | "trim" | "toString" | "join" | "replace" | "concat") {
                self.value(loc.at(object), left);
                return;
            }
        }
        let callee = self.infer.eval(loc.at(callee));
        if matches!(self.infer.kind(callee), ValueKind::Global(_)) {
            // `JSON.stringify({ error })`, `String(error.message)`, `Object.assign({}, error)`
            args.iter().for_each(|arg| self.value(loc.at(*arg), left));
            return;
        }
        let outside = self.through;
        self.through = outside.or(Some(loc));
        for value in self.infer.returns_of_call(loc).unwrap_or_default() {
            self.value(value, left);
        }
        self.through = outside;
    }

    /// The part of a caught error that an expression is.
    fn part(&mut self, loc: Loc, left: u32) -> Option<(Part, Caught)> {
        let module = self.module(loc);
        if let Some(caught) = self.caught(loc, left) {
            return Some((whole_or_text(module, loc.expr), caught));
        }
        match module.expr(loc.expr).kind {
            ExprKind::Member { object, property } => {
                let caught = self.caught(loc.at(module.peel(object)), left);
                match (module.name(property), caught) {
                    ("message", Some(caught)) => Some((Part::Text, caught)),
                    ("stack", Some(caught)) => Some((Part::Stack, caught)),
                    ("cause", Some(caught)) => Some((Part::Detail, caught)),
                    // `error.response.data`, `error.cause.message`
                    ("data" | "message" | "body", None) => {
                        let ExprKind::Member { object: inner, property } = module.expr(module.peel(object)).kind else {
                            return None;
                        };
                        let of = module.name(property);
                        let caught = self.caught(loc.at(module.peel(inner)), left)?;
                        matches!(of, "response" | "cause" | "error").then_some((Part::Detail, caught))
                    }
                    _ => None,
                }
            }
            // `String(error)`, `error.toString()`
            ExprKind::Call { callee, args } => {
                let text = module.text(module.expr(callee).span);
                if let ([only], "String") = (module.exprs(args), text) {
                    return self.caught(loc.at(module.peel(*only)), left).map(|caught| (Part::Text, caught));
                }
                let ExprKind::Member { object, property } = module.expr(callee).kind else { return None };
                if module.name(property) != "toString" {
                    return None;
                }
                self.caught(loc.at(module.peel(object)), left).map(|caught| (Part::Text, caught))
            }
            _ => None,
        }
    }

    /// What caught the error that a variable is set to.
    fn written(&mut self, loc: Loc, binding: BindingId, left: u32) -> Option<Caught> {
        let module = self.module(loc);
        let values: Vec<ExprId> = module
            .writes(binding)
            .filter_map(|pattern| match module.root(module.root_of(pattern)?).source {
                RootSource::Value(value) => Some(value),
                _ => None,
            })
            .collect();
        values.into_iter().find_map(|value| self.caught(loc.at(value), left))
    }

    /// What caught the error that an expression names.
    fn caught(&mut self, loc: Loc, left: u32) -> Option<Caught> {
        let left = left.checked_sub(1)?;
        let module = self.module(loc);
        let expr = module.peel(loc.expr);
        let ExprKind::Ident { binding: Some(binding), .. } = module.expr(expr).kind else { return None };
        if let Some(argument) = self.infer.argument_at(loc.at(expr)) {
            return self.caught(argument?, left);
        }
        let BindingDef::Pattern { pattern, .. } = module.binding(binding).def else { return None };
        let root = module.root_of(pattern)?;
        // `catch ({ message })` takes a part, which is no error.
        if !matches!(module.pat(module.root(root).pattern).kind, PatKind::Binding(_)) {
            return None;
        }
        match module.root(root).source {
            RootSource::Catch => {
                let Parent::Stmt(clause) = module.root_parent(root) else { return None };
                Some(Caught { catch: Some(clause), function: module.function_above(module.stmt_parent(clause)) })
            }
            RootSource::Param { function, index: 0, .. } => is_rejection_callback(module, function)
                .then(|| Caught { catch: None, function: module.function(function).parent }),
            // `const failure = error as Error`, `let failure; … failure = error`
            RootSource::Value(value) => self.caught(loc.at(value), left).or_else(|| self.written(loc, binding, left)),
            RootSource::None => self.written(loc, binding, left),
            _ => None,
        }
    }
}

/// Where an error was caught.
#[derive(Clone, Copy)]
struct Caught {
    catch: Option<StmtId>,
    function: Option<FuncId>,
}

/// Within a text an error is its message.
fn whole_or_text(module: &Module, expr: ExprId) -> Part {
    match module.expr_parent(expr) {
        Parent::Expr(above) => match module.expr(above).kind {
            ExprKind::Template(_) | ExprKind::Binary(BinaryOp::Add, ..) => Part::Text,
            _ => Part::Whole,
        },
        _ => Part::Whole,
    }
}

/// `promise.catch((error) => …)`, `promise.then(…, (error) => …)`.
fn is_rejection_callback(module: &Module, function: FuncId) -> bool {
    let Some(expr) = module.function(function).expr else { return false };
    let Parent::Expr(call) = module.expr_parent(expr) else { return false };
    let ExprKind::Call { callee, args } = module.expr(call).kind else { return false };
    let ExprKind::Member { property, .. } = module.expr(callee).kind else { return false };
    let position = module.exprs(args).iter().position(|arg| *arg == expr);
    matches!((module.name(property), position), ("catch", Some(0)) | ("then", Some(1)))
}

/// Whether a place is reached only by errors of a class of the program's own, or one that is safe to show: they carry
/// messages that somebody wrote for others to read.
fn is_told_apart(module: &Module, expr: ExprId, safe: &[String]) -> bool {
    let tests_own = |test: ExprId| {
        let mut stack = vec![test];
        while let Some(test) = stack.pop() {
            match module.expr(test).kind {
                ExprKind::Binary(BinaryOp::Instanceof, _, class) => {
                    let class = module.text(module.expr(class).span);
                    if !matches!(class, "Error" | "TypeError" | "globalThis.Error")
                        || safe.iter().any(|safe| safe == class)
                    {
                        return true;
                    }
                }
                ExprKind::Binary(BinaryOp::And, left, right) => stack.extend([left, right]),
                // `AppError.is(error)`, `isAppError(error)`, `error.name === 'AppError'`
                ExprKind::Call { callee, .. } => {
                    let callee = module.text(module.expr(callee).span);
                    let name = callee.rsplit('.').next().unwrap_or(callee);
                    if callee.ends_with(".isInstance")
                        || (name.starts_with("is") && !matches!(name, "isError" | "isNativeError"))
                    {
                        return true;
                    }
                }
                ExprKind::Binary(BinaryOp::Equal, left, _) => {
                    let text = module.text(module.expr(left).span);
                    if text.ends_with(".name") || text.ends_with(".code") {
                        return true;
                    }
                }
                _ => {}
            }
        }
        false
    };
    let mut below = module.expr(expr).span;
    let mut parent = module.expr_parent(expr);
    for _ in 0..64 {
        parent = match parent {
            Parent::Expr(above) => {
                match module.expr(above).kind {
                    ExprKind::Conditional { test, then, .. } if module.expr(then).span == below && tests_own(test) => {
                        return true;
                    }
                    ExprKind::Binary(BinaryOp::And, test, then)
                        if module.expr(then).span == below && tests_own(test) =>
                    {
                        return true;
                    }
                    ExprKind::Function(_) => return false,
                    _ => {}
                }
                below = module.expr(above).span;
                module.expr_parent(above)
            }
            Parent::Prop(prop) => {
                below = module.expr(module.prop(prop).owner).span;
                module.expr_parent(module.prop(prop).owner)
            }
            Parent::Stmt(stmt) => {
                if let StmtKind::If { test, then, .. } = module.stmt(stmt).kind
                    && module.stmt(then).span.contains(below)
                    && tests_own(test)
                {
                    return true;
                }
                below = module.stmt(stmt).span;
                module.stmt_parent(stmt)
            }
            Parent::Root(root) => {
                below = module.pat(module.root(root).pattern).span;
                module.root_parent(root)
            }
            _ => return false,
        };
    }
    false
}
