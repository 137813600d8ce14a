//! Schemas of values that JSON does not have.

use agentcheck_catalog::Safety;
use agentcheck_syntax::Span;

use crate::context::{Context, Details};
use crate::finding::{Fix, Related};
use crate::fix::entry::edit;
use crate::schemas::{Position, positions};
use crate::zod::{Flavor, Schema, Step, each_input};

pub(crate) fn check(cx: &mut Context<'_>) {
    for position in positions(cx) {
        // Majors before 5 have no converter for zod 4 at all.
        let converts = cx.evidence(&position.typed.reach.package).is_some_and(|evidence| {
            evidence.versions.members().iter().all(|version| version.release.major >= 5)
        });
        if !converts {
            continue;
        }
        for Step { schema, path } in each_input(&mut cx.infer, position.schema) {
            if let Some(kind) = kind(&schema.maker) {
                report(cx, &position, &schema, &path, kind);
            }
        }
    }
}

/// What zod says it cannot represent.
fn kind(maker: &str) -> Option<&'static str> {
    Some(match maker {
        "date" | "coerce.date" => "Date",
        "bigint" | "coerce.bigint" | "int64" | "uint64" => "BigInt",
        "map" => "Map",
        "set" => "Set",
        "undefined" => "Undefined",
        "void" => "Void",
        "symbol" => "Symbols",
        "nan" => "NaN",
        "function" => "Function types",
        "custom" | "instanceof" => "Custom types",
        "transform" => "Transforms",
        _ => return None,
    })
}

fn report(cx: &mut Context<'_>, position: &Position, schema: &Schema, path: &[String], kind: &str) {
    let case = match (schema.flavor, position.is_input) {
        (Flavor::Three, _) => return,
        (Flavor::Installed, true) => "tool",
        (Flavor::Installed, false) => "answer",
        (Flavor::Four, true) => "tool-v4",
        (Flavor::Four, false) => "answer-v4",
    };
    if schema.flavor == Flavor::Installed && !cx.is_declared("zod") {
        return;
    }
    let Some(verdict) = cx.judge("zod", &[case]) else { return };
    let written = schema.written(&cx.infer);
    let what = match path {
        [] => "The schema".to_owned(),
        _ => format!("`{}`", path.join(".")),
    };
    let help = match kind {
        "Date" => "Take a text, `z.iso.datetime()`, and make the `Date` of it.",
        "BigInt" => "Take a text and make the `BigInt` of it.",
        "Set" => "Take a list, `z.array(…)`.",
        "Map" => "Take an object, `z.record(z.string(), …)`, or a list of pairs.",
        "Undefined" | "Void" => "Leave the key out, or make it `z.null()`.",
        "Transforms" => "Begin with a schema of what comes in: `z.string().transform(…)`.",
        _ => "Take a schema of what comes in as JSON, and check the rest in `.refine(…)`.",
    };
    let field = schema.place(&cx.infer);
    let owner = position.owner(&cx.infer);
    let inside = owner.is_some_and(|owner| owner.file == field.file && owner.span.contains(field.span));
    // A schema that others use as well is reported where it is given to the SDK.
    let (place, related) = match inside {
        true => (field, Vec::new()),
        false => (position.key.place, vec![Related { place: field, message: format!("`{}` here", written_call(&written)) }]),
    };
    let details = Details {
        slots: vec![
            ("what", what),
            ("written", written_call(&written)),
            ("kind", kind.to_owned()),
            ("help", help.to_owned()),
        ],
        related,
        // Others may use it for what they parse.
        fixes: if inside { fix(cx, schema).into_iter().collect() } else { Vec::new() },
    };
    cx.report(&verdict, place, details);
}

/// How a call is shown: those of dates have no arguments.
fn written_call(callee: &str) -> String {
    if callee.ends_with("date") { format!("{callee}()") } else { format!("{callee}(…)") }
}

/// A date comes in as a text and is made a `Date`.
fn fix(cx: &Context<'_>, schema: &Schema) -> Option<Fix> {
    const AFTER: [&str; 6] = ["optional", "nullable", "nullish", "describe", "meta", "readonly"];
    let module = cx.infer.module(schema.at.file);
    let written = schema.written(&cx.infer);
    let zod = written.strip_suffix(".coerce.date").or_else(|| written.strip_suffix(".date"))?;
    let is_classic = schema.flavor == Flavor::Installed || zod == "z";
    if !is_classic || !schema.args.is_empty() || schema.methods.iter().any(|method| !AFTER.contains(&method.name.as_str())) {
        return None;
    }
    let span = module.expr(schema.at.expr).span;
    let text = format!("{zod}.iso.datetime().transform((text) => new Date(text))");
    let edits = vec![edit(schema.at.file, Span::new(span.start, span.end), text)];
    Some(Fix { title: "Take a text and make a `Date` of it".to_owned(), safety: Safety::Unsafe, edits })
}
