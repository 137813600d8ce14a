//! Expressions → values.

use super::{Infer, Loc, Unknown, Value, ValueKind};
use crate::hir::{BinaryOp, ExprId, ExprKind, UnaryOp};
use crate::program::Target;
use agentcheck_syntax::FileId;

impl Infer<'_> {
    /// What the expression is.
    pub fn eval(&mut self, loc: Loc) -> Value {
        let loc = self.settled(loc);
        match self.exprs.get(&loc) {
            Some(Some(value)) => {
                let value = *value;
                self.note(value);
                return value;
            }
            Some(None) => return self.unknown(Unknown::Cycle, loc),
            None => {}
        }
        if !self.step() {
            return self.unknown(Unknown::Budget, loc);
        }
        self.exprs.insert(loc, None);
        self.depth += 1;
        let value = self.eval_new(loc);
        self.depth -= 1;
        self.exprs.insert(loc, Some(value));
        self.note(value);
        value
    }

    /// What the expression `expr` of `file` is, whoever calls the function around it.
    pub fn eval_in(&mut self, file: FileId, expr: ExprId) -> Value {
        self.eval(Loc::new(file, expr))
    }

    /// The expression with the part of its context that matters to it.
    fn settled(&self, loc: Loc) -> Loc {
        if loc.ctx == super::Ctx::ANY {
            return loc;
        }
        self.within(loc.env(), self.module(loc.file).expr(loc.expr).span.start).at(loc.expr)
    }

    fn eval_new(&mut self, loc: Loc) -> Value {
        let module = self.module(loc.file);
        let at = |expr: ExprId| loc.at(expr);
        match module.expr(loc.expr).kind {
            ExprKind::Ident { binding: Some(binding), .. } => self.eval_binding(loc.env(), binding, loc),
            ExprKind::Ident { name, binding: None } => match module.name(name) {
                "undefined" => self.make(ValueKind::Undefined),
                _ => self.make(ValueKind::Global(loc)),
            },
            ExprKind::Member { object, property } => {
                let object = self.eval(at(object));
                let value = self.property(object, module.name(property), loc);
                self.own_place(object, value, loc)
            }
            ExprKind::Index { object, index } => {
                let object = self.eval(at(object));
                match module.string(index) {
                    Some(name) => self.property(object, name, loc),
                    None => self.element(object, loc),
                }
            }
            ExprKind::Call { callee, args } => self.eval_call(loc, callee, args),
            ExprKind::New { callee, .. } => self.eval_construct(loc, callee),
            ExprKind::Await(inner) => {
                let inner = self.eval(at(inner));
                self.awaited(inner)
            }
            ExprKind::Import(source) => {
                let target = module.string(source).and_then(|source| self.target(loc.file, source));
                let namespace = self.namespace(target, loc);
                self.make(ValueKind::Promise(namespace))
            }
            ExprKind::Object(_) => self.make(ValueKind::Object(loc)),
            ExprKind::Array(_) => self.make(ValueKind::Array(loc)),
            ExprKind::Function(function) => self.make(ValueKind::Function(loc.file, function, loc.ctx)),
            ExprKind::Class(class) => self.make(ValueKind::Class(loc.file, class)),
            ExprKind::String(_) | ExprKind::Number(_) | ExprKind::Template(_) => self.make(ValueKind::Literal(loc)),
            ExprKind::Bool(value) => self.make(ValueKind::Bool(value)),
            ExprKind::Null => self.make(ValueKind::Null),
            ExprKind::Unary(UnaryOp::Void, _) => self.make(ValueKind::Undefined),
            ExprKind::Conditional { then, otherwise, .. } => {
                let values = [self.eval(at(then)), self.eval(at(otherwise))];
                self.join_or_unknown(values, loc)
            }
            ExprKind::Binary(BinaryOp::And, _, right) => {
                let values = [self.make(ValueKind::Opaque), self.eval(at(right))];
                self.join_or_unknown(values, loc)
            }
            ExprKind::Binary(BinaryOp::Or | BinaryOp::Nullish, left, right) => {
                let values = [self.eval(at(left)), self.eval(at(right))];
                self.join_or_unknown(values, loc)
            }
            ExprKind::Assign { value, compound: false, .. } => self.eval(at(value)),
            ExprKind::Sequence(parts) => match module.exprs(parts).last() {
                Some(last) => self.eval(at(*last)),
                None => self.unknown(Unknown::Syntax, loc),
            },
            ExprKind::NonNull(inner) => self.eval(at(inner)),
            ExprKind::Cast { value, ty, .. } => {
                let value = self.eval(at(value));
                self.or_annotated(value, loc.file, Some(ty), loc)
            }
            ExprKind::This => self.eval_this(loc),
            ExprKind::BigInt
            | ExprKind::Regex
            | ExprKind::Unary(..)
            | ExprKind::Update(_)
            | ExprKind::Binary(..)
            | ExprKind::Assign { .. }
            | ExprKind::Jsx(_) => self.make(ValueKind::Opaque),
            ExprKind::Unknown
            | ExprKind::Super
            | ExprKind::Yield(_)
            | ExprKind::Spread(_)
            | ExprKind::Tagged { .. } => self.unknown(Unknown::Syntax, loc),
        }
    }

    /// A member of something imported is something else than what was imported: it is known by its own place.
    fn own_place(&mut self, object: Value, value: Value, loc: Loc) -> Value {
        match self.kind(value) {
            ValueKind::Unknown(Unknown::Import, _) if object == value => self.unknown(Unknown::Import, loc),
            _ => value,
        }
    }

    pub(super) fn join_or_unknown(&mut self, values: impl IntoIterator<Item = Value>, loc: Loc) -> Value {
        match self.join(values) {
            Some(value) => value,
            None => self.unknown(Unknown::Syntax, loc),
        }
    }

    /// The namespace object of a module.
    pub(super) fn namespace(&mut self, target: Option<Target>, loc: Loc) -> Value {
        match target {
            Some(Target::Sdk(entry)) => self.make(ValueKind::Namespace(entry)),
            Some(Target::File(file)) => self.make(ValueKind::Module(file)),
            Some(Target::Unread(file)) => self.unknown(Unknown::Unread(file), loc),
            None => self.unknown(Unknown::Import, loc),
        }
    }

    fn eval_this(&mut self, loc: Loc) -> Value {
        let module = self.module(loc.file);
        match module.class_of_this(loc.expr) {
            Some(class) => self.make(ValueKind::Instance(loc.file, class)),
            None => self.unknown(Unknown::Syntax, loc),
        }
    }
}
