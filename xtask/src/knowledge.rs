//! `cargo xtask knowledge`: what the model knows of the SDK calls and tools of projects.
//!
//! A rule can only be as good as what it is told. Of each SDK call whose first parameter takes options, the options are
//! *complete* (every key is known), *open* (something comes in that code elsewhere decides: a parameter whose callers are not
//! in sight, a package, input) or *unknown* (the model gave up where a reader would not). Of each tool that reaches a call:
//! who runs it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use agentcheck_catalog::{Catalog, Ty};
use agentcheck_model::{Infer, Loc, SdkCall, ToolKind, Unknown, ValueKind};
use agentcheck_project::{Disk, FileId, Request, Session, shown};

use crate::{Done, Outcome};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Projects
    #[arg(value_name = "DIR", required = true)]
    dirs: Vec<PathBuf>,
    /// Print up to N places of each project that are unknown, and why
    #[arg(long, value_name = "N", default_value_t = 0)]
    sample: usize,
}

/// What is known in one project.
#[derive(Debug, Default)]
struct Counts {
    complete: usize,
    open: usize,
    unknown: usize,
    tools: BTreeMap<ToolKind, usize>,
    /// Tool sets that something comes into which cannot be seen.
    open_sets: usize,
    sets: usize,
    /// Place and reason of what is unknown.
    unknowns: BTreeSet<String>,
}

/// What is known of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Known {
    Complete,
    Open,
    Unknown,
}

pub(crate) fn run(args: &Args) -> Done<Outcome> {
    let catalog = agentcheck_lint::builtin::catalog();
    println!(
        "| project | calls with options | complete | open | unknown | known or open | tools | local | client | provider | unknown | classified | open sets |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for dir in &args.dirs {
        let counts = count(dir, catalog)?;
        println!("{}", row(dir, &counts));
        for unknown in counts.unknowns.iter().take(args.sample) {
            println!("  {unknown}");
        }
    }
    Ok(Outcome::Good)
}

fn row(dir: &Path, counts: &Counts) -> String {
    let calls = counts.complete + counts.open + counts.unknown;
    let tools: usize = counts.tools.values().sum();
    let of = |kind| counts.tools.get(&kind).copied().unwrap_or(0);
    let share = |part: usize, whole: usize| match whole {
        0 => "–".to_owned(),
        _ => format!("{:.1} %", 100.0 * part as f64 / whole as f64),
    };
    format!(
        "| {} | {calls} | {} | {} | {} | {} | {tools} | {} | {} | {} | {} | {} | {} of {} |",
        dir.file_name().unwrap_or(dir.as_os_str()).display(),
        counts.complete,
        counts.open,
        counts.unknown,
        share(counts.complete + counts.open, calls),
        of(ToolKind::Local),
        of(ToolKind::Client),
        of(ToolKind::Provider),
        of(ToolKind::Unknown),
        share(tools - of(ToolKind::Unknown), tools),
        counts.open_sets,
        counts.sets,
    )
}

fn count(dir: &Path, catalog: &Catalog) -> Done<Counts> {
    let cwd = dir.canonicalize().map_err(|error| format!("{}: {error}", dir.display()))?;
    let request = Request { cwd: cwd.clone(), ..Request::default() };
    let session = Session::start(&request, &Disk, catalog).map_err(|error| format!("{}: {error}", dir.display()))?;
    let mut counts = Counts::default();
    let mut seen = BTreeSet::new();
    for file in session.reported() {
        let mut infer = Infer::new(session.program(), file);
        let sites = infer.sites(file);
        for call in &sites.calls {
            let place = |loc: Loc, infer: &Infer<'_>| {
                let module = infer.module(loc.file);
                let line = module.source[..module.expr(loc.expr).span.start as usize].matches('\n').count() + 1;
                format!("{}:{line}", shown(session.path(loc.file), &cwd))
            };
            count_call(&mut infer, call, &place, &mut seen, &mut counts);
        }
    }
    Ok(counts)
}

fn count_call(
    infer: &mut Infer<'_>,
    call: &SdkCall,
    place: &dyn Fn(Loc, &Infer<'_>) -> String,
    seen: &mut BTreeSet<(FileId, Loc)>,
    counts: &mut Counts,
) {
    let types = &infer.program.types;
    let (Ty::Function(signature) | Ty::Class(signature)) = types.ty(call.ty) else { return };
    let takes_options = signature.params.first().is_some_and(|ty| matches!(types.ty(*ty), Ty::Record(_)));
    let (true, Some(options)) = (takes_options, call.args.first()) else { return };
    let options = infer.eval(call.loc.at(*options));
    let keys = infer.keys(options);
    let known = known(infer, &keys.open);
    match known {
        Known::Complete => counts.complete += 1,
        Known::Open => counts.open += 1,
        Known::Unknown => {
            counts.unknown += 1;
            for open in &keys.open {
                let why = infer.eval(*open);
                let why = infer.describe(why, call.loc.file);
                counts.unknowns.insert(format!("{} options of {}: {why}", place(call.loc, infer), call.name));
            }
        }
    }
    let Some(tools) = keys.get("tools") else { return };
    let tools = infer.eval(tools.value);
    let set = infer.tool_set(tools);
    counts.sets += 1;
    counts.open_sets += usize::from(set.open);
    for (name, kind, loc) in set.tools {
        if !seen.insert((loc.file, Loc::new(loc.file, loc.expr))) {
            continue;
        }
        *counts.tools.entry(kind).or_default() += 1;
        if kind == ToolKind::Unknown {
            let why = infer.eval(loc);
            let why = infer.describe(why, loc.file);
            counts.unknowns.insert(format!("{} tool {name}: {why}", place(loc, infer)));
        }
    }
}

/// What the places say at which keys come in that cannot be seen.
fn known(infer: &mut Infer<'_>, open: &[Loc]) -> Known {
    let mut known = Known::Complete;
    for loc in open {
        let value = infer.eval(*loc);
        for member in infer.alternatives(value) {
            known = known.max(match infer.kind(member) {
                ValueKind::Unknown(
                    Unknown::Syntax
                    | Unknown::Cycle
                    | Unknown::Budget
                    | Unknown::Unread(_)
                    | Unknown::Barrel(_)
                    | Unknown::Property,
                    _,
                ) => Known::Unknown,
                _ => Known::Open,
            });
        }
    }
    known
}
