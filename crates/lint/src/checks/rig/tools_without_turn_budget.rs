//! Agents with tools whose runs end before a tool's answer is read.

use agentcheck_model::rust::RustView;
use agentcheck_model::rust::hir::{BindingDef, ExprId, ExprKind};
use agentcheck_syntax::{Place, Span};

use crate::context::{Context, Details};
use crate::finding::Related;

/// Methods of the builder that give it tools.
const TOOLS: [&str; 9] = [
    "tool",
    "tools",
    "dynamic_tool",
    "dynamic_tools",
    "retrieved_tools",
    "rmcp_tool",
    "rmcp_tools",
    "portable_tool",
    "tool_server_handle",
];

/// Methods that say how many model calls a run may take, on the builder or on a prompt.
const BUDGETS: [&str; 6] =
    ["default_max_turns", "max_turns", "multi_turn", "default_max_depth", "add_hook", "with_hook"];

/// Methods that run the agent. `completion` is one call of the model and runs no tools.
const RUNS: [&str; 5] = ["prompt", "chat", "stream_prompt", "stream_chat", "prompt_typed"];

pub(crate) fn check(cx: &mut Context<'_>) {
    let Some(view) = cx.rust() else { return };
    for (id, expr) in view.module.all_exprs() {
        let ExprKind::Method { receiver, name, args } = &expr.kind else { continue };
        if view.text(*name) != "build" || !args.is_empty() {
            continue;
        }
        let function = expr.function.map(|function| view.module.function(function));
        if function.is_none_or(|function| function.is_test) {
            continue;
        }
        let Some(chain) = chain(&view, *receiver) else { continue };
        let Some(tool) = chain.iter().find(|(method, _)| TOOLS.contains(method)) else { continue };
        if let Some((_, budget)) = chain.iter().find(|(method, _)| BUDGETS.contains(method)) {
            too_small(cx, &view, *budget);
            continue;
        }
        let Some(run) = unbounded_run(&view, id) else { continue };
        let verdict = ["rig", "rig-core"].into_iter().find_map(|package| cx.judge(package, &["fails", "one-round"]));
        let Some(verdict) = verdict else { continue };
        let related = vec![
            Related { place: Place { file: cx.file, span: tool.1 }, message: "a tool is given here".to_owned() },
            Related { place: Place { file: cx.file, span: run }, message: "and it is run here".to_owned() },
        ];
        cx.report(&verdict, Place { file: cx.file, span: *name }, Details { related, ..Details::default() });
    }
}

/// The methods of a builder's chain, each with its place, through variables of the function. `None`: it does not begin with
/// an agent of rig, or parts of it cannot be seen.
fn chain<'p>(view: &RustView<'p>, end: ExprId) -> Option<Vec<(&'p str, Span)>> {
    let mut methods = Vec::new();
    let mut at = view.module.peel(end);
    for _ in 0..256 {
        match &view.expr(at).kind {
            ExprKind::Method { receiver, name, .. } => {
                let method = view.text(*name);
                methods.push((method, *name));
                if matches!(method, "agent" | "extractor") {
                    return is_of_rig(view, *receiver).then_some(methods);
                }
                at = view.module.peel(*receiver);
            }
            ExprKind::Call { callee, .. } => {
                let foreign = view.foreign_expr(*callee)?;
                let [.., ty, constructor] = foreign.path.as_slice() else { return None };
                let is_builder = matches!(foreign.package.as_str(), "rig" | "rig-core" | "rig-agent")
                    && ty == "AgentBuilder"
                    && constructor == "new";
                return is_builder.then_some(methods);
            }
            ExprKind::Path { binding: Some(binding), .. } => {
                let binding = view.module.binding(*binding);
                let BindingDef::Let(Some(value)) = binding.def else { return None };
                // `builder = builder.tool(x)`: every use is part of the chain.
                for reference in &binding.refs {
                    let parent = view.expr(*reference).parent?;
                    match &view.expr(parent).kind {
                        ExprKind::Method { receiver, name, .. } if *receiver == *reference => {
                            methods.push((view.text(*name), *name));
                        }
                        ExprKind::Assign { target, .. } if *target == *reference => {}
                        _ if *reference == at => {}
                        _ => return None,
                    }
                }
                at = view.module.peel(value);
            }
            ExprKind::Try(inner) | ExprKind::Await(inner) => at = view.module.peel(*inner),
            _ => return None,
        }
    }
    None
}

/// Whether a client is one of rig: made by something of it, or a parameter of one of its types.
fn is_of_rig(view: &RustView<'_>, receiver: ExprId) -> bool {
    let mut at = view.module.peel(receiver);
    for _ in 0..32 {
        match &view.expr(at).kind {
            ExprKind::Method { receiver, .. } => at = view.module.peel(*receiver),
            ExprKind::Try(inner) | ExprKind::Await(inner) => at = view.module.peel(*inner),
            ExprKind::Call { callee, .. } => {
                return view
                    .foreign_expr(*callee)
                    .is_some_and(|foreign| matches!(foreign.package.as_str(), "rig" | "rig-core" | "rig-agent"));
            }
            ExprKind::Path { binding: Some(binding), .. } => match view.module.binding(*binding).def {
                BindingDef::Let(Some(value)) if value != at => at = view.module.peel(value),
                _ => return false,
            },
            _ => return false,
        }
    }
    false
}

/// Where an agent that stays in its function is run without a budget. `None`: it goes elsewhere, or every run has one.
fn unbounded_run(view: &RustView<'_>, build: ExprId) -> Option<Span> {
    let mut at = build;
    // `let agent = … .build()?;`
    while let Some(parent) = view.expr(at).parent
        && matches!(view.expr(parent).kind, ExprKind::Try(_) | ExprKind::Wrapped(_))
    {
        at = parent;
    }
    let parent = view.expr(at).parent?;
    match &view.expr(parent).kind {
        ExprKind::Let { bindings, .. } => {
            let [binding] = bindings.as_slice() else { return None };
            let mut found = None;
            for reference in &view.module.binding(*binding).refs {
                let mut used = *reference;
                while let Some(parent) = view.expr(used).parent
                    && matches!(view.expr(parent).kind, ExprKind::Wrapped(_))
                {
                    used = parent;
                }
                match run_of(view, used)? {
                    Some(span) => found = found.or(Some(span)),
                    None => return None,
                }
            }
            found
        }
        _ => run_of(view, at)?,
    }
}

/// The run that an agent is used for: `Some(None)` when it has a budget, `None` when the agent is used otherwise.
fn run_of(view: &RustView<'_>, agent: ExprId) -> Option<Option<Span>> {
    let parent = view.expr(agent).parent?;
    let ExprKind::Method { receiver, name, .. } = &view.expr(parent).kind else { return None };
    if *receiver != agent || !RUNS.contains(&view.text(*name)) {
        return None;
    }
    let mut at = parent;
    loop {
        let Some(above) = view.expr(at).parent else { return Some(Some(*name)) };
        match &view.expr(above).kind {
            ExprKind::Method { receiver, name, .. } if *receiver == at => {
                if BUDGETS.contains(&view.text(*name)) {
                    return Some(None);
                }
                at = above;
            }
            ExprKind::Await(_) | ExprKind::Try(_) => return Some(Some(*name)),
            // A prompt that goes elsewhere may get its budget there.
            _ => return None,
        }
    }
}

/// A budget of 0 or 1 model calls, which a tool's answer does not fit into.
fn too_small(cx: &mut Context<'_>, view: &RustView<'_>, method: Span) {
    let call = view.module.all_exprs().find(|(_, expr)| matches!(&expr.kind, ExprKind::Method { name, .. } if *name == method));
    let Some((_, expr)) = call else { return };
    let ExprKind::Method { args, .. } = &expr.kind else { return };
    let [count] = args.as_slice() else { return };
    let text = view.text(view.expr(*count).span);
    if !matches!(view.expr(*count).kind, ExprKind::Number) || !matches!(text, "0" | "1") {
        return;
    }
    let verdict = ["rig", "rig-core"].into_iter().find_map(|package| cx.judge(package, &["too-small"]));
    let Some(verdict) = verdict else { return };
    let slots = vec![("count", text.to_owned())];
    cx.report(&verdict, Place { file: cx.file, span: method }, Details { slots, ..Details::default() });
}
