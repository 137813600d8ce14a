//! What a tool's `execute` hands back: the values that it returns, or yields.

use agentcheck_model::hir::{Body, ExprKind, UnaryOp};
use agentcheck_model::{Infer, Loc, ValueKind, returned};

use crate::tool_functions::ToolFunction;

/// The expressions whose value becomes the tool's output: what is returned, of a generator what is yielded.
pub(crate) fn outputs(infer: &Infer<'_>, execute: &ToolFunction) -> Vec<Loc> {
    let module = infer.module(execute.file);
    let function = module.function(execute.function);
    if !function.is_generator {
        let returned = returned(module, execute.function);
        return returned.into_iter().map(|expr| Loc::new(execute.file, expr)).collect();
    }
    let yields = module.exprs_within(function.span).filter_map(|(expr, node)| match node.kind {
        ExprKind::Yield(Some(value)) if module.enclosing_function(expr) == Some(execute.function) => Some(value),
        _ => None,
    });
    yields.map(|expr| Loc::new(execute.file, expr)).collect()
}

/// Whether what `execute` hands back is turned into something else before the model sees it.
pub(crate) fn is_converted(execute: &ToolFunction) -> bool {
    execute.keys.get("toModelOutput").is_some() || execute.keys.get("experimental_toToolResultContent").is_some()
}

/// Calls are followed this deep.
pub(crate) const CALLS: u32 = 4;

/// Whether an expression is certainly nothing: `undefined`, or a call of a function of the project that returns nothing.
/// That a property is not in sight is no proof.
pub(crate) fn is_nothing(infer: &mut Infer<'_>, loc: Loc, left: u32) -> bool {
    let module = infer.module(loc.file);
    match module.expr(module.peel(loc.expr)).kind {
        ExprKind::Ident { name, binding: None } => module.name(name) == "undefined",
        ExprKind::Unary(UnaryOp::Void, _) => true,
        ExprKind::Await(inner) => is_nothing(infer, loc.at(inner), left),
        ExprKind::Call { callee, .. } => {
            let value = infer.eval(loc.at(callee));
            let ValueKind::Function(file, function, ctx) = *infer.kind(value) else { return false };
            let module = infer.module(file);
            let node = module.function(function);
            let Some(left) = left.checked_sub(1) else { return false };
            let values = returned(module, function);
            !node.is_generator
                && node.body != Body::None
                && values.into_iter().all(|expr| is_nothing(infer, Loc { file, expr, ctx }, left))
        }
        _ => false,
    }
}
