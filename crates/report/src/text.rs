//! Text from outside made safe to print: source code, paths and messages may hold anything.

use std::borrow::Cow;
use std::fmt::Write;

use textwrap::{Options, WordSeparator, WordSplitter};

/// Whether a terminal would act on this character, or show nothing where something is: control characters, marks that
/// reverse the reading direction, and invisible characters that code has been smuggled in with. The joiner and the
/// selectors that emoji are made of are let through.
pub(crate) fn is_unprintable(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e01ef}'
        )
}

/// Appends `character`, or what stands for it when it must not be printed: the escape that JavaScript and Rust share.
pub(crate) fn push_printable(out: &mut String, character: char) {
    match character {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        // Writing into a string cannot fail.
        _ if is_unprintable(character) => drop(write!(out, "\\u{{{:x}}}", u32::from(character))),
        _ => out.push(character),
    }
}

/// `text` on one line, everything unprintable escaped: for paths, and for messages in line-based formats.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unprintable) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    text.chars().for_each(|character| push_printable(&mut out, character));
    Cow::Owned(out)
}

/// `text` as running text: line breaks and tabs become spaces, anything else unprintable is escaped.
pub(crate) fn prose(text: &str) -> Cow<'_, str> {
    if !text.contains(['\n', '\r', '\t']) {
        return one_line(text);
    }
    let lines: Vec<&str> = text.split(['\n', '\r', '\t']).map(str::trim).filter(|line| !line.is_empty()).collect();
    Cow::Owned(one_line(&lines.join(" ")).into_owned())
}

/// `text` wrapped at `width` columns behind `first`, the following lines behind `rest`. Words are broken only when they do
/// not fit a line: names and paths must stay searchable.
pub(crate) fn wrap(text: &str, width: usize, first: &str, rest: &str) -> String {
    textwrap::fill(text, wrap_options(width).initial_indent(first).subsequent_indent(rest))
}

pub(crate) fn wrap_options<'a>(width: usize) -> Options<'a> {
    Options::new(width).word_separator(WordSeparator::AsciiSpace).word_splitter(WordSplitter::NoHyphenation)
}

/// `1 error`, `3 errors`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_acts_on_gets_through() {
        assert_eq!(one_line("a\u{1b}[31mb\r\nc\u{9b}d\u{7f}"), "a\\u{1b}[31mb\\r\\nc\\u{9b}d\\u{7f}");
        assert_eq!(one_line("if (\u{202e}admin\u{2066})"), "if (\\u{202e}admin\\u{2066})");
        assert_eq!(one_line("a\u{e0041}b"), "a\\u{e0041}b");
        assert!(matches!(one_line("plain 漢 👩‍👧 ❤️"), Cow::Borrowed(_)));
    }

    #[test]
    fn prose_is_one_paragraph() {
        assert_eq!(prose("one\n   two\r\nthree\tfour\u{7}"), "one two three four\\u{7}");
    }

    #[test]
    fn names_are_not_hyphenated() {
        assert_eq!(wrap("set `tool-call-limit` now", 20, "> ", "  "), "> set\n  `tool-call-limit`\n  now");
    }
}
