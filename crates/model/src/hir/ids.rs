//! Typed indices into the arenas of a [`Module`](super::Module). Non-zero inside, so that `Option<Id>` takes four bytes.

use std::num::NonZeroU32;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(NonZeroU32);

        impl $name {
            pub(crate) fn new(index: usize) -> Self {
                // Files are at most 4 GiB and every node takes at least one byte of one.
                Self(NonZeroU32::new(index as u32 + 1).unwrap_or(NonZeroU32::MAX))
            }

            /// The first entry of the arena, to point at where no other place is at hand.
            pub const FIRST: Self = Self(NonZeroU32::MIN);

            /// The position in the arena.
            pub fn index(self) -> usize {
                self.0.get() as usize - 1
            }
        }
    )*};
}

ids! {
    /// An interned name or string of the module.
    NameId,
    ExprId,
    StmtId,
    PatId,
    /// A key with its value in an object literal or JSX element.
    PropId,
    /// A key with its pattern in an object pattern.
    PatPropId,
    /// The outermost pattern of a declaration, parameter or assignment.
    RootId,
    FuncId,
    ClassId,
    ClassMemberId,
    JsxId,
    ScopeId,
    BindingId,
    TypeExprId,
    ImportDeclId,
    ImportId,
}

/// A run of consecutive entries in one of the module's lists.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct List<T> {
    pub(crate) start: u32,
    pub(crate) len: u32,
    marker: std::marker::PhantomData<T>,
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<T> {}

impl<T> List<T> {
    pub(crate) const EMPTY: Self = Self { start: 0, len: 0, marker: std::marker::PhantomData };

    pub(crate) fn new(start: usize, len: usize) -> Self {
        Self { start: start as u32, len: len as u32, marker: std::marker::PhantomData }
    }

    pub(crate) fn range(self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }

    /// The number of entries.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}
