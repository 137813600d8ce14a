//! `agentcheck versions [PATH]`.

use agentcheck_lint::builtin;
use agentcheck_project::{Disk, SurveyedManifest, VersionResolver, WalkOptions, walk_manifests};
use agentcheck_report::ColorChoice;
use serde_json::json;

use crate::args::{ListFormat, VersionsArgs};
use crate::outcome::Outcome;
use crate::terminal;

pub(crate) fn run(args: &VersionsArgs) -> Outcome {
    let cwd = match std::env::current_dir() {
        Ok(cwd) => cwd,
        Err(error) => {
            terminal::error(&format!("there is no working directory: {error}"));
            return Outcome::Usage;
        }
    };
    let path = args.path.clone().unwrap_or_else(|| cwd.clone());
    let found = match walk_manifests(&[path], &WalkOptions { cwd: cwd.clone(), ..WalkOptions::default() }) {
        Ok(found) => found,
        Err(error) => {
            terminal::error(&error.to_string());
            return Outcome::Usage;
        }
    };
    let resolver = VersionResolver::new(&Disk, builtin::catalog(), Vec::new(), &cwd);
    let manifests: Vec<_> = found.files.into_iter().map(|file| file.path).collect();
    let surveyed = resolver.survey(&manifests);
    let report = agentcheck_lint::Report { notices: resolver.notices(), ..Default::default() };
    let style = terminal::stderr_style(ColorChoice::Auto);
    terminal::tell(|out| agentcheck_report::write_notices(&report, true, &style, out));
    match args.format {
        ListFormat::Text => print_text(&surveyed),
        ListFormat::Json => print_json(&surveyed),
    }
    Outcome::Clean
}

fn print_text(surveyed: &[SurveyedManifest]) {
    terminal::print(|out| {
        if surveyed.is_empty() {
            return writeln!(out, "No package.json here declares a package whose version matters to a rule.");
        }
        for manifest in surveyed {
            writeln!(out, "{}", manifest.path)?;
            for package in &manifest.packages {
                let evidence = &package.evidence;
                let range = evidence.range.as_ref().map_or_else(String::new, |range| format!("  declared {range}"));
                let place = evidence.file.as_ref().map_or_else(String::new, |file| format!("  {file}"));
                writeln!(
                    out,
                    "  {:<16} {:<10} {}{range}{place}",
                    package.dependency,
                    evidence.shown_version(),
                    evidence.source.name()
                )?;
            }
        }
        Ok(())
    });
}

fn print_json(surveyed: &[SurveyedManifest]) {
    let manifests: Vec<_> = surveyed
        .iter()
        .map(|manifest| {
            let packages: Vec<_> = manifest
                .packages
                .iter()
                .map(|package| {
                    json!({
                        "dependency": package.dependency,
                        "name": &*package.evidence.package,
                        "version": package.evidence.versions.single().map(ToString::to_string),
                        "range": package.evidence.range,
                        "source": package.evidence.source.name(),
                        "file": package.evidence.file.as_deref(),
                    })
                })
                .collect();
            json!({ "manifest": manifest.path, "packages": packages })
        })
        .collect();
    terminal::print(|out| writeln!(out, "{}", json!(manifests)));
}
