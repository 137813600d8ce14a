//! Where a declaration is used: in its own file, and in the files that import it.

use std::rc::Rc;

use agentcheck_syntax::FileId;

use super::value::Env;
use super::{Infer, Loc, Value, ValueKind};
use crate::hir::{BindingId, ExportKind, ExprId, ExprKind, Module, Parent, PatKind, PropKey, RootId};
use crate::linkage::{NamedUse, WholeUse};
use crate::program::Target;

/// Longer chains of re-exports are not followed.
const HOPS: u32 = 8;

/// The uses of a declaration.
#[derive(Debug, Default)]
pub(super) struct Uses {
    pub places: Vec<Loc>,
    /// Whether code that is not in sight can use it too.
    pub is_exported: bool,
    /// Files whose importers may hold further uses and were not read.
    pub unread: Vec<FileId>,
}

impl<'p> Infer<'p> {
    /// Every place in the program where a declaration is named.
    pub(super) fn uses(&mut self, file: FileId, binding: BindingId) -> Rc<Uses> {
        if let Some(known) = self.uses.get(&(file, binding)) {
            let known = Rc::clone(known);
            self.want_importers(&known.unread);
            return known;
        }
        let module = self.module(file);
        let places = module.refs(binding).iter().map(|expr| Loc::new(file, *expr)).collect();
        let mut uses = Uses { places, ..Uses::default() };
        for name in module.exported_names(binding) {
            uses.is_exported = true;
            self.imported_uses(file, name, HOPS, &mut uses);
        }
        self.want_importers(&uses.unread);
        let uses = Rc::new(uses);
        self.uses.insert((file, binding), Rc::clone(&uses));
        uses
    }

    /// The uses of what `file` exports as `name`, in other files.
    pub(super) fn uses_of_export(&mut self, file: FileId, name: &str) -> Uses {
        let mut uses = Uses::default();
        self.imported_uses(file, name, HOPS, &mut uses);
        uses
    }

    pub(super) fn want_importers(&mut self, files: &[FileId]) {
        if !self.idle {
            self.trace.wants.importers.extend(files);
        }
    }

    /// The uses of what `file` exports as `name`, in the files that import it.
    fn imported_uses(&mut self, file: FileId, name: &str, hops: u32, into: &mut Uses) {
        if !self.program.has_importers_of(file) && !into.unread.contains(&file) {
            into.unread.push(file);
        }
        if hops == 0 {
            return;
        }
        self.trace.importers.insert(file);
        let Some(incoming) = self.program.incoming(file) else { return };
        for (importer, used) in incoming.named(name).iter().copied() {
            let module = self.module(importer);
            match used {
                NamedUse::Import(binding) => {
                    into.places.extend(module.refs(binding).iter().map(|reference| Loc::new(importer, *reference)));
                    for exported in module.exported_names(binding) {
                        self.imported_uses(importer, exported, hops - 1, into);
                    }
                }
                NamedUse::ReExport(exported) => {
                    self.imported_uses(importer, module.name(exported), hops - 1, into);
                }
            }
        }
        for (importer, used) in incoming.whole.iter().copied() {
            let module = self.module(importer);
            match used {
                WholeUse::Namespace(binding) => {
                    into.places.extend(members_of(module, binding, name).map(|member| Loc::new(importer, member)));
                }
                // `import { all } from './index'; all.name`
                WholeUse::Gathered(exported) => {
                    let mut gathered = Uses::default();
                    self.imported_uses(importer, module.name(exported), hops - 1, &mut gathered);
                    into.unread.extend(gathered.unread);
                    for place in gathered.places {
                        into.places.extend(member_of(self.module(place.file), place.expr, name).map(|of| place.at(of)));
                    }
                }
                WholeUse::Star => self.imported_uses(importer, name, hops - 1, into),
                WholeUse::Load(root) => loaded_uses(module, importer, root, name, into),
            }
        }
    }

    /// The files of the program that import `file`, noted as something that the answer hangs on.
    fn importers(&mut self, file: FileId) -> &'p [FileId] {
        let importers = self.program.importers(file);
        self.trace.importers.insert(file);
        importers
    }

    /// `file` and the files that may come by objects of its classes: those that import it, or one that hands them on. Adds to
    /// `unread` the files whose importers were not read.
    pub(super) fn importing_files(&mut self, file: FileId, unread: &mut Vec<FileId>) -> Vec<FileId> {
        let mut found = vec![file];
        let mut next = 0;
        while let Some(current) = found.get(next).copied() {
            next += 1;
            if current != file && !self.idly(|this| this.passes_on(current, file)) {
                continue;
            }
            if !self.program.has_importers_of(current) {
                unread.push(current);
            }
            for importer in self.importers(current) {
                if !found.contains(importer) {
                    found.push(*importer);
                }
            }
        }
        found
    }

    /// Whether a file exports something that another one declares: by name, or an object or a function that gives one.
    fn passes_on(&mut self, file: FileId, declared_in: FileId) -> bool {
        let module = self.module(file);
        module.exports.iter().any(|export| match export.kind {
            ExportKind::From { source, .. } | ExportKind::Star { source } | ExportKind::Namespace { source, .. } => {
                matches!(self.target(file, module.name(source)), Some(Target::File(_)))
            }
            ExportKind::Local { binding, .. } => {
                let Some(at) = self.any_loc_of(file) else { return false };
                let value = self.eval_binding(Env::any(file), binding, at);
                self.gives(value, declared_in)
            }
            ExportKind::Default(value) | ExportKind::Whole(value) | ExportKind::Assigned { value, .. } => {
                let value = self.eval_in(file, value);
                self.gives(value, declared_in)
            }
        })
    }

    /// Whether a value is of a class of `file`, the class itself, or a function that returns one.
    fn gives(&mut self, value: Value, file: FileId) -> bool {
        self.alternatives(value).into_iter().any(|member| match *self.kind(member) {
            ValueKind::Instance(of, class) | ValueKind::Class(of, class) => {
                of == file
                    || self.module(of).class(class).extends.is_some_and(|base| {
                        let base = self.eval_in(of, base);
                        self.alternatives(base)
                            .into_iter()
                            .any(|base| matches!(*self.kind(base), ValueKind::Class(of, _) if of == file))
                    })
            }
            ValueKind::Function(of, function, _) => {
                let Some(at) = self.any_loc_of(of) else { return false };
                let returned = self.eval_returned(of, function, at);
                let returned = self.awaited(returned);
                self.alternatives(returned)
                    .into_iter()
                    .any(|member| matches!(*self.kind(member), ValueKind::Instance(of, _) if of == file))
            }
            ValueKind::Object(_) => {
                let keys = self.keys(member);
                keys.known.iter().any(|key| {
                    let value = self.eval(key.value);
                    matches!(*self.kind(value), ValueKind::Instance(of, _) | ValueKind::Class(of, _) if of == file)
                })
            }
            _ => false,
        })
    }

    /// Whether an expression may be a function.
    pub(super) fn is_function(&mut self, loc: Loc, file: FileId, function: crate::hir::FuncId) -> bool {
        self.idly(|this| {
            let value = this.eval(loc);
            this.alternatives(value).into_iter().any(|member| {
                matches!(*this.kind(member), ValueKind::Function(of, found, _) if (of, found) == (file, function))
            })
        })
    }
}

/// The uses of what `const { name } = require('./x')` and `const x = await import('./x')` declare.
fn loaded_uses(module: &Module, importer: FileId, root: RootId, name: &str, into: &mut Uses) {
    match module.pat(module.root(root).pattern).kind {
        PatKind::Binding(binding) => {
            into.places.extend(members_of(module, binding, name).map(|member| Loc::new(importer, member)));
        }
        PatKind::Object(props) => {
            for (_, prop) in module.pat_props(props) {
                if let (PropKey::Name(key), PatKind::Binding(binding)) = (prop.key, module.pat(prop.pattern).kind)
                    && module.name(key) == name
                {
                    into.places.extend(module.refs(binding).iter().map(|expr| Loc::new(importer, *expr)));
                }
            }
        }
        _ => {}
    }
}

/// The members `binding.name`.
fn members_of<'m>(module: &'m Module, binding: BindingId, name: &'m str) -> impl Iterator<Item = ExprId> + 'm {
    module.refs(binding).iter().filter_map(move |reference| member_of(module, *reference, name))
}

/// `object.name`.
fn member_of(module: &Module, object: ExprId, name: &str) -> Option<ExprId> {
    let Parent::Expr(member) = module.expr_parent(object) else { return None };
    match module.expr(member).kind {
        ExprKind::Member { object: of, property } if of == object && module.name(property) == name => Some(member),
        _ => None,
    }
}
