//! A module as rules see it: owned arenas of small nodes. The syntax tree is dropped after lowering; nothing here borrows
//! from it.

mod ids;
mod module;
mod names;
mod nodes;

pub use ids::{
    BindingId, ClassId, ClassMemberId, ExprId, FuncId, ImportDeclId, ImportId, JsxId, List, NameId, PatId, PatPropId,
    PropId, RootId, ScopeId, StmtId, TypeExprId,
};
pub(crate) use module::Arenas;
pub use module::{Module, Parent};
pub(crate) use names::Interner;
pub use names::Names;
pub use nodes::{
    BinaryOp, Binding, BindingDef, Body, Class, ClassMember, ClassMemberKind, Export, ExportKind, Expr, ExprKind,
    Function, Import, ImportDecl, ImportKind, Jsx, Pat, PatKind, PatProp, PatRole, Prop, PropKey, PropKind, Root,
    RootSource, Scope, Stmt, StmtKind, TypeExpr, TypeKind, TypeMember, UnaryOp,
};
