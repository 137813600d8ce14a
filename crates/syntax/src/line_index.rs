//! Byte offsets ⇄ lines and columns, in the unit that the reader of an output counts in.

/// What a column counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    /// What editors, SARIF and our JSON count.
    Utf16,
    Utf32,
}

/// A place in a text: 0-based line and column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

/// Where the lines of a text begin. A line ends at `\n`; a byte order mark belongs to no column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineIndex {
    starts: Vec<u32>,
    length: u32,
}

const BYTE_ORDER_MARK: &str = "\u{feff}";

impl LineIndex {
    /// Indexes `text`.
    pub fn new(text: &str) -> Self {
        let first = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() as u32 } else { 0 };
        let mut starts = vec![first];
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|newline| newline as u32 + 1));
        Self { starts, length: text.len() as u32 }
    }

    /// The number of lines; an empty text has one.
    pub fn line_count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// The 0-based line that holds `offset`.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1) as u32
    }

    /// The byte range of a 0-based line without its line ending, or `None` past the last line.
    pub fn line_range(&self, line: u32, text: &str) -> Option<std::ops::Range<u32>> {
        let start = *self.starts.get(line as usize)?;
        let end = self.starts.get(line as usize + 1).copied().unwrap_or(self.length);
        let content = text[start as usize..end as usize].trim_end_matches(['\n', '\r']);
        Some(start..start + content.len() as u32)
    }

    /// The position of `offset`, which is moved back to a character boundary and into the text if need be.
    pub fn position(&self, text: &str, offset: u32, encoding: Encoding) -> Position {
        let mut offset = offset.min(self.length);
        while !text.is_char_boundary(offset as usize) {
            offset -= 1;
        }
        let line = self.line_of(offset);
        let start = self.starts[line as usize].min(offset);
        let before = &text[start as usize..offset as usize];
        let column = match encoding {
            Encoding::Utf8 => before.len(),
            _ if before.is_ascii() => before.len(),
            Encoding::Utf16 => before.chars().map(char::len_utf16).sum(),
            Encoding::Utf32 => before.chars().count(),
        };
        Position { line, column: column as u32 }
    }

    /// The byte offset of a position. A column past the end of its line means the end of that line; a line past the last
    /// means the end of the text.
    pub fn offset(&self, text: &str, position: Position, encoding: Encoding) -> u32 {
        let Some(range) = self.line_range(position.line, text) else { return self.length };
        let mut column = 0;
        for (index, character) in text[range.start as usize..range.end as usize].char_indices() {
            if column >= position.column {
                return range.start + index as u32;
            }
            column += match encoding {
                Encoding::Utf8 => character.len_utf8(),
                Encoding::Utf16 => character.len_utf16(),
                Encoding::Utf32 => 1,
            } as u32;
        }
        range.end
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn counts_utf16_units_on_emoji_and_cjk() {
        let text = "const a = '🙂漢';x\r\nb";
        let index = LineIndex::new(text);
        let x = text.find('x').expect("x") as u32;
        assert_eq!(index.position(text, x, Encoding::Utf16), Position { line: 0, column: 16 });
        assert_eq!(index.position(text, x, Encoding::Utf32), Position { line: 0, column: 15 });
        assert_eq!(index.position(text, x, Encoding::Utf8), Position { line: 0, column: 20 });
        assert_eq!(index.line_range(0, text), Some(0..x + 1));
        assert_eq!(index.position(text, text.len() as u32, Encoding::Utf16), Position { line: 1, column: 1 });
    }

    #[test]
    fn a_byte_order_mark_takes_no_column() {
        let text = "\u{feff}ab";
        let index = LineIndex::new(text);
        assert_eq!(index.position(text, 4, Encoding::Utf16), Position { line: 0, column: 1 });
        assert_eq!(index.position(text, 0, Encoding::Utf16), Position { line: 0, column: 0 });
    }

    proptest! {
        #[test]
        fn positions_round_trip(text in "(\u{feff})?[a🙂漢\t\r\n ]{0,40}") {
            let index = LineIndex::new(&text);
            for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
                for (offset, character) in text.char_indices() {
                    // Line endings and the byte order mark have no column of their own.
                    if !matches!(character, '\r' | '\n' | '\u{feff}') {
                        let position = index.position(&text, offset as u32, encoding);
                        prop_assert_eq!(index.offset(&text, position, encoding), offset as u32);
                    }
                }
            }
        }
    }
}
