//! The tables under `rules/`, as embedded by the build script.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use agentcheck_catalog::{Catalog, RuleDocs, decode_docs};

/// The built-in catalog.
pub fn catalog() -> &'static Catalog {
    static CATALOG: OnceLock<Catalog> = OnceLock::new();
    CATALOG.get_or_init(|| Catalog::decode(include_bytes!(concat!(env!("OUT_DIR"), "/catalog.bin"))))
}

/// The docs of the built-in rules, decoded at every call: only `explain` and the page generator ask.
pub fn docs() -> BTreeMap<String, RuleDocs> {
    decode_docs(include_bytes!(concat!(env!("OUT_DIR"), "/docs.bin")))
}
