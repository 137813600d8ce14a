//! `agentcheck why FILE:LINE`.

use std::path::PathBuf;

use agentcheck_lint::{builtin, why};
use agentcheck_project::{Choice, Disk, Request, Session};
use agentcheck_report::{ColorChoice, write_why};

use super::target;
use crate::args::WhyArgs;
use crate::outcome::Outcome;
use crate::terminal;

pub(crate) fn run(args: &WhyArgs) -> Outcome {
    match explain(args) {
        Ok(outcome) => outcome,
        Err(message) => {
            terminal::error(&message);
            Outcome::Usage
        }
    }
}

fn explain(args: &WhyArgs) -> Result<Outcome, String> {
    let catalog = builtin::catalog();
    let cwd = std::env::current_dir().map_err(|error| format!("there is no working directory: {error}"))?;
    let usage = || format!("`{}` is no place; write FILE:LINE, for example src/agent.ts:12", args.place);
    // A column, as editors copy it, is read over.
    let mut parts: Vec<&str> = args.place.split(':').collect();
    if parts.len() > 2 && parts.iter().rev().take(2).all(|part| part.parse::<u32>().is_ok()) {
        parts.pop();
    }
    let line: u32 = parts.pop().and_then(|line| line.parse().ok()).filter(|line| *line > 0).ok_or_else(usage)?;
    let path = PathBuf::from(parts.join(":"));
    if parts.is_empty() || path.as_os_str().is_empty() {
        return Err(usage());
    }
    let choice = Choice { targets: target::parse(&args.target, catalog)?, pedantic: true, ..Choice::default() };
    let request = Request { cwd: cwd.clone(), paths: vec![path.clone()], choice, no_gate: true, ..Request::default() };
    let session = Session::start(&request, &Disk, catalog).map_err(|error| error.to_string())?;
    let report = session.report();
    let file = session.file_at(&cwd.join(&path)).filter(|file| session.program().file(*file).is_some());
    let Some(file) = file else {
        let reason = report.notices.first().map_or("it is no file that agentcheck reads", |notice| &notice.message);
        return Err(format!("{}: {reason}", path.display()));
    };
    let lines = session.text(file).lines().count().max(1);
    if line as usize > lines {
        return Err(format!("{} has {lines} lines", path.display()));
    }
    let facts = why(catalog, session.settings_of(file), session.program(), file, line, &report);
    let style = terminal::stdout_style(ColorChoice::Auto);
    terminal::print(|out| write_why(&facts, &style, out));
    Ok(Outcome::Clean)
}
