//! Imports of names that the installed version does not export.

use agentcheck_catalog::{Names, Safety};
use agentcheck_model::hir::{
    ExportKind, ExprId, ExprKind, Import, ImportKind, Module, Parent, PatKind, PropKey, PropKind,
};
use agentcheck_model::{Loc, Target, ValueKind};
use agentcheck_syntax::{Place, Span};

use crate::context::{Context, Details};
use crate::finding::Fix;
use crate::fix::entry::edit;
use crate::settings::nearest;
use crate::standing::{Standing, is_everywhere, since, standing};

/// A name that is taken out of an entry point.
struct Use {
    /// The specifier as written.
    specifier: String,
    name: String,
    span: Span,
    how: How,
}

#[derive(Clone, Copy)]
enum How {
    /// `import { name }`.
    Import(Import),
    /// `import type { name }`.
    TypeImport(Import),
    /// `export { name } from`.
    ReExport,
    /// `const { name } = require(…)`, `ai.name`.
    Read,
}

pub(crate) fn check(cx: &mut Context<'_>) {
    for used in uses(cx) {
        report(cx, &used);
    }
}

fn uses(cx: &mut Context<'_>) -> Vec<Use> {
    let module = cx.module();
    let mut uses = Vec::new();
    for (_, import) in module.all_imports() {
        let ImportKind::Named { imported, imported_span } = import.kind else { continue };
        let decl = module.import_decl(import.decl);
        let is_type = import.type_only || decl.type_only;
        let how = if is_type { How::TypeImport(*import) } else { How::Import(*import) };
        let specifier = module.name(decl.source).to_owned();
        uses.push(Use { specifier, name: module.name(imported).to_owned(), span: imported_span, how });
    }
    for export in &module.exports {
        let ExportKind::From { source, imported, .. } = export.kind else { continue };
        let name = module.name(imported).to_owned();
        let specifier = module.name(source).to_owned();
        uses.push(Use { specifier, name, span: export.span, how: How::ReExport });
    }
    for (expr, node) in module.all_exprs() {
        let ExprKind::Member { object, property } = node.kind else { continue };
        if !matches!(module.expr(object).kind, ExprKind::Ident { binding: Some(_), .. }) {
            continue;
        }
        let object = cx.infer.idly(|infer| infer.eval_in(cx.file, object));
        if let ValueKind::Namespace(entry) = *cx.infer.kind(object) {
            let specifier = cx.infer.program.types.entry(entry).specifier.clone();
            let name = module.name(property).to_owned();
            uses.push(Use { specifier, name, span: module.name_span(expr), how: How::Read });
        }
    }
    for (pattern, node) in module.all_patterns() {
        let PatKind::Object(props) = node.kind else { continue };
        let at = Loc::new(cx.file, ExprId::FIRST);
        let object = cx.infer.idly(|infer| infer.eval_pattern(cx.file, pattern, at));
        let ValueKind::Namespace(entry) = *cx.infer.kind(object) else { continue };
        let specifier = cx.infer.program.types.entry(entry).specifier.clone();
        for (_, prop) in module.pat_props(props) {
            if let PropKey::Name(name) = prop.key {
                let name = module.name(name).to_owned();
                uses.push(Use { specifier: specifier.clone(), name, span: prop.key_span, how: How::Read });
            }
        }
    }
    uses
}

fn report(cx: &mut Context<'_>, used: &Use) {
    if used.name == "default" || !matches!(cx.infer.program.target(cx.file, &used.specifier), Some(Target::Sdk(_))) {
        return;
    }
    let types = std::sync::Arc::clone(&cx.infer.program.types);
    let package = types.package_of(&used.specifier).to_owned();
    let Some(evidence) = cx.evidence(&package) else { return };
    // `ai5/react` of a project that calls `ai` so.
    let below = used.specifier.strip_prefix(package.as_str()).unwrap_or_default();
    let Some(names) = cx.catalog.surface.exports(&format!("{}{below}", evidence.package)) else { return };
    let is_type = names.is_type(&used.name) || matches!(used.how, How::TypeImport(_));
    let newer = cx.catalog.surface.newer_export(&used.name);
    let former = newer.and_then(|newer| newer.former.iter().find(|name| is_everywhere(names, name, &evidence)));
    let (case, versions, meant) = match standing(cx, names, &used.name, &evidence) {
        Standing::Known => return,
        Standing::Newer(versions) => (if is_type { "newer-type" } else { "newer" }, versions, former.cloned()),
        Standing::Gone(versions) => (if is_type { "gone-type" } else { "gone" }, versions, None),
        Standing::Never => {
            let there = names.iter().map(|(name, _)| name).filter(|name| is_everywhere(names, name, &evidence));
            (if is_type { "unknown-type" } else { "unknown" }, names.known.clone(), nearest(&used.name, there))
        }
    };
    let Some(verdict) = cx.judge_in(&package, case, &versions) else { return };
    let same = newer.is_some_and(|newer| newer.same_value);
    let fixes = match (&meant, used.how) {
        (Some(former), How::Import(import) | How::TypeImport(import)) if former != &used.name && same => {
            rename(cx, used, &import, former).into_iter().collect()
        }
        _ => Vec::new(),
    };
    let help = help(names, used, meant.as_deref(), case);
    let details = Details {
        slots: vec![("name", used.name.clone()), ("entry", used.specifier.clone()), ("help", help)],
        fixes,
        ..Details::default()
    };
    cx.report(&verdict, Place { file: cx.file, span: used.span }, details);
}

fn help(names: &Names, used: &Use, meant: Option<&str>, case: &str) -> String {
    match (case, meant) {
        ("newer" | "newer-type", Some(former)) => {
            format!("Use `{former}`; `{}` came with {}.", used.name, since(names, &used.name))
        }
        ("newer" | "newer-type", None) => format!("It came with {}: upgrade, or do without it.", since(names, &used.name)),
        ("gone" | "gone-type", _) => "Use what took its place, or stay with the version that has it.".to_owned(),
        (_, Some(meant)) => format!("Did you mean `{meant}`?"),
        (_, None) => "Check where it is meant to come from.".to_owned(),
    }
}

/// Imports the former name instead, under the name that the file uses if that is not simple to change.
fn rename(cx: &Context<'_>, used: &Use, import: &Import, former: &str) -> Option<Fix> {
    let module = cx.module();
    let title = format!("Import `{former}`");
    let local = module.name(module.binding(import.binding).name);
    let mut edits = vec![edit(cx.file, used.span, former)];
    if local == used.name {
        let plain = |reference: &ExprId| match module.expr_parent(*reference) {
            Parent::Prop(prop) => module.prop(prop).kind != PropKind::Shorthand,
            _ => true,
        };
        let references = module.refs(import.binding);
        if references.iter().all(plain) && !is_named(module, former) && !module.is_used_as_type(import.binding) && !module.is_exported(import.binding) {
            edits.extend(references.iter().map(|reference| edit(cx.file, module.expr(*reference).span, former)));
        } else {
            edits = vec![edit(cx.file, used.span, format!("{former} as {local}"))];
        }
    }
    Some(Fix { title, safety: Safety::Safe, edits })
}

fn is_named(module: &Module, name: &str) -> bool {
    module.all_bindings().any(|(_, binding)| module.name(binding.name) == name)
}
