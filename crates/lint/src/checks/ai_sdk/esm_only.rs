//! `require` of a package that is an ES module only.

use agentcheck_model::Target;
use agentcheck_model::hir::ExprKind;
use agentcheck_syntax::Place;

use crate::context::{Context, Details};

pub(crate) fn check(cx: &mut Context<'_>) {
    let module = cx.module();
    let types = std::sync::Arc::clone(&cx.infer.program.types);
    for (_, node) in module.all_exprs() {
        let ExprKind::Call { callee, args } = node.kind else { continue };
        let is_require = match module.expr(callee).kind {
            ExprKind::Ident { name, binding: None } => module.name(name) == "require",
            // `const require = createRequire(import.meta.url)`
            ExprKind::Ident { binding: Some(binding), .. } => module.value_of_binding(binding).is_some_and(|value| {
                matches!(module.expr(value).kind, ExprKind::Call { callee, .. }
                    if module.text(module.expr(callee).span).ends_with("createRequire"))
            }),
            _ => false,
        };
        let Some(specifier) = module.exprs(args).first().and_then(|arg| module.string(*arg)).filter(|_| is_require) else {
            continue;
        };
        let Some(Target::Sdk(entry)) = cx.infer.program.target(cx.file, specifier) else { continue };
        let package = types.entry(entry).package.clone();
        let case = match package.as_str() {
            "ai" => "ai",
            "@ai-sdk/react" => "react",
            _ => continue,
        };
        let Some(verdict) = cx.judge(&package, &[case]) else { continue };
        let slots = vec![("specifier", specifier.to_owned())];
        cx.report(&verdict, Place { file: cx.file, span: node.span }, Details { slots, ..Details::default() });
    }
}
