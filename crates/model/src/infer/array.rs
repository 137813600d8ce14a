//! Arrays: their elements, through spreads, pushes and array methods.

use agentcheck_catalog::Ty;

use super::{Infer, Loc, Unknown, Value, ValueKind};
use crate::hir::{ExprId, ExprKind, Parent};

/// An element that an array may hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    /// Where the element is written.
    pub loc: Loc,
    /// The callbacks of the `filter` calls it must pass, innermost first.
    pub filters: Vec<Loc>,
    /// Whether it is the first element of the array with certainty.
    pub first: bool,
}

/// What is known of the elements of an array.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Elements {
    pub known: Vec<Element>,
    /// Where elements come in that cannot be seen. Empty: the list is complete.
    pub open: Vec<Loc>,
    /// SDK values whose elements come in: histories, results.
    pub sdk: Vec<Value>,
}

/// More elements than this are not listed.
const ELEMENT_LIMIT: usize = 256;

/// Methods that give an array made of the receiver's elements.
const DERIVING: [&str; 9] =
    ["filter", "slice", "concat", "reverse", "toReversed", "sort", "toSorted", "toSpliced", "with"];

/// What an array method does with its receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArrayMethod {
    /// Gives an array of the receiver's elements, and of those of its arguments for `concat`.
    Derive,
    /// `map`, `flatMap`: gives an array of what the callback returns.
    Map,
    /// `find`, `at`, `pop`, `shift`: gives one element.
    Pick,
}

pub(super) fn array_method(name: &str) -> Option<ArrayMethod> {
    match name {
        "map" | "flatMap" => Some(ArrayMethod::Map),
        "find" | "findLast" | "at" | "pop" | "shift" => Some(ArrayMethod::Pick),
        _ if DERIVING.contains(&name) => Some(ArrayMethod::Derive),
        _ => None,
    }
}

/// Whether a method hands each element to its callback's first parameter.
pub(super) fn passes_elements(name: &str) -> bool {
    matches!(
        name,
        "map"
            | "flatMap"
            | "filter"
            | "find"
            | "findLast"
            | "forEach"
            | "some"
            | "every"
            | "findIndex"
            | "findLastIndex"
    )
}

impl Infer<'_> {
    /// What an element of `value` is: of an array, a stream, the values of a dictionary.
    pub fn element(&mut self, value: Value, loc: Loc) -> Value {
        if !self.step() {
            return self.unknown(Unknown::Budget, loc);
        }
        self.depth += 1;
        let result = self.map(value, |this, member| this.element_of(member, loc));
        self.depth -= 1;
        result
    }

    fn element_of(&mut self, value: Value, loc: Loc) -> Value {
        match self.kind(value).clone() {
            ValueKind::Sdk(sdk) => match self.program.types.ty(sdk.ty) {
                Ty::Array(element) | Ty::Stream(element) | Ty::Dict(element) => {
                    self.sdk_value(*element, sdk.origin, loc)
                }
                _ => self.unknown(Unknown::Property, loc),
            },
            ValueKind::Array(_) => {
                let elements = self.elements(value);
                let mut values: Vec<Value> = elements.known.iter().map(|element| self.eval(element.loc)).collect();
                for sdk in elements.sdk {
                    values.push(self.element(sdk, loc));
                }
                if !elements.open.is_empty() || values.is_empty() {
                    values.push(self.unknown(Unknown::Property, loc));
                }
                self.join_or_unknown(values, loc)
            }
            ValueKind::Derived(call) => self.element_of_derived(call, loc),
            ValueKind::Opaque | ValueKind::Literal(_) => self.make(ValueKind::Opaque),
            ValueKind::Unknown(..) => value,
            _ => self.unknown(Unknown::Property, loc),
        }
    }

    /// The element at a fixed position.
    pub(super) fn element_at(&mut self, value: Value, index: usize, loc: Loc) -> Value {
        self.map(value, |this, member| {
            if let ValueKind::Array(array) = *this.kind(member) {
                let module = this.module(array.file);
                let ExprKind::Array(list) = module.expr(array.expr).kind else {
                    return this.unknown(Unknown::Property, loc);
                };
                let elements = module.exprs(list);
                let spread = |expr: &ExprId| matches!(module.expr(*expr).kind, ExprKind::Spread(_));
                if let Some(expr) = elements.get(index)
                    && !elements[..=index].iter().any(spread)
                {
                    return this.eval_in(array.file, *expr);
                }
            }
            this.element_of(member, loc)
        })
    }

    fn element_of_derived(&mut self, call: Loc, loc: Loc) -> Value {
        let module = self.module(call.file);
        let at = |expr: ExprId| Loc { file: call.file, expr };
        let ExprKind::Call { callee, args } = module.expr(call.expr).kind else {
            return self.unknown(Unknown::Syntax, loc);
        };
        let args = module.exprs(args);
        let ExprKind::Member { object, property } = module.expr(callee).kind else {
            // `Promise.all(list)` and `Array.from(list)` are derived from their argument.
            return self.unknown(Unknown::Syntax, loc);
        };
        match (module.name(property), args.first()) {
            ("map", Some(callback)) => {
                let callback = self.eval(at(*callback));
                self.called(callback, loc)
            }
            ("flatMap", Some(callback)) => {
                let callback = self.eval(at(*callback));
                let array = self.called(callback, loc);
                self.element(array, loc)
            }
            ("concat", _) => {
                let receiver = self.eval(at(object));
                let mut values = vec![self.element(receiver, loc)];
                for arg in args {
                    let arg = self.eval(at(*arg));
                    values.push(self.element(arg, loc));
                }
                self.join_or_unknown(values, loc)
            }
            _ => {
                let receiver = self.eval(at(object));
                self.element(receiver, loc)
            }
        }
    }

    /// The elements that an array may hold, with their places.
    pub fn elements(&mut self, value: Value) -> Elements {
        let mut elements = Elements::default();
        let mut filters = Vec::new();
        self.collect_elements(value, &mut filters, true, &mut elements);
        elements
    }

    fn collect_elements(&mut self, value: Value, filters: &mut Vec<Loc>, first: bool, into: &mut Elements) {
        if !self.step() {
            return;
        }
        self.depth += 1;
        for member in self.alternatives(value) {
            match self.kind(member).clone() {
                ValueKind::Array(array) => self.collect_literal(array, filters, first, into),
                ValueKind::Derived(call) => self.collect_derived(call, filters, first, into),
                ValueKind::Sdk(_) => into.sdk.push(member),
                ValueKind::Unknown(_, loc)
                | ValueKind::Declared(_, _, loc)
                | ValueKind::Global(loc)
                | ValueKind::Builtin(loc) => into.open.push(loc),
                _ => {}
            }
        }
        self.depth -= 1;
    }

    fn collect_literal(&mut self, array: Loc, filters: &mut Vec<Loc>, first: bool, into: &mut Elements) {
        let module = self.module(array.file);
        let ExprKind::Array(list) = module.expr(array.expr).kind else { return };
        let mut first = first;
        for expr in module.exprs(list) {
            self.collect_item(Loc { file: array.file, expr: *expr }, filters, first, into);
            first = false;
        }
        for (call, front) in self.pushes(array) {
            let ExprKind::Call { args, .. } = module.expr(call).kind else { continue };
            for expr in module.exprs(args) {
                let first = front && filters.is_empty();
                self.collect_item(Loc { file: array.file, expr: *expr }, filters, first, into);
            }
        }
    }

    fn collect_item(&mut self, item: Loc, filters: &mut Vec<Loc>, first: bool, into: &mut Elements) {
        let module = self.module(item.file);
        match module.expr(item.expr).kind {
            ExprKind::Spread(inner) => {
                let spread = self.eval_in(item.file, inner);
                self.collect_elements(spread, filters, first, into);
            }
            // A hole.
            ExprKind::Unknown if module.expr(item.expr).span.start == module.expr(item.expr).span.end => {}
            _ if into.known.len() >= ELEMENT_LIMIT => into.open.push(item),
            _ => into.known.push(Element { loc: item, filters: filters.clone(), first }),
        }
    }

    fn collect_derived(&mut self, call: Loc, filters: &mut Vec<Loc>, first: bool, into: &mut Elements) {
        let module = self.module(call.file);
        let at = |expr: ExprId| Loc { file: call.file, expr };
        let ExprKind::Call { callee, args } = module.expr(call.expr).kind else { return };
        let ExprKind::Member { object, property } = module.expr(callee).kind else { return };
        let args = module.exprs(args);
        match (module.name(property), args.first()) {
            ("filter", Some(callback)) => {
                filters.push(at(*callback));
                let receiver = self.eval(at(object));
                self.collect_elements(receiver, filters, first, into);
                filters.pop();
            }
            // What a callback makes is seen where it is written, but not how often or in which order.
            ("map" | "flatMap", Some(_)) => into.open.push(call),
            ("concat", _) => {
                let receiver = self.eval(at(object));
                self.collect_elements(receiver, filters, first, into);
                for arg in args {
                    let value = self.eval(at(*arg));
                    match self.kind(value) {
                        ValueKind::Array(_) | ValueKind::Derived(_) | ValueKind::Union(_) | ValueKind::Sdk(_) => {
                            self.collect_elements(value, filters, false, into);
                        }
                        _ => self.collect_item(at(*arg), filters, false, into),
                    }
                }
            }
            // A slice may leave out any of them.
            _ => {
                let receiver = self.eval(at(object));
                self.collect_elements(receiver, filters, first && module.name(property) != "slice", into);
            }
        }
    }

    /// The calls `name.push(…)` and `name.unshift(…)` on the name that an array was given; `true` for `unshift`.
    fn pushes(&self, array: Loc) -> Vec<(ExprId, bool)> {
        let module = self.module(array.file);
        let Some(binding) = module.binding_of_value(array.expr) else { return Vec::new() };
        let mut calls = Vec::new();
        for reference in module.refs(binding) {
            let Parent::Expr(member) = module.expr_parent(*reference) else { continue };
            let ExprKind::Member { object, property } = module.expr(member).kind else { continue };
            let front = match module.name(property) {
                "push" => false,
                "unshift" => true,
                _ => continue,
            };
            if object == *reference
                && let Parent::Expr(call) = module.expr_parent(member)
                && matches!(module.expr(call).kind, ExprKind::Call { callee, .. } if callee == member)
            {
                calls.push((call, front));
            }
        }
        calls
    }
}
