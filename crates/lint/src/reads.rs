//! What a program reads of the result of a run: the answer alone, or also what the tools did.

use agentcheck_model::hir::{
    BinaryOp, BindingId, ExprId, ExprKind, FuncId, Module, NameId, Parent, PatId, PatKind, PropKey, RootId, RootSource,
    StmtKind,
};
use agentcheck_model::{Loc, Sdk, SdkCall, Value, ValueKind};
use rustc_hash::FxHashMap;

use crate::context::Context;

/// Names may be handed on in a circle.
const HOPS: u32 = 16;

/// What is read of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Reads {
    /// The answer: its text, object or stream.
    pub answer: bool,
    /// A stream for `useChat`.
    pub ui: bool,
    /// What the tools did, or why the run ended: the program goes on from there itself.
    pub run: bool,
    /// The result goes where it cannot be followed.
    pub lost: bool,
}

impl Reads {
    fn add(&mut self, name: &str) {
        match name {
            "text"
            | "textStream"
            | "output"
            | "experimental_output"
            | "partialOutputStream"
            | "elementStream"
            | "experimental_partialOutputStream"
            | "toTextStreamResponse"
            | "pipeTextStreamToResponse" => {
                self.answer = true;
            }
            "toUIMessageStream"
            | "toUIMessageStreamResponse"
            | "pipeUIMessageStreamToResponse"
            | "toDataStream"
            | "toDataStreamResponse"
            | "pipeDataStreamToResponse"
            | "mergeIntoDataStream"
            | "toAIStream"
            | "toAIStreamResponse"
            | "pipeAIStreamToResponse" => self.ui = true,
            "toolCalls" | "toolResults" | "staticToolCalls" | "staticToolResults" | "dynamicToolCalls"
            | "dynamicToolResults" | "content" | "steps" | "finalStep" | "response" | "responseMessages"
            | "fullStream" | "stream" | "finishReason" | "rawFinishReason" | "roundtrips" => self.run = true,
            _ => {}
        }
    }
}

/// Reads of every result in a file, by the call that it comes from.
pub(crate) struct AllReads(FxHashMap<Loc, Reads>);

impl AllReads {
    pub(crate) fn new(cx: &mut Context<'_>) -> Self {
        let module = cx.module();
        let mut all = Self(FxHashMap::default());
        for (_, node) in module.all_exprs() {
            let (object, name) = match node.kind {
                ExprKind::Member { object, property } => (object, property),
                ExprKind::Index { object, index } => match module.expr(index).kind {
                    ExprKind::String(name) => (object, name),
                    _ => continue,
                },
                _ => continue,
            };
            if is_of_interest(module, name) {
                let object = cx.infer.idly(|infer| infer.eval_in(cx.file, object));
                all.note(cx, object, module.name(name));
            }
        }
        for (pattern, node) in module.all_patterns() {
            let PatKind::Object(props) = node.kind else { continue };
            for (_, prop) in module.pat_props(props) {
                if let PropKey::Name(name) = prop.key
                    && is_of_interest(module, name)
                {
                    let at = Loc::new(cx.file, ExprId::FIRST);
                    let object = cx.infer.idly(|infer| infer.eval_pattern(cx.file, pattern, at));
                    all.note(cx, object, module.name(name));
                }
            }
        }
        all
    }

    fn note(&mut self, cx: &Context<'_>, object: Value, name: &str) {
        for member in cx.infer.alternatives(object) {
            let member = match *cx.infer.kind(member) {
                ValueKind::Promise(inner) => inner,
                _ => member,
            };
            if let ValueKind::Sdk(Sdk { origin: Some(origin), .. }) = *cx.infer.kind(member) {
                self.0.entry(Loc::new(origin.file, origin.expr)).or_default().add(name);
            }
        }
    }

    /// What is read of the result of a call.
    pub(crate) fn of(&self, cx: &Context<'_>, call: &SdkCall) -> Reads {
        let mut reads = self.0.get(&Loc::new(call.loc.file, call.loc.expr)).copied().unwrap_or_default();
        reads.lost = escapes(cx.infer.module(call.loc.file), call.loc.expr, HOPS);
        reads
    }
}

fn is_of_interest(module: &Module, name: NameId) -> bool {
    let mut reads = Reads::default();
    reads.add(module.name(name));
    reads != Reads::default()
}

/// Whether a value goes somewhere else than into reads of its properties.
fn escapes(module: &Module, expr: ExprId, hops: u32) -> bool {
    let Some(hops) = hops.checked_sub(1) else { return true };
    match module.expr_parent(expr) {
        Parent::Expr(parent) => match module.expr(parent).kind {
            ExprKind::Await(_) | ExprKind::NonNull(_) | ExprKind::Cast { .. } | ExprKind::Sequence(_) => {
                escapes(module, parent, hops)
            }
            ExprKind::Conditional { test, .. } => test != expr && escapes(module, parent, hops),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Nullish, ..) => escapes(module, parent, hops),
            ExprKind::Member { .. } | ExprKind::Index { .. } | ExprKind::Unary(..) | ExprKind::Binary(..) => false,
            ExprKind::Call { callee, .. } => !module.text(module.expr(callee).span).starts_with("console."),
            // Its elements are followed from the array that the promises become.
            ExprKind::Array(_) => match module.expr_parent(parent) {
                Parent::Expr(all) => match module.expr(all).kind {
                    ExprKind::Call { callee, .. } => !module.text(module.expr(callee).span).starts_with("Promise."),
                    _ => true,
                },
                _ => true,
            },
            ExprKind::Assign { value, target, .. } if value == expr => match module.pat(target).kind {
                PatKind::Target(place) => match module.expr(place).kind {
                    ExprKind::Ident { binding: Some(binding), .. } => binding_escapes(module, binding, hops),
                    _ => true,
                },
                _ => pattern_escapes(module, target, hops),
            },
            ExprKind::Assign { .. } => false,
            _ => true,
        },
        Parent::Root(root) => root_escapes(module, root, hops),
        Parent::Stmt(stmt) => match module.stmt(stmt).kind {
            StmtKind::Return(_) => match module.enclosing_function(expr) {
                Some(function) => results_escape(module, function, hops),
                None => true,
            },
            _ => false,
        },
        Parent::Function(function) => results_escape(module, function, hops),
        Parent::Pat(_) => false,
        _ => true,
    }
}

fn root_escapes(module: &Module, root: RootId, hops: u32) -> bool {
    match module.root(root).source {
        RootSource::Value(_) => pattern_escapes(module, module.root(root).pattern, hops),
        _ => true,
    }
}

fn pattern_escapes(module: &Module, pattern: PatId, hops: u32) -> bool {
    match module.pat(pattern).kind {
        PatKind::Binding(binding) => binding_escapes(module, binding, hops),
        PatKind::Object(props) => {
            module.pat_props(props).any(|(_, prop)| matches!(module.pat(prop.pattern).kind, PatKind::Rest(_)))
        }
        _ => true,
    }
}

fn binding_escapes(module: &Module, binding: BindingId, hops: u32) -> bool {
    module.is_exported(binding) || module.refs(binding).iter().any(|reference| escapes(module, *reference, hops))
}

/// Whether what a function returns goes to callers that are not in this file, or further from them.
fn results_escape(module: &Module, function: FuncId, hops: u32) -> bool {
    let Some(binding) = module.binding_of_function(function) else { return true };
    module.is_exported(binding)
        || module.refs(binding).iter().any(|reference| match module.expr_parent(*reference) {
            Parent::Expr(call) => match module.expr(call).kind {
                ExprKind::Call { callee, .. } if callee == *reference => escapes(module, call, hops),
                _ => true,
            },
            _ => true,
        })
}
