//! The nodes of a lowered module. Small and copyable; children are ids into the module's arenas.

use agentcheck_syntax::Span;

use super::{
    BindingId, ClassId, ClassMemberId, ExprId, FuncId, ImportDeclId, ImportId, JsxId, List, NameId, PatId, PatPropId,
    PropId, RootId, ScopeId, StmtId, TypeExprId,
};

/// An expression. Parentheses are gone: the span is that of the inner expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

/// What an expression is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExprKind {
    /// A syntax error, something nested too deep, or syntax that no rule asks about.
    Unknown,
    /// A name. `binding` is `None` for globals.
    Ident {
        name: NameId,
        binding: Option<BindingId>,
    },
    This,
    Super,
    Null,
    Bool(bool),
    /// The literal as written.
    Number(NameId),
    BigInt,
    Regex,
    /// The string's value, escapes resolved; also a template without interpolations.
    String(NameId),
    /// The interpolated expressions of a template; the texts lie between their `${}`.
    Template(List<ExprId>),
    Object(List<PropId>),
    /// Elements; spreads are [`ExprKind::Spread`], holes [`ExprKind::Unknown`].
    Array(List<ExprId>),
    Function(FuncId),
    Class(ClassId),
    /// `object.property`; the property's name ends where the expression ends.
    Member {
        object: ExprId,
        property: NameId,
    },
    /// `object[index]`.
    Index {
        object: ExprId,
        index: ExprId,
    },
    Call {
        callee: ExprId,
        args: List<ExprId>,
    },
    New {
        callee: ExprId,
        args: List<ExprId>,
    },
    /// `import(source)`.
    Import(ExprId),
    Await(ExprId),
    Yield(Option<ExprId>),
    Spread(ExprId),
    Unary(UnaryOp, ExprId),
    Update(ExprId),
    Binary(BinaryOp, ExprId, ExprId),
    Conditional {
        test: ExprId,
        then: ExprId,
        otherwise: ExprId,
    },
    /// `target = value`; for `+=` and the like `compound` is set.
    Assign {
        target: PatId,
        value: ExprId,
        compound: bool,
    },
    Sequence(List<ExprId>),
    /// `value as T`, `value satisfies T`, `<T>value`.
    Cast {
        value: ExprId,
        ty: TypeExprId,
        satisfies: bool,
    },
    NonNull(ExprId),
    /// A tagged template: the tag and the template's interpolations.
    Tagged {
        tag: ExprId,
        values: List<ExprId>,
    },
    Jsx(JsxId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOp {
    Not,
    Minus,
    Plus,
    Typeof,
    Void,
    Delete,
    BitNot,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOp {
    /// `==` and `===`.
    Equal,
    /// `!=` and `!==`.
    NotEqual,
    Add,
    And,
    Or,
    Nullish,
    Instanceof,
    In,
    /// Comparison, arithmetic, bits.
    Other,
}

/// An entry of an object literal or an attribute of a JSX element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prop {
    pub key: PropKey,
    pub kind: PropKind,
    /// For a spread, what is spread.
    pub value: ExprId,
    /// As written: with quotes or brackets. For a spread, the three dots.
    pub key_span: Span,
    pub span: Span,
    /// The object or element that holds it.
    pub owner: ExprId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PropKey {
    /// `a`, `'a'`, `["a"]`, `1`.
    Name(NameId),
    /// `[expr]`.
    Computed(ExprId),
    /// A spread has no key.
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PropKind {
    Value,
    /// `{ a }`.
    Shorthand,
    Method,
    Getter,
    Setter,
    Spread,
}

/// A binding pattern or an assignment target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pat {
    pub kind: PatKind,
    pub span: Span,
    pub role: PatRole,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatKind {
    Unknown,
    /// Declares a name.
    Binding(BindingId),
    /// Assigns to a name, member or element that exists.
    Target(ExprId),
    Object(List<PatPropId>),
    /// Elements; holes are [`PatKind::Unknown`].
    Array(List<PatId>),
    /// `pattern = value`.
    Default {
        pattern: PatId,
        value: ExprId,
    },
    Rest(PatId),
}

/// Where a pattern hangs, so that the value it receives can be found from below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatRole {
    Root(RootId),
    /// The value of a key in an object pattern.
    Key(PatId, PatPropId),
    /// The rest of an object pattern.
    ObjectRest(PatId),
    /// An element of an array pattern.
    Element(PatId, u32),
    /// The rest of an array pattern from this index on.
    ArrayRest(PatId, u32),
    /// Inside a default.
    Inner(PatId),
}

/// `key: pattern` of an object pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PatProp {
    pub key: PropKey,
    pub pattern: PatId,
    /// `{ a }` or `{ a = 1 }`.
    pub shorthand: bool,
    pub key_span: Span,
    pub span: Span,
}

/// An outermost pattern and where its value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Root {
    pub pattern: PatId,
    pub source: RootSource,
    pub annotation: Option<TypeExprId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RootSource {
    /// `let x`, `declare const x`: nothing is said.
    None,
    Value(ExprId),
    Param {
        function: FuncId,
        index: u32,
        /// `...rest`.
        rest: bool,
        default: Option<ExprId>,
        /// `constructor(private readonly x)`: it is a field as well.
        is_property: bool,
    },
    Catch,
    /// `for (x of iterable)`; `awaits` for `for await`.
    ForOf {
        iterable: ExprId,
        awaits: bool,
    },
    ForIn(ExprId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Function {
    pub span: Span,
    pub name: Option<NameId>,
    pub params: List<RootId>,
    pub body: Body,
    pub return_type: Option<TypeExprId>,
    pub is_async: bool,
    pub is_generator: bool,
    pub is_arrow: bool,
    pub scope: ScopeId,
    /// The expression that is this function; none for declarations.
    pub expr: Option<ExprId>,
    /// The function around it.
    pub parent: Option<FuncId>,
    /// The class it is a method of.
    pub class: Option<ClassId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// A signature without a body.
    None,
    Block(StmtId),
    /// `x => expr`.
    Expr(ExprId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Class {
    pub span: Span,
    pub name: Option<NameId>,
    pub extends: Option<ExprId>,
    pub members: List<ClassMemberId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassMember {
    pub key: PropKey,
    pub kind: ClassMemberKind,
    pub is_static: bool,
    /// The field's value, or the function of a method, accessor or constructor.
    pub value: Option<ExprId>,
    pub annotation: Option<TypeExprId>,
    pub key_span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClassMemberKind {
    Field,
    Method,
    Getter,
    Setter,
    Constructor,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Jsx {
    /// The component; none for `<div>` and fragments.
    pub component: Option<ExprId>,
    pub attributes: List<PropId>,
    pub children: List<ExprId>,
}

/// A statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StmtKind {
    /// Nothing runs: types, imports, empty statements.
    Nothing,
    Expr(ExprId),
    /// `const a = 1, b = 2`.
    Declare(List<RootId>),
    Function(FuncId),
    Class(ClassId),
    Return(Option<ExprId>),
    Throw(ExprId),
    If {
        test: ExprId,
        then: StmtId,
        otherwise: Option<StmtId>,
    },
    Block(List<StmtId>),
    /// `for (init; test; update)`, `while`, `do`: `init` and what runs each time.
    Loop {
        init: Option<StmtId>,
        body: StmtId,
        /// `while (true)`, `for (;;)`: left only by `break`, `return` or `throw`.
        endless: bool,
    },
    ForEach {
        root: RootId,
        body: StmtId,
    },
    Try {
        block: StmtId,
        catch: Option<StmtId>,
        finally: Option<StmtId>,
    },
    /// The handler of a `try`: its parameter and block.
    Catch {
        param: Option<RootId>,
        body: StmtId,
    },
    Switch {
        value: ExprId,
        cases: List<StmtId>,
    },
    /// A case of a `switch`: its test (none for `default`) and a block.
    Case {
        test: Option<ExprId>,
        body: StmtId,
    },
    Labeled(StmtId),
    Break,
    Continue,
}

/// A type as written; only what inference reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypeExpr {
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeKind {
    /// Generic parameters, conditional types and the like.
    Unknown,
    /// `string`, a literal, `void`.
    Plain,
    /// `Name<Args>`.
    Name {
        name: NameId,
        binding: Option<BindingId>,
        args: List<TypeExprId>,
    },
    /// `module.Name<Args>`; the binding is that of `module`.
    Qualified {
        module: NameId,
        name: NameId,
        binding: Option<BindingId>,
        args: List<TypeExprId>,
    },
    Array(TypeExprId),
    Union(List<TypeExprId>),
    /// `{ a: T }`: names and types alternate in the module's member list.
    Object(List<TypeMember>),
    /// `T['key']`.
    Indexed {
        object: TypeExprId,
        key: NameId,
    },
    /// `typeof x`.
    Query(ExprId),
}

/// A property of an object type or interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypeMember {
    pub name: NameId,
    pub ty: TypeExprId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    pub parent: Option<ScopeId>,
    /// `var` and function declarations belong to the nearest scope with this set.
    pub is_function: bool,
    pub span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binding {
    pub name: NameId,
    pub scope: ScopeId,
    /// The name in its declaration.
    pub span: Span,
    pub def: BindingDef,
}

/// What declares a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BindingDef {
    Pattern {
        pattern: PatId,
        constant: bool,
    },
    Import(ImportId),
    Function(FuncId),
    Class(ClassId),
    /// An alias or interface; the type it stands for.
    Type(TypeExprId),
    Enum,
    /// A TypeScript namespace.
    Namespace,
}

/// An `import` declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportDecl {
    pub source: NameId,
    /// With quotes.
    pub source_span: Span,
    pub span: Span,
    /// `import type …`.
    pub type_only: bool,
    /// The braces of the named imports, if there are any.
    pub named: Option<Span>,
}

/// A name that an import declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Import {
    pub decl: ImportDeclId,
    pub kind: ImportKind,
    pub binding: BindingId,
    pub type_only: bool,
    pub span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportKind {
    Default,
    /// `* as ns`, and `import ns = require('x')`.
    Namespace,
    Named {
        imported: NameId,
        imported_span: Span,
    },
}

/// Something that the module exports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Export {
    pub kind: ExportKind,
    pub span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportKind {
    /// `export const a`, `export { a as b }`: the local name and the exported one.
    Local { binding: BindingId, exported: NameId },
    /// `export default expr`.
    Default(ExprId),
    /// `module.exports = expr`: what requiring the module gives.
    Whole(ExprId),
    /// `exports.exported = value`.
    Assigned { exported: NameId, value: ExprId },
    /// `export { imported as exported } from 'source'`.
    From { source: NameId, imported: NameId, exported: NameId },
    /// `export * from 'source'`.
    Star { source: NameId },
    /// `export * as exported from 'source'`.
    Namespace { source: NameId, exported: NameId },
}
