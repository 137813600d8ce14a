//! Whether a place runs while the protocol is on stdout.

use agentcheck_model::hir::{BindingDef, ExprId, ExprKind, Module, Parent, PatKind, StmtId, StmtKind};
use agentcheck_model::{Loc, Program, ValueKind};
use agentcheck_syntax::{FileId, Span};

use super::functions_around;
use crate::context::Context;

/// The stdio server that a file belongs to.
pub(super) struct Server {
    pub package: String,
    /// Where its transport is made.
    transports: Vec<(FileId, Span)>,
    /// The program serves over HTTP as well: then only what runs with the stdio transport counts.
    blocks: Option<Vec<(FileId, Span)>>,
}

impl Server {
    pub(super) fn of(cx: &mut Context<'_>) -> Option<Self> {
        let program = cx.infer.program;
        // The file, and those that it is reached from.
        let around = program.dependants([cx.file]);
        let mut package = None;
        let mut transports = Vec::new();
        for file in around.iter().copied().filter(|file| !is_test(program, *file)) {
            for (kind, of, span) in made_in(cx, file) {
                if kind == Kind::Stdio {
                    package.get_or_insert(of);
                    transports.push((file, span));
                }
            }
        }
        let package = package?;
        let mut has_http = false;
        for file in cx.infer.every_sdk_file().into_iter().chain(around.iter().copied()) {
            let belongs = || program.dependants([file]).iter().any(|other| around.contains(other));
            if is_test(program, file) || !names_transport(program.module(file)) || !belongs() {
                continue;
            }
            if replaces_console(program.module(file)) {
                return None;
            }
            has_http |= made_in(cx, file).iter().any(|(kind, ..)| *kind == Kind::Http);
        }
        let blocks = has_http.then(|| {
            transports.iter().filter_map(|(file, span)| Some((*file, block_of(program.module(*file), *span)?))).collect()
        });
        Some(Self { package, transports, blocks })
    }

    /// Whether the transport is made in a file.
    pub(super) fn is_made_in(&self, file: FileId) -> bool {
        self.transports.iter().any(|(own, _)| *own == file)
    }

    /// Whether an expression runs while the server serves on stdio.
    pub(super) fn runs(&self, file: FileId, module: &Module, expr: ExprId) -> bool {
        let span = module.expr(expr).span;
        match &self.blocks {
            // In the same block as the transport, and in no function that may be called from elsewhere.
            Some(blocks) => blocks.iter().any(|(own, block)| *own == file && block.contains(span)),
            None => true,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Stdio,
    Http,
}

fn names_transport(module: &Module) -> bool {
    module.source.contains("ServerTransport")
}

/// The transports of servers that a file makes, with their packages.
fn made_in(cx: &mut Context<'_>, file: FileId) -> Vec<(Kind, String, Span)> {
    let module = cx.infer.module(file);
    if !names_transport(module) {
        return Vec::new();
    }
    let constructed = module.all_exprs().filter_map(|(expr, node)| match node.kind {
        ExprKind::New { callee, args } => Some((module.expr(expr).span, callee, module.exprs(args).len())),
        _ => None,
    });
    constructed
        .filter_map(|(span, callee, args)| {
            let (kind, package) = transport(cx, Loc::new(file, callee))?;
            // Another stream than stdout was given.
            (kind == Kind::Http || args < 2).then_some((kind, package, span))
        })
        .collect()
}

/// The transport that a constructor makes, and its package.
fn transport(cx: &mut Context<'_>, callee: Loc) -> Option<(Kind, String)> {
    let module = cx.infer.module(callee.file);
    if !matches!(module.expr(callee.expr).kind, ExprKind::Ident { binding: Some(_), .. } | ExprKind::Member { .. }) {
        return None;
    }
    let name = module.text(module.name_span(callee.expr));
    let is_imported = match module.expr(callee.expr).kind {
        ExprKind::Ident { binding: Some(binding), .. } => matches!(module.binding(binding).def, BindingDef::Import(_)),
        _ => false,
    };
    // Where another class comes from is not worth the search.
    if !is_imported && !name.ends_with("ServerTransport") {
        return None;
    }
    let value = cx.infer.idly(|infer| infer.eval(callee));
    if let ValueKind::Export(export) = *cx.infer.kind(value) {
        let types = &cx.infer.program.types;
        let export = types.value(export);
        let package = types.package_of(&export.entry).to_owned();
        return match export.name.as_str() {
            "StdioServerTransport" => Some((Kind::Stdio, package)),
            "SSEServerTransport" | "StreamableHTTPServerTransport" => Some((Kind::Http, package)),
            _ => None,
        };
    }
    // Those of packages that the tables do not hold.
    let is_http = name.ends_with("ServerTransport") && ["HTTP", "Http", "SSE"].iter().any(|word| name.contains(word));
    is_http.then(|| (Kind::Http, String::new()))
}

fn is_test(program: &Program, file: FileId) -> bool {
    let Some(path) = program.file(file).map(|file| &file.path) else { return true };
    path.contains(".test.") || path.contains(".spec.") || path.contains("/__tests__/")
}

/// `console.log = console.error`, `globalThis.console = …`, `process.stdout.write = …`
fn replaces_console(module: &Module) -> bool {
    module.all_patterns().any(|(_, pattern)| match pattern.kind {
        PatKind::Target(target) => {
            let text = module.text(module.expr(target).span);
            let text = text.trim_start_matches("globalThis.").trim_start_matches("global.");
            text == "console" || text.starts_with("console.") || text.starts_with("console[") || text == "process.stdout.write"
        }
        _ => false,
    })
}

/// The innermost block, or file, around a range.
fn block_of(module: &Module, span: Span) -> Option<Span> {
    let blocks = module.all_stmts().filter_map(|(_, stmt)| match stmt.kind {
        StmtKind::Block(_) if stmt.span.contains(span) => Some(stmt.span),
        _ => None,
    });
    blocks.min_by_key(|block| block.end - block.start)
}

/// Whether the process ends, or the function is left without serving, right after an expression: a help text, a version.
pub(super) fn is_before_exit(module: &Module, expr: ExprId) -> bool {
    let functions = functions_around(module, expr);
    if exits_after(module, expr) {
        return true;
    }
    // `usage(); process.exit(0)`
    functions.first().is_some_and(|function| {
        let Some(binding) = module.binding_of_function(*function) else { return false };
        let refs = module.refs(binding);
        !refs.is_empty()
            && refs.iter().all(|reference| match module.expr_parent(*reference) {
                Parent::Expr(call) => {
                    matches!(module.expr(call).kind, ExprKind::Call { .. }) && exits_after(module, call)
                }
                _ => false,
            })
    })
}

fn exits_after(module: &Module, expr: ExprId) -> bool {
    let mut parent = module.expr_parent(expr);
    let start = module.expr(expr).span.start;
    loop {
        parent = match parent {
            Parent::Expr(expr) => module.expr_parent(expr),
            Parent::Stmt(stmt) => {
                if let StmtKind::Block(items) = module.stmt(stmt).kind
                    && ends_process(module, module.stmts(items), start, is_branch(module, stmt))
                {
                    return true;
                }
                module.stmt_parent(stmt)
            }
            Parent::Root(root) => module.root_parent(root),
            Parent::Prop(prop) => module.expr_parent(module.prop(prop).owner),
            _ => return false,
        };
    }
}

/// Whether a block is a branch of its own.
fn is_branch(module: &Module, block: StmtId) -> bool {
    match module.stmt_parent(block) {
        Parent::Stmt(outer) => matches!(module.stmt(outer).kind, StmtKind::If { .. } | StmtKind::Case { .. }),
        _ => false,
    }
}

/// Whether one of the statements after `start` ends the process, or leaves a branch.
fn ends_process(module: &Module, stmts: &[StmtId], start: u32, branch: bool) -> bool {
    stmts.iter().map(|stmt| module.stmt(*stmt)).filter(|stmt| stmt.span.end >= start).any(|stmt| match stmt.kind {
        StmtKind::Return(None) => branch,
        StmtKind::Expr(expr) => match module.expr(expr).kind {
            ExprKind::Call { callee, .. } => module.text(module.expr(callee).span) == "process.exit",
            _ => false,
        },
        _ => false,
    })
}
