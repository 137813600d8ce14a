//! Tree → [`RustModule`]: items and what stands before them.

mod expr;
mod macros;
mod pattern;
mod ty;

use agentcheck_syntax::{Node, Span, Tree};

use super::hir::{
    Attribute, Constant, Expr, ExprId, ExprKind, FieldDecl, FnId, Function, Impl, ImplId, Param, Preamble, RustModule,
    Scope, ScopeId, TypeItem, TypeItemKind, Use, UseKind, Variant,
};

/// Nodes nested deeper than this are not looked into: hostile input costs an answer and never the stack.
const DEPTH_LIMIT: u32 = 200;

/// Lowers a parsed file.
pub(crate) fn lower(tree: &Tree, text: &str) -> RustModule {
    let mut lowerer = Lowerer {
        text,
        shift: 0,
        out: RustModule::default(),
        scope: ScopeId(0),
        function: None,
        names: Vec::new(),
        depth: 0,
    };
    lowerer.out.scopes.push(Scope { parent: None, module: None, is_block: false, is_test: false });
    lowerer.items(tree.root_node());
    lowerer.finish()
}

struct Lowerer<'t> {
    text: &'t str,
    /// Added to the offsets of nodes: the arguments of macros are parsed on their own.
    shift: i64,
    out: RustModule,
    scope: ScopeId,
    function: Option<FnId>,
    /// The local names in sight, innermost last: a list a block.
    names: Vec<Vec<(&'t str, super::hir::BindingId)>>,
    depth: u32,
}

impl<'t> Lowerer<'t> {
    fn span(&self, node: Node<'_>) -> Span {
        let place = |byte: usize| (byte as i64 + self.shift) as u32;
        Span::new(place(node.start_byte()), place(node.end_byte()))
    }

    fn str(&self, span: Span) -> &'t str {
        span.text(self.text)
    }

    fn deeper<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= DEPTH_LIMIT {
            return None;
        }
        self.depth += 1;
        let result = lower(self);
        self.depth -= 1;
        Some(result)
    }

    fn add(&mut self, node: Node<'_>, kind: ExprKind) -> ExprId {
        let span = self.span(node);
        self.add_at(span, kind)
    }

    fn add_at(&mut self, span: Span, kind: ExprKind) -> ExprId {
        self.out.exprs.push(Expr { span, kind, parent: None, function: self.function, scope: self.scope });
        ExprId(self.out.exprs.len() as u32 - 1)
    }

    /// Parents and references, when everything is there.
    fn finish(mut self) -> RustModule {
        for index in 0..self.out.exprs.len() {
            let id = ExprId(index as u32);
            for child in children(&self.out.exprs[index].kind) {
                self.out.exprs[child.0 as usize].parent = Some(id);
            }
            if let ExprKind::Path { binding: Some(binding), .. } = self.out.exprs[index].kind {
                self.out.bindings[binding.0 as usize].refs.push(id);
            }
        }
        self.out
    }

    /// The items of a file, a module, a block, an implementation.
    fn items(&mut self, list: Node<'_>) {
        let mut preamble = None;
        for child in nodes(list) {
            if self.preamble_part(child, &mut preamble) {
                continue;
            }
            let preamble = preamble.take().unwrap_or_default();
            self.item(child, preamble);
        }
    }

    /// Adds an attribute or a doc comment to what stands before the next item; false when the node is something else.
    fn preamble_part(&mut self, node: Node<'_>, preamble: &mut Option<Preamble>) -> bool {
        let is_comment = matches!(node.kind(), "line_comment" | "block_comment");
        if node.kind() != "attribute_item" && !is_comment {
            return false;
        }
        let span = self.span(node);
        let preamble = preamble.get_or_insert_with(|| Preamble { start: span.start, ..Preamble::default() });
        if is_comment {
            let text = self.str(span);
            preamble.has_doc |= (text.starts_with("///") && !text.starts_with("////"))
                || (text.starts_with("/**") && !text.starts_with("/***") && text.len() > 4);
            return true;
        }
        for attribute in nodes(node).filter(|child| child.kind() == "attribute") {
            let attribute = self.attribute(attribute, span);
            preamble.has_doc |= matches!(attribute.path.as_slice(), [doc] if self.str(*doc) == "doc");
            preamble.attributes.push(attribute);
        }
        true
    }

    fn attribute(&mut self, node: Node<'_>, span: Span) -> Attribute {
        let path = node.named_child(0).map(|path| self.path(path)).unwrap_or_default();
        let args = match (node.child_by_field_name("arguments"), node.child_by_field_name("value")) {
            (Some(tokens), _) => Some(inside(self.span(tokens))),
            (None, value) => value.map(|value| self.span(value)),
        };
        Attribute { path, args, span }
    }

    /// Lowers an item; other nodes are left alone.
    fn item(&mut self, node: Node<'_>, mut preamble: Preamble) -> bool {
        if preamble.attributes.is_empty() && !preamble.has_doc {
            preamble.start = self.span(node).start;
        }
        match node.kind() {
            "use_declaration" => {
                if let Some(tree) = node.child_by_field_name("argument") {
                    self.use_tree(tree, &[]);
                }
            }
            "mod_item" => self.module(node, &preamble),
            "struct_item" | "enum_item" | "union_item" | "type_item" => self.type_item(node, preamble),
            "impl_item" => self.implementation(node, preamble),
            "function_item" | "function_signature_item" => {
                self.function(node, preamble, None);
            }
            "trait_item" => {
                if let Some(body) = node.child_by_field_name("body") {
                    self.items(body);
                }
            }
            "const_item" | "static_item" => {
                let value = node.child_by_field_name("value").and_then(|value| self.detached(value));
                if let Some(name) = node.child_by_field_name("name") {
                    let (scope, name) = (self.scope, self.span(name));
                    self.out.constants.push(Constant { scope, name, value });
                }
            }
            "macro_definition" | "extern_crate_declaration" | "foreign_mod_item" | "associated_type" => {}
            _ => return false,
        }
        true
    }

    fn use_tree(&mut self, node: Node<'_>, before: &[Span]) {
        let _ = self.deeper(|this| {
            let with = |path: Vec<Span>| before.iter().copied().chain(path).collect::<Vec<_>>();
            match node.kind() {
                "use_as_clause" => {
                    let path = node.child_by_field_name("path").map(|path| this.path(path)).unwrap_or_default();
                    let alias = node.child_by_field_name("alias").map(|alias| this.span(alias));
                    let kind = alias.map_or(UseKind::Plain, UseKind::Renamed);
                    this.out.uses.push(Use { scope: this.scope, path: with(path), kind });
                }
                "use_wildcard" => {
                    let path = node.named_child(0).map(|path| this.path(path)).unwrap_or_default();
                    this.out.uses.push(Use { scope: this.scope, path: with(path), kind: UseKind::Glob });
                }
                "use_list" => nodes(node).filter(Node::is_named).for_each(|child| this.use_tree(child, before)),
                "scoped_use_list" => {
                    let path = node.child_by_field_name("path").map(|path| this.path(path)).unwrap_or_default();
                    if let Some(list) = node.child_by_field_name("list") {
                        this.use_tree(list, &with(path));
                    }
                }
                // `use a::{self}` brings in `a`.
                "self" if !before.is_empty() => {
                    this.out.uses.push(Use { scope: this.scope, path: before.to_vec(), kind: UseKind::Plain });
                }
                "identifier" | "scoped_identifier" | "self" | "crate" | "super" => {
                    let path = with(this.path(node));
                    this.out.uses.push(Use { scope: this.scope, path, kind: UseKind::Plain });
                }
                _ => {}
            }
        });
    }

    fn module(&mut self, node: Node<'_>, preamble: &Preamble) {
        let (Some(name), Some(body)) = (node.child_by_field_name("name"), node.child_by_field_name("body")) else {
            return;
        };
        let scope = Scope {
            parent: Some(self.scope),
            module: Some(self.span(name)),
            is_block: false,
            is_test: self.out.scope(self.scope).is_test || self.is_for_tests(preamble),
        };
        let outer = self.enter(scope);
        let _ = self.deeper(|this| this.items(body));
        self.scope = outer;
    }

    fn enter(&mut self, scope: Scope) -> ScopeId {
        self.out.scopes.push(scope);
        std::mem::replace(&mut self.scope, ScopeId(self.out.scopes.len() as u32 - 1))
    }

    /// `#[cfg(test)]`, `#[test]`, `#[tokio::test]`.
    fn is_for_tests(&self, preamble: &Preamble) -> bool {
        preamble.attributes.iter().any(|attribute| {
            let name = attribute.path.last().map_or("", |name| self.str(*name));
            name == "test" || (name == "cfg" && attribute.args.is_some_and(|args| self.str(args).contains("test")))
        })
    }

    fn type_item(&mut self, node: Node<'_>, preamble: Preamble) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let body = node.child_by_field_name("body");
        let kind = match (node.kind(), body.map(|body| (body.kind(), body))) {
            ("type_item", _) => match node.child_by_field_name("type") {
                Some(ty) => TypeItemKind::Alias(self.ty(ty)),
                None => return,
            },
            ("enum_item", Some((_, body))) => TypeItemKind::Enum(self.variants(body)),
            ("union_item", _) => TypeItemKind::Union,
            (_, Some(("field_declaration_list", body))) => TypeItemKind::Struct(self.fields(body)),
            (_, Some((_, body))) => TypeItemKind::TupleStruct(self.positional(body)),
            (_, None) => TypeItemKind::UnitStruct,
        };
        let (scope, name, span) = (self.scope, self.span(name), self.span(node));
        self.out.types.push(TypeItem { scope, name, span, preamble, kind });
    }

    fn fields(&mut self, body: Node<'_>) -> Vec<FieldDecl> {
        let mut fields = Vec::new();
        let mut preamble = None;
        for child in nodes(body) {
            if self.preamble_part(child, &mut preamble) {
                continue;
            }
            if let (Some(name), Some(ty)) = (child.child_by_field_name("name"), child.child_by_field_name("type")) {
                let (name, ty) = (self.span(name), self.ty(ty));
                fields.push(FieldDecl { name, ty, preamble: preamble.take().unwrap_or_default() });
            }
        }
        fields
    }

    fn positional(&mut self, body: Node<'_>) -> Vec<super::hir::Type> {
        let skipped = ["attribute_item", "visibility_modifier", "line_comment", "block_comment"];
        let types = nodes(body).filter(|child| child.is_named() && !skipped.contains(&child.kind()));
        types.map(|child| self.ty(child)).collect()
    }

    fn variants(&mut self, body: Node<'_>) -> Vec<Variant> {
        let mut variants = Vec::new();
        let mut preamble = None;
        for child in nodes(body) {
            if self.preamble_part(child, &mut preamble) {
                continue;
            }
            if let Some(name) = child.child_by_field_name("name") {
                let fields = match child.child_by_field_name("body").map(|body| (body.kind(), body)) {
                    Some(("field_declaration_list", body)) => {
                        self.fields(body).into_iter().map(|field| field.ty).collect()
                    }
                    Some((_, body)) => self.positional(body),
                    None => Vec::new(),
                };
                variants.push(Variant { name: self.span(name), preamble: preamble.take().unwrap_or_default(), fields });
            }
        }
        variants
    }

    fn implementation(&mut self, node: Node<'_>, preamble: Preamble) {
        let (Some(ty), Some(body)) = (node.child_by_field_name("type"), node.child_by_field_name("body")) else {
            return;
        };
        let of_trait = node.child_by_field_name("trait").map(|name| self.ty(name));
        let imp = Impl {
            scope: self.scope,
            of_trait,
            self_type: self.ty(ty),
            preamble,
            span: self.span(node),
            body_start: self.span(body).start + 1,
            functions: Vec::new(),
            types: Vec::new(),
            constants: Vec::new(),
            has_macros: false,
        };
        let id = ImplId(self.out.impls.len() as u32);
        self.out.impls.push(imp);
        let mut preamble = None;
        for child in nodes(body) {
            if self.preamble_part(child, &mut preamble) {
                continue;
            }
            let preamble = preamble.take().unwrap_or_default();
            let name = child.child_by_field_name("name").map(|name| self.span(name));
            match (child.kind(), name) {
                ("function_item", _) => {
                    if let Some(function) = self.function(child, preamble, Some(id)) {
                        self.out.impls[id.0 as usize].functions.push(function);
                    }
                }
                ("type_item", Some(name)) => {
                    if let Some(ty) = child.child_by_field_name("type") {
                        let ty = self.ty(ty);
                        self.out.impls[id.0 as usize].types.push((name, ty));
                    }
                }
                ("const_item", Some(name)) => {
                    let value = child.child_by_field_name("value").and_then(|value| self.detached(value));
                    self.out.impls[id.0 as usize].constants.push((name, value));
                }
                ("macro_invocation", _) => self.out.impls[id.0 as usize].has_macros = true,
                _ => {}
            }
        }
    }

    fn function(&mut self, node: Node<'_>, mut preamble: Preamble, of_impl: Option<ImplId>) -> Option<FnId> {
        let name = self.span(node.child_by_field_name("name")?);
        if preamble.attributes.is_empty() && !preamble.has_doc {
            preamble.start = self.span(node).start;
        }
        let is_async = nodes(node)
            .filter(|child| child.kind() == "function_modifiers")
            .any(|modifiers| nodes(modifiers).any(|modifier| modifier.kind() == "async"));
        let is_test = self.out.scope(self.scope).is_test || self.is_for_tests(&preamble);
        let function = Function {
            scope: self.scope,
            name,
            span: self.span(node),
            preamble,
            is_async,
            has_self: false,
            params: Vec::new(),
            output: None,
            body: None,
            exprs: 0..0,
            of_impl,
            is_nested: self.function.is_some(),
            is_test,
        };
        self.out.functions.push(function);
        let id = FnId(self.out.functions.len() as u32 - 1);
        self.deeper(|this| {
            let outer = this.function.replace(id);
            // A function within another does not see its locals.
            let names = std::mem::replace(&mut this.names, vec![Vec::new()]);
            let (mut params, mut has_self) = (Vec::new(), false);
            for param in node.child_by_field_name("parameters").into_iter().flat_map(nodes) {
                match param.kind() {
                    "self_parameter" => has_self = true,
                    "parameter" => {
                        let bindings = param
                            .child_by_field_name("pattern")
                            .map(|pattern| this.pattern(pattern, super::hir::BindingDef::Param, None));
                        if let Some(ty) = param.child_by_field_name("type") {
                            let (ty, span) = (this.ty(ty), this.span(param));
                            params.push(Param { ty, span, bindings: bindings.unwrap_or_default() });
                        }
                    }
                    _ => {}
                }
            }
            let output = node.child_by_field_name("return_type").map(|output| this.ty(output));
            let from = this.out.exprs.len() as u32;
            let body = node.child_by_field_name("body").and_then(|body| this.expr(body));
            let exprs = from..this.out.exprs.len() as u32;
            let function = &mut this.out.functions[id.0 as usize];
            (function.params, function.has_self, function.output) = (params, has_self, output);
            (function.body, function.exprs) = (body, exprs);
            (this.function, this.names) = (outer, names);
        });
        Some(id)
    }

    /// An expression outside every function.
    fn detached(&mut self, node: Node<'_>) -> Option<ExprId> {
        let (function, names) = (self.function.take(), std::mem::take(&mut self.names));
        let lowered = self.expr(node);
        (self.function, self.names) = (function, names);
        lowered
    }
}

/// The children of a node.
fn nodes<'tree>(node: Node<'tree>) -> impl Iterator<Item = Node<'tree>> {
    let mut cursor = node.walk();
    let mut next = cursor.goto_first_child();
    std::iter::from_fn(move || {
        next.then(|| {
            let node = cursor.node();
            next = cursor.goto_next_sibling();
            node
        })
    })
}

/// Without the brackets at both ends.
fn inside(span: Span) -> Span {
    Span::new(span.start + 1, (span.end - 1).max(span.start + 1))
}

/// The expressions that an expression is made of.
pub(super) fn children(kind: &ExprKind) -> Vec<ExprId> {
    match kind {
        ExprKind::Path { .. } | ExprKind::Str(_) | ExprKind::Number | ExprKind::Bool(_) | ExprKind::OtherLiteral => {
            Vec::new()
        }
        ExprKind::Call { callee, args } => std::iter::once(*callee).chain(args.iter().copied()).collect(),
        ExprKind::Method { receiver, args, .. } => std::iter::once(*receiver).chain(args.iter().copied()).collect(),
        ExprKind::Field { base, .. } => vec![*base],
        ExprKind::Index { base, index } => vec![*base, *index],
        ExprKind::Macro { args, .. } => args.clone(),
        ExprKind::Closure { body, .. } => body.iter().copied().collect(),
        ExprKind::Block { statements, tail, .. } => statements.iter().chain(tail).copied().collect(),
        ExprKind::Let { value, otherwise, .. } => value.iter().chain(otherwise).copied().collect(),
        ExprKind::If { test, then, otherwise } => [*test, *then].into_iter().chain(*otherwise).collect(),
        ExprKind::Match { value, arms } => std::iter::once(*value).chain(arms.iter().map(|arm| arm.body)).collect(),
        ExprKind::Loop { over, body } => over.iter().copied().chain([*body]).collect(),
        ExprKind::Try(inner) | ExprKind::Await(inner) | ExprKind::Wrapped(inner) => vec![*inner],
        ExprKind::Return(value) => value.iter().copied().collect(),
        ExprKind::Assign { target, value, .. } => vec![*target, *value],
        ExprKind::Binary { left, right, .. } => vec![*left, *right],
        ExprKind::Struct { fields, base, .. } => fields.iter().map(|(_, value)| *value).chain(*base).collect(),
        ExprKind::Tuple(parts) | ExprKind::Array(parts) | ExprKind::Other(parts) => parts.clone(),
    }
}
