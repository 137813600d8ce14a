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
