//! Expressions and statements.

use agentcheck_syntax::{Node, Span};

use super::super::hir::{Arm, BindingDef, ExprId, ExprKind, Preamble, Scope};
use super::{Lowerer, nodes};

impl<'t> Lowerer<'t> {
    pub(super) fn expr(&mut self, node: Node<'_>) -> Option<ExprId> {
        self.deeper(|this| this.expr_inner(node))?
    }

    fn field(&mut self, node: Node<'_>, name: &str) -> Option<ExprId> {
        node.child_by_field_name(name).and_then(|child| self.expr(child))
    }

    fn exprs(&mut self, list: Node<'_>) -> Vec<ExprId> {
        let is_expr = |child: &Node<'_>| {
            child.is_named() && !matches!(child.kind(), "attribute_item" | "line_comment" | "block_comment")
        };
        let children: Vec<Node<'_>> = nodes(list).filter(is_expr).collect();
        children.into_iter().filter_map(|child| self.expr(child)).collect()
    }

    fn expr_inner(&mut self, node: Node<'_>) -> Option<ExprId> {
        let kind = match node.kind() {
            "identifier" | "scoped_identifier" | "self" | "generic_function" | "crate" | "super" | "metavariable" => {
                let path = self.path(node);
                self.path_kind(path)
            }
            "string_literal" | "raw_string_literal" => ExprKind::Str(self.string(node)),
            "integer_literal" | "float_literal" | "negative_literal" => ExprKind::Number,
            "boolean_literal" => ExprKind::Bool(self.str(self.span(node)) == "true"),
            "char_literal" | "unit_expression" => ExprKind::OtherLiteral,
            "call_expression" => return self.call(node),
            "field_expression" => {
                let base = self.field(node, "value")?;
                ExprKind::Field { base, name: self.span(node.child_by_field_name("field")?) }
            }
            "index_expression" => {
                let parts = self.exprs(node);
                let &[base, index] = parts.as_slice() else { return Some(self.add(node, ExprKind::Other(parts))) };
                ExprKind::Index { base, index }
            }
            "macro_invocation" => return self.macro_call(node),
            "closure_expression" => self.closure(node),
            "block" => self.block(node, false),
            "async_block" | "unsafe_block" | "const_block" | "try_block" | "gen_block" => {
                let is_async = node.kind() == "async_block";
                let block = nodes(node).find(|child| child.kind() == "block")?;
                self.block(block, is_async)
            }
            "if_expression" => self.condition(node)?,
            "let_condition" => {
                let value = self.field(node, "value");
                let pattern = node.child_by_field_name("pattern")?;
                let bindings = self.pattern(pattern, BindingDef::Part { value, variant: None }, None);
                ExprKind::Let { value, otherwise: None, bindings }
            }
            "match_expression" => self.matching(node)?,
            "let_declaration" => {
                let value = self.field(node, "value");
                let otherwise = self.field(node, "alternative");
                let pattern = node.child_by_field_name("pattern")?;
                let bindings = self.pattern(pattern, BindingDef::Let(value), None);
                ExprKind::Let { value, otherwise, bindings }
            }
            "for_expression" => {
                let over = self.field(node, "value");
                self.names.push(Vec::new());
                if let Some(pattern) = node.child_by_field_name("pattern") {
                    self.pattern(pattern, BindingDef::Part { value: over, variant: None }, None);
                }
                let body = self.field(node, "body");
                self.names.pop();
                ExprKind::Loop { over, body: body? }
            }
            "while_expression" | "loop_expression" => {
                self.names.push(Vec::new());
                let over = self.field(node, "condition");
                let body = self.field(node, "body");
                self.names.pop();
                ExprKind::Loop { over, body: body? }
            }
            "try_expression" => ExprKind::Try(self.first(node)?),
            "await_expression" => ExprKind::Await(self.first(node)?),
            "return_expression" => ExprKind::Return(self.first(node)),
            "assignment_expression" | "compound_assignment_expr" => ExprKind::Assign {
                target: self.field(node, "left")?,
                value: self.field(node, "right")?,
                is_compound: node.kind() == "compound_assignment_expr",
            },
            "binary_expression" => ExprKind::Binary {
                operator: self.span(node.child_by_field_name("operator")?),
                left: self.field(node, "left")?,
                right: self.field(node, "right")?,
            },
            "reference_expression" | "type_cast_expression" => ExprKind::Wrapped(self.field(node, "value")?),
            "unary_expression" | "parenthesized_expression" => ExprKind::Wrapped(self.first(node)?),
            "struct_expression" => self.structure(node)?,
            "tuple_expression" => ExprKind::Tuple(self.exprs(node)),
            "array_expression" => ExprKind::Array(self.exprs(node)),
            "expression_statement" | "else_clause" => return self.first(node),
            _ => ExprKind::Other(self.exprs(node)),
        };
        Some(self.add(node, kind))
    }

    /// The only expression in a node.
    fn first(&mut self, node: Node<'_>) -> Option<ExprId> {
        let is_expr = |child: &Node<'_>| {
            child.is_named() && !matches!(child.kind(), "label" | "line_comment" | "block_comment" | "attribute_item")
        };
        let child = nodes(node).find(is_expr)?;
        self.expr(child)
    }

    fn path_kind(&self, path: Vec<Span>) -> ExprKind {
        let binding = match path.as_slice() {
            [name] => self.local(self.str(*name)),
            _ => None,
        };
        ExprKind::Path { path, binding }
    }

    /// The text between the quotes.
    fn string(&self, node: Node<'_>) -> Span {
        let span = self.span(node);
        let text = self.str(span);
        let open = text.find('"').map_or(0, |quote| quote + 1);
        let close = text.rfind('"').unwrap_or(text.len());
        Span::new(span.start + open as u32, span.start + close.max(open) as u32)
    }

    fn call(&mut self, node: Node<'_>) -> Option<ExprId> {
        let mut function = node.child_by_field_name("function")?;
        if function.kind() == "generic_function"
            && let Some(inner) = function.child_by_field_name("function")
        {
            function = inner;
        }
        let arguments = node.child_by_field_name("arguments");
        if function.kind() == "field_expression" {
            let receiver = self.field(function, "value")?;
            let name = self.span(function.child_by_field_name("field")?);
            let args = arguments.map(|list| self.exprs(list)).unwrap_or_default();
            return Some(self.add(node, ExprKind::Method { receiver, name, args }));
        }
        let callee = self.expr(function)?;
        let args = arguments.map(|list| self.exprs(list)).unwrap_or_default();
        Some(self.add(node, ExprKind::Call { callee, args }))
    }

    fn closure(&mut self, node: Node<'_>) -> ExprKind {
        self.names.push(Vec::new());
        // The id that the closure gets is not known yet; its parameters are found through `params`.
        let mut params = Vec::new();
        for param in node.child_by_field_name("parameters").into_iter().flat_map(nodes).filter(Node::is_named) {
            let pattern = param.child_by_field_name("pattern").unwrap_or(param);
            params.extend(self.pattern(pattern, BindingDef::ClosureParam, None));
        }
        let body = self.field(node, "body");
        self.names.pop();
        ExprKind::Closure { body, params }
    }

    fn block(&mut self, node: Node<'_>, is_async: bool) -> ExprKind {
        // A block that brings names in is a scope of its own.
        let has_uses = nodes(node).any(|child| child.kind() == "use_declaration");
        let outer = has_uses.then(|| {
            let is_test = self.out.scope(self.scope).is_test;
            self.enter(Scope { parent: Some(self.scope), module: None, is_block: true, is_test })
        });
        self.names.push(Vec::new());
        let (mut statements, mut tail, mut preamble) = (Vec::new(), None, None::<Preamble>);
        for child in nodes(node).filter(Node::is_named) {
            if self.preamble_part(child, &mut preamble) {
                continue;
            }
            if child.kind() == "label" || self.item(child, preamble.take().unwrap_or_default()) {
                continue;
            }
            statements.extend(tail.take());
            let expr = self.expr(child);
            // `if x { … }` at the end is a statement by the grammar and the value by the language.
            let ends = self.str(self.span(child)).ends_with(';') || child.kind() == "let_declaration";
            if ends { statements.extend(expr) } else { tail = expr }
        }
        self.names.pop();
        if let Some(outer) = outer {
            self.scope = outer;
        }
        ExprKind::Block { statements, tail, is_async }
    }

    fn condition(&mut self, node: Node<'_>) -> Option<ExprKind> {
        self.names.push(Vec::new());
        let test = self.field(node, "condition");
        let then = self.field(node, "consequence");
        self.names.pop();
        let otherwise = self.field(node, "alternative");
        Some(ExprKind::If { test: test?, then: then?, otherwise })
    }

    fn matching(&mut self, node: Node<'_>) -> Option<ExprKind> {
        let value = self.field(node, "value")?;
        let mut arms = Vec::new();
        let body = node.child_by_field_name("body")?;
        for arm in nodes(body).filter(|child| child.kind() == "match_arm") {
            let Some(pattern) = arm.child_by_field_name("pattern") else { continue };
            self.names.push(Vec::new());
            self.pattern(pattern, BindingDef::Part { value: Some(value), variant: None }, None);
            let mut guard = pattern.child_by_field_name("condition").and_then(|condition| self.expr(condition));
            let body = self.field(arm, "value");
            self.names.pop();
            let constructor = pattern.named_child(0).filter(|inner| inner.kind() == "tuple_struct_pattern");
            let variant = constructor
                .and_then(|inner| inner.child_by_field_name("type"))
                .and_then(|path| self.path(path).last().copied());
            let pattern = self.span(pattern);
            if let (Some(guard), Some(body)) = (guard.take(), body) {
                // Kept in the tree, so that nothing in it is lost.
                let both = self.add(arm, ExprKind::Other(vec![guard, body]));
                arms.push(Arm { pattern, variant, body: both });
            } else if let Some(body) = body {
                arms.push(Arm { pattern, variant, body });
            }
        }
        Some(ExprKind::Match { value, arms })
    }

    fn structure(&mut self, node: Node<'_>) -> Option<ExprKind> {
        let path = self.path(node.child_by_field_name("name")?);
        let (mut fields, mut base) = (Vec::new(), None);
        for field in node.child_by_field_name("body").into_iter().flat_map(nodes) {
            match field.kind() {
                "field_initializer" => {
                    let name = field.child_by_field_name("field").or_else(|| field.child_by_field_name("name"));
                    let value = self.field(field, "value");
                    fields.extend(name.map(|name| self.span(name)).zip(value));
                }
                "shorthand_field_initializer" => {
                    let name = self.span(field);
                    let kind = self.path_kind(vec![name]);
                    let value = self.add(field, kind);
                    fields.push((name, value));
                }
                "base_field_initializer" => base = self.first(field),
                _ => {}
            }
        }
        Some(ExprKind::Struct { path, fields, base })
    }
}
