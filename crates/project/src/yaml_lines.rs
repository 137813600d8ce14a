//! The little of YAML that package managers write: one `key: value` a line, nesting by indentation. A YAML library
//! takes a hundred times as long for a lockfile and would give up at the first conflict marker.

use std::borrow::Cow;

use crate::problem::Problem;

/// A line that says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line<'t> {
    /// 1-based.
    pub number: usize,
    /// The number of blanks in front.
    pub indent: usize,
    /// The rest, without blanks at the end.
    pub text: &'t str,
}

/// The lines of `text` that are neither empty nor comments.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.lines().enumerate().filter_map(|(index, line)| {
        let bare = line.trim_start_matches([' ', '\t']);
        let text = bare.trim_end();
        (!text.is_empty() && !text.starts_with('#')).then(|| Line {
            number: index + 1,
            indent: line.len() - bare.len(),
            text,
        })
    })
}

impl<'t> Line<'t> {
    /// The key and what follows its colon, without blanks; `None` when this is no `key:`.
    pub fn entry(&self) -> Option<(Cow<'t, str>, &'t str)> {
        let (key, rest) = match self.text.chars().next()? {
            quote @ ('\'' | '"') => {
                let end = closing_quote(self.text, quote)?;
                (unquote(&self.text[..=end]), self.text[end + 1..].strip_prefix(':')?)
            }
            _ => {
                let colon = self.text.match_indices(':').map(|(index, _)| index).find(|index| {
                    let after = &self.text[index + 1..];
                    after.is_empty() || after.starts_with([' ', '\t'])
                })?;
                (Cow::Borrowed(&self.text[..colon]), &self.text[colon + 1..])
            }
        };
        Some((key, rest.trim()))
    }

    /// The problem that this line marks a conflict that was never resolved.
    pub fn conflict(&self) -> Option<Problem> {
        let is_marker = self.indent == 0
            && ["<<<<<<< ", "=======", ">>>>>>> "].iter().any(|marker| self.text.starts_with(marker.trim_end()));
        is_marker.then(|| Problem::at_line(self.number, "unresolved merge conflict; the rest is not read"))
    }
}

/// A scalar as it is meant: without quotes, or without the comment behind it.
pub(crate) fn scalar(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    match text.chars().next() {
        Some(quote @ ('\'' | '"')) => match closing_quote(text, quote) {
            Some(end) => unquote(&text[..=end]),
            None => Cow::Borrowed(text),
        },
        _ => Cow::Borrowed(text.split(" #").next().unwrap_or_default().trim_end()),
    }
}

/// The elements of a list that is written on one line: `['a', "b"]`.
pub(crate) fn flow_list(text: &str) -> Option<Vec<String>> {
    let inner = text.strip_prefix('[')?.split(']').next()?;
    Some(inner.split(',').map(|element| scalar(element).into_owned()).filter(|element| !element.is_empty()).collect())
}

/// The index of the quote that ends the string at the start of `text`. A doubled single quote is a character, as is an
/// escaped double quote.
fn closing_quote(text: &str, quote: char) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut index = 1;
    while index < bytes.len() {
        match bytes[index] {
            b'\\' if quote == '"' => index += 1,
            byte if byte == quote as u8 => {
                if quote == '\'' && bytes.get(index + 1) == Some(&b'\'') {
                    index += 1;
                } else {
                    return Some(index);
                }
            }
            _ => {}
        }
        index += 1;
    }
    None
}

fn unquote(quoted: &str) -> Cow<'_, str> {
    let inner = &quoted[1..quoted.len() - 1];
    if quoted.starts_with('\'') && inner.contains("''") {
        Cow::Owned(inner.replace("''", "'"))
    } else if quoted.starts_with('"') && inner.contains('\\') {
        Cow::Owned(inner.replace("\\\"", "\"").replace("\\\\", "\\"))
    } else {
        Cow::Borrowed(inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(text: &str) -> Vec<(usize, usize, String, String)> {
        lines(text)
            .map(|line| {
                let (key, value) = line.entry().map_or((line.text.to_owned(), String::new()), |(key, value)| {
                    (key.into_owned(), scalar(value).into_owned())
                });
                (line.number, line.indent, key, value)
            })
            .collect()
    }

    #[test]
    fn reads_keys_and_scalars() {
        let text = "\u{feff}# comment\n\na: 1 # one\r\n  '@ai-sdk/react':\n    \"b c\": '^1 || ^2' # two\n  x@npm:y: \"z\"\n- item";
        assert_eq!(
            entries(text),
            [
                (3, 0, "a".to_owned(), "1".to_owned()),
                (4, 2, "@ai-sdk/react".to_owned(), String::new()),
                (5, 4, "b c".to_owned(), "^1 || ^2".to_owned()),
                (6, 2, "x@npm:y".to_owned(), "z".to_owned()),
                (7, 0, "- item".to_owned(), String::new()),
            ]
        );
    }

    #[test]
    fn odd_texts_do_not_confuse_it() {
        assert_eq!(scalar("'it''s'"), "it's");
        assert_eq!(scalar(r#""a\"b\\""#), r#"a"b\"#);
        assert_eq!(scalar("'open"), "'open");
        assert_eq!(scalar("\"\\"), "\"\\");
        assert_eq!(scalar("'"), "'");
        assert_eq!(
            flow_list("['packages/*', \"apps/*\", x ] # all"),
            Some(vec!["packages/*".to_owned(), "apps/*".to_owned(), "x".to_owned()])
        );
        assert_eq!(flow_list("packages"), None);
        for text in ["'", "'a'", "\"é", ":", "a:b", "é:", "'é': é"] {
            let _ = entries(text);
        }
        let conflict = lines("a:\n<<<<<<< HEAD\n").find_map(|line| line.conflict()).expect("a conflict");
        assert_eq!(conflict.line, 2);
        assert!(lines("  ======= x").all(|line| line.conflict().is_none()));
    }
}
