//! `agentcheck rules`.

use agentcheck_lint::builtin;
use agentcheck_report::{rules_json, rules_text};

use crate::args::{ListFormat, RulesArgs};
use crate::outcome::Outcome;
use crate::terminal;

pub(crate) fn run(args: &RulesArgs) -> Outcome {
    let rules = &builtin::catalog().rules;
    let text = match args.format {
        ListFormat::Text => rules_text(rules, &terminal::stdout_style(args.color.into())),
        ListFormat::Json => rules_json(rules),
    };
    terminal::print(|out| writeln!(out, "{}", text.trim_end()));
    Outcome::Clean
}
