//! Schemas that `registerTool` and `server.tool` do not take, and handlers that read input which their tool does not have.

use agentcheck_catalog::Safety;
use agentcheck_model::hir::{ExprId, ExprKind, Module, Parent, PatKind, PatRole, PropKey};
use agentcheck_model::{Key, Loc, ValueKind};
use agentcheck_syntax::Place;

use crate::context::{Context, Details};
use crate::finding::{Fix, Related};
use crate::fix::entry::{edit, expr_text, rename_key};
use crate::mcp::{Form, Given, Tool, tools};
use crate::zod::{Schema, schema};

pub(crate) fn check(cx: &mut Context<'_>) {
    for tool in tools(cx) {
        if tool.form == Form::LowLevel {
            continue;
        }
        let found = cx.findings.len();
        for (given, key) in [(tool.input, "`inputSchema`"), (tool.output, "`outputSchema`")] {
            if let Given::At(loc) = given {
                check_schema(cx, &tool, loc, key);
            }
        }
        if cx.findings.len() == found && tool.input == Given::None {
            check_without_input(cx, &tool);
        }
    }
}

fn check_schema(cx: &mut Context<'_>, tool: &Tool, loc: Loc, key: &'static str) {
    let module = cx.infer.module(loc.file);
    let place = |loc: Loc| Place { file: loc.file, span: module.expr(module.peel(loc.expr)).span };
    if let Some(schema) = schema(&mut cx.infer, loc) {
        let cases: &[&str] = match tool.form {
            Form::Register if schema.is_object() => &["object"],
            Form::Tool => &["tool-object", "tool-object-throws"],
            _ => return,
        };
        let Some(verdict) = cx.judge(&tool.call.package, cases) else { return };
        let fixes = unwrapped(cx.infer.module(loc.file), &schema, loc).into_iter().collect();
        cx.report(&verdict, place(loc), Details { slots: vec![("key", key.to_owned())], fixes, related: related(cx, tool, loc) });
        return;
    }
    if !is_json(cx, loc) {
        return;
    }
    let Some(verdict) = cx.judge(&tool.call.package, &["json", "json-throws"]) else { return };
    let (callee, effect) = match tool.form {
        Form::Register => ("registerTool", "every call of it fails"),
        _ => ("server.tool", "its handler gets the request's context instead of arguments"),
    };
    let slots = vec![("callee", callee.to_owned()), ("effect", effect.to_owned())];
    cx.report(&verdict, place(loc), Details { slots, related: related(cx, tool, loc), ..Details::default() });
}

/// `z.object(fields)` → `fields`, anything made of it → its `shape`.
fn unwrapped(module: &Module, schema: &Schema, written: Loc) -> Option<Fix> {
    // Refinements have no shape, and what `strict` says is lost.
    if !schema.methods.is_empty() {
        return None;
    }
    let is_inline = module.peel(written.expr) == schema.at.expr && written.file == schema.at.file;
    let span = module.expr(module.peel(written.expr)).span;
    let text = match schema.args.as_slice() {
        [fields] if is_inline => expr_text(module, fields.expr).into_owned(),
        _ => format!("{}.shape", module.text(span)),
    };
    let title = "Pass the fields".to_owned();
    Some(Fix { title, safety: Safety::Safe, edits: vec![edit(written.file, span, text)] })
}

/// Where the tool is registered, when its schema is written elsewhere.
fn related(cx: &Context<'_>, tool: &Tool, loc: Loc) -> Vec<Related> {
    let place = tool.place(&cx.infer);
    let call = cx.infer.module(tool.call.loc.file).expr(tool.call.loc.expr).span;
    let inside = loc.file == place.file && call.contains(cx.infer.module(loc.file).expr(loc.expr).span);
    if inside { Vec::new() } else { vec![Related { place, message: "the tool is registered here".to_owned() }] }
}

/// Whether a value is a JSON schema: an object with an entry that no schema of zod can be.
fn is_json(cx: &mut Context<'_>, loc: Loc) -> bool {
    let value = cx.infer.eval(loc);
    if !matches!(cx.infer.kind(value), ValueKind::Object(_)) {
        return false;
    }
    let keys = cx.infer.keys(value);
    let plain = |cx: &mut Context<'_>, key: &Key| {
        let value = cx.infer.eval(key.value);
        matches!(
            cx.infer.kind(value),
            ValueKind::Literal(_) | ValueKind::Object(_) | ValueKind::Array(_) | ValueKind::Bool(_) | ValueKind::Null
        )
    };
    keys.known.iter().any(|key| key.certain && plain(cx, key))
}

/// Keys of a configuration that are meant to be `inputSchema`.
const MEANT: [&str; 9] = [
    "parameters", "schema", "inputs", "params", "args", "argsSchema", "input_schema", "inputschema", "paramsSchema",
];

/// What the first argument of a handler without input has.
const CONTEXT: [&str; 16] = [
    "signal", "authInfo", "sessionId", "_meta", "requestId", "requestInfo", "taskId", "taskStore", "taskRequestedTtl",
    "sendNotification", "sendRequest", "closeSSEStream", "closeStandaloneSSEStream", "mcpReq", "http", "task",
];

fn check_without_input(cx: &mut Context<'_>, tool: &Tool) {
    if let Some(config) = tool.config {
        let keys = cx.infer.keys(config);
        let meant = MEANT.iter().chain(&["input"]).find_map(|name| keys.get(name));
        if let Some(key) = meant.filter(|key| key.certain && holds_schema(cx, key)).cloned() {
            let Some(verdict) = cx.judge(&tool.call.package, &["key"]) else { return };
            // Under the right name it must be a schema that this version takes.
            let is_refused = schema(&mut cx.infer, key.value).is_some() && cx.judge(&tool.call.package, &["object"]).is_some();
            let module = cx.infer.module(key.place.file);
            let fixes = rename_key(module, &key, "inputSchema").filter(|_| !is_refused).map(|edits| Fix {
                title: "Call it `inputSchema`".to_owned(),
                safety: Safety::Safe,
                edits,
            });
            let slots = vec![("name", key.name.clone())];
            let fixes = fixes.into_iter().collect();
            cx.report(&verdict, key.place, Details { slots, fixes, ..Details::default() });
            return;
        }
    }
    let mut names: Vec<String> = Vec::new();
    for (file, function) in &tool.handlers {
        let module = cx.infer.module(*file);
        names.extend(read_of_first(module, *function).into_iter().filter(|name| !CONTEXT.contains(&name.as_str())));
    }
    names.dedup();
    if names.is_empty() || tool.handlers.len() != 1 {
        return;
    }
    let Some(verdict) = cx.judge(&tool.call.package, &["none"]) else { return };
    let is = if names.len() == 1 { "is" } else { "are" };
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let place = if tool.form == Form::Register { "an `inputSchema`" } else { "a shape, before its handler," };
    let slots = vec![("names", names.join(" and ")), ("is", is.to_owned()), ("where", place.to_owned())];
    cx.report(&verdict, tool.place(&cx.infer), Details { slots, ..Details::default() });
}

/// Whether a key holds what could be a schema.
fn holds_schema(cx: &mut Context<'_>, key: &Key) -> bool {
    let value = cx.infer.eval(key.value);
    matches!(cx.infer.kind(value), ValueKind::Object(_)) || schema(&mut cx.infer, key.value).is_some()
}

/// The properties of its first argument that a function reads.
fn read_of_first(module: &Module, function: agentcheck_model::hir::FuncId) -> Vec<String> {
    let Some((_, root)) = module.roots(module.function(function).params).next() else { return Vec::new() };
    let mut pattern = root.pattern;
    while let PatKind::Default { pattern: inner, .. } = module.pat(pattern).kind {
        pattern = inner;
    }
    match module.pat(pattern).kind {
        PatKind::Object(props) => keys_of(module, props),
        PatKind::Binding(binding) => {
            let mut names = Vec::new();
            for reference in module.refs(binding) {
                match module.expr_parent(outermost(module, *reference)) {
                    Parent::Expr(parent) => match module.expr(parent).kind {
                        ExprKind::Member { property, .. } => names.push(module.name(property).to_owned()),
                        // Handed on as a whole: somebody else reads it.
                        _ => return Vec::new(),
                    },
                    Parent::Root(root) => match module.pat(module.root(root).pattern).kind {
                        PatKind::Object(props) => names.extend(keys_of(module, props)),
                        _ => return Vec::new(),
                    },
                    _ => return Vec::new(),
                }
            }
            names
        }
        _ => Vec::new(),
    }
}

/// An expression with the casts around it.
fn outermost(module: &Module, mut expr: ExprId) -> ExprId {
    while let Parent::Expr(parent) = module.expr_parent(expr) {
        match module.expr(parent).kind {
            ExprKind::Cast { .. } | ExprKind::NonNull(_) => expr = parent,
            _ => break,
        }
    }
    expr
}

fn keys_of(module: &Module, props: agentcheck_model::hir::List<agentcheck_model::hir::PatPropId>) -> Vec<String> {
    module
        .pat_props(props)
        .filter_map(|(_, prop)| match prop.key {
            PropKey::Name(name) if !matches!(module.pat(prop.pattern).role, PatRole::ObjectRest(_)) => {
                Some(module.name(name).to_owned())
            }
            _ => None,
        })
        .collect()
}
