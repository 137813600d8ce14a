//! `--target PACKAGE@VERSION`.

use agentcheck_catalog::{Catalog, Version};
use agentcheck_lint::nearest;

/// Reads targets such as `ai@7`, which means the newest known release of that major, and `@ai-sdk/react@2.0.100`.
pub(crate) fn parse(texts: &[String], catalog: &Catalog) -> Result<Vec<(String, Version)>, String> {
    texts.iter().map(|text| parse_one(text, catalog)).collect()
}

fn parse_one(text: &str, catalog: &Catalog) -> Result<(String, Version), String> {
    let usage = || format!("`{text}` is no target; write PACKAGE@VERSION, for example ai@7");
    let (name, version) = text.rsplit_once('@').filter(|(name, _)| !name.is_empty()).ok_or_else(usage)?;
    let Some(package) = catalog.package(name) else {
        let names: Vec<&str> = catalog.packages.iter().map(|package| package.name.as_str()).collect();
        let hint = match nearest(name, names.iter().copied()) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("known are {}", names.join(", ")),
        };
        return Err(format!("no rule depends on the version of `{name}`; {hint}"));
    };
    if let Ok(version) = version.parse::<Version>() {
        return Ok((name.to_owned(), version));
    }
    let major: u32 = version.parse().map_err(|_| usage())?;
    let release = package.newest.iter().find(|release| release.major == major).ok_or_else(|| {
        let known: Vec<String> = package.newest.iter().map(|release| release.major.to_string()).collect();
        format!("agentcheck knows no {name} {major}; known majors are {}", known.join(", "))
    })?;
    Ok((name.to_owned(), Version::from(*release)))
}

#[cfg(test)]
mod tests {
    use agentcheck_lint::builtin;

    use super::*;

    fn one(text: &str) -> Result<String, String> {
        parse_one(text, builtin::catalog()).map(|(name, version)| format!("{name} {version}"))
    }

    #[test]
    fn majors_and_full_versions() {
        assert_eq!(one("ai@7.0.100"), Ok("ai 7.0.100".to_owned()));
        assert!(one("ai@6").is_ok_and(|target| target.starts_with("ai 6.0.")));
        assert!(one("@ai-sdk/react@2").is_ok_and(|target| target.starts_with("@ai-sdk/react 2.0.")));
    }

    #[test]
    fn errors_say_what_is_known() {
        assert!(one("ai").is_err_and(|error| error.contains("PACKAGE@VERSION")));
        assert!(one("ai@99").is_err_and(|error| error.contains("known majors")));
        assert!(one("ai-sdk/react@2").is_err_and(|error| error.contains("did you mean `@ai-sdk/react`")));
        assert!(one("ai@latest").is_err());
    }
}
