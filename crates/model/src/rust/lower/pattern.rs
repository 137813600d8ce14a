//! Patterns: the names that they declare.

use agentcheck_syntax::{Node, Span};

use super::super::hir::{Binding, BindingDef, BindingId};
use super::{Lowerer, nodes};

impl<'t> Lowerer<'t> {
    /// Declares the names of a pattern. `def` says what the whole pattern stands for; `variant` is the constructor around
    /// it, `Err` in `Err(error)`.
    pub(super) fn pattern(&mut self, node: Node<'_>, def: BindingDef, variant: Option<Span>) -> Vec<BindingId> {
        self.deeper(|this| match node.kind() {
            "identifier" | "shorthand_field_identifier" => this.declare(node, def, variant).into_iter().collect(),
            "mut_pattern" | "ref_pattern" | "reference_pattern" | "tuple_pattern" | "slice_pattern"
            | "captured_pattern" | "match_pattern" | "or_pattern" => {
                let def = match (node.kind(), def) {
                    ("mut_pattern" | "match_pattern" | "captured_pattern", def) => def,
                    (_, BindingDef::Let(value)) => BindingDef::Part { value, variant },
                    (_, def) => def,
                };
                // The condition of an arm is no pattern.
                let condition = node.child_by_field_name("condition").map(|condition| condition.id());
                let parts: Vec<Node<'_>> =
                    nodes(node).filter(|part| part.is_named() && Some(part.id()) != condition).collect();
                parts.into_iter().flat_map(|part| this.pattern(part, def, variant)).collect()
            }
            "tuple_struct_pattern" | "struct_pattern" => {
                let constructor = node.child_by_field_name("type");
                let variant = constructor.and_then(|path| this.path(path).last().copied());
                let parts: Vec<Node<'_>> = nodes(node)
                    .filter(|part| part.is_named() && Some(part.id()) != constructor.map(|path| path.id()))
                    .collect();
                let def = part_of(def, variant);
                parts.into_iter().flat_map(|part| this.pattern(part, def, variant)).collect()
            }
            "field_pattern" => match node.child_by_field_name("pattern") {
                Some(pattern) => this.pattern(pattern, part_of(def, variant), variant),
                None => {
                    let name = node.child_by_field_name("name");
                    name.into_iter().filter_map(|name| this.declare(name, part_of(def, variant), variant)).collect()
                }
            },
            _ => Vec::new(),
        })
        .unwrap_or_default()
    }

    fn declare(&mut self, node: Node<'_>, def: BindingDef, variant: Option<Span>) -> Option<BindingId> {
        let name = self.span(node);
        let text = self.str(name);
        // `None`, `MAX`: constants and variants, which declare nothing.
        if text.starts_with(|first: char| first.is_uppercase()) {
            return None;
        }
        let def = match def {
            BindingDef::Part { value, .. } => BindingDef::Part { value, variant },
            def => def,
        };
        self.out.bindings.push(Binding { name, def, refs: Vec::new() });
        let id = BindingId(self.out.bindings.len() as u32 - 1);
        if let Some(block) = self.names.last_mut() {
            block.push((text, id));
        }
        Some(id)
    }

    /// The local variable that a name means here.
    pub(super) fn local(&self, name: &str) -> Option<BindingId> {
        let blocks = self.names.iter().rev();
        blocks.flat_map(|block| block.iter().rev()).find(|(known, _)| *known == name).map(|(_, id)| *id)
    }
}

fn part_of(def: BindingDef, variant: Option<Span>) -> BindingDef {
    match def {
        BindingDef::Let(value) => BindingDef::Part { value, variant },
        def => def,
    }
}
