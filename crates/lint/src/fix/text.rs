//! Looking around in source text between nodes: white space, comments, lines.

/// The offset of the first byte at or after `offset` that is neither white space nor part of a comment.
pub(crate) fn skip_trivia(source: &str, offset: u32) -> u32 {
    let mut at = offset as usize;
    loop {
        let rest = &source[at..];
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        if trimmed.starts_with("//") {
            at += trimmed.find('\n').unwrap_or(trimmed.len());
        } else if trimmed.starts_with("/*") {
            at += trimmed.find("*/").map_or(trimmed.len(), |end| end + 2);
        } else {
            return at as u32;
        }
    }
}

/// The offset at which the line of `offset` begins.
pub(crate) fn line_start(source: &str, offset: u32) -> u32 {
    source[..offset as usize].rfind('\n').map_or(0, |newline| newline as u32 + 1)
}

/// The offset after the line ending of the line of `offset`, or the end of the text.
pub(crate) fn line_end(source: &str, offset: u32) -> u32 {
    source[offset as usize..].find('\n').map_or(source.len() as u32, |newline| offset + newline as u32 + 1)
}

/// The white space that the line of `offset` begins with.
pub(crate) fn indentation(source: &str, offset: u32) -> &str {
    let line = &source[line_start(source, offset) as usize..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Whether only white space stands before `offset` on its line.
pub(crate) fn begins_line(source: &str, offset: u32) -> bool {
    source[line_start(source, offset) as usize..offset as usize].trim().is_empty()
}

/// Whether only white space stands after `offset` on its line.
pub(crate) fn ends_line(source: &str, offset: u32) -> bool {
    source[offset as usize..line_end(source, offset) as usize].trim().is_empty()
}

/// The line ending that the text uses.
pub(crate) fn newline(source: &str) -> &'static str {
    match source.find('\n') {
        Some(at) if source[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The indentation that one level adds: what the first indented line uses.
pub(crate) fn indent_unit(source: &str) -> String {
    for line in source.lines() {
        let indent = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
        if indent.starts_with('\t') {
            return "\t".to_owned();
        }
        if indent.len() >= 2 && !line.trim_start().starts_with('*') {
            return " ".repeat(indent.len().min(4));
        }
    }
    "  ".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trivia_is_white_space_and_comments() {
        let source = "a /* , */ // ,\n  , b";
        assert_eq!(skip_trivia(source, 1), source.rfind(',').expect("a comma") as u32);
        assert_eq!(skip_trivia("a // x", 1), 6);
    }

    #[test]
    fn the_indent_unit_follows_the_file() {
        assert_eq!(indent_unit("a {\n\tb\n}"), "\t");
        assert_eq!(indent_unit("a {\n    b {\n        c\n"), "    ");
        assert_eq!(indent_unit("/**\n * text\n */\na {\n  b\n}"), "  ");
        assert_eq!(newline("a\r\nb"), "\r\n");
    }
}
