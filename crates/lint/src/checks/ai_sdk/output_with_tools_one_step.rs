//! Structured output of a run that ends with its tool calls.

use agentcheck_model::{Steps, ToolKind};

use crate::context::{Context, Details};
use crate::reads::AllReads;
use crate::runs::runs;

pub(crate) fn check(cx: &mut Context<'_>) {
    let mut all_reads = None;
    for run in runs(cx) {
        let output = run.keys.get("output").or_else(|| run.keys.get("experimental_output")).cloned();
        let (Some(output), Some(call)) = (output, run.call.clone()) else { continue };
        let goes_on = ["maxSteps", "prepareStep", "experimental_prepareStep"];
        if run.is_agent || !run.keys.open.is_empty() || goes_on.iter().any(|name| run.keys.get(name).is_some()) {
            continue;
        }
        let Some(tools) = run.tools(cx) else { continue };
        let Some((tool, ..)) = tools.tools.iter().find(|(_, kind, _)| *kind == ToolKind::Local) else { continue };
        let sites = std::sync::Arc::clone(&cx.sites);
        if cx.infer.steps(&call, &sites) != Steps::One {
            continue;
        }
        if let Some(choice) = run.keys.get("toolChoice")
            && cx.infer.literal_text(choice.value).as_deref() == Some("none")
        {
            continue;
        }
        let reads = all_reads.get_or_insert_with(|| AllReads::new(cx)).of(cx, &call);
        if !reads.answer {
            continue;
        }
        // Up to 5 the plain name is no option, which is another rule's business.
        let cases: &[&str] = match output.name.as_str() {
            "output" => &["output"],
            _ => &["experimental"],
        };
        let Some(verdict) = cx.judge(&run.typed.reach.package, cases) else { continue };
        let details = Details { slots: vec![("tool", tool.clone())], ..Details::default() };
        cx.report(&verdict, output.place, details);
    }
}
