//! The schemas that a schema is made of, as far as they concern what it takes: of `pipe` and `codec` the first, of a
//! transform what comes before it.

use agentcheck_model::hir::{Body, ExprKind};
use agentcheck_model::{Infer, Loc, ValueKind, returned};
use rustc_hash::FxHashSet;

use super::shape::leading_fields;
use super::{DEPTH, Schema, read};

/// A schema, and the keys that lead to it.
pub(crate) struct Step {
    pub schema: Schema,
    pub path: Vec<String>,
}

/// Every schema that decides what `root` takes, itself first.
pub(crate) fn each_input(infer: &mut Infer<'_>, root: Loc) -> Vec<Step> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut left: Vec<(Loc, Vec<String>)> = vec![(root, Vec::new())];
    while let Some((loc, path)) = left.pop() {
        if path.len() > DEPTH as usize {
            continue;
        }
        let Some(schema) = read(infer, loc, DEPTH) else { continue };
        if !seen.insert((schema.at, schema.methods.len())) {
            continue;
        }
        let mut inner = inner(infer, &schema, &path);
        inner.reverse();
        left.extend(inner);
        found.push(Step { schema, path });
    }
    found
}

fn inner(infer: &mut Infer<'_>, schema: &Schema, path: &[String]) -> Vec<(Loc, Vec<String>)> {
    let mut found: Vec<(Loc, Vec<String>)> = Vec::new();
    let mut here = |locs: Vec<Loc>| found.extend(locs.into_iter().map(|loc| (loc, path.to_vec())));
    // `.keyof()` takes the names of the keys.
    if schema.method("keyof").is_some() {
        return Vec::new();
    }
    let argument = |index: usize| schema.args.get(index).copied();
    let mut after = 0;
    match schema.maker.as_str() {
        "array" | "optional" | "nullable" | "nullish" | "nonoptional" | "readonly" | "default" | "_default"
        | "prefault" | "catch" | "promise" | "pipe" | "codec" | "pipeline" => here(argument(0).into_iter().collect()),
        "record" | "partialRecord" | "looseRecord" => here(schema.args.iter().take(2).copied().collect()),
        "intersection" => here(schema.args.clone()),
        "preprocess" => here(argument(1).into_iter().collect()),
        "union" | "xor" | "tuple" => {
            let rest = (schema.maker == "tuple").then(|| argument(1)).flatten();
            let mut elements = argument(0).map(|list| elements(infer, list)).unwrap_or_default();
            elements.extend(rest);
            here(elements);
        }
        "discriminatedUnion" => here(argument(1).map(|list| elements(infer, list)).unwrap_or_default()),
        "lazy" => here(argument(0).map(|function| results(infer, function)).unwrap_or_default()),
        _ => {
            if let Some((fields, rest)) = leading_fields(infer, schema, DEPTH) {
                after = rest;
                found.extend(fields.known.into_iter().map(|field| {
                    let mut path = path.to_vec();
                    path.push(field.name);
                    (field.value, path)
                }));
            }
        }
    }
    for method in &schema.methods[after..] {
        if matches!(method.name.as_str(), "or" | "and") {
            found.extend(method.args.iter().map(|loc| (*loc, path.to_vec())));
        }
    }
    for method in schema.methods.iter().filter(|method| method.name == "catchall") {
        found.extend(method.args.iter().map(|loc| (*loc, path.to_vec())));
    }
    found
}

fn elements(infer: &mut Infer<'_>, list: Loc) -> Vec<Loc> {
    let value = infer.eval(list);
    match infer.kind(value) {
        ValueKind::Array(_) => infer.elements(value).known.iter().map(|element| element.loc).collect(),
        _ => Vec::new(),
    }
}

/// What a function returns.
fn results(infer: &mut Infer<'_>, function: Loc) -> Vec<Loc> {
    let module = infer.module(function.file);
    match module.expr(module.peel(function.expr)).kind {
        ExprKind::Function(id) if module.function(id).body != Body::None => {
            returned(module, id).into_iter().map(|expr| function.at(expr)).collect()
        }
        _ => Vec::new(),
    }
}
