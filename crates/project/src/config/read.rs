//! The text of a configuration → its settings.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use agentcheck_catalog::{Catalog, Category, Package, Rule, Severity, Version};
use agentcheck_lint::{Selector, nearest};
use agentcheck_syntax::Span;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::globs::Globs;
use super::{Config, ConfigError, Layer, Override, Setting};

/// The keys at the top.
const KEYS: [&str; 10] = [
    "extends",
    "include",
    "exclude",
    "rules",
    "target",
    "pedantic",
    "fail-on",
    "baseline",
    "overrides",
    "per-file-ignores",
];

/// The keys of an override.
const OVERRIDE_KEYS: [&str; 5] = ["files", "rules", "target", "pedantic", "fail-on"];

/// What a file extends: each name, and where it stands.
type Extends = Vec<(String, Span)>;

/// Reads a text; globs and paths in it are relative to `root`.
pub(super) fn read(
    path: &Path,
    text: Arc<str>,
    root: &Path,
    catalog: &Catalog,
) -> Result<(Config, Extends), Vec<ConfigError>> {
    let config = Config { layers: vec![Layer::default()], ..Config::default() };
    let mut reader = Reader { path, root, text: &text, catalog, config, extends: Vec::new(), errors: Vec::new() };
    let (table, errors) = DeTable::parse_recoverable(&text);
    if errors.is_empty() {
        reader.table(table.get_ref());
    }
    // What a broken file means is anybody's guess: its settings are not looked at.
    for error in errors {
        reader.error(error.span().unwrap_or_default(), error.message().to_owned(), None);
    }
    let Reader { mut config, extends, mut errors, .. } = reader;
    config.layers.retain(|layer| *layer != Layer::default());
    errors.sort_by_key(|error| (error.span, error.message.clone()));
    if errors.is_empty() { Ok((config, extends)) } else { Err(errors) }
}

type Key<'t> = Spanned<std::borrow::Cow<'t, str>>;
type Value<'t> = Spanned<DeValue<'t>>;

struct Reader<'r> {
    path: &'r Path,
    root: &'r Path,
    text: &'r Arc<str>,
    catalog: &'r Catalog,
    /// Has one layer.
    config: Config,
    extends: Extends,
    errors: Vec<ConfigError>,
}

impl Reader<'_> {
    fn error(&mut self, span: Range<usize>, message: String, help: Option<String>) {
        let length = self.text.len();
        let span = Span::new(span.start.min(length) as u32, span.end.min(length) as u32);
        self.errors.push(ConfigError {
            path: self.path.to_path_buf(),
            text: Arc::clone(self.text),
            span,
            message,
            help,
        });
    }

    fn wrong_type(&mut self, key: &str, value: &Value<'_>, expected: &str) {
        let article = if value.get_ref().type_str().starts_with(['a', 'i']) { "an" } else { "a" };
        let message = format!("`{key}` is {article} {}", value.get_ref().type_str());
        self.error(value.span(), message, Some(format!("expected {expected}")));
    }

    fn table(&mut self, table: &DeTable<'_>) {
        for (key, value) in table {
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("extends", _) => self.extends = self.strings(key, value),
                ("include", _) => self.config.include = self.globs(key, value),
                ("exclude", _) => self.config.exclude = self.globs(key, value),
                ("baseline", DeValue::String(file)) if !file.is_empty() => {
                    self.config.baseline = Some(self.root.join(file.as_ref()))
                }
                ("baseline", _) => self.wrong_type("baseline", value, "a path: \"agentcheck-baseline.json\""),
                ("overrides", DeValue::Array(overrides)) => {
                    for value in overrides.iter() {
                        match value.get_ref() {
                            DeValue::Table(table) => self.over(value, table),
                            _ => self.wrong_type("overrides", value, "tables: `[[overrides]]`"),
                        }
                    }
                }
                ("overrides", _) => self.wrong_type("overrides", value, "a list of tables: `[[overrides]]`"),
                ("per-file-ignores", DeValue::Table(table)) => self.per_file_ignores(table),
                ("per-file-ignores", _) => self.wrong_type("per-file-ignores", value, "a table: `[per-file-ignores]`"),
                _ => self.common(key, value, &KEYS),
            }
        }
    }

    /// What files and overrides have in common.
    fn common(&mut self, key: &Key<'_>, value: &Value<'_>, known: &[&str]) {
        match (key.get_ref().as_ref(), value.get_ref()) {
            ("rules", DeValue::Table(rules)) => self.rules(rules),
            ("target", DeValue::Table(targets)) => self.targets(targets),
            ("pedantic", DeValue::Boolean(pedantic)) => self.config.pedantic = Some(*pedantic),
            ("fail-on", DeValue::String(name)) => match severity(name) {
                Some(severity) => self.config.fail_on = Some(severity),
                None => self.unknown_severity(name, value, &["error", "warning", "info"]),
            },
            ("rules", _) => self.wrong_type("rules", value, "a table: `[rules]`"),
            ("target", _) => self.wrong_type("target", value, "a table: `[target]`"),
            ("pedantic", _) => self.wrong_type("pedantic", value, "`true` or `false`"),
            ("fail-on", _) => self.wrong_type("fail-on", value, "\"error\", \"warning\" or \"info\""),
            (unknown, _) => {
                let help = did_you_mean(unknown, known.iter().copied());
                self.error(key.span(), format!("unknown key `{unknown}`"), Some(help));
            }
        }
    }

    /// One of `[[overrides]]`.
    fn over(&mut self, place: &Value<'_>, table: &DeTable<'_>) {
        let own = Config { layers: vec![Layer::default()], ..Config::default() };
        let outer = std::mem::replace(&mut self.config, own);
        let mut files = None;
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "files" => files = self.globs(key, value),
                _ => self.common(key, value, &OVERRIDE_KEYS),
            }
        }
        let config = std::mem::replace(&mut self.config, outer);
        if !table.iter().any(|(key, _)| key.get_ref() == "files") {
            let help = "`files = [\"examples/**\"]`".to_owned();
            self.error(place.span(), "this override has no `files`".to_owned(), Some(help));
        }
        self.config.overrides.extend(files.map(|files| Override { files, config }));
    }

    /// Glob → rules that are off.
    fn per_file_ignores(&mut self, table: &DeTable<'_>) {
        for (key, value) in table {
            let files = match Globs::new(self.root, vec![key.get_ref().to_string()]) {
                Ok(files) => files,
                Err((_, message)) => {
                    self.error(key.span(), message, None);
                    continue;
                }
            };
            let mut layer = Layer::default();
            for (rule, span) in self.strings(key, value) {
                match self.selector(&rule, span.range()) {
                    Some(Selector::Rule(index)) => {
                        layer.rules.insert(self.catalog.rules[index].id.clone(), Setting::Off);
                    }
                    Some(Selector::Pack(pack)) => {
                        layer.packs.insert(pack, Setting::Off);
                    }
                    Some(Selector::Category(category)) => layer.categories.push((category, Setting::Off)),
                    None => {}
                }
            }
            self.config.overrides.push(Override { files, config: Config { layers: vec![layer], ..Config::default() } });
        }
    }

    /// A string, or a list of them.
    fn strings(&mut self, key: &Key<'_>, value: &Value<'_>) -> Vec<(String, Span)> {
        let expected = "a string or a list of strings";
        let place = |span: Range<usize>| Span::new(span.start as u32, span.end as u32);
        match value.get_ref() {
            DeValue::String(text) => vec![(text.to_string(), place(value.span()))],
            DeValue::Array(elements) => {
                let mut strings = Vec::new();
                for element in elements.iter() {
                    match element.get_ref() {
                        DeValue::String(text) => strings.push((text.to_string(), place(element.span()))),
                        _ => self.wrong_type(key.get_ref(), element, expected),
                    }
                }
                strings
            }
            _ => {
                self.wrong_type(key.get_ref(), value, expected);
                Vec::new()
            }
        }
    }

    fn globs(&mut self, key: &Key<'_>, value: &Value<'_>) -> Option<Globs> {
        let (patterns, spans): (Vec<String>, Vec<Span>) = self.strings(key, value).into_iter().unzip();
        match Globs::new(self.root, patterns) {
            Ok(globs) => Some(globs),
            Err((index, message)) => {
                let span = spans.get(index).map_or(value.span(), |span| span.range());
                self.error(span, message, None);
                None
            }
        }
    }

    fn selector(&mut self, text: &str, span: Range<usize>) -> Option<Selector> {
        match Selector::parse(text, self.catalog) {
            Ok(selector) => Some(selector),
            Err(error) => {
                let (message, choice) = unknown_selector(&error.text, self.catalog);
                let help = error.suggestion.map(|meant| format!("did you mean `{meant}`?")).unwrap_or(choice);
                self.error(span, message, Some(help));
                None
            }
        }
    }

    fn unknown_severity(&mut self, name: &str, value: &Value<'_>, known: &[&str]) {
        let help = did_you_mean(name, known.iter().copied());
        self.error(value.span(), format!("unknown severity `{name}`"), Some(help));
    }

    fn setting(&mut self, value: &Value<'_>, name: &str) -> Option<Setting> {
        let setting = if name == "off" { Some(Setting::Off) } else { severity(name).map(Setting::At) };
        if setting.is_none() {
            self.unknown_severity(name, value, &["off", "info", "warning", "error"]);
        }
        setting
    }

    fn rules(&mut self, rules: &DeTable<'_>) {
        for (key, value) in rules {
            let Some(selector) = self.selector(key.get_ref(), key.span()) else { continue };
            let setting = match value.get_ref() {
                DeValue::String(name) => self.setting(value, name),
                DeValue::Table(table) => self.rule_table(key, &selector, table),
                _ => {
                    let expected = "a severity, or a table with `severity` and the rule's options";
                    self.wrong_type(key.get_ref(), value, expected);
                    None
                }
            };
            let Some(setting) = setting else { continue };
            let layer = &mut self.config.layers[0];
            let twice = match selector {
                Selector::Rule(index) => layer.rules.insert(self.catalog.rules[index].id.clone(), setting).is_some(),
                Selector::Pack(pack) => layer.packs.insert(pack, setting).is_some(),
                Selector::Category(category) => {
                    layer.categories.push((category, setting));
                    false
                }
            };
            if twice {
                let message = format!("`{}` is set twice, by its present and by a former name", key.get_ref());
                self.error(key.span(), message, Some("keep one of them".to_owned()));
            }
        }
    }

    /// `{ severity = "…", <option> = [..] }`
    fn rule_table(&mut self, key: &Key<'_>, selector: &Selector, table: &DeTable<'_>) -> Option<Setting> {
        let mut setting = None;
        let rule = match selector {
            Selector::Rule(index) => self.catalog.rules.get(*index),
            _ => None,
        };
        for (name, value) in table {
            match (name.get_ref().as_ref(), value.get_ref()) {
                ("severity", DeValue::String(severity)) => setting = self.setting(value, severity),
                ("severity", _) => self.wrong_type("severity", value, "\"off\", \"info\", \"warning\" or \"error\""),
                (option, _) => match rule {
                    Some(rule) if rule.options.iter().any(|known| known == option) => {
                        self.option(&rule.id, option, value);
                    }
                    Some(rule) => {
                        let known = std::iter::once("severity").chain(rule.options.iter().map(String::as_str));
                        let message = format!("`{}` has no option `{option}`", rule.id);
                        self.error(name.span(), message, Some(did_you_mean(option, known)));
                    }
                    None => {
                        let message = format!("`{}` takes no options, only `severity`", key.get_ref());
                        self.error(name.span(), message, Some("set options at a rule's own id".to_owned()));
                    }
                },
            }
        }
        setting
    }

    fn option(&mut self, rule: &str, option: &str, value: &Value<'_>) {
        let DeValue::Array(elements) = value.get_ref() else {
            return self.wrong_type(option, value, "a list of strings");
        };
        let mut values = Vec::new();
        for element in elements.iter() {
            match element.get_ref() {
                DeValue::String(text) => values.push(text.to_string()),
                _ => self.wrong_type(option, element, "a list of strings"),
            }
        }
        self.config.layers[0].options.entry(rule.to_owned()).or_default().insert(option.to_owned(), values);
    }

    fn targets(&mut self, targets: &DeTable<'_>) {
        let catalog = self.catalog;
        for (key, value) in targets {
            let Some(package) = catalog.package(key.get_ref()) else {
                let names = catalog.packages.iter().map(|package| package.name.as_str());
                let help = did_you_mean(key.get_ref(), names);
                self.error(key.span(), format!("no rule depends on the version of `{}`", key.get_ref()), Some(help));
                continue;
            };
            let DeValue::String(text) = value.get_ref() else {
                self.wrong_type(key.get_ref(), value, "a version as a string");
                continue;
            };
            match text.parse::<Version>() {
                Ok(version) => self.config.targets.push((package.name.clone(), version)),
                Err(error) => self.error(value.span(), error.to_string(), full_version(package, text)),
            }
        }
    }
}

/// What is wrong with a text that selects no rule, and what there is to choose from.
fn unknown_selector(text: &str, catalog: &Catalog) -> (String, String) {
    if let Some(name) = text.strip_prefix("category:") {
        let known = list(Category::ALL.iter().map(|category| category.name()));
        return (format!("there is no category called `{name}`"), format!("one of {known}"));
    }
    if let Some(pack) = text.strip_suffix("/*") {
        let mut packs: Vec<&str> = catalog.rules.iter().map(Rule::pack).collect();
        packs.dedup();
        return (format!("there is no pack called `{pack}`"), format!("one of {}", list(packs.into_iter())));
    }
    let choice = "a rule's id, `pack/*` or `category:NAME`; `agentcheck rules` lists them";
    (format!("there is no rule called `{text}`"), choice.to_owned())
}

/// The name that is meant by a misspelt one, as a question; else all of them.
fn did_you_mean<'c>(text: &str, candidates: impl Iterator<Item = &'c str> + Clone) -> String {
    match nearest(text, candidates.clone()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("one of {}", list(candidates)),
    }
}

/// Names in a sentence: `a`, `b`, `c`.
fn list<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// For a version that lacks parts: the newest release of that major.
fn full_version(package: &Package, text: &str) -> Option<String> {
    let digits: String = text.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    let major: u32 = digits.parse().ok()?;
    match package.newest.iter().find(|newest| newest.major == major) {
        Some(newest) => Some(format!("the newest known release of that major is `{newest}`")),
        None => {
            let known: Vec<String> = package.newest.iter().map(ToString::to_string).collect();
            Some(format!("known are {}", list(known.iter().map(String::as_str))))
        }
    }
}

fn severity(name: &str) -> Option<Severity> {
    [Severity::Info, Severity::Warning, Severity::Error].into_iter().find(|severity| severity.name() == name)
}
