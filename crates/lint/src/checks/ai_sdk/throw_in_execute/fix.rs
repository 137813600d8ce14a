//! Catch inside `execute`: log, and return a small object.

use agentcheck_catalog::Safety;
use agentcheck_model::hir::{Body, FuncId, Module, Parent, PatKind, StmtKind};
use agentcheck_model::Throw;
use agentcheck_syntax::{FileId, Span};

use crate::finding::{Edit, Fix};
use crate::fix::entry::edit;
use crate::fix::text::{indent_unit, indentation, line_start, newline};

pub(super) fn fix(module: &Module, file: FileId, function: FuncId, throw: Throw, tool: &str) -> Option<Fix> {
    let edits = match rethrow(module, file, throw, tool) {
        Some(edits) => edits,
        None => wrap(module, file, function, tool)?,
    };
    Some(Fix { title: "Log the error and return a small object".to_owned(), safety: Safety::Unsafe, edits })
}

fn escaped(tool: &str) -> String {
    tool.replace('\\', "\\\\").replace('\'', "\\'")
}

/// A throw at the end of a `catch` becomes a return.
fn rethrow(module: &Module, file: FileId, throw: Throw, tool: &str) -> Option<Vec<Edit>> {
    let StmtKind::Catch { param: Some(param), body } = module.stmt(throw.inside_catch?).kind else { return None };
    let PatKind::Binding(caught) = module.pat(module.root(param).pattern).kind else { return None };
    // Only where statements stand in a row: `if (x) throw y` would need braces.
    let Parent::Stmt(block) = module.stmt_parent(throw.stmt) else { return None };
    if !matches!(module.stmt(block).kind, StmtKind::Block(_)) || block != body {
        return None;
    }
    let source = &module.source;
    let span = module.stmt(throw.stmt).span;
    let (indent, line) = (indentation(source, span.start), newline(source));
    let (tool, caught) = (escaped(tool), module.name(module.binding(caught).name));
    let text = format!(
        "console.error('{tool} failed', {caught});{line}{indent}return {{ ok: false, error: '{tool} failed' }};"
    );
    Some(vec![edit(file, span, text)])
}

/// The whole body goes into a `try`.
fn wrap(module: &Module, file: FileId, function: FuncId, tool: &str) -> Option<Vec<Edit>> {
    let Body::Block(block) = module.function(function).body else { return None };
    let source = &module.source;
    let span = module.stmt(block).span;
    let StmtKind::Block(items) = module.stmt(block).kind else { return None };
    let first = module.stmt(*module.stmts(items).first()?).span;
    let last = module.stmt(*module.stmts(items).last()?).span;
    // A body on one line is left to the reader.
    if !module.text(Span::new(span.start, first.start)).contains('\n') {
        return None;
    }
    let (indent, line, unit, tool) = (indentation(source, first.start), newline(source), indent_unit(source), escaped(tool));
    let mut edits = Vec::new();
    let start = line_start(source, first.start);
    edits.push(edit(file, Span::empty(start), format!("{indent}try {{{line}{unit}")));
    for at in inner_lines(module, Span::new(start, last.end)) {
        edits.push(edit(file, Span::empty(at), unit.clone()));
    }
    let caught = match module.all_bindings().any(|(_, binding)| module.name(binding.name) == "error") {
        true => "failure",
        false => "error",
    };
    let end = format!(
        "{line}{indent}}} catch ({caught}) {{{line}{indent}{unit}console.error('{tool} failed', {caught});{line}\
         {indent}{unit}return {{ ok: false, error: '{tool} failed' }};{line}{indent}}}"
    );
    edits.push(edit(file, Span::empty(statement_end(source, last.end)), end));
    Some(edits)
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
    use agentcheck_model::hir::ExprKind;
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
