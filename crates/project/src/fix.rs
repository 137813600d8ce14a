//! Applies fixes in rounds until nothing is left to apply, and writes what changed.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentcheck_catalog::Safety;
use agentcheck_lint::{Applied, Finding, Notice, NoticeKind, apply_edits, choose, fingerprints};
use agentcheck_syntax::FileId;

use crate::session::Session;

/// Fixes may bring up further findings; more rounds than this mean that two of them undo each other.
const ROUNDS: usize = 10;

/// Rounds more for files whose fixes have to be tried one by one.
const CAREFUL_ROUNDS: usize = 200;

/// What fixing did to the texts.
#[derive(Debug, Default)]
pub struct Fixed {
    /// Changed files: the text before the first round and after the last.
    pub changed: BTreeMap<FileId, (Arc<str>, Arc<str>)>,
    /// How many fixes of each rule were applied.
    pub applied: Applied,
    /// Fixes that were left out because the file would not parse any more.
    pub notices: Vec<Notice>,
}

/// Applies every fix that is safe enough to the texts of a session, in memory.
pub fn fix(session: &mut Session<'_>, at_most: Safety, shown: impl Fn(FileId) -> String) -> Fixed {
    let mut fixed = Fixed::default();
    // Files in which a round broke the syntax: their fixes are tried one a round.
    let mut careful: BTreeSet<FileId> = BTreeSet::new();
    // Findings whose fix breaks the syntax, by fingerprint: places move from round to round.
    let mut refused: BTreeSet<String> = BTreeSet::new();
    let mut rounds = 0;
    while rounds < if careful.is_empty() { ROUNDS } else { CAREFUL_ROUNDS } {
        rounds += 1;
        let report = session.report();
        let fingerprints = fingerprints(&report);
        let open: Vec<(usize, &Finding)> =
            report.findings.iter().enumerate().filter(|(index, _)| !refused.contains(&fingerprints[*index])).collect();
        let chosen = choose(open.iter().copied(), at_most, &careful);
        if chosen.edits.is_empty() {
            break;
        }
        let before: BTreeMap<FileId, Arc<str>> =
            chosen.edits.keys().map(|file| (*file, Arc::clone(session.text(*file)))).collect();
        let errors = |session: &Session<'_>, file: FileId| session.program().module(file).syntax_errors.len();
        let errors_before: Vec<usize> = before.keys().map(|file| errors(session, *file)).collect();
        let after: BTreeMap<FileId, Arc<str>> =
            chosen.edits.iter().map(|(file, edits)| (*file, Arc::from(apply_edits(&before[file], edits)))).collect();
        session.replace(&after);
        let broken: Vec<FileId> = before
            .keys()
            .zip(errors_before)
            .filter(|(file, errors_before)| errors(session, **file) > *errors_before)
            .map(|(file, _)| *file)
            .collect();
        if !broken.is_empty() {
            // The round is undone as a whole.
            session.replace(&before);
            for file in broken {
                if careful.insert(file) {
                    continue;
                }
                let touches = |finding: &Finding| {
                    finding.fixes.iter().flat_map(|fix| &fix.edits).any(|edit| edit.place.file == file)
                };
                for index in chosen.findings.iter().filter(|index| touches(&report.findings[**index])) {
                    refused.insert(fingerprints[*index].clone());
                    let rule = &report.findings[*index].rule;
                    let message = format!("a fix of {rule} was left out: it would have broken the syntax");
                    fixed.notices.push(Notice { path: shown(file), kind: NoticeKind::NotInspected, message });
                }
            }
            continue;
        }
        for index in chosen.findings {
            *fixed.applied.entry(Arc::clone(&report.findings[index].rule)).or_default() += 1;
        }
        for (file, text) in before {
            fixed.changed.entry(file).or_insert_with(|| (Arc::clone(&text), Arc::clone(&text)));
        }
        for (file, text) in after {
            if let Some((_, now)) = fixed.changed.get_mut(&file) {
                *now = text;
            }
        }
    }
    fixed.changed.retain(|_, (before, after)| before != after);
    fixed
}

/// Why a file was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("{path}: it changed while it was being fixed; run again", path = .0.display())]
    Changed(PathBuf),
    #[error("{path}: {error}", path = .path.display())]
    Io { path: PathBuf, error: io::Error },
}

/// Replaces the content of a file at once, so that it is the old or the new one whatever happens in between. Links are
/// followed, the mode is kept. Nothing is written when the file no longer holds `before`.
pub fn write(path: &Path, before: &str, after: &str) -> Result<(), WriteError> {
    let error = |error: io::Error| WriteError::Io { path: path.to_path_buf(), error };
    let target = path.canonicalize().map_err(error)?;
    if std::fs::read(&target).map_err(error)? != before.as_bytes() {
        return Err(WriteError::Changed(path.to_path_buf()));
    }
    let metadata = std::fs::metadata(&target).map_err(error)?;
    // Renaming would go through on a read-only file; its owner said no.
    if metadata.permissions().readonly() {
        return Err(error(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only")));
    }
    let folder = target.parent().unwrap_or(Path::new("."));
    let mut temporary = tempfile::Builder::new().prefix(".agentcheck-").tempfile_in(folder).map_err(error)?;
    temporary.write_all(after.as_bytes()).map_err(error)?;
    temporary.as_file().set_permissions(metadata.permissions()).map_err(error)?;
    temporary.as_file().sync_all().map_err(error)?;
    temporary.persist(&target).map_err(|failed| error(failed.error))?;
    Ok(())
}
