//! An [`Excerpt`] as the renderer reads it.

use miette::{MietteError, SourceCode, SourceSpan, SpanContents};

use crate::excerpt::{Excerpt, Region};

impl SourceCode for Excerpt {
    /// The region that `span` lies in, which was cut to what is to be shown, context included. A span over two regions is
    /// refused: that tells the renderer to draw two frames. Without context it asks for the address to print above the
    /// frame, which must be that of the label and not of the region.
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        context_lines_before: usize,
        context_lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let (start, end) = (span.offset(), span.offset() + span.len());
        let region = self
            .regions
            .iter()
            .find(|region| region.range.contains(&start) && end <= region.range.end)
            .ok_or(MietteError::OutOfBounds)?;
        let label = self.labels.iter().find(|label| label.range.start == start);
        let (line, column) = match label {
            Some(label) if context_lines_before + context_lines_after == 0 => {
                (label.position.line as usize, label.position.column as usize)
            }
            _ => (region.first_line, 0),
        };
        let data = &self.text.as_bytes()[region.range.clone()];
        Ok(Box::new(Contents { region, data, span: region.range.clone().into(), line, column }))
    }
}

struct Contents<'a> {
    region: &'a Region,
    data: &'a [u8],
    span: SourceSpan,
    line: usize,
    column: usize,
}

impl<'a> SpanContents<'a> for Contents<'a> {
    fn data(&self) -> &'a [u8] {
        self.data
    }

    fn span(&self) -> &SourceSpan {
        &self.span
    }

    fn name(&self) -> Option<&str> {
        Some(&self.region.path)
    }

    fn line(&self) -> usize {
        self.line
    }

    fn column(&self) -> usize {
        self.column
    }

    fn line_count(&self) -> usize {
        self.region.line_count
    }
}
