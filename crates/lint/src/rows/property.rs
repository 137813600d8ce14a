//! Rows of kind `property`: `usage.promptTokens`, `const { promptTokens } = usage`.

use agentcheck_catalog::{Case, EditRow, RuleKind};
use agentcheck_model::hir::{BinaryOp, ExprId, ExprKind, Module, Parent, PatKind, PatProp, PropKey};
use agentcheck_model::{Infer, Loc, Value};
use agentcheck_syntax::{FileId, Place, Span};

use super::{Found, filled, is_of};
use crate::finding::Edit;
use crate::fix::entry::edit;

pub(super) fn check(found: &mut Found<'_, '_>, infer: &mut Infer<'_>) {
    let (rows, file) = (found.rows, found.file);
    if rows.properties.is_empty() {
        return;
    }
    let module = infer.module(file);
    // What the code puts there itself is there.
    let assigned = module.assigned_properties();
    for (expr, node) in module.all_exprs() {
        let (object, name) = match node.kind {
            ExprKind::Member { object, property } => (object, module.name(property)),
            ExprKind::Index { object, index } => match module.string(index) {
                Some(name) => (object, name),
                None => continue,
            },
            _ => continue,
        };
        let Some(wanted) = rows.properties.get(name) else { continue };
        // What is assigned is not read.
        let is_assigned = module.names.get(name).is_some_and(|name| assigned.contains(&name));
        if is_assigned || matches!(module.expr_parent(expr), Parent::Pat(_)) {
            continue;
        }
        let value = infer.idly(|infer| infer.eval_in(file, object));
        for (index, rename) in wanted {
            let is_certain = |case: &Case, infer: &Infer<'_>| is_of(infer, case, value).1;
            let other = rename.new.as_deref();
            if other.is_some_and(|new| reads_both(module, expr, new)) {
                continue;
            }
            let case = first_case(found, *index, infer, value);
            let Some((certain, evidence)) = case.map(|(case, evidence)| (is_certain(case, infer), evidence)) else {
                continue;
            };
            let place = Place { file, span: module.name_span(expr) };
            found.report(
                (*index, rename),
                &evidence,
                place,
                |case| is_of(infer, case, value).0,
                |row| match row {
                    EditRow::RenameProperty { to } if certain => {
                        renamed_member(module, file, expr, name, &filled(to, rename))
                    }
                    EditRow::AddAwait => awaited(module, file, expr),
                    _ => None,
                },
            );
        }
    }
    for (pattern, node) in module.all_patterns() {
        let PatKind::Object(props) = node.kind else { continue };
        for (_, prop) in module.pat_props(props) {
            let PropKey::Name(key) = prop.key else { continue };
            let Some(wanted) = rows.properties.get(module.name(key)) else { continue };
            if assigned.contains(&key) {
                continue;
            }
            // A later version has it again: a default is there for when it is missing.
            let has_default = matches!(module.pat(prop.pattern).kind, PatKind::Default { .. });
            if has_default && rows.catalog.surface.newer_property(module.name(key)).is_some() {
                continue;
            }
            let value = infer.idly(|infer| infer.eval_pattern(file, pattern, Loc::new(file, ExprId::FIRST)));
            for (index, rename) in wanted {
                let Some((case, evidence)) = first_case(found, *index, infer, value) else { continue };
                let certain = is_of(infer, case, value).1;
                let taken = |(_, other): (_, &PatProp)| match other.key {
                    PropKey::Name(name) => rename.new.as_deref() == Some(module.name(name)),
                    _ => false,
                };
                if module.pat_props(props).any(taken) {
                    continue;
                }
                let place = Place { file, span: prop.key_span };
                found.report(
                    (*index, rename),
                    &evidence,
                    place,
                    |case| is_of(infer, case, value).0,
                    |row| match row {
                        EditRow::RenameProperty { to } if certain => {
                            renamed_key(module, file, prop, &filled(to, rename))
                        }
                        _ => None,
                    },
                );
            }
        }
    }
}

/// The first case that is about the value, and what is known of the version that decides.
fn first_case<'c>(
    found: &Found<'_, 'c>,
    index: usize,
    infer: &Infer<'_>,
    value: Value,
) -> Option<(&'c Case, std::sync::Arc<agentcheck_model::Evidence>)> {
    let rule = &found.rows.catalog.rules[index];
    let (RuleKind::Property { package, .. } | RuleKind::Literal { package, .. }) = &rule.kind else { return None };
    let case = rule.cases.iter().find(|case| is_of(infer, case, value).0)?;
    Some((case, infer.program.evidence(found.file, package)?.clone()))
}

/// `usage.inputTokens ?? usage.promptTokens`: the code knows both names.
fn reads_both(module: &Module, expr: ExprId, new: &str) -> bool {
    let mentions = |other: ExprId| module.text(module.expr(other).span).contains(new);
    let mut inner = expr;
    loop {
        let Parent::Expr(parent) = module.expr_parent(inner) else { return false };
        match module.expr(parent).kind {
            ExprKind::Binary(BinaryOp::Or | BinaryOp::Nullish | BinaryOp::And, left, right) => {
                if mentions(if left == inner { right } else { left }) {
                    return true;
                }
            }
            ExprKind::Conditional { test, then, otherwise } => {
                if [test, then, otherwise].into_iter().any(|part| part != inner && mentions(part)) {
                    return true;
                }
            }
            ExprKind::Await(_)
            | ExprKind::NonNull(_)
            | ExprKind::Cast { .. }
            | ExprKind::Member { .. }
            | ExprKind::Call { .. }
            | ExprKind::Binary(..) => {}
            _ => return false,
        }
        inner = parent;
    }
}

fn renamed_member(module: &Module, file: FileId, expr: ExprId, old: &str, to: &str) -> Option<Vec<Edit>> {
    let span = module.name_span(expr);
    match module.expr(expr).kind {
        ExprKind::Member { .. } => Some(vec![edit(file, span, to)]),
        ExprKind::Index { .. } if !to.contains('.') => {
            let at = module.text(span).find(old)? as u32 + span.start;
            Some(vec![edit(file, Span::new(at, at + old.len() as u32), to)])
        }
        _ => None,
    }
}

/// `{ promptTokens }` → `{ inputTokens: promptTokens }`; a path is taken apart further in.
fn renamed_key(module: &Module, file: FileId, prop: &PatProp, to: &str) -> Option<Vec<Edit>> {
    let (first, rest) = match to.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (to, None),
    };
    // Without the outer object the inner name cannot have a default of its own.
    let (open, close) = match rest {
        Some(rest) if !rest.contains('.') => (format!("{first}: {{ {rest}"), " }"),
        Some(_) => return None,
        None => (first.to_owned(), ""),
    };
    let mut edits = match prop.shorthand {
        true => vec![edit(file, Span::empty(prop.span.start), format!("{open}: "))],
        false => vec![edit(file, prop.key_span, open)],
    };
    // `{ 'promptTokens': n }`, `{ ['promptTokens']: n }` lose their quotes, which they do not need.
    if module.text(prop.key_span).is_empty() {
        return None;
    }
    if !close.is_empty() {
        edits.push(edit(file, Span::empty(prop.span.end), close));
    }
    Some(edits)
}

fn awaited(module: &Module, file: FileId, expr: ExprId) -> Option<Vec<Edit>> {
    super::awaits::edits(module, file, expr)
}

/// The case and version for another kind of row that looks at values of SDK types.
pub(super) fn case_for<'c>(
    found: &Found<'_, 'c>,
    index: usize,
    infer: &Infer<'_>,
    value: Value,
) -> Option<(&'c Case, std::sync::Arc<agentcheck_model::Evidence>)> {
    first_case(found, index, infer, value)
}
