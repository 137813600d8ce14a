//! What is wrong with a manifest or lockfile, and where.

use agentcheck_lint::{Notice, NoticeKind};

/// Something in a file that could not be used; the rest of the file was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// 1-based; 0 when it is about the whole file.
    pub line: usize,
    /// 1-based, in characters; 0 when only the line is known.
    pub column: usize,
    pub message: String,
}

impl Problem {
    /// A problem with the file as a whole.
    pub(crate) fn of_file(message: impl Into<String>) -> Self {
        Self { line: 0, column: 0, message: message.into() }
    }

    /// A problem with a 1-based line.
    pub(crate) fn at_line(line: usize, message: impl Into<String>) -> Self {
        Self { line, column: 0, message: message.into() }
    }

    /// A problem at a byte offset of `text`.
    pub(crate) fn at_offset(text: &str, offset: usize, message: impl Into<String>) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let before = before.strip_prefix('\u{feff}').unwrap_or(before);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        Self { line, column: before[line_start..].chars().count() + 1, message: message.into() }
    }

    /// The notice about the file with the shown path `path`.
    pub(crate) fn notice(&self, path: String) -> Notice {
        let message = match (self.line, self.column) {
            (0, _) => self.message.clone(),
            (line, 0) => format!("{line}: {}", self.message),
            (line, column) => format!("{line}:{column}: {}", self.message),
        };
        Notice { path, kind: NoticeKind::Manifest, message }
    }
}

/// The content of a file as text. Bytes that are no UTF-8 are replaced and reported; a byte order mark stays.
pub(crate) fn decode(bytes: Vec<u8>, problems: &mut Vec<Problem>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let valid = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        problems.push(Problem::at_offset(&text, valid, "not UTF-8"));
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_one_based_and_shown_only_as_far_as_known() {
        let notice = |problem: Problem| problem.notice("package.json".to_owned()).message;
        assert_eq!(notice(Problem::at_offset("\u{feff}{\n  é x", 9, "odd")), "2:4: odd");
        assert_eq!(notice(Problem::at_offset("ab", 99, "odd")), "1:3: odd");
        assert_eq!(notice(Problem::at_line(7, "odd")), "7: odd");
        assert_eq!(notice(Problem::of_file("odd")), "odd");
    }

    #[test]
    fn bytes_that_are_no_text_are_reported_where_they_stand() {
        let mut problems = Vec::new();
        assert_eq!(decode(b"a\nb\xffc".to_vec(), &mut problems), "a\nb\u{fffd}c");
        assert_eq!(problems, [Problem { line: 2, column: 2, message: "not UTF-8".to_owned() }]);
    }
}
