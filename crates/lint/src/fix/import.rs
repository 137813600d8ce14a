//! Edits of imports: adding a name, using the one that is there, taking out what nothing uses any more.

use agentcheck_model::hir::{ExprKind, ImportDeclId, ImportKind, Module, Parent, PatKind, RootSource};
use agentcheck_syntax::{FileId, Span};

use super::entry::{edit, whole_lines};
use super::text::{line_end, newline, skip_trivia};
use crate::finding::Edit;

/// How to call the export `name` of `specifier` in this module, and the edits that make it so.
pub(crate) fn use_export(module: &Module, file: FileId, specifier: &str, name: &str) -> (String, Vec<Edit>) {
    for (_, import) in module.all_imports() {
        let decl = module.import_decl(import.decl);
        if module.name(decl.source) != specifier || import.type_only {
            continue;
        }
        let local = module.name(module.binding(import.binding).name);
        match import.kind {
            ImportKind::Named { imported, .. } if module.name(imported) == name => {
                return (local.to_owned(), Vec::new());
            }
            ImportKind::Namespace => return (format!("{local}.{name}"), Vec::new()),
            _ => {}
        }
    }
    if let Some(found) = required(module, file, specifier, name) {
        return found;
    }
    // The name may be taken by something else in the file.
    let taken = module.all_bindings().any(|(_, binding)| module.name(binding.name) == name);
    let local = if taken { format!("ai{}{}", name[..1].to_uppercase(), &name[1..]) } else { name.to_owned() };
    let written = if taken { format!("{name} as {local}") } else { name.to_owned() };

    let named = module
        .all_import_decls()
        .find(|(_, decl)| module.name(decl.source) == specifier && !decl.type_only && decl.named.is_some());
    if let Some((id, decl)) = named
        && let Some(braces) = decl.named
    {
        return (local, vec![add_specifier(module, file, id, braces, &written)]);
    }
    (local, vec![add_declaration(module, file, specifier, &written)])
}

/// `, name` after the last specifier, on a line of its own if that one stands on one.
fn add_specifier(module: &Module, file: FileId, decl: ImportDeclId, braces: Span, name: &str) -> Edit {
    let source = &module.source;
    let last = module
        .all_imports()
        .filter(|(_, import)| import.decl == decl && braces.contains(import.span))
        .map(|(_, import)| import.span)
        .max_by_key(|span| span.end);
    let Some(last) = last else { return edit(file, braces, format!("{{ {name} }}")) };
    let multiline = module.text(Span::new(braces.start, last.start)).contains('\n');
    if multiline {
        let indent = super::text::indentation(source, last.start);
        edit(file, Span::empty(last.end), format!(",{}{indent}{name}", newline(source)))
    } else {
        edit(file, Span::empty(last.end), format!(", {name}"))
    }
}

/// A new import after the last one, or at the top, in the style of the file.
fn add_declaration(module: &Module, file: FileId, specifier: &str, name: &str) -> Edit {
    let source = &module.source;
    let last = module.all_import_decls().map(|(_, decl)| decl).max_by_key(|decl| decl.span.end);
    let (quote, semicolon) = match last {
        Some(decl) => {
            let quote = if module.text(decl.source_span).starts_with('"') { '"' } else { '\'' };
            (quote, if module.text(decl.span).ends_with(';') { ";" } else { "" })
        }
        None => ('\'', if source.contains(";\n") || source.contains(";\r\n") { ";" } else { "" }),
    };
    let line = format!("import {{ {name} }} from {quote}{specifier}{quote}{semicolon}{}", newline(source));
    match last {
        Some(decl) => {
            let end = line_end(source, decl.span.end);
            // The last line of the file may lack its line ending.
            match source[..end as usize].ends_with('\n') {
                true => edit(file, Span::empty(end), line),
                false => edit(file, Span::empty(end), format!("{}{}", newline(source), line.trim_end())),
            }
        }
        None => edit(file, Span::empty(after_prologue(module)), line),
    }
}

/// The offset after the byte order mark, the hash-bang line and directives such as `'use server'`; in a component, where its
/// first script begins.
fn after_prologue(module: &Module) -> u32 {
    let source = &module.source;
    let mut at = module.code.first().map_or(0, |code| code.start);
    if at > 0 && super::text::ends_line(source, at) {
        at = line_end(source, at);
    }
    if at == 0 && source.starts_with('\u{feff}') {
        at = 3;
    }
    if source[at as usize..].starts_with("#!") {
        at = line_end(source, at);
    }
    for stmt in &module.body {
        let stmt = module.stmt(*stmt);
        match stmt.kind {
            agentcheck_model::hir::StmtKind::Expr(expr) if matches!(module.expr(expr).kind, ExprKind::String(_)) => {
                at = line_end(source, stmt.span.end);
            }
            _ => break,
        }
    }
    at
}

/// `const { a } = require('ai')` and `const { a } = await import('ai')`: the name is added to the pattern.
fn required(module: &Module, file: FileId, specifier: &str, name: &str) -> Option<(String, Vec<Edit>)> {
    for (expr, node) in module.all_exprs() {
        let source = match node.kind {
            ExprKind::Call { callee, args } => match module.expr(callee).kind {
                ExprKind::Ident { name, binding: None } if module.name(name) == "require" => {
                    module.exprs(args).first().copied()
                }
                _ => None,
            },
            ExprKind::Import(source) => Some(source),
            _ => None,
        };
        if source.and_then(|source| module.string(source)) != Some(specifier) {
            continue;
        }
        let mut value = expr;
        if let Parent::Expr(parent) = module.expr_parent(value)
            && matches!(module.expr(parent).kind, ExprKind::Await(_))
        {
            value = parent;
        }
        let Parent::Root(root) = module.expr_parent(value) else { continue };
        // Only at the top of the module: elsewhere the name would not be in scope.
        if module.function_above(module.root_parent(root)).is_some() {
            continue;
        }
        let root = module.root(root);
        if root.source != RootSource::Value(value) {
            continue;
        }
        match module.pat(root.pattern).kind {
            PatKind::Binding(binding) => {
                return Some((format!("{}.{name}", module.name(module.binding(binding).name)), Vec::new()));
            }
            PatKind::Object(props) => {
                let mut last = None;
                for (_, prop) in module.pat_props(props) {
                    if let agentcheck_model::hir::PropKey::Name(key) = prop.key
                        && module.name(key) == name
                        && let PatKind::Binding(binding) = module.pat(prop.pattern).kind
                    {
                        return Some((module.name(module.binding(binding).name).to_owned(), Vec::new()));
                    }
                    last = Some(prop.span);
                }
                let last = last?;
                return Some((name.to_owned(), vec![edit(file, Span::empty(last.end), format!(", {name}"))]));
            }
            _ => {}
        }
    }
    None
}

/// Takes out the imports that are used only inside `gone`, which is being deleted.
pub(crate) fn remove_unused(module: &Module, file: FileId, gone: Span) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (_, import) in module.all_imports() {
        let refs = module.refs(import.binding);
        let within = |expr: &agentcheck_model::hir::ExprId| gone.contains(module.expr(*expr).span);
        if refs.is_empty() || !refs.iter().all(within) {
            continue;
        }
        // A name that is also exported or used as a type stays.
        let exported = module.exports.iter().any(|export| {
            matches!(export.kind, agentcheck_model::hir::ExportKind::Local { binding, .. } if binding == import.binding)
        });
        if exported || module.is_used_as_type(import.binding) {
            continue;
        }
        let decl = module.import_decl(import.decl);
        let siblings = module.all_imports().filter(|(_, other)| other.decl == import.decl).count();
        if siblings == 1 {
            edits.push(edit(file, whole_lines(&module.source, decl.span), ""));
        } else if matches!(import.kind, ImportKind::Named { .. }) {
            let span = specifier_with_comma(module, import.decl, import.span);
            edits.push(edit(file, span, ""));
        }
    }
    edits
}

/// A named import with the comma that it leaves behind.
fn specifier_with_comma(module: &Module, decl: ImportDeclId, specifier: Span) -> Span {
    let source = &module.source;
    let next = skip_trivia(source, specifier.end);
    if source[next as usize..].starts_with(',') {
        let after = next + 1;
        let following = skip_trivia(source, after);
        // Up to the next specifier, so that lines close up.
        let end = if source[following as usize..].starts_with('}') { after } else { following };
        return Span::new(specifier.start, end);
    }
    let before = module
        .all_imports()
        .filter(|(_, import)| import.decl == decl && import.span.end <= specifier.start)
        .map(|(_, import)| import.span.end)
        .max();
    Span::new(before.unwrap_or(specifier.start), specifier.end)
}
