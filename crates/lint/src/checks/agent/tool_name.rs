//! Names of tools that clients and models refuse.

use agentcheck_syntax::Place;

use crate::context::{Context, Details};

pub(crate) fn check(cx: &mut Context<'_>) {
    let Some(view) = cx.rust() else { return };
    for tool in view.tools() {
        // Only a name that is written out may hold anything else than a name of Rust.
        let Some(given) = tool.attribute.and_then(|attribute| view.argument(attribute, "name")) else { continue };
        let Some(name) = given.strip_prefix('"').and_then(|name| name.strip_suffix('"')) else { continue };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let case = if name.is_empty() || name.len() > 128 || !name.chars().all(is_plain) {
            "refused"
        } else if name.len() > 64 {
            "long"
        } else {
            continue;
        };
        let packages = ["rmcp", "rig", "rig-core"];
        let Some(verdict) = packages.iter().find_map(|package| cx.judge(package, &[case])) else { continue };
        let span = view.module.function(tool.function).name;
        let slots = vec![("name", name.to_owned())];
        cx.report(&verdict, Place { file: cx.file, span }, Details { slots, ..Details::default() });
    }
}
