//! Schemas made by zod, read from the calls that make them: wherever they are written, through variables, helpers and files.

use agentcheck_model::hir::{BindingDef, ExprId, ExprKind, ImportKind, Module, PropKey};
use agentcheck_model::{Infer, Loc, ValueKind};

/// Schemas in schemas are followed this deep.
const DEPTH: u32 = 24;

/// Which zod a file imports, by the specifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flavor {
    /// `zod`: whatever is installed.
    Installed,
    /// `zod/v3`
    V3,
    /// `zod/v4`, `zod/mini`, `zod/v4-mini`, `zod/v4/core`
    V4,
}

/// `z.object({ … }).strict()`: the call that makes the schema, and the methods called on it.
#[derive(Debug, Clone)]
pub(crate) struct Zod {
    pub flavor: Flavor,
    /// `object`, `string`, `coerce.date`.
    pub name: String,
    /// The call of `z.…`.
    pub at: Loc,
    pub args: Vec<ExprId>,
    /// The methods called on it, first to last, each with its call.
    pub methods: Vec<(String, Loc)>,
}

/// Whether an object schema may have other keys than it lists.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shape {
    /// Name, where the key is written, the schema.
    pub fields: Vec<(String, Loc, Loc)>,
    pub open: bool,
}

/// The schema that an expression is, if zod makes it.
pub(crate) fn read(infer: &mut Infer<'_>, loc: Loc) -> Option<Zod> {
    let call = call_at(infer, loc)?;
    let module = infer.module(call.file);
    let mut methods = Vec::new();
    let mut at = call;
    for _ in 0..64 {
        let ExprKind::Call { callee, args } = module.expr(module.peel(at.expr)).kind else { return None };
        let here = at.at(module.peel(at.expr));
        let callee = module.peel(callee);
        if let Some((flavor, name)) = constructor(module, callee) {
            methods.reverse();
            let args = module.exprs(args).to_vec();
            return Some(Zod { flavor, name, at: here, args, methods });
        }
        let ExprKind::Member { object, property } = module.expr(callee).kind else { return None };
        methods.push((module.name(property).to_owned(), here));
        let receiver = at.at(module.peel(object));
        at = match module.expr(receiver.expr).kind {
            ExprKind::Call { .. } => receiver,
            // `const base = z.string(); base.optional()`
            _ => {
                let inner = read(infer, receiver)?;
                methods.extend(inner.methods.into_iter().rev());
                methods.reverse();
                return Some(Zod { methods, ..inner });
            }
        };
    }
    None
}

/// The call that an expression's value comes out of: itself, or where a name was given its value.
fn call_at(infer: &mut Infer<'_>, loc: Loc) -> Option<Loc> {
    let module = infer.module(loc.file);
    let expr = module.peel(loc.expr);
    if let ExprKind::Call { .. } = module.expr(expr).kind
        && (is_of_zod(infer, loc.at(expr), DEPTH))
    {
        return Some(loc.at(expr));
    }
    let value = infer.eval(loc);
    let ValueKind::Unknown(_, at) = *infer.kind(value) else { return None };
    let module = infer.module(at.file);
    matches!(module.expr(module.peel(at.expr)).kind, ExprKind::Call { .. }).then_some(at)
}

/// Whether a chain of calls begins with something of zod.
fn is_of_zod(infer: &Infer<'_>, loc: Loc, left: u32) -> bool {
    let Some(left) = left.checked_sub(1) else { return false };
    let module = infer.module(loc.file);
    match module.expr(module.peel(loc.expr)).kind {
        ExprKind::Call { callee, .. } => {
            constructor(module, module.peel(callee)).is_some() || is_of_zod(infer, loc.at(callee), left)
        }
        ExprKind::Member { object, .. } => is_of_zod(infer, loc.at(object), left),
        _ => false,
    }
}

/// What a callee makes: `z.object` → `object`.
fn constructor(module: &Module, callee: ExprId) -> Option<(Flavor, String)> {
    let mut names = Vec::new();
    let mut expr = callee;
    loop {
        match module.expr(expr).kind {
            ExprKind::Member { object, property } => {
                names.push(module.name(property).to_owned());
                expr = module.peel(object);
            }
            ExprKind::Ident { binding: Some(binding), .. } => {
                let (source, imported) = match module.binding(binding).def {
                    BindingDef::Import(import) => {
                        let import = module.import(import);
                        let source = module.name(module.import_decl(import.decl).source);
                        match import.kind {
                            ImportKind::Named { imported, .. } => (source, Some(module.name(imported).to_owned())),
                            ImportKind::Namespace | ImportKind::Default => (source, None),
                        }
                    }
                    // `const { z } = require('zod')`
                    BindingDef::Pattern { pattern, .. } => {
                        let root = module.root_of(pattern)?;
                        let (_, source) = module.loads().find(|(loaded, _)| *loaded == root)?;
                        let name = module.name(module.binding(binding).name);
                        (source, (name == "z").then(|| "z".to_owned()))
                    }
                    _ => return None,
                };
                let flavor = match source {
                    "zod" => Flavor::Installed,
                    "zod/v3" => Flavor::V3,
                    "zod/v4" | "zod/mini" | "zod/v4-mini" | "zod/v4/core" | "zod/v4/mini" => Flavor::V4,
                    _ => return None,
                };
                names.extend(imported.filter(|name| !matches!(name.as_str(), "z" | "default")));
                // `z.z.object`, which is the same.
                names.reverse();
                if names.first().is_some_and(|name| name == "z") {
                    names.remove(0);
                }
                return (!names.is_empty()).then(|| (flavor, names.join(".")));
            }
            _ => return None,
        }
    }
}

impl Zod {
    fn arg(&self, index: usize) -> Option<Loc> {
        self.args.get(index).map(|arg| self.at.at(*arg))
    }

    /// The schemas that it is made of, on the input side, each with the name of the key that leads to it.
    pub fn parts(&self, infer: &mut Infer<'_>) -> Vec<(Option<String>, Loc)> {
        let mut parts: Vec<(Option<String>, Loc)> = Vec::new();
        match self.name.as_str() {
            "object" | "strictObject" | "looseObject" | "interface" => {
                parts.extend(self.shape(infer).fields.into_iter().map(|(name, _, schema)| (Some(name), schema)));
            }
            "array" | "optional" | "nullable" | "nullish" | "readonly" | "promise" | "nonoptional" | "prefault"
            | "_default" | "pipe" | "codec" => parts.extend(self.arg(0).map(|arg| (None, arg))),
            "record" | "partialRecord" | "map" => {
                parts.extend([self.arg(0), self.arg(1)].into_iter().flatten().map(|arg| (None, arg)));
            }
            "intersection" => parts.extend([self.arg(0), self.arg(1)].into_iter().flatten().map(|arg| (None, arg))),
            // `preprocess(fn, inner)`: the inner schema is what is described.
            "preprocess" => parts.extend(self.arg(1).map(|arg| (None, arg))),
            "union" | "tuple" | "xor" => parts.extend(elements(infer, self.arg(0))),
            "discriminatedUnion" => parts.extend(elements(infer, self.arg(1))),
            "lazy" => {
                if let Some(arg) = self.arg(0) {
                    let module = infer.module(arg.file);
                    if let ExprKind::Function(function) = module.expr(module.peel(arg.expr)).kind {
                        let returned = agentcheck_model::returned(module, function);
                        parts.extend(returned.into_iter().map(|expr| (None, arg.at(expr))));
                    }
                }
            }
            _ => {}
        }
        for (method, call) in &self.methods {
            let module = infer.module(call.file);
            let ExprKind::Call { args, .. } = module.expr(call.expr).kind else { continue };
            match method.as_str() {
                "or" | "and" => parts.extend(module.exprs(args).first().map(|arg| (None, call.at(*arg)))),
                // What comes after is the output side.
                "pipe" | "transform" => break,
                _ => {}
            }
        }
        parts
    }

    /// The keys of an object schema. Open for anything else.
    pub fn shape(&self, infer: &mut Infer<'_>) -> Shape {
        let mut shape = Shape::default();
        match self.name.as_str() {
            "object" | "strictObject" => add_fields(infer, self.arg(0), &mut shape),
            "looseObject" => {
                add_fields(infer, self.arg(0), &mut shape);
                shape.open = true;
            }
            _ => shape.open = true,
        }
        for (method, call) in &self.methods {
            let module = infer.module(call.file);
            let ExprKind::Call { args, .. } = module.expr(call.expr).kind else { continue };
            let arg = module.exprs(args).first().map(|arg| call.at(*arg));
            match method.as_str() {
                "extend" | "safeExtend" | "augment" => add_fields(infer, arg, &mut shape),
                "merge" => match arg.and_then(|arg| read(infer, arg)) {
                    Some(other) => {
                        let other = other.shape(infer);
                        shape.open |= other.open;
                        shape.fields.extend(other.fields);
                    }
                    None => shape.open = true,
                },
                "passthrough" | "loose" | "catchall" | "and" | "or" | "transform" | "pipe" | "keyof" | "brand" => {
                    shape.open |= method != "brand";
                }
                "pick" | "omit" => {
                    let keys: Option<Vec<String>> = arg.map(|arg| {
                        let value = infer.eval(arg);
                        infer.keys(value).known.into_iter().map(|key| key.name).collect()
                    });
                    match keys {
                        Some(keys) => shape.fields.retain(|(name, ..)| keys.contains(name) == (method == "pick")),
                        None => shape.open = true,
                    }
                }
                _ => {}
            }
        }
        shape
    }
}

fn add_fields(infer: &mut Infer<'_>, arg: Option<Loc>, shape: &mut Shape) {
    let Some(arg) = arg else { return };
    let value = infer.eval(arg);
    if !matches!(infer.kind(value), ValueKind::Object(_) | ValueKind::Merged(_)) {
        shape.open = true;
        return;
    }
    let keys = infer.keys(value);
    shape.open |= !keys.open.is_empty();
    for key in keys.known {
        let module = infer.module(key.place.file);
        let at = module
            .all_props()
            .find(|(_, prop)| prop.key_span == key.place.span && prop.key != PropKey::None)
            .map_or(key.value, |(_, prop)| Loc::new(key.place.file, prop.value));
        shape.fields.push((key.name, at, key.value));
    }
}

/// The elements of an array literal.
fn elements(infer: &mut Infer<'_>, list: Option<Loc>) -> Vec<(Option<String>, Loc)> {
    let Some(list) = list else { return Vec::new() };
    let value = infer.eval(list);
    if !matches!(infer.kind(value), ValueKind::Array(_)) {
        return Vec::new();
    }
    infer.elements(value).known.iter().map(|element| (None, element.loc)).collect()
}

/// Visits a schema and all that it is made of; `path` is the keys that lead there.
pub(crate) fn walk(infer: &mut Infer<'_>, schema: Loc, visit: &mut dyn FnMut(&mut Infer<'_>, &Zod, &[String])) {
    let mut seen = Vec::new();
    walk_in(infer, schema, &mut Vec::new(), &mut seen, DEPTH, visit);
}

fn walk_in(
    infer: &mut Infer<'_>,
    schema: Loc,
    path: &mut Vec<String>,
    seen: &mut Vec<Loc>,
    left: u32,
    visit: &mut dyn FnMut(&mut Infer<'_>, &Zod, &[String]),
) {
    let Some(left) = left.checked_sub(1) else { return };
    let Some(zod) = read(infer, schema) else { return };
    if seen.contains(&zod.at) {
        return;
    }
    seen.push(zod.at);
    visit(infer, &zod, path);
    for (key, part) in zod.parts(infer) {
        let has_key = key.is_some();
        path.extend(key);
        walk_in(infer, part, path, seen, left, visit);
        if has_key {
            path.pop();
        }
    }
}

/// The major of zod that a schema is made with, if it is one whatever may be installed.
pub(crate) fn major(infer: &Infer<'_>, zod: &Zod) -> Option<u32> {
    match zod.flavor {
        Flavor::V3 => return Some(3),
        Flavor::V4 => return Some(4),
        Flavor::Installed => {}
    }
    let evidence = infer.program.evidence(zod.at.file, "zod")?;
    let mut majors = evidence.versions.members().iter().map(|version| version.release.major);
    let first = majors.next()?;
    majors.all(|major| major == first).then_some(first)
}
