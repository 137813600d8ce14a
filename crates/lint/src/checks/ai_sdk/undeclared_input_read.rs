//! Keys that `execute` reads and its schema does not let through.

use agentcheck_model::hir::{ExprId, ExprKind, FuncId, Module, Parent, PatId, PatKind, PropKey, RootSource};
use agentcheck_syntax::{Place, Span};

use crate::context::{Context, Details};
use crate::finding::Related;
use crate::schemas::input_schema;
use crate::settings::nearest;
use crate::tool_functions::{ToolFunction, tool_functions};
use crate::zod::{fields, schema};

/// What every object has.
const INHERITED: [&str; 5] = ["hasOwnProperty", "toString", "valueOf", "constructor", "toLocaleString"];

pub(crate) fn check(cx: &mut Context<'_>) {
    for execute in tool_functions(cx, "execute") {
        let Some((key, loc)) = input_schema(cx, &execute.keys) else { continue };
        if !is_own(cx, &execute) {
            continue;
        }
        let Some(root) = schema(&mut cx.infer, loc) else { continue };
        let Some(fields) = fields(&mut cx.infer, &root) else { continue };
        if fields.open {
            continue;
        }
        let module = cx.infer.module(execute.file);
        let Some(reads) = reads(module, execute.function) else { continue };
        for (name, span) in reads {
            if INHERITED.contains(&name.as_str()) || fields.known.iter().any(|field| field.name == name) {
                continue;
            }
            let Some(verdict) = cx.judge(&execute.typed.reach.package, &["stripped"]) else { continue };
            let close = nearest(&name, fields.known.iter().map(|field| field.name.as_str()));
            let help = match close {
                Some(close) => format!("The schema has `{close}`: read that, or declare `{name}`."),
                None => format!("Declare `{name}` in the schema, or take it from elsewhere: the model never sends it."),
            };
            let details = Details {
                slots: vec![("name", name), ("help", help)],
                related: vec![Related { place: key.place, message: "the schema of the input".to_owned() }],
                ..Details::default()
            };
            cx.report(&verdict, Place { file: execute.file, span }, details);
        }
    }
}

/// Whether nobody but this tool calls the function.
fn is_own(cx: &Context<'_>, execute: &ToolFunction) -> bool {
    let module = cx.infer.module(execute.file);
    let key = &execute.key;
    if module.function(execute.function).expr == Some(module.peel(key.value.expr)) && key.value.file == execute.file {
        return true;
    }
    module
        .binding_of_function(execute.function)
        .is_some_and(|binding| module.refs(binding).len() == 1 && !module.is_exported(binding))
}

/// The keys that a function reads of its first parameter, with their places; `None` when it is handed on, so that they may be
/// written elsewhere.
fn reads(module: &Module, function: FuncId) -> Option<Vec<(String, Span)>> {
    let (_, root) = module.roots(module.function(function).params).next()?;
    let mut pattern = root.pattern;
    if let PatKind::Default { pattern: inner, .. } = module.pat(pattern).kind {
        pattern = inner;
    }
    let mut found = Vec::new();
    match module.pat(pattern).kind {
        PatKind::Object(_) => destructured(module, pattern, &mut found),
        PatKind::Binding(binding) => {
            if module.writes(binding).next().is_some() {
                return None;
            }
            let mut written = Vec::new();
            for reference in module.refs(binding) {
                read(module, *reference, &mut found, &mut written);
            }
            found.retain(|(name, _)| !written.contains(name));
        }
        _ => return None,
    }
    Some(found)
}

fn read(module: &Module, mut object: ExprId, found: &mut Vec<(String, Span)>, written: &mut Vec<String>) {
    loop {
        match module.expr_parent(object) {
            Parent::Expr(parent) => match module.expr(parent).kind {
                ExprKind::Cast { .. } | ExprKind::NonNull(_) => object = parent,
                ExprKind::Member { object: of, property } if of == object => {
                    let name = module.name(property).to_owned();
                    match module.expr_parent(parent) {
                        Parent::Pat(_) => written.push(name),
                        _ => found.push((name, module.name_span(parent))),
                    }
                    return;
                }
                ExprKind::Index { object: of, index } if of == object => {
                    if let Some(name) = module.string(index) {
                        match module.expr_parent(parent) {
                            Parent::Pat(_) => written.push(name.to_owned()),
                            _ => found.push((name.to_owned(), module.name_span(parent))),
                        }
                    }
                    return;
                }
                _ => return,
            },
            // `const { city } = input;`
            Parent::Root(root) => {
                let root = module.root(root);
                if matches!(root.source, RootSource::Value(value) if value == object) {
                    destructured(module, root.pattern, found);
                }
                return;
            }
            _ => return,
        }
    }
}

fn destructured(module: &Module, pattern: PatId, found: &mut Vec<(String, Span)>) {
    let PatKind::Object(props) = module.pat(pattern).kind else { return };
    for (_, prop) in module.pat_props(props) {
        if let PropKey::Name(name) = prop.key {
            found.push((module.name(name).to_owned(), prop.key_span));
        }
    }
}
