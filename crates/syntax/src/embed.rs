//! The scripts of component files: `<script>` of Vue and Svelte. Positions stay those of the outer file.

use crate::{Language, Span};

/// The code of a component file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scripts {
    /// What stands between the tags of each script, in source order.
    pub spans: Vec<Span>,
    /// TypeScript if any script says so: they are one module.
    pub language: Language,
}

/// Finds the `<script>` elements of a component. One that names a `src` has no code here. Comments are passed over.
pub(crate) fn scripts(text: &str) -> Scripts {
    let mut scripts = Scripts { spans: Vec::new(), language: Language::Tsx };
    let mut at = 0;
    while let Some(open) = text[at..].find('<').map(|open| at + open) {
        let rest = &text[open..];
        if rest.starts_with("<!--") {
            at = rest.find("-->").map_or(text.len(), |end| open + end + 3);
            continue;
        }
        if !is_tag(rest, "<script") {
            at = open + 1;
            continue;
        }
        let Some(end) = tag_end(rest) else { break };
        let attributes = &rest["<script".len()..end];
        let start = open + end + 1;
        let length = close_tag(&text[start..]);
        if !attributes.trim_end().ends_with('/') && !has_attribute(attributes, "src") {
            scripts.spans.push(Span::new(start as u32, (start + length) as u32));
            if ["\"ts\"", "'ts'", "\"tsx\"", "'tsx'", "\"typescript\"", "'typescript'", "=ts"]
                .iter()
                .any(|lang| attributes.contains(lang))
            {
                scripts.language = Language::TypeScript;
            }
        }
        at = start + length;
    }
    scripts
}

fn is_tag(text: &str, tag: &str) -> bool {
    text.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag))
        && text[tag.len()..].starts_with(|c: char| c.is_whitespace() || c == '>' || c == '/')
}

/// The offset of the `>` that ends an opening tag, outside of quotes: `generic="T extends A<B>"`.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (None, '>') => return Some(at),
            (None, '"' | '\'') => quote = Some(character),
            (Some(open), _) if open == character => quote = None,
            _ => {}
        }
    }
    None
}

fn close_tag(text: &str) -> usize {
    let mut at = 0;
    while let Some(found) = text[at..].find("</") {
        if text[at + found..].get(..8).is_some_and(|tag| tag.eq_ignore_ascii_case("</script")) {
            return at + found;
        }
        at += found + 2;
    }
    text.len()
}

fn has_attribute(attributes: &str, name: &str) -> bool {
    attributes.split_whitespace().any(|attribute| attribute.split('=').next() == Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> (Vec<&str>, Language) {
        let scripts = scripts(text);
        (scripts.spans.iter().map(|span| span.text(text)).collect(), scripts.language)
    }

    #[test]
    fn all_scripts_are_one_module() {
        let text = "<script>a</script>\n<script setup lang=\"ts\" generic=\"T extends A<B>\">b</script><template/>";
        assert_eq!(found(text), (vec!["a", "b"], Language::TypeScript));
        assert_eq!(found("<SCRIPT module>x</SCRIPT >"), (vec!["x"], Language::Tsx));
    }

    #[test]
    fn what_is_no_script_is_left_out() {
        assert_eq!(found("<!-- <script>a</script> --><p>1 < 2</p>").0, Vec::<&str>::new());
        assert_eq!(found("<script src=\"./x.ts\"></script><scripted>a</scripted>").0, Vec::<&str>::new());
        assert_eq!(found("<script>a < b; c").0, ["a < b; c"]);
        assert_eq!(found("<script").0, Vec::<&str>::new());
    }
}
