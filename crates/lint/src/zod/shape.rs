//! The keys of object schemas, and whether others pass as well.

use agentcheck_model::hir::ExprKind;
use agentcheck_model::{Infer, Loc, ValueKind};
use agentcheck_syntax::Place;

use super::{DEPTH, Schema, read};

/// A key that an object schema declares.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub name: String,
    pub place: Place,
    /// Its schema.
    pub value: Loc,
}

/// The keys of an object schema.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fields {
    pub known: Vec<Field>,
    /// There may be others: they come from where nobody can see, or are let through.
    pub open: bool,
}

/// Methods after which an object schema still takes the same keys.
const KEEPING: [&str; 24] = [
    "optional",
    "nullable",
    "nullish",
    "nonoptional",
    "exactOptional",
    "default",
    "prefault",
    "catch",
    "describe",
    "meta",
    "refine",
    "superRefine",
    "check",
    "with",
    "brand",
    "readonly",
    "strict",
    "strip",
    "partial",
    "deepPartial",
    "required",
    "register",
    "clone",
    "unwrap",
];

impl Fields {
    fn add(&mut self, more: Self) {
        self.known.retain(|field| !more.known.iter().any(|other| other.name == field.name));
        self.known.extend(more.known);
        self.open |= more.open;
    }
}

/// The keys of an object schema; `None` when it is none, or gives something else than what it takes.
pub(crate) fn fields(infer: &mut Infer<'_>, schema: &Schema) -> Option<Fields> {
    let (fields, rest) = leading_fields(infer, schema, DEPTH)?;
    (rest == schema.methods.len()).then_some(fields)
}

/// The keys of an object schema before the first method that makes something else of it, and that method's position.
pub(super) fn leading_fields(infer: &mut Infer<'_>, schema: &Schema, left: u32) -> Option<(Fields, usize)> {
    let left = left.checked_sub(1)?;
    if !matches!(schema.maker.as_str(), "object" | "strictObject" | "looseObject") {
        return None;
    }
    let mut fields = match schema.args.first() {
        Some(shape) => written_shape(infer, *shape, left),
        None => Fields::default(),
    };
    fields.open |= schema.maker == "looseObject";
    for (index, method) in schema.methods.iter().enumerate() {
        let argument = method.args.first().copied();
        match (method.name.as_str(), argument) {
            ("extend" | "safeExtend" | "augment", Some(shape)) => {
                let more = written_shape(infer, shape, left);
                fields.add(more);
            }
            ("merge", Some(other)) => {
                match read(infer, other, left).and_then(|other| leading_fields(infer, &other, left)) {
                    Some((more, _)) => fields.add(more),
                    None => fields.open = true,
                }
            }
            ("pick" | "omit", Some(mask)) => {
                let value = infer.eval(mask);
                let keys = infer.keys(value);
                let is_read = keys.open.is_empty() && matches!(infer.kind(value), ValueKind::Object(_));
                if !is_read {
                    // Which keys are left cannot be seen.
                    return Some((Fields { known: Vec::new(), open: true }, index + 1));
                }
                let picks = method.name == "pick";
                fields.known.retain(|field| keys.get(&field.name).is_some() == picks);
                fields.open &= !picks;
            }
            ("passthrough" | "loose" | "catchall" | "nonstrict", _) => fields.open = true,
            (name, _) if KEEPING.contains(&name) => {}
            _ => return Some((fields, index)),
        }
    }
    Some((fields, schema.methods.len()))
}

/// The keys of an object of schemas.
fn written_shape(infer: &mut Infer<'_>, loc: Loc, left: u32) -> Fields {
    let value = infer.eval(loc);
    if !matches!(infer.kind(value), ValueKind::Object(_) | ValueKind::Merged(_) | ValueKind::Rest(..)) {
        return of_member(infer, loc, left).unwrap_or(Fields { known: Vec::new(), open: true });
    }
    let keys = infer.keys(value);
    let mut fields = Fields::default();
    for open in &keys.open {
        // `{ ...Base.shape, more: … }`
        let more = of_member(infer, *open, left).unwrap_or(Fields { known: Vec::new(), open: true });
        fields.add(more);
    }
    for key in keys.known {
        fields.known.retain(|field| field.name != key.name);
        fields.known.push(Field { name: key.name, place: key.place, value: key.value });
    }
    fields
}

/// The keys of what `Base.shape` names.
pub(super) fn of_member(infer: &mut Infer<'_>, loc: Loc, left: u32) -> Option<Fields> {
    let left = left.checked_sub(1)?;
    let module = infer.module(loc.file);
    match module.expr(module.peel(loc.expr)).kind {
        ExprKind::Member { object, property } if module.name(property) == "shape" => {
            let base = read(infer, loc.at(object), left)?;
            let (fields, rest) = leading_fields(infer, &base, left)?;
            // Only the schema itself has it: of `.optional()` it is `undefined`.
            (rest == base.methods.len()).then_some(fields)
        }
        ExprKind::Ident { .. } => {
            let value = infer.eval(loc);
            match *infer.kind(value) {
                ValueKind::Unknown(_, at) if at != loc => of_member(infer, at, left),
                _ => None,
            }
        }
        _ => None,
    }
}
