//! Caught errors that a tool hands to the model as they are.

use crate::caught::{Part, shown};
use crate::context::{Context, Details};
use crate::finding::Related;
use crate::tool_functions::tool_functions;
use crate::tool_output::{is_converted, outputs};

pub(crate) fn check(cx: &mut Context<'_>) {
    let safe = cx.option("safe-errors").to_vec();
    for execute in tool_functions(cx, "execute") {
        if is_converted(&execute) {
            continue;
        }
        for output in outputs(&cx.infer, &execute) {
            for shown in shown(cx, output, &safe) {
                let case = match shown.part {
                    Part::Whole => "object",
                    Part::Stack => "stack",
                    Part::Text | Part::Detail => continue,
                };
                let Some(verdict) = cx.judge(&execute.typed.reach.package, &[case]) else { continue };
                let related = Related { place: execute.key.place, message: "returned by this `execute`".to_owned() };
                let details = Details {
                    slots: vec![("name", shown.name(&cx.infer))],
                    related: vec![related],
                    ..Details::default()
                };
                cx.report(&verdict, shown.place(&cx.infer), details);
            }
        }
    }
}
