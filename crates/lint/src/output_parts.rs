//! What of a tool's output does not survive becoming JSON: found through variables, helpers and nesting.

use agentcheck_model::hir::{BinaryOp, BindingDef, ExprId, ExprKind, Module, PropKind, UnaryOp};
use agentcheck_model::{Infer, KeyOrigin, Keys, Loc, Value, ValueKind, returned};
use agentcheck_syntax::Place;

use crate::finding::Related;
use crate::tool_functions::ToolFunction;
use crate::tool_output::{is_converted, outputs};

/// Values in values are followed this deep.
const DEPTH: usize = 8;

/// A part of an output that JSON does not have.
pub(crate) struct Part {
    pub kind: Kind,
    /// Where it is put into the output.
    pub at: Loc,
    /// Where it is made, if that is elsewhere.
    pub made: Option<Loc>,
    /// What is returned, or yielded.
    pub output: Loc,
    /// The keys that lead to it, outermost first.
    path: Vec<Step>,
}

/// What it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An object of a class that the language or the platform brings: `Map`.
    Class(String),
    Promise,
    /// What a generator gives: iterable, but no array.
    Iterator,
    BigInt,
    /// The object holds itself.
    Cycle,
    Function,
    Symbol,
    /// `NaN` or `Infinity`.
    NoNumber(String),
}

/// A key, and whether the object has others; or an element.
#[derive(Debug, Clone)]
enum Step {
    Key(String, bool),
    Element,
}

/// The parts of what a tool's `execute` hands back; none when the tool converts it itself.
pub(crate) fn parts(infer: &mut Infer<'_>, execute: &ToolFunction) -> Vec<Part> {
    if is_converted(execute) {
        return Vec::new();
    }
    let module = infer.module(execute.file);
    let function = *module.function(execute.function);
    let mut found = Vec::new();
    for output in outputs(infer, execute) {
        let mut search = Search { infer, output, path: Vec::new(), above: Vec::new(), found: Vec::new() };
        // Of an `async` function the promise of a promise is one promise.
        search.expr(output, true);
        // A plain function may hand out a stream of results.
        if function.is_async || function.is_generator {
            found.append(&mut search.found);
        } else {
            found.extend(search.found.into_iter().filter(|part| part.kind != Kind::Iterator || !part.path.is_empty()));
        }
    }
    found
}

impl Part {
    /// The JSON that arrives, with `leaf` in the part's place.
    pub fn json(&self, leaf: &str) -> String {
        let mut json = leaf.to_owned();
        for step in self.path.iter().rev() {
            json = match step {
                Step::Key(name, false) => format!("{{\"{name}\":{json}}}"),
                Step::Key(name, true) => format!("{{\"{name}\":{json},…}}"),
                Step::Element => format!("[{json},…]"),
            };
        }
        json
    }

    /// Where to point: at the part when it stands in `execute`, else at what `execute` returns; and what leads there.
    pub fn place(&self, infer: &Infer<'_>, execute: &ToolFunction) -> (Place, Vec<Related>) {
        let place = |loc: Loc| Place { file: loc.file, span: infer.module(loc.file).expr(loc.expr).span };
        let body = infer.module(execute.file).function(execute.function).span;
        let at = place(self.at);
        let mut related = Vec::new();
        let shown = if at.file == execute.file && body.contains(at.span) {
            at
        } else {
            related.push(Related { place: at, message: "put into the result here".to_owned() });
            place(self.output)
        };
        if let Some(made) =
            self.made.map(place).filter(|made| !(shown.file == made.file && shown.span.contains(made.span)))
        {
            related.push(Related { place: made, message: "made here".to_owned() });
        }
        (shown, related)
    }
}

struct Search<'s, 'p> {
    infer: &'s mut Infer<'p>,
    output: Loc,
    path: Vec<Step>,
    /// The objects around.
    above: Vec<Value>,
    found: Vec<Part>,
}

impl Search<'_, '_> {
    fn expr(&mut self, at: Loc, is_whole: bool) {
        let module = self.infer.module(at.file);
        let at = at.at(module.peel(at.expr));
        let origin = origin(module, at);
        if let Some(kind) = written(self.infer, origin, is_whole, DEPTH) {
            return self.add(kind, at, Some(origin));
        }
        let value = self.infer.eval(at);
        let members = self.infer.alternatives(value);
        // `rows = Object.fromEntries(rows)`: which of the values it has here is not known.
        if members.len() > 1 && is_reassigned(module, at) {
            return;
        }
        for member in members {
            self.value(member, at, is_whole);
        }
    }

    fn add(&mut self, kind: Kind, at: Loc, made: Option<Loc>) {
        let made = made.filter(|made| !made.is_same_expr(at));
        self.found.push(Part { kind, at, made, output: self.output, path: self.path.clone() });
    }

    fn value(&mut self, value: Value, at: Loc, is_whole: bool) {
        if self.path.len() > DEPTH {
            return;
        }
        match self.infer.kind(value).clone() {
            ValueKind::Promise(inner) if is_whole => {
                for member in self.infer.alternatives(inner) {
                    self.value(member, at, true);
                }
            }
            ValueKind::Promise(_) => self.add(Kind::Promise, at, None),
            ValueKind::Builtin(made) => {
                let module = self.infer.module(made.file);
                if let ExprKind::New { callee, .. } = module.expr(made.expr).kind {
                    let class = module.text(module.expr(callee).span).trim_start_matches("globalThis.").to_owned();
                    // What a promise gives when it was awaited in between is not known.
                    if class != "Promise" {
                        self.add(Kind::Class(class), at, Some(made));
                    }
                }
            }
            ValueKind::Object(_) | ValueKind::Merged(_) | ValueKind::Rest(..) => self.object(value),
            ValueKind::Array(array) => self.array(value, array, at),
            ValueKind::Derived(call) => {
                let element = self.infer.element(value, at);
                self.path.push(Step::Element);
                for member in self.infer.alternatives(element) {
                    // `Promise.all` waits for what it is given.
                    if !matches!(self.infer.kind(member), ValueKind::Promise(_)) || self.is_itself(at, call) {
                        self.value(member, at, false);
                    }
                }
                self.path.pop();
            }
            ValueKind::Function(..) if !is_whole => self.add(Kind::Function, at, None),
            _ => {}
        }
    }

    fn object(&mut self, value: Value) {
        let keys = self.infer.keys(value);
        if keys.get("toJSON").is_some() {
            return;
        }
        self.above.push(value);
        let many = !keys.open.is_empty() || keys.known.iter().any(|key| key.name != keys.known[0].name);
        for (index, key) in keys.known.iter().enumerate() {
            if is_overwritten(&keys, index) || is_accessor(self.infer, key) {
                continue;
            }
            self.path.push(Step::Key(key.name.clone(), many));
            let inner = self.infer.eval(key.value);
            if matches!(key.origin, KeyOrigin::Assignment(_)) && self.above.contains(&inner) {
                self.add(Kind::Cycle, key.value, None);
            } else {
                self.expr(key.value, false);
            }
            self.path.pop();
        }
        self.above.pop();
    }

    fn array(&mut self, value: Value, array: Loc, at: Loc) {
        let elements = self.infer.elements(value);
        self.path.push(Step::Element);
        for element in &elements.known {
            let inner = self.infer.eval(element.loc);
            let is_promise = matches!(self.infer.kind(inner), ValueKind::Promise(_));
            if !is_promise || self.is_itself(at, array) {
                self.expr(element.loc, false);
            }
        }
        self.path.pop();
    }

    /// Whether an expression is another one, or a constant with its value: nothing was done with it in between.
    fn is_itself(&self, at: Loc, other: Loc) -> bool {
        at.file == other.file && origin(self.infer.module(at.file), at).expr == other.expr
    }
}

/// Whether a later entry of the same name takes the place of an entry, or an assignment may.
fn is_overwritten(keys: &Keys, index: usize) -> bool {
    keys.known[index + 1..].iter().any(|later| {
        later.name == keys.known[index].name && (later.certain || matches!(later.origin, KeyOrigin::Assignment(_)))
    })
}

/// Whether an expression is a name that is assigned to after its declaration.
fn is_reassigned(module: &Module, at: Loc) -> bool {
    match module.expr(at.expr).kind {
        ExprKind::Ident { binding: Some(binding), .. } => module.writes(binding).next().is_some(),
        _ => false,
    }
}

fn is_accessor(infer: &Infer<'_>, key: &agentcheck_model::Key) -> bool {
    match key.origin {
        KeyOrigin::Entry(prop) => {
            matches!(infer.module(key.place.file).prop(prop).kind, PropKind::Getter | PropKind::Setter)
        }
        KeyOrigin::Assignment(_) => false,
    }
}

/// The expression that a constant stands for.
fn origin(module: &Module, at: Loc) -> Loc {
    let mut expr = module.peel(at.expr);
    for _ in 0..16 {
        let ExprKind::Ident { binding: Some(binding), .. } = module.expr(expr).kind else { break };
        let BindingDef::Pattern { constant: true, .. } = module.binding(binding).def else { break };
        let Some(value) = module.value_of_binding(binding) else { break };
        expr = module.peel(value);
    }
    at.at(expr)
}

/// What an expression is by the way it is written.
fn written(infer: &mut Infer<'_>, at: Loc, is_whole: bool, left: usize) -> Option<Kind> {
    let left = left.checked_sub(1)?;
    let module = infer.module(at.file);
    let (expr, is_awaited) = match module.expr(at.expr).kind {
        ExprKind::Await(inner) => (module.peel(inner), true),
        _ => (at.expr, is_whole),
    };
    match module.expr(expr).kind {
        ExprKind::BigInt => Some(Kind::BigInt),
        ExprKind::Regex => Some(Kind::Class("RegExp".to_owned())),
        ExprKind::Unary(UnaryOp::Minus, inner) => written(infer, at.at(module.peel(inner)), false, left)
            .filter(|kind| matches!(kind, Kind::BigInt | Kind::NoNumber(_))),
        // With a BigInt on one side there is one on the other, or it throws.
        ExprKind::Binary(BinaryOp::Other | BinaryOp::Add, one, other) if !is_comparison(module, expr, one) => {
            [one, other].into_iter().find_map(|side| {
                let side = origin(module, at.at(module.peel(side)));
                written(infer, side, false, left).filter(|kind| *kind == Kind::BigInt)
            })
        }
        ExprKind::Ident { name, binding: None } if matches!(module.name(name), "NaN" | "Infinity") => {
            Some(Kind::NoNumber(module.name(name).to_owned()))
        }
        ExprKind::New { callee, .. } if module.text(module.expr(callee).span) == "Promise" => {
            (!is_awaited).then_some(Kind::Promise)
        }
        ExprKind::Call { callee, args } => {
            let callee = module.peel(callee);
            let value = infer.eval(at.at(callee));
            if let ValueKind::Function(file, function, ctx) = *infer.kind(value) {
                let module = infer.module(file);
                let node = module.function(function);
                if node.is_generator {
                    return Some(Kind::Iterator);
                }
                // A promise of the project is told by its type.
                if node.is_async && !is_awaited {
                    return None;
                }
                let results = returned(module, function);
                return results.into_iter().find_map(|expr| {
                    let result = Loc { file, expr: module.peel(expr), ctx };
                    written(infer, origin(module, result), node.is_async, left)
                });
            }
            if let ExprKind::Member { object, property } = module.expr(callee).kind {
                let method = module.name(property).to_owned();
                // `rows.reduce((map, row) => map.set(…), new Map())`
                if method == "reduce"
                    && let &[_, start] = module.exprs(args)
                {
                    return collection(infer, at.at(start));
                }
                let receiver = infer.eval(at.at(object));
                if let ValueKind::Builtin(made) = *infer.kind(receiver) {
                    let class = builtin_name(infer, made);
                    let is_iterator = matches!(class, "Map" | "Set" | "URLSearchParams" | "Headers" | "FormData")
                        && matches!(method.as_str(), "keys" | "values" | "entries");
                    return is_iterator.then_some(Kind::Iterator);
                }
            }
            global_call(module, callee, is_awaited)
        }
        _ => None,
    }
}

/// The `Map` or `Set` that an expression makes.
fn collection(infer: &mut Infer<'_>, at: Loc) -> Option<Kind> {
    let value = infer.eval(at);
    let ValueKind::Builtin(made) = *infer.kind(value) else { return None };
    let class = builtin_name(infer, made);
    matches!(class, "Map" | "Set").then(|| Kind::Class(class.to_owned()))
}

/// What functions of the platform give.
fn global_call(module: &Module, callee: ExprId, is_awaited: bool) -> Option<Kind> {
    let mut root = callee;
    while let ExprKind::Member { object, .. } = module.expr(root).kind {
        root = object;
    }
    if !matches!(module.expr(root).kind, ExprKind::Ident { binding: None, .. }) {
        return None;
    }
    let class = |name: &str| Some(Kind::Class(name.to_owned()));
    match module.text(module.expr(callee).span) {
        "BigInt" | "BigInt.asIntN" | "BigInt.asUintN" | "process.hrtime.bigint" => Some(Kind::BigInt),
        "Symbol" | "Symbol.for" => Some(Kind::Symbol),
        "Buffer.from" | "Buffer.alloc" | "Buffer.concat" => class("Buffer"),
        "fetch" if is_awaited => class("Response"),
        "fetch" => Some(Kind::Promise),
        "Response.json" | "Response.error" | "Response.redirect" => class("Response"),
        _ => None,
    }
}

fn builtin_name<'p>(infer: &Infer<'p>, made: Loc) -> &'p str {
    let module = infer.module(made.file);
    match module.expr(made.expr).kind {
        ExprKind::New { callee, .. } => module.text(module.expr(callee).span),
        _ => "",
    }
}

/// `a < b` and the like, which give a boolean: all operators but those of arithmetic and bits.
fn is_comparison(module: &Module, whole: ExprId, left: ExprId) -> bool {
    let (whole, left) = (module.expr(whole).span, module.expr(left).span);
    let rest = module.source[left.end as usize..whole.end as usize].trim_start_matches([')', ' ', '\n', '\r', '\t']);
    let is_shift = rest.starts_with("<<") || rest.starts_with(">>");
    (rest.starts_with('<') || rest.starts_with('>')) && !is_shift
}
