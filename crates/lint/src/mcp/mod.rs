//! What the rules about MCP ask of a file: the tools that it registers, and what their handlers return.

mod output_schema;
mod result;

use agentcheck_model::hir::{ExprId, ExprKind, FuncId};
use agentcheck_model::{Infer, Key, Keys, Loc, SdkCall, Value, ValueKind};
use agentcheck_syntax::{FileId, Place};

use crate::context::Context;
use crate::zod;

pub(crate) use output_schema::fields;
pub(crate) use result::{Answer, Flag, Handler, answers, handler_around, is_error, returned};

/// How a tool is registered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `server.registerTool(name, config, handler)`
    Register,
    /// `server.tool(name, description?, shape?, annotations?, handler)`
    Tool,
    /// `server.setRequestHandler(CallToolRequestSchema, handler)`: one handler for all tools, below the layer that knows them.
    LowLevel,
}

/// A schema that a registration may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Given {
    /// There is certainly none.
    None,
    At(Loc),
    /// It cannot be seen whether there is one.
    Unknown,
}

/// A tool that the file registers with a server.
#[derive(Debug, Clone)]
pub(crate) struct Tool {
    pub call: SdkCall,
    pub form: Form,
    pub name: Option<Loc>,
    /// The object with the description and the schemas, if it is one object.
    pub config: Option<Value>,
    pub input: Given,
    pub output: Given,
    /// The functions that may be its handler.
    pub handlers: Vec<(FileId, FuncId)>,
}

impl Tool {
    /// The name of the method that registers it, where it is called.
    pub(crate) fn place(&self, infer: &Infer<'_>) -> Place {
        let module = infer.module(self.call.loc.file);
        Place { file: self.call.loc.file, span: module.name_span(self.call.callee) }
    }

    /// What the tool is called, if that is a text in sight.
    pub(crate) fn name(&self, cx: &mut Context<'_>) -> Option<String> {
        text(cx, self.name?)
    }
}

/// The text that an expression is, if it is one literal.
pub(crate) fn text(cx: &mut Context<'_>, loc: Loc) -> Option<String> {
    let value = cx.infer.eval(loc);
    let ValueKind::Literal(literal) = *cx.infer.kind(value) else { return None };
    cx.infer.module(literal.file).string(literal.expr).map(str::to_owned)
}

/// The tools that the file registers, in source order.
pub(crate) fn tools(cx: &mut Context<'_>) -> Vec<Tool> {
    let sites = std::sync::Arc::clone(&cx.sites);
    sites.calls.iter().filter_map(|call| tool(cx, call)).collect()
}

/// The tool that a call registers.
fn tool(cx: &mut Context<'_>, call: &SdkCall) -> Option<Tool> {
    let form = match call.name.as_str() {
        "McpServer.registerTool" => Form::Register,
        "McpServer.tool" => Form::Tool,
        "McpLowServer.setRequestHandler" if is_call_tool(cx, call) => Form::LowLevel,
        _ => return None,
    };
    let module = cx.infer.module(call.loc.file);
    if call.args.iter().any(|arg| matches!(module.expr(*arg).kind, ExprKind::Spread(_))) {
        return None;
    }
    let at = |expr: &ExprId| call.loc.at(*expr);
    let last = call.args.get(1..)?.last()?;
    let mut tool = Tool {
        call: call.clone(),
        form,
        name: (form != Form::LowLevel).then(|| at(&call.args[0])),
        config: None,
        input: Given::Unknown,
        output: Given::Unknown,
        handlers: functions(cx, at(last)),
    };
    match form {
        Form::Register => {
            let config = cx.infer.eval(at(call.args.get(1)?));
            if call.args.len() < 3 || cx.infer.alternatives(config).len() != 1 {
                return Some(tool);
            }
            tool.config = Some(config);
            let keys = cx.infer.keys(config);
            tool.input = given(cx, &keys, "inputSchema");
            tool.output = given(cx, &keys, "outputSchema");
        }
        Form::Tool => {
            tool.input = positional(cx, &call.args[1..call.args.len() - 1].iter().map(at).collect::<Vec<_>>());
            tool.output = Given::None;
        }
        Form::LowLevel => {}
    }
    Some(tool)
}

fn is_call_tool(cx: &mut Context<'_>, call: &SdkCall) -> bool {
    let Some(first) = call.args.first() else { return false };
    let value = cx.infer.eval(call.loc.at(*first));
    match *cx.infer.kind(value) {
        ValueKind::Export(export) => cx.infer.program.types.value(export).name == "CallToolRequestSchema",
        ValueKind::Literal(literal) => cx.infer.module(literal.file).string(literal.expr) == Some("tools/call"),
        _ => cx.infer.record_of(value) == cx.infer.program.types.record_named("McpCallToolSchema"),
    }
}

fn given(cx: &mut Context<'_>, keys: &Keys, name: &str) -> Given {
    match keys.get(name) {
        Some(key) => {
            let value = cx.infer.eval(key.value);
            match cx.infer.kind(value) {
                ValueKind::Undefined => Given::None,
                ValueKind::Union(_) => Given::Unknown,
                _ if !key.certain => Given::Unknown,
                _ => Given::At(key.value),
            }
        }
        None if keys.open.is_empty() => Given::None,
        None => Given::Unknown,
    }
}

/// The names of tool annotations: an object of these is no shape.
const ANNOTATIONS: [&str; 5] = ["title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

/// The shape among the arguments between the name and the handler of `server.tool`.
fn positional(cx: &mut Context<'_>, between: &[Loc]) -> Given {
    let rest = match between {
        [] => return Given::None,
        [first, rest @ ..] if is_text(cx, *first) => rest,
        [_] | [_, _] => between,
        [_, rest @ ..] => rest,
    };
    let Some(first) = rest.first() else { return Given::None };
    let value = cx.infer.eval(*first);
    if let ValueKind::Object(_) = cx.infer.kind(value) {
        let keys = cx.infer.keys(value);
        let mut is_annotation = |key: &Key| {
            let value = cx.infer.eval(key.value);
            ANNOTATIONS.contains(&key.name.as_str()) && !matches!(cx.infer.kind(value), ValueKind::Unknown(..))
        };
        if keys.open.is_empty() && !keys.known.is_empty() && keys.known.iter().all(&mut is_annotation) {
            return Given::None;
        }
        return Given::At(*first);
    }
    let is_schema = zod::schema(&mut cx.infer, *first).is_some();
    match cx.infer.kind(value) {
        // Nothing is known: it may be a description as well.
        ValueKind::Unknown(..) if rest.len() == between.len() && !is_schema => Given::Unknown,
        ValueKind::Union(_) | ValueKind::Opaque => Given::Unknown,
        _ => Given::At(*first),
    }
}

fn is_text(cx: &mut Context<'_>, loc: Loc) -> bool {
    let module = cx.infer.module(loc.file);
    if matches!(module.expr(module.peel(loc.expr)).kind, ExprKind::String(_) | ExprKind::Template(_)) {
        return true;
    }
    let value = cx.infer.eval(loc);
    matches!(cx.infer.kind(value), ValueKind::Literal(_) | ValueKind::Opaque)
}

/// The functions that an expression may be.
pub(crate) fn functions(cx: &mut Context<'_>, loc: Loc) -> Vec<(FileId, FuncId)> {
    let value = cx.infer.eval(loc);
    let members = cx.infer.alternatives(value);
    members
        .into_iter()
        .filter_map(|member| match *cx.infer.kind(member) {
            ValueKind::Function(file, function, _) => Some((file, function)),
            _ => None,
        })
        .collect()
}
