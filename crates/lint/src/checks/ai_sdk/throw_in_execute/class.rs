//! Error classes of the project: whether a class is one, the name its instances carry, and how they get their message.

use agentcheck_model::hir::{ClassId, ClassMemberKind, ExprId, ExprKind, FuncId, Module, PropKey};
use agentcheck_model::{Loc, Unknown, ValueKind};
use agentcheck_syntax::FileId;

use crate::context::Context;

/// Whether a class of the language or of an unread module is called like an error.
pub(super) fn is_error_name(name: &str) -> bool {
    name.ends_with("Error") || name.ends_with("Exception")
}

/// The name of a class and of those it extends, as far as they were read.
pub(super) fn names(cx: &mut Context<'_>, file: FileId, class: ClassId) -> Vec<String> {
    let mut names = Vec::new();
    let mut next = Some((file, class));
    while let Some((file, class)) = next.take() {
        let module = cx.infer.module(file);
        let node = *module.class(class);
        names.extend(node.name.map(|name| module.name(name).to_owned()));
        let Some(base) = node.extends else { break };
        let value = cx.infer.eval_in(file, base);
        match *cx.infer.kind(value) {
            ValueKind::Class(file, base) if names.len() < 16 => next = Some((file, base)),
            _ => names.push(module.text(module.expr(base).span).to_owned()),
        }
    }
    names
}

/// `None`: the class is no error as far as can be seen. `Some(None)`: it is one, but what stands before its message cannot be
/// seen: it has a `toString` of its own, or computes its name.
pub(super) fn error_name(cx: &mut Context<'_>, file: FileId, class: ClassId) -> Option<Option<String>> {
    let module = cx.infer.module(file);
    let own = module.class(class).name.map(|name| module.name(name).to_owned());
    name_in(cx, file, class, own.as_deref())
}

/// The name that the constructor of a class gives to an instance of the class called `made`.
fn name_in(cx: &mut Context<'_>, file: FileId, class: ClassId, made: Option<&str>) -> Option<Option<String>> {
    let module = cx.infer.module(file);
    let node = *module.class(class);
    let base = node.extends?;
    let inherited = match *{
        let base = cx.infer.eval_in(file, base);
        cx.infer.kind(base)
    } {
        ValueKind::Class(file, base) if base != class => name_in(cx, file, base, made)?,
        ValueKind::Global(_) => {
            let written = module.text(module.expr(base).span);
            // A subclass carries the name of `Error` until it sets its own.
            is_error_name(written).then(|| Some(written.to_owned()))?
        }
        ValueKind::Unknown(Unknown::Import, _) => {
            let written = module.text(module.expr(base).span);
            is_error_name(written).then_some(None)?
        }
        _ => return None,
    };
    for (_, member) in module.class_members(node.members) {
        let (PropKey::Name(key), Some(value)) = (member.key, member.value) else { continue };
        match module.name(key) {
            "toString" => return Some(None),
            "name" if !member.is_static => return Some(module.string(value).map(str::to_owned)),
            _ => {}
        }
    }
    let assigned = module.this_assignments().find(|(member, _)| {
        let ExprKind::Member { property, .. } = module.expr(*member).kind else { return false };
        let owner = module.enclosing_function(*member).and_then(|function| module.function(function).class);
        owner == Some(class) && module.name(property) == "name"
    });
    match assigned {
        // `this.name = this.constructor.name` and `new.target.name` give the class's own.
        Some((_, value)) => Some(match module.string(value) {
            Some(name) => Some(name.to_owned()),
            None if module.text(module.expr(value).span).ends_with(".name") => made.map(str::to_owned),
            None => None,
        }),
        None => Some(inherited),
    }
}

/// The constructor that a class of the project has of its own, and the first argument that it passes to `super`.
pub(super) fn super_call(module: &Module, file: FileId, class: ClassId) -> Option<(FuncId, Option<Loc>)> {
    let (_, constructor) = module
        .class_members(module.class(class).members)
        .find(|(_, member)| member.kind == ClassMemberKind::Constructor)?;
    let ExprKind::Function(function) = module.expr(constructor.value?).kind else { return None };
    let span = module.function(function).span;
    let argument: Option<ExprId> = module.exprs_within(span).find_map(|(_, node)| match node.kind {
        ExprKind::Call { callee, args } if module.expr(callee).kind == ExprKind::Super => {
            module.exprs(args).first().copied()
        }
        _ => None,
    });
    Some((function, argument.map(|expr| Loc::new(file, expr))))
}
