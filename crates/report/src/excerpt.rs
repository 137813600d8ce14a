//! The few lines of source that a finding is shown with: cut out of their files, clipped, made printable, and put one
//! after the other into a small text of its own, with the marks translated to it. The renderer sees only this text, so
//! its work does not depend on the size of the files.

use std::ops::Range;

use agentcheck_lint::SourceFile;
use agentcheck_syntax::{Encoding, Position, Span};

use crate::clip::ShownLine;
use crate::style::Style;
use crate::text::{one_line, wrap_options};

/// A place to show.
pub(crate) struct Mark<'a> {
    pub file: &'a SourceFile,
    pub span: Span,
    /// A few words under the place.
    pub text: Option<&'a str>,
}

/// The text that is shown, its regions and its labels.
#[derive(Debug, Default)]
pub(crate) struct Excerpt {
    pub text: String,
    /// The region of the first mark comes first, whatever the order in the file: its header is the finding's address.
    pub regions: Vec<Region>,
    /// Sorted by range; those on one line never overlap.
    pub labels: Vec<Label>,
}

/// Consecutive lines of one file.
#[derive(Debug)]
pub(crate) struct Region {
    /// In the text of the excerpt; every line ends with a newline.
    pub range: Range<usize>,
    /// 0-based, in the file.
    pub first_line: usize,
    pub line_count: usize,
    pub path: String,
}

/// A mark in the text of the excerpt.
#[derive(Debug)]
pub(crate) struct Label {
    pub range: Range<usize>,
    pub text: Option<String>,
    /// The first mark.
    pub is_primary: bool,
    /// Where the mark starts in its file, in UTF-16 units.
    pub position: Position,
}

/// A longer mark is shown by its first line: the rest of a function body says nothing about the place.
const MOST_LINES: u32 = 4;
/// Lines between two marks that are shown rather than skipped: a second frame would take as many.
const BRIDGED_LINES: u32 = 4;
/// ` 12 │ ` without the number.
const FRAME_COLUMNS: usize = 4;
/// The arrow that leads to a mark of several lines, beside one column for each of them.
const GUTTER_COLUMNS: usize = 3;
/// The frame, a line number, and the hook before the words of a label.
const LABEL_COLUMNS: usize = 16;
const NARROWEST_LABEL: usize = 24;

/// A mark with its lines, cut to the text and to whole characters.
struct Located<'m, 'a> {
    mark: &'m Mark<'a>,
    is_primary: bool,
    /// First and last line, 0-based.
    lines: (u32, u32),
    range: Range<u32>,
}

impl Excerpt {
    /// Cuts out what shows `marks`, the first being the finding's own place.
    pub(crate) fn new(marks: &[Mark<'_>], style: &Style) -> Self {
        let mut excerpt = Self::default();
        for group in group(marks) {
            excerpt.push_region(&group, style);
        }
        excerpt.separate_labels();
        for label in &mut excerpt.labels {
            label.text = label.text.take().map(|text| wrap_label(&excerpt.text, &label.range, &text, style));
        }
        excerpt
    }

    fn push_region(&mut self, marks: &[Located<'_, '_>], style: &Style) {
        let Some(file) = marks.first().map(|located| located.mark.file) else { return };
        let (index, source) = (file.line_index(), &*file.text);
        let line_text = |line: u32| {
            index
                .line_range(line, source)
                .map_or((0, ""), |range| (range.start, Span::new(range.start, range.end).text(source)))
        };
        let is_context = |line: &u32| *line < index.line_count() && !line_text(*line).1.trim().is_empty();
        let first = marks.iter().map(|located| located.lines.0).min().unwrap_or_default();
        let last = marks.iter().map(|located| located.lines.1).max().unwrap_or_default();
        let first = first.checked_sub(1).filter(is_context).unwrap_or(first);
        let last = Some(last + 1).filter(is_context).unwrap_or(last);

        let arrows = marks.iter().filter(|located| located.lines.0 < located.lines.1).count();
        let gutter = if arrows > 0 { arrows + GUTTER_COLUMNS } else { 0 };
        let columns = style.width.saturating_sub(FRAME_COLUMNS + (last + 1).to_string().len() + gutter);
        let region_start = self.text.len();
        let mut labels: Vec<Label> = marks
            .iter()
            .map(|located| Label {
                range: 0..0,
                text: located.mark.text.map(|text| one_line(text).into_owned()),
                is_primary: located.is_primary,
                position: index.position(source, located.range.start, Encoding::Utf16),
            })
            .collect();
        for line in first..=last {
            let (line_start, text) = line_text(line);
            let column = |offset: u32| (offset.saturating_sub(line_start) as usize).min(text.len());
            let mut here: Vec<Range<usize>> = Vec::new();
            for Located { lines, range, .. } in marks {
                match (lines.0 == line, lines.1 == line) {
                    (true, true) => here.push(column(range.start)..column(range.end)),
                    (true, false) => here.push(column(range.start)..column(range.start)),
                    (false, true) => here.push(column(range.end)..column(range.end)),
                    (false, false) => {}
                }
            }
            here.sort_by_key(|range| (range.start, range.end));
            let shown = ShownLine::new(text, &here, columns, style.ellipsis());
            for (label, Located { lines, range, .. }) in labels.iter_mut().zip(marks) {
                if lines.0 == line {
                    label.range.start = self.text.len() + shown.shown(column(range.start));
                }
                if lines.1 == line {
                    label.range.end = self.text.len() + shown.shown(column(range.end));
                }
            }
            self.text.push_str(&shown.text);
            self.text.push('\n');
        }
        self.labels.append(&mut labels);
        self.regions.push(Region {
            range: region_start..self.text.len(),
            first_line: first as usize,
            line_count: (last - first + 1) as usize,
            path: one_line(&file.path).into_owned(),
        });
    }

    /// The renderer draws the labels of a line one after the other: of two that overlap it would push the second to a
    /// place where it does not belong. Marks that start together become one, an outer one ends where an inner one starts.
    fn separate_labels(&mut self) {
        self.labels.sort_by_key(|label| (label.range.start, !label.is_primary, label.range.end));
        let mut separate: Vec<Label> = Vec::with_capacity(self.labels.len());
        for label in self.labels.drain(..) {
            let Some(previous) = separate.last_mut() else {
                separate.push(label);
                continue;
            };
            let is_one_line = |range: &Range<usize>| !self.text[range.clone()].contains('\n');
            if previous.range.start == label.range.start {
                previous.text = match (previous.text.take(), label.text) {
                    (Some(first), Some(second)) if first != second => Some(format!("{first}; {second}")),
                    (first, second) => first.or(second),
                };
                continue;
            }
            if is_one_line(&previous.range) && previous.range.end > label.range.start {
                previous.range.end = label.range.start;
            }
            separate.push(label);
        }
        self.labels = separate;
    }
}

/// The marks that are shown in one frame each, the group of the first mark first and the others in the order in which
/// they are told.
fn group<'m, 'a>(marks: &'m [Mark<'a>]) -> Vec<Vec<Located<'m, 'a>>> {
    let mut located: Vec<(usize, Located<'m, 'a>)> =
        marks.iter().enumerate().map(|(order, mark)| (order, locate(mark, order == 0))).collect();
    located.sort_by(|(a, first), (b, second)| {
        (&first.mark.file.path, first.lines, a).cmp(&(&second.mark.file.path, second.lines, b))
    });
    let mut groups: Vec<(usize, Vec<Located<'m, 'a>>)> = Vec::new();
    for (order, located) in located {
        if let Some((first, group)) = groups.last_mut()
            && group.iter().any(|other| is_near(other, &located))
        {
            *first = order.min(*first);
            group.push(located);
        } else {
            groups.push((order, vec![located]));
        }
    }
    groups.sort_by_key(|(order, _)| *order);
    groups.into_iter().map(|(_, group)| group).collect()
}

fn is_near(earlier: &Located<'_, '_>, later: &Located<'_, '_>) -> bool {
    std::ptr::eq(earlier.mark.file, later.mark.file) && later.lines.0 <= earlier.lines.1 + 1 + BRIDGED_LINES
}

fn locate<'m, 'a>(mark: &'m Mark<'a>, is_primary: bool) -> Located<'m, 'a> {
    let (index, text) = (mark.file.line_index(), &*mark.file.text);
    let boundary = |offset: u32| {
        let offset = (offset as usize).min(text.len());
        (0..=offset).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0) as u32
    };
    let start = boundary(mark.span.start);
    let end = boundary(mark.span.end).max(start);
    let first = index.line_of(start);
    // A range that ends with a line ending does not reach into the next line.
    let last = if end > start { index.line_of(end - 1) } else { first };
    let line_end = |line: u32| index.line_range(line, text).map_or(start, |range| range.end);
    let (last, end) =
        if last - first >= MOST_LINES { (first, line_end(first)) } else { (last, end.min(line_end(last))) };
    Located { mark, is_primary, lines: (first, last), range: start..end.max(start) }
}

/// The words of a label, on as many lines as they need beside the place that they stand under.
fn wrap_label(text: &str, range: &Range<usize>, label: &str, style: &Style) -> String {
    let line_start = text[..range.start].rfind('\n').map_or(0, |newline| newline + 1);
    let column = textwrap::core::display_width(&text[line_start..range.start]);
    let width = style.prose_width().saturating_sub(column + LABEL_COLUMNS).max(NARROWEST_LABEL);
    textwrap::fill(label, wrap_options(width))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> SourceFile {
        SourceFile::new(path.to_owned(), path.to_owned(), text.into())
    }

    fn span_of(file: &SourceFile, needle: &str) -> Span {
        let start = file.text.find(needle).expect("the needle is in the text") as u32;
        Span::new(start, start + needle.len() as u32)
    }

    fn mark<'a>(file: &'a SourceFile, needle: &str, text: Option<&'a str>) -> Mark<'a> {
        Mark { file, span: span_of(file, needle), text }
    }

    fn labelled(excerpt: &Excerpt) -> Vec<&str> {
        excerpt.labels.iter().map(|label| &excerpt.text[label.range.clone()]).collect()
    }

    #[test]
    fn a_window_holds_one_line_around_and_no_blank_ones() {
        let source = file("a.ts", "one\n\ntwo three\nfour\nfive\n");
        let excerpt = Excerpt::new(&[mark(&source, "three", None)], &Style::plain());
        assert_eq!(excerpt.text, "two three\nfour\n");
        assert_eq!((excerpt.regions[0].first_line, excerpt.regions[0].line_count), (2, 2));
        assert_eq!(labelled(&excerpt), ["three"]);
        assert_eq!(excerpt.labels[0].position, Position { line: 2, column: 4 });
    }

    #[test]
    fn near_marks_share_a_frame_and_the_first_mark_leads() {
        let lines: Vec<String> = (0..60).map(|line| format!("line{line};")).collect();
        let source = file("a.ts", &lines.join("\n"));
        let other = file("b.ts", "elsewhere");
        let marks = [
            mark(&source, "line50", None),
            mark(&other, "elsewhere", Some("there")),
            mark(&source, "line3;", Some("early")),
            mark(&source, "line45", Some("near")),
        ];
        let excerpt = Excerpt::new(&marks, &Style::plain());
        let regions: Vec<_> =
            excerpt.regions.iter().map(|region| (&*region.path, region.first_line, region.line_count)).collect();
        assert_eq!(regions, [("a.ts", 44, 8), ("b.ts", 0, 1), ("a.ts", 2, 3)]);
        assert_eq!(labelled(&excerpt), ["line45", "line50", "elsewhere", "line3;"]);
    }

    #[test]
    fn the_window_stays_small_in_a_big_file() {
        let line_text = "const value = { maxSteps: 5, tools };\n";
        let source = file("big.ts", &line_text.repeat(32_000));
        for line in 0..1_000u32 {
            let start = line * 32 * line_text.len() as u32 + 16;
            let marks = [Mark { file: &source, span: Span::new(start, start + 8), text: None }];
            let excerpt = Excerpt::new(&marks, &Style::plain());
            assert_eq!(labelled(&excerpt), ["maxSteps"]);
            assert!(excerpt.text.len() < 3 * 40, "{}", excerpt.text.len());
            assert_eq!(excerpt.labels[0].position, Position { line: line * 32, column: 16 });
        }
    }

    #[test]
    fn overlapping_marks_on_a_line_are_pulled_apart() {
        let source = file("a.ts", "call(inner(deep))");
        let marks = [
            mark(&source, "call(inner(deep))", None),
            mark(&source, "inner(deep)", Some("from here")),
            mark(&source, "call", Some("the call")),
        ];
        let excerpt = Excerpt::new(&marks, &Style::plain());
        assert_eq!(labelled(&excerpt), ["call(", "inner(deep)"]);
        assert_eq!(excerpt.labels[0].text.as_deref(), Some("the call"));
        assert!(excerpt.labels[0].is_primary && !excerpt.labels[1].is_primary);
    }

    #[test]
    fn long_marks_are_shown_by_their_first_line() {
        let source = file("a.ts", "f(async () => {\n  a;\n  b;\n  c;\n  d;\n});\n");
        let excerpt = Excerpt::new(&[mark(&source, &source.text[2..source.text.len() - 3], None)], &Style::plain());
        assert_eq!(labelled(&excerpt), ["async () => {"]);
        let short = Excerpt::new(&[mark(&source, "a;\n  b;", None)], &Style::plain());
        assert_eq!(labelled(&short), ["a;\n  b;"]);
    }

    #[test]
    fn spans_that_do_not_fit_are_cut_to_the_text() {
        for text in ["", "\u{feff}", "🙂", "a\r\n", "\n\n"] {
            let source = file("a.ts", text);
            for start in 0..6 {
                for end in [0, start, start + 1, 1_000] {
                    let excerpt = Excerpt::new(
                        &[Mark { file: &source, span: Span::new(start, end), text: None }],
                        &Style::plain(),
                    );
                    assert_eq!((excerpt.labels.len(), excerpt.regions.len()), (1, 1));
                }
            }
        }
    }
}
