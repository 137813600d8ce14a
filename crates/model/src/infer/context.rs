//! Contexts: which call a function is looked at for. What a helper returns depends on what this caller passes, not on what
//! another one does.

use agentcheck_syntax::FileId;

use super::Infer;
use super::value::{Ctx, Env, Loc};
use crate::hir::{ExprId, ExprKind, FuncId};

/// Longer chains of calls are not told apart.
const CHAIN_LIMIT: u32 = 4;

/// A function, called from one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Context {
    file: FileId,
    function: FuncId,
    /// The call expression, in its own context.
    call: Loc,
    /// The context of the functions around this one.
    around: Ctx,
    depth: u32,
}

impl Infer<'_> {
    fn context(&self, ctx: Ctx) -> Option<&Context> {
        self.contexts.get((ctx.0 as usize).checked_sub(1)?)
    }

    /// The context of the body of a function that `call` calls.
    pub(super) fn called_from(&mut self, file: FileId, function: FuncId, around: Ctx, call: Loc) -> Ctx {
        let depth = self.context(call.ctx).map_or(0, |context| context.depth) + 1;
        if depth > CHAIN_LIMIT || self.module(file).function(function).params.is_empty() {
            return around;
        }
        let context = Context { file, function, call, around, depth };
        if let Some(known) = self.context_ids.get(&context) {
            return *known;
        }
        self.contexts.push(context);
        let ctx = Ctx(self.contexts.len() as u32);
        self.context_ids.insert(context, ctx);
        ctx
    }

    /// The part of a context that matters at an offset: functions that do not surround it are left out.
    pub(super) fn within(&self, env: Env, offset: u32) -> Env {
        let mut ctx = env.ctx;
        while let Some(context) = self.context(ctx) {
            let span = self.module(context.file).function(context.function).span;
            if context.file == env.file && span.start <= offset && offset < span.end {
                break;
            }
            ctx = context.around;
        }
        Env { ctx, ..env }
    }

    /// What the call of the context passes at a position. `None`: any caller; `Some(None)`: it passes nothing there or it
    /// cannot be told.
    pub(super) fn passed(&self, env: Env, function: FuncId, index: usize) -> Option<Option<Loc>> {
        let mut ctx = env.ctx;
        while let Some(context) = self.context(ctx) {
            if context.file == env.file && context.function == function {
                let call = context.call;
                let module = self.module(call.file);
                let (ExprKind::Call { args, .. } | ExprKind::New { args, .. }) = module.expr(call.expr).kind else {
                    return None;
                };
                let args: &[ExprId] = module.exprs(args);
                let spread = |arg: &ExprId| matches!(module.expr(*arg).kind, ExprKind::Spread(_));
                if args.iter().take(index + 1).any(spread) {
                    return Some(None);
                }
                return Some(args.get(index).map(|arg| call.at(*arg)));
            }
            ctx = context.around;
        }
        None
    }
}
