//! Telemetry that is switched on and has nowhere to go.

use agentcheck_model::hir::ExprKind;

use crate::context::{Context, Details};

pub(crate) fn check(cx: &mut Context<'_>) {
    let sites = std::sync::Arc::clone(&cx.sites);
    let types = std::sync::Arc::clone(&cx.infer.program.types);
    let settings = types.record_named("CallSettings");
    let mut registered = None;
    for typed in sites.typed.iter().filter(|typed| typed.path.is_empty()) {
        if !settings.is_some_and(|settings| types.is_a(typed.record, settings)) {
            continue;
        }
        let keys = cx.infer.keys(typed.value);
        let Some(key) = keys.get("telemetry").or_else(|| keys.get("experimental_telemetry")).cloned() else { continue };
        let value = cx.infer.eval(key.value);
        let options = cx.infer.keys(value);
        let is_on = options.get("isEnabled").is_some_and(|enabled| {
            let module = cx.infer.module(enabled.value.file);
            module.expr(module.peel(enabled.value.expr)).kind == ExprKind::Bool(true)
        });
        let goes_elsewhere = ["integrations", "integration", "tracer"].iter().any(|name| options.get(name).is_some());
        if !is_on || goes_elsewhere || !options.open.is_empty() {
            continue;
        }
        let Some(verdict) = cx.judge(&typed.reach.package, &["nothing"]) else { continue };
        if *registered.get_or_insert_with(|| is_registered(cx)) {
            continue;
        }
        cx.report(&verdict, key.place, Details::default());
    }
}

/// Whether some file of the repository registers telemetry, or brings in what may do so by itself.
fn is_registered(cx: &mut Context<'_>) -> bool {
    const BY_THEMSELVES: [&str; 8] =
        ["@ai-sdk/otel", "langfuse", "@langfuse", "braintrust", "@sentry", "langsmith", "@arizeai", "@traceloop"];
    let files = cx.infer.every_sdk_file();
    files.into_iter().any(|file| {
        let module = cx.infer.module(file);
        module.names.get("registerTelemetry").is_some()
            || module.names.get("registerTelemetryIntegration").is_some()
            || module.specifiers().iter().any(|specifier| BY_THEMSELVES.iter().any(|name| specifier.starts_with(name)))
    })
}
