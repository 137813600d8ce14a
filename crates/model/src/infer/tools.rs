//! What tools a `tools` value holds, who runs each, and how many steps a call may take.

use super::{Infer, Loc, SdkCall, Sites, Value, ValueKind};
use crate::hir::{BindingDef, ExprId, ExprKind, ImportKind, Module};

/// Who runs a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ToolKind {
    /// It has an `execute`: its result goes back to the model in a further step.
    Local,
    /// The provider runs it within the step: `openai.tools.webSearch({})`.
    Provider,
    /// No `execute`: the run stops there and somebody else answers.
    Client,
    Unknown,
}

/// The tools of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolSet {
    /// Name, kind, where the tool is written.
    pub tools: Vec<(String, ToolKind, Loc)>,
    /// Whether there may be more.
    pub open: bool,
}

impl ToolSet {
    /// Whether a tool of this kind is among them.
    pub fn has(&self, kind: ToolKind) -> bool {
        self.tools.iter().any(|(_, other, _)| *other == kind)
    }
}

/// How many steps a call may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steps {
    One,
    /// More than one, with a tool of the project's own to go on after.
    Several,
    /// It cannot be seen.
    Unknown,
}

impl Infer<'_> {
    /// The tools that a `tools` value holds.
    pub fn tool_set(&mut self, value: Value) -> ToolSet {
        let mut set = ToolSet::default();
        let keys = self.keys(value);
        set.open = !keys.open.is_empty();
        for key in keys.known {
            let tool = self.eval(key.value);
            let kind = self.tool_kind(tool, key.value);
            set.tools.push((key.name, kind, key.value));
        }
        set
    }

    /// Who runs the tool that `value`, written at `loc`, is.
    pub fn tool_kind(&mut self, value: Value, loc: Loc) -> ToolKind {
        let mut kinds: Vec<ToolKind> = Vec::new();
        for member in self.alternatives(value) {
            let kind = match *self.kind(member) {
                ValueKind::Object(_) | ValueKind::Sdk(_) => {
                    let keys = self.keys(member);
                    match keys.get("execute") {
                        Some(_) => ToolKind::Local,
                        None if keys.open.is_empty() => ToolKind::Client,
                        None => ToolKind::Unknown,
                    }
                }
                _ if self.is_provider_tool(loc) => ToolKind::Provider,
                _ => ToolKind::Unknown,
            };
            kinds.push(kind);
        }
        kinds.dedup();
        match kinds.as_slice() {
            [only] => *only,
            _ => ToolKind::Unknown,
        }
    }

    /// `openai.tools.webSearch(…)`: made by a provider package.
    fn is_provider_tool(&self, loc: Loc) -> bool {
        let module = self.module(loc.file);
        let ExprKind::Call { callee, .. } = module.expr(module.peel(loc.expr)).kind else { return false };
        let ExprKind::Member { object, .. } = module.expr(callee).kind else { return false };
        let ExprKind::Member { object: provider, property } = module.expr(object).kind else { return false };
        module.name(property) == "tools" && comes_from_provider(module, provider)
    }

    /// How many steps the run that `call` starts may take, under AI SDK 5 and later.
    pub fn steps(&mut self, call: &SdkCall, sites: &Sites) -> Steps {
        // An agent's settings are those of its constructor.
        let (settings, is_agent) = match call.receiver {
            Some(receiver) => match self.constructor(receiver, sites) {
                Some(constructor) => (constructor, true),
                None => return Steps::Unknown,
            },
            None => (call.clone(), call.name.contains("Agent")),
        };
        let Some(argument) = settings.args.first() else { return Steps::Unknown };
        let options = self.eval(settings.loc.at(*argument));
        let keys = self.keys(options);
        let bounded_by_one = match keys.get("stopWhen") {
            Some(key) => self.is_one_step(key.value),
            // Functions take one step by default, agents up to 20.
            None if keys.open.is_empty() => !is_agent,
            None => return Steps::Unknown,
        };
        if bounded_by_one {
            return Steps::One;
        }
        if let Some(choice) = keys.get("toolChoice")
            && self.literal_text(choice.value).as_deref() == Some("none")
        {
            return Steps::One;
        }
        match keys.get("tools") {
            Some(key) => {
                let tools = self.eval(key.value);
                let set = self.tool_set(tools);
                if set.has(ToolKind::Local) {
                    Steps::Several
                } else if set.open || set.has(ToolKind::Unknown) {
                    Steps::Unknown
                } else {
                    Steps::One
                }
            }
            None if keys.open.is_empty() => Steps::One,
            None => Steps::Unknown,
        }
    }

    /// The call that constructed an agent.
    pub fn constructor(&mut self, receiver: Value, sites: &Sites) -> Option<SdkCall> {
        let ValueKind::Sdk(sdk) = *self.kind(receiver) else { return None };
        let origin = sdk.origin?;
        if let Some(call) = sites.calls.iter().find(|call| call.loc.is_same_expr(origin)) {
            return Some(call.clone());
        }
        self.sdk_call_at(origin)
    }

    /// `isStepCount(1)`, also as one of several conditions and by a constant.
    fn is_one_step(&mut self, condition: Loc) -> bool {
        let value = self.eval(condition);
        match *self.kind(value) {
            ValueKind::Array(_) => {
                let conditions = self.elements(value);
                conditions.known.iter().any(|condition| self.is_one_step(condition.loc))
            }
            ValueKind::Sdk(sdk) => {
                let Some(call) = sdk.origin.and_then(|origin| self.sdk_call_at(origin)) else { return false };
                let Some(count) = call.args.first() else { return false };
                matches!(call.name.as_str(), "stepCountIs" | "isStepCount")
                    && self.literal_text(call.loc.at(*count)).as_deref() == Some("1")
            }
            _ => false,
        }
    }
}

/// Whether an expression begins with something imported from an `@ai-sdk/` package, or with the gateway of `ai`.
fn comes_from_provider(module: &Module, mut expr: ExprId) -> bool {
    // Names may define each other in a circle.
    for _ in 0..32 {
        expr = match module.expr(expr).kind {
            ExprKind::Member { object, .. } => object,
            ExprKind::Call { callee, .. } => callee,
            ExprKind::Ident { binding: Some(binding), .. } => {
                return match module.binding(binding).def {
                    BindingDef::Import(import) => {
                        let import = module.import(import);
                        let source = module.name(module.import_decl(import.decl).source);
                        match import.kind {
                            // `import { gateway } from 'ai'`: what it searches with runs behind the gateway.
                            ImportKind::Named { imported, .. } => {
                                source.starts_with("@ai-sdk/") || source == "ai" && module.name(imported) == "gateway"
                            }
                            ImportKind::Namespace => source.starts_with("@ai-sdk/"),
                            ImportKind::Default => false,
                        }
                    }
                    // `const openai = createOpenAI(…)`
                    BindingDef::Pattern { .. } => match module.value_of_binding(binding) {
                        Some(value) if value != expr => {
                            expr = value;
                            continue;
                        }
                        _ => false,
                    },
                    _ => false,
                };
            }
            _ => return false,
        }
    }
    false
}
