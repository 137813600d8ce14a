//! What a reader of the code says of a finding, and which findings nobody has read yet.

use agentcheck_catalog::Severity;
use serde::{Deserialize, Serialize};

use super::table::{Finding, Tables};

/// Whether what the finding says happens in that code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", try_from = "Written")]
pub(super) enum Verdict {
    True,
    False,
    #[default]
    Unjudged,
}

/// `verdict = true` is what a hand writes, and what it means is plain.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Flag(bool),
    Word(String),
}

impl TryFrom<Written> for Verdict {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        match written {
            Written::Flag(true) => Ok(Self::True),
            Written::Flag(false) => Ok(Self::False),
            Written::Word(word) => match word.as_str() {
                "true" => Ok(Self::True),
                "false" => Ok(Self::False),
                "unjudged" => Ok(Self::Unjudged),
                _ => Err(format!("a verdict is \"true\", \"false\" or \"unjudged\", not \"{word}\"")),
            },
        }
    }
}

impl Verdict {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::True => "true",
            Self::False => "false",
            Self::Unjudged => "unjudged",
        }
    }
}

/// What is left to judge, a sentence for each repository. Infos need no verdict.
pub(super) fn missing(tables: &Tables) -> Vec<String> {
    let mut problems = Vec::new();
    for repository in &tables.repositories {
        let findings = || tables.findings(repository).iter().filter(|finding| finding.severity > Severity::Info);
        let count = |which: fn(&&Finding) -> bool| findings().filter(which).count();
        let (unjudged, total) = (count(|finding| finding.verdict == Verdict::Unjudged), findings().count());
        if unjudged > 0 {
            let title = repository.title();
            problems.push(format!("{title}: {unjudged} of {total} errors and warnings are unjudged"));
        }
        let bare = count(|finding| finding.verdict != Verdict::Unjudged && finding.reason.trim().is_empty());
        if bare > 0 {
            problems.push(format!("{}: {bare} verdicts have no reason", repository.title()));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::super::table::samples::{finding, repository};
    use super::*;

    #[test]
    fn verdicts_are_words_or_flags() {
        #[derive(Deserialize)]
        struct Holder {
            verdict: Verdict,
        }
        let read = |text: &str| toml::from_str::<Holder>(&format!("verdict = {text}")).map(|holder| holder.verdict);
        assert_eq!(read("true"), Ok(Verdict::True));
        assert_eq!(read("\"false\""), Ok(Verdict::False));
        assert_eq!(read("\"unjudged\""), Ok(Verdict::Unjudged));
        assert!(read("\"maybe\"").is_err_and(|error| error.to_string().contains("not \"maybe\"")));
    }

    #[test]
    fn errors_and_warnings_need_a_verdict_with_a_reason() {
        let mut tables = Tables::default();
        let mut info = finding("a");
        info.severity = Severity::Info;
        let mut bare = finding("b");
        bare.verdict = Verdict::True;
        let mut judged = bare.clone();
        judged.reason = "runs once".to_owned();
        tables.put(repository("a/b", None), vec![info, judged]);
        assert!(missing(&tables).is_empty());
        tables.put(repository("c/d", Some("web")), vec![bare, finding("c")]);
        let problems = ["c/d web: 1 of 2 errors and warnings are unjudged", "c/d web: 1 verdicts have no reason"];
        assert_eq!(missing(&tables), problems);
    }
}
