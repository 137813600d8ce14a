//! What was found now against what is on record: verdicts are kept, and the difference is told.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use agentcheck_catalog::Severity;

use super::table::{Finding, Run};
use super::verdict::Verdict;

/// How a new look differs from the last.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Changes {
    appeared: Vec<Finding>,
    vanished: Vec<Finding>,
    /// The finding as it is now, and the severity it had. Its verdict was given to another claim: worth a second look.
    regraded: Vec<(Finding, Severity)>,
}

/// The findings of now, in their order, with the verdicts of those that are on record by the same fingerprint. What moved
/// to another line is the same finding.
pub(super) fn merge(recorded: &[Finding], found: Vec<Finding>) -> (Vec<Finding>, Changes) {
    let mut known: BTreeMap<&str, &Finding> =
        recorded.iter().map(|finding| (finding.fingerprint.as_str(), finding)).collect();
    let mut changes = Changes::default();
    let mut merged = Vec::with_capacity(found.len());
    for mut finding in found {
        match known.remove(finding.fingerprint.as_str()) {
            Some(before) => {
                (finding.verdict, finding.reason) = (before.verdict, before.reason.clone());
                if before.severity != finding.severity {
                    changes.regraded.push((finding.clone(), before.severity));
                }
            }
            None => changes.appeared.push(finding.clone()),
        }
        merged.push(finding);
    }
    let vanished = recorded.iter().filter(|finding| known.contains_key(finding.fingerprint.as_str()));
    changes.vanished = vanished.cloned().collect();
    (merged, changes)
}

impl Changes {
    /// A line for the repository, and one for each difference: `+` appeared, `-` vanished, `~` has another severity.
    pub(super) fn describe(&self, title: &str, findings: &[Finding], run: &Run) -> String {
        let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
        let memory = run.peak_mib.map_or_else(String::new, |mib| format!(", {mib} MiB"));
        let crashes = if run.crashes > 0 { format!(", {} CRASHED", run.crashes) } else { String::new() };
        let mut text = format!(
            "{title}: {} errors, {} warnings, {} infos in {} files ({} parsed), {:.2} s{memory}{crashes}; {} appeared, {} vanished\n",
            count(Severity::Error),
            count(Severity::Warning),
            count(Severity::Info),
            run.files,
            run.parsed,
            run.seconds,
            self.appeared.len(),
            self.vanished.len(),
        );
        let mut line = |sign: char, finding: &Finding, remark: &str| {
            let Finding { rule, severity, path, line, .. } = finding;
            let _ = writeln!(text, "  {sign} {} {rule} {path}:{line}{remark}", severity.name());
        };
        for finding in &self.appeared {
            line('+', finding, "");
        }
        for finding in &self.vanished {
            line('-', finding, &judged(finding));
        }
        for (finding, before) in &self.regraded {
            line('~', finding, &format!("  was {}{}", before.name(), judged(finding)));
        }
        text
    }
}

/// The verdict of a finding, if it has one.
fn judged(finding: &Finding) -> String {
    match (finding.verdict, finding.reason.as_str()) {
        (Verdict::Unjudged, _) => String::new(),
        (verdict, "") => format!("  judged {}", verdict.name()),
        (verdict, reason) => format!("  judged {}: {reason}", verdict.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::samples::finding;
    use super::*;

    fn judged(fingerprint: &str, verdict: Verdict, reason: &str) -> Finding {
        Finding { verdict, reason: reason.to_owned(), ..finding(fingerprint) }
    }

    #[test]
    fn verdicts_stay_with_their_fingerprint() {
        let recorded = [judged("a", Verdict::True, "seen"), judged("b", Verdict::False, "own tool"), finding("c")];
        let found = ["b", "c", "a"].map(finding).to_vec();
        let (merged, changes) = merge(&recorded, found);
        assert_eq!(merged, [recorded[1].clone(), recorded[2].clone(), recorded[0].clone()], "in the order of now");
        assert_eq!(changes, Changes::default());
    }

    #[test]
    fn a_finding_that_moved_is_the_same() {
        let recorded = [judged("a", Verdict::True, "seen")];
        let moved = Finding { line: 99, ..finding("a") };
        let (merged, changes) = merge(&recorded, vec![moved]);
        assert_eq!(merged, [Finding { line: 99, ..recorded[0].clone() }]);
        assert_eq!(changes, Changes::default());
    }

    #[test]
    fn what_is_new_is_unjudged_and_what_is_gone_is_told() {
        let recorded = [judged("a", Verdict::True, "seen"), finding("b")];
        let (merged, changes) = merge(&recorded, vec![finding("b"), finding("c")]);
        assert_eq!(merged, [finding("b"), finding("c")]);
        assert_eq!(changes.appeared, [finding("c")]);
        assert_eq!(changes.vanished, [recorded[0].clone()]);
        assert_eq!(
            changes.describe("a/b", &merged, &Run { files: 5, parsed: 2, crashes: 1, ..Run::default() }),
            "a/b: 2 errors, 0 warnings, 0 infos in 5 files (2 parsed), 0.00 s, 1 CRASHED; 1 appeared, 1 vanished\n  \
             + error ai-sdk/max-steps src/a.ts:3\n  \
             - error ai-sdk/max-steps src/a.ts:3  judged true: seen\n"
        );
    }

    #[test]
    fn another_severity_keeps_the_verdict_and_is_told() {
        let recorded = [judged("a", Verdict::True, "")];
        let now = Finding { severity: Severity::Info, ..finding("a") };
        let (merged, changes) = merge(&recorded, vec![now]);
        assert_eq!(merged[0].verdict, Verdict::True);
        assert_eq!(changes.regraded, [(merged[0].clone(), Severity::Error)]);
        let text = changes.describe("a/b", &merged, &Run::default());
        assert!(text.ends_with("  ~ info ai-sdk/max-steps src/a.ts:3  was error  judged true\n"), "{text}");
    }
}
