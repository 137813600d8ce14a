//! What an expression is.

use agentcheck_catalog::{EntryId, ExportId, TyId};
use agentcheck_syntax::FileId;

use crate::hir::{ClassId, ExprId, FuncId, TypeExprId};

/// An expression of the program, in the context of the calls that lead to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Loc {
    pub file: FileId,
    pub expr: ExprId,
    pub ctx: Ctx,
}

impl Loc {
    /// An expression whoever calls the function around it.
    pub const fn new(file: FileId, expr: ExprId) -> Self {
        Self { file, expr, ctx: Ctx::ANY }
    }

    /// Another expression of the same file, in the same context.
    pub const fn at(self, expr: ExprId) -> Self {
        Self { expr, ..self }
    }

    /// Whether both are the same expression, whatever the context.
    pub fn is_same_expr(self, other: Self) -> bool {
        (self.file, self.expr) == (other.file, other.expr)
    }

    pub(super) const fn env(self) -> Env {
        Env { file: self.file, ctx: self.ctx }
    }
}

/// A chain of calls, interned in an [`Infer`](super::Infer): what the parameters of the functions around an expression are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ctx(pub(super) u32);

impl Ctx {
    /// Any caller: parameters are what all callers in sight pass.
    pub const ANY: Self = Self(0);
}

/// Where an expression is looked at from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Env {
    pub file: FileId,
    pub ctx: Ctx,
}

impl Env {
    pub(super) const fn any(file: FileId) -> Self {
        Self { file, ctx: Ctx::ANY }
    }

    pub(super) const fn at(self, expr: ExprId) -> Loc {
        Loc { file: self.file, expr, ctx: self.ctx }
    }
}

/// An abstract value, interned in an [`Infer`](super::Infer).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(pub(super) u32);

/// What is known of a value. Objects, arrays and functions are known by where they are written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueKind {
    /// Nothing is known, and where knowledge ended.
    Unknown(Unknown, Loc),
    /// Holds nothing of the SDK and is no object that can be followed: arithmetic, an element, a regular expression.
    Opaque,
    Undefined,
    Null,
    Bool(bool),
    /// A string, number or template literal.
    Literal(Loc),
    Object(Loc),
    Array(Loc),
    /// An array without its first elements: `const [, ...rest] = list`.
    Tail(Value, u32),
    /// The result of an array method that derives an array from its receiver: `filter`, `map`, `concat` …
    Derived(Loc),
    /// With the context of the functions around it.
    Function(FileId, FuncId, Ctx),
    Class(FileId, ClassId),
    /// `new C(…)` of a class of the project.
    Instance(FileId, ClassId),
    /// `new C(…)` of a class that the language brings, such as `Error` or `Map`.
    Builtin(Loc),
    /// A value of an SDK type, and the call that made it.
    Sdk(Sdk),
    /// A value of an object type written in the project: only its members' types are known.
    Declared(FileId, TypeExprId, Loc),
    /// Something that an SDK exports.
    Export(ExportId),
    /// `import * as ai`.
    Namespace(EntryId),
    /// `import * as own`.
    Module(FileId),
    /// A name that nothing in the file declares, and its members: `Promise`, `process.env.X`.
    Global(Loc),
    Promise(Value),
    /// `Object.assign({}, a, b)`: the properties of each, later ones first.
    Merged(Vec<Value>),
    /// The rest of an object pattern: the object without some keys.
    Rest(Value, Vec<String>),
    /// One of these.
    Union(Vec<Value>),
}

/// A value of an SDK type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sdk {
    pub ty: TyId,
    /// The SDK call that the value comes out of; none when only an annotation tells the type.
    pub origin: Option<Loc>,
}

/// Why nothing is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unknown {
    /// A parameter whose callers are not all in sight.
    Parameter,
    /// A parameter whose callers may be in the files that import this one; they were not read yet.
    Callers(FileId),
    /// The same for a method: whoever may come by an object may call it.
    MethodCallers(FileId),
    /// Comes from a package that was not read, or from nowhere.
    Import,
    /// Comes from a file of the project that was not read yet.
    Unread(FileId),
    /// Comes out of a barrel, from one of its files that were not read; an index into what [`Infer`](super::Infer) keeps.
    Barrel(u32),
    /// A property of something unknown, or one that its type does not list.
    Property,
    /// What a call returns whose callee is unknown.
    Call,
    /// What a `catch` receives.
    Caught,
    /// Declared without a value.
    Unassigned,
    /// Syntax that is not followed.
    Syntax,
    /// Defined by itself.
    Cycle,
    /// Too far to follow.
    Budget,
    /// The type table says `any`.
    Any,
}

impl Unknown {
    /// In words, to follow "unknown: ".
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Parameter | Self::Callers(_) | Self::MethodCallers(_) => {
                "a parameter whose callers are not all in sight"
            }
            Self::Import => "imported from a module that was not read",
            Self::Unread(_) | Self::Barrel(_) => "imported from a file that was not read",
            Self::Property => "a property that cannot be followed",
            Self::Call => "returned by a call that cannot be followed",
            Self::Caught => "whatever was thrown",
            Self::Unassigned => "declared without a value",
            Self::Syntax => "syntax that is not followed",
            Self::Cycle => "defined by itself",
            Self::Budget => "too far to follow",
            Self::Any => "of any type",
        }
    }
}
