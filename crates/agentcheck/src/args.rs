//! What can be said on the command line.

use std::path::PathBuf;

use agentcheck_catalog::Severity;
use agentcheck_report::{ColorChoice, ExplainFormat, Format};
use clap::{Args, Parser, Subcommand, ValueEnum};

/// Finds mistakes in AI-agent code that fail without a sound.
#[derive(Debug, Parser)]
#[command(name = "agentcheck", version, args_conflicts_with_subcommands = true, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) check: CheckArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Lint files and folders (what `agentcheck` alone does)
    Check(CheckArgs),
    /// Take the code to a newer major of an SDK: fixes what it can, lists the rest
    Upgrade(UpgradeArgs),
    /// Explain a rule: what happens, in which versions, what to do
    Explain(ExplainArgs),
    /// List the rules
    Rules(RulesArgs),
    /// Show what agentcheck believes about a line, and why it spoke or stayed silent
    Why(WhyArgs),
    /// Show the SDK versions that were found, and where
    Versions(VersionsArgs),
    /// Serve an editor on standard input and output
    Lsp,
}

#[derive(Debug, Args, Default)]
pub(crate) struct CheckArgs {
    /// Files and folders to report on; `-` reads standard input [default: the working directory]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The name that standard input goes by: decides language, versions and configuration
    #[arg(long, value_name = "FILE")]
    pub(crate) stdin_filename: Option<PathBuf>,

    /// Leave out what is ignored or excluded even when it is named, as commit hooks do
    #[arg(long)]
    pub(crate) force_exclude: bool,

    /// Apply safe fixes, then report what is left
    #[arg(long, help_heading = "Fixes")]
    pub(crate) fix: bool,
    /// Apply unsafe fixes too: they need a look
    #[arg(long, help_heading = "Fixes")]
    pub(crate) unsafe_fixes: bool,
    /// Apply fixes and report nothing
    #[arg(long, help_heading = "Fixes")]
    pub(crate) fix_only: bool,
    /// Print what fixing would change as a diff, write nothing; exit 1 if it would change anything
    #[arg(long, help_heading = "Fixes", conflicts_with = "fix_only")]
    pub(crate) diff: bool,

    /// Check as if this version were installed, for example ai@7 or ai@7.0.100 (repeatable)
    #[arg(long, value_name = "PACKAGE@VERSION", help_heading = "Rules", conflicts_with_all = ["fix", "fix_only"])]
    pub(crate) target: Vec<String>,
    /// Run exactly these rules: an id, `pack/*` or `category:NAME`
    #[arg(long, value_name = "RULE", value_delimiter = ',', help_heading = "Rules")]
    pub(crate) only: Vec<String>,
    /// Run these rules too, pedantic cases included
    #[arg(long, value_name = "RULE", value_delimiter = ',', help_heading = "Rules")]
    pub(crate) select: Vec<String>,
    /// Do not run these rules
    #[arg(long, value_name = "RULE", value_delimiter = ',', help_heading = "Rules")]
    pub(crate) ignore: Vec<String>,
    /// Show pedantic cases too
    #[arg(long, help_heading = "Rules")]
    pub(crate) pedantic: bool,
    /// The severity from which findings fail the run [default: warning]
    #[arg(long, value_name = "SEVERITY", help_heading = "Rules")]
    pub(crate) fail_on: Option<FailOn>,

    /// Leave out the findings that this file accepts
    #[arg(long, value_name = "FILE", help_heading = "Baseline")]
    pub(crate) baseline: Option<PathBuf>,
    /// Accept everything that is found now: write it to FILE [default: that of the configuration, else agentcheck-baseline.json]
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, help_heading = "Baseline",
        conflicts_with_all = ["prune", "fix", "fix_only", "diff", "target", "only", "ignore", "stdin_filename"])]
    #[allow(clippy::option_option)]
    pub(crate) write_baseline: Option<Option<PathBuf>>,
    /// Drop from the baseline what is no longer found
    #[arg(long, help_heading = "Baseline",
        conflicts_with_all = ["fix", "fix_only", "diff", "target", "only", "ignore", "stdin_filename"])]
    pub(crate) prune: bool,

    /// How to print findings [default: full]
    #[arg(long, value_name = "FORMAT", help_heading = "Output")]
    pub(crate) format: Option<OutputFormat>,
    /// Write findings to a file as well, for example sarif=findings.sarif (repeatable)
    #[arg(long, value_name = "FORMAT=FILE", value_parser = output, help_heading = "Output")]
    pub(crate) output: Vec<(OutputFormat, PathBuf)>,
    /// When to use colour
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub(crate) color: Color,
    /// Say nothing but findings
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,
    /// Say more: timings
    #[arg(short, long, help_heading = "Output", conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Number of threads [default: one per core]
    #[arg(short, long, value_name = "N", help_heading = "Output", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: Option<u16>,
}

#[derive(Debug, Args)]
pub(crate) struct UpgradeArgs {
    /// Files and folders to upgrade [default: the working directory]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The version to go to, for example ai@7
    #[arg(long, value_name = "PACKAGE@VERSION")]
    pub(crate) to: String,
    /// Apply unsafe fixes too: they need a look
    #[arg(long)]
    pub(crate) unsafe_fixes: bool,
    /// Print the changes as a diff, write nothing; exit 1 if there are any
    #[arg(long)]
    pub(crate) diff: bool,
    /// Leave package.json files as they are
    #[arg(long)]
    pub(crate) no_manifest: bool,
    /// Write over uncommitted changes
    #[arg(long)]
    pub(crate) allow_dirty: bool,
    /// How to print what is left by hand [default: full]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<OutputFormat>,
    /// When to use colour
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The rule's id
    pub(crate) rule: String,
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: TextFormat,
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
}

#[derive(Debug, Args)]
pub(crate) struct RulesArgs {
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ListFormat,
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
}

#[derive(Debug, Args)]
pub(crate) struct VersionsArgs {
    /// Where to look [default: the working directory]
    pub(crate) path: Option<PathBuf>,
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ListFormat,
}

#[derive(Debug, Args)]
pub(crate) struct WhyArgs {
    /// A file and a line: src/agent.ts:12
    #[arg(value_name = "FILE:LINE")]
    pub(crate) place: String,
    /// Look as if this version were installed (repeatable)
    #[arg(long, value_name = "PACKAGE@VERSION")]
    pub(crate) target: Vec<String>,
}

/// `FORMAT=FILE`.
fn output(text: &str) -> Result<(OutputFormat, PathBuf), String> {
    let (format, file) = text.split_once('=').ok_or("expected FORMAT=FILE, such as sarif=findings.sarif")?;
    if file.is_empty() {
        return Err("the file has no name".to_owned());
    }
    Ok((OutputFormat::from_str(format, false)?, PathBuf::from(file)))
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum FailOn {
    Error,
    Warning,
    Info,
}

impl From<FailOn> for Severity {
    fn from(value: FailOn) -> Self {
        match value {
            FailOn::Error => Self::Error,
            FailOn::Warning => Self::Warning,
            FailOn::Info => Self::Info,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum OutputFormat {
    Full,
    Concise,
    Json,
    Jsonl,
    Sarif,
    Github,
    Gitlab,
    Junit,
    Agent,
    Markdown,
}

impl From<OutputFormat> for Format {
    fn from(value: OutputFormat) -> Self {
        match value {
            OutputFormat::Full => Self::Full,
            OutputFormat::Concise => Self::Concise,
            OutputFormat::Json => Self::Json,
            OutputFormat::Jsonl => Self::Jsonl,
            OutputFormat::Sarif => Self::Sarif,
            OutputFormat::Github => Self::Github,
            OutputFormat::Gitlab => Self::Gitlab,
            OutputFormat::Junit => Self::Junit,
            OutputFormat::Agent => Self::Agent,
            OutputFormat::Markdown => Self::Markdown,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum TextFormat {
    Text,
    Markdown,
    Json,
}

impl From<TextFormat> for ExplainFormat {
    fn from(value: TextFormat) -> Self {
        match value {
            TextFormat::Text => Self::Text,
            TextFormat::Markdown => Self::Markdown,
            TextFormat::Json => Self::Json,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    Text,
    Json,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

impl From<Color> for ColorChoice {
    fn from(value: Color) -> Self {
        match value {
            Color::Auto => Self::Auto,
            Color::Always => Self::Always,
            Color::Never => Self::Never,
        }
    }
}
