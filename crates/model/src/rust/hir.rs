//! What a Rust file holds: items in a flat list, and the bodies of functions as expressions. Names are spans: the text
//! of the file is at hand wherever they are read. Local names are resolved while lowering, as Rust's are by position.

use agentcheck_syntax::Span;

/// Index into [`RustModule::exprs`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(pub u32);

/// Index into [`RustModule::functions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FnId(pub u32);

/// Index into [`RustModule::bindings`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BindingId(pub u32);

/// Index into [`RustModule::impls`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ImplId(pub u32);

/// Index into [`RustModule::scopes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScopeId(pub u32);

/// A file of Rust.
#[derive(Debug, Default, PartialEq)]
pub struct RustModule {
    /// The file's own, inline modules and blocks with `use` in them. The first is the file's.
    pub scopes: Vec<Scope>,
    pub uses: Vec<Use>,
    pub types: Vec<TypeItem>,
    pub impls: Vec<Impl>,
    pub functions: Vec<Function>,
    pub constants: Vec<Constant>,
    pub exprs: Vec<Expr>,
    pub bindings: Vec<Binding>,
}

/// Where names are looked up.
#[derive(Debug, PartialEq)]
pub struct Scope {
    pub parent: Option<ScopeId>,
    /// The name of an inline module; `None` for a file and a block.
    pub module: Option<Span>,
    /// A block sees what its module sees; an inline module does not.
    pub is_block: bool,
    /// `#[cfg(test)]`, here or around.
    pub is_test: bool,
}

/// A name that `use` brings in.
#[derive(Debug, PartialEq)]
pub struct Use {
    pub scope: ScopeId,
    /// Segments, the last being the thing itself; of a glob, the module.
    pub path: Vec<Span>,
    pub kind: UseKind,
}

/// Under which name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UseKind {
    /// The last segment's.
    Plain,
    /// `as name`.
    Renamed(Span),
    /// `::*`.
    Glob,
}

/// `#[path(args)]`, `#[path = value]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    pub path: Vec<Span>,
    /// What stands between the parentheses, or after `=`.
    pub args: Option<Span>,
    pub span: Span,
}

/// What stands before an item.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Preamble {
    pub attributes: Vec<Attribute>,
    pub has_doc: bool,
    /// Where the first attribute or doc comment begins, else the item.
    pub start: u32,
}

/// A struct, an enum or an alias.
#[derive(Debug, PartialEq)]
pub struct TypeItem {
    pub scope: ScopeId,
    pub name: Span,
    pub span: Span,
    pub preamble: Preamble,
    pub kind: TypeItemKind,
}

#[derive(Debug, PartialEq)]
pub enum TypeItemKind {
    Struct(Vec<FieldDecl>),
    TupleStruct(Vec<Type>),
    UnitStruct,
    Enum(Vec<Variant>),
    Alias(Type),
    Union,
}

#[derive(Debug, PartialEq)]
pub struct FieldDecl {
    pub name: Span,
    pub ty: Type,
    pub preamble: Preamble,
}

#[derive(Debug, PartialEq)]
pub struct Variant {
    pub name: Span,
    pub preamble: Preamble,
    /// The types of its fields, named or not.
    pub fields: Vec<Type>,
}

/// A type as it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Type {
    pub span: Span,
    pub kind: TypeKind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum TypeKind {
    /// A path, with the arguments of its last segment.
    Path {
        path: Vec<Span>,
        args: Vec<Type>,
    },
    Reference(Box<Type>),
    Tuple(Vec<Type>),
    /// `[T]` and `[T; n]`.
    Array(Box<Type>),
    /// `()`
    Unit,
    /// `impl Trait`, `dyn Trait`, functions, pointers.
    Other,
}

#[derive(Debug, PartialEq)]
pub struct Impl {
    pub scope: ScopeId,
    /// The trait, for `impl Trait for Type`.
    pub of_trait: Option<Type>,
    pub self_type: Type,
    pub preamble: Preamble,
    pub span: Span,
    /// Where the body begins, after `{`.
    pub body_start: u32,
    pub functions: Vec<FnId>,
    /// `type Output = …;`
    pub types: Vec<(Span, Type)>,
    /// `const NAME: … = …;`, and invocations of macros in between make the list open.
    pub constants: Vec<(Span, Option<ExprId>)>,
    pub has_macros: bool,
}

#[derive(Debug, PartialEq)]
pub struct Constant {
    pub scope: ScopeId,
    pub name: Span,
    pub value: Option<ExprId>,
}

#[derive(Debug, PartialEq)]
pub struct Function {
    pub scope: ScopeId,
    pub name: Span,
    pub span: Span,
    pub preamble: Preamble,
    pub is_async: bool,
    pub has_self: bool,
    pub params: Vec<Param>,
    pub output: Option<Type>,
    /// A block; `None` for a signature.
    pub body: Option<ExprId>,
    /// The ids of the expressions in it, those of functions in it included.
    pub exprs: std::ops::Range<u32>,
    pub of_impl: Option<ImplId>,
    /// Within another function.
    pub is_nested: bool,
    /// A test, or in a module of tests.
    pub is_test: bool,
}

#[derive(Debug, PartialEq)]
pub struct Param {
    pub ty: Type,
    pub span: Span,
    /// The names that its pattern declares.
    pub bindings: Vec<BindingId>,
}

/// A local name.
#[derive(Debug, PartialEq)]
pub struct Binding {
    pub name: Span,
    pub def: BindingDef,
    /// In source order, those in macros and format texts included.
    pub refs: Vec<ExprId>,
}

/// What a local name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BindingDef {
    /// Of a function.
    Param,
    /// Of a closure.
    ClosureParam,
    /// `let name = value`.
    Let(Option<ExprId>),
    /// A part of a value: of a `let` with a pattern, an arm of a `match`, `if let`, `for`.
    Part { value: Option<ExprId>, variant: Option<Span> },
}

#[derive(Debug, PartialEq)]
pub struct Expr {
    pub span: Span,
    pub kind: ExprKind,
    pub parent: Option<ExprId>,
    /// The function whose body it is part of; `None` in constants.
    pub function: Option<FnId>,
    pub scope: ScopeId,
}

#[derive(Debug, PartialEq)]
pub enum ExprKind {
    Path {
        path: Vec<Span>,
        binding: Option<BindingId>,
    },
    /// Its text without quotes; escapes stay as written.
    Str(Span),
    Number,
    Bool(bool),
    OtherLiteral,
    Call {
        callee: ExprId,
        args: Vec<ExprId>,
    },
    Method {
        receiver: ExprId,
        name: Span,
        args: Vec<ExprId>,
    },
    Field {
        base: ExprId,
        name: Span,
    },
    Index {
        base: ExprId,
        index: ExprId,
    },
    /// `args` is empty where the tokens are no list of expressions.
    Macro {
        path: Vec<Span>,
        tokens: Span,
        args: Vec<ExprId>,
    },
    Closure {
        body: Option<ExprId>,
        params: Vec<BindingId>,
    },
    Block {
        statements: Vec<ExprId>,
        tail: Option<ExprId>,
        is_async: bool,
    },
    /// `let` in a block, with what its value is.
    Let {
        value: Option<ExprId>,
        otherwise: Option<ExprId>,
        bindings: Vec<BindingId>,
    },
    If {
        test: ExprId,
        then: ExprId,
        otherwise: Option<ExprId>,
    },
    Match {
        value: ExprId,
        arms: Vec<Arm>,
    },
    Loop {
        /// What `for` runs over, or the condition of `while`.
        over: Option<ExprId>,
        body: ExprId,
    },
    Try(ExprId),
    Await(ExprId),
    Return(Option<ExprId>),
    Assign {
        target: ExprId,
        value: ExprId,
        /// `+=` and the like.
        is_compound: bool,
    },
    Binary {
        operator: Span,
        left: ExprId,
        right: ExprId,
    },
    /// `&x`, `*x`, `-x`, `!x`, `(x)`, `x as T`: one operand.
    Wrapped(ExprId),
    Struct {
        path: Vec<Span>,
        fields: Vec<(Span, ExprId)>,
        base: Option<ExprId>,
    },
    Tuple(Vec<ExprId>),
    Array(Vec<ExprId>),
    /// What rules need not tell apart, with the expressions in it.
    Other(Vec<ExprId>),
}

/// An arm of a `match`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arm {
    pub pattern: Span,
    /// `Err` in `Err(error)`.
    pub variant: Option<Span>,
    pub body: ExprId,
}

impl RustModule {
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    pub fn function(&self, id: FnId) -> &Function {
        &self.functions[id.0 as usize]
    }

    pub fn binding(&self, id: BindingId) -> &Binding {
        &self.bindings[id.0 as usize]
    }

    pub fn imp(&self, id: ImplId) -> &Impl {
        &self.impls[id.0 as usize]
    }

    pub fn scope(&self, id: ScopeId) -> &Scope {
        &self.scopes[id.0 as usize]
    }

    /// Every function, with its id.
    pub fn all_functions(&self) -> impl Iterator<Item = (FnId, &Function)> {
        self.functions.iter().enumerate().map(|(index, function)| (FnId(index as u32), function))
    }

    /// Every implementation, with its id.
    pub fn all_impls(&self) -> impl Iterator<Item = (ImplId, &Impl)> {
        self.impls.iter().enumerate().map(|(index, imp)| (ImplId(index as u32), imp))
    }

    /// Every expression, with its id, in the order in which they were met.
    pub fn all_exprs(&self) -> impl Iterator<Item = (ExprId, &Expr)> {
        self.exprs.iter().enumerate().map(|(index, expr)| (ExprId(index as u32), expr))
    }

    /// The expressions in the body of a function, those in closures in it included, those of functions in it not.
    pub fn exprs_of(&self, function: FnId) -> impl Iterator<Item = (ExprId, &Expr)> {
        let within = self.function(function).exprs.clone().map(ExprId);
        within.map(|id| (id, self.expr(id))).filter(move |(_, expr)| expr.function == Some(function))
    }

    /// The expression without `&`, `*`, parentheses and casts around it.
    pub fn peel(&self, mut id: ExprId) -> ExprId {
        while let ExprKind::Wrapped(inner) = self.expr(id).kind {
            id = inner;
        }
        id
    }

    /// The expressions above one, nearest first.
    pub fn above(&self, id: ExprId) -> impl Iterator<Item = ExprId> {
        std::iter::successors(self.expr(id).parent, |above| self.expr(*above).parent)
    }
}
