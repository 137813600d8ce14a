//! What the text behind a package's name means: a range, an alias, a place in the workspace, a catalog, a folder.

use agentcheck_catalog::{Package, Version, Versions};
use nodejs_semver::Range;

/// No range that somebody wrote is longer, and reading one costs more than linearly.
const LONGEST_SPEC: usize = 1000;

/// The meaning of a version text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spec<'t> {
    /// `^7.0.0`, `>=5 <7`, `6.0.132`.
    Range(&'t str),
    /// `npm:ai@^5`: another package under this name.
    Alias { package: &'t str, spec: &'t str },
    /// `workspace:` and what follows: `*`, `^`, `~`, a range or a path.
    Workspace(&'t str),
    /// `catalog:` and the catalog's name, empty for the default one.
    Catalog(&'t str),
    /// `file:`, `link:`, `portal:`: a folder, relative to the manifest.
    Directory(&'t str),
    /// A tag such as `latest`, a repository, an address: nothing that can be known from the text.
    Unknown,
}

impl<'t> Spec<'t> {
    /// Reads a version text.
    pub fn parse(text: &'t str) -> Self {
        let text = text.trim();
        if text.len() > LONGEST_SPEC {
            return Self::Unknown;
        }
        if let Some(rest) = text.strip_prefix("npm:") {
            return match rest.char_indices().skip(1).find(|(_, character)| *character == '@') {
                Some((at, _)) => Self::Alias { package: &rest[..at], spec: &rest[at + 1..] },
                // Yarn writes `npm:^7.0.0` for a plain range.
                None if is_range(rest) => Self::Range(rest),
                None => Self::Alias { package: rest, spec: "*" },
            };
        }
        if let Some(rest) = text.strip_prefix("workspace:") {
            return Self::Workspace(rest);
        }
        if let Some(name) = text.strip_prefix("catalog:") {
            return Self::Catalog(name);
        }
        for prefix in ["file:", "link:", "portal:"] {
            if let Some(path) = text.strip_prefix(prefix) {
                return Self::Directory(path);
            }
        }
        if text.starts_with(['.', '/']) {
            return Self::Directory(text);
        }
        if is_range(text) { Self::Range(text) } else { Self::Unknown }
    }
}

fn alternatives(text: &str) -> impl Iterator<Item = Option<Range>> {
    text.split("||").map(|alternative| Range::parse(alternative.trim()).ok())
}

fn is_range(text: &str) -> bool {
    alternatives(text).any(|range| range.is_some())
}

/// The versions of `package` that a range stands for: the lowest version of each alternative, and every release that
/// the tables can tell apart and that satisfies it. A range past all that is known stands for its lowest version.
pub(crate) fn versions_of_range(text: &str, package: &Package) -> Option<Versions> {
    let known = package.known();
    let mut members: Vec<Version> = Vec::new();
    for range in alternatives(text).flatten() {
        let satisfying = known.iter().filter(|release| {
            let version = (u64::from(release.major), u64::from(release.minor), u64::from(release.patch));
            range.satisfies(&version.into())
        });
        let before = members.len();
        members.extend(satisfying.copied().map(Version::from));
        let lowest = range.min_version().and_then(|version| version.to_string().parse::<Version>().ok());
        // Without a lower bound the lowest version is 0.0.0, which nobody means.
        let is_bounded = |lowest: &Version| lowest.release != agentcheck_catalog::Release::new(0, 0, 0);
        if let Some(lowest) = lowest
            && (members.len() == before || is_bounded(&lowest))
        {
            // `^7.0.0-beta.3` is mostly used with the releases; where their claims begin, 7.0.0 is known itself.
            members.push(lowest);
        }
    }
    Versions::of(members)
}

/// Whether a version is in a range; a pre-release also where the release that it leads to is. `None` when the text is
/// no range.
pub(crate) fn satisfies(version: &Version, range: &str) -> Option<bool> {
    let release = nodejs_semver::Version::parse(version.release.to_string()).ok()?;
    let version = nodejs_semver::Version::parse(&version.text).ok()?;
    let mut any = None;
    for alternative in alternatives(range).flatten() {
        *any.get_or_insert(false) |=
            alternative.satisfies_with_prerelease(&version, true) || alternative.satisfies(&release);
    }
    any
}

/// Whether a range is open to more than one major version of a package.
pub(crate) fn spans_majors(versions: &Versions) -> bool {
    let majors = |index: usize| versions.members()[index].release.major;
    majors(0) != majors(versions.members().len() - 1)
}

#[cfg(test)]
mod tests {
    use agentcheck_catalog::Release;

    use super::*;

    fn ai() -> Package {
        Package {
            pack: "ai-sdk".to_owned(),
            ecosystem: agentcheck_catalog::Ecosystem::Npm,
            name: "ai".to_owned(),
            newest: vec![
                Release::new(4, 3, 19),
                Release::new(5, 0, 277),
                Release::new(6, 0, 257),
                Release::new(7, 0, 173),
            ],
            thresholds: vec![Release::new(5, 0, 184), Release::new(6, 0, 170)],
        }
    }

    fn members(range: &str) -> String {
        let versions = versions_of_range(range, &ai());
        versions.map_or("none".to_owned(), |versions| {
            versions.members().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        })
    }

    #[test]
    fn a_range_stands_for_the_releases_that_the_tables_can_tell_apart() {
        for (range, expected) in [
            ("^7", "7.0.0 7.0.173"),
            ("^7.0.66", "7.0.66 7.0.173"),
            ("7.x", "7.0.0 7.0.173"),
            ("~5.0.100", "5.0.100 5.0.184 5.0.277"),
            ("6.0.132", "6.0.132"),
            ("=6.0.132", "6.0.132"),
            ("v6.0.132", "6.0.132"),
            ("^6.0.200 || ^7.0.100", "6.0.200 6.0.257 7.0.100 7.0.173"),
            (">=5 <7", "5.0.0 5.0.184 5.0.277 6.0.0 6.0.170 6.0.257"),
            ("5 - 6", "5.0.0 5.0.184 5.0.277 6.0.0 6.0.170 6.0.257"),
            (">=6.0.250", "6.0.250 6.0.257 7.0.0 7.0.173"),
            ("*", "4.0.0 4.3.19 5.0.0 5.0.184 5.0.277 6.0.0 6.0.170 6.0.257 7.0.0 7.0.173"),
            ("", "4.0.0 4.3.19 5.0.0 5.0.184 5.0.277 6.0.0 6.0.170 6.0.257 7.0.0 7.0.173"),
            ("<5", "4.0.0 4.3.19"),
            ("^8", "8.0.0"),
            ("^2.1", "2.1.0"),
            ("^7.0.0-beta.3", "7.0.0 7.0.0-beta.3 7.0.173"),
            ("7.0.0-canary.12", "7.0.0-canary.12"),
        ] {
            assert_eq!(members(range), expected, "{range}");
        }
    }

    #[test]
    fn texts_mean_what_package_managers_take_them_for() {
        for (text, expected) in [
            ("^7", Spec::Range("^7")),
            (" 7.x ", Spec::Range("7.x")),
            ("^6 || next", Spec::Range("^6 || next")),
            ("npm:ai@^5", Spec::Alias { package: "ai", spec: "^5" }),
            ("npm:@ai-sdk/react@1.2.3", Spec::Alias { package: "@ai-sdk/react", spec: "1.2.3" }),
            ("npm:@ai-sdk/react", Spec::Alias { package: "@ai-sdk/react", spec: "*" }),
            ("npm:^7.0.0", Spec::Range("^7.0.0")),
            ("npm:", Spec::Range("")),
            ("workspace:^", Spec::Workspace("^")),
            ("catalog:", Spec::Catalog("")),
            ("catalog:next", Spec::Catalog("next")),
            ("file:../ai", Spec::Directory("../ai")),
            ("link:../ai", Spec::Directory("../ai")),
            ("./ai", Spec::Directory("./ai")),
            ("latest", Spec::Unknown),
            ("canary", Spec::Unknown),
            ("github:vercel/ai", Spec::Unknown),
            ("vercel/ai#main", Spec::Unknown),
            ("https://example.com/ai-7.0.0.tgz", Spec::Unknown),
            ("git+ssh://git@github.com/vercel/ai.git#semver:^7", Spec::Unknown),
        ] {
            assert_eq!(Spec::parse(text), expected, "{text}");
        }
    }

    #[test]
    fn pre_releases_satisfy_the_range_they_lead_into() {
        let satisfies = |version: &str, range| satisfies(&version.parse().expect("a version"), range);
        assert_eq!(satisfies("7.0.10", "^7.0.0"), Some(true));
        assert_eq!(satisfies("6.0.0", "^7.0.0"), Some(false));
        assert_eq!(satisfies("7.1.0-beta.1", "^7.0.0"), Some(true));
        assert_eq!(satisfies("7.0.0-beta.1", "^7.0.0"), Some(true));
        assert_eq!(satisfies("7.0.0-beta.4", "^7.0.0-beta.3"), Some(true));
        assert_eq!(satisfies("7.0.0", "latest"), None);
    }

    #[test]
    fn hostile_texts_are_unknown() {
        assert_eq!(Spec::parse(&"^7 || ".repeat(1000)), Spec::Unknown);
        assert_eq!(Spec::parse(&"<".repeat(900)), Spec::Unknown);
        for text in ["99999999999999999999.0.0", "^4294967296", "npm:é@^1", "npm:@", "^", "||", "@", "1.2.3.4"] {
            let _ = (Spec::parse(text), versions_of_range(text, &ai()));
        }
    }
}
