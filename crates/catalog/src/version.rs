//! Versions, intervals of versions, and the set of versions that a project may have installed.
//!
//! Gating is by plain precedence: `7.0.0-beta.12` counts as `7.0.0`. npm's own range matching leaves pre-releases out of
//! every ordinary range, which would silence a rule for everybody on a beta.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// `major.minor.patch`, the part of a version that decides which claims hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Release {
    pub major: u32,
    pub minor: u32,
    pub patch: u32,
}

impl Release {
    /// The release `major.minor.patch`.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self { major, minor, patch }
    }

    /// The next patch release, the exclusive upper bound of "this release only".
    pub const fn next_patch(self) -> Self {
        Self { patch: self.patch + 1, ..self }
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// Why a text is not a version or an interval.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {expected}")]
pub struct VersionError {
    text: String,
    expected: &'static str,
}

impl FromStr for Release {
    type Err = VersionError;

    /// Reads `7`, `7.0` or `7.0.173`; missing parts are 0.
    fn from_str(text: &str) -> Result<Self, VersionError> {
        let error = || VersionError { text: text.to_owned(), expected: "a version such as 7.0.173" };
        let mut parts = [0u32; 3];
        for (index, part) in text.split('.').enumerate() {
            *parts.get_mut(index).ok_or_else(error)? = part.parse().map_err(|_| error())?;
        }
        Ok(Self::new(parts[0], parts[1], parts[2]))
    }
}

/// A full version as it was written, for example `7.0.0-beta.12`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Version {
    pub release: Release,
    pub text: String,
}

impl From<Release> for Version {
    fn from(release: Release) -> Self {
        Self { release, text: release.to_string() }
    }
}

impl FromStr for Version {
    type Err = VersionError;

    /// Reads a full version; pre-release and build parts are kept as text and do not count for gating.
    fn from_str(text: &str) -> Result<Self, VersionError> {
        let text = text.trim();
        let text = text.strip_prefix(['v', '=']).unwrap_or(text);
        let error = || VersionError { text: text.to_owned(), expected: "a full version such as 7.0.173" };
        let core = text.split(['-', '+']).next().unwrap_or_default();
        if core.split('.').count() != 3 {
            return Err(error());
        }
        Ok(Self { release: core.parse().map_err(|_| error())?, text: text.to_owned() })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A union of half-open intervals, for example `>=5.0.184 <6.0.0 || >=6.0.170`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intervals(Vec<(Release, Option<Release>)>);

impl Intervals {
    /// Every version.
    pub fn all() -> Self {
        Self(vec![(Release::new(0, 0, 0), None)])
    }

    /// No version.
    pub fn none() -> Self {
        Self(Vec::new())
    }

    /// Whether no version lies in them.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first version behind them, or `None` when they go on for ever or are empty.
    pub fn end(&self) -> Option<Release> {
        let ends: Option<Vec<Release>> = self.0.iter().map(|(_, high)| *high).collect();
        ends?.into_iter().max()
    }

    /// Every version that lies in both.
    pub fn and(&self, other: &Self) -> Self {
        let mut both: Vec<(Release, Option<Release>)> = Vec::new();
        for (low, high) in &self.0 {
            for (other_low, other_high) in &other.0 {
                let low = *low.max(other_low);
                let high = match (high, other_high) {
                    (Some(a), Some(b)) => Some(*a.min(b)),
                    (one, None) | (None, one) => *one,
                };
                if high.is_none_or(|high| low < high) {
                    both.push((low, high));
                }
            }
        }
        both.sort_unstable();
        Self(both)
    }

    /// Every version that lies in none of them.
    pub fn complement(&self) -> Self {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let mut gaps = Vec::new();
        let mut from = Some(Release::new(0, 0, 0));
        for (low, high) in sorted {
            let Some(start) = from else { break };
            if start < low {
                gaps.push((start, Some(low)));
            }
            from = high.map(|high| high.max(start));
        }
        gaps.extend(from.map(|from| (from, None)));
        Self(gaps)
    }

    /// Every version before the last of the intervals begins.
    pub fn before_last_start(&self) -> Self {
        match self.0.iter().map(|(low, _)| *low).max() {
            Some(low) if low != Release::new(0, 0, 0) => Self(vec![(Release::new(0, 0, 0), Some(low))]),
            _ => Self::none(),
        }
    }

    /// Whether `release` lies in one of the intervals.
    pub fn contains(&self, release: Release) -> bool {
        self.0.iter().any(|(low, high)| *low <= release && high.is_none_or(|high| release < high))
    }

    /// The releases at which membership changes. Together with the newest releases they are the only versions that the
    /// tables can tell apart.
    pub fn thresholds(&self) -> impl Iterator<Item = Release> + '_ {
        self.0.iter().flat_map(|(low, high)| [Some(*low), *high]).flatten()
    }
}

impl FromStr for Intervals {
    type Err = VersionError;

    /// Reads comparators (`>=`, `>`, `<`, `<=`, `=`) joined by spaces, alternatives joined by `||`; `*` is everything.
    fn from_str(text: &str) -> Result<Self, VersionError> {
        let mut intervals = Vec::new();
        for alternative in text.split("||") {
            let (mut low, mut high) = (Release::new(0, 0, 0), None);
            for comparator in alternative.split_whitespace() {
                let digits = comparator.find(|c: char| c.is_ascii_digit()).unwrap_or(comparator.len());
                let (operator, version) = comparator.split_at(digits);
                match operator {
                    ">=" => low = version.parse()?,
                    ">" => low = version.parse::<Release>()?.next_patch(),
                    "<" => high = Some(version.parse()?),
                    "<=" => high = Some(version.parse::<Release>()?.next_patch()),
                    "=" => {
                        low = version.parse()?;
                        high = Some(low.next_patch());
                    }
                    "*" if version.is_empty() => {}
                    _ => {
                        return Err(VersionError {
                            text: comparator.to_owned(),
                            expected: "a comparator such as >=5.0.184, <7 or *",
                        });
                    }
                }
            }
            intervals.push((low, high));
        }
        Ok(Self(intervals))
    }
}

impl fmt::Display for Intervals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (low, high)) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(" || ")?;
            }
            match (*low == Release::new(0, 0, 0), high) {
                (true, None) => f.write_str("*")?,
                (true, Some(high)) => write!(f, "<{high}")?,
                (false, None) => write!(f, ">={low}")?,
                (false, Some(high)) => write!(f, ">={low} <{high}")?,
            }
        }
        Ok(())
    }
}

/// On how much of a set of versions a claim holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// On every version of the set: report in full.
    All,
    /// On some of them: report as info that says so.
    Some,
    /// On none: stay silent.
    None,
}

/// The versions of one package that a piece of code may run with: never empty. One version when it was found installed or
/// locked; several when only a range is known, or when several are installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versions(Vec<Version>);

impl Versions {
    /// Exactly one version.
    pub fn exact(version: Version) -> Self {
        Self(vec![version])
    }

    /// The set of `versions`, or `None` when there are none. Order and duplicates do not matter.
    pub fn of(mut versions: Vec<Version>) -> Option<Self> {
        versions.sort_by(|a, b| a.release.cmp(&b.release).then_with(|| a.text.cmp(&b.text)));
        versions.dedup();
        (!versions.is_empty()).then_some(Self(versions))
    }

    /// The members, oldest first.
    pub fn members(&self) -> &[Version] {
        &self.0
    }

    /// The only member, if there is just one.
    pub fn single(&self) -> Option<&Version> {
        match self.0.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// The newest member.
    pub fn newest(&self) -> &Version {
        &self.0[self.0.len() - 1]
    }

    /// On how much of this set a claim about `intervals` holds.
    pub fn holds(&self, intervals: &Intervals) -> Holds {
        let inside = self.0.iter().filter(|version| intervals.contains(version.release)).count();
        match inside {
            0 => Holds::None,
            n if n == self.0.len() => Holds::All,
            _ => Holds::Some,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn versions(texts: &[&str]) -> Versions {
        Versions::of(texts.iter().map(|text| text.parse().expect("a version")).collect()).expect("not empty")
    }

    fn intervals(text: &str) -> Intervals {
        text.parse().expect("intervals")
    }

    #[test]
    fn a_pre_release_counts_as_the_release_it_leads_to() {
        let beta = versions(&["7.0.0-beta.12"]);
        assert_eq!(beta.holds(&intervals(">=7.0.0")), Holds::All);
        assert_eq!(beta.holds(&intervals("<7")), Holds::None);
        assert_eq!(beta.newest().to_string(), "7.0.0-beta.12");
    }

    #[test]
    fn intervals_are_half_open_and_may_have_gaps() {
        let warned = intervals(">=5.0.184 <6.0.0 || >=6.0.170 <7");
        for (version, inside) in [
            ("5.0.183", false),
            ("5.0.184", true),
            ("6.0.0", false),
            ("6.0.170", true),
            ("6.9.0", true),
            ("7.0.0", false),
        ] {
            assert_eq!(versions(&[version]).holds(&warned) == Holds::All, inside, "{version}");
        }
        assert_eq!(warned.to_string(), ">=5.0.184 <6.0.0 || >=6.0.170 <7.0.0");
        assert_eq!(warned.thresholds().count(), 4);
    }

    #[test]
    fn intervals_can_be_cut_and_turned_around() {
        let gaps = intervals("<4 || >=7");
        assert_eq!(gaps.complement().to_string(), ">=4.0.0 <7.0.0");
        assert_eq!(gaps.complement().complement(), gaps);
        assert_eq!(gaps.and(&intervals(">=3 <8")).to_string(), ">=3.0.0 <4.0.0 || >=7.0.0 <8.0.0");
        assert!(gaps.and(&intervals(">=5 <6")).is_empty());
        assert!(Intervals::all().complement().is_empty());
        assert_eq!(Intervals::none().complement(), Intervals::all());
        assert_eq!(gaps.before_last_start().to_string(), "<7.0.0");
        assert_eq!((gaps.end(), intervals("<5").end()), (None, Some(Release::new(5, 0, 0))));
    }

    #[test]
    fn a_claim_can_hold_on_part_of_a_set() {
        let peer = versions(&["6.0.0", "7.0.0", "7.0.173"]);
        assert_eq!(peer.holds(&intervals(">=7")), Holds::Some);
        assert_eq!(peer.holds(&intervals(">=6")), Holds::All);
        assert_eq!(peer.holds(&intervals("<6")), Holds::None);
    }

    #[test]
    fn bad_texts_are_errors() {
        assert!("latest".parse::<Version>().is_err());
        assert!("7.0".parse::<Version>().is_err());
        assert!("~7".parse::<Intervals>().is_err());
        assert!("1.2.3.4".parse::<Release>().is_err());
    }
}
