//! Messages of rules before they are filled in.

/// `text` with its `{slots}` as `<slots>`, the way that manual pages write what stands for something else. Braces that hold
/// anything but a name are code and stay.
pub(crate) fn readable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        rest = &rest[open..];
        let name = rest[1..].split('}').next().unwrap_or_default();
        let is_closed = rest.len() > name.len() + 1;
        if is_closed && is_name(name) {
            out.push_str(&format!("<{name}>"));
            rest = &rest[name.len() + 2..];
        } else {
            out.push('{');
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    out
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.chars().all(|character| character.is_ascii_alphanumeric() || matches!(character, '-' | '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_in_braces_are_slots() {
        assert_eq!(readable("`{key}` of {tool-name} is ignored"), "`<key>` of <tool-name> is ignored");
        assert_eq!(readable("returns `{ isError: true }` or {} {"), "returns `{ isError: true }` or {} {");
        assert_eq!(readable("{{key}} {open"), "{<key>} {open");
        assert_eq!(readable("漢{a}🙂"), "漢<a>🙂");
    }
}
