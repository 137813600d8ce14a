//! Whether what a `catch` receives may tell of something outside the program.

use agentcheck_model::hir::{BindingDef, ExprId, ExprKind, FuncId, Module, Parent, StmtId, StmtKind};

/// Functions and objects of the platform that reach outside.
const OUTSIDE: [&str; 10] =
    ["fetch", "require", "process", "XMLHttpRequest", "WebSocket", "EventSource", "Bun", "Deno", "caches", "indexedDB"];

/// Whether the block that a `catch` belongs to waits for something, or calls what it did not make itself.
pub(crate) fn may_do_io(module: &Module, function: FuncId, catch: StmtId) -> bool {
    let Parent::Stmt(parent) = module.stmt_parent(catch) else { return true };
    let StmtKind::Try { block, .. } = module.stmt(parent).kind else { return true };
    let within = module.function(function).span;
    module.exprs_within(module.stmt(block).span).any(|(_, node)| match node.kind {
        ExprKind::Await(_) | ExprKind::Yield(_) | ExprKind::Import(_) | ExprKind::Tagged { .. } | ExprKind::Unknown => {
            true
        }
        ExprKind::Call { callee, .. } | ExprKind::New { callee, .. } => match root_of(module, callee) {
            Some(root) => match module.expr(root).kind {
                ExprKind::Ident { name, binding: None } => OUTSIDE.contains(&module.name(name)),
                // Made within `execute`, by calls that are looked at as well.
                ExprKind::Ident { binding: Some(binding), .. } => {
                    let binding = module.binding(binding);
                    let made_here = matches!(binding.def, BindingDef::Pattern { constant: true, .. });
                    !(made_here && within.contains(binding.span))
                }
                _ => true,
            },
            // A literal: `'a'.split('')`, `[…].map(…)`.
            None => false,
        },
        _ => false,
    })
}

/// The name that a callee begins with; `None` when it begins with a literal.
fn root_of(module: &Module, mut expr: ExprId) -> Option<ExprId> {
    loop {
        expr = match module.expr(expr).kind {
            ExprKind::Member { object, .. } | ExprKind::Index { object, .. } => object,
            ExprKind::Call { callee, .. } | ExprKind::New { callee, .. } => callee,
            ExprKind::NonNull(inner) | ExprKind::Cast { value: inner, .. } => inner,
            ExprKind::String(_)
            | ExprKind::Template(_)
            | ExprKind::Array(_)
            | ExprKind::Object(_)
            | ExprKind::Regex
            | ExprKind::Number(_) => return None,
            _ => return Some(expr),
        };
    }
}
