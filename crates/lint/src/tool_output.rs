//! What a tool's `execute` hands back: the values that it returns, or yields.

use agentcheck_model::hir::ExprKind;
use agentcheck_model::{Infer, Loc, returned};

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
