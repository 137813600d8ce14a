//! The rules that need code: one file each, called after its rule, found by the build script.

use crate::context::Context;

/// Looks at one file and reports through the context.
pub(crate) type Check = for<'a, 'p> fn(&'a mut Context<'p>);

mod wired {
    use super::Check;

    include!(concat!(env!("OUT_DIR"), "/checks.rs"));
}

/// Rule id → code.
pub(crate) const CHECKS: &[(&str, Check)] = wired::CHECKS;
