//! Properties of results, steps, usage and stream parts that the installed version does not have yet.

use agentcheck_catalog::Safety;
use agentcheck_model::hir::{BinaryOp, ExprId, ExprKind, Module, NameId, Parent, PatKind, PropKey, StmtKind};
use agentcheck_model::{Loc, Sdk, Value, ValueKind};
use agentcheck_syntax::{Place, Span};

use crate::context::{Context, Details};
use crate::finding::Fix;
use crate::fix::entry::edit;
use crate::standing::{Standing, is_everywhere, since, standing};

/// Syntax above a read is looked at this far for something that guards it.
const HOPS: u32 = 64;

/// A property that is read.
struct Read {
    object: Value,
    name: String,
    /// The name where it is written.
    span: Span,
    /// `{ name }`, which also declares a local name.
    shorthand: bool,
}

pub(crate) fn check(cx: &mut Context<'_>) {
    for read in reads(cx) {
        report(cx, &read);
    }
}

/// Every read of a property that came with some version and is not guarded.
fn reads(cx: &mut Context<'_>) -> Vec<Read> {
    let module = cx.module();
    // What the code puts there itself is there.
    let assigned = module.assigned_properties();
    let surface = &cx.catalog.surface;
    let is_later = |name: NameId| surface.is_later_property(module.name(name)) && !assigned.contains(&name);
    let mut reads = Vec::new();
    for (expr, node) in module.all_exprs() {
        let (object, name) = match node.kind {
            ExprKind::Member { object, property } if is_later(property) => (object, property),
            ExprKind::Index { object, index } => match module.expr(index).kind {
                ExprKind::String(name) if is_later(name) => (object, name),
                _ => continue,
            },
            _ => continue,
        };
        let name = module.name(name);
        if matches!(module.expr_parent(expr), Parent::Pat(_)) || is_guarded(module, expr, name) {
            continue;
        }
        let object = cx.infer.idly(|infer| infer.eval_in(cx.file, object));
        reads.push(Read { object, name: name.to_owned(), span: module.name_span(expr), shorthand: false });
    }
    for (pattern, node) in module.all_patterns() {
        let PatKind::Object(props) = node.kind else { continue };
        for (_, prop) in module.pat_props(props) {
            let PropKey::Name(name) = prop.key else { continue };
            // A default is there for when it is missing.
            if !is_later(name) || matches!(module.pat(prop.pattern).kind, PatKind::Default { .. }) {
                continue;
            }
            let at = Loc::new(cx.file, ExprId::FIRST);
            let object = cx.infer.idly(|infer| infer.eval_pattern(cx.file, pattern, at));
            let name = module.name(name).to_owned();
            reads.push(Read { object, name, span: prop.key_span, shorthand: prop.shorthand });
        }
    }
    reads.sort_by_key(|read| read.span);
    reads
}

/// Whether the read is there to find out whether the property exists, or happens only where it does.
fn is_guarded(module: &Module, expr: ExprId, name: &str) -> bool {
    let mentions = |test: ExprId| module.text(module.expr(test).span).contains(name);
    let mut parent = module.expr_parent(expr);
    let mut below = expr;
    for _ in 0..HOPS {
        parent = match parent {
            Parent::Expr(above) => {
                match module.expr(above).kind {
                    ExprKind::Binary(BinaryOp::Or | BinaryOp::Nullish, ..) => return true,
                    ExprKind::Binary(BinaryOp::And, left, _) if left == below || mentions(left) => return true,
                    ExprKind::Binary(BinaryOp::Equal | BinaryOp::NotEqual, left, right) => {
                        let is_nothing = |side: ExprId| ["undefined", "null"].contains(&module.text(module.expr(side).span));
                        if is_nothing(left) || is_nothing(right) {
                            return true;
                        }
                    }
                    ExprKind::Conditional { test, .. } if mentions(test) => return true,
                    ExprKind::Unary(..) => return true,
                    ExprKind::Function(_) => return false,
                    _ => {}
                }
                below = above;
                module.expr_parent(above)
            }
            Parent::Stmt(stmt) => {
                if let StmtKind::If { test, .. } = module.stmt(stmt).kind
                    && mentions(test)
                {
                    return true;
                }
                module.stmt_parent(stmt)
            }
            Parent::Prop(prop) => Parent::Expr(module.prop(prop).owner),
            Parent::Root(root) => module.root_parent(root),
            _ => return false,
        };
    }
    false
}

fn report(cx: &mut Context<'_>, read: &Read) {
    let types = std::sync::Arc::clone(&cx.infer.program.types);
    let mut found = None;
    for member in cx.infer.alternatives(read.object) {
        match *cx.infer.kind(member) {
            // `streamText` gives a promise in 3 alone.
            ValueKind::Undefined | ValueKind::Null | ValueKind::Promise(_) => {}
            ValueKind::Sdk(Sdk { origin, .. }) => {
                let Some(record) = cx.infer.record_of(member) else { return };
                let Some(names) = cx.catalog.surface.properties(record) else { return };
                let Some(package) = cx.infer.package_of_origin(origin) else { return };
                let Some(evidence) = cx.evidence(&package) else { return };
                let Standing::Newer(versions) = standing(cx, names, &read.name, &evidence) else { return };
                found = Some((record, names, package, evidence, versions));
            }
            // What else it may be has the property for all we know.
            _ => return,
        }
    }
    let Some((record, names, package, evidence, versions)) = found else { return };
    let newer = cx.catalog.surface.newer_property(&read.name);
    let former = newer.and_then(|newer| newer.former.iter().find(|name| is_everywhere(names, name, &evidence)));
    let case = match newer {
        Some(newer) if former.is_some() && newer.same_value => "renamed",
        _ => "new",
    };
    let Some(verdict) = cx.judge_in(&package, case, &versions) else { return };
    let fixes = match former {
        Some(former) if case == "renamed" => {
            let text = if read.shorthand { format!("{former}: {}", read.name) } else { former.clone() };
            let text = match cx.module().text(read.span).chars().next() {
                Some(quote @ ('\'' | '"' | '`')) => format!("{quote}{text}{quote}"),
                _ => text,
            };
            let title = format!("Read `{former}`");
            vec![Fix { title, safety: Safety::Safe, edits: vec![edit(cx.file, read.span, text)] }]
        }
        _ => Vec::new(),
    };
    let details = Details {
        slots: vec![
            ("name", read.name.clone()),
            ("former", former.cloned().unwrap_or_default()),
            ("since", since(names, &read.name)),
            ("thing", cx.catalog.surface.thing(record).unwrap_or(&types.record(record).name).to_owned()),
        ],
        fixes,
        ..Details::default()
    };
    cx.report(&verdict, Place { file: cx.file, span: read.span }, details);
}
