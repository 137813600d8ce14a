//! `agentcheck.toml`: text → settings, or everything that is wrong with it, each where it stands.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentcheck_catalog::{Catalog, Category, Package, Rule, Severity, Version};
use agentcheck_lint::{Selector, nearest};
use agentcheck_syntax::Span;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::files::Files;

/// The name of the configuration file.
pub const CONFIG_NAME: &str = "agentcheck.toml";

/// The keys at the top.
const KEYS: [&str; 5] = ["rules", "target", "pedantic", "fail-on", "baseline"];

/// Nobody writes a longer one.
const LONGEST_CONFIG: u64 = 4 * 1024 * 1024;

/// What a rule is set to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    Off,
    /// Replaces the severity of all the rule's cases.
    At(Severity),
}

/// The settings of a project; the default when it has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// The file that was read.
    pub path: Option<PathBuf>,
    /// The folder of that file.
    pub root: Option<PathBuf>,
    /// `pedantic = true`: show the pedantic cases too.
    pub pedantic: bool,
    /// `fail-on`: the severity from which findings fail the run.
    pub fail_on: Option<Severity>,
    /// `baseline`: the file of accepted findings, relative to this one.
    pub baseline: Option<PathBuf>,
    /// `[target]`: versions to take for installed.
    pub targets: Vec<(String, Version)>,
    rules: BTreeMap<String, Setting>,
    packs: BTreeMap<String, Setting>,
    categories: Vec<(Category, Setting)>,
    /// Rule → option → values.
    options: BTreeMap<String, BTreeMap<String, Vec<String>>>,
}

/// Something wrong with a configuration file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {message}", path.display())]
pub struct ConfigError {
    pub path: PathBuf,
    pub text: Arc<str>,
    /// The key or value that is wrong.
    pub span: Span,
    pub message: String,
    pub help: Option<String>,
}

impl Config {
    /// Reads the configuration at `path`. All errors are returned, not just the first.
    pub fn load(path: &Path, files: &dyn Files, catalog: &Catalog) -> Result<Self, Vec<ConfigError>> {
        let mut content = Vec::new();
        let unreadable = |message: String| {
            let (path, text) = (path.to_path_buf(), Arc::from(""));
            vec![ConfigError { path, text, span: Span::default(), message, help: None }]
        };
        files
            .read_into(path, LONGEST_CONFIG, &mut content)
            .map_err(|error| unreadable(format!("cannot be read: {error}")))?;
        let text = String::from_utf8(content).map_err(|_| unreadable("not UTF-8".to_owned()))?;
        Self::parse(path, text.into(), catalog)
    }

    /// Reads the text of the configuration at `path`.
    pub fn parse(path: &Path, text: Arc<str>, catalog: &Catalog) -> Result<Self, Vec<ConfigError>> {
        let config =
            Self { path: Some(path.to_path_buf()), root: path.parent().map(Path::to_path_buf), ..Self::default() };
        let mut reader = Reader { path, text: &text, catalog, config, errors: Vec::new() };
        let (table, errors) = DeTable::parse_recoverable(&text);
        if errors.is_empty() {
            reader.table(table.get_ref());
        }
        // What a broken file means is anybody's guess: its settings are not looked at.
        for error in errors {
            reader.error(error.span().unwrap_or_default(), error.message().to_owned(), None);
        }
        let Reader { config, mut errors, .. } = reader;
        errors.sort_by_key(|error| (error.span, error.message.clone()));
        if errors.is_empty() { Ok(config) } else { Err(errors) }
    }

    /// What `rule` is set to: by its id, else by its pack, else by its category.
    pub fn severity_of(&self, rule: &Rule) -> Option<Setting> {
        let by_category = || self.categories.iter().find(|(category, _)| *category == rule.category);
        let by_id = self.rules.get(&rule.id).or_else(|| self.packs.get(rule.pack())).copied();
        by_id.or_else(|| by_category().map(|(_, setting)| *setting))
    }

    /// The values of a rule's option; none when it is not set.
    pub fn options_of(&self, rule: &str, option: &str) -> &[String] {
        self.options.get(rule).and_then(|options| options.get(option)).map_or(&[], Vec::as_slice)
    }
}

type Key<'t> = Spanned<std::borrow::Cow<'t, str>>;
type Value<'t> = Spanned<DeValue<'t>>;

struct Reader<'r> {
    path: &'r Path,
    text: &'r Arc<str>,
    catalog: &'r Catalog,
    config: Config,
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
                ("rules", DeValue::Table(rules)) => self.rules(rules),
                ("target", DeValue::Table(targets)) => self.targets(targets),
                ("pedantic", DeValue::Boolean(pedantic)) => self.config.pedantic = *pedantic,
                ("fail-on", DeValue::String(name)) => match severity(name) {
                    Some(severity) => self.config.fail_on = Some(severity),
                    None => self.unknown_severity(name, value, &["error", "warning", "info"]),
                },
                ("baseline", DeValue::String(file)) => {
                    let folder = self.config.root.clone().unwrap_or_default();
                    self.config.baseline = Some(folder.join(file.as_ref()));
                }
                ("rules", _) => self.wrong_type("rules", value, "a table: `[rules]`"),
                ("target", _) => self.wrong_type("target", value, "a table: `[target]`"),
                ("pedantic", _) => self.wrong_type("pedantic", value, "`true` or `false`"),
                ("fail-on", _) => self.wrong_type("fail-on", value, "\"error\", \"warning\" or \"info\""),
                ("baseline", _) => self.wrong_type("baseline", value, "a path: \"agentcheck-baseline.json\""),
                (unknown, _) => {
                    let help = did_you_mean(unknown, KEYS.into_iter());
                    self.error(key.span(), format!("unknown key `{unknown}`"), Some(help));
                }
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
            let selector = match Selector::parse(key.get_ref(), self.catalog) {
                Ok(selector) => selector,
                Err(error) => {
                    let (message, choice) = unknown_selector(&error.text, self.catalog);
                    let help = error.suggestion.map(|meant| format!("did you mean `{meant}`?")).unwrap_or(choice);
                    self.error(key.span(), message, Some(help));
                    continue;
                }
            };
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
            let twice = match selector {
                Selector::Rule(index) => {
                    self.config.rules.insert(self.catalog.rules[index].id.clone(), setting).is_some()
                }
                Selector::Pack(pack) => self.config.packs.insert(pack, setting).is_some(),
                Selector::Category(category) => {
                    self.config.categories.push((category, setting));
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
        self.config.options.entry(rule.to_owned()).or_default().insert(option.to_owned(), values);
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

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
