//! Where the SDK takes schemas: what tools take, and what a model is to answer with.

use agentcheck_model::hir::{BindingDef, ExprKind, ImportKind, PropKind};
use agentcheck_model::{Infer, Key, KeyOrigin, Keys, Loc, Typed};
use agentcheck_syntax::Place;

use crate::context::Context;

/// A schema that the SDK is given, and turns into JSON Schema.
pub(crate) struct Position {
    pub typed: Typed,
    /// Of the object that has it.
    pub keys: Keys,
    pub key: Key,
    /// Without the SDK's own wrapper around it.
    pub schema: Loc,
    /// It is what a tool takes, else what the model answers with.
    pub is_input: bool,
}

/// The schemas that the objects of a file give to the AI SDK.
pub(crate) fn positions(cx: &mut Context<'_>) -> Vec<Position> {
    let sites = std::sync::Arc::clone(&cx.sites);
    let types = std::sync::Arc::clone(&cx.infer.program.types);
    let record = |name: &str| types.record_named(name);
    let tool = record("Tool");
    let answers = ["GenerateObjectOptions", "StreamObjectOptions", "OutputOptions"].map(record);
    let mut found: Vec<Position> = Vec::new();
    for typed in &sites.typed {
        let is_input = Some(typed.record) == tool;
        let names: &[&str] = match is_input {
            true => &["inputSchema", "parameters"],
            false if answers.contains(&Some(typed.record)) => &["schema", "element"],
            false => continue,
        };
        let keys = cx.infer.keys(typed.value);
        // Since 5 nothing is read of `parameters`.
        let reads_old = cx
            .evidence(&typed.reach.package)
            .is_some_and(|evidence| evidence.versions.members().iter().any(|version| version.release.major < 5));
        for name in names {
            let Some(key) = keys.get(name).cloned() else { continue };
            if (*name == "parameters" && !reads_old) || is_getter(cx, &key) {
                continue;
            }
            // A tool that is defined in one place and used in another.
            if found.iter().any(|position| position.key.place == key.place && position.key.value == key.value) {
                continue;
            }
            let schema = unwrapped(&cx.infer, key.value);
            found.push(Position { typed: typed.clone(), keys: keys.clone(), key, schema, is_input });
        }
    }
    found
}

impl Position {
    /// The object that has the schema.
    pub fn owner(&self, infer: &Infer<'_>) -> Option<Place> {
        let KeyOrigin::Entry(prop) = self.key.origin else { return None };
        let module = infer.module(self.key.place.file);
        let span = module.expr(module.prop(prop).owner).span;
        Some(Place { file: self.key.place.file, span })
    }
}

fn is_getter(cx: &Context<'_>, key: &Key) -> bool {
    let KeyOrigin::Entry(prop) = key.origin else { return false };
    cx.infer.module(key.place.file).prop(prop).kind == PropKind::Getter
}

/// The schema in `zodSchema(schema)`.
fn unwrapped(infer: &Infer<'_>, loc: Loc) -> Loc {
    let module = infer.module(loc.file);
    let expr = module.peel(loc.expr);
    let ExprKind::Call { callee, args } = module.expr(expr).kind else { return loc.at(expr) };
    let ExprKind::Ident { binding: Some(binding), .. } = module.expr(callee).kind else { return loc.at(expr) };
    let BindingDef::Import(import) = module.binding(binding).def else { return loc.at(expr) };
    let import = module.import(import);
    let source = module.name(module.import_decl(import.decl).source);
    let is_wrapper = match import.kind {
        ImportKind::Named { imported, .. } => matches!(module.name(imported), "zodSchema" | "asSchema"),
        _ => false,
    };
    match module.exprs(args).first() {
        Some(schema) if is_wrapper && (source == "ai" || source.starts_with("@ai-sdk/")) => loc.at(*schema),
        _ => loc.at(expr),
    }
}

/// The schema of what a tool takes: its key, and the schema without the SDK's own wrapper around it.
pub(crate) fn input_schema(cx: &Context<'_>, keys: &Keys) -> Option<(Key, Loc)> {
    let key = keys.get("inputSchema").or_else(|| keys.get("parameters")).filter(|key| key.certain)?.clone();
    let schema = unwrapped(&cx.infer, key.value);
    Some((key, schema))
}
