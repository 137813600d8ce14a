//! The only file, beside `source_code.rs`, that knows miette: a heading, a message, an excerpt and a help text drawn as one
//! block.

use std::fmt;

use agentcheck_catalog::Severity;
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, SourceCode};
use textwrap::{WordSeparator, WordSplitter};

use crate::excerpt::Excerpt;
use crate::style::Style;

/// What is drawn. The texts must be printable already.
#[derive(Debug)]
pub(crate) struct Block {
    /// The first line.
    pub heading: String,
    pub severity: Severity,
    pub message: String,
    pub help: Option<String>,
    pub url: Option<String>,
    pub excerpt: Excerpt,
}

impl Block {
    /// Draws the block; its last line ends with a newline. Theme, width and links are set here and never left to what the
    /// renderer would find out by itself.
    pub(crate) fn render(&self, style: &Style) -> String {
        let handler = GraphicalReportHandler::new_themed(self.theme(style))
            .with_width(style.prose_width())
            .with_links(style.links)
            .with_link_display_text("")
            .with_context_lines(1)
            .with_word_separator(WordSeparator::AsciiSpace)
            .with_word_splitter(WordSplitter::NoHyphenation)
            .without_syntax_highlighting();
        let mut drawn = String::new();
        if handler.render_report(&mut drawn, self).is_err() {
            // Only a source that cannot be read fails, and an excerpt always can. Should it happen, the words still stand.
            let help = self.help.as_deref().unwrap_or_default();
            return format!("{}\n  {}\n  {help}\n", self.heading, self.message);
        }
        // A blank line between heading and message is one too many when blocks are to be short.
        drawn.replacen("\n\n", "\n", 1)
    }

    fn theme(&self, style: &Style) -> GraphicalTheme {
        let mut theme = match (style.unicode, style.color) {
            (true, true) => GraphicalTheme::unicode(),
            (true, false) => GraphicalTheme::unicode_nocolor(),
            (false, true) => GraphicalTheme::ascii(),
            (false, false) => GraphicalTheme::none(),
        };
        // The finding's own place has the colour of its severity, the places around it one that no severity has. The
        // renderer deals colours out in the order of the labels.
        let styles = &mut theme.styles;
        let own = match self.severity {
            Severity::Error => styles.error,
            Severity::Warning => styles.warning,
            Severity::Info => styles.advice,
        };
        let other = styles.highlights.first().copied().unwrap_or(own);
        // Even a plain theme would become one with escape sequences if it were made bold.
        let own = if style.color { own.bold() } else { own };
        styles.highlights =
            self.excerpt.labels.iter().map(|label| if label.is_primary { own } else { other }).collect();
        if styles.highlights.is_empty() {
            styles.highlights.push(own);
        }
        theme
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Block {}

impl Diagnostic for Block {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&self.heading))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Info => miette::Severity::Advice,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn url<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.url.as_ref().map(|url| Box::new(url) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.excerpt)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.excerpt.labels.iter().map(|label| {
            let span = label.range.clone();
            if label.is_primary {
                LabeledSpan::new_primary_with_span(label.text.clone(), span)
            } else {
                LabeledSpan::new_with_span(label.text.clone(), span)
            }
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{COLORED, UNICODE};

    fn drawn(url: Option<&str>, style: &Style) -> String {
        let block = Block {
            heading: "error ai-sdk/max-steps".to_owned(),
            severity: Severity::Error,
            message: "no".to_owned(),
            help: None,
            url: url.map(str::to_owned),
            excerpt: Excerpt::default(),
        };
        block.render(style)
    }

    #[test]
    fn the_heading_is_the_link() {
        let url = Some("https://example.com/max-steps");
        let linked = drawn(url, &Style { links: true, ..COLORED });
        assert!(linked.starts_with("\u{1b}]8;;https://example.com/max-steps\u{1b}\\\u{1b}[31merror ai-sdk/max-steps"));
        let plain = drawn(url, &UNICODE);
        assert_eq!(plain, "error ai-sdk/max-steps (https://example.com/max-steps)\n  × no\n");
        assert_eq!(drawn(None, &Style { links: true, ..UNICODE }), "error ai-sdk/max-steps\n  × no\n");
    }

    #[test]
    fn prose_is_wrapped_to_the_width_and_names_are_not_cut() {
        let block = Block {
            heading: "info a/b".to_owned(),
            severity: Severity::Info,
            message: "`experimental_onToolCallFinish` is now called `onToolExecutionEnd`, and the old name is ignored"
                .to_owned(),
            help: Some(
                "Rename it, and mind that the result is now in `toolOutput`, which has a different shape".to_owned(),
            ),
            url: None,
            excerpt: Excerpt::default(),
        };
        let drawn = block.render(&Style { width: 40, ..UNICODE });
        assert!(drawn.lines().all(|line| line.chars().count() <= 40), "{drawn}");
        assert!(drawn.contains("`experimental_onToolCallFinish`") && drawn.contains("  help: Rename it,"), "{drawn}");
    }
}
