//! Which rules run, how severe their findings are, and their options.

use agentcheck_catalog::{Catalog, Rule, Severity};

/// What a selector names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selector {
    /// A rule, by its index in the catalog.
    Rule(usize),
    /// `pack/*`.
    Pack(String),
    /// `category:NAME`.
    Category(agentcheck_catalog::Category),
}

/// Why a text selects nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectorError {
    pub text: String,
    /// What may have been meant.
    pub suggestion: Option<String>,
}

impl std::fmt::Display for SelectorError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.text.strip_suffix("/*") {
            Some(pack) => write!(f, "there is no pack called `{pack}`")?,
            None => write!(f, "there is no rule called `{}`", self.text)?,
        }
        match &self.suggestion {
            Some(suggestion) => write!(f, "; did you mean `{suggestion}`?"),
            None => f.write_str("; `agentcheck rules` lists them"),
        }
    }
}

impl std::error::Error for SelectorError {}

impl Selector {
    /// Reads `pack/rule`, `pack/*` or `category:NAME`. Former rule ids are understood.
    pub fn parse(text: &str, catalog: &Catalog) -> Result<Self, SelectorError> {
        if let Some(name) = text.strip_prefix("category:") {
            let category = agentcheck_catalog::Category::ALL.into_iter().find(|category| category.name() == name);
            return category.map(Self::Category).ok_or_else(|| SelectorError {
                text: text.to_owned(),
                suggestion: nearest(name, agentcheck_catalog::Category::ALL.iter().map(|category| category.name()))
                    .map(|name| format!("category:{name}")),
            });
        }
        if let Some(pack) = text.strip_suffix("/*") {
            if catalog.rules.iter().any(|rule| rule.pack() == pack) {
                return Ok(Self::Pack(pack.to_owned()));
            }
            let suggestion = nearest(pack, catalog.rules.iter().map(Rule::pack)).map(|pack| format!("{pack}/*"));
            return Err(SelectorError { text: text.to_owned(), suggestion });
        } else if let Some((index, _)) = catalog.rule(text) {
            return Ok(Self::Rule(index));
        }
        Err(SelectorError { text: text.to_owned(), suggestion: suggest_rule(text, catalog) })
    }

    /// Whether `rule`, which has this index, is selected.
    pub fn matches(&self, index: usize, rule: &Rule) -> bool {
        match self {
            Self::Rule(selected) => *selected == index,
            Self::Pack(pack) => rule.pack() == pack,
            Self::Category(category) => rule.category == *category,
        }
    }
}

/// The rule id that is nearest to a misspelt one, with or without its pack.
pub fn suggest_rule(text: &str, catalog: &Catalog) -> Option<String> {
    let bare = catalog.rules.iter().find(|rule| rule.id.ends_with(&format!("/{text}")));
    match bare {
        Some(rule) => Some(rule.id.clone()),
        None => nearest(text, catalog.rules.iter().map(|rule| rule.id.as_str())),
    }
}

/// The candidate most like `text`, if one is alike enough to be meant.
pub fn nearest<'c>(text: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<String> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(text, candidate), candidate))
        .filter(|(score, _)| *score > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate.to_owned())
}

/// The settings of one rule.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuleSettings {
    pub off: bool,
    /// Replaces the severity of every case.
    pub severity: Option<Severity>,
    /// Whether pedantic cases are reported.
    pub pedantic: bool,
    /// Option name → values.
    pub options: Vec<(String, Vec<String>)>,
}

impl RuleSettings {
    /// The values of an option; empty when it is not set.
    pub fn option(&self, name: &str) -> &[String] {
        self.options.iter().find(|(key, _)| key == name).map_or(&[], |(_, values)| values)
    }
}

/// The settings of every rule, by its index in the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub rules: Vec<RuleSettings>,
}

impl Settings {
    /// Everything on except pedantic cases.
    pub fn new(catalog: &Catalog) -> Self {
        Self { rules: vec![RuleSettings::default(); catalog.rules.len()] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin;

    #[test]
    fn selectors_name_rules_packs_and_categories() {
        let catalog = builtin::catalog();
        let (index, rule) = catalog.rule("ai-sdk/max-steps").expect("a rule");
        for text in ["ai-sdk/max-steps", "ai-sdk/*", "category:silent-break"] {
            assert!(Selector::parse(text, catalog).expect(text).matches(index, rule), "{text}");
        }
        assert!(!Selector::parse("meta/*", catalog).expect("a pack").matches(index, rule));
    }

    #[test]
    fn a_misspelt_selector_suggests() {
        let catalog = builtin::catalog();
        let suggestion = |text| Selector::parse(text, catalog).expect_err(text).suggestion;
        assert_eq!(suggestion("ai-sdk/max-step").as_deref(), Some("ai-sdk/max-steps"));
        assert_eq!(suggestion("max-steps").as_deref(), Some("ai-sdk/max-steps"));
        assert_eq!(suggestion("category:silent").as_deref(), Some("category:silent-break"));
        assert_eq!(suggestion("zzz"), None);
    }
}
