//! Messages of caught errors that a tool hands to the model as a success.

use crate::caught::{Part, shown};
use crate::context::{Context, Details};
use crate::finding::Related;
use crate::outside::may_do_io;
use crate::tool_functions::tool_functions;
use crate::tool_output::{is_converted, outputs};

pub(crate) fn check(cx: &mut Context<'_>) {
    let safe = cx.option("safe-errors").to_vec();
    for execute in tool_functions(cx, "execute") {
        if is_converted(&execute) {
            continue;
        }
        for output in outputs(&cx.infer, &execute) {
            let all = shown(cx, output, &safe);
            // One value, one finding: the error as a whole is worse, and of several texts the first stands for all.
            if all.iter().any(|shown| matches!(shown.part, Part::Whole | Part::Stack)) {
                continue;
            }
            let Some(shown) = all.into_iter().max_by_key(|shown| (shown.part, std::cmp::Reverse(shown.at.expr))) else {
                continue;
            };
            let module = cx.infer.module(shown.at.file);
            // What computation alone throws tells of nothing outside.
            let computed = shown
                .catch
                .zip(shown.function)
                .is_some_and(|(catch, function)| !may_do_io(module, function, catch));
            let case = match shown.part {
                _ if computed => "computed",
                Part::Detail => "detail",
                _ => "text",
            };
            let Some(verdict) = cx.judge(&execute.typed.reach.package, &[case]) else { continue };
            let place = shown.place(&cx.infer);
            let related = Related { place: execute.key.place, message: "returned by this `execute`".to_owned() };
            let details = Details {
                slots: vec![("name", shown.name(&cx.infer))],
                related: vec![related],
                ..Details::default()
            };
            cx.report(&verdict, place, details);
        }
    }
}
