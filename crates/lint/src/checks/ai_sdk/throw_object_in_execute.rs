//! Things thrown in `execute` that are no errors: all of them is sent.

use agentcheck_model::hir::{ExprKind, PropKey};
use agentcheck_model::{Escape, Loc, ValueKind};
use agentcheck_syntax::{Place, Span};

use crate::context::{Context, Details};
use crate::finding::Related;
use crate::tool_functions::{ToolFunction, tool_functions};

pub(crate) fn check(cx: &mut Context<'_>) {
    for execute in tool_functions(cx, "execute") {
        let escapes = cx.infer.escapes(execute.file, execute.function);
        for escape in escapes.iter() {
            if let Some((case, what)) = thrown(cx, Loc::new(escape.file, escape.throw.value)) {
                report(cx, &execute, escape, case, what);
            }
        }
    }
}

/// Which case a thrown value is, and what of it arrives. `None` for errors and for what cannot be told.
fn thrown(cx: &mut Context<'_>, loc: Loc) -> Option<(&'static str, String)> {
    let module = cx.infer.module(loc.file);
    let loc = loc.at(module.peel(loc.expr));
    if let ExprKind::Template(values) = module.expr(loc.expr).kind {
        let parts: Vec<String> = module
            .exprs(values)
            .iter()
            .map(|value| format!("`{}`", module.text(module.expr(*value).span)))
            .collect();
        return Some(("text", parts.join(", ")));
    }
    let value = cx.infer.eval(loc);
    match *cx.infer.kind(value) {
        ValueKind::Object(object) => {
            let keys = cx.infer.keys(value);
            let mut names: Vec<String> = keys.known.iter().map(|key| format!("`{}`", key.name)).collect();
            names.dedup();
            let module = cx.infer.module(object.file);
            let ExprKind::Object(props) = module.expr(object.expr).kind else { return None };
            let has_spread = module.props(props).any(|(_, prop)| prop.key == PropKey::None);
            match (names.is_empty(), has_spread) {
                (true, false) => Some(("object", "nothing in it".to_owned())),
                (true, true) => Some(("object", "everything in it".to_owned())),
                (false, _) => Some(("object", names.join(", "))),
            }
        }
        ValueKind::Array(_) => Some(("object", "every element".to_owned())),
        ValueKind::Null | ValueKind::Undefined => Some(("nothing", String::new())),
        _ => None,
    }
}

fn report(cx: &mut Context<'_>, execute: &ToolFunction, escape: &Escape, case: &str, what: String) {
    let Some(verdict) = cx.judge(&execute.typed.reach.package, &[case]) else { return };
    let module = cx.infer.module(escape.file);
    let stmt = module.stmt(escape.throw.stmt).span;
    let thrown = Place { file: escape.file, span: Span::new(stmt.start, module.expr(escape.throw.value).span.end) };
    let mut related = Vec::new();
    let place = match escape.path.first() {
        Some(entered) => {
            let module = cx.infer.module(entered.call.file);
            related.push(Related { place: thrown, message: "thrown here".to_owned() });
            Place { file: entered.call.file, span: module.expr(entered.call.expr).span }
        }
        None => thrown,
    };
    related.push(Related { place: execute.key.place, message: "leaves this `execute`".to_owned() });
    let details = Details { slots: vec![("what", what)], related, ..Details::default() };
    cx.report(&verdict, place, details);
}
