//! Catch inside `execute`: log, and return a small object.

use agentcheck_catalog::Safety;
use agentcheck_model::hir::{Body, ExprKind, FuncId, Module, Parent, PatKind, StmtId, StmtKind};
use agentcheck_model::{Entered, Escape, Fate, Infer, Throw, fate};
use agentcheck_syntax::{FileId, Span};

use crate::tool_functions::ToolFunction;
use crate::finding::{Edit, Fix};
use crate::fix::entry::edit;
use crate::fix::text::{begins_line, indent_unit, indentation, line_start, newline};

pub(super) fn fix(infer: &Infer<'_>, execute: &ToolFunction, escape: &Escape, tool: &str) -> Option<Fix> {
    let module = infer.module(execute.file);
    let function = module.function(execute.function);
    // What a generator returns is nobody's output; what it yields last is.
    let is_generator = function.is_generator;
    let result = Result { tool: tool.replace('\\', "\\\\").replace('\'', "\\'"), is_generator, is_logged: false };
    let is_own = escape.path.is_empty() && escape.function == execute.function;
    let edit = if is_own {
        if escape.throw.is_rejection {
            return None;
        }
        let rethrow = rethrow(module, execute.file, escape.throw, &result);
        rethrow.or_else(|| wrap(module, execute.file, execute.function, &result))?
    } else {
        // Not awaited, the rejection of what is called passes by a `catch` around it.
        let passes_by = match escape.path.first() {
            Some(Entered { call, .. }) => function.is_async && !matches!(fate(module, call.expr), Fate::Awaited(_)),
            None => module.function(escape.function).is_async,
        };
        if passes_by {
            return None;
        }
        wrap(module, execute.file, execute.function, &result)?
    };
    Some(Fix {
        title: "Log the error and return a small object".to_owned(),
        safety: Safety::Unsafe,
        edits: vec![edit],
    })
}

/// What a failed tool gives.
struct Result {
    tool: String,
    is_generator: bool,
    /// Whether the `catch` logs already.
    is_logged: bool,
}

impl Result {
    /// The statements that log `caught` and give the result, from `indent` on.
    fn statements(&self, caught: &str, indent: &str, line: &str) -> String {
        let tool = &self.tool;
        let log = format!("console.error('{tool} failed', {caught});{line}{indent}");
        let log = if self.is_logged { String::new() } else { log };
        let object = format!("{{ ok: false, error: '{tool} failed' }};");
        match self.is_generator {
            true => format!("{log}yield {object}"),
            false => format!("{log}return {object}"),
        }
    }
}

/// A throw at the end of a `catch` becomes a return.
fn rethrow(module: &Module, file: FileId, throw: Throw, result: &Result) -> Option<Edit> {
    let StmtKind::Catch { param: Some(param), body } = module.stmt(throw.inside_catch?).kind else { return None };
    let PatKind::Binding(caught) = module.pat(module.root(param).pattern).kind else { return None };
    // Only where statements stand in a row: `if (x) throw y` would need braces.
    let Parent::Stmt(block) = module.stmt_parent(throw.stmt) else { return None };
    if !matches!(module.stmt(block).kind, StmtKind::Block(_)) || block != body || result.is_generator {
        return None;
    }
    let source = &module.source;
    let span = module.stmt(throw.stmt).span;
    let logs = |expr: ExprKind| match expr {
        ExprKind::Call { callee, .. } => module.text(module.expr(callee).span).starts_with("console."),
        _ => false,
    };
    let is_logged = module.exprs_within(module.stmt(body).span).any(|(_, node)| logs(node.kind));
    let result = &Result { is_logged, tool: result.tool.clone(), ..*result };
    let caught = module.name(module.binding(caught).name);
    let text = result.statements(caught, indentation(source, span.start), newline(source));
    Some(edit(file, span, text))
}

/// The whole body goes into a `try`: one edit, so that it waits for every other edit inside.
fn wrap(module: &Module, file: FileId, function: FuncId, result: &Result) -> Option<Edit> {
    let Body::Block(block) = module.function(function).body else { return None };
    let source = &module.source;
    let span = module.stmt(block).span;
    let StmtKind::Block(items) = module.stmt(block).kind else { return None };
    // Directives such as 'use step' stay in front.
    let is_directive = |stmt: &&StmtId| match module.stmt(**stmt).kind {
        StmtKind::Expr(expr) => matches!(module.expr(expr).kind, ExprKind::String(_)),
        _ => false,
    };
    let first = module.stmt(*module.stmts(items).iter().find(|stmt| !is_directive(stmt))?).span;
    let last = module.stmt(*module.stmts(items).last()?).span;
    // A body on one line is left to the reader, and one whose first line begins inside a comment.
    if !module.text(Span::new(span.start, first.start)).contains('\n') || !begins_line(source, first.start) {
        return None;
    }
    let (indent, line, unit) = (indentation(source, first.start), newline(source), indent_unit(source));
    let start = line_start(source, first.start);
    let end = statement_end(source, last.end);
    let mut text = format!("{indent}try {{{line}{unit}");
    let mut from = start;
    for at in inner_lines(module, Span::new(start, last.end)) {
        text.push_str(&source[from as usize..at as usize]);
        text.push_str(&unit);
        from = at;
    }
    text.push_str(&source[from as usize..end as usize]);
    let caught = match module.all_bindings().any(|(_, binding)| module.name(binding.name) == "error") {
        true => "failure",
        false => "error",
    };
    let inner = format!("{indent}{unit}");
    let statements = result.statements(caught, &inner, line);
    text.push_str(&format!("{line}{indent}}} catch ({caught}) {{{line}{inner}{statements}{line}{indent}}}"));
    Some(edit(file, Span::new(start, end), text))
}

/// After a comment that ends the line of the last statement.
fn statement_end(source: &str, end: u32) -> u32 {
    let rest = &source[end as usize..];
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    match line.trim_start().starts_with("//") {
        true => end + line.trim_end().len() as u32,
        false => end,
    }
}

/// The starts of the lines within a range, except the first, blank lines, and lines that begin inside a template, whose
/// text would change.
fn inner_lines(module: &Module, range: Span) -> Vec<u32> {
    let source = &module.source;
    let templates: Vec<Span> = module
        .exprs_within(range)
        .filter(|(_, node)| matches!(node.kind, ExprKind::Template(_) | ExprKind::Tagged { .. } | ExprKind::String(_)))
        .map(|(_, node)| node.span)
        .filter(|span| module.text(*span).contains('\n'))
        .collect();
    let mut starts = Vec::new();
    for (at, _) in source[range.range()].match_indices('\n') {
        let start = range.start + at as u32 + 1;
        let blank = source[start as usize..].trim_start_matches([' ', '\t']).starts_with(['\n', '\r']);
        let inside = templates.iter().any(|span| span.start < start && start <= span.end);
        if start < range.end && !blank && !inside {
            starts.push(start);
        }
    }
    starts
}
