//! Rows of kind `import` and `entry`: names that an entry point exports, and entry points.

use std::sync::Arc;

use agentcheck_catalog::{EditRow, Rename, RuleKind};
use agentcheck_model::hir::{ExportKind, ExprKind, ImportKind, Module, NameId, Parent, PatKind, PropKey, TypeKind};
use agentcheck_model::{Evidence, Infer};
use agentcheck_syntax::{FileId, Place, Span};

use super::Found;
use crate::finding::Edit;
use crate::fix::entry::edit;
use crate::fix::rename_import;

pub(super) fn check(found: &mut Found<'_, '_>, infer: &mut Infer<'_>) {
    let module = infer.module(found.file);
    entries(found, infer, module);
    for (id, import) in module.all_imports() {
        let source = module.import_decl(import.decl).source;
        match import.kind {
            ImportKind::Named { imported, imported_span } => {
                let edits = |row: &EditRow, file, rename: &Rename| match (row, rename.new.as_deref()) {
                    (EditRow::RenameImport, Some(new)) => rename_import::renamed(module, file, id, new, None),
                    (EditRow::MoveImport { from }, Some(new)) => {
                        rename_import::renamed(module, file, id, new, Some(from))
                    }
                    _ => None,
                };
                name(found, infer, module, source, imported, imported_span, edits);
            }
            ImportKind::Namespace => {
                for reference in module.refs(import.binding) {
                    let Parent::Expr(member) = module.expr_parent(*reference) else { continue };
                    let ExprKind::Member { object, property } = module.expr(member).kind else { continue };
                    if object == *reference {
                        let span = module.name_span(member);
                        name(found, infer, module, source, property, span, |row, file, rename| {
                            in_place(row, file, span, rename, "")
                        });
                    }
                }
                for ty in module.all_type_exprs() {
                    let TypeKind::Qualified { name: member, binding, .. } = ty.kind else { continue };
                    let text = module.name(member);
                    let at = module.text(ty.span).find(&format!(".{text}"));
                    if let (true, Some(at)) = (binding == Some(import.binding), at) {
                        let start = ty.span.start + at as u32 + 1;
                        let span = Span::new(start, start + text.len() as u32);
                        name(found, infer, module, source, member, span, |row, file, rename| {
                            in_place(row, file, span, rename, "")
                        });
                    }
                }
            }
            ImportKind::Default => {}
        }
    }
    for export in &module.exports {
        let ExportKind::From { source, imported, exported } = export.kind else { continue };
        // `type Message` keeps its `type`.
        let text = module.text(export.span);
        let Some(at) = text.find(module.name(imported)) else { continue };
        let start = export.span.start + at as u32;
        let span = Span::new(start, start + module.name(imported).len() as u32);
        let suffix = if imported == exported { format!(" as {}", module.name(exported)) } else { String::new() };
        name(found, infer, module, source, imported, span, |row, file, rename| {
            in_place(row, file, span, rename, &suffix)
        });
    }
    for (root, specifier) in module.loads() {
        let PatKind::Object(props) = module.pat(module.root(root).pattern).kind else { continue };
        let Some(source) = module.names.get(specifier) else { continue };
        for (_, prop) in module.pat_props(props) {
            let PropKey::Name(key) = prop.key else { continue };
            let span = prop.key_span;
            let suffix = if prop.shorthand { format!(": {}", module.name(key)) } else { String::new() };
            name(found, infer, module, source, key, span, |row, file, rename| {
                in_place(row, file, span, rename, &suffix)
            });
        }
    }
}

/// Another name where the old one is written.
fn in_place(row: &EditRow, file: FileId, span: Span, rename: &Rename, suffix: &str) -> Option<Vec<Edit>> {
    match (row, &rename.new) {
        (EditRow::RenameImport, Some(new)) => Some(vec![edit(file, span, format!("{new}{suffix}"))]),
        _ => None,
    }
}

/// Reports the rows that look for `imported` of the entry point `source`.
fn name(
    found: &mut Found<'_, '_>,
    infer: &Infer<'_>,
    module: &Module,
    source: NameId,
    imported: NameId,
    span: Span,
    edits: impl Fn(&EditRow, FileId, &Rename) -> Option<Vec<Edit>>,
) {
    let Some(wanted) = found.rows.imports.get(module.name(imported)) else { return };
    let source = module.name(source);
    for (index, rename) in wanted {
        let RuleKind::Import { entries, .. } = &found.rows.catalog.rules[*index].kind else { continue };
        let Some(evidence) = evidence(infer, found.file, source) else { continue };
        if entries.iter().any(|entry| is_entry(&evidence, source, entry)) {
            let file = found.file;
            let place = Place { file, span };
            found.report((*index, rename), &evidence, place, |_| true, |row| edits(row, file, rename));
        }
    }
}

/// Whether a specifier names an entry point, be it by another name of its package.
fn is_entry(evidence: &Evidence, specifier: &str, entry: &str) -> bool {
    let below = specifier.strip_prefix(&*evidence.dependency);
    below.is_some() && below == entry.strip_prefix(&*evidence.package)
}

fn evidence(infer: &Infer<'_>, file: FileId, specifier: &str) -> Option<Arc<Evidence>> {
    infer.program.evidence(file, infer.program.types.package_of(specifier)).cloned()
}

fn entries(found: &mut Found<'_, '_>, infer: &Infer<'_>, module: &Module) {
    let file = found.file;
    for (_, decl) in module.all_import_decls() {
        let specifier = module.name(decl.source);
        for (index, rename) in found.rows.entries.get(specifier).into_iter().flatten() {
            let Some(evidence) = evidence(infer, file, specifier) else { continue };
            let span = decl.source_span;
            found.report(
                (*index, rename),
                &evidence,
                Place { file, span },
                |_| true,
                |row| match row {
                    EditRow::ReplaceText => {
                        let inner = Span::new(span.start + 1, span.end - 1);
                        Some(vec![edit(file, inner, rename.new.as_deref()?)])
                    }
                    _ => None,
                },
            );
        }
    }
}
