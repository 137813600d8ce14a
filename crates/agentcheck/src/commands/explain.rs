//! `agentcheck explain RULE`.

use agentcheck_lint::{builtin, suggest_rule};
use agentcheck_report::explain;

use crate::args::ExplainArgs;
use crate::outcome::Outcome;
use crate::terminal;

pub(crate) fn run(args: &ExplainArgs) -> Outcome {
    let catalog = builtin::catalog();
    let Some((_, rule)) = catalog.rule(&args.rule) else {
        let hint = match suggest_rule(&args.rule, catalog) {
            Some(id) => format!("did you mean `{id}`?"),
            None => "`agentcheck rules` lists them".to_owned(),
        };
        terminal::error(&format!("there is no rule called `{}`; {hint}", args.rule));
        return Outcome::Usage;
    };
    let docs = builtin::docs().remove(&rule.id).unwrap_or_default();
    let style = terminal::stdout_style(args.color.into());
    let text = explain(rule, &docs, args.format.into(), &style);
    terminal::print(|out| writeln!(out, "{}", text.trim_end()));
    Outcome::Clean
}
