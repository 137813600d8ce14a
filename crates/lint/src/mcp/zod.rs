//! Whether an expression is a schema of zod, as far as syntax and constants tell.

use agentcheck_model::Loc;
use agentcheck_model::hir::{BindingDef, ExprId, ExprKind, Module};

use crate::context::Context;

/// A schema of zod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Schema {
    /// The function that makes it: `object`, `string`.
    pub base: String,
    /// The call that makes it, with the calls that refine it.
    pub at: Loc,
}

impl Schema {
    /// Whether it is a schema of an object rather than a plain object of schemas.
    pub(crate) fn is_object(&self) -> bool {
        matches!(self.base.as_str(), "object" | "strictObject" | "looseObject")
    }
}

/// The schema that an expression is.
pub(crate) fn schema(cx: &mut Context<'_>, loc: Loc) -> Option<Schema> {
    let module = cx.infer.module(loc.file);
    let mut expr = module.peel(loc.expr);
    for _ in 0..8 {
        let ExprKind::Ident { binding: Some(binding), .. } = module.expr(expr).kind else { break };
        if !matches!(module.binding(binding).def, BindingDef::Pattern { constant: true, .. }) {
            return None;
        }
        expr = module.peel(module.value_of_binding(binding)?);
    }
    let base = base(module, expr)?.to_owned();
    Some(Schema { base, at: loc.at(expr) })
}

/// `object` in `z.object({…}).strict()`.
fn base(module: &Module, mut expr: ExprId) -> Option<&str> {
    let mut base = None;
    loop {
        expr = match module.expr(expr).kind {
            ExprKind::Call { callee, .. } => {
                let ExprKind::Member { object, property } = module.expr(callee).kind else { return None };
                base = Some(module.name(property));
                object
            }
            ExprKind::Ident { binding: Some(binding), .. } => {
                let BindingDef::Import(import) = module.binding(binding).def else { return None };
                let source = module.name(module.import_decl(module.import(import).decl).source);
                return (source == "zod" || source.starts_with("zod/")).then_some(base).flatten();
            }
            _ => return None,
        };
    }
}
