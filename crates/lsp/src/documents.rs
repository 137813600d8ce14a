//! The texts that are open in the editor.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentcheck_syntax::{Encoding, LineIndex, Position};
use serde_json::Value;

/// An open text.
pub(crate) struct Document {
    /// As the editor writes it: answers use the same spelling.
    pub uri: String,
    pub version: i64,
    pub text: Arc<str>,
}

/// All of them.
#[derive(Default)]
pub(crate) struct Documents {
    pub open: BTreeMap<PathBuf, Document>,
}

impl Documents {
    pub fn get(&self, path: &Path) -> Option<&Document> {
        self.open.get(path)
    }

    /// Applies the changes of a `didChange` notification in order.
    pub fn change(&mut self, path: &Path, version: i64, changes: &[Value], encoding: Encoding) {
        let Some(document) = self.open.get_mut(path) else { return };
        document.version = version;
        for change in changes {
            let text = change["text"].as_str().unwrap_or_default();
            match range(&change["range"]) {
                Some((start, end)) => {
                    let lines = LineIndex::new(&document.text);
                    let start = lines.offset(&document.text, start, encoding) as usize;
                    let end = lines.offset(&document.text, end, encoding) as usize;
                    let end = end.max(start);
                    document.text = [&document.text[..start], text, &document.text[end..]].concat().into();
                }
                None => document.text = text.into(),
            }
        }
    }
}

/// A range of the protocol.
pub(crate) fn range(value: &Value) -> Option<(Position, Position)> {
    let position = |value: &Value| {
        Some(Position {
            line: u32::try_from(value["line"].as_u64()?).ok()?,
            column: u32::try_from(value["character"].as_u64()?).ok()?,
        })
    };
    Some((position(&value["start"])?, position(&value["end"])?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn edits_are_applied_in_order_and_in_the_given_units() {
        let path = Path::new("/a.ts");
        let mut documents = Documents::default();
        let document = Document { uri: String::new(), version: 1, text: "ä🙂b\r\nc".into() };
        documents.open.insert(path.to_path_buf(), document);
        let edit = |line: u32, from: u32, to: u32, text: &str| {
            let at = |character: u32| json!({ "line": line, "character": character });
            json!({ "range": { "start": at(from), "end": at(to) }, "text": text })
        };
        documents.change(path, 2, &[edit(0, 3, 4, "x"), edit(1, 0, 0, "y")], Encoding::Utf16);
        assert_eq!(&*documents.open[path].text, "ä🙂x\r\nyc");
        documents.change(path, 3, &[edit(0, 2, 6, "")], Encoding::Utf8);
        assert_eq!(&*documents.open[path].text, "äx\r\nyc");
        documents.change(path, 4, &[json!({ "text": "all new" })], Encoding::Utf16);
        assert_eq!((&*documents.open[path].text, documents.open[path].version), ("all new", 4));
    }
}
