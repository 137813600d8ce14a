//! Kinds of zod 4 that have no JSON Schema, in what is sent to a model.

use agentcheck_model::{Loc, Typed};
use agentcheck_syntax::Place;

use crate::context::{Context, Details};
use crate::finding::Related;
use crate::schemas::{Position, schemas};
use crate::zod::{Zod, major, walk};

/// Constructors without a JSON Schema.
const KINDS: [&str; 13] = [
    "date", "coerce.date", "bigint", "coerce.bigint", "map", "set", "symbol", "undefined", "void", "function", "custom",
    "instanceof", "nan",
];

pub(crate) fn check(cx: &mut Context<'_>) {
    for Position { typed, place, schema, what, span } in schemas(cx) {
        let mut found: Vec<(Zod, Vec<String>)> = Vec::new();
        walk(&mut cx.infer, schema, &mut |_, zod, path| {
            if KINDS.contains(&zod.name.as_str()) {
                found.push((zod.clone(), path.to_vec()));
            }
        });
        for (zod, path) in found {
            if major(&cx.infer, &zod) != Some(4) {
                continue;
            }
            report(cx, &typed, place, &zod, &path, what, span);
        }
    }
}

fn report(
    cx: &mut Context<'_>,
    typed: &Typed,
    place: Place,
    zod: &Zod,
    path: &[String],
    what: &'static str,
    owner: Option<Place>,
) {
    let Some(verdict) = cx.judge(&typed.reach.package, &["throws"]) else { return };
    let Loc { file, expr, .. } = zod.at;
    let field = Place { file, span: cx.infer.module(file).expr(expr).span };
    // A schema that others use as well is reported where the tool takes it.
    let inside = owner.is_some_and(|owner| owner.file == file && owner.span.contains(field.span));
    let (place, related) = match inside {
        true => (field, Vec::new()),
        false => (place, vec![Related { place: field, message: format!("`z.{}()` here", zod.name) }]),
    };
    let key = path.last().map_or_else(String::new, |key| format!(" (`{key}`)"));
    let slots = vec![("kind", format!("z.{}()", zod.name)), ("key", key), ("what", what.to_owned())];
    cx.report(&verdict, place, Details { slots, related, ..Details::default() });
}
