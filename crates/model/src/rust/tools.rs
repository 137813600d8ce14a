//! The tools that a Rust file defines: functions marked for rmcp or rig, and implementations of rig's `Tool`.

use super::hir::{Attribute, FnId, ImplId, TypeKind};
use super::view::RustView;

/// How a function is a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolForm {
    /// rmcp's `#[tool]`.
    Rmcp,
    /// rig's `#[rig_tool]`.
    RigMacro,
    /// `call` of an implementation of one of rig's traits.
    RigTrait(ImplId),
}

impl ToolForm {
    /// The names that the package of the tool may have.
    pub const fn packages(self) -> &'static [&'static str] {
        match self {
            Self::Rmcp => &["rmcp"],
            Self::RigMacro | Self::RigTrait(_) => &["rig", "rig-core"],
        }
    }
}

/// A tool.
#[derive(Debug, Clone, Copy)]
pub struct RustTool<'p> {
    pub function: FnId,
    pub form: ToolForm,
    /// `#[tool(…)]`, `#[rig_tool(…)]`.
    pub attribute: Option<&'p Attribute>,
}

/// The traits of rig whose `call` a model's tool calls reach.
const RIG_TRAITS: [&str; 4] = ["Tool", "PortableTool", "SyncTool", "AsyncTool"];

impl<'p> RustView<'p> {
    /// The value of `name = value` in the arguments of an attribute, as it is written; of `name` alone, its own name.
    pub fn argument(&self, attribute: &Attribute, name: &str) -> Option<&'p str> {
        let (mut depth, mut start, mut in_text) = (0, 0, false);
        let text = self.text(attribute.args?);
        let mut parts = Vec::new();
        for (at, character) in text.char_indices() {
            match character {
                '"' if !text[..at].ends_with('\\') => in_text = !in_text,
                _ if in_text => {}
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                ',' if depth == 0 => {
                    parts.push(&text[start..at]);
                    start = at + 1;
                }
                _ => {}
            }
        }
        parts.push(&text[start..]);
        parts.into_iter().find_map(|part| {
            let (key, value) = part.split_once('=').unwrap_or((part, part));
            (key.trim() == name).then(|| value.trim())
        })
    }

    /// The name under which a model calls a tool: that of the function unless the attribute gives another one. `None`
    /// when it is no plain text.
    pub fn tool_name(&self, tool: &RustTool<'_>) -> Option<String> {
        match tool.attribute.and_then(|attribute| self.argument(attribute, "name")) {
            Some(given) => Some(given.strip_prefix('"')?.strip_suffix('"')?.to_owned()),
            None => Some(self.text(self.module.function(tool.function).name).to_owned()),
        }
    }

    /// The tools of the file, tests left out.
    pub fn tools(&self) -> Vec<RustTool<'p>> {
        let mut tools = Vec::new();
        for (id, function) in self.module.all_functions().filter(|(_, function)| !function.is_test) {
            let attributes = &function.preamble.attributes;
            let marked = |package: &'static str, name: &'static str| {
                self.attribute(attributes, function.scope, move |foreign| match package {
                    "rig" => foreign.is_of_rig(name),
                    _ => foreign.is(package, name),
                })
            };
            if let Some(attribute) = marked("rmcp", "tool") {
                tools.push(RustTool { function: id, form: ToolForm::Rmcp, attribute: Some(attribute) });
            } else if let Some(attribute) = marked("rig", "rig_tool") {
                tools.push(RustTool { function: id, form: ToolForm::RigMacro, attribute: Some(attribute) });
            }
        }
        for (id, imp) in self.module.all_impls() {
            let Some(TypeKind::Path { path, .. }) = imp.of_trait.as_ref().map(|of_trait| &of_trait.kind) else {
                continue;
            };
            let is_tool =
                self.foreign(imp.scope, path).is_some_and(|of| RIG_TRAITS.iter().any(|name| of.is_of_rig(name)));
            if !is_tool || self.module.scope(imp.scope).is_test {
                continue;
            }
            let call = imp.functions.iter().find(|function| self.text(self.module.function(**function).name) == "call");
            tools.extend(call.map(|call| RustTool { function: *call, form: ToolForm::RigTrait(id), attribute: None }));
        }
        tools
    }
}
