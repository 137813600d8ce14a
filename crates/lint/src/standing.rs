//! What the versions that may be installed make of a name: an option, a property, an export.

use agentcheck_catalog::{Catalog, Intervals, Names, Release};
use agentcheck_model::{Evidence, VersionSource};

use crate::context::Context;

/// What the found versions make of a name.
pub(crate) enum Standing {
    /// They have it, or nothing can be said.
    Known,
    /// Some of them do not have it yet: where it is missing.
    Newer(Intervals),
    /// Some of them have it no more.
    Gone(Intervals),
    /// No version has it.
    Never,
}

/// What the found versions of a package make of one of its names.
pub(crate) fn standing(cx: &Context<'_>, names: &Names, name: &str, evidence: &Evidence) -> Standing {
    if *evidence.package != *names.package {
        return Standing::Known;
    }
    let members = evidence.versions.members();
    let Some(present) = names.versions_of(name) else {
        let Some(package) = cx.catalog.package(&names.package) else { return Standing::Known };
        // A version that the tables have not seen may have brought it, and so may a release candidate.
        let seen = |release: Release| {
            let newest = package.newest.iter().find(|newest| newest.major == release.major);
            newest.is_some_and(|newest| release <= *newest) && names.known.contains(release)
        };
        let all_seen = members.iter().all(|version| seen(version.release) && !is_preview(&version.text));
        return if all_seen { Standing::Never } else { Standing::Known };
    };
    // Which names a preview of a major has is not known.
    let same_major = |release: Release| {
        let (low, high) = (Release::new(release.major, 0, 0), Release::new(release.major + 1, 0, 0));
        present.thresholds().any(|threshold| low <= threshold && threshold < high)
    };
    if members.iter().any(|version| is_preview(&version.text) && same_major(version.release)) {
        return Standing::Known;
    }
    let Some((newer, gone)) = names.lacking(name) else { return Standing::Known };
    // Of a range within a major the newest release is installed, and where nothing says what is installed, code and version fit.
    let lies_in = |intervals: &Intervals| {
        let inside = |major: u32| {
            let mut own = members.iter().filter(|version| version.release.major == major);
            own.all(|version| intervals.contains(version.release))
        };
        match evidence.source {
            VersionSource::Assumed => members.iter().all(|version| intervals.contains(version.release)),
            _ => members.iter().any(|version| inside(version.release.major)),
        }
    };
    if lies_in(&newer) {
        Standing::Newer(newer)
    } else if lies_in(&gone) {
        Standing::Gone(gone)
    } else {
        Standing::Known
    }
}

fn is_preview(version: &str) -> bool {
    version.contains('-')
}

/// Whether every version that may be installed has a name.
pub(crate) fn is_everywhere(names: &Names, name: &str, evidence: &Evidence) -> bool {
    names
        .versions_of(name)
        .is_some_and(|versions| evidence.versions.members().iter().all(|version| versions.contains(version.release)))
}

/// Since when a name is there, in words: `ai 7`, `a later ai 7`.
pub(crate) fn since(names: &Names, name: &str) -> String {
    let Some(start) = names.versions_of(name).and_then(|versions| versions.before_last_start().end()) else {
        return names.package.clone();
    };
    match (start.minor, start.patch) {
        (0, 0) => format!("{} {}", names.package, start.major),
        _ => format!("a later {} {}", names.package, start.major),
    }
}

/// The option most likely meant by one that does not exist, and whether only its spelling differs: case, underscores.
pub(crate) fn nearest(catalog: &Catalog, names: &Names, name: &str, evidence: &Evidence) -> Option<(String, bool)> {
    let bare = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    let wanted = bare(name);
    // Short names are all alike.
    let reach = match wanted.len() {
        0..=3 => 0,
        4..=6 => 1,
        _ => 2,
    };
    let there = |candidate: &str| is_everywhere(names, candidate, evidence);
    let close = names
        .iter()
        .filter(|(candidate, _)| there(candidate))
        .filter_map(|(candidate, _)| {
            let distance = if bare(candidate) == wanted { 0 } else { strsim::osa_distance(candidate, name) };
            (distance <= reach).then_some((distance, candidate))
        })
        .min()
        .map(|(distance, candidate)| (candidate.to_owned(), distance == 0));
    // `max_tokens`, where `maxTokens` has another name by now.
    close.or_else(|| {
        let old = names.iter().map(|(candidate, _)| candidate).find(|candidate| bare(candidate) == wanted)?;
        let now = catalog.surface.successor(old).filter(|now| there(now))?;
        Some((now.to_owned(), true))
    })
}
