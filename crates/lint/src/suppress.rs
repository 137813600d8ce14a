//! Suppression comments: `agentcheck-ignore RULE[, RULE] -- reason` on the line or the line above, `-start`/`-end`, `-file`.

use agentcheck_catalog::{Catalog, Holds};
use agentcheck_model::hir::Module;
use agentcheck_model::{Evidence, Program};
use agentcheck_syntax::{FileId, LineIndex, Place, Span};

use crate::context::{Details, choose, finding};
use crate::finding::{Edit, Finding, Fix, Suppressed, Suppression};
use crate::fix::text::{begins_line, ends_line, line_end, line_start};
use crate::settings::{Settings, suggest_rule};

/// A rule that a comment names.
struct Named {
    text: String,
    span: Span,
    /// Index in the catalog; `None` for a rule that does not exist.
    rule: Option<usize>,
    used: bool,
}

/// A comment that silences rules on some lines.
struct Directive {
    comment: Span,
    rules: Vec<Named>,
    reason: Option<String>,
    /// 0-based, inclusive.
    lines: (u32, u32),
    /// The comment that ends a range.
    end: Option<Span>,
}

/// What the comments of a file say.
struct Directives {
    all: Vec<Directive>,
    /// Comments that say nothing: place and what is wrong.
    malformed: Vec<(Span, &'static str)>,
}

/// Takes the suppressed ones out of a file's findings and reports comments that suppress nothing.
pub(crate) fn suppress(
    program: &Program,
    catalog: &Catalog,
    settings: &Settings,
    file: FileId,
    findings: Vec<Finding>,
    hidden: &[Finding],
    suppressed: &mut Vec<Suppressed>,
) -> Vec<Finding> {
    let module = program.module(file);
    if module.comments.is_empty() {
        return findings;
    }
    let lines = LineIndex::new(&module.source);
    let mut directives = read(module, &lines, catalog);
    let mut left = Vec::new();
    // A comment on a case that is shown only with `--pedantic` has its use.
    for finding in hidden {
        directives.silencing(finding, &lines, catalog);
    }
    for finding in findings {
        let by = directives.silencing(&finding, &lines, catalog);
        match by {
            Some(by) => suppressed.push(Suppressed { finding, by }),
            None => left.push(finding),
        }
    }
    let meta = Meta { program, catalog, settings, file, module };
    meta.report(&directives, &mut left);
    left
}

impl Directives {
    /// What silences a finding; the comment is then used.
    fn silencing(&mut self, finding: &Finding, lines: &LineIndex, catalog: &Catalog) -> Option<Suppression> {
        let (first, last) = (lines.line_of(finding.place.span.start), lines.line_of(finding.place.span.end));
        self.all.iter_mut().find_map(|directive| {
            let (from, to) = directive.lines;
            if from > last || to < first {
                return None;
            }
            let named = directive
                .rules
                .iter_mut()
                .find(|named| named.rule.is_some_and(|rule| *catalog.rules[rule].id == *finding.rule))?;
            named.used = true;
            Some(Suppression { comment: directive.comment, reason: directive.reason.clone() })
        })
    }
}

/// The findings about the comments themselves.
struct Meta<'a> {
    program: &'a Program,
    catalog: &'a Catalog,
    settings: &'a Settings,
    file: FileId,
    module: &'a Module,
}

impl Meta<'_> {
    fn report(&self, directives: &Directives, into: &mut Vec<Finding>) {
        for (span, problem) in &directives.malformed {
            let slots = vec![("problem", (*problem).to_owned())];
            self.emit("meta/unknown-rule-in-ignore", "malformed", *span, slots, Vec::new(), into);
        }
        for directive in &directives.all {
            for named in &directive.rules {
                match named.rule {
                    None => {
                        let suggestion = match suggest_rule(&named.text, self.catalog) {
                            Some(rule) => format!("Did you mean `{rule}`?"),
                            None => "`agentcheck rules` lists the rules that exist.".to_owned(),
                        };
                        let slots = vec![("rule", named.text.clone()), ("suggestion", suggestion)];
                        self.emit("meta/unknown-rule-in-ignore", "unknown", named.span, slots, Vec::new(), into);
                    }
                    Some(rule) if !named.used && self.ran_for_certain(rule) => {
                        let slots = vec![("rule", named.text.clone())];
                        let edits = self.removal(directive, named);
                        self.emit("meta/unused-ignore", "unused", named.span, slots, edits, into);
                    }
                    Some(_) => {}
                }
            }
        }
    }

    fn emit(
        &self,
        rule: &str,
        case: &str,
        span: Span,
        slots: Vec<(&'static str, String)>,
        edits: Vec<Edit>,
        into: &mut Vec<Finding>,
    ) {
        let Some((index, rule)) = self.catalog.rule(rule) else { return };
        if self.settings.rules[index].off {
            return;
        }
        let cases: Vec<_> = rule.cases.iter().filter(|known| known.name == case).collect();
        let Some(verdict) = choose(&cases, std::sync::Arc::new(Evidence::none())) else { return };
        let fixes = match edits.is_empty() {
            true => Vec::new(),
            false => {
                vec![Fix { title: "Remove the comment".to_owned(), safety: agentcheck_catalog::Safety::Safe, edits }]
            }
        };
        let place = Place { file: self.file, span };
        let mut found =
            finding(rule, &self.settings.rules[index], &verdict, place, Details { slots, related: Vec::new(), fixes });
        // No version decides this.
        found.packages.clear();
        into.push(found);
    }

    /// Whether a rule ran here and would say the same whichever of the possible versions is installed.
    fn ran_for_certain(&self, rule: usize) -> bool {
        if self.settings.rules[rule].off {
            return false;
        }
        let versions = &self.program.file(self.file).map(|file| file.versions.as_slice()).unwrap_or_default();
        self.catalog.rules[rule]
            .cases
            .iter()
            .all(|case| versions.iter().all(|evidence| evidence.versions.holds(&case.versions) != Holds::Some))
    }

    /// Takes one rule out of a comment, or the comment, with the one that ends its range, if it is the only one.
    fn removal(&self, directive: &Directive, named: &Named) -> Vec<Edit> {
        let spans = if directive.rules.len() > 1 {
            let last = directive.rules.last().is_some_and(|rule| rule.span == named.span);
            vec![if last {
                let before = directive.rules[directive.rules.len() - 2].span.end;
                Span::new(before, named.span.end)
            } else {
                let next = directive.rules.iter().find(|rule| rule.span.start > named.span.start);
                Span::new(named.span.start, next.map_or(named.span.end, |next| next.span.start))
            }]
        } else {
            std::iter::once(directive.comment).chain(directive.end).map(|comment| self.whole(comment)).collect()
        };
        let edit = |span| Edit { place: Place { file: self.file, span }, text: String::new() };
        spans.into_iter().map(edit).collect()
    }

    /// A comment with the line that it has for itself, or the white space before it.
    fn whole(&self, comment: Span) -> Span {
        let source = &self.module.source;
        // `{/* … */}` in JSX goes with its braces.
        let braces = Span::new(comment.start.saturating_sub(1), comment.end + 1);
        let in_braces = braces.text(source).starts_with('{') && braces.text(source).ends_with('}');
        let whole = if in_braces { braces } else { comment };
        if begins_line(source, whole.start) && ends_line(source, whole.end) {
            Span::new(line_start(source, whole.start), line_end(source, whole.end))
        } else {
            let before = source[..whole.start as usize].trim_end_matches([' ', '\t']).len() as u32;
            Span::new(before, whole.end)
        }
    }
}

fn read(module: &Module, lines: &LineIndex, catalog: &Catalog) -> Directives {
    let mut directives = Directives { all: Vec::new(), malformed: Vec::new() };
    // Open `-start` comments: index in `all`.
    let mut open: Vec<usize> = Vec::new();
    for comment in &module.comments {
        let text = module.text(*comment);
        let body = text.trim_start_matches("//").trim_start_matches("/*").trim_end_matches("*/");
        let body = body.trim_start_matches("<!--").trim_end_matches("-->").trim_start_matches('*').trim();
        // The directive begins the comment: prose that mentions it does nothing.
        let Some(rest) = body.strip_prefix("agentcheck-ignore") else { continue };
        // A longer word is another word.
        if rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let (form, rest) = match rest.find(char::is_whitespace) {
            Some(end) => rest.split_at(end),
            None => (rest, ""),
        };
        let (list, reason) = match rest.split_once("--") {
            Some((list, reason)) => (list, Some(reason.trim().to_owned()).filter(|reason| !reason.is_empty())),
            None => (rest, None),
        };
        let line = lines.line_of(comment.start);
        if form == "-end" {
            match open.pop() {
                Some(start) => {
                    directives.all[start].lines.1 = line;
                    directives.all[start].end = Some(*comment);
                }
                None => directives.malformed.push((*comment, "there is no `agentcheck-ignore-start` before it")),
            }
            continue;
        }
        let rules = named_rules(module, *comment, list, catalog);
        if rules.is_empty() {
            directives.malformed.push((*comment, "it names no rule"));
            continue;
        }
        let covered = match form {
            "" => match begins_line(&module.source, comment.start) || is_jsx_only(module, *comment) {
                true => (line, code_line_after(module, lines, *comment)),
                false => (line, line),
            },
            "-file" => (0, u32::MAX),
            "-start" => {
                open.push(directives.all.len());
                (line, u32::MAX)
            }
            _ => {
                directives
                    .malformed
                    .push((*comment, "the forms are `agentcheck-ignore`, `-start`, `-end` and `-file`"));
                continue;
            }
        };
        directives.all.push(Directive { comment: *comment, rules, reason, lines: covered, end: None });
    }
    directives
}

/// Whether a comment stands alone in braces: `{/* … */}`.
fn is_jsx_only(module: &Module, comment: Span) -> bool {
    let before = &module.source[line_start(&module.source, comment.start) as usize..comment.start as usize];
    before.trim() == "{"
}

fn named_rules(module: &Module, comment: Span, list: &str, catalog: &Catalog) -> Vec<Named> {
    let text = module.text(comment);
    let mut rules = Vec::new();
    let mut from = text.find("agentcheck-ignore").unwrap_or(0);
    for part in list.split([',', ' ', '\t', '\n', '\r']).map(str::trim).filter(|part| !part.is_empty()) {
        let Some(at) = text[from..].find(part).map(|at| from + at) else { continue };
        from = at + part.len();
        let start = comment.start + at as u32;
        rules.push(Named {
            text: part.to_owned(),
            span: Span::new(start, start + part.len() as u32),
            rule: catalog.rule(part).map(|(index, _)| index),
            used: false,
        });
    }
    rules
}

/// The first line after a comment that holds code. Blank lines and further comments, such as those of other linters, are
/// passed over.
fn code_line_after(module: &Module, lines: &LineIndex, comment: Span) -> u32 {
    let closing = |offset: u32| match module.source[offset as usize..].starts_with('}') {
        true if is_jsx_only(module, comment) => offset + 1,
        _ => offset,
    };
    let mut at = closing(comment.end);
    loop {
        let next = crate::fix::text::skip_trivia(&module.source, at);
        // Another JSX comment.
        match module.source[next as usize..].strip_prefix("{/*").and_then(|rest| rest.find("*/}")) {
            Some(end) => at = next + 3 + end as u32 + 3,
            None => return lines.line_of(next),
        }
    }
}
