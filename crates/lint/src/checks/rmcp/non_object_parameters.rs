//! `Parameters<T>` where `T` has no object schema.

use agentcheck_model::rust::hir::{ScopeId, Type, TypeItem, TypeItemKind, TypeKind};
use agentcheck_model::rust::{RustView, ToolForm};
use agentcheck_syntax::Place;

use crate::context::{Context, Details};

/// Wrappers in wrappers are followed this far.
const NESTING: u32 = 8;

/// Types of the language and its library whose schema is no object.
const SCALARS: [&str; 20] = [
    "bool", "char", "str", "String", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128",
    "isize", "f32", "f64", "PathBuf", "Duration",
];

pub(crate) fn check(cx: &mut Context<'_>) {
    let Some(view) = cx.rust() else { return };
    for tool in view.tools().into_iter().filter(|tool| tool.form == ToolForm::Rmcp) {
        let function = view.module.function(tool.function);
        for param in &function.params {
            let TypeKind::Path { path, args } = &param.ty.kind else { continue };
            let is_parameters = view.foreign(function.scope, path).is_some_and(|of| of.is("rmcp", "Parameters"));
            let ([inner], true) = (args.as_slice(), is_parameters) else { continue };
            let Some(what) = not_an_object(&view, function.scope, inner, NESTING) else { continue };
            let Some(verdict) = cx.judge("rmcp", &["mute"]) else { continue };
            let details = Details { slots: vec![("what", what)], ..Details::default() };
            cx.report(&verdict, Place { file: cx.file, span: inner.span }, details);
        }
    }
}

/// What a type is instead of an object, in words; `None` when it is one or cannot be told.
fn not_an_object(view: &RustView<'_>, scope: ScopeId, ty: &Type, left: u32) -> Option<String> {
    let left = left.checked_sub(1)?;
    let (view, scope, ty) = &view.unaliased(scope, ty);
    let scope = *scope;
    let written = || view.text(ty.span).to_owned();
    let (path, args) = match &ty.kind {
        TypeKind::Path { path, args } => (path, args),
        TypeKind::Tuple(_) => return Some(format!("`{}`, a tuple,", written())),
        TypeKind::Array(_) => return Some(format!("`{}`, a list,", written())),
        TypeKind::Unit => return Some("`()`".to_owned()),
        TypeKind::Reference(_) | TypeKind::Other => return None,
    };
    if let Some((view, item)) = view.definition(scope, ty) {
        return of_definition(&view, item, left);
    }
    let name = view.last(path);
    let foreign = view.foreign(scope, path);
    let is_value = foreign.as_ref().is_some_and(|foreign| {
        // rmcp hands serde_json on.
        foreign.is("serde_json", "Value") || (foreign.is("rmcp", "Value") && foreign.path.contains(&"serde_json".to_owned()))
    });
    if is_value {
        return Some(format!("`{}`, which may be anything,", written()));
    }
    // What the prelude brings in, or the standard library.
    let is_standard = match &foreign {
        Some(foreign) => foreign.package == "std",
        None => path.len() == 1,
    };
    if !is_standard || view.item(scope, path).is_some() {
        return None;
    }
    match name {
        "Vec" | "VecDeque" | "HashSet" | "BTreeSet" => Some(format!("`{}`, a list,", written())),
        "Option" => Some(format!("`{}`, which may be null,", written())),
        "Box" | "Arc" | "Rc" | "Cow" => args.last().and_then(|inner| not_an_object(view, scope, inner, left)),
        _ if SCALARS.contains(&name) => Some(format!("`{}`", written())),
        _ => None,
    }
}

fn of_definition(view: &RustView<'_>, item: &TypeItem, left: u32) -> Option<String> {
    let name = view.text(item.name);
    let says_schema = |name: &str| {
        item.preamble.attributes.iter().any(|attribute| {
            // `derive(JsonSchema)` is the usual one; `schemars(…)` may make the schema anything.
            view.last(&attribute.path) == name
                && attribute.args.is_some_and(|args| {
                    let args = view.text(args);
                    !(args.trim_start().starts_with("crate") || args.trim_start().starts_with("description"))
                })
        })
    };
    let is_by_hand = view.impls_of(name).into_iter().any(|(file, imp)| {
        view.at(file).is_some_and(|view| {
            let of_trait = view.module.imp(imp).of_trait.as_ref();
            of_trait.is_some_and(|of_trait| view.text(of_trait.span).ends_with("JsonSchema"))
        })
    });
    if says_schema("schemars") || is_by_hand {
        return None;
    }
    match &item.kind {
        TypeItemKind::Enum(_) => Some(format!("`{name}`, an enum,")),
        TypeItemKind::UnitStruct => Some(format!("`{name}`, a struct without fields in braces,")),
        TypeItemKind::TupleStruct(parts) => match parts.as_slice() {
            // A newtype has the schema of what is in it.
            [inner] => {
                not_an_object(view, item.scope, inner, left).map(|_| format!("`{name}`, a newtype of no object,"))
            }
            _ => Some(format!("`{name}`, a tuple,")),
        },
        TypeItemKind::Struct(_) | TypeItemKind::Alias(_) | TypeItemKind::Union => None,
    }
}
