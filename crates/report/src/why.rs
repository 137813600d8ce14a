//! `agentcheck why`: headings and lines.

use std::io;

use agentcheck_lint::Why;

use crate::style::Style;
use crate::text::one_line;

/// Writes what is believed about a line.
pub fn write_why(why: &Why, style: &Style, out: &mut dyn io::Write) -> io::Result<()> {
    for (index, section) in why.sections.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        let title = one_line(&section.title);
        if style.color {
            writeln!(out, "\u{1b}[1m{title}\u{1b}[0m")?;
        } else {
            writeln!(out, "{title}")?;
        }
        if section.lines.is_empty() {
            writeln!(out, "  nothing")?;
        }
        for line in &section.lines {
            writeln!(out, "  {}", one_line(line))?;
        }
    }
    Ok(())
}
