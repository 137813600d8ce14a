//! Where a place is, for people: path, line and column.

use std::borrow::Cow;

use agentcheck_lint::Report;
use agentcheck_syntax::{Place, Position};

use crate::text::one_line;

/// The start and end of a place, 0-based with UTF-16 columns, and the path of its file as it is known to the report.
pub(crate) struct Location<'a> {
    pub path: &'a str,
    pub start: Position,
    pub end: Position,
}

impl<'a> Location<'a> {
    /// Where `place` is. A file that the report lacks, which would be a mistake of its maker, has no name.
    pub(crate) fn of(report: &'a Report, place: Place) -> Self {
        match report.files.get(&place.file) {
            Some(file) => {
                let (start, end) = file.positions(place.span);
                Self { path: &file.path, start, end }
            }
            None => {
                let origin = Position { line: 0, column: 0 };
                Self { path: "", start: origin, end: origin }
            }
        }
    }

    /// `path:line:column`, printable.
    pub(crate) fn shown(&self) -> String {
        let path = if self.path.is_empty() { Cow::Borrowed("<unknown file>") } else { one_line(self.path) };
        format!("{path}:{}:{}", self.start.line + 1, self.start.column + 1)
    }
}
