//! Two tools of one name on one server.

use agentcheck_model::hir::{Module, Parent, StmtId, StmtKind};
use agentcheck_model::ValueKind;

use crate::context::{Context, Details};
use crate::finding::Related;
use crate::mcp::{Form, Tool, tools};

pub(crate) fn check(cx: &mut Context<'_>) {
    let tools: Vec<(Tool, String)> = tools(cx)
        .into_iter()
        .filter(|tool| tool.form != Form::LowLevel)
        .filter_map(|tool| tool.name(cx).map(|name| (tool, name)))
        .collect();
    for (index, (tool, name)) in tools.iter().enumerate() {
        let first = tools[..index].iter().find(|(other, of)| of == name && is_same_run(cx, other, tool));
        let Some((first, _)) = first else { continue };
        let Some(verdict) = cx.judge(&tool.call.package, &["twice"]) else { continue };
        let Some(at) = tool.name else { continue };
        let place = |at: agentcheck_model::Loc| agentcheck_syntax::Place {
            file: at.file,
            span: cx.infer.module(at.file).expr(at.expr).span,
        };
        let related = first.name.map(|at| Related { place: place(at), message: "registered here before".to_owned() });
        let (place, related) = (place(at), related.into_iter().collect());
        cx.report(&verdict, place, Details { slots: vec![("name", name.clone())], related, ..Details::default() });
    }
}

/// Whether both register with the same server, whenever the second does.
fn is_same_run(cx: &Context<'_>, first: &Tool, second: &Tool) -> bool {
    let module = cx.infer.module(cx.file);
    let (one, other) = (first.call.loc.expr, second.call.loc.expr);
    let function = module.enclosing_function(one);
    if function != module.enclosing_function(other) || first.call.receiver != second.call.receiver {
        return false;
    }
    let Some(receiver) = first.call.receiver else { return false };
    let ValueKind::Sdk(sdk) = *cx.infer.kind(receiver) else { return false };
    // Two parameters may be two servers.
    let text = |tool: &Tool| module.text(module.expr(tool.call.callee).span).rsplit_once('.').map(|(object, _)| object);
    if sdk.origin.is_none() && text(first) != text(second) {
        return false;
    }
    // What is kept can be removed or renamed.
    let is_dropped = matches!(module.expr_parent(one), Parent::Stmt(stmt) if matches!(module.stmt(stmt).kind, StmtKind::Expr(_)));
    is_dropped && branch(module, module.expr_parent(one)).is_none_or(|of| {
        module.stmt(of).span.contains(module.expr(other).span)
    })
}

/// The innermost block around a statement that may be left out: a branch, a `catch`.
fn branch(module: &Module, mut parent: Parent) -> Option<StmtId> {
    loop {
        parent = match parent {
            Parent::Stmt(stmt) => {
                let above = module.stmt_parent(stmt);
                if let Parent::Stmt(outer) = above
                    && matches!(
                        module.stmt(outer).kind,
                        StmtKind::If { .. } | StmtKind::Case { .. } | StmtKind::Catch { .. } | StmtKind::Try { .. }
                    )
                {
                    return Some(stmt);
                }
                above
            }
            Parent::Expr(expr) => module.expr_parent(expr),
            Parent::Root(root) => module.root_parent(root),
            _ => return None,
        };
    }
}
