//! Small questions about keys of objects that reach an SDK.

use agentcheck_model::{Infer, Key, Reach, ValueKind};

use crate::finding::Related;

/// Whether a key holds something: `undefined` asks for nothing.
pub(crate) fn holds_something(infer: &mut Infer<'_>, key: &Key) -> bool {
    let value = infer.eval(key.value);
    !matches!(infer.kind(value), ValueKind::Undefined)
}

/// What a key reaches, when the key is not written there.
pub(crate) fn leads_to(reach: &Reach, key: &Key) -> Vec<Related> {
    if key.place.file == reach.place.file && reach.span.contains(key.place.span) {
        return Vec::new();
    }
    vec![Related { place: reach.place, message: format!("reaches this call of `{}`", reach.name) }]
}
