//! Edits of entries of object literals, and of assignments that stand for one: `{ key: value }`, `object.key = value`.

use agentcheck_model::hir::{ExprId, ExprKind, Module, Parent, PropId, PropKind, StmtKind};
use agentcheck_model::{Key, KeyOrigin};
use agentcheck_syntax::{FileId, Place, Span};

use super::import;
use super::text::{begins_line, ends_line, line_end, line_start, skip_trivia};
use crate::finding::Edit;

/// An edit of `file`.
pub(crate) fn edit(file: FileId, span: Span, text: impl Into<String>) -> Edit {
    Edit { place: Place { file, span }, text: text.into() }
}

/// Gives a key another name: keeps quotes, writes a shorthand out.
pub(crate) fn rename_key(module: &Module, key: &Key, to: &str) -> Vec<Edit> {
    let file = key.place.file;
    let written = module.text(key.place.span);
    if let KeyOrigin::Entry(prop) = key.origin
        && module.prop(prop).kind == PropKind::Shorthand
    {
        return vec![edit(file, key.place.span, format!("{to}: {}", key.name))];
    }
    // `'a'` and `['a']` keep what is around the name.
    let offset = written.find(&key.name).unwrap_or(0) as u32;
    let start = key.place.span.start + offset;
    vec![edit(file, Span::new(start, start + key.name.len() as u32), to)]
}

/// Takes a key out, with its comma and its line, and the imports that only its value used. `None` when what is left would
/// not be a statement.
pub(crate) fn remove_key(module: &Module, key: &Key) -> Option<Vec<Edit>> {
    let file = key.place.file;
    let (mut edits, gone) = match key.origin {
        KeyOrigin::Entry(prop) => {
            let spans = entry_with_comma(module, prop);
            (spans.into_iter().map(|span| edit(file, span, "")).collect::<Vec<_>>(), module.prop(prop).span)
        }
        KeyOrigin::Assignment(member) => {
            let statement = assignment_statement(module, member.expr)?;
            (vec![edit(file, whole_lines(&module.source, statement), "")], statement)
        }
    };
    edits.extend(import::remove_unused(module, file, gone));
    Some(edits)
}

/// The text of a key's value, in parentheses if it could not stand as an argument.
pub(crate) fn value_text<'m>(module: &'m Module, key: &Key) -> std::borrow::Cow<'m, str> {
    let text = module.text(module.expr(key.value.expr).span);
    match module.expr(key.value.expr).kind {
        ExprKind::Sequence(_) => format!("({text})").into(),
        _ => text.into(),
    }
}

/// Puts `name: value` in the place of a key and its value.
pub(crate) fn replace_entry(module: &Module, key: &Key, name: &str, value: &str) -> Vec<Edit> {
    let file = key.place.file;
    match key.origin {
        KeyOrigin::Entry(prop) => vec![edit(file, module.prop(prop).span, format!("{name}: {value}"))],
        KeyOrigin::Assignment(member) => {
            let value = edit(file, module.expr(key.value.expr).span, value);
            let target = match module.expr(member.expr).kind {
                ExprKind::Index { .. } => {
                    // `options['maxSteps'] = n`: the name within the quotes.
                    let written = module.text(key.place.span);
                    let start = key.place.span.start + written.find(&key.name).unwrap_or(0) as u32;
                    edit(file, Span::new(start, start + key.name.len() as u32), name)
                }
                _ => edit(file, key.place.span, name),
            };
            vec![target, value]
        }
    }
}

/// Takes an element out of an array, with its comma and its line.
pub(crate) fn remove_element(module: &Module, file: FileId, array: ExprId, element: ExprId) -> Option<Vec<Edit>> {
    let ExprKind::Array(elements) = module.expr(array).kind else { return None };
    let before = module
        .exprs(elements)
        .iter()
        .map(|other| module.expr(*other).span)
        .rfind(|span| span.end <= module.expr(element).span.start);
    let spans = listed_with_comma(&module.source, module.expr(element).span, before, module.expr(array).span);
    Some(spans.into_iter().map(|span| edit(file, span, "")).collect())
}

/// The ranges to delete so that an entry of an object is gone.
fn entry_with_comma(module: &Module, prop: PropId) -> Vec<Span> {
    let entry = module.prop(prop).span;
    let owner = module.prop(prop).owner;
    let before = match module.expr(owner).kind {
        ExprKind::Object(props) => {
            module.props(props).map(|(_, other)| other.span).rfind(|span| span.end <= entry.start)
        }
        _ => None,
    };
    listed_with_comma(&module.source, entry, before, module.expr(owner).span)
}

/// The ranges to delete so that an item of a list in brackets is gone: one, or two when a comment stands between it and its
/// comma.
fn listed_with_comma(source: &str, item: Span, before: Option<Span>, list: Span) -> Vec<Span> {
    let blank = |from: u32, to: u32| source[from as usize..to as usize].trim().is_empty();
    let next = skip_trivia(source, item.end);
    if source[next as usize..].starts_with(',') {
        let end = next + 1;
        if !blank(item.end, next) {
            return vec![item, Span::new(next, end)];
        }
        if begins_line(source, item.start) && ends_line(source, end) {
            return vec![Span::new(line_start(source, item.start), line_end(source, end))];
        }
        let spaces = source[end as usize..].len() - source[end as usize..].trim_start_matches([' ', '\t']).len();
        return vec![Span::new(item.start, end + spaces as u32)];
    }
    // The last item: the comma before it goes.
    match before {
        Some(before) => {
            let comma = skip_trivia(source, before.end);
            match blank(comma + 1, item.start) {
                true => vec![Span::new(comma, item.end)],
                false => vec![Span::new(comma, comma + 1), item],
            }
        }
        None => {
            let (open, close) = (list.start + 1, list.end - 1);
            let start = if blank(open, item.start) { open } else { item.start };
            let end = if blank(item.end, close) { close } else { item.end };
            vec![Span::new(start, end)]
        }
    }
}

/// The statement `object.key = value;` that a member is the target of.
fn assignment_statement(module: &Module, member: ExprId) -> Option<Span> {
    let Parent::Pat(target) = module.expr_parent(member) else { return None };
    let Parent::Expr(assignment) = module.root_parent(module.root_of(target)?) else { return None };
    let Parent::Stmt(stmt) = module.expr_parent(assignment) else { return None };
    let in_block = match module.stmt_parent(stmt) {
        Parent::Stmt(outer) => matches!(module.stmt(outer).kind, StmtKind::Block(_)),
        Parent::Module | Parent::Function(_) => true,
        _ => false,
    };
    (in_block && matches!(module.stmt(stmt).kind, StmtKind::Expr(_))).then(|| module.stmt(stmt).span)
}

/// A range widened to the lines that it fills alone.
pub(crate) fn whole_lines(source: &str, span: Span) -> Span {
    if begins_line(source, span.start) && ends_line(source, span.end) {
        Span::new(line_start(source, span.start), line_end(source, span.end))
    } else {
        span
    }
}
