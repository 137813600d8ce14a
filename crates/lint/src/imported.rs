//! What an expression names of a module that is not an SDK's: `exec` of `node:child_process`.

use agentcheck_model::hir::{BindingDef, ExprId, ExprKind, ImportKind, Module, PatId, PatRole, PropKey};

/// The module's specifier without `node:`, and the path of names in it; the path is empty for the module itself.
pub(crate) fn imported<'m>(module: &'m Module, expr: ExprId) -> Option<(&'m str, Vec<&'m str>)> {
    let plain = |source: &'m str| source.strip_prefix("node:").unwrap_or(source);
    match module.expr(module.peel(expr)).kind {
        ExprKind::Member { object, property } => {
            let (source, mut path) = imported(module, object)?;
            path.push(module.name(property));
            Some((source, path))
        }
        ExprKind::Ident { binding: Some(binding), .. } => match module.binding(binding).def {
            BindingDef::Import(import) => {
                let import = module.import(import);
                let source = plain(module.name(module.import_decl(import.decl).source));
                let path = match import.kind {
                    ImportKind::Named { imported, .. } => vec![module.name(imported)],
                    ImportKind::Default | ImportKind::Namespace => Vec::new(),
                };
                Some((source, path))
            }
            // `const { exec } = require('child_process')`
            BindingDef::Pattern { pattern, constant: true } => {
                let root = module.root_of(pattern)?;
                let (_, source) = module.loads().find(|(loaded, _)| *loaded == root)?;
                let path =
                    if module.root(root).pattern == pattern { Vec::new() } else { vec![key_of(module, pattern)?] };
                Some((plain(source), path))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The key by which a pattern takes a value out of what it is given.
fn key_of(module: &Module, pattern: PatId) -> Option<&str> {
    match module.pat(pattern).role {
        PatRole::Key(_, prop) => match module.pat_prop(prop).key {
            PropKey::Name(name) => Some(module.name(name)),
            _ => None,
        },
        _ => None,
    }
}
