//! Edits of imports: adding a name, using the one that is there, taking out what nothing uses any more.

use agentcheck_model::hir::{
    BindingId, ExprKind, ImportDeclId, ImportKind, Module, Parent, PatKind, RootSource, StmtId, StmtKind,
};
use agentcheck_syntax::{FileId, Span};

use super::entry::{edit, whole_lines};
use super::text::{line_end, newline, skip_trivia};
use crate::finding::Edit;

/// How to call the export `name` of `specifier` at the offset `at` of this module, and the edits that make it so.
pub(crate) fn use_export(module: &Module, file: FileId, specifier: &str, name: &str, at: u32) -> (String, Vec<Edit>) {
    let means = |local: &str, binding: BindingId| module.binding_at(local, at) == Some(binding);
    for (_, import) in module.all_imports() {
        let decl = module.import_decl(import.decl);
        if module.name(decl.source) != specifier || import.type_only {
            continue;
        }
        let local = module.name(module.binding(import.binding).name);
        match import.kind {
            ImportKind::Named { imported, .. } if module.name(imported) == name && means(local, import.binding) => {
                return (local.to_owned(), Vec::new());
            }
            ImportKind::Namespace if means(local, import.binding) => return (format!("{local}.{name}"), Vec::new()),
            _ => {}
        }
    }
    let local = free_name(module, name);
    let named = module
        .all_import_decls()
        .find(|(_, decl)| module.name(decl.source) == specifier && !decl.type_only && decl.named.is_some());
    if let Some((id, decl)) = named
        && let Some(braces) = decl.named
    {
        let written = if local == name { local.clone() } else { format!("{name} as {local}") };
        return (local, vec![add_specifier(module, file, id, braces, &written)]);
    }
    if let Some(found) = required(module, file, specifier, name, &local, at) {
        return found;
    }
    if is_common_js(module) {
        let written = if local == name { local.clone() } else { format!("{name}: {local}") };
        return (local, vec![add_require(module, file, specifier, &written)]);
    }
    let written = if local == name { local.clone() } else { format!("{name} as {local}") };
    (local, vec![add_declaration(module, file, specifier, &written)])
}

/// `name`, or a name like it that nothing in the file declares.
fn free_name(module: &Module, name: &str) -> String {
    let is_taken = |name: &str| match module.names.get(name) {
        Some(id) => module.all_bindings().any(|(_, binding)| binding.name == id),
        None => false,
    };
    if !is_taken(name) {
        return name.to_owned();
    }
    let mut local = format!("ai{}{}", name[..1].to_uppercase(), &name[1..]);
    while is_taken(&local) {
        local.push('_');
    }
    local
}

/// Whether a file is CommonJS: it requires, and imports and exports nothing.
fn is_common_js(module: &Module) -> bool {
    let requires = module.names.get("require").is_some();
    requires && module.all_import_decls().next().is_none() && !module.has_export_syntax() && !awaits_at_top(module)
}

fn awaits_at_top(module: &Module) -> bool {
    module
        .all_exprs()
        .any(|(expr, node)| matches!(node.kind, ExprKind::Await(_)) && module.enclosing_function(expr).is_none())
}

/// `const { name } = require('x')` after the last one at the top of the file, else at the top.
fn add_require(module: &Module, file: FileId, specifier: &str, name: &str) -> Edit {
    let source = &module.source;
    let requires = |stmt: &&StmtId| {
        let stmt = module.stmt(**stmt);
        matches!(stmt.kind, StmtKind::Declare(_)) && module.text(stmt.span).contains("require(")
    };
    let last = module.body.iter().filter(requires).map(|stmt| module.stmt(*stmt).span).next_back();
    let text = last.map_or("", |span| module.text(span));
    let quote = if text.contains('"') { '"' } else { '\'' };
    let semicolon = if text.is_empty() || text.ends_with(';') { ";" } else { "" };
    let line = format!("const {{ {name} }} = require({quote}{specifier}{quote}){semicolon}{}", newline(source));
    match last {
        Some(span) => edit(file, Span::empty(line_end(source, span.end)), line),
        None => edit(file, Span::empty(after_prologue(module)), line),
    }
}

/// `, name` after the last specifier, on a line of its own if that one stands on one.
pub(super) fn add_specifier(module: &Module, file: FileId, decl: ImportDeclId, braces: Span, name: &str) -> Edit {
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
pub(super) fn add_declaration(module: &Module, file: FileId, specifier: &str, name: &str) -> Edit {
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

/// The offset after the byte order mark, the hash-bang line, directives such as `'use server'` and comments that speak to
/// tools such as `// @ts-nocheck`; in a component, where its first script begins.
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
            StmtKind::Expr(expr) if matches!(module.expr(expr).kind, ExprKind::String(_)) => {
                at = line_end(source, stmt.span.end);
            }
            // The hash-bang line.
            StmtKind::Nothing if stmt.span.end <= at => {}
            _ => break,
        }
    }
    loop {
        let line = &source[at as usize..line_end(source, at) as usize];
        let comment = line.trim_start();
        let speaks = ["// @ts-", "/* eslint", "// eslint", "/** @jsx", "/* @jsx", "// biome-ignore-all", "// oxlint"];
        if !speaks.iter().any(|start| comment.starts_with(start)) || line.is_empty() {
            return at;
        }
        at += line.len() as u32;
    }
}

/// `const { a } = require('ai')` and `const { a } = await import('ai')`: the name is added to the pattern.
fn required(
    module: &Module,
    file: FileId,
    specifier: &str,
    name: &str,
    local: &str,
    at: u32,
) -> Option<(String, Vec<Edit>)> {
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
                let module_name = module.name(module.binding(binding).name);
                if module.binding_at(module_name, at) == Some(binding) {
                    return Some((format!("{module_name}.{name}"), Vec::new()));
                }
            }
            PatKind::Object(props) => {
                let mut last = None;
                for (_, prop) in module.pat_props(props) {
                    if let agentcheck_model::hir::PropKey::Name(key) = prop.key
                        && module.name(key) == name
                        && let PatKind::Binding(binding) = module.pat(prop.pattern).kind
                        && let bound = module.name(module.binding(binding).name)
                        && module.binding_at(bound, at) == Some(binding)
                    {
                        return Some((bound.to_owned(), Vec::new()));
                    }
                    last = Some(prop.span);
                }
                let last = last?;
                let written = if local == name { name.to_owned() } else { format!("{name}: {local}") };
                return Some((local.to_owned(), vec![edit(file, Span::empty(last.end), format!(", {written}"))]));
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
        if module.is_exported(import.binding) || module.is_used_as_type(import.binding) {
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
pub(super) fn specifier_with_comma(module: &Module, decl: ImportDeclId, specifier: Span) -> Span {
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
