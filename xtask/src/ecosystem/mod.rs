//! `cargo xtask ecosystem`: runs agentcheck on checked-out public repositories and keeps a record of what it finds there.
//!
//! A rule that is right on its own examples can still be wrong on code that nobody wrote for it. The record holds places
//! and counts, never code, and for each finding the verdict of a reader. A change to a rule shows as what appeared and
//! what vanished, with the verdicts that were lost.

mod binary;
mod checkout;
mod merge;
mod observe;
mod readme;
mod table;
mod verdict;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::pages::Pages;
use crate::{Done, Outcome};
use checkout::{Asked, Checkout};
use merge::{Changes, merge};
use observe::Observer;
use table::{Repository, Run, Tables};

/// Where the record lies.
const FOLDER: &str = "docs/ecosystem";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Checked-out repositories, in folders called OWNER__NAME; or folders below one, to record that part alone
    #[arg(value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// Run on everything that is on record, checked out below this folder as OWNER__NAME
    #[arg(long, value_name = "FOLDER", conflicts_with = "dirs")]
    all: Option<PathBuf>,
    /// Write nothing; exit 1 if the record is out of date, or an error or a warning on record has no verdict
    #[arg(long)]
    check: bool,
    /// How often to run on each repository: the best time is recorded, and every output must be the same
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// The agentcheck to run [default: this one, built in release mode]
    #[arg(long, value_name = "PATH")]
    binary: Option<PathBuf>,

    /// What repository the one DIR is, if its folder is called otherwise
    #[arg(long, value_name = "OWNER/NAME", help_heading = "For one DIR")]
    name: Option<String>,
    /// With --name: the folder below DIR to record
    #[arg(long, value_name = "FOLDER", requires = "name", help_heading = "For one DIR")]
    folder: Option<String>,
    /// The full commit that DIR is at; needed the first time, and when it changes, if DIR is no git checkout
    #[arg(long, value_name = "SHA", help_heading = "For one DIR")]
    commit: Option<String>,
    /// What the repository is, in some words
    #[arg(long, value_name = "TEXT", help_heading = "For one DIR")]
    about: Option<String>,
}

pub(crate) fn run(args: &Args, root: &Path) -> Done<Outcome> {
    let folder = root.join(FOLDER);
    let recorded = Tables::load(&folder)?;
    let checkouts = checkouts(args, &recorded)?;
    let mut tables = recorded.clone();
    let mut problems = Vec::new();
    if !checkouts.is_empty() {
        let observer = Observer::new(vec![binary::find(args.binary.as_deref(), root)?.into()], args.runs);
        for checkout in checkouts {
            look(checkout, &observer, &mut tables, &mut problems)?;
        }
    }
    if args.check {
        let stale = out_of_date(&recorded, &tables).into_iter().chain(readme(&recorded).stale(&folder)?);
        problems.extend(stale.map(|problem| format!("{FOLDER}/{problem}")));
        problems.extend(verdict::missing(&recorded));
    } else {
        tables.save(&folder)?;
        readme(&tables).write(&folder)?;
    }
    for problem in &problems {
        println!("{problem}");
    }
    Ok(if problems.is_empty() { Outcome::Good } else { Outcome::Bad })
}

/// What to look at, with what is known of it.
fn checkouts(args: &Args, recorded: &Tables) -> Done<Vec<Checkout>> {
    let is_for_one = args.name.is_some() || args.commit.is_some() || args.about.is_some();
    if is_for_one && args.dirs.len() != 1 {
        return Err("--name, --commit and --about speak of exactly one DIR".to_owned());
    }
    let asked = Asked {
        name: args.name.as_deref(),
        folder: args.folder.as_deref(),
        commit: args.commit.as_deref(),
        about: args.about.as_deref(),
    };
    let found: Vec<Checkout> = match &args.all {
        Some(parent) => {
            recorded.repositories.iter().map(|repository| Checkout::below(parent, repository)).collect::<Done<_>>()?
        }
        None => args.dirs.iter().map(|dir| Checkout::find(dir, asked, recorded)).collect::<Done<_>>()?,
    };
    let mut titles = BTreeSet::new();
    match found.iter().map(|checkout| checkout.repository.title()).find(|title| !titles.insert(title.clone())) {
        Some(twice) => Err(format!("{twice} was given twice")),
        None => Ok(found),
    }
}

/// Runs on one checkout and takes what it finds into the tables.
fn look(checkout: Checkout, observer: &Observer, tables: &mut Tables, problems: &mut Vec<String>) -> Done<()> {
    let Checkout { root, mut repository } = checkout;
    let title = repository.title();
    eprintln!("{title} …");
    let seen = observer.observe(&root, repository.folder.as_deref()).map_err(|error| format!("{title}: {error}"))?;
    problems.extend(seen.problems.iter().map(|problem| format!("{title}: {problem}")));
    let recorded = tables.findings(&repository);
    let (findings, changes) = match seen.findings {
        Some(found) => merge(recorded, found),
        // It died: that says nothing about the findings.
        None => (recorded.to_vec(), Changes::default()),
    };
    print!("{}", changes.describe(&title, &findings, &seen.run));
    repository.run = seen.run;
    tables.put(repository, findings);
    Ok(())
}

/// What a new look changed. Times differ in every run and are no change.
fn out_of_date(recorded: &Tables, now: &Tables) -> Vec<String> {
    let without_times = |repository: &Repository| Repository {
        run: Run { seconds: 0.0, peak_mib: None, cores: 0, ..repository.run.clone() },
        ..repository.clone()
    };
    let mut problems = Vec::new();
    for repository in &now.repositories {
        let before = recorded.repository(&repository.name, repository.folder.as_deref());
        if before.map(without_times) != Some(without_times(repository)) {
            problems.push(format!("{} is out of date: {}", table::REPOSITORIES, repository.title()));
        }
        if recorded.findings(repository) != now.findings(repository) {
            problems.push(format!("{} is out of date", repository.findings_file()));
        }
    }
    problems
}

fn readme(tables: &Tables) -> Pages {
    let mut pages = Pages::default();
    pages.add("README.md", readme::render(tables));
    pages
}
