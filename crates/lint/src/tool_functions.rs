//! The functions of tools, wherever they are written: `execute`, `toModelOutput`.

use agentcheck_model::hir::{ExprKind, FuncId, Parent, PatKind, PropKey};
use agentcheck_model::{Key, Keys, Typed, ValueKind};
use agentcheck_syntax::FileId;

use crate::context::Context;

/// A function of a tool of the file.
pub(crate) struct ToolFunction {
    pub typed: Typed,
    /// What else the tool has.
    pub keys: Keys,
    pub key: Key,
    pub file: FileId,
    pub function: FuncId,
}

/// The functions that the file's tools have under a key.
pub(crate) fn tool_functions(cx: &mut Context<'_>, name: &str) -> Vec<ToolFunction> {
    let sites = std::sync::Arc::clone(&cx.sites);
    let tool = cx.infer.program.types.record_named("Tool");
    let mut found = Vec::new();
    for typed in sites.typed.iter().filter(|typed| Some(typed.record) == tool) {
        let keys = cx.infer.keys(typed.value);
        let Some(key) = keys.get(name).cloned() else { continue };
        let value = cx.infer.eval(key.value);
        for member in cx.infer.alternatives(value) {
            if let ValueKind::Function(file, function, _) = *cx.infer.kind(member) {
                let (typed, keys, key) = (typed.clone(), keys.clone(), key.clone());
                found.push(ToolFunction { typed, keys, key, file, function });
            }
        }
    }
    found
}

/// What the tool is called: its key in `tools`, else the name that its definition is given.
pub(crate) fn tool_name(cx: &Context<'_>, typed: &Typed) -> String {
    if let Some(name) = typed.path.last() {
        return name.clone();
    }
    let ValueKind::Object(object) = *cx.infer.kind(typed.value) else { return "tool".to_owned() };
    let module = cx.infer.module(object.file);
    let mut expr = object.expr;
    // Outwards, through `tool(…)`, casts and assignments.
    for _ in 0..4 {
        match module.expr_parent(expr) {
            Parent::Prop(prop) => match module.prop(prop).key {
                PropKey::Name(name) => return module.name(name).to_owned(),
                _ => break,
            },
            Parent::Expr(parent) => {
                if let ExprKind::Assign { target, .. } = module.expr(parent).kind
                    && let PatKind::Target(target) = module.pat(target).kind
                {
                    return match module.expr(target).kind {
                        ExprKind::Member { property, .. } => module.name(property).to_owned(),
                        ExprKind::Index { index, .. } => module.string(index).unwrap_or("tool").to_owned(),
                        _ => module.text(module.expr(target).span).to_owned(),
                    };
                }
                expr = parent;
            }
            Parent::Root(_) => {
                let name = module.binding_of_value(expr).map(|binding| module.binding(binding).name);
                return name.map_or("tool", |name| module.name(name)).to_owned();
            }
            _ => break,
        }
    }
    "tool".to_owned()
}
