//! What SDK value an expression is. Demand-driven and memoised: an [`Infer`] serves one file's rules on one thread and may
//! look into every module of the program. What it returns is a function of the program and the order of the questions, so
//! that runs are deterministic however files are spread over threads.

mod annotation;
mod array;
mod bind;
mod call;
mod callers;
mod context;
mod describe;
mod escapes;
mod eval;
mod expected;
mod keys;
mod memo;
mod property;
mod sites;
mod tools;
mod uses;
mod value;
mod wants;

use std::rc::Rc;

use agentcheck_catalog::{Ty, TyId};
use agentcheck_syntax::FileId;
use rustc_hash::FxHashMap;

use callers::{Callers, MethodCalls};
use context::Context;
use memo::Memo;
use uses::Uses;

use crate::hir::{BindingId, FuncId, Module, PatId, TypeExprId};
use crate::program::Program;

pub use array::{Element, Elements};
pub use call::returned;
pub(crate) use call::{child_stmts, is_made_require};
pub use escapes::{Entered, Escape};
pub use keys::{Key, KeyOrigin, Keys};
pub use sites::{Reach, SdkCall, Sites, Typed};
pub use tools::{Steps, ToolKind, ToolSet};
use value::Env;
pub use value::{Ctx, Loc, Sdk, Unknown, Value, ValueKind};
pub use wants::{Trace, Wants};

/// Expressions may define each other over this many steps; real code stays below 20.
const DEPTH_LIMIT: u32 = 96;

/// Steps that one file's questions may take in all. Counts work, not time, so that every machine answers alike.
const STEP_LIMIT: u32 = 4_000_000;

/// The same for [`Infer::explored`].
const EXPLORE_LIMIT: u32 = 2_000;

/// More alternatives than this are not told apart.
const UNION_LIMIT: usize = 16;

/// Answers questions about the values of one file.
pub struct Infer<'p> {
    pub program: &'p Program,
    /// The file whose rules ask.
    home: FileId,
    values: Vec<ValueKind>,
    ids: FxHashMap<ValueKind, Value>,
    /// `None` while the value is being worked out.
    exprs: FxHashMap<Loc, Option<Value>>,
    bindings: FxHashMap<(Env, BindingId), Option<Value>>,
    patterns: FxHashMap<(Env, PatId), Option<Value>>,
    returns: FxHashMap<(Env, FuncId), Option<Value>>,
    /// The first stands for [`Ctx::ANY`].
    contexts: Vec<Context>,
    context_ids: FxHashMap<Context, Ctx>,
    expected: FxHashMap<Loc, Option<Sdk>>,
    worlds: Memo<Value, Vec<Keys>>,
    elements: Memo<Value, Elements>,
    escapes: Memo<(FileId, FuncId), Vec<Escape>>,
    /// `None` also while the type is being worked out.
    annotations: FxHashMap<(FileId, TypeExprId), Option<TyId>>,
    uses: FxHashMap<(FileId, BindingId), Rc<Uses>>,
    callers: FxHashMap<(FileId, FuncId), Rc<Callers>>,
    /// By file, the calls of methods by the method's name.
    method_calls: FxHashMap<FileId, Rc<MethodCalls>>,
    /// Files of barrels that were not read, with the name that one of them may export.
    barrels: Vec<(Rc<[FileId]>, String)>,
    /// What the answers so far hang on.
    pub trace: Trace,
    /// Nobody waits for the answer: no file is read for it.
    idle: bool,
    /// Parameters that are being worked out from what callers pass, one because of the other.
    from_callers: u32,
    depth: u32,
    /// The arrays whose elements are being asked for.
    open_arrays: Vec<Value>,
    steps: u32,
    step_limit: u32,
}

impl<'p> Infer<'p> {
    /// A fresh start on a program, for the rules of one of its files.
    pub fn new(program: &'p Program, home: FileId) -> Self {
        Self {
            program,
            home,
            values: Vec::new(),
            ids: FxHashMap::default(),
            exprs: FxHashMap::default(),
            bindings: FxHashMap::default(),
            patterns: FxHashMap::default(),
            returns: FxHashMap::default(),
            contexts: Vec::new(),
            context_ids: FxHashMap::default(),
            expected: FxHashMap::default(),
            worlds: Memo::default(),
            elements: Memo::default(),
            escapes: Memo::default(),
            annotations: FxHashMap::default(),
            uses: FxHashMap::default(),
            callers: FxHashMap::default(),
            method_calls: FxHashMap::default(),
            barrels: Vec::new(),
            trace: Trace::default(),
            idle: false,
            from_callers: 0,
            depth: 0,
            open_arrays: Vec::new(),
            steps: 0,
            step_limit: STEP_LIMIT,
        }
    }

    /// What `file` hands to others, or is handed by them, as far as it concerns SDK values; see [`Infer::explore`]. Worked
    /// out apart from the rules' questions and with less effort: asked of every file, it must not follow all of the others.
    pub fn explored(program: &'p Program, file: FileId) -> Trace {
        let mut infer = Self { step_limit: EXPLORE_LIMIT, ..Self::new(program, file) };
        infer.explore(file);
        infer.trace
    }

    /// What is known of a value.
    pub fn kind(&self, value: Value) -> &ValueKind {
        &self.values[value.0 as usize]
    }

    /// The alternatives of a value: itself, unless it is one of several.
    pub fn alternatives(&self, value: Value) -> Vec<Value> {
        match self.kind(value) {
            ValueKind::Union(members) => members.clone(),
            _ => vec![value],
        }
    }

    /// The module that holds `loc`.
    pub fn module(&self, file: FileId) -> &'p Module {
        self.program.module(file)
    }

    fn make(&mut self, kind: ValueKind) -> Value {
        if let Some(value) = self.ids.get(&kind) {
            return *value;
        }
        let value = Value(self.values.len() as u32);
        self.values.push(kind.clone());
        self.ids.insert(kind, value);
        value
    }

    fn unknown(&mut self, why: Unknown, at: Loc) -> Value {
        self.make(ValueKind::Unknown(why, at))
    }

    fn join(&mut self, values: impl IntoIterator<Item = Value>) -> Option<Value> {
        let mut members: Vec<Value> = Vec::new();
        for value in values {
            for member in self.alternatives(value) {
                if !members.contains(&member) {
                    members.push(member);
                }
            }
        }
        // `x = x ?? make()`: what a value is because of itself it is because of the rest.
        let is_cycle = |this: &Self, value: &Value| matches!(this.kind(*value), ValueKind::Unknown(Unknown::Cycle, _));
        if !members.iter().all(|member| is_cycle(self, member)) {
            members.retain(|member| !is_cycle(self, member));
        }
        match members.as_slice() {
            [] => None,
            [only] => Some(*only),
            _ => {
                members.truncate(UNION_LIMIT);
                Some(self.make(ValueKind::Union(members)))
            }
        }
    }

    /// Applies `map` to each alternative of a value and joins the results.
    fn map(&mut self, value: Value, mut map: impl FnMut(&mut Self, Value) -> Value) -> Value {
        match self.kind(value) {
            ValueKind::Union(_) => {
                let mapped: Vec<Value> = self.alternatives(value).into_iter().map(|member| map(self, member)).collect();
                self.join(mapped).unwrap_or(value)
            }
            _ => map(self, value),
        }
    }

    /// The value of a type out of the table.
    fn sdk_value(&mut self, ty: TyId, origin: Option<Loc>, at: Loc) -> Value {
        match self.program.types.ty(ty) {
            Ty::Any => self.unknown(Unknown::Any, at),
            Ty::Promise(inner) => {
                let inner = self.sdk_value(*inner, origin, at);
                self.make(ValueKind::Promise(inner))
            }
            Ty::Union(members) => {
                let values: Vec<Value> = members.iter().map(|member| self.sdk_value(*member, origin, at)).collect();
                match self.join(values) {
                    Some(value) => value,
                    None => self.unknown(Unknown::Any, at),
                }
            }
            _ => self.make(ValueKind::Sdk(Sdk { ty, origin })),
        }
    }

    /// What `await value` gives.
    pub fn awaited(&mut self, value: Value) -> Value {
        self.map(value, |this, member| match this.kind(member) {
            ValueKind::Promise(inner) => *inner,
            _ => member,
        })
    }

    /// Counts a step; false when the budget is used up.
    fn step(&mut self) -> bool {
        self.steps += 1;
        self.steps < self.step_limit && self.depth < DEPTH_LIMIT
    }
}
