//! A zod that the installed SDK cannot read the schemas of.

use agentcheck_catalog::{Release, Versions};

use crate::context::{Context, Details};
use crate::schemas::positions;
use crate::zod::{Flavor, schema};

pub(crate) fn check(cx: &mut Context<'_>) {
    let Some(zod) = cx.evidence("zod") else { return };
    let all = |versions: &Versions, test: fn(Release) -> bool| versions.members().iter().all(|version| test(version.release));
    let is_declared = cx.is_declared("zod");
    let is_four = is_declared && all(&zod.versions, |release| release.major >= 4);
    let is_old = is_declared && all(&zod.versions, |release| release < Release::new(3, 25, 0));
    for position in positions(cx) {
        let Some(root) = schema(&mut cx.infer, position.schema) else { continue };
        let case = match root.flavor {
            Flavor::Installed if is_four => "four",
            Flavor::Four => "four",
            Flavor::Installed if is_old => "old",
            _ => continue,
        };
        if !cx.is_declared(&position.typed.reach.package) {
            continue;
        }
        let Some(verdict) = cx.judge(&position.typed.reach.package, &[case]) else { continue };
        // All schemas of the file have it: the first stands for all.
        let slots = vec![("zod", zod.shown_version())];
        cx.report(&verdict, position.key.place, Details { slots, ..Details::default() });
        return;
    }
}
