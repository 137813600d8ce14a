//! Code that the model wrote and that runs within the program.

use agentcheck_model::hir::{ExprId, ExprKind, Module};
use agentcheck_syntax::Place;

use crate::context::{Context, Details};
use crate::imported::imported;
use crate::tool_text::{model_called, shown};

pub(crate) fn check(cx: &mut Context<'_>) {
    for called in model_called(cx) {
        let module = cx.infer.module(called.file);
        let calls: Vec<ExprId> = called.exprs(module).collect();
        for call in calls {
            let module = cx.infer.module(called.file);
            let Some((name, code)) = code(module, call) else { continue };
            let Some(part) = called.written_part(cx, code, true) else { continue };
            let Some(verdict) = cx.judge(&called.package, &["code"]) else { continue };
            let slots = vec![("name", name), ("part", shown(module, part))];
            let place = Place { file: called.file, span: module.expr(code).span };
            cx.report(&verdict, place, Details { slots, ..Details::default() });
        }
    }
}

/// What runs a text as code, and the text.
fn code(module: &Module, call: ExprId) -> Option<(String, ExprId)> {
    let (ExprKind::Call { callee, args } | ExprKind::New { callee, args }) = module.expr(call).kind else { return None };
    let args = module.exprs(args);
    if let ExprKind::Ident { name, binding: None } = module.expr(callee).kind {
        return match module.name(name) {
            "eval" => Some(("eval".to_owned(), *args.first()?)),
            "Function" => Some(("Function".to_owned(), *args.last()?)),
            _ => None,
        };
    }
    let (source, path) = imported(module, callee)?;
    let [name] = path.as_slice() else { return None };
    let runs = source == "vm" && matches!(*name, "runInNewContext" | "runInThisContext" | "runInContext" | "Script");
    runs.then(|| args.first().map(|code| (format!("vm.{name}"), *code)))?
}
