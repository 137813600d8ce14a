//! The options of runs: what `generateText`, `streamText` and agents are given, and when their loops end.

use agentcheck_model::hir::{Body, ExprKind, UnaryOp};
use agentcheck_model::{Infer, Keys, Loc, SdkCall, ToolSet, Typed, ValueKind, returned};

use crate::context::Context;

/// The options of a call that may take several steps, or the settings of an agent.
pub(crate) struct Run {
    pub typed: Typed,
    pub keys: Keys,
    pub is_agent: bool,
    /// The call that is given the options.
    pub call: Option<SdkCall>,
}

/// Every run of the file.
pub(crate) fn runs(cx: &mut Context<'_>) -> Vec<Run> {
    let sites = std::sync::Arc::clone(&cx.sites);
    let types = std::sync::Arc::clone(&cx.infer.program.types);
    let [text, agent] = ["TextOptions", "AgentSettings"].map(|name| types.record_named(name));
    let is_a = |typed: &Typed, record| match record {
        Some(record) => types.is_a(typed.record, record),
        None => false,
    };
    let mut runs = Vec::new();
    for typed in sites.typed.iter().filter(|typed| typed.path.is_empty()) {
        let is_agent = is_a(typed, agent);
        if is_agent || is_a(typed, text) {
            let keys = cx.infer.keys(typed.value);
            let call = typed.reach.call.map(|index| sites.calls[index].clone());
            runs.push(Run { typed: typed.clone(), keys, is_agent, call });
        }
    }
    runs
}

impl Run {
    /// The tools, as far as they are in sight; `None` without any.
    pub fn tools(&self, cx: &mut Context<'_>) -> Option<ToolSet> {
        let key = self.keys.get("tools")?;
        let value = cx.infer.eval(key.value);
        Some(cx.infer.tool_set(value))
    }
}

/// How a stop condition fails to end a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Endless {
    /// It never holds: why, in words.
    Never(String),
    /// It may never hold.
    Perhaps(String),
    /// It is told by the name of a tool that does not exist.
    NoSuchTool(String),
}

/// Whether a stop condition, or all of a list, never holds. `None`: it may hold, or cannot be told.
pub(crate) fn endless(cx: &mut Context<'_>, condition: Loc, tools: Option<&ToolSet>) -> Option<Endless> {
    let value = cx.infer.eval(condition);
    let alternatives = cx.infer.alternatives(value);
    let [only] = alternatives.as_slice() else { return None };
    match *cx.infer.kind(*only) {
        ValueKind::Array(_) => {
            let elements = cx.infer.elements(value);
            if !elements.open.is_empty() {
                return None;
            }
            let mut found = Vec::new();
            for element in &elements.known {
                found.push(endless(cx, element.loc, tools)?);
            }
            match found.len() {
                0 => Some(Endless::Never("the list of conditions is empty".to_owned())),
                1 => found.pop(),
                _ => found.into_iter().max_by_key(|one| matches!(one, Endless::Perhaps(_))),
            }
        }
        ValueKind::Sdk(sdk) => {
            let call = cx.infer.sdk_call_at(sdk.origin?)?;
            match call.name.as_str() {
                "isStepCount" | "stepCountIs" => count(&cx.infer, call.loc.at(*call.args.first()?)),
                "isLoopFinished" => Some(Endless::Perhaps("`isLoopFinished()` sets no limit".to_owned())),
                "hasToolCall" => {
                    let tools = tools.filter(|tools| !tools.open && !tools.tools.is_empty())?;
                    let name = cx.infer.literal_text(call.loc.at(*call.args.first()?))?;
                    let exists = call.args.len() > 1 || tools.tools.iter().any(|(known, ..)| *known == name);
                    (!exists).then(|| Endless::NoSuchTool(format!("no tool is called `{name}`")))
                }
                _ => None,
            }
        }
        ValueKind::Function(file, function, _) => {
            let module = cx.infer.module(file);
            let values = returned(module, function);
            let is_false = |expr| module.expr(module.peel(expr)).kind == ExprKind::Bool(false);
            let is_constant = !values.is_empty() && values.iter().all(|expr| is_false(*expr));
            let has_body = module.function(function).body != Body::None;
            (is_constant && has_body).then(|| Endless::Never("the condition always returns `false`".to_owned()))
        }
        _ => None,
    }
}

/// A number of steps that is never reached: it is compared with `===`.
pub(crate) fn count(infer: &Infer<'_>, loc: Loc) -> Option<Endless> {
    let module = infer.module(loc.file);
    let expr = module.peel(loc.expr);
    let text = module.text(module.expr(expr).span);
    if let ExprKind::Unary(UnaryOp::Minus, inner) = module.expr(expr).kind
        && matches!(module.expr(inner).kind, ExprKind::Number(_))
    {
        return Some(Endless::Never(format!("no run has `{text}` steps")));
    }
    let is_environment = |text: &str| text.starts_with("process.env") || text.starts_with("import.meta.env");
    if is_environment(text) {
        return Some(Endless::Never(format!("`{text}` is a text, and no number equals a text")));
    }
    if let ExprKind::Call { callee, args } = module.expr(expr).kind {
        let callee = module.text(module.expr(callee).span);
        let argument = module.exprs(args).first().map_or("", |arg| module.text(module.expr(*arg).span));
        let converts = matches!(callee, "Number" | "parseInt" | "parseFloat" | "Number.parseInt" | "Number.parseFloat");
        let has_default = argument.contains("??") || argument.contains("||");
        if converts && is_environment(argument) && !has_default {
            return Some(Endless::Perhaps(format!("`{argument}` may be missing, which makes it `NaN`")));
        }
        return None;
    }
    // A constant may stand for any of these.
    if let ExprKind::Ident { binding: Some(binding), .. } = module.expr(expr).kind
        && let Some(value) = module.value_of_binding(binding)
        && module.writes(binding).next().is_none()
    {
        return count(infer, loc.at(value));
    }
    match module.expr(expr).kind {
        ExprKind::String(_) => Some(Endless::Never(format!("{text} is a text, and no number equals a text"))),
        ExprKind::Number(_) => {
            let number: f64 = text.replace('_', "").parse().ok()?;
            (number < 1.0 || number.fract() != 0.0).then(|| Endless::Never(format!("no run has {text} steps")))
        }
        ExprKind::Ident { binding: None, .. } if text == "NaN" => {
            Some(Endless::Never("no number equals `NaN`".to_owned()))
        }
        _ => None,
    }
}
