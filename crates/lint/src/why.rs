//! What agentcheck believes about a line: the facts behind `agentcheck why`, in a first form.

use agentcheck_catalog::{Catalog, RuleKind};
use agentcheck_model::hir::ExprKind;
use agentcheck_model::{Infer, Key, KeyOrigin, Loc, Program, SdkCall, Sites, Steps, ToolKind, ValueKind};
use agentcheck_syntax::{FileId, LineIndex};

use crate::report::Report;
use crate::settings::Settings;

/// A heading and the lines below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhySection {
    pub title: String,
    pub lines: Vec<String>,
}

/// What is believed about a line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Why {
    pub sections: Vec<WhySection>,
}

/// The facts about a 1-based line of a parsed file, and what the rules made of them.
pub fn why(catalog: &Catalog, settings: &Settings, program: &Program, file: FileId, line: u32, report: &Report) -> Why {
    let mut asker = Asker { infer: Infer::new(program, file), file, why: Why::default() };
    asker.versions();
    let sites = asker.infer.sites(file);
    asker.calls(&sites, line);
    asker.names(line);
    asker.rules(catalog, settings, line, report);
    asker.why
}

struct Asker<'p> {
    infer: Infer<'p>,
    file: FileId,
    why: Why,
}

impl Asker<'_> {
    fn section(&mut self, title: impl Into<String>, lines: Vec<String>) {
        self.why.sections.push(WhySection { title: title.into(), lines });
    }

    fn versions(&mut self) {
        let Some(file) = self.infer.program.file(self.file) else { return };
        let lines = file
            .versions
            .iter()
            .filter(|evidence| evidence.file.is_some() || &*evidence.package == "ai")
            .map(|evidence| {
                let place = evidence.file.as_deref().map_or_else(String::new, |file| format!(", read in {file}"));
                format!("{} {} ({}{place})", evidence.package, evidence.shown_version(), evidence.source.name())
            })
            .collect();
        self.section("versions", lines);
    }

    fn place(&self, loc: Loc) -> String {
        self.infer.place(loc, self.file)
    }

    fn lines_of(&self, loc: Loc) -> (u32, u32) {
        let module = self.infer.module(loc.file);
        let index = LineIndex::new(&module.source);
        let span = module.expr(loc.expr).span;
        (index.line_of(span.start) + 1, index.line_of(span.end) + 1)
    }

    /// The SDK calls that the line is part of.
    fn calls(&mut self, sites: &Sites, line: u32) {
        for (index, call) in sites.calls.iter().enumerate() {
            let (first, last) = self.lines_of(call.loc);
            if line < first || line > last {
                continue;
            }
            let mut lines = Vec::new();
            for argument in &call.args {
                let value = self.infer.eval_in(call.loc.file, *argument);
                let keys = self.infer.keys(value);
                for key in &keys.known {
                    lines.push(self.option(key));
                }
                for open in &keys.open {
                    lines.push(format!("more keys may come from {}: {}", self.place(*open), self.infer.text(*open)));
                }
            }
            self.budget(call, sites, &mut lines);
            for typed in sites.typed.iter().filter(|typed| typed.reach.call == Some(index) && !typed.path.is_empty()) {
                let record = &self.infer.program.types.record(typed.record).name;
                lines.push(format!("{} is a {record}", typed.path.join(".")));
            }
            self.section(format!("{} of {} at {}", call.name, call.package, self.place(call.loc)), lines);
        }
    }

    fn option(&mut self, key: &Key) -> String {
        let value = self.infer.eval(key.value);
        let how = match key.origin {
            KeyOrigin::Entry(_) => "",
            KeyOrigin::Assignment(_) => " (assigned)",
        };
        let maybe = if key.certain { "" } else { " (on some paths)" };
        format!("{} at {}: {}{how}{maybe}", key.name, self.place(key.value), self.infer.describe(value, self.file))
    }

    fn budget(&mut self, call: &SdkCall, sites: &Sites, lines: &mut Vec<String>) {
        let runs = ["generateText", "streamText"].contains(&call.name.as_str()) || call.name.contains("Agent");
        if !runs {
            return;
        }
        let steps = match self.infer.steps(call, sites) {
            Steps::One => "one",
            Steps::Several => "several",
            Steps::Unknown => "unknown",
        };
        lines.push(format!("steps (AI SDK 5 and later): {steps}"));
        let Some(options) = call.args.first() else { return };
        let options = self.infer.eval_in(call.loc.file, *options);
        let Some(tools) = self.infer.keys(options).get("tools").cloned() else { return };
        let tools = self.infer.eval(tools.value);
        let set = self.infer.tool_set(tools);
        for (name, kind, loc) in &set.tools {
            let kind = match kind {
                ToolKind::Local => "runs here (has `execute`)",
                ToolKind::Provider => "run by the provider",
                ToolKind::Client => "has no `execute`: the run stops there",
                ToolKind::Unknown => "unknown kind",
            };
            lines.push(format!("tool {name} at {}: {kind}", self.place(*loc)));
            self.failures(name, *loc, lines);
        }
        if set.open {
            lines.push("there may be more tools".to_owned());
        }
    }

    /// The errors that can leave a tool's `execute`.
    fn failures(&mut self, name: &str, tool: Loc, lines: &mut Vec<String>) {
        let tool = self.infer.eval(tool);
        let Some(execute) = self.infer.keys(tool).get("execute").cloned() else { return };
        let execute = self.infer.eval(execute.value);
        for member in self.infer.alternatives(execute) {
            let ValueKind::Function(file, function, _) = *self.infer.kind(member) else { continue };
            for escape in self.infer.escapes(file, function).iter() {
                let thrown = Loc::new(escape.file, escape.throw.value);
                let through = match escape.path.first() {
                    Some(entered) => format!(", through the call at {}", self.place(entered.call)),
                    None => String::new(),
                };
                let what = self.infer.text(thrown);
                lines.push(format!("when {name} fails: {what} thrown at {}{through}", self.place(thrown)));
            }
        }
    }

    /// The names that are used on the line.
    fn names(&mut self, line: u32) {
        let module = self.infer.module(self.file);
        let index = LineIndex::new(&module.source);
        let mut lines = Vec::new();
        for (expr, node) in module.all_exprs() {
            let interesting = matches!(node.kind, ExprKind::Ident { .. } | ExprKind::Member { .. });
            if interesting && index.line_of(node.span.start) + 1 == line {
                let value = self.infer.eval_in(self.file, expr);
                let text = format!(
                    "{}: {}",
                    self.infer.text(Loc::new(self.file, expr)),
                    self.infer.describe(value, self.file)
                );
                if !lines.contains(&text) {
                    lines.push(text);
                }
            }
        }
        self.section("names on the line", lines);
    }

    /// What each rule made of the line.
    fn rules(&mut self, catalog: &Catalog, settings: &Settings, line: u32, report: &Report) {
        let module = self.infer.module(self.file);
        let index = LineIndex::new(&module.source);
        let here = |span: agentcheck_syntax::Span| index.line_of(span.start) + 1 == line;
        let mut lines = Vec::new();
        for finding in report.findings.iter().filter(|finding| finding.place.file == self.file) {
            if here(finding.place.span) {
                let pedantic = if finding.pedantic { " (with --pedantic)" } else { "" };
                lines.push(format!("{} {}{pedantic}: {}", finding.severity.name(), finding.rule, finding.message));
            }
        }
        for suppressed in report.suppressed.iter().filter(|suppressed| suppressed.finding.place.file == self.file) {
            if here(suppressed.finding.place.span) {
                let reason = suppressed.by.reason.as_deref().unwrap_or("no reason given");
                lines.push(format!("{} suppressed by a comment ({reason})", suppressed.finding.rule));
            }
        }
        let Some(file) = self.infer.program.file(self.file) else { return };
        for (rule, own) in catalog.rules.iter().zip(&settings.rules) {
            if rule.kind == RuleKind::Engine || lines.iter().any(|line| line.contains(rule.id.as_str())) {
                continue;
            }
            let holds = |case: &agentcheck_catalog::Case| {
                file.versions
                    .iter()
                    .filter(|evidence| &*evidence.package == "ai")
                    .any(|evidence| evidence.versions.holds(&case.versions) != agentcheck_catalog::Holds::None)
            };
            let why = if own.off {
                "off"
            } else if !rule.cases.iter().any(holds) {
                "says nothing in this version"
            } else {
                "found nothing here"
            };
            lines.push(format!("{}: {why}", rule.id));
        }
        self.section("rules", lines);
    }
}
