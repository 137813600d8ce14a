//! Arguments that `#[tool]` does not recognise.

use agentcheck_catalog::Safety;
use agentcheck_model::rust::hir::{ScopeId, Type, TypeItemKind, TypeKind};
use agentcheck_model::rust::{ItemKind, Named, RustView, ToolForm};
use agentcheck_syntax::{Place, Span};

use crate::context::{Context, Details};
use crate::finding::Fix;
use crate::fix::entry::edit;

/// What a type turns out to be.
enum Hidden {
    /// `use … as P`: the path as it is written, and the real one.
    Renamed(Span, String),
    Alias,
    JsonObject,
}

pub(crate) fn check(cx: &mut Context<'_>) {
    let Some(view) = cx.rust() else { return };
    for tool in view.tools() {
        let (ToolForm::Rmcp, Some(attribute)) = (tool.form, tool.attribute) else { continue };
        if view.argument(attribute, "input_schema").is_some() {
            continue;
        }
        let function = view.module.function(tool.function);
        for param in &function.params {
            let Some(hidden) = hidden(&view, function.scope, &param.ty) else { continue };
            let Some(verdict) = cx.judge("rmcp", &["hidden"]) else { continue };
            let written = view.text(param.ty.span);
            let what = match &hidden {
                Hidden::Renamed(..) => format!("`{written}` is it under another name"),
                Hidden::Alias => format!("`{written}` is an alias of it"),
                Hidden::JsonObject => format!("`{written}` is a bare object"),
            };
            let fixes = match hidden {
                Hidden::Renamed(span, path) => vec![Fix {
                    title: format!("Write `{path}`"),
                    safety: Safety::Safe,
                    edits: vec![edit(cx.file, span, path)],
                }],
                _ => Vec::new(),
            };
            let slots = vec![("tool", view.text(function.name).to_owned()), ("what", what)];
            let details = Details { slots, fixes, ..Details::default() };
            cx.report(&verdict, Place { file: cx.file, span: param.ty.span }, details);
        }
    }
}

fn hidden(view: &RustView<'_>, scope: ScopeId, ty: &Type) -> Option<Hidden> {
    let TypeKind::Path { path, .. } = &ty.kind else { return None };
    if view.last(path) == "Parameters" {
        return None;
    }
    match view.resolve(scope, path)? {
        Named::External { package, path: real, certain: true } if package == "rmcp" => match real.last()?.as_str() {
            "Parameters" => {
                let span = Span::new(path.first()?.start, path.last()?.end);
                Some(Hidden::Renamed(span, format!("rmcp::{}", real.join("::"))))
            }
            "JsonObject" => Some(Hidden::JsonObject),
            _ => None,
        },
        Named::Item(item) => {
            let ItemKind::Type(index) = item.kind else { return None };
            let view = view.at(item.file)?;
            let definition = &view.module.types[index as usize];
            let TypeItemKind::Alias(aliased) = &definition.kind else { return None };
            let TypeKind::Path { path, .. } = &aliased.kind else { return None };
            let foreign = view.foreign(definition.scope, path)?;
            (foreign.is("rmcp", "Parameters") || foreign.is("rmcp", "JsonObject")).then_some(Hidden::Alias)
        }
        Named::External { .. } => None,
    }
}
