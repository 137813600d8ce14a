//! Types and paths as they are written.

use agentcheck_syntax::{Node, Span};

use super::super::hir::{Type, TypeKind};
use super::{Lowerer, nodes};

impl Lowerer<'_> {
    /// The segments of a path, without type arguments.
    pub(super) fn path(&self, node: Node<'_>) -> Vec<Span> {
        // From the end: `a::b::c` nests to the left.
        let mut segments = Vec::new();
        let mut rest = Some(node);
        while let Some(node) = rest {
            rest = match node.kind() {
                "scoped_identifier" | "scoped_type_identifier" => {
                    segments.extend(node.child_by_field_name("name").map(|name| self.span(name)));
                    node.child_by_field_name("path")
                }
                "generic_type" | "generic_type_with_turbofish" => node.child_by_field_name("type"),
                "generic_function" => node.child_by_field_name("function"),
                "bracketed_type" => None,
                _ => {
                    segments.push(self.span(node));
                    None
                }
            };
        }
        segments.reverse();
        segments
    }

    pub(super) fn ty(&mut self, node: Node<'_>) -> Type {
        let span = self.span(node);
        let kind = self.deeper(|this| this.type_kind(node)).unwrap_or(TypeKind::Other);
        Type { span, kind }
    }

    fn type_kind(&mut self, node: Node<'_>) -> TypeKind {
        let inner =
            |this: &mut Self, field: &str| node.child_by_field_name(field).map(|inner| Box::new(this.ty(inner)));
        match node.kind() {
            "type_identifier" | "scoped_type_identifier" | "primitive_type" | "identifier" | "scoped_identifier" => {
                // `Vec<T>::Item` is rare enough; the arguments of the last segment are what counts.
                TypeKind::Path { path: self.path(node), args: Vec::new() }
            }
            "generic_type" => {
                let arguments = node.child_by_field_name("type_arguments");
                let is_type = |child: &Node<'_>| {
                    child.is_named() && !matches!(child.kind(), "lifetime" | "type_binding" | "line_comment")
                };
                let args: Vec<Node<'_>> = arguments.into_iter().flat_map(nodes).filter(is_type).collect();
                TypeKind::Path { path: self.path(node), args: args.into_iter().map(|arg| self.ty(arg)).collect() }
            }
            "reference_type" => inner(self, "type").map_or(TypeKind::Other, TypeKind::Reference),
            "array_type" => inner(self, "element").map_or(TypeKind::Other, TypeKind::Array),
            "tuple_type" => {
                let parts: Vec<Node<'_>> = nodes(node).filter(Node::is_named).collect();
                TypeKind::Tuple(parts.into_iter().map(|part| self.ty(part)).collect())
            }
            "unit_type" => TypeKind::Unit,
            _ => TypeKind::Other,
        }
    }
}
