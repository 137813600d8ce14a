//! Texts that hold what the model wrote.

use agentcheck_model::Loc;
use agentcheck_model::hir::{BinaryOp, BindingDef, ExprId, ExprKind, FuncId, Module};
use agentcheck_syntax::{FileId, Span};

use crate::context::Context;
use crate::mcp;
use crate::schemas::input_schema;
use crate::tool_functions::tool_functions;
use crate::tool_input::Scope;
use crate::zod;

/// A function that runs when the model asks for a tool; the model wrote its first argument.
pub(crate) struct ModelCalled {
    pub package: String,
    pub file: FileId,
    pub function: FuncId,
    /// The schema of the argument, if it can be seen.
    pub schema: Option<Loc>,
}

/// The functions of the file's tools, of the AI SDK and of MCP servers.
pub(crate) fn model_called(cx: &mut Context<'_>) -> Vec<ModelCalled> {
    let mut found = Vec::new();
    for execute in tool_functions(cx, "execute") {
        let schema = input_schema(cx, &execute.keys).map(|(_, schema)| schema);
        let package = execute.typed.reach.package.clone();
        found.push(ModelCalled { package, file: execute.file, function: execute.function, schema });
    }
    for tool in mcp::tools(cx) {
        // Without a schema the first argument is not the model's.
        let mcp::Given::At(schema) = tool.input else { continue };
        for (file, function) in tool.handlers {
            found.push(ModelCalled { package: tool.call.package.clone(), file, function, schema: Some(schema) });
        }
    }
    found
}

impl ModelCalled {
    /// The expressions in the function, those in functions in it included.
    pub(crate) fn exprs<'m>(&self, module: &'m Module) -> impl Iterator<Item = ExprId> + 'm {
        module.exprs_within(module.function(self.function).span).map(|(id, _)| id)
    }

    /// The part of a text that the model wrote freely: of a template, of a sum, of a list that is joined. With `whole` the
    /// text itself counts too.
    pub(crate) fn written_part(&self, cx: &mut Context<'_>, text: ExprId, whole: bool) -> Option<ExprId> {
        self.part(cx, text, whole, 8)
    }

    fn part(&self, cx: &mut Context<'_>, text: ExprId, whole: bool, left: u32) -> Option<ExprId> {
        let left = left.checked_sub(1)?;
        let module = cx.infer.module(self.file);
        let expr = module.peel(text);
        let any =
            |cx: &mut Context<'_>, parts: &[ExprId]| parts.iter().find_map(|part| self.part(cx, *part, true, left));
        match module.expr(expr).kind {
            ExprKind::Template(values) => any(cx, module.exprs(values)),
            ExprKind::Binary(BinaryOp::Add, first, second) => any(cx, &[first, second]),
            // `['git', 'log', input.path].join(' ')`
            ExprKind::Call { callee, .. } => match module.expr(callee).kind {
                ExprKind::Member { object, property } if module.name(property) == "join" => {
                    match module.expr(module.peel(object)).kind {
                        ExprKind::Array(parts) => any(cx, module.exprs(parts)),
                        _ => None,
                    }
                }
                ExprKind::Member { object, property } if matches!(module.name(property), "trim" | "toString") => {
                    self.part(cx, object, whole, left)
                }
                _ => None,
            },
            ExprKind::Ident { binding: Some(binding), .. } => {
                let constant = matches!(module.binding(binding).def, BindingDef::Pattern { constant: true, .. });
                let value = module.value_of_binding(binding).filter(|value| constant && *value != expr);
                if let Some(value) = value
                    && let Some(part) = self.part(cx, value, whole, left)
                {
                    return Some(part);
                }
                (whole && self.is_free(cx, expr)).then_some(expr)
            }
            ExprKind::Member { .. } | ExprKind::Index { .. } => (whole && self.is_free(cx, expr)).then_some(expr),
            _ => None,
        }
    }

    /// Whether the model may write anything there: a part of its input that neither the schema nor a test confines.
    fn is_free(&self, cx: &mut Context<'_>, expr: ExprId) -> bool {
        let loc = Loc::new(self.file, expr);
        let scope = Scope { execute: (self.file, self.function), frames: &[] };
        if !scope.is_own_input(&cx.infer, loc) {
            return false;
        }
        let module = cx.infer.module(self.file);
        let text = module.text(module.expr(expr).span);
        !self.is_tested(module, text) && !self.is_confined(cx, text)
    }

    /// Whether the function asks whether a value is one of a list, or fits a pattern.
    fn is_tested(&self, module: &Module, text: &str) -> bool {
        const TESTS: [&str; 8] = ["includes", "has", "test", "match", "exec", "indexOf", "some", "every"];
        module.exprs_within(module.function(self.function).span).any(|(_, node)| {
            let ExprKind::Call { callee, args } = node.kind else { return false };
            let ExprKind::Member { object, property } = module.expr(callee).kind else { return false };
            let is_it = |expr: &ExprId| module.text(module.expr(*expr).span) == text;
            TESTS.contains(&module.name(property)) && (is_it(&object) || module.exprs(args).iter().any(is_it))
        })
    }

    /// Whether the schema lets through only numbers, a choice, or what a pattern fits.
    fn is_confined(&self, cx: &mut Context<'_>, text: &str) -> bool {
        const CONFINED: [&str; 14] = [
            "number",
            "int",
            "boolean",
            "enum",
            "nativeEnum",
            "literal",
            "uuid",
            "date",
            "coerce.number",
            "coerce.boolean",
            "bigint",
            "iso.date",
            "iso.datetime",
            "int32",
        ];
        const CONFINING: [&str; 9] =
            ["regex", "uuid", "refine", "superRefine", "transform", "pipe", "startsWith", "datetime", "check"];
        let name = text.rsplit(['.', '?']).next().unwrap_or(text);
        let Some(schema) = self.schema else { return false };
        let field = match zod::schema(&mut cx.infer, schema) {
            Some(root) => zod::fields(&mut cx.infer, &root)
                .and_then(|fields| fields.known.into_iter().find(|field| field.name == name))
                .map(|field| field.value),
            // The plain object of schemas that MCP takes.
            None => {
                let value = cx.infer.eval(schema);
                cx.infer.keys(value).get(name).map(|key| key.value)
            }
        };
        // What the schema says of it cannot be seen: a name that was given to it, or another kind of schema.
        let Some(field) = field else { return false };
        match zod::schema(&mut cx.infer, field) {
            Some(field) => {
                CONFINED.contains(&field.maker.as_str())
                    || field.methods.iter().any(|method| CONFINING.contains(&method.name.as_str()))
            }
            None => true,
        }
    }
}

/// A part as it is written, on one line.
pub(crate) fn shown(module: &Module, part: ExprId) -> String {
    let Span { start, end } = module.expr(part).span;
    module.text(Span::new(start, end)).split_whitespace().collect::<Vec<_>>().join(" ")
}
