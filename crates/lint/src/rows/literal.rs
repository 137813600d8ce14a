//! Rows of kind `literal`: `part.type === 'step-finish'`, `switch (part.type) { case 'step-finish': … }`.

use agentcheck_catalog::{EditRow, RuleKind};
use agentcheck_model::Infer;
use agentcheck_model::hir::{BinaryOp, ExprId, ExprKind, Module, StmtKind};
use agentcheck_syntax::{Place, Span};

use super::{Found, is_of, property};
use crate::fix::entry::edit;

pub(super) fn check(found: &mut Found<'_, '_>, infer: &mut Infer<'_>) {
    if found.rows.literals.is_empty() {
        return;
    }
    for (subject, text) in compared(infer.module(found.file)) {
        one(found, infer, subject, text);
    }
}

/// Each pair of an expression and a text that it is compared with.
fn compared(module: &Module) -> Vec<(ExprId, ExprId)> {
    let mut pairs = Vec::new();
    for (_, node) in module.all_exprs() {
        if let ExprKind::Binary(BinaryOp::Equal | BinaryOp::NotEqual, left, right) = node.kind {
            if module.string(right).is_some() {
                pairs.push((left, right));
            } else if module.string(left).is_some() {
                pairs.push((right, left));
            }
        }
    }
    for (_, stmt) in module.all_stmts() {
        let StmtKind::Switch { value, cases } = stmt.kind else { continue };
        for case in module.stmts(cases) {
            if let StmtKind::Case { test: Some(test), .. } = module.stmt(*case).kind {
                pairs.push((value, test));
            }
        }
    }
    pairs
}

fn one(found: &mut Found<'_, '_>, infer: &mut Infer<'_>, subject: ExprId, text: ExprId) {
    let (rows, file) = (found.rows, found.file);
    let module = infer.module(file);
    let Some(wanted) = module.string(text).and_then(|text| rows.literals.get(text)) else { return };
    let ExprKind::Member { object, property: name } = module.expr(module.peel(subject)).kind else { return };
    let value = infer.idly(|infer| infer.eval_in(file, object));
    for (index, rename) in wanted {
        let RuleKind::Literal { property, .. } = &rows.catalog.rules[*index].kind else { continue };
        if property != module.name(name) {
            continue;
        }
        let Some((case, evidence)) = property::case_for(found, *index, infer, value) else { continue };
        let certain = is_of(infer, case, value).1;
        let span = module.expr(module.peel(text)).span;
        found.report(
            (*index, rename),
            &evidence,
            Place { file, span },
            |case| is_of(infer, case, value).0,
            |row| match row {
                EditRow::ReplaceText if certain => {
                    let at = span.start + module.text(span).find(&rename.old)? as u32;
                    Some(vec![edit(file, Span::new(at, at + rename.old.len() as u32), rename.new.as_deref()?)])
                }
                _ => None,
            },
        );
    }
}
