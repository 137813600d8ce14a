//! A forced tool on every step of a run: the model can never answer.

use agentcheck_model::{Loc, Steps, ToolKind, ValueKind};

use crate::context::{Context, Details};
use crate::reads::{AllReads, Reads};
use crate::runs::{Run, endless, runs};

/// Options by which the program decides itself how the run goes on.
const OWN_WAYS: [&str; 4] = ["prepareStep", "experimental_prepareStep", "prepareCall", "output"];

pub(crate) fn check(cx: &mut Context<'_>) {
    let mut all_reads = None;
    for run in runs(cx) {
        let Some(choice) = run.keys.get("toolChoice").cloned() else { continue };
        let Some(forced) = forced(cx, choice.value) else { continue };
        if !run.keys.open.is_empty() || OWN_WAYS.iter().any(|name| run.keys.get(name).is_some()) {
            continue;
        }
        // A tool without `execute` is how a model answers when it is forced to call one.
        let Some(tools) = run.tools(cx) else { continue };
        let all_local = !tools.tools.is_empty() && tools.tools.iter().all(|(_, kind, _)| *kind == ToolKind::Local);
        if tools.open || !all_local {
            continue;
        }
        let all_reads = all_reads.get_or_insert_with(|| AllReads::new(cx));
        if !wants_an_answer(cx, &run, all_reads) {
            continue;
        }
        let case = match run.keys.get("stopWhen").cloned() {
            Some(stop) if endless(cx, stop.value, Some(&tools)).is_some() => "endless",
            Some(stop) if counts_steps(cx, stop.value) && takes_several(cx, &run) => "every-step",
            None if run.is_agent && takes_several(cx, &run) => "every-step",
            None if has_steps_of_4(cx, &run) => "every-step",
            _ => continue,
        };
        let Some(verdict) = cx.judge(&run.typed.reach.package, &[case]) else { continue };
        let details = Details { slots: vec![("forced", forced)], ..Details::default() };
        cx.report(&verdict, choice.place, details);
    }
}

/// What is forced, if something is.
fn forced(cx: &mut Context<'_>, choice: Loc) -> Option<String> {
    if let Some(text) = cx.infer.literal_text(choice) {
        return (text == "required").then(|| "some tool".to_owned());
    }
    let value = cx.infer.eval(choice);
    if !matches!(cx.infer.kind(value), ValueKind::Object(_)) {
        return None;
    }
    let keys = cx.infer.keys(value);
    let kind = keys.get("type")?.value;
    let is_tool = cx.infer.literal_text(kind).as_deref() == Some("tool");
    let name = keys.get("toolName").and_then(|key| cx.infer.literal_text(key.value));
    is_tool.then(|| name.map_or_else(|| "one tool".to_owned(), |name| format!("`{name}`")))
}

/// Whether the program reads the answer of the run, and not what its tools were called with.
fn wants_an_answer(cx: &mut Context<'_>, run: &Run, all: &AllReads) -> bool {
    let wants = |reads: &Reads| (reads.answer || reads.ui) && !reads.run;
    let Some(call) = &run.call else { return false };
    if !run.is_agent {
        return wants(&all.of(cx, call));
    }
    let sites = std::sync::Arc::clone(&cx.sites);
    let of_agent: Vec<Reads> = sites
        .calls
        .iter()
        .filter(|other| {
            other.receiver.is_some_and(|receiver| match *cx.infer.kind(receiver) {
                ValueKind::Sdk(sdk) => sdk.origin.is_some_and(|origin| origin.is_same_expr(call.loc)),
                _ => false,
            })
        })
        .map(|other| all.of(cx, other))
        .collect();
    !of_agent.is_empty() && of_agent.iter().all(wants)
}

/// Whether a condition is only a number of steps: another one may end the run when a tool has been called.
fn counts_steps(cx: &mut Context<'_>, condition: Loc) -> bool {
    let value = cx.infer.eval(condition);
    match *cx.infer.kind(value) {
        ValueKind::Array(_) => {
            let elements = cx.infer.elements(value);
            elements.open.is_empty() && elements.known.iter().all(|element| counts_steps(cx, element.loc))
        }
        ValueKind::Sdk(sdk) => {
            let call = sdk.origin.and_then(|origin| cx.infer.sdk_call_at(origin));
            call.is_some_and(|call| matches!(call.name.as_str(), "isStepCount" | "stepCountIs"))
        }
        _ => false,
    }
}

fn takes_several(cx: &mut Context<'_>, run: &Run) -> bool {
    let sites = std::sync::Arc::clone(&cx.sites);
    run.call.as_ref().is_some_and(|call| cx.infer.steps(call, &sites) == Steps::Several)
}

/// `maxSteps` above 1, where it counts.
fn has_steps_of_4(cx: &mut Context<'_>, run: &Run) -> bool {
    let is_4 = cx
        .evidence(&run.typed.reach.package)
        .is_some_and(|evidence| evidence.versions.members().iter().all(|version| version.release.major == 4));
    let Some(key) = run.keys.get("maxSteps").filter(|_| is_4) else { return false };
    let at = key.value;
    cx.infer.literal_text(at).and_then(|text| text.parse::<u32>().ok()).is_some_and(|steps| steps > 1)
}
