//! Whether a key is nobody's business but the SDK's: then changing it changes nothing else.

use agentcheck_model::hir::{
    BindingId, ExprId, ExprKind, FuncId, Parent, PatId, PatKind, PropKey, PropKind, RootSource, StmtKind,
};
use agentcheck_model::{Infer, Key, KeyOrigin, Loc, ValueKind};
use agentcheck_syntax::FileId;

/// Values may be handed on in a circle.
const HOPS: u32 = 16;

/// Who reads a key beside SDK calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Readers {
    /// Nobody that can be seen, and the object goes nowhere else.
    None,
    /// The object goes somewhere that may read it.
    Possible,
    /// It is read by its name.
    Certain,
}

/// Who reads the key beside SDK calls.
pub(crate) fn readers(infer: &mut Infer<'_>, key: &Key) -> Readers {
    let file = key.place.file;
    let module = infer.module(file);
    let mut follow = Follow { infer, file, name: &key.name, through_tool: false };
    match key.origin {
        KeyOrigin::Entry(prop) => follow.value(module.prop(prop).owner, HOPS),
        KeyOrigin::Assignment(member) => {
            let (ExprKind::Member { object, .. } | ExprKind::Index { object, .. }) = module.expr(member.expr).kind
            else {
                return Readers::Possible;
            };
            match module.expr(module.peel(object)).kind {
                ExprKind::Ident { binding: Some(binding), .. } => follow.binding(binding, HOPS),
                _ => Readers::Possible,
            }
        }
    }
}

struct Follow<'i, 'p, 'k> {
    infer: &'i mut Infer<'p>,
    file: FileId,
    name: &'k str,
    /// The object has gone through `tool()`, which gives it back as a tool: what others do with a tool is let be, unless
    /// they read the key.
    through_tool: bool,
}

impl Follow<'_, '_, '_> {
    /// Who reads the key of the object written at `expr`.
    fn value(&mut self, expr: ExprId, hops: u32) -> Readers {
        let Some(hops) = hops.checked_sub(1) else { return Readers::Possible };
        let elsewhere = if self.through_tool { Readers::None } else { Readers::Possible };
        let module = self.infer.module(self.file);
        match module.expr_parent(expr) {
            Parent::Expr(parent) => match module.expr(parent).kind {
                ExprKind::Call { callee, .. } | ExprKind::New { callee, .. } if callee != expr => {
                    let text = module.text(module.expr(callee).span);
                    if text.starts_with("console.") {
                        return Readers::None;
                    }
                    let call = Loc::new(self.file, parent);
                    let value = self.infer.eval(call);
                    if let ValueKind::Sdk(sdk) = *self.infer.kind(value)
                        && self.infer.definition(sdk).is_some()
                    {
                        let outer = std::mem::replace(&mut self.through_tool, true);
                        let readers = self.value(parent, hops);
                        self.through_tool = outer;
                        return readers;
                    }
                    if self.infer.sdk_call_at(call).is_some() {
                        return Readers::None;
                    }
                    // Its result is what it was given.
                    if text.starts_with("Object.") { self.value(parent, hops) } else { elsewhere }
                }
                ExprKind::Cast { .. }
                | ExprKind::NonNull(_)
                | ExprKind::Conditional { .. }
                | ExprKind::Binary(..)
                | ExprKind::Await(_)
                | ExprKind::Array(_)
                | ExprKind::Sequence(_) => self.value(parent, hops),
                ExprKind::Member { property, .. } => self.read(parent, module.name(property)),
                ExprKind::Index { index, .. } => match module.string(index) {
                    Some(name) => self.read(parent, name),
                    None => elsewhere,
                },
                ExprKind::Unary(..) => Readers::None,
                _ => elsewhere,
            },
            Parent::Prop(prop) if self.through_tool && module.prop(prop).kind != PropKind::Spread => Readers::None,
            Parent::Prop(prop) => self.value(module.prop(prop).owner, hops),
            Parent::Root(root) => match (module.root(root).source, module.pat(module.root(root).pattern).kind) {
                (RootSource::Value(_), PatKind::Binding(binding)) => self.binding(binding, hops),
                (RootSource::Value(_), PatKind::Object(_)) => self.taken_apart(module.root(root).pattern),
                _ => elsewhere,
            },
            Parent::Function(function) => self.results(function, hops),
            Parent::Stmt(stmt) => match module.stmt(stmt).kind {
                StmtKind::Return(_) => match module.enclosing_function(expr) {
                    Some(function) => self.results(function, hops),
                    None => elsewhere,
                },
                _ => Readers::None,
            },
            _ => elsewhere,
        }
    }

    /// A member of the object.
    fn read(&self, member: ExprId, name: &str) -> Readers {
        let is_target = matches!(self.infer.module(self.file).expr_parent(member), Parent::Pat(_));
        if name == self.name && !is_target { Readers::Certain } else { Readers::None }
    }

    /// Who reads the key of what a function returns.
    fn results(&mut self, function: FuncId, hops: u32) -> Readers {
        let module = self.infer.module(self.file);
        // A callback: its caller is the SDK or an array method.
        let Some(binding) = module.binding_of_function(function) else {
            return match module.function(function).expr {
                Some(expr) => self.value(expr, hops),
                None => Readers::Possible,
            };
        };
        let mut readers = self.of_exports(binding);
        for reference in module.refs(binding).to_vec() {
            readers = readers.max(match module.expr_parent(reference) {
                Parent::Expr(call) => match module.expr(call).kind {
                    ExprKind::Call { callee, .. } if callee == reference => self.value(call, hops),
                    _ => Readers::Possible,
                },
                _ => Readers::Possible,
            });
        }
        readers
    }

    fn binding(&mut self, binding: BindingId, hops: u32) -> Readers {
        let mut readers = self.of_exports(binding);
        for reference in self.infer.module(self.file).refs(binding).to_vec() {
            readers = readers.max(self.value(reference, hops));
        }
        readers
    }

    /// Other files may read what is exported; what they do with a tool is let be.
    fn of_exports(&self, binding: BindingId) -> Readers {
        let exported = self.infer.module(self.file).is_exported(binding);
        if exported && !self.through_tool { Readers::Possible } else { Readers::None }
    }

    fn taken_apart(&self, pattern: PatId) -> Readers {
        let module = self.infer.module(self.file);
        let PatKind::Object(props) = module.pat(pattern).kind else { return Readers::Possible };
        let reads = |(_, prop): (_, &agentcheck_model::hir::PatProp)| match prop.key {
            PropKey::Name(name) if module.name(name) == self.name => Readers::Certain,
            PropKey::Name(_) => Readers::None,
            PropKey::Computed(_) | PropKey::None => Readers::Possible,
        };
        module.pat_props(props).map(reads).max().unwrap_or(Readers::None)
    }
}
