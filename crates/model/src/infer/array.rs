//! Arrays: their elements, through spreads, pushes and array methods.

use std::rc::Rc;

use agentcheck_catalog::Ty;

use super::memo::Asked;
use super::{Infer, Loc, Unknown, Value, ValueKind};
use crate::hir::{ExprId, ExprKind, Module, Parent, PatKind, PropKey, RootSource, StmtId, StmtKind};

/// An element that an array may hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    /// Where the element is written.
    pub loc: Loc,
    /// The callbacks of the `filter` calls it must pass, innermost first.
    pub filters: Vec<Loc>,
    /// Its position in the array, where that is certain.
    pub position: Option<u32>,
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
        // `this.lines[i] = text` where the text is made of `this.lines`
        if self.open_arrays.contains(&value) {
            return self.unknown(Unknown::Cycle, loc);
        }
        self.open_arrays.push(value);
        self.depth += 1;
        let result = self.map(value, |this, member| this.element_of(member, loc));
        self.depth -= 1;
        self.open_arrays.pop();
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
                for sdk in elements.sdk.iter().copied() {
                    values.push(self.element(sdk, loc));
                }
                if !elements.open.is_empty() || values.is_empty() {
                    values.push(self.unknown(Unknown::Property, loc));
                }
                self.join_or_unknown(values, loc)
            }
            ValueKind::Derived(call) => self.element_of_derived(call, loc),
            ValueKind::Tail(base, _) => self.element(base, loc),
            // Looked up by a key that is not known.
            ValueKind::Object(_) => {
                let keys = self.keys(value);
                let mut values: Vec<Value> = keys.known.iter().map(|key| self.eval(key.value)).collect();
                if !keys.open.is_empty() || values.is_empty() {
                    values.push(self.unknown(Unknown::Property, loc));
                }
                self.join_or_unknown(values, loc)
            }
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
        let at = |expr: ExprId| call.at(expr);
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
    pub fn elements(&mut self, value: Value) -> Rc<Elements> {
        match self.elements.ask((value, self.idle)) {
            Asked::Known(elements) => return elements,
            // `list = [...list, item]`: how often is not known.
            Asked::Cycle => {
                let open = self.loc_of(value).into_iter().collect();
                return Rc::new(Elements { open, ..Elements::default() });
            }
            Asked::New => {}
        }
        let mut elements = Elements::default();
        if self.step() {
            self.depth += 1;
            let alternatives = self.alternatives(value);
            let several = alternatives.len() > 1;
            for member in alternatives {
                let mut more = self.elements_of(member);
                if several {
                    more.known.iter_mut().for_each(|element| element.position = None);
                }
                elements.append(&more);
            }
            self.depth -= 1;
        }
        self.elements.answer(elements)
    }

    fn loc_of(&self, value: Value) -> Option<Loc> {
        self.alternatives(value).into_iter().find_map(|member| match *self.kind(member) {
            ValueKind::Array(loc) | ValueKind::Derived(loc) => Some(loc),
            _ => None,
        })
    }

    fn collect_elements(&mut self, value: Value, into: &mut Elements) {
        into.append(&self.elements(value));
    }

    fn elements_of(&mut self, value: Value) -> Elements {
        match self.kind(value).clone() {
            ValueKind::Array(array) => self.elements_of_literal(array),
            ValueKind::Derived(call) => self.elements_of_call(call),
            ValueKind::Tail(base, from) => Rc::unwrap_or_clone(self.elements(base)).cut(from, None),
            ValueKind::Sdk(_) => Elements { sdk: vec![value], ..Elements::default() },
            ValueKind::Unknown(_, loc)
            | ValueKind::Declared(_, _, loc)
            | ValueKind::Global(loc)
            | ValueKind::Builtin(loc) => Elements { open: vec![loc], ..Elements::default() },
            _ => Elements::default(),
        }
    }

    fn elements_of_literal(&mut self, array: Loc) -> Elements {
        let module = self.module(array.file);
        let ExprKind::Array(list) = module.expr(array.expr).kind else { return Elements::default() };
        let mut elements = Elements::default();
        for expr in module.exprs(list) {
            self.collect_item(array.at(*expr), &mut elements);
        }
        let changes = self.changes(array);
        if let Some(taken) = changes.taken {
            // What is taken out again somewhere may be any of them.
            elements = Elements { open: vec![taken], ..Elements::default() };
        }
        let length = elements.length().map(|length| length.saturating_sub(changes.dropped_last));
        elements = elements.cut(changes.dropped_first, changes.cut.or(length.filter(|_| changes.dropped_last > 0)));
        for (item, front) in changes.added {
            let mut added = Elements::default();
            self.collect_item(item, &mut added);
            if front {
                added.append(&elements);
                elements = added;
            } else {
                elements.append(&added);
            }
        }
        elements
    }

    fn collect_item(&mut self, item: Loc, into: &mut Elements) {
        let module = self.module(item.file);
        match module.expr(item.expr).kind {
            ExprKind::Spread(inner) => {
                let spread = self.eval(item.at(inner));
                self.collect_elements(spread, into);
            }
            // A hole.
            ExprKind::Unknown if module.expr(item.expr).span.start == module.expr(item.expr).span.end => {}
            _ if into.known.len() >= ELEMENT_LIMIT => into.open.push(item),
            _ => {
                let position = into.length();
                into.known.push(Element { loc: item, filters: Vec::new(), position });
            }
        }
    }

    fn elements_of_call(&mut self, call: Loc) -> Elements {
        let module = self.module(call.file);
        let at = |expr: ExprId| call.at(expr);
        let unseen = Elements { open: vec![call], ..Elements::default() };
        let ExprKind::Call { callee, args } = module.expr(call.expr).kind else { return unseen };
        let ExprKind::Member { object, property } = module.expr(callee).kind else { return unseen };
        let args = module.exprs(args);
        let receiver = self.eval(at(object));
        match (module.name(property), args.first()) {
            ("filter", Some(callback)) => {
                let mut elements = Rc::unwrap_or_clone(self.elements(receiver));
                for element in &mut elements.known {
                    element.filters.push(at(*callback));
                    element.position = None;
                }
                elements
            }
            // What a callback makes is seen where it is written, but not how often or in which order.
            ("map" | "flatMap", Some(callback)) => {
                let mut elements = unseen;
                let callback = self.eval(at(*callback));
                let ValueKind::Function(file, function, ctx) = *self.kind(callback) else { return elements };
                // `flatMap((message) => (message.role === 'system' ? [] : [message]))`
                let of = self.module(file);
                if of.text(of.function(function).span).contains("role ===") {
                    return elements;
                }
                for expr in super::call::returned(self.module(file), function) {
                    if module.name(property) == "map" {
                        self.collect_item(Loc { file, expr, ctx }, &mut elements);
                    } else {
                        let array = self.eval(Loc { file, expr, ctx });
                        self.collect_elements(array, &mut elements);
                    }
                }
                elements
            }
            ("concat", _) => {
                let mut elements = Rc::unwrap_or_clone(self.elements(receiver));
                for arg in args {
                    let value = self.eval(at(*arg));
                    match self.kind(value) {
                        ValueKind::Array(_)
                        | ValueKind::Derived(_)
                        | ValueKind::Tail(..)
                        | ValueKind::Union(_)
                        | ValueKind::Sdk(_) => self.collect_elements(value, &mut elements),
                        _ => self.collect_item(at(*arg), &mut elements),
                    }
                }
                elements
            }
            ("slice", Some(start)) => {
                let end = args.get(1).map(|end| self.literal_text(at(*end)).and_then(|end| end.parse::<u32>().ok()));
                let start = self.literal_text(at(*start)).and_then(|start| start.parse::<u32>().ok());
                match (start, end) {
                    (Some(start), None) => Rc::unwrap_or_clone(self.elements(receiver)).cut(start, None),
                    (Some(start), Some(Some(end))) => {
                        Rc::unwrap_or_clone(self.elements(receiver)).cut(start, Some(end))
                    }
                    // `slice(0, -1)` keeps what stands in front; which ones others leave out is not worked out.
                    (Some(0), Some(None)) => Rc::unwrap_or_clone(self.elements(receiver)),
                    _ => unseen,
                }
            }
            ("toSpliced", Some(_)) => unseen,
            ("reverse" | "toReversed" | "sort" | "toSorted", _) => {
                let mut elements = Rc::unwrap_or_clone(self.elements(receiver));
                elements.known.iter_mut().for_each(|element| element.position = None);
                elements
            }
            _ => Rc::unwrap_or_clone(self.elements(receiver)),
        }
    }

    /// What is done to an array through the name, or the field of `this`, that it was given.
    fn changes(&self, array: Loc) -> Changes {
        let module = self.module(array.file);
        let at = |expr: ExprId| array.at(expr);
        let mut changes = Changes::default();
        for reference in self.names_of(array) {
            let Parent::Expr(member) = module.expr_parent(reference) else { continue };
            match module.expr(member).kind {
                // `list[0] = item`
                ExprKind::Index { object, .. } if object == reference => {
                    changes.added.extend(assigned_value(module, member).map(|value| (at(value), false)));
                }
                ExprKind::Member { object, property } if object == reference => {
                    let name = module.name(property);
                    if name == "length" && assigned_value(module, member).is_some() {
                        changes.taken = Some(at(member));
                    }
                    let Parent::Expr(call) = module.expr_parent(member) else { continue };
                    let ExprKind::Call { callee, args } = module.expr(call).kind else { continue };
                    let args = module.exprs(args);
                    let number = |arg: Option<&ExprId>| match module.expr(*arg?).kind {
                        ExprKind::Number(number) => module.name(number).parse::<u32>().ok(),
                        _ => None,
                    };
                    match name {
                        _ if callee != member => {}
                        "push" | "unshift" if decided_by_role(module, call) => {}
                        "push" => changes.added.extend(args.iter().map(|arg| (at(*arg), false))),
                        "unshift" => changes.added.extend(args.iter().map(|arg| (at(*arg), true))),
                        "shift" | "pop" if is_repeated(module, call) => changes.taken = Some(at(call)),
                        "shift" => changes.dropped_first += 1,
                        "pop" => changes.dropped_last += 1,
                        "fill" | "copyWithin" => changes.taken = Some(at(call)),
                        "splice" => {
                            match (number(args.first()), number(args.get(1))) {
                                (_, Some(0)) => {}
                                (Some(0), Some(count)) => changes.dropped_first += count,
                                (Some(start @ 1..), _) => {
                                    changes.cut = Some(changes.cut.map_or(start, |cut: u32| cut.min(start)));
                                }
                                _ => changes.taken = Some(at(call)),
                            }
                            changes.added.extend(args.iter().skip(2).map(|arg| (at(*arg), false)));
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        changes
    }

    /// The expressions by which an array is called: the references of its name, or the `this.field`s of its class.
    fn names_of(&self, array: Loc) -> Vec<ExprId> {
        let module = self.module(array.file);
        if let Some(binding) = module.binding_of_value(array.expr) {
            return module.refs(binding).to_vec();
        }
        let (class, name) = match module.expr_parent(array.expr) {
            Parent::ClassMember(member) => (module.class_of_this(array.expr), module.class_member(member).key),
            _ => return Vec::new(),
        };
        let (Some(class), PropKey::Name(name)) = (class, name) else { return Vec::new() };
        module
            .exprs_within(module.class(class).span)
            .filter(|(expr, node)| match node.kind {
                ExprKind::Member { object, property } => {
                    property == name
                        && module.expr(object).kind == ExprKind::This
                        && module.class_of_this(*expr) == Some(class)
                }
                _ => false,
            })
            .map(|(expr, _)| expr)
            .collect()
    }
}

/// What is done to an array after it was made.
#[derive(Default)]
struct Changes {
    /// Items that are put in, and whether they are put in front.
    added: Vec<(Loc, bool)>,
    /// Where something is taken out that may be any element.
    taken: Option<Loc>,
    dropped_first: u32,
    dropped_last: u32,
    /// From this position on elements may be gone.
    cut: Option<u32>,
}

impl Elements {
    /// The number of elements, when all are seen.
    fn length(&self) -> Option<u32> {
        let complete =
            self.open.is_empty() && self.sdk.is_empty() && self.known.iter().all(|element| element.position.is_some());
        complete.then_some(self.known.len() as u32)
    }

    fn append(&mut self, other: &Self) {
        let length = self.length();
        for element in &other.known {
            if self.known.len() >= ELEMENT_LIMIT {
                self.open.push(element.loc);
                break;
            }
            let position = element.position.zip(length).map(|(position, length)| position + length);
            self.known.push(Element { position, ..element.clone() });
        }
        for open in &other.open {
            if !self.open.contains(open) {
                self.open.push(*open);
            }
        }
        for sdk in &other.sdk {
            if !self.sdk.contains(sdk) {
                self.sdk.push(*sdk);
            }
        }
    }

    /// Without the elements before `from` and from `to` on. Those whose position is uncertain stay.
    fn cut(mut self, from: u32, to: Option<u32>) -> Self {
        if from == 0 && to.is_none() {
            return self;
        }
        self.known.retain(|element| {
            element.position.is_none_or(|position| position >= from && to.is_none_or(|to| position < to))
        });
        for element in &mut self.known {
            element.position = element.position.map(|position| position - from);
        }
        self
    }
}

/// Whether a call may run more than once: it stands in a loop.
fn is_repeated(module: &Module, call: ExprId) -> bool {
    let mut parent = module.expr_parent(call);
    loop {
        parent = match parent {
            Parent::Stmt(stmt) => match module.stmt(stmt).kind {
                StmtKind::Loop { .. } | StmtKind::ForEach { .. } => return true,
                _ => module.stmt_parent(stmt),
            },
            Parent::Expr(expr) => module.expr_parent(expr),
            Parent::Root(root) => module.root_parent(root),
            Parent::Prop(prop) => module.expr_parent(module.prop(prop).owner),
            _ => return false,
        };
    }
}

/// The value of `target = value`.
fn assigned_value(module: &Module, target: ExprId) -> Option<ExprId> {
    let Parent::Pat(pattern) = module.expr_parent(target) else { return None };
    match (module.pat(pattern).kind, module.root(module.root_of(pattern)?).source) {
        (PatKind::Target(own), RootSource::Value(value)) if own == target => Some(value),
        _ => None,
    }
}

/// Whether a statement runs only for some roles: `if (message.role !== 'system') list.push(message)`, also by `continue`.
fn decided_by_role(module: &Module, call: ExprId) -> bool {
    let mut parent = module.expr_parent(call);
    loop {
        parent = match parent {
            Parent::Stmt(stmt) => match module.stmt(stmt).kind {
                StmtKind::If { test, .. } if module.text(module.expr(test).span).contains("role") => return true,
                StmtKind::Switch { value, .. } if module.text(module.expr(value).span).contains("role") => return true,
                StmtKind::ForEach { body, .. } => {
                    let skips = |stmt: &StmtId| match module.stmt(*stmt).kind {
                        StmtKind::If { test, .. } => module.text(module.expr(test).span).contains("role"),
                        _ => false,
                    };
                    return match module.stmt(body).kind {
                        StmtKind::Block(list) => module.stmts(list).iter().any(skips),
                        _ => false,
                    };
                }
                _ => module.stmt_parent(stmt),
            },
            Parent::Expr(expr) => match module.expr(expr).kind {
                // `message.role !== 'system' && list.push(message)`
                ExprKind::Binary(_, left, _) if module.text(module.expr(left).span).contains("role") => return true,
                _ => module.expr_parent(expr),
            },
            Parent::Function(function) => {
                let body = module.function(function).span;
                // `list.forEach((message) => { … })`
                return module.function(function).expr.is_some() && module.text(body).contains("role !==");
            }
            _ => return false,
        };
    }
}
