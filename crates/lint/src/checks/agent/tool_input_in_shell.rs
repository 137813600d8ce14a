//! Commands for a shell that hold what the model wrote.

use agentcheck_model::Loc;
use agentcheck_model::hir::{BindingDef, ExprId, ExprKind, Module};
use agentcheck_syntax::Place;

use crate::context::{Context, Details};
use crate::finding::Related;
use crate::imported::imported;
use crate::tool_text::{model_called, shown};

pub(crate) fn check(cx: &mut Context<'_>) {
    for called in model_called(cx) {
        let module = cx.infer.module(called.file);
        let calls: Vec<ExprId> = called.exprs(module).collect();
        for call in calls {
            let module = cx.infer.module(called.file);
            let Some((name, command)) = command(cx, Loc::new(called.file, call)) else { continue };
            let Some(part) = called.written_part(cx, command, false) else { continue };
            let Some(verdict) = cx.judge(&called.package, &["shell"]) else { continue };
            let span = |expr: ExprId| module.expr(expr).span;
            let related = vec![Related {
                place: Place { file: called.file, span: span(part) },
                message: "the model writes this".to_owned(),
            }];
            let slots = vec![("name", name), ("part", shown(module, part))];
            let place = Place { file: called.file, span: span(command) };
            cx.report(&verdict, place, Details { slots, related, ..Details::default() });
        }
    }
}

/// The function that a call gives a shell's command to, and the command.
fn command(cx: &mut Context<'_>, call: Loc) -> Option<(String, ExprId)> {
    let module = cx.infer.module(call.file);
    let ExprKind::Call { callee, args } = module.expr(call.expr).kind else { return None };
    let args = module.exprs(args);
    let (source, path) = runner(module, callee)?;
    let [name] = path.as_slice() else { return None };
    let runs_shell = match (source, *name) {
        ("child_process", "exec" | "execSync") | ("execa", "execaCommand" | "execaCommandSync") => true,
        ("child_process", "spawn" | "spawnSync" | "execFile" | "execFileSync") => {
            args[1..].iter().any(|arg| has_shell(cx, call.at(*arg)))
        }
        _ => false,
    };
    (runs_shell && !args.is_empty()).then(|| ((*name).to_owned(), args[0]))
}

/// What a callee names of a module, through `promisify`.
fn runner(module: &Module, callee: ExprId) -> Option<(&str, Vec<&str>)> {
    if let Some(found) = imported(module, callee) {
        return Some(found);
    }
    let ExprKind::Ident { binding: Some(binding), .. } = module.expr(callee).kind else { return None };
    let BindingDef::Pattern { constant: true, .. } = module.binding(binding).def else { return None };
    let ExprKind::Call { callee, args } = module.expr(module.value_of_binding(binding)?).kind else { return None };
    let (source, path) = imported(module, callee)?;
    let is_promisify = source == "util" && path.last() == Some(&"promisify");
    imported(module, *module.exprs(args).first().filter(|_| is_promisify)?)
}

/// Whether options say `shell: true`.
fn has_shell(cx: &mut Context<'_>, options: Loc) -> bool {
    let value = cx.infer.eval(options);
    let Some(shell) = cx.infer.keys(value).get("shell").cloned() else { return false };
    let module = cx.infer.module(shell.value.file);
    matches!(module.expr(module.peel(shell.value.expr)).kind, ExprKind::Bool(true) | ExprKind::String(_))
}
