//! Whether the model wrote a value itself: the input of the tool, and what is made of nothing else.

use agentcheck_model::hir::{
    BindingDef, ExprId, ExprKind, FuncId, Module, Parent, PatId, PatRole, PropKey, RootSource,
};
use agentcheck_model::{Entered, Infer, Loc};
use agentcheck_syntax::FileId;

/// A function on the way from `execute` to a throw, and what it is called with.
#[derive(Clone)]
pub(crate) struct Frame {
    pub file: FileId,
    pub function: FuncId,
    /// `None`: arguments are spread, so that it cannot be told which parameter gets what.
    pub given: Option<Vec<Loc>>,
}

impl Frame {
    pub(crate) fn of(infer: &Infer<'_>, entered: &Entered) -> Self {
        let module = infer.module(entered.call.file);
        let args = match module.expr(entered.call.expr).kind {
            ExprKind::Call { args, .. } => module.exprs(args),
            _ => &[],
        };
        let is_spread = args.iter().any(|arg| matches!(module.expr(*arg).kind, ExprKind::Spread(_)));
        let given = (!is_spread).then(|| args.iter().map(|arg| entered.call.at(*arg)).collect());
        Self { file: entered.file, function: entered.function, given }
    }
}

/// Where an expression stands: in `execute`, or in the last of the functions that lead away from it.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'f> {
    pub execute: (FileId, FuncId),
    pub frames: &'f [Frame],
}

/// Longer ways of making one value out of another are not followed.
const HOPS: u32 = 24;

impl<'f> Scope<'f> {
    /// What the parameter that an expression names was called with, `None` for nothing, and where that stands.
    pub(crate) fn given(self, module: &Module, loc: Loc) -> Option<(Option<Loc>, Self)> {
        let ExprKind::Ident { binding: Some(binding), .. } = module.expr(loc.expr).kind else { return None };
        let BindingDef::Pattern { pattern, .. } = module.binding(binding).def else { return None };
        let PatRole::Root(root) = module.pat(pattern).role else { return None };
        let RootSource::Param { function, index, .. } = module.root(root).source else { return None };
        let (frame, outside) = self.frame(loc.file, function)?;
        Some((frame.given.as_ref()?.get(index as usize).copied(), outside))
    }

    fn frame(self, file: FileId, function: FuncId) -> Option<(&'f Frame, Self)> {
        let index = self.frames.iter().rposition(|frame| (frame.file, frame.function) == (file, function))?;
        Some((&self.frames[index], Self { frames: &self.frames[..index], ..self }))
    }

    /// Whether an expression is the input of the tool, a part of it, or made of nothing else by the language.
    pub(crate) fn is_own_input(self, infer: &Infer<'_>, loc: Loc) -> bool {
        self.own_input(infer, loc, HOPS)
    }

    fn own_input(self, infer: &Infer<'_>, loc: Loc, hops: u32) -> bool {
        let Some(hops) = hops.checked_sub(1) else { return false };
        let module = infer.module(loc.file);
        let own = |expr: ExprId| self.own_input(infer, loc.at(expr), hops);
        match module.expr(loc.expr).kind {
            ExprKind::Member { object, .. } | ExprKind::Index { object, .. } => own(object),
            ExprKind::NonNull(inner) | ExprKind::Cast { value: inner, .. } | ExprKind::Await(inner) => own(inner),
            // `Object.entries(input)`, `input.tags.map(String)`
            ExprKind::Call { callee, args } => match module.expr(callee).kind {
                ExprKind::Member { object, .. } => match module.expr(object).kind {
                    ExprKind::Ident { binding: None, name } => {
                        matches!(module.name(name), "Object" | "Array" | "JSON")
                            && module.exprs(args).iter().all(|arg| own(*arg))
                    }
                    _ => own(object),
                },
                _ => false,
            },
            ExprKind::Ident { binding: Some(binding), .. } => {
                let BindingDef::Pattern { pattern, .. } = module.binding(binding).def else { return false };
                let Some(root) = module.root_of(pattern) else { return false };
                match module.root(root).source {
                    RootSource::Param { function, index, .. } => {
                        self.own_parameter(infer, loc.file, function, index, pattern, hops)
                    }
                    // `const { article } = input`, `for (const tag of input.tags)`
                    RootSource::Value(value) | RootSource::ForOf { iterable: value, .. } | RootSource::ForIn(value) => {
                        value != loc.expr && own(value)
                    }
                    RootSource::None | RootSource::Catch => false,
                }
            }
            _ => false,
        }
    }

    /// Whether a parameter, or the part of it that `pattern` takes, is the input of the tool.
    fn own_parameter(
        self,
        infer: &Infer<'_>,
        file: FileId,
        function: FuncId,
        index: u32,
        pattern: PatId,
        hops: u32,
    ) -> bool {
        let module = infer.module(file);
        if let Some((frame, outside)) = self.frame(file, function) {
            let Some(argument) = frame.given.as_ref().and_then(|given| given.get(index as usize)) else { return false };
            return outside.own_argument(infer, *argument, key_of(module, pattern), hops);
        }
        if (file, function) == self.execute {
            return index == 0;
        }
        // `input.tags.map((tag) => …)`
        let receiver = module.function(function).expr.and_then(|callback| receiver_of_call(module, callback));
        receiver.is_some_and(|receiver| self.own_input(infer, Loc::new(file, receiver), hops))
    }

    fn own_argument(self, infer: &Infer<'_>, argument: Loc, key: Option<&str>, hops: u32) -> bool {
        let module = infer.module(argument.file);
        let ExprKind::Object(props) = module.expr(module.peel(argument.expr)).kind else {
            return self.own_input(infer, argument, hops);
        };
        // `query({ article })`
        let named = |name| key.is_none_or(|key| module.name(name) == key);
        let mut values = module.props(props).filter_map(|(_, prop)| match prop.key {
            PropKey::Name(name) if named(name) => Some(prop.value),
            _ => None,
        });
        let first = values.next();
        first.into_iter().chain(values).all(|value| self.own_input(infer, argument.at(value), hops)) && first.is_some()
    }
}

/// The key by which a pattern takes a value out of what it is given.
fn key_of(module: &Module, pattern: PatId) -> Option<&str> {
    match module.pat(pattern).role {
        PatRole::Key(_, prop) => match module.pat_prop(prop).key {
            PropKey::Name(name) => Some(module.name(name)),
            _ => None,
        },
        PatRole::Inner(outer) if outer != pattern => key_of(module, outer),
        _ => None,
    }
}

/// `list` in `list.map(callback)`.
fn receiver_of_call(module: &Module, callback: ExprId) -> Option<ExprId> {
    let Parent::Expr(call) = module.expr_parent(callback) else { return None };
    let ExprKind::Call { callee, .. } = module.expr(call).kind else { return None };
    match module.expr(callee).kind {
        ExprKind::Member { object, .. } => Some(object),
        _ => None,
    }
}
