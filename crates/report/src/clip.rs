//! One source line as it is shown: printable, and cut to the screen around the places that matter. A line can be a
//! megabyte long; the work and the result depend on the width of the screen only.

use std::ops::Range;

use unicode_width::UnicodeWidthChar;

use crate::text::{is_unprintable, push_printable};

const TAB_WIDTH: usize = 4;
/// Columns that a mark gets at least when several far-apart marks share a line.
const NARROWEST_PIECE: usize = 24;

/// A line as it is shown.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ShownLine {
    pub text: String,
    /// Byte offsets in the real line and, for each, in `text`: one pair a character that is shown, and one at the end of
    /// every piece.
    offsets: Vec<(usize, usize)>,
}

impl ShownLine {
    /// Cuts `line` to at most `columns`, or little more when marks are many, so that every place of `marks` (sorted byte
    /// ranges of `line`) is in view from its start on.
    pub(crate) fn new(line: &str, marks: &[Range<usize>], columns: usize, ellipsis: &str) -> Self {
        let mut shown = Self { text: String::new(), offsets: Vec::new() };
        let mut end = 0;
        for piece in pieces(line, marks, columns, ellipsis.chars().count()) {
            if piece.start > end {
                shown.text.push_str(ellipsis);
            }
            end = piece.end;
            shown.push_piece(line, piece);
        }
        if end < line.len() {
            shown.text.push_str(ellipsis);
        }
        shown
    }

    fn push_piece(&mut self, line: &str, piece: Range<usize>) {
        let mut column: usize = self.text.chars().map(columns_of).sum();
        for (index, character) in line[piece.clone()].char_indices() {
            self.offsets.push((piece.start + index, self.text.len()));
            if character == '\t' {
                // As spaces, so that a tab stop does not move when the line is cut or framed.
                let width = TAB_WIDTH - column % TAB_WIDTH;
                self.text.extend(std::iter::repeat_n(' ', width));
                column += width;
            } else {
                push_printable(&mut self.text, character);
                column += columns_of(character);
            }
        }
        self.offsets.push((piece.end, self.text.len()));
    }

    /// Where the byte at `offset` of the real line is shown. What was cut is found at the place where the cut is.
    pub(crate) fn shown(&self, offset: usize) -> usize {
        let at = self.offsets.partition_point(|(real, _)| *real < offset);
        self.offsets.get(at).or(self.offsets.last()).map_or(0, |(_, shown)| *shown)
    }
}

/// Columns that a character takes; at least one, so that a budget of columns is a budget of characters too.
fn columns_of(character: char) -> usize {
    match character {
        '\t' => TAB_WIDTH,
        '\n' | '\r' => 2,
        _ if is_unprintable(character) => "\\u{}".len() + format!("{:x}", u32::from(character)).len(),
        _ => character.width().unwrap_or(1).max(1),
    }
}

/// Goes forward from `from` over at most `columns`; returns where it stopped and the columns used.
fn forward(line: &str, from: usize, columns: usize) -> (usize, usize) {
    let mut used = 0;
    for (index, character) in line[from..].char_indices() {
        let width = columns_of(character);
        if used + width > columns {
            return (from + index, used);
        }
        used += width;
    }
    (line.len(), used)
}

/// Goes back from `to` over at most `columns`; returns where it stopped and the columns used.
fn back(line: &str, to: usize, columns: usize) -> (usize, usize) {
    let mut used = 0;
    for (index, character) in line[..to].char_indices().rev() {
        let width = columns_of(character);
        if used + width > columns {
            return (index + character.len_utf8(), used);
        }
        used += width;
    }
    (0, used)
}

/// The columns of `range`, or `None` when it takes more than `most`.
fn columns_within(line: &str, range: Range<usize>, most: usize) -> Option<usize> {
    let (end, used) = forward(&line[..range.end], range.start, most);
    (end == range.end).then_some(used)
}

/// `core` with up to `spare` columns around it: a third before it, unless the line begins or ends sooner.
fn window(line: &str, core: Range<usize>, spare: usize) -> Range<usize> {
    let (_, before) = back(line, core.start, spare / 3);
    let (end, after) = forward(line, core.end, spare - before);
    let (start, _) = back(line, core.start, spare - after);
    start..end
}

/// The parts of `line` that are kept, in order.
fn pieces(line: &str, marks: &[Range<usize>], columns: usize, ellipsis: usize) -> Vec<Range<usize>> {
    if columns_within(line, 0..line.len(), columns).is_some() {
        return std::iter::once(0..line.len()).collect();
    }
    let room = columns.saturating_sub(2 * ellipsis).max(1);
    let first = marks.first().map_or(0, |mark| mark.start);
    let last = marks.iter().map(|mark| mark.end).max().unwrap_or(0);
    // The beginning of the line says most; keep it if all marks can be seen beside it.
    if columns_within(line, 0..last, room).is_some() {
        return std::iter::once(0..forward(line, 0, columns - ellipsis).0).collect();
    }
    if let Some(width) = columns_within(line, first..last, room) {
        return std::iter::once(window(line, first..last, room - width)).collect();
    }
    let share = (room / marks.len().max(1)).max(NARROWEST_PIECE).min(room);
    // Marks that have no place left are still told in the machine-readable formats.
    let most = (2 * columns / share).max(1);
    let mut kept: Vec<Range<usize>> = Vec::new();
    for mark in marks.iter().take(most) {
        let (end, width) = forward(&line[..mark.end], mark.start, share);
        let piece = window(line, mark.start..end, share - width);
        match kept.last_mut() {
            Some(previous) if piece.start <= previous.end => previous.end = previous.end.max(piece.end),
            _ => kept.push(piece),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str, marks: &[Range<usize>], columns: usize) -> ShownLine {
        ShownLine::new(line, marks, columns, "…")
    }

    fn around(line: &str, mark: Range<usize>, columns: usize) -> ShownLine {
        shown(line, std::slice::from_ref(&mark), columns)
    }

    #[test]
    fn a_line_that_fits_is_kept() {
        let line = around("const a = '🙂漢'", 10..19, 40);
        assert_eq!(line.text, "const a = '🙂漢'");
        assert_eq!((line.shown(10), line.shown(19)), (10, 19));
    }

    #[test]
    fn tabs_become_spaces_and_controls_become_escapes() {
        let line = around("\ta\tb\u{1b}[31m;", 3..4, 40);
        assert_eq!(line.text, "    a   b\\u{1b}[31m;");
        assert_eq!((line.shown(3), line.shown(4)), (8, 9));
    }

    #[test]
    fn a_long_line_is_cut_around_the_mark() {
        let text = format!("{}maxSteps: 5{}", "x".repeat(70_000), "y".repeat(70_000));
        let line = around(&text, 70_000..70_008, 40);
        assert_eq!(line.text, "…xxxxxxxxxxmaxSteps: 5yyyyyyyyyyyyyyyyy…");
        assert_eq!(&line.text[line.shown(70_000)..line.shown(70_008)], "maxSteps");
    }

    #[test]
    fn the_beginning_is_kept_when_the_mark_is_near() {
        let text = format!("call({{ maxSteps: 5 }}, {}", "y".repeat(500));
        let line = around(&text, 7..15, 30);
        assert_eq!(line.text, "call({ maxSteps: 5 }, yyyyyyy…");
        assert_eq!(shown(&text, &[], 10).text, "call({ ma…");
    }

    #[test]
    fn a_mark_longer_than_the_screen_is_shown_from_its_start() {
        let text = "z".repeat(5_000);
        let line = around(&text, 1_000..4_000, 40);
        assert!(line.text.chars().count() <= 40, "{}", line.text);
        assert!(line.shown(1_000) < line.shown(4_000));
    }

    #[test]
    fn far_marks_get_a_piece_each() {
        let text = format!("first{}second{}", "-".repeat(1_000), "-".repeat(1_000));
        let line = shown(&text, &[0..5, 1_005..1_011], 60);
        assert_eq!(&line.text[line.shown(0)..line.shown(5)], "first");
        assert_eq!(&line.text[line.shown(1_005)..line.shown(1_011)], "second");
        assert!(line.text.chars().count() <= 62, "{}", line.text);
    }

    #[test]
    fn zero_width_characters_do_not_defeat_the_cut() {
        let text = format!("a{}", "\u{301}".repeat(10_000));
        assert!(shown(&text, &[], 40).text.chars().count() <= 40);
    }

    proptest::proptest! {
        #[test]
        fn any_marks_on_any_line_stay_within_three_widths(
            text in "[a🙂漢\t\u{1b}\u{301} ]{0,400}",
            places in proptest::collection::vec((0usize..2_000, 0usize..200), 0..12),
            columns in 20usize..80,
        ) {
            let boundary = |offset: usize| (0..=offset.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
            let mut marks: Vec<Range<usize>> = places
                .iter()
                .filter_map(|(start, length)| Some(boundary(*start)?..boundary(start + length)?))
                .collect();
            marks.sort_by_key(|mark| (mark.start, mark.end));
            let line = shown(&text, &marks, columns);
            proptest::prop_assert!(line.text.chars().count() <= 3 * columns);
            for mark in marks {
                let (start, end) = (line.shown(mark.start), line.shown(mark.end));
                proptest::prop_assert!(start <= end && end <= line.text.len());
                proptest::prop_assert!(line.text.is_char_boundary(start) && line.text.is_char_boundary(end));
            }
        }
    }
}
