//! Edits of entries of object literals, and of assignments that stand for one: `{ key: value }`, `object.key = value`.

use agentcheck_model::hir::{ExprId, ExprKind, Module, Parent, PropId, PropKind, StmtKind};
use agentcheck_model::{Key, KeyOrigin};
use agentcheck_syntax::{FileId, Place, Span};

use super::import;
use super::text::{begins_line, ends_line, indentation, line_end, line_start, newline, skip_trivia};
use crate::finding::Edit;

/// An edit of `file`.
pub(crate) fn edit(file: FileId, span: Span, text: impl Into<String>) -> Edit {
    Edit { place: Place { file, span }, text: text.into() }
}

/// Gives a key another name: keeps quotes, writes a shorthand out. `None` when the key is computed from elsewhere.
pub(crate) fn rename_key(module: &Module, key: &Key, to: &str) -> Option<Vec<Edit>> {
    let file = key.place.file;
    if let KeyOrigin::Entry(prop) = key.origin
        && module.prop(prop).kind == PropKind::Shorthand
    {
        return Some(vec![edit(file, key.place.span, format!("{to}: {}", key.name))]);
    }
    Some(vec![edit(file, name_span(module, key)?, to)])
}

/// The name within a key as it is written: `'a'` and `['a']` keep what is around it.
fn name_span(module: &Module, key: &Key) -> Option<Span> {
    let offset = module.text(key.place.span).find(&key.name)? as u32;
    let start = key.place.span.start + offset;
    Some(Span::new(start, start + key.name.len() as u32))
}

/// The source of an expression, in parentheses if it could not stand as an argument or value.
pub(crate) fn expr_text(module: &Module, expr: ExprId) -> std::borrow::Cow<'_, str> {
    let text = module.text(module.expr(expr).span);
    match module.expr(expr).kind {
        ExprKind::Sequence(_) => format!("({text})").into(),
        _ => text.into(),
    }
}

/// Whether working out a key's value does something: taking it out would lose that.
pub(crate) fn has_effects(module: &Module, key: &Key) -> bool {
    let value = module.expr(key.value.expr);
    if matches!(value.kind, ExprKind::Function(_)) {
        return false;
    }
    module.exprs_within(value.span).any(|(_, node)| {
        matches!(
            node.kind,
            ExprKind::Call { .. }
                | ExprKind::New { .. }
                | ExprKind::Await(_)
                | ExprKind::Yield(_)
                | ExprKind::Assign { .. }
                | ExprKind::Update(_)
                | ExprKind::Tagged { .. }
                | ExprKind::Import(_)
                | ExprKind::Unknown
        )
    })
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

/// Puts `name: value` in the place of a key and its value; comments between them stay. `None` for what is no plain value: a
/// method, a getter, `+=`.
pub(crate) fn replace_entry(module: &Module, key: &Key, name: &str, value: &str) -> Option<Vec<Edit>> {
    let file = key.place.file;
    let value_span = module.expr(key.value.expr).span;
    match key.origin {
        KeyOrigin::Entry(prop) => match module.prop(prop).kind {
            PropKind::Value => {
                // Parentheses around the value go with it.
                let end = module.prop(prop).span.end;
                Some(vec![edit(file, key.place.span, name), edit(file, widened(module, value_span, end), value)])
            }
            PropKind::Shorthand => Some(vec![edit(file, key.place.span, format!("{name}: {value}"))]),
            _ => None,
        },
        KeyOrigin::Assignment(member) => {
            let Parent::Pat(target) = module.expr_parent(member.expr) else { return None };
            let Parent::Expr(assignment) = module.root_parent(module.root_of(target)?) else { return None };
            if !matches!(module.expr(assignment).kind, ExprKind::Assign { compound: false, .. }) {
                return None;
            }
            let end = module.expr(assignment).span.end;
            Some(vec![edit(file, name_span(module, key)?, name), edit(file, widened(module, value_span, end), value)])
        }
    }
}

/// Puts another entry behind an entry of an object literal, on a line of its own if that one has one.
pub(crate) fn insert_after(module: &Module, file: FileId, prop: PropId, text: &str) -> Edit {
    let source = &module.source;
    let span = module.prop(prop).span;
    let comma = skip_trivia(source, span.end);
    let has_comma = source[comma as usize..].starts_with(',');
    let line = format!("{}{}", newline(source), indentation(source, span.start));
    match (begins_line(source, span.start), has_comma) {
        // Behind a comment that follows on the line.
        (true, true) if is_comment(source, comma + 1) => {
            let end = source[comma as usize..].find(['\r', '\n']).map_or(source.len(), |end| comma as usize + end);
            edit(file, Span::empty(end as u32), format!("{line}{text},"))
        }
        (true, true) => edit(file, Span::empty(comma + 1), format!("{line}{text},")),
        (true, false) => edit(file, Span::empty(span.end), format!(",{line}{text}")),
        (false, true) => edit(file, Span::empty(comma + 1), format!(" {text},")),
        (false, false) => edit(file, Span::empty(span.end), format!(", {text}")),
    }
}

/// Whether what is left of a line is a comment to its end.
fn is_comment(source: &str, offset: u32) -> bool {
    let rest = source[offset as usize..].split(['\r', '\n']).next().unwrap_or_default().trim();
    rest.starts_with("//") || (rest.starts_with("/*") && rest.ends_with("*/"))
}

/// A value with the parentheses around it, which the model does not keep: `(a, b)` and `((a))`.
fn widened(module: &Module, value: Span, end: u32) -> Span {
    let source = &module.source;
    let mut span = value;
    loop {
        let before = source[..span.start as usize].trim_end();
        let after = skip_trivia(source, span.end);
        if !before.ends_with('(') || !source[after as usize..].starts_with(')') || after + 1 > end {
            return span;
        }
        span = Span::new(before.len() as u32 - 1, after + 1);
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
                // A comment stands before it. Its line goes if it has one of its own.
                false if begins_line(source, item.start) && ends_line(source, item.end) => {
                    vec![
                        Span::new(comma, comma + 1),
                        Span::new(line_start(source, item.start), line_end(source, item.end)),
                    ]
                }
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
