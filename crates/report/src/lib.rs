//! Findings → text in every format. The only room that knows miette, and there only `graphical.rs` and `source_code.rs`.
//!
//! Nothing that comes from a file or a message reaches the output unescaped, what is written depends on the arguments
//! alone, and an output that is closed early is an error for the caller, not a panic.

mod agent;
mod clip;
mod concise;
mod config_error;
mod diff;
mod excerpt;
mod explain;
mod fixes;
mod found;
mod full;
mod github;
mod gitlab;
mod graphical;
mod json;
mod junit;
mod location;
mod markdown;
mod rules;
#[cfg(test)]
mod samples;
mod sarif;
mod slots;
mod source_code;
mod style;
mod summary;
mod text;
mod why;

use std::io;

use agentcheck_lint::Report;

pub use config_error::render_text_error;
pub use diff::{Changed, write_diff};
pub use explain::{ExplainFormat, explain};
pub use rules::{rules_json, rules_text};
pub use style::{ColorChoice, Style};
pub use summary::{summary_line, write_notices};
pub use why::write_why;

/// How findings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// For people: source, help, fixes, versions, and a summary.
    #[default]
    Full,
    /// One line a finding.
    Concise,
    /// One object with everything, for programs. Colours and width do not matter to it, nor to what follows.
    Json,
    /// A finding of the above a line.
    Jsonl,
    /// For code scanning.
    Sarif,
    /// Annotations of GitHub Actions.
    Github,
    /// GitLab's code quality.
    Gitlab,
    /// Test results.
    Junit,
    /// For coding agents.
    Agent,
    /// For comments and summaries.
    Markdown,
}

/// Writes the findings of `report`. Many small writes: give it a buffered writer. Notices go elsewhere, with
/// [`write_notices`], except in JSON, which holds them.
pub fn write(report: &Report, format: Format, style: &Style, out: &mut dyn io::Write) -> io::Result<()> {
    match format {
        Format::Full => full::write(report, style, out),
        Format::Concise => concise::write(report, style, out),
        Format::Json => json::write(report, out),
        Format::Jsonl => json::write_findings(report, out),
        Format::Sarif => sarif::write(report, out),
        Format::Github => github::write(report, out),
        Format::Gitlab => gitlab::write(report, out),
        Format::Junit => junit::write(report, out),
        Format::Agent => agent::write(report, out),
        Format::Markdown => markdown::write(report, out),
    }
}

/// The page about a rule. There is none yet.
pub(crate) fn rule_url(_rule: &str) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{AGENT, COLORED, finding, place, report};

    const ALL: [Format; 10] = [
        Format::Full,
        Format::Concise,
        Format::Json,
        Format::Jsonl,
        Format::Sarif,
        Format::Github,
        Format::Gitlab,
        Format::Junit,
        Format::Agent,
        Format::Markdown,
    ];

    fn sample() -> Report {
        let mut report = report(&[("src/agent.ts", AGENT), ("src/b.ts", AGENT)]);
        report.findings = (0..2).map(|file| finding(place(&report, file, "maxSteps"))).collect();
        report
    }

    /// A pipe whose reader leaves after some bytes.
    struct Closed(usize);

    impl io::Write for Closed {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.0 == 0 {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            let taken = bytes.len().min(self.0);
            self.0 -= taken;
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_closed_pipe_is_an_error_of_its_own_kind() {
        let report = sample();
        for format in ALL {
            for taken in [0, 1, 50] {
                let error =
                    write(&report, format, &Style::plain(), &mut Closed(taken)).expect_err("the pipe is closed");
                assert_eq!(error.kind(), io::ErrorKind::BrokenPipe, "{format:?} after {taken} bytes");
            }
        }
        assert!(write_notices(&Report::default(), true, &Style::plain(), &mut Closed(0)).is_ok());
    }

    #[test]
    fn the_same_report_is_written_the_same() {
        for format in ALL {
            let [first, second] = std::array::from_fn(|_| {
                let mut out = Vec::new();
                write(&sample(), format, &COLORED, &mut out).expect("writing into memory");
                out
            });
            assert_eq!(first, second);
            let is_for_people = matches!(format, Format::Full | Format::Concise);
            assert_eq!(first.contains(&0x1b), is_for_people, "colours are for people: {format:?}");
        }
    }
}
