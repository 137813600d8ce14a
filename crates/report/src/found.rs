//! The versions that a claim was decided by, in words.

use agentcheck_lint::Finding;
use agentcheck_model::{Evidence, VersionSource};

use crate::text::one_line;

/// `found ai 7.0.173 (node_modules)`, and a line for each package of which no version was found.
pub(crate) fn found_lines(finding: &Finding) -> Vec<String> {
    let is_assumed = |evidence: &&std::sync::Arc<Evidence>| evidence.source == VersionSource::Assumed;
    let found: Vec<String> =
        finding.packages.iter().filter(|evidence| !is_assumed(evidence)).map(|evidence| found(evidence)).collect();
    let mut lines = Vec::new();
    if !found.is_empty() {
        lines.push(format!("found {}", found.join(", ")));
    }
    lines.extend(
        finding.packages.iter().filter(is_assumed).map(|evidence| {
            format!("no version of {} found: all known majors considered", one_line(&evidence.package))
        }),
    );
    lines
}

fn found(evidence: &Evidence) -> String {
    let package = one_line(&evidence.package);
    let file = evidence.file.as_deref().map(|file| one_line(file.rsplit('/').next().unwrap_or(file)));
    let is_exact = evidence.versions.single().is_some();
    let version = match (&evidence.range, evidence.source) {
        // Several that are really there; the members of a declared range only stand for what could be.
        (_, VersionSource::NodeModules | VersionSource::Lockfile | VersionSource::Target) if !is_exact => {
            let members: Vec<&str> = evidence.versions.members().iter().map(|version| version.text.as_str()).collect();
            members.join(" and ")
        }
        _ => evidence.shown_version(),
    };
    let source = match evidence.source {
        VersionSource::NodeModules => "node_modules".into(),
        VersionSource::Lockfile => file.unwrap_or("lockfile".into()),
        VersionSource::Manifest if is_exact => file.unwrap_or("package.json".into()),
        VersionSource::Manifest if evidence.promised => {
            format!("{} peer range", file.unwrap_or("package.json".into())).into()
        }
        VersionSource::Manifest => format!("{} range; no lockfile", file.unwrap_or("package.json".into())).into(),
        VersionSource::Target => "target".into(),
        VersionSource::Assumed => "assumed".into(),
    };
    let known = if evidence.beyond_known { "; newer than agentcheck knows" } else { "" };
    format!("{package} {} ({source}{known})", one_line(&version))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{assumed, declared, installed, max_steps};

    fn lines(packages: Vec<Evidence>) -> Vec<String> {
        let mut finding = max_steps();
        finding.packages = packages.into_iter().map(Into::into).collect();
        found_lines(&finding)
    }

    #[test]
    fn says_what_was_found_and_where() {
        assert_eq!(lines(vec![installed("ai", &["7.0.173"])]), ["found ai 7.0.173 (node_modules)"]);
        assert_eq!(lines(vec![declared("ai", "^7.0.0")]), ["found ai ^7.0.0 (package.json range; no lockfile)"]);
        assert_eq!(lines(vec![assumed("ai")]), ["no version of ai found: all known majors considered"]);
        assert_eq!(lines(vec![]), Vec::<String>::new());
    }

    #[test]
    fn says_all_that_was_found() {
        let several =
            vec![installed("ai", &["6.0.325", "7.0.173"]), assumed("zod"), installed("@ai-sdk/react", &["4.0.2"])];
        assert_eq!(
            lines(several),
            [
                "found ai 6.0.325 and 7.0.173 (node_modules), @ai-sdk/react 4.0.2 (node_modules)",
                "no version of zod found: all known majors considered"
            ]
        );
    }

    #[test]
    fn admits_what_it_does_not_know() {
        let mut evidence = installed("ai", &["8.0.0"]);
        evidence.beyond_known = true;
        assert_eq!(lines(vec![evidence]), ["found ai 8.0.0 (node_modules; newer than agentcheck knows)"]);
    }

    #[test]
    fn a_promise_is_no_missing_lockfile() {
        let evidence = Evidence { promised: true, ..declared("ai", "^6 || ^7") };
        assert_eq!(lines(vec![evidence]), ["found ai ^6 || ^7 (package.json peer range)"]);
    }

    #[test]
    fn names_the_lockfile() {
        let mut evidence = installed("ai", &["7.0.173"]);
        evidence.source = VersionSource::Lockfile;
        evidence.file = Some("apps/web/pnpm-lock.yaml".into());
        assert_eq!(lines(vec![evidence]), ["found ai 7.0.173 (pnpm-lock.yaml)"]);
    }
}
