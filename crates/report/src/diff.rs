//! What `--diff` prints: a unified diff that `git apply` and `patch` take.

use std::borrow::Cow;
use std::io;

use similar::{ChangeTag, TextDiff};

use crate::style::{Paint, Style};
use crate::text::push_printable;

const CONTEXT: usize = 3;

/// A file before and after.
#[derive(Debug, Clone, Copy)]
pub struct Changed<'a> {
    pub path: &'a str,
    pub old: &'a str,
    pub new: &'a str,
}

/// Writes the changes as one diff. A file that did not change is left out.
pub fn write_diff<'a>(
    files: impl IntoIterator<Item = Changed<'a>>,
    style: &Style,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    files.into_iter().try_for_each(|file| write_file(file, style, out))
}

fn write_file(file: Changed<'_>, style: &Style, out: &mut dyn io::Write) -> io::Result<()> {
    // Lines end at `\n` only, as they do for `patch`; the diff library would also end them at a lone `\r`.
    let (old, new): (Vec<&str>, Vec<&str>) =
        (file.old.split_inclusive('\n').collect(), file.new.split_inclusive('\n').collect());
    let diff = TextDiff::from_slices(&old, &new);
    for (index, hunk) in diff.unified_diff().context_radius(CONTEXT).iter_hunks().enumerate() {
        if index == 0 {
            writeln!(out, "{}", style.paint(Paint::Strong, format_args!("--- {}", header("a", file.path))))?;
            writeln!(out, "{}", style.paint(Paint::Strong, format_args!("+++ {}", header("b", file.path))))?;
        }
        writeln!(out, "{}", style.paint(Paint::Hunk, hunk.header()))?;
        for change in hunk.iter_changes() {
            write_line(change.tag(), change.value(), style, out)?;
        }
    }
    Ok(())
}

fn write_line(tag: ChangeTag, line: &str, style: &Style, out: &mut dyn io::Write) -> io::Result<()> {
    let content = line.strip_suffix('\n').unwrap_or(line);
    match tag {
        _ if !style.color => writeln!(out, "{tag}{content}")?,
        ChangeTag::Equal => writeln!(out, " {}", printable(content))?,
        ChangeTag::Delete => writeln!(out, "{}", style.paint(Paint::Removed, format_args!("-{}", printable(content))))?,
        ChangeTag::Insert => writeln!(out, "{}", style.paint(Paint::Added, format_args!("+{}", printable(content))))?,
    }
    if content.len() == line.len() {
        writeln!(out, "\\ No newline at end of file")?;
    }
    Ok(())
}

/// A coloured diff is read, not applied: what a terminal would act on is escaped. A plain one holds the bytes as they are.
fn printable(content: &str) -> Cow<'_, str> {
    let content = content.strip_suffix('\r').unwrap_or(content);
    if !content.chars().any(|character| character != '\t' && crate::text::is_unprintable(character)) {
        return Cow::Borrowed(content);
    }
    let mut out = String::with_capacity(content.len() + 16);
    for character in content.chars() {
        if character == '\t' { out.push(character) } else { push_printable(&mut out, character) }
    }
    Cow::Owned(out)
}

/// A path as git writes it: quoted when it holds what would end it or act on a terminal, and followed by a tab when it
/// holds a space, which tells `patch` where it ends.
fn header(side: &str, path: &str) -> String {
    if path.chars().any(|character| crate::text::is_unprintable(character) || matches!(character, '"' | '\\')) {
        let mut quoted = String::new();
        for byte in path.bytes() {
            match byte {
                b'"' | b'\\' => quoted.extend(['\\', char::from(byte)]),
                b'\n' => quoted.push_str("\\n"),
                b'\r' => quoted.push_str("\\r"),
                b'\t' => quoted.push_str("\\t"),
                b' '..=b'~' => quoted.push(char::from(byte)),
                _ => quoted.push_str(&format!("\\{byte:03o}")),
            }
        }
        return format!("\"{side}/{quoted}\"");
    }
    format!("{side}/{path}{}", if path.contains(' ') { "\t" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{ASCII, COLORED};

    fn diff(path: &str, old: &str, new: &str, style: &Style) -> String {
        let mut out = Vec::new();
        write_diff([Changed { path, old, new }], style, &mut out).expect("writing into memory");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn has_three_lines_of_context() {
        assert_eq!(
            diff("src/a.ts", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", &ASCII),
            "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
        );
        assert_eq!(diff("a.ts", "same\n", "same\n", &ASCII), "");
    }

    #[test]
    fn says_where_the_last_newline_is_missing() {
        assert_eq!(
            diff("a", "1\n2", "1\n3", &ASCII),
            "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+3\n\\ No newline at end of file\n"
        );
        assert_eq!(
            diff("a", "1\n", "1", &ASCII),
            "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+1\n\\ No newline at end of file\n"
        );
        assert_eq!(diff("a", "", "1\n", &ASCII), "--- a/a\n+++ b/a\n@@ -0,0 +1 @@\n+1\n");
        assert_eq!(diff("a", "1\n", "", &ASCII), "--- a/a\n+++ b/a\n@@ -1 +0,0 @@\n-1\n");
    }

    #[test]
    fn a_plain_diff_keeps_every_byte() {
        let text = diff("a", "a\rb\r\n\u{1b}x\n", "a\rb\r\n\u{1b}y\n", &ASCII);
        assert_eq!(text, "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n a\rb\r\n-\u{1b}x\n+\u{1b}y\n");
    }

    #[test]
    fn a_coloured_diff_is_safe_to_look_at() {
        let text = diff("a", "\told\u{1b}[2J\r\n", "\tnew\r\n", &COLORED);
        assert!(text.contains("\u{1b}[31m-\told\\u{1b}[2J\u{1b}[0m\n\u{1b}[32m+\tnew\u{1b}[0m\n"), "{text:?}");
        assert!(text.contains("\u{1b}[36m@@ -1 +1 @@\u{1b}[0m\n"), "{text:?}");
    }

    #[test]
    fn paths_are_written_as_git_does() {
        assert_eq!(header("a", "src/a b.ts"), "a/src/a b.ts\t");
        assert_eq!(header("b", "x\"\n\u{1b}é.ts"), "\"b/x\\\"\\n\\033\\303\\251.ts\"");
        assert_eq!(header("b", "é.ts"), "b/é.ts");
    }
}
