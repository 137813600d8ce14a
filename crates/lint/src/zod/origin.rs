//! Where a name comes from that a schema is made with: zod, under whatever name it was imported.

use agentcheck_model::hir::{
    BindingDef, BindingId, ExportKind, ExprId, ExprKind, ImportKind, Module, NameId, PatKind, PatRole, PropKey,
    RootSource,
};
use agentcheck_model::{Infer, Loc, Target};
use agentcheck_syntax::FileId;

/// Names that lead to a name are followed this far.
const HOPS: u32 = 8;

/// Which zod a schema is made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flavor {
    /// `zod`: what is installed.
    Installed,
    /// `zod/v3`
    Three,
    /// `zod/v4`, `zod/mini`: the API of 4, whatever is installed.
    Four,
}

/// A member of zod: `["coerce", "date"]`.
pub(super) struct Member {
    pub path: Vec<String>,
    pub flavor: Flavor,
}

/// The member of zod that an expression names, such as the callee of `z.coerce.date()`.
pub(super) fn member(infer: &Infer<'_>, loc: Loc) -> Option<Member> {
    let mut found = named(infer, loc, HOPS)?;
    // `import * as zod from 'zod'; zod.z.object(…)`
    while found.path.first().is_some_and(|first| first == "z" || first == "default") {
        found.path.remove(0);
    }
    Some(found)
}

fn flavor(specifier: &str) -> Option<Flavor> {
    match specifier {
        "zod" => Some(Flavor::Installed),
        "zod/v3" => Some(Flavor::Three),
        _ if specifier.starts_with("zod/") => Some(Flavor::Four),
        _ => None,
    }
}

fn named(infer: &Infer<'_>, loc: Loc, hops: u32) -> Option<Member> {
    let hops = hops.checked_sub(1)?;
    let module = infer.module(loc.file);
    match module.expr(module.peel(loc.expr)).kind {
        ExprKind::Member { object, property } => {
            let mut found = named(infer, loc.at(object), hops)?;
            found.path.push(module.name(property).to_owned());
            Some(found)
        }
        ExprKind::Ident { binding: Some(binding), .. } => bound(infer, loc.file, binding, hops),
        ExprKind::Await(inner) => named(infer, loc.at(inner), hops),
        ExprKind::Import(source) => whole(module.string(source)?),
        ExprKind::Call { callee, args } if module.text(module.expr(callee).span) == "require" => {
            whole(module.string(*module.exprs(args).first()?)?)
        }
        _ => None,
    }
}

fn whole(specifier: &str) -> Option<Member> {
    Some(Member { path: Vec::new(), flavor: flavor(specifier)? })
}

fn bound(infer: &Infer<'_>, file: FileId, binding: BindingId, hops: u32) -> Option<Member> {
    let module = infer.module(file);
    match module.binding(binding).def {
        BindingDef::Import(import) => {
            let import = module.import(import);
            let specifier = module.name(module.import_decl(import.decl).source);
            match import.kind {
                ImportKind::Named { imported, .. } => exported(infer, file, specifier, module.name(imported), hops),
                ImportKind::Default => exported(infer, file, specifier, "default", hops),
                ImportKind::Namespace => whole(specifier),
            }
        }
        BindingDef::Pattern { pattern, constant: true } => {
            let (key, root) = match module.pat(pattern).role {
                PatRole::Root(root) => (None, root),
                PatRole::Key(outer, prop) => match (module.pat(outer).role, module.pat_prop(prop).key) {
                    (PatRole::Root(root), PropKey::Name(name)) => (Some(name), root),
                    _ => return None,
                },
                _ => return None,
            };
            let RootSource::Value(value) = module.root(root).source else { return None };
            if key.is_none() && !matches!(module.pat(pattern).kind, PatKind::Binding(_)) {
                return None;
            }
            destructured(infer, module, Loc::new(file, value), key, hops)
        }
        _ => None,
    }
}

fn destructured(infer: &Infer<'_>, module: &Module, value: Loc, key: Option<NameId>, hops: u32) -> Option<Member> {
    let is_made = |expr: ExprId| matches!(module.expr(expr).kind, ExprKind::Call { .. });
    let is_require = |expr: ExprId| match module.expr(expr).kind {
        ExprKind::Call { callee, .. } => module.text(module.expr(callee).span) == "require",
        _ => false,
    };
    if is_made(value.expr) && !is_require(value.expr) {
        return None;
    }
    let mut found = named(infer, value, hops)?;
    found.path.extend(key.map(|key| module.name(key).to_owned()));
    Some(found)
}

/// What a module exports under a name.
fn exported(infer: &Infer<'_>, file: FileId, specifier: &str, name: &str, hops: u32) -> Option<Member> {
    if let Some(flavor) = flavor(specifier) {
        return Some(Member { path: vec![name.to_owned()], flavor });
    }
    let hops = hops.checked_sub(1)?;
    let Some(Target::File(file)) = infer.program.target(file, specifier) else { return None };
    let module = infer.module(file);
    module.exports.iter().find_map(|export| match export.kind {
        ExportKind::Local { binding, exported } if module.name(exported) == name => bound(infer, file, binding, hops),
        ExportKind::Default(expr) if name == "default" => named(infer, Loc::new(file, expr), hops),
        ExportKind::From { source, imported, exported: own } if module.name(own) == name => {
            exported(infer, file, module.name(source), module.name(imported), hops)
        }
        ExportKind::Namespace { source, exported } if module.name(exported) == name => whole(module.name(source)),
        ExportKind::Star { source } if name != "default" => exported(infer, file, module.name(source), name, hops),
        _ => None,
    })
}
