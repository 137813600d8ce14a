//! `agentcheck upgrade`.

use std::path::Path;
use std::sync::Arc;

use agentcheck_catalog::Safety;
use agentcheck_lint::builtin;
use agentcheck_project::{
    Disk, Request, WalkOptions, has_uncommitted_changes, moved_manifest, shown, upgrade, walk_manifests, write_file,
};
use agentcheck_report::{Changed, Format, write, write_diff, write_notices};

use super::target;
use crate::args::UpgradeArgs;
use crate::outcome::Outcome;
use crate::terminal;

pub(crate) fn run(args: &UpgradeArgs) -> Outcome {
    let catalog = builtin::catalog();
    let usage = |message: &str| {
        terminal::error(message);
        Outcome::Usage
    };
    let targets = match target::parse(std::slice::from_ref(&args.to), catalog) {
        Ok(targets) => targets,
        Err(message) => return usage(&message),
    };
    let Some((package, to)) = targets.first().and_then(|(name, to)| Some((catalog.package(name)?, to.release))) else {
        return usage("--to names no package");
    };
    let cwd = match std::env::current_dir() {
        Ok(cwd) => cwd,
        Err(error) => return usage(&format!("there is no working directory: {error}")),
    };
    if !args.diff && !args.allow_dirty && has_uncommitted_changes(&cwd) == Some(true) {
        return usage("there are uncommitted changes here: commit them first, or say --allow-dirty");
    }
    let request = Request { cwd: cwd.clone(), paths: args.paths.clone(), ..Request::default() };
    let safety = if args.unsafe_fixes { Safety::Unsafe } else { Safety::Safe };
    let mut upgraded = match upgrade(&request, &Disk, catalog, (package, to), safety) {
        Ok(upgraded) => upgraded,
        Err(error) => return usage(&error.to_string()),
    };
    let mut install = Vec::new();
    if !args.no_manifest {
        let options = WalkOptions { cwd: cwd.clone(), ..WalkOptions::default() };
        let paths = if args.paths.is_empty() { vec![cwd.clone()] } else { args.paths.clone() };
        for path in walk_manifests(&paths, &options).map(|walk| walk.manifests).unwrap_or_default() {
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let (after, moved) = moved_manifest(&text, catalog, package, to);
            if !moved.is_empty() {
                install.extend(moved);
                upgraded.changed.insert(path, (Arc::from(text), Arc::from(after)));
            }
        }
    }
    install.sort();
    install.dedup();
    if args.diff {
        let paths: Vec<String> = upgraded.changed.keys().map(|path| shown(path, &cwd)).collect();
        let changes = paths.iter().zip(upgraded.changed.values()).map(|(path, (old, new))| Changed { path, old, new });
        terminal::print(|out| write_diff(changes, &terminal::stdout_style(args.color.into()), out));
        return if upgraded.changed.is_empty() { Outcome::Clean } else { Outcome::Findings };
    }
    for (path, (old, new)) in &upgraded.changed {
        if let Err(error) = write_file(Path::new(path), old, new) {
            terminal::error(&error.to_string());
            return Outcome::Internal;
        }
    }
    // By change, so that one decision is made once.
    upgraded.left.findings.sort_by(|a, b| (&a.rule, a.place).cmp(&(&b.rule, b.place)));
    let format = args.format.map_or(Format::Full, Into::into);
    let report = &upgraded.left;
    terminal::tell(|out| write_notices(report, false, &terminal::stderr_style(args.color.into()), out));
    terminal::print(|out| write(report, format, &terminal::stdout_style(args.color.into()), out));
    let fixes: usize = upgraded.applied.values().sum();
    terminal::tell(|out| {
        writeln!(out, "{fixes} fixes in {} files; {} left by hand", upgraded.changed.len(), report.findings.len())?;
        match install.is_empty() {
            true => Ok(()),
            false => writeln!(out, "then install: npm install {}", install.join(" ")),
        }
    });
    if report.findings.is_empty() { Outcome::Clean } else { Outcome::Findings }
}
