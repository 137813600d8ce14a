//! Runs agentcheck on a repository, measures it, and reads what it says.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Output};
use std::thread::available_parallelism;
use std::time::Instant;

use agentcheck_catalog::{Severity, Version};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::table::{Finding, Run};
use super::verdict::Verdict;
use crate::Done;

/// GNU time: the only way to the peak memory of a process that needs no unsafe code and misses nothing. Polling
/// `/proc/PID/status` loses the end of a process, and most of these end within half a second.
const GNU_TIME: &str = "/usr/bin/time";

/// How agentcheck ends: clean, findings, wrong call, failed inside.
const CLEAN: i32 = 0;
const FINDINGS: i32 = 1;
const INTERNAL: i32 = 3;

/// The package whose versions tell repositories apart.
const PACKAGE: &str = "ai";

/// Runs a binary on repositories.
#[derive(Debug)]
pub(super) struct Observer {
    /// The program, and in tests what comes before the arguments.
    command: Vec<OsString>,
    runs: u32,
    has_gnu_time: bool,
}

/// What was seen.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) run: Run,
    /// `None` if agentcheck died before it could say.
    pub(super) findings: Option<Vec<Finding>>,
    /// Crashes, and outputs that differ from run to run.
    pub(super) problems: Vec<String>,
}

/// A process that has ended.
struct Ended {
    output: Output,
    seconds: f64,
    peak_kib: Option<u64>,
}

#[derive(Deserialize)]
struct Checked {
    findings: Vec<CheckedFinding>,
    notices: Vec<Notice>,
    summary: Summary,
}

#[derive(Deserialize)]
struct CheckedFinding {
    rule: String,
    severity: Severity,
    path: String,
    start: Start,
    fingerprint: String,
}

#[derive(Deserialize)]
struct Start {
    line: u32,
}

#[derive(Deserialize)]
struct Notice {
    kind: String,
    path: String,
    message: String,
}

#[derive(Deserialize)]
struct Summary {
    files: usize,
    parsed: usize,
    skipped: usize,
}

#[derive(Deserialize)]
struct SurveyedManifest {
    packages: Vec<SurveyedPackage>,
}

#[derive(Deserialize)]
struct SurveyedPackage {
    name: String,
    version: Option<String>,
    range: Option<String>,
}

impl Observer {
    pub(super) fn new(command: Vec<OsString>, runs: u32) -> Self {
        let version = Command::new(GNU_TIME).arg("--version").output();
        let has_gnu_time = version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("GNU"));
        if !has_gnu_time {
            eprintln!("{GNU_TIME} is not GNU time: peak memory is left out");
        }
        Self { command, runs, has_gnu_time }
    }

    /// Looks at a repository, or a folder of it.
    pub(super) fn observe(&self, root: &Path, folder: Option<&str>) -> Done<Seen> {
        let path = folder.unwrap_or(".");
        let mut ended = Vec::new();
        for _ in 0..self.runs {
            ended.push(self.start(root, &["check", "--format", "json", path])?);
        }
        let mut run = Run {
            seconds: hundredths(ended.iter().map(|ended| ended.seconds).fold(f64::INFINITY, f64::min)),
            peak_mib: ended.iter().filter_map(|ended| ended.peak_kib).max().map(|kib| kib.div_ceil(1024)),
            cores: available_parallelism().map_or(1, usize::from),
            ..Run::default()
        };
        let mut problems = Vec::new();
        if ended.windows(2).any(|pair| pair[0].output.stdout != pair[1].output.stdout) {
            problems.push("the output differs from run to run".to_owned());
        }
        let findings = match read_checked(&ended.swap_remove(0).output)? {
            Ok(checked) => {
                let (internal, others): (Vec<_>, Vec<_>) =
                    checked.notices.into_iter().partition(|notice| notice.kind == "internal");
                problems.extend(internal.iter().map(|notice| format!("CRASH {}: {}", notice.path, notice.message)));
                let Summary { files, parsed, skipped } = checked.summary;
                run = Run { files, parsed, skipped, crashes: internal.len(), ..run };
                run.notices = others.iter().filter(|notice| notice.kind != "not-inspected").count();
                Some(checked.findings.into_iter().map(Finding::from).collect::<Vec<_>>())
            }
            Err(died) => {
                run.crashes = 1;
                problems.push(format!("CRASH {died}"));
                None
            }
        };
        let fingerprints = findings.iter().flatten().map(|finding| finding.fingerprint.as_str());
        if let Some(twice) = first_repeated(fingerprints) {
            return Err(format!("two findings have the fingerprint {twice}: a verdict could not tell them apart"));
        }
        run.ai = self.versions(root, path)?;
        Ok(Seen { run, findings, problems })
    }

    fn versions(&self, root: &Path, path: &str) -> Done<Vec<String>> {
        let Ended { output, .. } = self.start(root, &["versions", "--format", "json", path])?;
        let manifests: Vec<SurveyedManifest> = read(&output)?;
        let packages = manifests.into_iter().flat_map(|manifest| manifest.packages);
        let ours = packages.filter(|package| package.name == PACKAGE);
        let mut versions: Vec<String> =
            ours.map(|package| package.version.or(package.range).unwrap_or_else(|| "unknown".to_owned())).collect();
        versions.sort_by_key(|text| (text.parse::<Version>().ok().map(|version| version.release), text.clone()));
        versions.dedup();
        Ok(versions)
    }

    /// Runs to the end.
    fn start(&self, root: &Path, arguments: &[&str]) -> Done<Ended> {
        let timer: &[&str] = if self.has_gnu_time { &[GNU_TIME, "--quiet", "--format", "%M"] } else { &[] };
        let mut words = timer.iter().map(OsString::from).chain(self.command.iter().cloned());
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words).args(arguments).current_dir(root);
        let began = Instant::now();
        let mut output =
            command.output().map_err(|error| format!("cannot run {:?}: {error}", command.get_program()))?;
        let seconds = began.elapsed().as_secs_f64();
        let peak_kib = if self.has_gnu_time { take_last_number(&mut output.stderr) } else { None };
        Ok(Ended { output, seconds, peak_kib })
    }
}

/// Takes what GNU time has added to standard error: a number on the last line.
fn take_last_number(text: &mut Vec<u8>) -> Option<u64> {
    let end = text.trim_ascii_end().len();
    let start = text[..end].iter().rposition(|byte| *byte == b'\n').map_or(0, |line_break| line_break + 1);
    let number = str::from_utf8(&text[start..end]).ok()?.parse().ok()?;
    text.truncate(start);
    Some(number)
}

/// The report; what it died of, if it did; or why the call was wrong.
fn read_checked(output: &Output) -> Done<Result<Checked, String>> {
    match output.status.code() {
        Some(CLEAN | FINDINGS) => read(output).map(Ok),
        Some(INTERNAL) => Ok(read(output).map_err(|_| format!("without a report: {}", said(output)))),
        // GNU time says it was a signal by adding 128.
        Some(code @ 129..) => Ok(Err(format!("signal {}: {}", code - 128, said(output)))),
        None => Ok(Err(format!("{}: {}", output.status, said(output)))),
        Some(_) => Err(format!("{}: {}", output.status, said(output))),
    }
}

fn read<T: DeserializeOwned>(output: &Output) -> Done<T> {
    serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("its JSON is not as expected: {error}; {}", said(output)))
}

/// The end of what it said on standard error.
fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(5)..].join("; ")
}

fn hundredths(seconds: f64) -> f64 {
    (seconds * 100.0).round() / 100.0
}

fn first_repeated<'a>(texts: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = std::collections::BTreeSet::new();
    texts.into_iter().find(|text| !seen.insert(*text))
}

impl From<CheckedFinding> for Finding {
    fn from(found: CheckedFinding) -> Self {
        let CheckedFinding { rule, severity, path, start, fingerprint } = found;
        let (verdict, reason) = (Verdict::Unjudged, String::new());
        Self { fingerprint, rule, severity, path, line: start.line, verdict, reason }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_gnu_time_adds_is_taken_away() {
        let take = |text: &str| {
            let mut text = text.as_bytes().to_vec();
            let number = take_last_number(&mut text);
            (number, String::from_utf8(text).expect("UTF-8"))
        };
        assert_eq!(take("note: a\n4711\n"), (Some(4711), "note: a\n".to_owned()));
        assert_eq!(take("4711\n"), (Some(4711), String::new()));
        assert_eq!(take("note: a\n"), (None, "note: a\n".to_owned()));
        assert_eq!(take(""), (None, String::new()));
    }

    #[test]
    fn times_are_rounded() {
        assert_eq!([0.204, 0.206, 1.0].map(hundredths), [0.2, 0.21, 1.0]);
    }

    /// What a shell script makes of a call, instead of agentcheck.
    #[cfg(unix)]
    fn observe(script: &str) -> Done<Seen> {
        let folder = tempfile::tempdir().expect("a folder");
        let versions =
            r#"[ "$1" = versions ] && echo '[{"packages":[{"name":"ai","version":"7.0.9","range":null}]}]' && exit"#;
        let script = format!("{versions}\n{script}");
        let command = ["/bin/sh", "-c", &script, "agentcheck"].map(OsString::from).to_vec();
        Observer::new(command, 2).observe(folder.path(), None)
    }

    #[cfg(unix)]
    fn report(findings: &str, notices: &str) -> String {
        let summary = r#"{"files":3,"parsed":2,"skipped":1}"#;
        format!(r#"echo '{{"findings":[{findings}],"notices":[{notices}],"summary":{summary}}}'"#)
    }

    #[cfg(unix)]
    #[test]
    fn findings_and_versions_are_read() {
        let finding = r#"{"rule":"a/b","severity":"info","path":"x.ts","start":{"line":4},"fingerprint":"f"}"#;
        let seen = observe(&format!("{}\nexit 1", report(finding, ""))).expect("a report");
        assert_eq!(seen.problems, Vec::<String>::new());
        let Run { ai, files, parsed, skipped, crashes, .. } = &seen.run;
        assert_eq!((ai.as_slice(), files, parsed, skipped, crashes), (["7.0.9".to_owned()].as_slice(), &3, &2, &1, &0));
        assert_eq!(seen.findings.map(|findings| findings[0].line), Some(4));
        let twice = observe(&report(&format!("{finding},{finding}"), ""));
        assert!(twice.is_err_and(|error| error.contains("two findings have the fingerprint f")));
    }

    #[cfg(unix)]
    #[test]
    fn crashes_are_told_from_wrong_calls() {
        let internal = r#"{"kind":"internal","path":"x.ts","message":"a/b failed"}"#;
        let seen = observe(&format!("{}\nexit 3", report("", internal))).expect("a report");
        assert_eq!((seen.run.crashes, seen.problems), (1, vec!["CRASH x.ts: a/b failed".to_owned()]));
        assert!(seen.findings.is_some(), "all other findings still count");
        let seen = observe("echo overflow >&2; kill -ABRT $$").expect("a crash is an observation");
        assert!(seen.findings.is_none() && seen.run.crashes == 1);
        assert!(seen.problems[0].contains("signal") && seen.problems[0].ends_with(": overflow"), "{:?}", seen.problems);
        assert!(observe("echo 'no such rule' >&2; exit 2").is_err_and(|error| error.ends_with("no such rule")));
    }

    #[cfg(unix)]
    #[test]
    fn outputs_that_differ_are_told() {
        let notice = r#"{"kind":"parse","path":"'$$'","message":""}"#;
        let seen = observe(&report("", notice)).expect("a report");
        assert_eq!(seen.problems, ["the output differs from run to run"]);
        assert_eq!(seen.run.notices, 1);
    }
}
