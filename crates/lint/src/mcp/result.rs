//! What a handler returns.

use std::rc::Rc;

use agentcheck_model::hir::{ExprId, ExprKind, FuncId, Module, Parent, StmtId, StmtKind};
use agentcheck_model::{Keys, Loc, Value, ValueKind};
use agentcheck_syntax::{FileId, Place};

use super::{Tool, tools};
use crate::context::Context;
use crate::finding::Related;

/// A value that a handler may return.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Returned {
    /// What is returned, in the handler.
    pub at: Loc,
    /// One of the values that it may be, awaited.
    pub value: Value,
}

/// An object that a handler may return.
pub(crate) struct Answer {
    pub tool: Rc<Tool>,
    pub returned: Returned,
    /// The object literal.
    pub object: Loc,
    /// The ways in which it may come out.
    pub worlds: Rc<Vec<Keys>>,
}

impl Answer {
    /// The object, and what leads to it from elsewhere.
    pub(crate) fn place(&self, cx: &Context<'_>) -> Place {
        Place { file: self.object.file, span: cx.infer.module(self.object.file).expr(self.object.expr).span }
    }

    /// That the handler of the tool returns the object, when it is not written there.
    pub(crate) fn related(&self, cx: &Context<'_>) -> Vec<Related> {
        let at = self.returned.at;
        let span = cx.infer.module(at.file).expr(at.expr).span;
        if at.file == self.object.file && span.contains(self.place(cx).span) {
            return Vec::new();
        }
        vec![Related { place: Place { file: at.file, span }, message: "returned by this handler".to_owned() }]
    }
}

/// The values that a function may return, one by one.
pub(crate) fn returned(cx: &mut Context<'_>, file: FileId, function: FuncId) -> Vec<Returned> {
    let module = cx.infer.module(file);
    if module.function(function).is_generator {
        return Vec::new();
    }
    let mut found = Vec::new();
    for expr in agentcheck_model::returned(module, function) {
        let at = Loc::new(file, expr);
        let value = cx.infer.eval(at);
        let value = cx.infer.awaited(value);
        for member in cx.infer.alternatives(value) {
            let value = cx.infer.awaited(member);
            found.push(Returned { at, value });
        }
    }
    found
}

/// The objects that the handlers of the file's tools may return.
pub(crate) fn answers(cx: &mut Context<'_>) -> Vec<Answer> {
    let mut found = Vec::new();
    for tool in tools(cx) {
        let tool = Rc::new(tool);
        for (file, function) in tool.handlers.clone() {
            for returned in returned(cx, file, function) {
                if let ValueKind::Object(object) = *cx.infer.kind(returned.value) {
                    let worlds = cx.infer.worlds(returned.value);
                    found.push(Answer { tool: Rc::clone(&tool), returned, object, worlds });
                }
            }
        }
    }
    found
}

/// What is known of a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flag {
    Set,
    NotSet,
    Unknown,
}

/// Whether an answer says that it is a failure.
pub(crate) fn is_error(cx: &mut Context<'_>, keys: &Keys) -> Flag {
    let Some(key) = keys.get("isError").cloned() else {
        return if keys.open.is_empty() { Flag::NotSet } else { Flag::Unknown };
    };
    let value = cx.infer.eval(key.value);
    match *cx.infer.kind(value) {
        ValueKind::Bool(true) if key.certain => Flag::Set,
        ValueKind::Bool(false) | ValueKind::Undefined => Flag::NotSet,
        _ => Flag::Unknown,
    }
}

/// The `catch` clause or callback of `.catch(…)` that an expression stands in, the innermost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Handler {
    Clause(StmtId),
    Callback(FuncId),
}

/// What catches the errors for which an expression stands.
pub(crate) fn handler_around(module: &Module, expr: ExprId) -> Option<Handler> {
    let mut parent = module.expr_parent(expr);
    loop {
        parent = match parent {
            Parent::Module | Parent::ClassMember(_) => return None,
            Parent::Function(function) => {
                return is_rejection_callback(module, function).then_some(Handler::Callback(function));
            }
            Parent::Expr(expr) => module.expr_parent(expr),
            Parent::Prop(prop) => module.expr_parent(module.prop(prop).owner),
            Parent::Root(root) => module.root_parent(root),
            Parent::Pat(pattern) => module.root_parent(module.root_of(pattern)?),
            Parent::Stmt(stmt) => match module.stmt(stmt).kind {
                StmtKind::Catch { .. } => return Some(Handler::Clause(stmt)),
                _ => module.stmt_parent(stmt),
            },
        };
    }
}

/// `promise.catch(() => …)`
fn is_rejection_callback(module: &Module, function: FuncId) -> bool {
    let Some(expr) = module.function(function).expr else { return false };
    let Parent::Expr(call) = module.expr_parent(expr) else { return false };
    let ExprKind::Call { callee, args } = module.expr(call).kind else { return false };
    let ExprKind::Member { property, .. } = module.expr(callee).kind else { return false };
    module.name(property) == "catch" && module.exprs(args).first() == Some(&expr)
}
