//! Writing to stdout where stdout is the protocol.

mod place;

use agentcheck_catalog::Safety;
use agentcheck_model::hir::{ExprId, ExprKind, FuncId, Module};
use agentcheck_syntax::Place;

use crate::context::{Context, Details};
use crate::finding::Fix;
use crate::fix::entry::edit;
use place::{Server, is_before_exit};

/// A call that writes to stdout.
#[derive(Clone, Copy)]
struct Write<'m> {
    call: ExprId,
    callee: ExprId,
    /// `log`; none for `process.stdout.write`.
    method: Option<&'m str>,
}

impl Write<'_> {
    /// Whether there is the same for stderr: `console.table` and `console.dir` have no twin.
    fn has_twin(&self) -> bool {
        self.method.is_none_or(|method| matches!(method, "log" | "info" | "debug"))
    }
}

pub(crate) fn check(cx: &mut Context<'_>) {
    let writes = writes(cx.module());
    if writes.is_empty() {
        return;
    }
    let Some(server) = Server::of(cx) else { return };
    let module = cx.module();
    let writes: Vec<Write<'_>> = writes
        .into_iter()
        .filter(|write| server.runs(cx.file, module, write.call) && !is_before_exit(module, write.call))
        .collect();
    let (parts, lines): (Vec<Write<'_>>, Vec<Write<'_>>) =
        writes.into_iter().partition(|write| is_without_line_break(module, write));
    let is_entry = server.is_made_in(cx.file);
    for part in parts {
        report(cx, &server.package, "part", &[part], is_entry);
    }
    let (plain, others): (Vec<Write<'_>>, Vec<Write<'_>>) = lines.into_iter().partition(Write::has_twin);
    for lines in [plain, others] {
        // A banner of ten lines is one mistake.
        let mut left = lines.as_slice();
        while let Some(first) = left.first() {
            let function = |write: &Write<'_>| module.enclosing_function(write.call);
            let end = left.iter().position(|write| function(write) != function(first)).unwrap_or(left.len());
            report(cx, &server.package, "line", &left[..end], is_entry);
            left = &left[end..];
        }
    }
}

fn report(cx: &mut Context<'_>, package: &str, case: &str, writes: &[Write<'_>], is_entry: bool) {
    let Some(verdict) = cx.judge(package, &[case]) else { return };
    let module = cx.module();
    let first = writes[0];
    let what = module.text(module.expr(first.callee).span).to_owned();
    let instead = if first.method.is_some() { "console.error" } else { "process.stderr.write" };
    let more = match writes.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more in this function)"),
    };
    let edits = writes.iter().filter(|write| write.has_twin()).map(|write| {
        let text = if write.method.is_some() { "console.error" } else { "process.stderr.write" };
        edit(cx.file, module.expr(write.callee).span, text)
    });
    let safety = if is_entry { Safety::Safe } else { Safety::Unsafe };
    let fix = Fix { title: format!("Use `{instead}`"), safety, edits: edits.collect() };
    let fixes = if fix.edits.is_empty() { Vec::new() } else { vec![fix] };
    let place = Place { file: cx.file, span: module.expr(first.call).span };
    let slots = vec![("what", what), ("more", more), ("instead", instead.to_owned())];
    cx.report(&verdict, place, Details { slots, fixes, ..Details::default() });
}

/// Methods of `console` that write to stdout.
const METHODS: [&str; 10] =
    ["log", "info", "debug", "table", "dir", "dirxml", "group", "groupCollapsed", "count", "timeEnd"];

/// The calls of a file that write to stdout, in source order.
fn writes(module: &Module) -> Vec<Write<'_>> {
    let mut found: Vec<Write<'_>> = module
        .all_exprs()
        .filter_map(|(call, node)| {
            let ExprKind::Call { callee, .. } = node.kind else { return None };
            let ExprKind::Member { object, property } = module.expr(callee).kind else { return None };
            let method = module.name(property);
            if is_global(module, object, "console") && METHODS.contains(&method) {
                return Some(Write { call, callee, method: Some(method) });
            }
            let ExprKind::Member { object: process, property } = module.expr(object).kind else { return None };
            let is_stdout = method == "write" && module.name(property) == "stdout" && is_process(module, process);
            is_stdout.then_some(Write { call, callee, method: None })
        })
        .collect();
    found.sort_by_key(|write| module.expr(write.call).span.start);
    found
}

fn is_global(module: &Module, expr: ExprId, name: &str) -> bool {
    matches!(module.expr(expr).kind, ExprKind::Ident { name: own, binding: None } if module.name(own) == name)
}

/// `process`, the global or imported.
fn is_process(module: &Module, expr: ExprId) -> bool {
    use agentcheck_model::hir::BindingDef;
    let ExprKind::Ident { name, binding } = module.expr(expr).kind else { return false };
    module.name(name) == "process"
        && binding.is_none_or(|binding| match module.binding(binding).def {
            BindingDef::Import(import) => {
                let source = module.name(module.import_decl(module.import(import).decl).source);
                source.trim_start_matches("node:") == "process"
            }
            _ => false,
        })
}

/// Whether what is written is a text in sight that ends without a line break.
fn is_without_line_break(module: &Module, write: &Write<'_>) -> bool {
    let ExprKind::Call { args, .. } = module.expr(write.call).kind else { return false };
    let Some(text) = module.exprs(args).first().filter(|_| write.method.is_none()) else { return false };
    match module.expr(module.peel(*text)).kind {
        ExprKind::String(name) => !module.name(name).ends_with('\n'),
        ExprKind::Template(_) => {
            let written = module.text(module.expr(*text).span).trim_end_matches('`');
            !written.ends_with("\\n") && !written.ends_with('\n') && !written.ends_with('}')
        }
        _ => false,
    }
}

/// The functions around an expression, from the inside out.
fn functions_around(module: &Module, expr: ExprId) -> Vec<FuncId> {
    let mut found = Vec::new();
    let mut next = module.enclosing_function(expr);
    while let Some(function) = next {
        found.push(function);
        next = module.function(function).parent;
    }
    found
}
