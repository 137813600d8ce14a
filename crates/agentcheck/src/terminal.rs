//! Standard output and standard error: what is shown where, and in which style.

use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use agentcheck_report::{ColorChoice, Format, Style};

/// Whether output was lost. The run goes on to the end all the same: it may have files to write.
static LOST: AtomicBool = AtomicBool::new(false);

/// Whether something that was meant for standard output could not be written.
pub(crate) fn lost_output() -> bool {
    LOST.load(Ordering::Relaxed)
}

fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The style of standard output.
pub(crate) fn stdout_style(color: ColorChoice) -> Style {
    Style::detect(io::stdout().is_terminal(), color, &environment)
}

/// The style of standard error.
pub(crate) fn stderr_style(color: ColorChoice) -> Style {
    Style::detect(io::stderr().is_terminal(), color, &environment)
}

/// Writes to standard output through a buffer. A closed pipe ends the output quietly: whoever read it has seen enough.
pub(crate) fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
    let mut out = BufWriter::new(io::stdout().lock());
    let result = write(&mut out).and_then(|()| out.flush());
    if let Err(failed) = result
        && failed.kind() != io::ErrorKind::BrokenPipe
    {
        error(&format!("cannot write to standard output: {failed}"));
        LOST.store(true, Ordering::Relaxed);
    }
}

/// Writes a file; a failure is told, and ends the run as lost output does.
pub(crate) fn write_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
    let mut content = Vec::new();
    let result = write(&mut content).and_then(|()| std::fs::write(path, content));
    if let Err(failed) = result {
        error(&format!("cannot write {}: {failed}", path.display()));
        LOST.store(true, Ordering::Relaxed);
    }
}

/// The format when none was asked for: for a coding agent the one that it reads best, unless somebody looks on.
pub(crate) fn usual_format() -> Format {
    const AGENTS: [&str; 5] = ["CLAUDECODE", "CURSOR_AGENT", "CODEX_SANDBOX", "GEMINI_CLI", "AI_AGENT"];
    let is_agent = AGENTS.iter().any(|name| environment(name).is_some_and(|value| !value.is_empty()));
    if is_agent && !io::stdout().is_terminal() { Format::Agent } else { Format::Full }
}

/// Writes to standard error; nobody can be told when that fails.
pub(crate) fn tell(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
    let mut out = BufWriter::new(io::stderr().lock());
    let _ = write(&mut out).and_then(|()| out.flush());
}

/// An error of the call itself.
pub(crate) fn error(message: &str) {
    tell(|out| writeln!(out, "agentcheck: {message}"));
}
