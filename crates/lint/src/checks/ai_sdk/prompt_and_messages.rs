//! `prompt` and `messages` in one call: one of them is lost, or the call fails.

use agentcheck_model::hir::{BindingDef, ExprKind, PatRole, RootSource};
use agentcheck_model::{Key, Value, ValueKind};

use crate::context::{Context, Details};
use crate::finding::Related;
use crate::keys::leads_to;

/// Whether a value is there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum There {
    Surely,
    Perhaps,
    No,
}

pub(crate) fn check(cx: &mut Context<'_>) {
    let sites = std::sync::Arc::clone(&cx.sites);
    let types = std::sync::Arc::clone(&cx.infer.program.types);
    let wanted = ["PromptOptions", "AgentCallOptions"].map(|name| types.record_named(name));
    for typed in &sites.typed {
        if !wanted.into_iter().flatten().any(|record| types.is_a(typed.record, record)) {
            continue;
        }
        for world in cx.infer.worlds(typed.value).iter() {
            let (Some(prompt), Some(messages)) = (world.get("prompt"), world.get("messages")) else { continue };
            // Two assignments may each stand on a way of its own.
            if !prompt.certain && !messages.certain {
                continue;
            }
            let there = [is_there(cx, prompt), is_there(cx, messages)];
            // A wrapper that hands both on gets one of them.
            if there.contains(&There::No) || !there.contains(&There::Surely) {
                continue;
            }
            let Some(verdict) = cx.judge(&typed.reach.package, &["dropped", "fails"]) else { continue };
            let mut related = leads_to(&typed.reach, messages);
            related.push(Related { place: prompt.place, message: "`prompt` stands here".to_owned() });
            let slots = vec![("callee", typed.reach.name.clone())];
            cx.report(&verdict, messages.place, Details { slots, related, ..Details::default() });
            break;
        }
    }
}

fn is_there(cx: &mut Context<'_>, key: &Key) -> There {
    let value = cx.infer.eval(key.value);
    let members: Vec<Value> = cx.infer.alternatives(value);
    let mut there = There::Surely;
    for member in members {
        match cx.infer.kind(member) {
            ValueKind::Undefined | ValueKind::Null => return There::No,
            ValueKind::Literal(_)
            | ValueKind::Object(_)
            | ValueKind::Array(_)
            | ValueKind::Derived(_)
            | ValueKind::Merged(_)
            | ValueKind::Tail(..)
            | ValueKind::Sdk(_)
            | ValueKind::Promise(_) => {}
            _ => there = There::Perhaps,
        }
    }
    if there == There::Perhaps && is_required_parameter(cx, key) { There::Surely } else { there }
}

/// `question: string`, which callers cannot leave out.
fn is_required_parameter(cx: &Context<'_>, key: &Key) -> bool {
    let module = cx.infer.module(key.value.file);
    let ExprKind::Ident { binding: Some(binding), .. } = module.expr(module.peel(key.value.expr)).kind else {
        return false;
    };
    let BindingDef::Pattern { pattern, .. } = module.binding(binding).def else { return false };
    let PatRole::Root(root) = module.pat(pattern).role else { return false };
    let root = module.root(root);
    let (RootSource::Param { default: None, rest: false, .. }, Some(annotation)) = (root.source, root.annotation) else {
        return false;
    };
    let annotation = module.type_expr(annotation).span;
    let name_end = module.pat(pattern).span.end as usize;
    let is_optional = module.source[name_end..annotation.start as usize].contains('?');
    let text = module.text(annotation);
    !is_optional && !["undefined", "null", "any", "unknown"].iter().any(|word| text.contains(word))
}
