//! What is wrong with a file that was read: a configuration, a table of rules, an argument.

use std::ops::Range;

use agentcheck_catalog::Severity;
use agentcheck_lint::SourceFile;
use agentcheck_syntax::Span;

use crate::excerpt::{Excerpt, Mark};
use crate::graphical::Block;
use crate::style::Style;
use crate::text::{one_line, prose};

/// Draws an error in `text`, the content of the file at `path`: the message, the place with its line and column, and what
/// to do. `span` is a range of bytes; one that does not fit the text is cut to it.
pub fn render_text_error(
    path: &str,
    text: &str,
    span: Range<usize>,
    message: &str,
    help: Option<&str>,
    style: &Style,
) -> String {
    let file = SourceFile::new(path.to_owned(), String::new(), text.into());
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let span = Span::new(offset(span.start), offset(span.end));
    let block = Block {
        heading: format!("error in {}", one_line(path)),
        severity: Severity::Error,
        message: prose(message).into_owned(),
        help: help.map(|help| prose(help).into_owned()),
        url: None,
        excerpt: Excerpt::new(&[Mark { file: &file, span, text: None }], style),
    };
    block.render(style)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{ASCII, UNICODE};

    #[test]
    fn shows_the_place_and_the_help() {
        let text = "[rules]\n\"ai-sdk/max-step\" = \"off\"\n";
        let drawn = render_text_error(
            "agentcheck.toml",
            text,
            8..25,
            "there is no rule called `ai-sdk/max-step`",
            Some("Did you mean `ai-sdk/max-steps`?"),
            &UNICODE,
        );
        let expected = "\
error in agentcheck.toml
  × there is no rule called `ai-sdk/max-step`
   ╭─[agentcheck.toml:2:1]
 1 │ [rules]
 2 │ \"ai-sdk/max-step\" = \"off\"
   · ─────────────────
   ╰────
  help: Did you mean `ai-sdk/max-steps`?
";
        assert_eq!(drawn, expected);
    }

    #[test]
    fn any_span_in_any_text_is_drawn() {
        for text in ["", "\u{feff}a = 1", "a = '🙂'\r\n", "\n\n\n", &"x".repeat(200_000)] {
            for span in [0..0, 0..1, 2..7, 100_000..100_003, 1_000_000..2_000_000] {
                let drawn = render_text_error("a.toml", text, span, "no", None, &ASCII);
                assert!(drawn.contains("[a.toml:") && drawn.len() < 600, "{drawn}");
            }
        }
    }
}
