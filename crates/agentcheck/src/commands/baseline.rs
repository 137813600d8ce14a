//! `agentcheck check --write-baseline` and `--prune`.

use std::path::{Path, PathBuf};

use agentcheck_project::{BASELINE_NAME, Request, Session, shown};

use crate::args::CheckArgs;
use crate::outcome::Outcome;
use crate::terminal;

/// Writes the baseline, and says what became of it.
pub(crate) fn write(args: &CheckArgs, session: &Session<'_>, request: &Request) -> Outcome {
    let path = match file(args, session, request) {
        Ok(path) => path,
        Err(message) => {
            terminal::error(&message);
            return Outcome::Usage;
        }
    };
    let report = session.report();
    let before = session.baseline_after(&report, &path, true).map_or(0, |pruned| pruned.len());
    let baseline = match session.baseline_after(&report, &path, args.prune) {
        Ok(baseline) => baseline,
        Err(error) => {
            terminal::error(&error.to_string());
            return Outcome::Usage;
        }
    };
    terminal::write_file(&path, |out| out.write_all(baseline.to_text().as_bytes()));
    if !args.quiet && !terminal::lost_output() {
        let (file, count) = (shown(&path, &request.cwd), baseline.len());
        let s = if count == 1 { "" } else { "s" };
        let news = if args.prune { String::new() } else { format!(", {} of them new", count - before.min(count)) };
        terminal::tell(|out| writeln!(out, "{file} accepts {count} finding{s}{news}."));
    }
    Outcome::Clean
}

/// The file to write: the one that is named, else the one that holds for the run.
fn file(args: &CheckArgs, session: &Session<'_>, request: &Request) -> Result<PathBuf, String> {
    let named = args.write_baseline.clone().flatten().or_else(|| args.baseline.clone());
    if let Some(path) = named {
        return Ok(request.cwd.join(path));
    }
    match session.baseline_paths().as_slice() {
        [] => Ok(request.cwd.join(BASELINE_NAME)),
        [only] => Ok(only.to_path_buf()),
        several => {
            let names: Vec<String> = several.iter().map(|path| shown(Path::new(path), &request.cwd)).collect();
            Err(format!("several baselines hold here: {}; name one", names.join(", ")))
        }
    }
}
