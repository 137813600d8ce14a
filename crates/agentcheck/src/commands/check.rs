//! `agentcheck check`.

use std::io::{self, Read as _};
use std::path::PathBuf;
use std::time::Instant;

use agentcheck_catalog::{Catalog, Safety, Severity};
use agentcheck_lint::{Report, Selector, builtin};
use agentcheck_project::{Choice, ConfigError, Disk, Fixed, Request, RunError, Session, fix, shown, write_file};
use agentcheck_report::{Changed, Format, Style, render_text_error, write, write_diff, write_notices};

use super::target;
use crate::args::CheckArgs;
use crate::interrupt;
use crate::outcome::Outcome;
use crate::terminal;

/// Standard input as a path.
const STDIN: &str = "-";

pub(crate) fn run(args: &CheckArgs) -> Outcome {
    let catalog = builtin::catalog();
    let request = match request(args, catalog) {
        Ok(request) => request,
        Err(message) => {
            terminal::error(&message);
            return Outcome::Usage;
        }
    };
    let began = Instant::now();
    let mut session = match Session::start(&request, &Disk, catalog) {
        Ok(session) => session,
        Err(error) => {
            tell_run_error(&error, &request, &terminal::stderr_style(args.color.into()));
            return Outcome::Usage;
        }
    };
    let outcome = match fixes(args) {
        _ if args.write_baseline.is_some() || args.prune => super::baseline::write(args, &session, &request),
        Some(safety) if args.diff => diff(args, &mut session, safety, &request),
        Some(safety) => fix_and_report(args, &mut session, safety, &request),
        None => {
            let report = session.report();
            print_report(args, &report);
            verdict(args, &session, &report)
        }
    };
    if args.verbose {
        terminal::tell(|out| writeln!(out, "{:.3} s", began.elapsed().as_secs_f64()));
    }
    outcome
}

/// The fixes to apply, if any.
fn fixes(args: &CheckArgs) -> Option<Safety> {
    match (args.unsafe_fixes, args.fix || args.fix_only || args.diff) {
        (true, _) => Some(Safety::Unsafe),
        (false, true) => Some(Safety::Safe),
        (false, false) => None,
    }
}

fn request(args: &CheckArgs, catalog: &Catalog) -> Result<Request, String> {
    let cwd = std::env::current_dir().map_err(|error| format!("there is no working directory: {error}"))?;
    let selectors = |texts: &[String]| -> Result<Vec<Selector>, String> {
        texts.iter().map(|text| Selector::parse(text, catalog).map_err(|error| error.to_string())).collect()
    };
    if args.unsafe_fixes && !args.target.is_empty() && !args.diff {
        return Err(
            "--target cannot be combined with fixes: they would be right for a version that is not there".to_owned()
        );
    }
    let choice = Choice {
        only: selectors(&args.only)?,
        select: selectors(&args.select)?,
        ignore: selectors(&args.ignore)?,
        pedantic: args.pedantic,
        targets: target::parse(&args.target, catalog)?,
        raise: false,
    };
    let wants_stdin = args.paths.iter().any(|path| path.as_os_str() == STDIN);
    let stdin = match (wants_stdin, &args.stdin_filename) {
        (false, None) => None,
        (false, Some(_)) => return Err("--stdin-filename goes with the path `-`".to_owned()),
        (true, None) => return Err("standard input needs a name: add --stdin-filename FILE".to_owned()),
        (true, Some(_)) if args.paths.len() > 1 => return Err("`-` stands alone".to_owned()),
        (true, Some(name)) => {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text).map_err(|error| format!("cannot read standard input: {error}"))?;
            Some((name.clone(), text))
        }
    };
    let paths: Vec<PathBuf> = if wants_stdin { Vec::new() } else { args.paths.clone() };
    Ok(Request {
        cwd,
        paths,
        stdin,
        choice,
        baseline: args.baseline.clone(),
        force_exclude: args.force_exclude,
        no_gate: false,
    })
}

fn tell_run_error(error: &RunError, request: &Request, style: &Style) {
    match error {
        RunError::Config(errors) => {
            for ConfigError { path, text, span, message, help } in errors {
                let path = shown(path, &request.cwd);
                let rendered = render_text_error(&path, text, span.range(), message, help.as_deref(), style);
                terminal::tell(|out| writeln!(out, "{}", rendered.trim_end()));
            }
        }
        RunError::Walk(_) | RunError::Baseline(..) => terminal::error(&error.to_string()),
    }
}

fn print_report(args: &CheckArgs, report: &Report) {
    let format = args.format.map_or_else(terminal::usual_format, Into::into);
    if !args.quiet {
        terminal::tell(|out| write_notices(report, args.verbose, &terminal::stderr_style(args.color.into()), out));
    }
    terminal::print(|out| write(report, format, &terminal::stdout_style(args.color.into()), out));
    for (format, file) in &args.output {
        terminal::write_file(file, |out| write(report, (*format).into(), &Style::plain(), out));
    }
}

fn verdict(args: &CheckArgs, session: &Session<'_>, report: &Report) -> Outcome {
    let given = args.fail_on.map(Severity::from);
    if report.has_internal_error() {
        Outcome::Internal
    } else if report.findings.iter().any(|finding| session.fails(finding, given)) {
        Outcome::Findings
    } else {
        Outcome::Clean
    }
}

fn run_fixes(session: &mut Session<'_>, safety: Safety, request: &Request) -> Fixed {
    let paths: Vec<String> = (0..session.file_count())
        .map(|file| shown(session.path(agentcheck_project::FileId(file)), &request.cwd))
        .collect();
    fix(session, safety, |file| paths[file.0 as usize].clone())
}

/// Prints what fixing would change.
fn diff(args: &CheckArgs, session: &mut Session<'_>, safety: Safety, request: &Request) -> Outcome {
    let fixed = run_fixes(session, safety, request);
    let paths: Vec<String> = fixed.changed.keys().map(|file| shown(session.path(*file), &request.cwd)).collect();
    let changes = paths.iter().zip(fixed.changed.values()).map(|(path, (old, new))| Changed { path, old, new });
    terminal::print(|out| write_diff(changes, &terminal::stdout_style(args.color.into()), out));
    if !args.quiet {
        let report = Report { notices: fixed.notices, ..Report::default() };
        terminal::tell(|out| write_notices(&report, args.verbose, &terminal::stderr_style(args.color.into()), out));
    }
    if fixed.changed.is_empty() { Outcome::Clean } else { Outcome::Findings }
}

fn fix_and_report(args: &CheckArgs, session: &mut Session<'_>, safety: Safety, request: &Request) -> Outcome {
    let fixed = run_fixes(session, safety, request);
    let mut failed = false;
    if let Some((name, text)) = &request.stdin {
        let file = session.file_at(&request.cwd.join(name));
        let now = file.and_then(|file| fixed.changed.get(&file)).map_or(text.as_str(), |(_, now)| now);
        terminal::print(|out| out.write_all(now.as_bytes()));
    } else {
        interrupt::for_each_uninterrupted(&fixed.changed, |(file, (before, after))| {
            if let Err(error) = write_file(session.path(*file), before, after) {
                terminal::error(&error.to_string());
                failed = true;
            }
        });
    }
    let mut report = session.report();
    report.notices.extend(fixed.notices);
    if !args.quiet && !fixed.applied.is_empty() {
        let count: usize = fixed.applied.values().sum();
        let (files, s) = (fixed.changed.len(), |n: usize, many| if n == 1 { "" } else { many });
        let line = format!("Fixed {count} finding{} in {files} file{}.", s(count, "s"), s(files, "s"));
        terminal::tell(|out| writeln!(out, "{line}"));
    }
    match (request.stdin.is_some(), args.fix_only) {
        (_, true) => {}
        // Standard output holds the fixed text.
        (true, false) => {
            let format = args.format.map_or(Format::Full, Into::into);
            terminal::tell(|out| write(&report, format, &terminal::stderr_style(args.color.into()), out));
        }
        (false, false) => print_report(args, &report),
    }
    match verdict(args, session, &report) {
        _ if failed => Outcome::Internal,
        Outcome::Findings if args.fix_only => Outcome::Clean,
        outcome => outcome,
    }
}
