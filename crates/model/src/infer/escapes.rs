//! The errors that can leave a function: those thrown in it, in callbacks that run within it, and in functions of the project
//! that it calls.

use std::rc::Rc;

use agentcheck_syntax::FileId;

use super::array::passes_elements;
use super::memo::Asked;
use super::{Infer, Loc, ValueKind};
use crate::flow::{Fate, Throw, fate, is_caught, leaving_throws};
use crate::hir::{BindingDef, ExprId, ExprKind, FuncId, Module, RootSource};

/// An error that can leave a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Escape {
    /// Where it is thrown, and in which function.
    pub file: FileId,
    pub function: FuncId,
    pub throw: Throw,
    /// The functions that are entered on the way to the throw; empty for one of the function's own.
    pub path: Vec<Entered>,
    /// Whether it arrives as the rejection of a promise.
    pub is_rejection: bool,
}

/// A function of the project that is called on the way to a throw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entered {
    pub call: Loc,
    pub file: FileId,
    pub function: FuncId,
}

/// Functions are entered this deep: what real helpers throw, they throw near to the tool.
const CALLS: usize = 4;

/// Files are read for functions that are called this deep; further ones are entered if something else had them read.
const READ: usize = 2;

/// More errors than this are not told apart.
const ESCAPES: usize = 24;

impl Infer<'_> {
    /// The errors that can leave a function, in the order of the calls and throws in it.
    pub fn escapes(&mut self, file: FileId, function: FuncId) -> Rc<Vec<Escape>> {
        self.escapes_at(file, function, 0)
    }

    /// The same for a function that is `depth` calls away from the one that is asked about.
    fn escapes_at(&mut self, file: FileId, function: FuncId, depth: usize) -> Rc<Vec<Escape>> {
        if depth >= READ && !self.idle {
            return self.idly(|this| this.escapes_at(file, function, depth));
        }
        match self.escapes.ask(((file, function), self.idle)) {
            Asked::Known(escapes) => return escapes,
            // What a function throws by calling itself it throws without.
            Asked::Cycle => return Rc::default(),
            Asked::New => {}
        }
        let mut escapes = Vec::new();
        if self.step() {
            self.depth += 1;
            self.collect_escapes(file, function, depth, &mut escapes);
            self.depth -= 1;
        }
        escapes.truncate(ESCAPES);
        self.escapes.answer(escapes)
    }

    fn collect_escapes(&mut self, file: FileId, function: FuncId, depth: usize, into: &mut Vec<Escape>) {
        let module = self.module(file);
        let is_async = module.function(function).is_async;
        into.extend(leaving_throws(module, function).into_iter().map(|throw| Escape {
            file,
            function,
            throw,
            path: Vec::new(),
            is_rejection: is_async || throw.is_rejection,
        }));
        for call in calls_of(module, function) {
            let ExprKind::Call { callee, args } = module.expr(call).kind else { continue };
            let let_out = LetOut::of(module, call);
            if !let_out.thrown && !let_out.rejected {
                continue;
            }
            if let Some(callback) = callback_within(module, callee, module.exprs(args)) {
                let escapes = self.escapes_at(file, callback, depth);
                into.extend(
                    escapes
                        .iter()
                        .filter(|escape| let_out.lets(escape))
                        .map(|escape| Escape { is_rejection: is_async || escape.is_rejection, ..escape.clone() }),
                );
            }
            // What a parameter holds, callers know: asking all of them is not worth it.
            if begins_with_parameter(module, callee, HOPS) {
                continue;
            }
            let called = self.eval(Loc::new(file, callee));
            for member in self.alternatives(called) {
                let ValueKind::Function(of, entered, _) = *self.kind(member) else { continue };
                // Calling a generator runs nothing of it.
                if self.module(of).function(entered).is_generator {
                    continue;
                }
                let step = Entered { call: Loc::new(file, call), file: of, function: entered };
                let escapes = self.escapes_at(of, entered, depth + 1);
                let leaving = escapes.iter().filter(|escape| escape.path.len() < CALLS && let_out.lets(escape));
                into.extend(leaving.map(|escape| Escape {
                    path: std::iter::once(step).chain(escape.path.iter().copied()).collect(),
                    is_rejection: is_async || escape.is_rejection,
                    ..*escape
                }));
            }
        }
    }
}

/// What a call lets out of the function around it.
struct LetOut {
    thrown: bool,
    rejected: bool,
}

impl LetOut {
    fn of(module: &Module, call: ExprId) -> Self {
        let rejected = match fate(module, call) {
            Fate::Awaited(by) => !is_caught(module, by),
            Fate::Returned => true,
            Fate::Lost => false,
        };
        Self { thrown: !is_caught(module, call), rejected }
    }

    fn lets(&self, escape: &Escape) -> bool {
        if escape.is_rejection { self.rejected } else { self.thrown }
    }
}

/// The calls that a function makes itself, in source order.
fn calls_of(module: &Module, function: FuncId) -> Vec<ExprId> {
    let mut calls: Vec<ExprId> = module
        .exprs_within(module.function(function).span)
        .filter(|(id, expr)| {
            matches!(expr.kind, ExprKind::Call { .. }) && module.enclosing_function(*id) == Some(function)
        })
        .map(|(id, _)| id)
        .collect();
    calls.sort_by_key(|call| module.expr(*call).span.start);
    calls
}

/// Names that stand for each other are followed this far.
const HOPS: u32 = 16;

/// Whether a callee is a parameter, a member of one, or a name for either.
fn begins_with_parameter(module: &Module, callee: ExprId, hops: u32) -> bool {
    let Some(hops) = hops.checked_sub(1) else { return true };
    let begins = |expr: ExprId| begins_with_parameter(module, expr, hops);
    match module.expr(callee).kind {
        ExprKind::Member { object, .. } | ExprKind::Index { object, .. } => begins(object),
        ExprKind::Call { callee, .. } => begins(callee),
        ExprKind::Await(inner) | ExprKind::NonNull(inner) | ExprKind::Cast { value: inner, .. } => begins(inner),
        ExprKind::Binary(_, left, right) | ExprKind::Conditional { then: left, otherwise: right, .. } => {
            begins(left) || begins(right)
        }
        ExprKind::Ident { binding: Some(binding), .. } => {
            let BindingDef::Pattern { pattern, .. } = module.binding(binding).def else { return false };
            match module.root_of(pattern).map(|root| module.root(root).source) {
                Some(RootSource::Param { .. }) => true,
                Some(RootSource::Value(value)) => begins(value),
                _ => false,
            }
        }
        _ => false,
    }
}

/// The callback of `list.map(…)` and its like: it runs before the call ends.
fn callback_within(module: &Module, callee: ExprId, args: &[ExprId]) -> Option<FuncId> {
    let ExprKind::Member { property, .. } = module.expr(callee).kind else { return None };
    if !passes_elements(module.name(property)) && !matches!(module.name(property), "reduce" | "sort") {
        return None;
    }
    match module.expr(module.peel(*args.first()?)).kind {
        ExprKind::Function(function) => Some(function),
        _ => None,
    }
}
