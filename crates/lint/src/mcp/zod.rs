//! Whether an expression is a schema of zod, as far as syntax and constants tell.

use agentcheck_model::hir::{BindingDef, ExprId, ExprKind, Module};
use agentcheck_model::{Loc, ValueKind};

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

/// A field of an object's schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    pub name: String,
    pub is_required: bool,
}

/// The fields that a plain object of schemas or a `z.object()` lists, and whether it refuses others; `None` when they cannot
/// all be seen.
pub(crate) fn fields(cx: &mut Context<'_>, loc: Loc) -> Option<(Vec<Field>, bool)> {
    let mut is_closed = true;
    let mut listed = loc;
    if let Some(schema) = schema(cx, loc) {
        let module = cx.infer.module(schema.at.file);
        let ExprKind::Call { callee, args } = module.expr(schema.at.expr).kind else { return None };
        let ExprKind::Member { object, .. } = module.expr(callee).kind else { return None };
        // What refines it may change the fields.
        if !schema.is_object() || !matches!(module.expr(object).kind, ExprKind::Ident { .. }) {
            return None;
        }
        is_closed = schema.base != "looseObject";
        listed = schema.at.at(*module.exprs(args).first()?);
    }
    let value = cx.infer.eval(listed);
    if !matches!(cx.infer.kind(value), ValueKind::Object(_)) {
        return None;
    }
    let keys = cx.infer.keys(value);
    if !keys.open.is_empty() || keys.known.iter().any(|key| !key.certain) {
        return None;
    }
    let may_miss = |cx: &Context<'_>, loc: Loc| {
        let module = cx.infer.module(loc.file);
        let node = module.expr(loc.expr);
        let makes_optional = [
            "optional",
            "nullish",
            "default",
            "prefault",
            "catch",
            "any",
            "unknown",
            "undefined",
            "void",
            "exactOptional",
        ];
        let is_written = matches!(node.kind, ExprKind::Call { .. });
        let chain = module.exprs_within(node.span).any(|(_, inner)| match inner.kind {
            ExprKind::Member { property, .. } => makes_optional.contains(&module.name(property)),
            _ => false,
        });
        !is_written || chain
    };
    let fields = keys.known.iter().map(|key| Field { name: key.name.clone(), is_required: !may_miss(cx, key.value) });
    Some((fields.collect(), is_closed))
}
