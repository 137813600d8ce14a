//! Tools that run here, and a run that ends before the model sees what they gave.

use agentcheck_catalog::{Release, Safety};
use agentcheck_model::{Key, KeyOrigin, Keys, SdkCall, Steps, ToolKind, ToolSet, ValueKind};
use agentcheck_syntax::Place;

use crate::context::{Context, Details};
use crate::finding::{Fix, Related};
use crate::fix::{entry, import};
use crate::reads::{AllReads, Reads};


/// Options with which the program says itself how long the run goes on, or looks on while it does.
const BUDGETS: [&str; 6] =
    ["maxSteps", "maxToolRoundtrips", "maxAutomaticRoundtrips", "experimental_continueSteps", "activeTools", "onChunk"];

pub(crate) fn check(cx: &mut Context<'_>) {
    let sites = std::sync::Arc::clone(&cx.sites);
    let mut all_reads = None;
    for call in &sites.calls {
        let Some(run) = one_step_run(cx, call) else { continue };
        let all_reads = all_reads.get_or_insert_with(|| AllReads::new(cx));
        let case = if run.is_agent {
            let calls = sites.calls.iter().filter(|other| is_made_by(cx, other, call));
            let reads: Vec<Reads> = calls.map(|other| all_reads.of(cx, other)).collect();
            let reads_answer = |reads: &Reads| (reads.answer || reads.ui) && !reads.run && !reads.lost;
            if reads.is_empty() || !reads.iter().all(reads_answer) {
                continue;
            }
            "agent"
        } else {
            let reads = all_reads.of(cx, call);
            if reads.run || reads.lost || !(reads.answer || reads.ui) {
                continue;
            }
            match run.explicit {
                true => "explicit",
                false if reads.ui && !reads.answer && client_goes_on(cx) => "client-goes-on",
                false => "one-step",
            }
        };
        report(cx, call, &run, case);
    }
}

/// A run that calls a tool of the project and then ends.
struct Run {
    is_agent: bool,
    /// A budget of one step is written there.
    explicit: bool,
    keys: Keys,
    tool: String,
    tool_place: Place,
}

fn one_step_run(cx: &mut Context<'_>, call: &SdkCall) -> Option<Run> {
    let is_agent = call.name == "Experimental_Agent";
    let is_run = ["generateText", "streamText"].contains(&call.name.trim_start_matches("experimental_"));
    if call.receiver.is_some() || !(is_agent || is_run) {
        return None;
    }
    let options = cx.infer.eval(call.loc.at(*call.args.first()?));
    let keys = cx.infer.keys(options);
    // Through what is not in sight a budget may come in.
    if !keys.open.is_empty() || BUDGETS.iter().any(|name| keys.get(name).is_some()) {
        return None;
    }
    // Whoever forces a tool wants its call, not an answer.
    if let Some(choice) = keys.get("toolChoice")
        && cx.infer.literal_text(choice.value).as_deref() != Some("auto")
    {
        return None;
    }
    // Structured output after tools never comes, which is worse and has a rule of its own.
    let has_output = keys.get("output").is_some() || keys.get("experimental_output").is_some();
    if has_output && cx.catalog.rule("ai-sdk/output-with-tools-one-step").is_some() {
        return None;
    }
    let tools = keys.get("tools")?;
    let value = cx.infer.eval(tools.value);
    let tools: ToolSet = cx.infer.tool_set(value);
    let (tool, _, loc) = tools.tools.into_iter().find(|(_, kind, _)| *kind == ToolKind::Local)?;
    let explicit = keys.get("stopWhen").is_some();
    let sites = std::sync::Arc::clone(&cx.sites);
    if explicit && cx.infer.steps(call, &sites) != Steps::One {
        return None;
    }
    let tool_place = Place { file: loc.file, span: cx.infer.module(loc.file).expr(loc.expr).span };
    Some(Run { is_agent, explicit, keys, tool, tool_place })
}

/// Whether a call is one of the agent that `constructor` makes.
fn is_made_by(cx: &Context<'_>, call: &SdkCall, constructor: &SdkCall) -> bool {
    call.receiver.is_some_and(|receiver| match *cx.infer.kind(receiver) {
        ValueKind::Sdk(sdk) => sdk.origin.is_some_and(|origin| origin.is_same_expr(constructor.loc)),
        _ => false,
    })
}

/// Whether a chat of the project sends tool results back by itself, which starts the next step.
fn client_goes_on(cx: &mut Context<'_>) -> bool {
    let before_5 = cx
        .evidence("ai")
        .is_some_and(|evidence| evidence.versions.newest().release < Release::new(5, 0, 0));
    let word = if before_5 { "maxSteps" } else { "sendAutomaticallyWhen" };
    let files = cx.infer.every_sdk_file();
    files.into_iter().any(|file| {
        let names = &cx.infer.module(file).names;
        names.get("useChat").is_some() && names.get(word).is_some()
    })
}

fn report(cx: &mut Context<'_>, call: &SdkCall, run: &Run, case: &str) {
    let Some(verdict) = cx.judge(&call.package, &[case]) else { return };
    let module = cx.infer.module(call.loc.file);
    let place = Place { file: call.loc.file, span: module.name_span(call.callee) };
    let versions = verdict.evidence.versions.members();
    let all = |low: u32, high: u32| versions.iter().all(|v| (low..high).contains(&v.release.major));
    let budget = match () {
        () if all(7, u32::MAX) => Some("stopWhen: {import:isStepCount}(5)"),
        () if all(5, 7) => Some("stopWhen: {import:stepCountIs}(5)"),
        () if all(4, 5) => Some("maxSteps: 5"),
        () => None,
    };
    let fix = budget.filter(|_| !run.explicit).and_then(|budget| fix(cx, call, run, budget));
    let details = Details {
        slots: vec![
            ("callee", call.name.clone()),
            ("tool", run.tool.clone()),
            ("budget", budget.unwrap_or("a stop condition").replace("{import:", "").replace("}(", "(")),
        ],
        related: vec![Related { place: run.tool_place, message: format!("`{}` runs here", run.tool) }],
        fixes: fix.into_iter().collect(),
    };
    cx.report(&verdict, place, details);
}

/// Writes a budget behind `tools`, where those stand in the call itself.
fn fix(cx: &Context<'_>, call: &SdkCall, run: &Run, budget: &str) -> Option<Fix> {
    let module = cx.infer.module(call.loc.file);
    let Key { origin: KeyOrigin::Entry(prop), place, .. } = run.keys.get("tools")? else { return None };
    let argument = module.peel(*call.args.first()?);
    if place.file != call.loc.file || module.prop(*prop).owner != argument {
        return None;
    }
    let mut edits = Vec::new();
    let mut text = budget.to_owned();
    if let Some((before, rest)) = budget.split_once("{import:") {
        let (name, after) = rest.split_once('}')?;
        let (local, more) = import::use_export(module, place.file, &call.package, name, place.span.start);
        text = format!("{before}{local}{after}");
        edits.extend(more);
    }
    edits.push(entry::insert_after(module, place.file, *prop, &text));
    Some(Fix { title: format!("Let the run go on for up to 5 steps: `{text}`"), safety: Safety::Unsafe, edits })
}
