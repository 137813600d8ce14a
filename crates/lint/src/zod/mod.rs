//! Schemas of zod, read from how they are made: followed through variables, helpers and other files.

mod inputs;
mod origin;
mod shape;

use agentcheck_model::hir::{ExprId, ExprKind};
use agentcheck_model::{Infer, Loc, Unknown, ValueKind};
use agentcheck_syntax::Place;

pub(crate) use inputs::{Step, each_input};
pub(crate) use origin::Flavor;
pub(crate) use shape::{Field, fields};

/// Longer chains of methods, and schemas made of schemas, are not followed.
const DEPTH: u32 = 24;

/// Methods of a schema that give no schema.
const NO_SCHEMA: [&str; 20] = [
    "parse",
    "safeParse",
    "parseAsync",
    "safeParseAsync",
    "spa",
    "encode",
    "decode",
    "encodeAsync",
    "decodeAsync",
    "safeEncode",
    "safeDecode",
    "safeEncodeAsync",
    "safeDecodeAsync",
    "isOptional",
    "isNullable",
    "toJSONSchema",
    "implement",
    "implementAsync",
    "toString",
    "validate",
];

/// A schema.
#[derive(Debug, Clone)]
pub(crate) struct Schema {
    /// The function of zod that makes it: `object`, `coerce.date`.
    pub maker: String,
    pub flavor: Flavor,
    /// The call of that function.
    pub at: Loc,
    pub args: Vec<Loc>,
    /// The methods called on what it makes, in order.
    pub methods: Vec<Method>,
}

/// A method called on a schema.
#[derive(Debug, Clone)]
pub(crate) struct Method {
    pub name: String,
    pub args: Vec<Loc>,
}

impl Schema {
    /// Whether it is a schema of an object rather than a plain object of schemas.
    pub fn is_object(&self) -> bool {
        matches!(self.maker.as_str(), "object" | "strictObject" | "looseObject")
    }

    /// The call that makes it, without the methods.
    pub fn place(&self, infer: &Infer<'_>) -> Place {
        Place { file: self.at.file, span: infer.module(self.at.file).expr(self.at.expr).span }
    }

    /// How it is written, without its arguments: `z.record`.
    pub fn written(&self, infer: &Infer<'_>) -> String {
        let module = infer.module(self.at.file);
        match module.expr(self.at.expr).kind {
            ExprKind::Call { callee, .. } => module.text(module.expr(callee).span).to_owned(),
            _ => self.maker.clone(),
        }
    }

    /// The last call of a method.
    pub fn method(&self, name: &str) -> Option<&Method> {
        self.methods.iter().rev().find(|method| method.name == name)
    }
}

/// The schema that an expression is, if it is one and no more than one.
pub(crate) fn schema(infer: &mut Infer<'_>, loc: Loc) -> Option<Schema> {
    read(infer, loc, DEPTH)
}

fn read(infer: &mut Infer<'_>, loc: Loc, left: u32) -> Option<Schema> {
    let left = left.checked_sub(1)?;
    let loc = loc.at(infer.module(loc.file).peel(loc.expr));
    if let Some(schema) = written(infer, loc, left) {
        return Some(schema);
    }
    let value = infer.eval(loc);
    // zod is not read: what it makes is unknown, from the outermost call on.
    match *infer.kind(value) {
        ValueKind::Unknown(Unknown::Import, at) if at != loc => {
            let at = at.at(infer.module(at.file).peel(at.expr));
            written(infer, at, left)
        }
        _ => None,
    }
}

/// The schema that an expression makes there and then.
fn written(infer: &mut Infer<'_>, loc: Loc, left: u32) -> Option<Schema> {
    let module = infer.module(loc.file);
    let at = |list: &[ExprId]| list.iter().map(|expr| loc.at(*expr)).collect::<Vec<Loc>>();
    match module.expr(loc.expr).kind {
        ExprKind::Call { callee, args } => {
            let args = module.exprs(args);
            if args.iter().any(|arg| matches!(module.expr(*arg).kind, ExprKind::Spread(_))) {
                return None;
            }
            if let Some(member) = origin::member(infer, loc.at(callee)) {
                let maker = member.path.join(".");
                return (!maker.is_empty() && !NO_SCHEMA.contains(&maker.as_str())).then(|| Schema {
                    maker,
                    flavor: member.flavor,
                    at: loc,
                    args: at(args),
                    methods: Vec::new(),
                });
            }
            let ExprKind::Member { object, property } = module.expr(module.peel(callee)).kind else { return None };
            let name = module.name(property).to_owned();
            if NO_SCHEMA.contains(&name.as_str()) {
                return None;
            }
            let mut schema = read(infer, loc.at(object), left)?;
            schema.methods.push(Method { name, args: at(args) });
            Some(schema)
        }
        // `Booking.shape.guest`
        ExprKind::Member { object, property } => {
            let base = shape::of_member(infer, loc.at(object), left)?;
            let name = module.name(property);
            let field = base.known.iter().find(|field| field.name == name)?.value;
            read(infer, field, left)
        }
        _ => None,
    }
}
