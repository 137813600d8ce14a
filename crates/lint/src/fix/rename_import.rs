//! Another name for an import and all its uses, from the same or another entry point.
//!
//! Where the uses cannot all be told, or the new name is taken, the import gets the old name as an alias, which is right
//! wherever the name is used.

use agentcheck_model::hir::{ImportDecl, ImportId, ImportKind, Module, Parent, PropKind, TypeKind};
use agentcheck_syntax::{FileId, Span};

use super::entry::edit;
use super::import::{add_declaration, add_specifier, specifier_with_comma};
use crate::finding::Edit;

/// The edits that import `new`, from `from` if that is given, in the place of an import.
pub(crate) fn renamed(module: &Module, file: FileId, id: ImportId, new: &str, from: Option<&str>) -> Option<Vec<Edit>> {
    let import = module.import(id);
    let ImportKind::Named { imported, imported_span } = import.kind else { return None };
    let (old, local) = (module.name(imported), module.name(module.binding(import.binding).name));
    let decl = module.import_decl(import.decl);
    let source = from.unwrap_or(module.name(decl.source));
    // The new name may be imported already; a type-only import does not serve a value.
    let known = module.all_imports().find_map(|(other, import)| match import.kind {
        ImportKind::Named { imported, .. } => {
            let is_it = other != id
                && module.name(imported) == new
                && module.name(module.import_decl(import.decl).source) == source
                && !import.type_only;
            is_it.then(|| module.name(module.binding(import.binding).name).to_owned())
        }
        _ => None,
    });
    let is_alias = local != old;
    let uses = if is_alias && known.is_none() { None } else { uses(module, id) };
    let exported = module.is_exported(import.binding);
    let taken = known.is_none() && module.all_bindings().any(|(_, binding)| module.name(binding.name) == new);
    let target = match (&known, &uses) {
        (Some(known), Some(_)) if !exported => known.clone(),
        (_, Some(_)) if !exported && !taken && new != local => new.to_owned(),
        _ => local.to_owned(),
    };
    let mut edits = Vec::new();
    if target != local {
        for (span, shorthand) in uses.into_iter().flatten() {
            let text = if shorthand { format!("{local}: {target}") } else { target.clone() };
            edits.push(edit(file, span, text));
        }
    }
    let written = if target == new { new.to_owned() } else { format!("{new} as {target}") };
    let alone = module.all_imports().filter(|(_, other)| other.decl == import.decl).count() == 1;
    let is_known = known.is_some_and(|known| known == target);
    if is_known {
        match alone {
            true => edits.push(edit(file, super::entry::whole_lines(&module.source, decl.span), "")),
            false => edits.push(edit(file, specifier_with_comma(module, import.decl, import.span), "")),
        }
        return Some(edits);
    }
    match from {
        None => edits.push(in_place(module, file, imported_span, import.span, &written)),
        Some(from) if alone => {
            edits.push(in_place(module, file, imported_span, import.span, &written));
            edits.push(edit(file, Span::new(decl.source_span.start + 1, decl.source_span.end - 1), from));
        }
        Some(from) => {
            edits.push(edit(file, specifier_with_comma(module, import.decl, import.span), ""));
            edits.push(imported_from(module, file, from, &written, decl, import.type_only));
        }
    }
    Some(edits)
}

/// The specifier with another name; `type` before it stays.
fn in_place(module: &Module, file: FileId, imported: Span, specifier: Span, written: &str) -> Edit {
    // `type` stands before the imported name and stays.
    debug_assert!(module.text(specifier).contains(module.text(imported)));
    edit(file, Span::new(imported.start, specifier.end), written)
}

fn imported_from(
    module: &Module,
    file: FileId,
    from: &str,
    written: &str,
    beside: &ImportDecl,
    type_only: bool,
) -> Edit {
    let named = module
        .all_import_decls()
        .find(|(_, decl)| module.name(decl.source) == from && decl.named.is_some() && !decl.type_only);
    // `import type` as a whole would need a declaration of its own kind; inline it is the same.
    let written = if type_only || beside.type_only { format!("type {written}") } else { written.to_owned() };
    match named {
        Some((id, decl)) => add_specifier(module, file, id, decl.named.unwrap_or(decl.span), &written),
        None => add_declaration(module, file, from, &written),
    }
}

/// Every place where the imported name is used, and whether it stands there as a shorthand property. `None` when a place
/// cannot be told from a place where the same word means something else.
fn uses(module: &Module, id: ImportId) -> Option<Vec<(Span, bool)>> {
    let import = module.import(id);
    let binding = module.binding(import.binding);
    let name = module.name(binding.name);
    let mut uses: Vec<(Span, bool)> = module
        .refs(import.binding)
        .iter()
        .map(|expr| {
            let shorthand = matches!(module.expr_parent(*expr), Parent::Prop(prop) if module.prop(prop).kind == PropKind::Shorthand);
            (module.expr(*expr).span, shorthand)
        })
        .collect();
    for ty in module.all_type_exprs() {
        if let TypeKind::Name { binding: Some(of), .. } = ty.kind
            && of == import.binding
        {
            uses.push((Span::new(ty.span.start, ty.span.start + name.len() as u32), false));
        }
    }
    uses.sort_unstable_by_key(|(span, _)| span.start);
    uses.dedup();
    // Types that are not lowered, such as those inside function types, are found by the word.
    let is_only_binding = module.all_bindings().filter(|(_, other)| other.name == binding.name).count() == 1;
    for at in words(&module.source, name) {
        let span = Span::new(at, at + name.len() as u32);
        let is_known = |(known, _): &(Span, bool)| known.start == at;
        if import.span.contains(span) || uses.iter().any(is_known) {
            continue;
        }
        match surroundings(&module.source, span) {
            Surroundings::Inert => {}
            Surroundings::Type if is_only_binding => uses.push((span, false)),
            Surroundings::Type | Surroundings::Unclear => return None,
        }
    }
    Some(uses)
}

/// Where `word` stands as a whole word.
fn words<'s>(source: &'s str, word: &'s str) -> impl Iterator<Item = u32> + 's {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    source
        .match_indices(word)
        .filter(move |(at, _)| {
            !source[..*at].chars().next_back().is_some_and(is_part)
                && !source[at + word.len()..].chars().next().is_some_and(is_part)
        })
        .map(|(at, _)| at as u32)
}

/// What a word is, by what stands around it.
enum Surroundings {
    /// In a comment or text, or the name of a property: no use.
    Inert,
    Type,
    Unclear,
}

fn surroundings(source: &str, span: Span) -> Surroundings {
    let (before, after) = (&source[..span.start as usize], &source[span.end as usize..]);
    let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    let trimmed = line.trim_start();
    if line.contains("//") || trimmed.starts_with('*') || trimmed.starts_with("/*") {
        return Surroundings::Inert;
    }
    let quoted = ['\'', '"', '`'].into_iter().any(|quote| line.matches(quote).count() % 2 == 1);
    let (previous, next) = (before.trim_end(), after.trim_start());
    // Inside a template it may be code.
    if quoted {
        return if line.contains("${") { Surroundings::Unclear } else { Surroundings::Inert };
    }
    if previous.ends_with('.') && !previous.ends_with("...") {
        return Surroundings::Inert;
    }
    // A key, a label or a member of a type.
    if next.starts_with(':') || next.starts_with("?:") {
        return Surroundings::Inert;
    }
    let word = previous.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let follows_word =
        matches!(word, "as" | "satisfies" | "extends" | "implements" | "keyof" | "is" | "readonly" | "typeof");
    let opens = previous.ends_with(['<', ':', '|', '&', ',', '=', '[']) || previous.ends_with("=>");
    let closes =
        next.starts_with(['>', ',', ';', ')', '|', '&', '=', '[', '{', '}', '<']) || after.starts_with(['\n', '\r']);
    if follows_word || opens && closes { Surroundings::Type } else { Surroundings::Unclear }
}
