//! How an output may look: decided once, from the terminal, the flags and the environment.

use std::fmt;

/// `--color`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColorChoice {
    /// As the terminal and the environment say.
    #[default]
    Auto,
    Always,
    Never,
}

/// What the reader's screen can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// ANSI colours.
    pub color: bool,
    /// Box drawing characters, arrows and the like; otherwise ASCII.
    pub unicode: bool,
    /// Columns of the screen. Source lines are clipped to it, prose is wrapped.
    pub width: usize,
    /// OSC 8 hyperlinks.
    pub links: bool,
}

/// The width of anything that is no terminal: a CI log, a file.
const DEFAULT_WIDTH: usize = 100;
/// Below the lower bound nothing readable fits; the upper bound keeps a wild `COLUMNS` from undoing the clipping of long
/// lines, which the renderer cannot live without.
const WIDTH_BOUNDS: (usize, usize) = (40, 1_000);
/// Prose is harder to read when its lines are longer.
const PROSE_WIDTH: usize = 120;

impl Style {
    /// What to use for a stream, given whether it is a terminal and how to read an environment variable. Something that is
    /// no terminal gets neither colours nor links unless they are forced.
    pub fn detect(is_terminal: bool, color: ColorChoice, env: &dyn Fn(&str) -> Option<String>) -> Self {
        Self::decide(is_terminal, color, env, &|| {
            terminal_size::terminal_size().map(|(terminal_size::Width(columns), _)| usize::from(columns))
        })
    }

    /// For files: no colours, no links, the default width.
    pub const fn plain() -> Self {
        Self { color: false, unicode: true, width: DEFAULT_WIDTH, links: false }
    }

    fn decide(
        is_terminal: bool,
        choice: ColorChoice,
        env: &dyn Fn(&str) -> Option<String>,
        terminal_width: &dyn Fn() -> Option<usize>,
    ) -> Self {
        let variable = |name: &str| env(name).filter(|value| !value.is_empty());
        let switch = |name: &str| variable(name).map(|value| value != "0" && !value.eq_ignore_ascii_case("false"));
        let is_dumb = variable("TERM").is_some_and(|term| term == "dumb");
        let color = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto if variable("NO_COLOR").is_some() => false,
            ColorChoice::Auto => match (switch("FORCE_COLOR"), switch("CLICOLOR_FORCE")) {
                (Some(forced), _) => forced,
                (None, Some(true)) => true,
                _ => is_terminal && !is_dumb && switch("CLICOLOR") != Some(false),
            },
        };
        let links = match switch("FORCE_HYPERLINK") {
            _ if choice == ColorChoice::Never => false,
            Some(forced) => forced,
            // Who wants no colours wants no other escape sequences either.
            None => color && is_terminal && !is_dumb,
        };
        let width = variable("COLUMNS")
            .and_then(|columns| columns.trim().parse().ok())
            .filter(|columns| *columns > 0)
            .or_else(|| if is_terminal { terminal_width() } else { None })
            .unwrap_or(DEFAULT_WIDTH)
            .clamp(WIDTH_BOUNDS.0, WIDTH_BOUNDS.1);
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable);
        let unicode = match locale {
            Some(locale) => locale.to_ascii_uppercase().replace('-', "").contains("UTF8"),
            // Windows has no locale variables, but its current terminals can be told.
            None => {
                is_terminal
                    && (variable("WT_SESSION").is_some()
                        || variable("TERM_PROGRAM").is_some_and(|program| program == "vscode"))
            }
        };
        Self { color, unicode, width, links }
    }

    /// The width for running text.
    pub(crate) fn prose_width(&self) -> usize {
        self.width.min(PROSE_WIDTH)
    }

    /// What stands for text that was cut.
    pub(crate) const fn ellipsis(&self) -> &'static str {
        if self.unicode { "…" } else { "..." }
    }

    /// `text` in a colour, if colours are on.
    pub(crate) fn paint<T: fmt::Display>(&self, paint: Paint, text: T) -> Painted<T> {
        Painted { paint: self.color.then_some(paint), text }
    }
}

/// A colour by its purpose, in the sixteen that every terminal theme defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    Error,
    Warning,
    Info,
    Strong,
    Dim,
    /// Paths, and the words before a colon.
    Key,
    Added,
    Removed,
    Hunk,
}

impl Paint {
    pub(crate) const fn severity(severity: agentcheck_catalog::Severity) -> Self {
        match severity {
            agentcheck_catalog::Severity::Error => Self::Error,
            agentcheck_catalog::Severity::Warning => Self::Warning,
            agentcheck_catalog::Severity::Info => Self::Info,
        }
    }

    const fn code(self) -> &'static str {
        match self {
            Self::Error => "1;31",
            Self::Warning => "1;33",
            Self::Info => "1;36",
            Self::Strong => "1",
            Self::Dim => "2",
            Self::Key | Self::Hunk => "36",
            Self::Added => "32",
            Self::Removed => "31",
        }
    }
}

/// Text that may carry a colour.
pub(crate) struct Painted<T> {
    paint: Option<Paint>,
    text: T,
}

impl<T: fmt::Display> fmt::Display for Painted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.paint {
            Some(paint) => write!(f, "\u{1b}[{}m{}\u{1b}[0m", paint.code(), self.text),
            None => self.text.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(is_terminal: bool, choice: ColorChoice, variables: &[(&str, &str)]) -> Style {
        let env = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        Style::decide(is_terminal, choice, &env, &|| Some(133))
    }

    fn auto(is_terminal: bool, variables: &[(&str, &str)]) -> Style {
        decide(is_terminal, ColorChoice::Auto, variables)
    }

    #[test]
    fn a_pipe_gets_plain_text() {
        let style = auto(false, &[("LANG", "en_US.UTF-8"), ("CLICOLOR", "1"), ("TERM", "xterm-256color")]);
        assert_eq!(style, Style { color: false, unicode: true, width: 100, links: false });
        assert!(!decide(false, ColorChoice::Always, &[]).links);
    }

    #[test]
    fn a_terminal_gets_colours_and_links() {
        let style = auto(true, &[("LANG", "C.utf8")]);
        assert_eq!(style, Style { color: true, unicode: true, width: 133, links: true });
        let dumb = auto(true, &[("TERM", "dumb")]);
        assert!(!dumb.color && !dumb.links);
    }

    #[test]
    fn colour_variables_have_an_order() {
        assert!(!auto(true, &[("NO_COLOR", "1")]).color);
        assert!(auto(true, &[("NO_COLOR", "")]).color, "an empty NO_COLOR counts as unset");
        assert!(!auto(false, &[("NO_COLOR", "1"), ("FORCE_COLOR", "1")]).color);
        assert!(auto(false, &[("FORCE_COLOR", "1")]).color);
        assert!(auto(false, &[("CLICOLOR_FORCE", "1")]).color);
        assert!(!auto(false, &[("CLICOLOR_FORCE", "0")]).color);
        assert!(!auto(true, &[("FORCE_COLOR", "0"), ("CLICOLOR_FORCE", "1")]).color);
        assert!(auto(true, &[("FORCE_COLOR", "1"), ("TERM", "dumb")]).color);
        assert!(!auto(true, &[("CLICOLOR", "0")]).color);
        assert!(decide(false, ColorChoice::Always, &[("NO_COLOR", "1")]).color);
        assert!(!decide(true, ColorChoice::Never, &[("FORCE_COLOR", "1"), ("FORCE_HYPERLINK", "1")]).links);
    }

    #[test]
    fn links_follow_the_terminal_or_their_own_variable() {
        assert!(!auto(false, &[("FORCE_COLOR", "1")]).links);
        assert!(auto(false, &[("FORCE_HYPERLINK", "1")]).links);
        assert!(!auto(true, &[("FORCE_HYPERLINK", "0")]).links);
        assert!(!auto(true, &[("NO_COLOR", "1")]).links);
    }

    #[test]
    fn the_width_is_columns_then_the_terminal_then_100() {
        assert_eq!(auto(true, &[("COLUMNS", "90")]).width, 90);
        assert_eq!(auto(false, &[("COLUMNS", "90")]).width, 90);
        assert_eq!(auto(true, &[("COLUMNS", "wide")]).width, 133);
        assert_eq!(auto(false, &[("COLUMNS", "0")]).width, 100);
        assert_eq!(auto(true, &[("COLUMNS", "3")]).width, 40);
        assert_eq!(auto(true, &[("COLUMNS", "9999999")]).width, 1_000);
    }

    #[test]
    fn unicode_is_what_the_locale_says() {
        assert!(auto(true, &[("LC_ALL", "de_DE.UTF-8"), ("LANG", "C")]).unicode);
        assert!(!auto(true, &[("LC_ALL", "C"), ("LANG", "en_US.UTF-8")]).unicode);
        assert!(auto(false, &[("LC_ALL", ""), ("LC_CTYPE", "UTF-8")]).unicode, "as macOS has it");
        assert!(!auto(false, &[]).unicode);
        assert!(!auto(true, &[]).unicode);
        assert!(auto(true, &[("WT_SESSION", "1")]).unicode);
        assert!(!auto(false, &[("WT_SESSION", "1")]).unicode);
    }
}
